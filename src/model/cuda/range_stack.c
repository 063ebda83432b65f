/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/range_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

void rf_range_stack_release(struct rf_range_stack *s)
{
    free(s->open);
    free(s->ended);
    memset(s, 0, sizeof(*s));
}

int rf_range_stack_push(struct rf_range_stack *s, int64_t start_ns, uint32_t tag)
{
    if (s->ended == NULL)
        s->ended = malloc(RF_ENDED_RANGES * sizeof(*s->ended));
    if (s->ended == NULL ||
        rf_grow_array(&s->open, s->n_open, &s->room, sizeof(*s->open)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    /* what begins where a range without a duration ended may be around it */
    s->is_uncertain |= (s->n_ranges > 0 && start_ns < s->last_start_ns) ||
                       (s->has_ended && start_ns < s->last_end_ns) ||
                       (s->has_empty && start_ns == s->last_empty_ns);
    s->last_start_ns = start_ns;
    s->open[s->n_open++] = (struct rf_open_range){start_ns, s->n_ranges++, tag};
    return RF_OK;
}

uint32_t rf_range_stack_top(const struct rf_range_stack *s)
{
    return s->n_open > 0 ? s->open[s->n_open - 1].tag : RF_NO_INDEX;
}

void rf_range_stack_pop(struct rf_range_stack *s, int64_t end_ns)
{
    if (s->n_open == 0)
        return;
    const struct rf_open_range *range = &s->open[--s->n_open];
    s->is_uncertain |= end_ns < s->last_start_ns || (s->has_ended && end_ns < s->last_end_ns);
    if (range->start_ns == end_ns) { /* it may lie in what ended there, too */
        s->is_uncertain |= s->has_ended && s->last_end_ns == end_ns;
        s->has_empty = true;
        s->last_empty_ns = end_ns;
    }
    s->has_ended = true;
    s->last_end_ns = end_ns;
    s->ended[s->n_ended++ & (RF_ENDED_RANGES - 1)] = (struct rf_ended_range){*range, end_ns};
}

/* Of two ranges around a call, whether a is the one inside: the shorter one, of equals the one that
 * starts last, of identical ones the last. */
static bool is_inside(const struct rf_ended_range *a, const struct rf_ended_range *b)
{
    const uint64_t x = (uint64_t)a->end_ns - (uint64_t)a->range.start_ns;
    const uint64_t y = (uint64_t)b->end_ns - (uint64_t)b->range.start_ns;
    if (x != y)
        return x < y;
    return a->range.start_ns != b->range.start_ns ? a->range.start_ns > b->range.start_ns
                                                  : a->range.number > b->range.number;
}

/* Among those that ended; NULL: none. */
static const struct rf_ended_range *find_ended(struct rf_range_stack *s, int64_t start_ns,
                                               int64_t end_ns)
{
    const struct rf_ended_range *found = NULL;
    const uint64_t first = s->n_ended > RF_ENDED_RANGES ? s->n_ended - RF_ENDED_RANGES : 0;
    uint64_t i = s->n_ended;
    while (i > first) {
        const struct rf_ended_range *ended = &s->ended[--i & (RF_ENDED_RANGES - 1)];
        if (ended->end_ns < end_ns)
            return found;
        if (ended->range.start_ns <= start_ns && (found == NULL || is_inside(ended, found)))
            found = ended;
    }
    s->is_uncertain |= first > 0; /* it may be one that is not held any more */
    return found;
}

uint32_t rf_range_stack_find(struct rf_range_stack *s, int64_t start_ns, int64_t end_ns)
{
    const struct rf_ended_range *ended = find_ended(s, start_ns, end_ns);
    size_t i = s->n_open;
    while (i > 0 && s->open[i - 1].start_ns > start_ns)
        i--;
    if (ended == NULL)
        return i > 0 ? s->open[i - 1].tag : RF_NO_INDEX;
    s->is_uncertain |= i > 0 && s->open[i - 1].number > ended->range.number; /* it is in both */
    return ended->range.tag;
}
