/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_carrier.h"

#include <math.h>

#include "summary/summary_data.h"

#define CARRIES    60  /* percent of what something takes longer */
#define OF_PERCENT 1e3 /* digits that are kept */

struct scale {
    double a_ns, b_ns; /* of a step, or of a run: what shares are parts of */
};

static struct scale scale_of(const struct rf_compare_judgement *judgement)
{
    for (size_t i = 0; i < judgement->n_times; i++) {
        const struct rf_compare_time *time = &judgement->time[i].time;
        if (time->kind == RF_COMPARE_STEP || time->kind == RF_COMPARE_RUN)
            return (struct scale){time->a_ns, time->b_ns};
    }
    return (struct scale){0, 0};
}

/* How much longer it takes per step, all that there is of it in a step. */
static double excess_of(const struct rf_compare_time *time, const struct scale *scale)
{
    return time->share_b / 100 * scale->b_ns - time->share_a / 100 * scale->a_ns;
}

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

static void find_carrier(struct rf_compare_judgement *judgement,
                         const struct rf_compare_items *items, struct rf_compare_judged *slower,
                         const struct scale *scale)
{
    const double all = excess_of(&slower->time, scale);
    size_t deepest = 0;
    for (size_t i = 0; i < judgement->n_times && all > 0; i++) {
        const struct rf_compare_judged *part = &judgement->time[i];
        if (!is_within(items, part, slower))
            continue;
        const double carried = 100 * excess_of(&part->time, scale) / all;
        const size_t level = level_of(items, part->item);
        const bool is_more = level == deepest && carried > slower->time.carried;
        if (carried < CARRIES || !(level > deepest || is_more))
            continue;
        deepest = level;
        slower->carrier = part;
        slower->time.carried = round(carried * OF_PERCENT) / OF_PERCENT;
    }
}

void rf_compare_find_carriers(struct rf_compare_judgement *judgement,
                              const struct rf_compare_items *items)
{
    const struct scale scale = scale_of(judgement);
    for (size_t i = 0; i < judgement->n_times; i++) {
        struct rf_compare_judged *slower = &judgement->time[i];
        if (slower->time.verdict != RF_COMPARE_SLOWER)
            continue;
        if (slower->time.kind != RF_COMPARE_MEAN)
            find_carrier(judgement, items, slower, &scale);
        for (size_t k = 0; k < judgement->n_times && !slower->time.is_part; k++)
            slower->time.is_part = judgement->time[k].time.verdict == RF_COMPARE_SLOWER &&
                                   is_within(items, slower, &judgement->time[k]);
    }
}
