/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/summary_data.h"

#define MIN_SHARE     0.5  /* of the time of steps, in percent: what has less does not matter */
#define FALSE_SHARE   0.05 /* of what is found, at most so much is chance */
#define ENOUGH_RUNS   5    /* a side, where nothing is known of their spread */
#define SHORTEST_NS   0.5  /* shorter medians count as this one, which has a logarithm */
#define RESOLUTION_NS 1.0  /* of times */
#define MAX_REACH     100  /* of an interval that is printed: its ends are numbers */

void rf_compare_judgement_release(struct rf_compare_judgement *judgement)
{
    for (size_t i = 0; i < judgement->n_times; i++) {
        free((char *)judgement->time[i].time.name);
        free((char *)judgement->time[i].time.range);
    }
    for (size_t i = 0; i < judgement->n_counts; i++)
        free((char *)judgement->count[i].count.name);
    free(judgement->time);
    free(judgement->count);
    *judgement = (struct rf_compare_judgement){.n_times = 0};
}

/* ---- The values of the runs ---- */

struct side_values {
    double *log;   /* of the medians */
    double *share; /* in percent */
    size_t n;
};

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rf_compare_middle(double *value, size_t n)
{
    if (n == 0)
        return 0;
    qsort(value, n, sizeof(*value), compare_doubles);
    return value[(n - 1) / 2] / 2 + value[n / 2] / 2;
}

static double share_of(const struct rf_compare_judging *from, size_t run, uint64_t total)
{
    const struct rf_compare_value *step = &from->rows->step[run];
    const uint64_t all = from->rows->has_steps ? step->total : from->runs->run[run].duration_ns;
    return all > 0 ? 100 * (double)total / (double)all : 100; /* nobody knows: it may matter */
}

static void take_values(struct side_values side[2], const struct rf_compare_judging *from,
                        const struct rf_compare_value *value)
{
    side[0].n = side[1].n = 0;
    for (size_t r = 0; r < from->runs->n; r++) {
        struct side_values *to = &side[from->runs->run[r].side];
        if (value[r].n == 0)
            continue;
        to->log[to->n] = log(value[r].median > SHORTEST_NS ? value[r].median : SHORTEST_NS);
        to->share[to->n++] = share_of(from, r, value[r].total);
    }
}

/* How far the ratio may be off, since times are whole nanoseconds. */
static double resolution_of(const struct side_values side[2])
{
    double squares = 0;
    for (int s = 0; s < 2; s++) {
        const double part = RESOLUTION_NS / exp(side[s].log[0]);
        squares += part * part / (double)side[s].n;
    }
    return sqrt(squares);
}

/* ---- A row ---- */

/* What is printed has no more digits than mean something. */
static double rounded(double value, double digits)
{
    return round(value * digits) / digits;
}

#define OF_RATIOS 1e6
#define OF_TIMES  1e3
#define OF_SHARES 1e3

static struct rf_compare_judged judged_of(struct side_values side[2], int kind, uint32_t item)
{
    struct rf_compare_judged judged = {.item = item, .time = RF_COMPARE_TIME_INIT};
    struct rf_compare_time *time = &judged.time;
    time->kind = kind;
    time->n_a = side[0].n;
    time->n_b = side[1].n;
    time->share_a = rounded(rf_compare_middle(side[0].share, side[0].n), OF_SHARES);
    time->share_b = rounded(rf_compare_middle(side[1].share, side[1].n), OF_SHARES);
    rf_run_interval(&judged.interval, side[0].log, side[0].n, side[1].log, side[1].n,
                    resolution_of(side));
    time->a_ns = rounded(exp(rf_compare_middle(side[0].log, side[0].n)), OF_TIMES);
    time->b_ns = rounded(exp(rf_compare_middle(side[1].log, side[1].n)), OF_TIMES);
    time->ratio = rounded(exp(judged.interval.middle), OF_RATIOS);
    judged.chance = rf_run_interval_chance(&judged.interval);
    time->chance = rounded(judged.chance, OF_RATIOS);
    time->has_interval = judged.interval.freedom > 0;
    if (time->has_interval) {
        const double reach =
            fmin(rf_run_interval_reach(&judged.interval, RF_COMPARE_MISS), MAX_REACH);
        time->low = rounded(exp(judged.interval.middle - reach), OF_RATIOS);
        time->high = rounded(exp(judged.interval.middle + reach), OF_RATIOS);
    }
    return judged;
}

