/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/call_waits.h"

/* A number of a run, as a fraction: exact where runs have different numbers of steps. */
struct fraction {
    uint64_t number, steps; /* steps is at least 1 */
};

static double real_of(const struct fraction *f)
{
    return (double)f->number / (double)f->steps;
}

static bool is_equal(const struct fraction *a, const struct fraction *b)
{
    return (unsigned __int128)a->number * b->steps == (unsigned __int128)b->number * a->steps;
}

/* The runs of a side. */
struct side_counts {
    struct fraction *of;
    double *log;
    size_t n;
    bool is_constant, is_zero, has_zero;
    double min, max;
};

struct counting {
    const struct rf_compare_judging *from;
    struct side_counts side[2];
    bool are_steps_equal; /* all runs have the same number */
};

static void finish_side(struct side_counts *side)
{
    side->is_constant = side->is_zero = true;
    side->has_zero = false;
    side->min = side->max = side->n > 0 ? real_of(&side->of[0]) : 0;
    for (size_t i = 0; i < side->n; i++) {
        const double value = real_of(&side->of[i]);
        side->is_constant &= is_equal(&side->of[0], &side->of[i]);
        side->is_zero &= side->of[i].number == 0;
        side->has_zero |= side->of[i].number == 0;
        side->min = value < side->min ? value : side->min;
        side->max = value > side->max ? value : side->max;
        side->log[i] = value > 0 ? log(value) : 0;
    }
}

/* ---- Rows that are counted ---- */

/* -1: it is not counted. */
static int kind_of(const struct rf_compare_judging *from, const struct rf_compare_row *row)
{
    const struct rf_compare_item *item = &from->items->item[row->item];
    size_t size;
    const char *name = rf_summary_text(from->summary, item->name, &size);
    switch (row->kind) {
    case RF_SUMMARY_PUSH_POP:
    case RF_SUMMARY_START_END:
        return from->rows->has_steps && item->is_step ? -1 : RF_COMPARE_RANGE;
    case RF_SUMMARY_KERNEL:
        return RF_COMPARE_KERNEL;
    case RF_SUMMARY_MEMORY:
        return RF_COMPARE_MEMORY;
    case RF_SUMMARY_MEMORY_BYTES:
        return RF_COMPARE_BYTES;
    case RF_SUMMARY_CUDA_CALL:
        return rf_is_waiting_call(name, size) ? RF_COMPARE_WAIT : -1;
    default:
        return -1;
    }
}

/* Whether it is shown per step: what lies in steps, or, of work and calls by their own names, which
 * have no ranges around them here, all of it. */
static bool is_per_step(const struct rf_compare_judging *from, const struct rf_compare_row *row,
                        int kind)
{
    const struct rf_compare_item *item = &from->items->item[row->item];
    if (!from->rows->has_steps)
        return false;
    if (kind == RF_COMPARE_WORK)
        return item->is_step || item->is_in_step;
    return kind != RF_COMPARE_RANGE || item->is_in_step;
}

/* Whether it is a range with GPU work in any run. */
static bool has_work(const struct rf_compare_judging *from, const struct rf_compare_row *row)
{
    for (size_t r = 0; r < from->runs->n; r++)
        if (from->rows->value[row->first + r].n_gpu > 0)
            return true;
    return false;
}

static uint64_t number_of(const struct rf_compare_value *value, int kind)
{
    return kind == RF_COMPARE_BYTES  ? value->total
           : kind == RF_COMPARE_WORK ? value->n_gpu
                                     : value->n;
}

/* Whether both sides have it. */
static bool is_common(const struct rf_compare_judging *from, const struct rf_compare_row *row)
{
    const struct rf_compare_value *value = &from->rows->value[row->first];
    bool has[2] = {false, false};
    for (size_t r = 0; r < from->runs->n; r++)
        has[from->runs->run[r].side] |= value[r].n > 0;
    return has[0] && has[1];
}

