/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_counter_ranges: the mean of NVTX's counters in ranges of their process, or of their
 * thread if that is their scope, by domain, message and style of the ranges.
 *
 * Counters of one domain, name and unit whose values are weighed alike are added up. What the
 * values of a range add up to, each times its weight, is a double; those of several ranges are
 * added without rounding, so that a summary, which keeps these sums, has the same means in whatever
 * order it was added up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/private_access.h"
#include "model/same_domains.h"
#include "model/sums/sample_sums.h"
#include "stats/column_meanings.h"
#include "stats/counter_means.h"
#include "stats/group_by.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

static const struct rf_column columns[] = {
    {"Range", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    {"Style", RF_COLUMN_WORD, RF_MEANS_STYLE},
    {"Counter", RF_COLUMN_TEXT, RF_MEANS_COUNTER},
    {"Unit", RF_COLUMN_WORD, RF_MEANS_COUNTER_UNIT},
    {"Mean", RF_COLUMN_VALUE,
     "mean of the counter in these ranges, weighed as nvtx_counter_sum does; None: it is too "
     "large"},
    {"Samples", RF_COLUMN_COUNT, "number of samples that lie in these ranges"},
    {"Range Instances", RF_COLUMN_COUNT, "number of ranges in which the counter had a value"},
};

enum key { DOMAIN, NAME, STYLE };
enum sum { SAMPLES, RANGE_NS };

/* What the values in the ranges of a group add up to. */
struct weighed_sum {
    struct rf_exact_sum total; /* each value times its weight */
    unsigned __int128 weight;  /* whole: nanoseconds, or values */
    uint64_t n_not_finite;     /* ranges whose sum is no double */
};

/* What tells counters apart. */
enum counter_key { COUNTER_DOMAIN, COUNTER_NAME, UNIT, BY_TIME, N_COUNTER_KEYS };

struct keyed_counter {
    uint32_t key[N_COUNTER_KEYS];
    uint32_t index;
};

struct job {
    const rf_recording *rec;
    uint32_t *same_domain;
    struct keyed_counter *counter;
    size_t n_counters;
    struct rf_group_by groups; /* of the counters at hand, which nothing tells apart */
    struct weighed_sum *sum;   /* per group */
    size_t n, room;
    struct rf_table *table;
    struct rf_collecting *c; /* of a summary, in place of a table; NULL */
};

/* ---- Counters ---- */

static int compare_counters(const void *left, const void *right)
{
    const struct keyed_counter *a = left, *b = right;
    for (size_t i = 0; i < N_COUNTER_KEYS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool find_counters(struct job *job)
{
    const rf_recording *rec = job->rec;
    job->same_domain = rf_same_domains(rec);
    job->counter = malloc((rf_n_counters(rec) + (size_t)1) * sizeof(*job->counter));
    if (job->same_domain == NULL || job->counter == NULL)
        return false;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *of = rf_counter_at(rec, i);
        if (rf_is_nvtx_counter(of))
            job->counter[job->n_counters++] = (struct keyed_counter){
                .key = {[COUNTER_DOMAIN] = job->same_domain[of->nvtx->domain],
                        [COUNTER_NAME] = of->name,
                        [UNIT] = of->nvtx->unit,
                        [BY_TIME] = rf_counter_is_weighed_by_time(of)},
                .index = i};
    }
    if (job->n_counters > 0)
        qsort(job->counter, job->n_counters, sizeof(*job->counter), compare_counters);
    return true;
}

/* ---- Ranges ---- */

static struct rf_group *find_group(struct job *job, const struct rf_event *range)
{
    const uint32_t key[RF_GROUP_KEYS] = {
        [DOMAIN] = job->same_domain[range->domain], [NAME] = range->name, [STYLE] = range->kind};
    struct rf_group *group = rf_group_by_get(&job->groups, key);
    if (group == NULL || job->groups.n == job->n)
        return group;
    if (rf_grow_array(&job->sum, job->n, &job->room, sizeof(*job->sum)) != RF_OK)
        return NULL;
    memset(&job->sum[job->n++], 0, sizeof(*job->sum));
    return group;
}

static void add_sum(struct weighed_sum *sum, const struct rf_weighed *in)
{
    sum->weight += (unsigned __int128)in->weight;
    if (isfinite(in->sum)) {
        const struct rf_exact_number number = rf_exact_of_real(in->sum);
        rf_exact_add(&sum->total, &number, 1);
    } else {
        sum->n_not_finite++;
    }
}

static bool add_range(struct job *job, struct rf_counter_integral *integral,
                      const struct rf_event *range)
{
    uint64_t n_samples;
    const struct rf_weighed in =
        rf_counter_between(integral, range->start_ns, range->end_ns, &n_samples);
    if (in.weight <= 0)
        return true;
    struct rf_group *group = find_group(job, range);
    if (group == NULL)
        return false;
    add_sum(&job->sum[group - job->groups.group], &in);
    group->n++;
    group->sums[SAMPLES] += n_samples;
    if (__builtin_add_overflow(group->sums[RANGE_NS],
                               (uint64_t)range->end_ns - (uint64_t)range->start_ns,
                               &group->sums[RANGE_NS]))
        group->sums[RANGE_NS] = UINT64_MAX;
    return true;
}

static bool add_thread(struct job *job, struct rf_counter_integral *integral, uint32_t thread)
{
    size_t n;
    bool is_done = true;
    const struct rf_event *event = rf_thread_events(job->rec, thread, &n);
    for (size_t i = 0; i < n && is_done; i++)
        if (event[i].kind == RF_EVENT_PUSH_POP || event[i].kind == RF_EVENT_START_END)
            is_done = add_range(job, integral, &event[i]);
    return is_done;
}

static bool add_counter(struct job *job, uint32_t index)
{
    const struct rf_counter *counter = rf_counter_at(job->rec, index);
    struct rf_counter_integral integral;
    bool is_done = rf_counter_integrate(&integral, job->rec, counter) == RF_OK;
    for (uint32_t t = 0; t < rf_n_threads(job->rec) && is_done; t++)
        if (rf_thread_at(job->rec, t)->process == counter->process &&
            (counter->nvtx->thread == RF_NO_INDEX || counter->nvtx->thread == t))
            is_done = add_thread(job, &integral, t);
    rf_counter_integral_release(&integral);
    return is_done;
}

/* ---- Rows ---- */

static void set_figures(struct rf_cell *row, const struct weighed_sum *sum, uint64_t n_samples,
                        uint64_t n)
{
    const double mean = rf_exact_weighed_mean(&sum->total, (double)sum->weight);
    row[4].real = sum->n_not_finite == 0 && isfinite(mean) ? mean : (double)NAN;
    row[5].count = n_samples;
    row[6].count = n;
}

static bool add_row(const struct job *job, const struct keyed_counter *counter, size_t i)
{
    const struct rf_group *group = &job->groups.group[i];
    struct rf_cell *row = rf_table_add_row(job->table);
    if (row == NULL ||
        !rf_cell_set_range(&row[0], job->rec, group->key[DOMAIN], group->key[NAME]) ||
        !rf_cell_set_range(&row[2], job->rec, counter->key[COUNTER_DOMAIN],
                           counter->key[COUNTER_NAME]))
        return false;
    rf_cell_set_word(&row[1], rf_range_style(group->key[STYLE]));
    rf_cell_set_word(&row[3], "");
    if (counter->key[UNIT] != RF_NO_STRING)
        rf_cell_set_model_string(&row[3], job->rec, counter->key[UNIT]);
    set_figures(row, &job->sum[i], group->sums[SAMPLES], group->n);
    return true;
}

static bool collect_group(const struct job *job, const struct keyed_counter *counter, size_t i)
{
    struct rf_collecting *c = job->c;
    const struct rf_group *group = &job->groups.group[i];
    const struct weighed_sum *sum = &job->sum[i];
    const bool is_start_end = group->key[STYLE] == RF_EVENT_START_END;
    const struct rf_counter_range item = {
        .domain = rf_collect_domain(c, group->key[DOMAIN]),
        .name = rf_collect_range_name(c, group->key[NAME]),
        .style = is_start_end ? RF_SUMMARY_START_END : RF_SUMMARY_PUSH_POP,
        .counter_domain = rf_collect_domain(c, counter->key[COUNTER_DOMAIN]),
        .counter_name = rf_collect_string(c, counter->key[COUNTER_NAME]),
        .unit = rf_collect_string(c, counter->key[UNIT]),
        .is_by_time = counter->key[BY_TIME],
        .n = group->n,
        .n_not_finite = sum->n_not_finite,
        .n_samples = group->sums[SAMPLES],
        .weight = (uint64_t)sum->weight,
        .range_ns = group->sums[RANGE_NS]};
    if (sum->weight > INT64_MAX || item.n_samples > INT64_MAX)
        return rf_collect_fail(c, RF_ERR_UNSUPPORTED);
    (void)rf_collect_fail(c, rf_counter_range_add(c->summary, &item, &sum->total));
    return c->status == RF_OK;
}

/* The groups of counters that nothing tells apart are complete. */
static bool finish(struct job *job, const struct keyed_counter *counter)
{
    bool is_done = true;
    for (size_t i = 0; i < job->groups.n && is_done; i++) {
        rf_exact_settle(&job->sum[i].total);
        is_done = job->c != NULL ? collect_group(job, counter, i) : add_row(job, counter, i);
    }
    rf_group_by_release(&job->groups);
    job->groups = (struct rf_group_by){.n = 0};
    job->n = 0;
    return is_done;
}

static bool is_same(const struct keyed_counter *a, const struct keyed_counter *b)
{
    return memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

/* false: out of memory, or the summary has failed. */
static bool add_counters(struct job *job)
{
    bool is_done = find_counters(job);
    for (size_t i = 0; i < job->n_counters && is_done; i++) {
        const struct keyed_counter *counter = &job->counter[i];
        is_done = add_counter(job, counter->index);
        if (is_done && (i + 1 == job->n_counters || !is_same(counter, counter + 1)))
            is_done = finish(job, counter);
    }
    rf_group_by_release(&job->groups);
    free(job->sum);
    free(job->counter);
    free(job->same_domain);
    return is_done;
}

static void finish_table(struct rf_table *table)
{
    static const int order[] = {0, 1, 2, 3, ~5, ~6, 4};
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    if (table->n_rows == 0)
        rf_table_add_note(table, "no counter of NVTX had a value in a range of its process");
}

static int sum_ranges(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    struct job job = {.rec = rec, .table = table};
    (void)report;
    (void)err;
    if (!add_counters(&job))
        return RF_ERR_NO_MEMORY;
    finish_table(table);
    return RF_OK;
}

/* ---- Of summaries ---- */

/* Whether ranges, and the samples of counters, are in memory, if there are any. */
static bool is_known(const rf_recording *rec)
{
    bool has_counters = false, has_samples = rf_get_info(rec)->n_samples == 0;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *counter = rf_counter_at(rec, i);
        has_counters |= counter->nvtx != NULL;
        has_samples |= counter->n_samples > 0 && !counter->is_derived;
        if (counter->nvtx != NULL && counter->n_samples == 0 && rf_has_sample_sum(rec, i))
            return false; /* they were added up as they were read */
    }
    return !has_counters || (has_samples && rf_recording_paths(rec) == NULL);
}

static void collect(const struct rf_report *report, struct rf_collecting *c)
{
    struct job job = {.rec = c->rec, .c = c};
    (void)report;
    if (!is_known(c->rec))
        return;
    rf_collect_searched(c, RF_TALLY_RANGE_COUNTER);
    if (c->status == RF_OK && !add_counters(&job))
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    if (c->status == RF_OK)
        c->status = rf_counter_ranges_join(c->summary);
    if (c->status == RF_OK)
        c->status = rf_counter_ranges_limit(c->summary, c->options.max_tallies);
}

static bool add_summary_row(struct rf_table *table, const rf_summary *summary,
                            const struct rf_counter_range *item)
{
    const struct rf_summary_path range = {RF_NO_INDEX, item->domain, item->name},
                                 counter = {RF_NO_INDEX, item->counter_domain, item->counter_name};
    const char *style = rf_range_style(item->style == RF_SUMMARY_START_END ? RF_EVENT_START_END
                                                                           : RF_EVENT_PUSH_POP);
    struct weighed_sum sum = {.weight = item->weight, .n_not_finite = item->n_not_finite};
    size_t unit_size;
    const char *unit = rf_summary_text(summary, item->unit, &unit_size);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL || !rf_cell_set_path(&row[0], summary, &range, 0) ||
        !rf_cell_set_text(&row[1], style, strlen(style)) ||
        !rf_cell_set_path(&row[2], summary, &counter, 0) ||
        !rf_cell_set_text(&row[3], unit != NULL ? unit : "", unit_size))
        return false;
    rf_counter_range_sum(summary, item, &sum.total);
    set_figures(row, &sum, item->n_samples, item->n);
    return true;
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    const struct rf_counter_ranges *all = &summary->counter_ranges;
    (void)err;
    if (!rf_tally_rows_own_words(table, report))
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].input == input && !add_summary_row(table, summary, &all->item[i]))
            return RF_ERR_NO_MEMORY;
    finish_table(table);
    rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_RANGE_COUNTER);
    return RF_OK;
}

const struct rf_report rf_report_nvtx_counter_ranges = {
    .name = "nvtx_counter_ranges",
    .description = "the mean of each counter of NVTX in the ranges of its process",
    .needs = RF_NEEDS_RANGES | RF_NEEDS_NVTX_COUNTERS,
    .title = "NVTX Counters in Ranges",
    RF_REPORT_COLUMNS(columns),
    .compute = sum_ranges,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_RANGE_COUNTER,
    .collect = collect,
};
