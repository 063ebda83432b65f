/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_carrier.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/compare/compare_rows.h"
#include "summary/summary_data.h"

#define CARRIES    60  /* percent of what something takes longer */
#define OF_PERCENT 1e3 /* digits that are kept */

struct carrying {
    struct rf_compare_judgement *judgement;
    const struct rf_compare_judging *from;
    double *value; /* as many as runs */
};

/* ---- How much longer something takes ---- */

struct both_sides {
    double a_ns, b_ns;
};

/* A part's time in a typical one of what is slower. Shares of sums would not do: a rare long one is
 * in them, but not in the median by which something is slower. */
static struct both_sides typical_times(const struct carrying *c,
                                       const struct rf_compare_judged *part,
                                       const struct rf_compare_judged *slower)
{
    const struct rf_compare_runs *runs = c->from->runs;
    double middle[2];
    for (int side = 0; side < 2; side++) {
        size_t n = 0;
        for (size_t r = 0; r < runs->n; r++)
            if (runs->run[r].side == side && slower->value[r].n > 0)
                c->value[n++] = part->value[r].n > 0 ? rf_compare_typical_time(part->value[r].row,
                                                                               slower->value[r].n)
                                                     : 0;
        middle[side] = rf_compare_middle(c->value, n);
    }
    return (struct both_sides){middle[0], middle[1]};
}

/* Of whole runs, of which there is one each, sums are what they take longer. */
static struct both_sides times_in_run(const struct rf_compare_judged *part,
                                      const struct rf_compare_judged *run)
{
    return (struct both_sides){part->time.share_a / 100 * run->time.a_ns,
                               part->time.share_b / 100 * run->time.b_ns};
}

/* A part of which one takes the same may carry what is slower only if there are more of them. */
static bool is_the_same(const struct rf_compare_judged *part, const struct both_sides *times,
                        double effect)
{
    return part->time.verdict == RF_COMPARE_SAME && times->b_ns <= times->a_ns * (1 + effect);
}

/* How much longer a part takes, in percent of what something takes longer in all. */
static double carried_by(const struct carrying *c, const struct rf_compare_judged *part,
                         const struct rf_compare_judged *slower)
{
    const double all = slower->time.b_ns - slower->time.a_ns;
    const struct both_sides times = slower->time.kind == RF_COMPARE_RUN
                                        ? times_in_run(part, slower)
                                        : typical_times(c, part, slower);
    if (all <= 0 || is_the_same(part, &times, c->from->effect))
        return 0;
    return 100 * (times.b_ns - times.a_ns) / all;
}

/* ---- Which range has most of it ---- */

static size_t level_of(const struct rf_compare_items *items, uint32_t item)
{
    size_t level = 0;
    for (uint32_t i = item; i != RF_NO_INDEX; i = items->item[i].parent)
        level++;
    return level;
}

/* Whether a range is part of another one, of the steps, or of the runs. */
static bool is_within(const struct rf_compare_items *items, const struct rf_compare_judged *inner,
                      const struct rf_compare_judged *outer)
{
    if (inner->item == RF_NO_INDEX || inner->time.kind != RF_COMPARE_RANGE || inner == outer)
        return false;
    if (outer->time.kind == RF_COMPARE_RUN)
        return true;
    if (outer->item == RF_NO_INDEX)
        return items->item[inner->item].is_in_step && !items->item[inner->item].is_step;
    if (outer->time.kind != RF_COMPARE_RANGE)
        return false;
    uint32_t i = items->item[inner->item].parent;
    while (i != RF_NO_INDEX && i != outer->item)
        i = items->item[i].parent;
    return i != RF_NO_INDEX;
}

static void find_carrier(const struct carrying *c, struct rf_compare_judged *slower)
{
    const struct rf_compare_items *items = c->from->items;
    size_t deepest = 0;
    for (size_t i = 0; i < c->judgement->n_times; i++) {
        const struct rf_compare_judged *part = &c->judgement->time[i];
        if (!is_within(items, part, slower))
            continue;
        const double carried = carried_by(c, part, slower);
        const size_t level = level_of(items, part->item);
        const bool is_more = level == deepest && carried > slower->time.carried;
        if (carried < CARRIES || !(level > deepest || is_more))
            continue;
        deepest = level;
        slower->carrier = part;
        slower->time.carried = round(carried * OF_PERCENT) / OF_PERCENT;
    }
}

int rf_compare_find_carriers(struct rf_compare_judgement *judgement,
                             const struct rf_compare_judging *from)
{
    struct carrying c = {judgement, from, malloc((from->runs->n + 1) * sizeof(*c.value))};
    if (c.value == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < judgement->n_times; i++) {
        struct rf_compare_judged *slower = &judgement->time[i];
        if (slower->time.verdict != RF_COMPARE_SLOWER)
            continue;
        if (slower->time.kind != RF_COMPARE_MEAN)
            find_carrier(&c, slower);
        for (size_t k = 0; k < judgement->n_times && !slower->time.is_part; k++)
            slower->time.is_part = judgement->time[k].time.verdict == RF_COMPARE_SLOWER &&
                                   is_within(from->items, slower, &judgement->time[k]);
    }
    free(c.value);
    return RF_OK;
}