/* Returns false where it is not known how often it comes: a summary that does not have it left out
 * names. */
static bool take_counts(struct counting *c, const struct rf_compare_row *row, int kind,
                        bool per_step)
{
    const struct rf_compare_judging *from = c->from;
    const struct rf_compare_value *value = &from->rows->value[row->first];
    c->side[0].n = c->side[1].n = 0;
    for (size_t r = 0; r < from->runs->n; r++) {
        const struct rf_compare_run *run = &from->runs->run[r];
        struct side_counts *side = &c->side[run->side];
        if (value[r].n == 0 && run->n_paths_folded > 0)
            return false;
        side->of[side->n++] =
            (struct fraction){number_of(&value[r], kind), per_step ? from->rows->step[r].n : 1};
    }
    finish_side(&c->side[0]);
    finish_side(&c->side[1]);
    return true;
}

/* ---- Verdicts ---- */

/* Of counts that vary from run to run, as of times. */
static int judge_varying(struct counting *c)
{
    struct side_counts *a = &c->side[0], *b = &c->side[1];
    struct rf_run_interval interval;
    if (a->min <= b->max && b->min <= a->max)
        return RF_COMPARE_SAME;
    if (a->is_zero)
        return b->has_zero ? RF_COMPARE_CANNOT_TELL : RF_COMPARE_NEW;
    if (b->is_zero)
        return a->has_zero ? RF_COMPARE_CANNOT_TELL : RF_COMPARE_GONE;
    if (a->has_zero || b->has_zero)
        return RF_COMPARE_CANNOT_TELL;
    rf_run_interval(&interval, a->log, a->n, b->log, b->n, 0);
    switch (rf_compare_judge(&interval, c->from->effect, true)) {
    case RF_COMPARE_SLOWER:
        return RF_COMPARE_MORE;
    case RF_COMPARE_FASTER:
        return RF_COMPARE_FEWER;
    case RF_COMPARE_SAME:
        return RF_COMPARE_SAME;
    default:
        return RF_COMPARE_CANNOT_TELL;
    }
}

static int judge_constant(const struct counting *c)
{
    const struct side_counts *a = &c->side[0], *b = &c->side[1];
    if (is_equal(&a->of[0], &b->of[0]))
        return RF_COMPARE_SAME;
    if (a->is_zero)
        return RF_COMPARE_NEW;
    if (b->is_zero)
        return RF_COMPARE_GONE;
    return b->min > a->min ? RF_COMPARE_MORE : RF_COMPARE_FEWER;
}

/* A count that differs is certain only where nothing else explains it. is_in_steps: all of it is in
 * steps; otherwise runs with more steps have more of it, as far as it is. */
static int reason_of(const struct counting *c, bool is_in_steps, int verdict)
{
    if (verdict == RF_COMPARE_SAME)
        return RF_COMPARE_CLEAR;
    if (c->from->has_settings)
        return RF_COMPARE_SETTINGS;
    if (c->side[0].n < 2 || c->side[1].n < 2)
        return RF_COMPARE_ONE_RUN;
    if (!is_in_steps && c->from->rows->has_steps && !c->are_steps_equal &&
        verdict != RF_COMPARE_NEW && verdict != RF_COMPARE_GONE)
        return RF_COMPARE_STEPS;
    return verdict == RF_COMPARE_CANNOT_TELL ? RF_COMPARE_VARIES : RF_COMPARE_CLEAR;
}

static int judge(struct counting *c, bool is_in_steps, int *reason)
{
    const bool is_exact = c->side[0].is_constant && c->side[1].is_constant;
    const int verdict = is_exact ? judge_constant(c) : judge_varying(c);
    *reason = reason_of(c, is_in_steps, verdict);
    return *reason == RF_COMPARE_CLEAR ? verdict : RF_COMPARE_CANNOT_TELL;
}

/* ---- All ---- */