/* value: by run, as long as the judgement is there; NULL: none */
static int add_time(struct rf_compare_judgement *judgement, struct side_values side[2], int kind,
                    uint32_t item, const struct rf_compare_value *value)
{
    if (side[0].n == 0 || side[1].n == 0)
        return RF_OK;
    struct rf_compare_judged judged = judged_of(side, kind, item);
    judged.value = value;
    if (item != RF_NO_INDEX && judged.time.share_a < MIN_SHARE && judged.time.share_b < MIN_SHARE) {
        judgement->result.n_small++;
        return RF_OK;
    }
    if (rf_grow_array(&judgement->time, judgement->n_times, &judgement->times_room,
                      sizeof(judged)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    judgement->time[judgement->n_times++] = judged;
    return RF_OK;
}

/* -1: it has no time that is compared. */
static int kind_of(const struct rf_compare_judging *from, const struct rf_compare_row *row)
{
    switch (row->kind) {
    case RF_SUMMARY_PUSH_POP:
    case RF_SUMMARY_START_END:
        if (from->rows->has_steps && from->items->item[row->item].is_step)
            return -1; /* all of them are one row */
        return RF_COMPARE_RANGE;
    case RF_SUMMARY_KERNEL:
        return RF_COMPARE_KERNEL;
    case RF_SUMMARY_MEMORY:
        return RF_COMPARE_MEMORY;
    default:
        return -1;
    }
}

/* Of the whole runs, as if each were a value of a row. */
static int add_runs(struct rf_compare_judgement *judgement, const struct rf_compare_judging *from,
                    struct side_values side[2])
{
    struct rf_compare_value *value = calloc(from->runs->n + 1, sizeof(*value));
    if (value == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t r = 0; r < from->runs->n; r++) {
        const uint64_t ns = from->runs->run[r].duration_ns; /* 0: not known */
        value[r] = (struct rf_compare_value){.n = ns > 0, .total = ns, .median = (double)ns};
    }
    take_values(side, from, value);
    free(value);
    return add_time(judgement, side, RF_COMPARE_RUN, RF_NO_INDEX, NULL);
}

/* Of all steps, by their medians and by their means. */
static int add_steps(struct rf_compare_judgement *judgement, const struct rf_compare_judging *from,
                     struct side_values side[2])
{
    struct rf_compare_value *value = malloc((from->runs->n + 1) * sizeof(*value));
    if (value == NULL)
        return RF_ERR_NO_MEMORY;
    take_values(side, from, from->rows->step);
    int status = add_time(judgement, side, RF_COMPARE_STEP, RF_NO_INDEX, from->rows->step);
    for (size_t r = 0; r < from->runs->n; r++) {
        value[r] = from->rows->step[r];
        value[r].median = value[r].n > 0 ? (double)value[r].total / (double)value[r].n : 0;
    }
    take_values(side, from, value);
    free(value);
    if (status == RF_OK)
        status = add_time(judgement, side, RF_COMPARE_MEAN, RF_NO_INDEX, NULL);
    return status;
}

static bool is_of_steps(int kind)
{
    return kind == RF_COMPARE_STEP || kind == RF_COMPARE_RUN || kind == RF_COMPARE_MEAN;
}

static int add_times(struct rf_compare_judgement *judgement, const struct rf_compare_judging *from,
                     struct side_values side[2])
{
    const struct rf_compare_rows *rows = from->rows;
    int status =
        rows->has_steps ? add_steps(judgement, from, side) : add_runs(judgement, from, side);
    for (size_t i = 0; i < rows->n && status == RF_OK; i++) {
        const int kind = kind_of(from, &rows->row[i]);
        if (kind < 0)
            continue;
        const struct rf_compare_value *value = &rows->value[rows->row[i].first];
        take_values(side, from, value);
        status = add_time(judgement, side, kind, rows->row[i].item, value);
    }
    return status;
}

/* ---- Verdicts ---- */

enum rf_compare_verdict rf_compare_judge(const struct rf_run_interval *interval, double effect,
                                         bool is_sure)
{
    const double limit = log1p(effect);
    if (interval->freedom <= 0)
        return RF_COMPARE_CANNOT_TELL;
    const double reach = rf_run_interval_reach(interval, RF_COMPARE_MISS);
    const double low = interval->middle - reach, high = interval->middle + reach;
    if (low > limit)
        return is_sure ? RF_COMPARE_SLOWER : RF_COMPARE_CANNOT_TELL;
    if (high < -limit)
        return is_sure ? RF_COMPARE_FASTER : RF_COMPARE_CANNOT_TELL;
    return low >= -limit && high <= limit ? RF_COMPARE_SAME : RF_COMPARE_CANNOT_TELL;
}

/* The largest chance that Benjamini's and Hochberg's procedure accepts among all times; -1: none.
 */
static int find_accepted(const struct rf_compare_judgement *judgement, double *accepted)
{
    double *chance = malloc((judgement->n_times + 1) * sizeof(*chance));
    size_t n = 0;
    *accepted = -1;
    if (chance == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < judgement->n_times; i++)
        if (judgement->time[i].time.has_interval)
            chance[n++] = judgement->time[i].chance;
    if (n > 0)
        qsort(chance, n, sizeof(*chance), compare_doubles);
    for (size_t i = 0; i < n; i++)
        if (chance[i] / 2 <= FALSE_SHARE * (double)(i + 1) / (double)n) /* in its direction */
            *accepted = chance[i];
    free(chance);
    return RF_OK;
}

static uint64_t missing_runs(const struct rf_compare_judged *judged, double effect, size_t n_times)
{
    const struct rf_run_interval *interval = &judged->interval;
    const uint64_t n_a = judged->time.n_a, n_b = judged->time.n_b, n = n_a < n_b ? n_a : n_b;
    if (judged->time.reason == RF_COMPARE_ONE_RUN)
        return n < ENOUGH_RUNS ? ENOUGH_RUNS - n : 1;
    const double change = fabs(interval->middle);
    const bool is_chance = judged->time.reason == RF_COMPARE_CHANCE;
    const uint64_t needed = rf_run_interval_needs(
        interval, is_chance ? change : fabs(change - log1p(effect)),
        is_chance ? FALSE_SHARE / (double)n_times : RF_COMPARE_MISS, RF_COMPARE_MAX_RUNS);
    return needed == 0 ? 0 : needed > n ? needed - n : 1;
}

static void set_verdict(struct rf_compare_judged *judged, const struct rf_compare_judging *from,
                        double accepted, size_t n_times)
{
    struct rf_compare_time *time = &judged->time;
    const struct rf_run_interval *interval = &judged->interval;
    time->verdict = rf_compare_judge(interval, from->effect, judged->chance <= accepted);
    time->reason = RF_COMPARE_CLEAR;
    if (!time->has_interval || from->has_settings)
        time->verdict = RF_COMPARE_CANNOT_TELL;
    if (time->verdict != RF_COMPARE_CANNOT_TELL)
        return;
    const bool is_change = rf_compare_judge(interval, from->effect, true) <= RF_COMPARE_FASTER;
    time->reason = from->has_settings    ? RF_COMPARE_SETTINGS
                   : !time->has_interval ? RF_COMPARE_ONE_RUN
                   : is_change           ? RF_COMPARE_CHANCE
                                         : RF_COMPARE_WIDE;
    if (!from->has_settings)
        time->n_more = missing_runs(judged, from->effect, n_times);
}

/* What matters most comes first: by verdict, then by how much of the step it changed, or may have
 * changed. */
static double weight_of(const struct rf_compare_judged *judged)
{
    const struct rf_compare_time *time = &judged->time;
    const double share = time->share_a > time->share_b ? time->share_a : time->share_b;
    const double change = fabs(judged->interval.middle);
    return time->verdict == RF_COMPARE_SAME ? share : change * share;
}

static int compare_judged(const void *a, const void *b)
{
    static const int order[] = {[RF_COMPARE_SLOWER] = 0,
                                [RF_COMPARE_FASTER] = 1,
                                [RF_COMPARE_CANNOT_TELL] = 2,
                                [RF_COMPARE_SAME] = 3};
    const struct rf_compare_judged *x = a, *y = b;
    const double x_weight = weight_of(x), y_weight = weight_of(y);
    if (x->time.verdict != y->time.verdict)
        return order[x->time.verdict] < order[y->time.verdict] ? -1 : 1;
    if (is_of_steps(x->time.kind) != is_of_steps(y->time.kind))
        return is_of_steps(x->time.kind) ? -1 : 1;
    if (is_of_steps(x->time.kind) && x->time.kind != y->time.kind)
        return x->time.kind < y->time.kind ? -1 : 1;
    if (x_weight != y_weight)
        return x_weight > y_weight ? -1 : 1;
    if (x->time.kind != y->time.kind)
        return x->time.kind < y->time.kind ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

int rf_compare_judge_times(struct rf_compare_judgement *judgement,
                           const struct rf_compare_judging *from)
{
    struct side_values side[2];
    struct rf_compare_result *result = &judgement->result;
    uint64_t *const n_of[] = {[RF_COMPARE_SLOWER] = &result->n_slower,
                              [RF_COMPARE_FASTER] = &result->n_faster,
                              [RF_COMPARE_SAME] = &result->n_same,
                              [RF_COMPARE_CANNOT_TELL] = &result->n_cannot_tell};
    double *memory = malloc((4 * from->runs->n + 1) * sizeof(*memory)), accepted;
    for (int s = 0; s < 2 && memory != NULL; s++)
        side[s] = (struct side_values){memory + (size_t)s * from->runs->n,
                                       memory + (size_t)(2 + s) * from->runs->n, 0};
    int status = memory != NULL ? add_times(judgement, from, side) : RF_ERR_NO_MEMORY;
    free(memory);
    if (status == RF_OK)
        status = find_accepted(judgement, &accepted);
    for (size_t i = 0; i < judgement->n_times && status == RF_OK; i++) {
        set_verdict(&judgement->time[i], from, accepted, judgement->n_times);
        const struct rf_compare_time *time = &judgement->time[i].time;
        if (time->kind == RF_COMPARE_MEAN)
            result->n_mean_slower += time->verdict == RF_COMPARE_SLOWER;
        else
            ++*n_of[time->verdict];
    }
    if (judgement->n_times > 0 && status == RF_OK)
        qsort(judgement->time, judgement->n_times, sizeof(*judgement->time), compare_judged);
    return status;
}