/* The most time, or bytes, that a run has. */
static double weigh(const struct rf_compare_judging *from, const struct rf_compare_row *row)
{
    const struct rf_compare_value *value = &from->rows->value[row->first];
    uint64_t most = 0;
    for (size_t r = 0; r < from->runs->n; r++)
        most = value[r].total > most ? value[r].total : most;
    return (double)most;
}

static int add_count(struct rf_compare_judgement *judgement, struct counting *c,
                     const struct rf_compare_row *row, int kind)
{
    const bool per_step = is_per_step(c->from, row, kind);
    if (!take_counts(c, row, kind, per_step))
        return RF_OK;
    struct rf_compare_counted counted = {.count = RF_COMPARE_COUNT_INIT, .item = row->item};
    struct rf_compare_count *count = &counted.count;
    struct rf_compare_result *result = &judgement->result;
    count->kind = kind;
    const bool is_of_ranges = kind == RF_COMPARE_RANGE || kind == RF_COMPARE_WORK;
    count->verdict = judge(c, per_step && is_of_ranges, &count->reason);
    if (count->verdict == RF_COMPARE_SAME) {
        result->n_counts_same++;
        return RF_OK;
    }
    result->n_counts += count->verdict != RF_COMPARE_CANNOT_TELL;
    result->n_counts_unclear += count->verdict == RF_COMPARE_CANNOT_TELL;
    count->is_per_step = per_step;
    count->a_min = c->side[0].min;
    count->a_max = c->side[0].max;
    count->b_min = c->side[1].min;
    count->b_max = c->side[1].max;
    counted.weight = weigh(c->from, row);
    if (rf_grow_array(&judgement->count, judgement->n_counts, &judgement->counts_room,
                      sizeof(counted)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    judgement->count[judgement->n_counts++] = counted;
    return RF_OK;
}

static int compare_counted(const void *a, const void *b)
{
    const struct rf_compare_counted *x = a, *y = b;
    const bool x_unclear = x->count.verdict == RF_COMPARE_CANNOT_TELL;
    const bool y_unclear = y->count.verdict == RF_COMPARE_CANNOT_TELL;
    if (x_unclear != y_unclear)
        return x_unclear ? 1 : -1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->count.kind != y->count.kind)
        return x->count.kind < y->count.kind ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Memory for the counts of a side. */
static bool make_side(struct side_counts *side, size_t n)
{
    side->of = malloc((n + 1) * sizeof(*side->of));
    side->log = malloc((n + 1) * sizeof(*side->log));
    return side->of != NULL && side->log != NULL;
}

int rf_compare_judge_counts(struct rf_compare_judgement *judgement,
                            const struct rf_compare_judging *from)
{
    struct counting c = {.from = from, .are_steps_equal = true};
    int status = RF_OK;
    for (int s = 0; s < 2; s++)
        if (!make_side(&c.side[s], from->runs->n))
            status = RF_ERR_NO_MEMORY;
    for (size_t r = 1; r < from->runs->n; r++)
        c.are_steps_equal &= from->rows->step[r].n == from->rows->step[0].n;
    judgement->result.n_common += from->rows->has_steps;
    for (size_t i = 0; i < from->rows->n && status == RF_OK; i++) {
        const struct rf_compare_row *row = &from->rows->row[i];
        const int kind = kind_of(from, row);
        judgement->result.n_common += kind >= 0 && is_common(from, row);
        if (kind >= 0)
            status = add_count(judgement, &c, row, kind);
        if (status == RF_OK && has_work(from, row))
            status = add_count(judgement, &c, row, RF_COMPARE_WORK);
    }
    if (judgement->n_counts > 0)
        qsort(judgement->count, judgement->n_counts, sizeof(*judgement->count), compare_counted);
    for (int s = 0; s < 2; s++) {
        free(c.side[s].of);
        free(c.side[s].log);
    }
    return status;
}
