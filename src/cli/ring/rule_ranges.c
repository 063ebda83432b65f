/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rule_ranges.h"

#include <stdlib.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define MOST_DEPTH 4096u

/* ---- Stacks ---- */

static struct rule_stack *find_stack(struct rule_ranges *ranges, uint64_t domain)
{
    for (size_t i = 0; i < ranges->n_stacks; i++)
        if (ranges->stack[i].domain == domain)
            return &ranges->stack[i];
    return NULL;
}

static struct rule_stack *make_stack(struct rule_ranges *ranges, uint64_t domain)
{
    if (rf_grow_array(&ranges->stack, ranges->n_stacks, &ranges->stack_room,
                      sizeof(*ranges->stack)) != RF_OK)
        return NULL;
    ranges->stack[ranges->n_stacks] = (struct rule_stack){.domain = domain};
    return &ranges->stack[ranges->n_stacks++];
}

void rule_ranges_push(struct rule_ranges *ranges, uint64_t domain, const struct rule_range *range)
{
    struct rule_stack *stack = find_stack(ranges, domain);
    if (stack == NULL)
        stack = make_stack(ranges, domain);
    if (stack != NULL && stack->n_deeper == 0 && stack->n < MOST_DEPTH &&
        rf_grow_array(&stack->range, stack->n, &stack->room, sizeof(*range)) == RF_OK)
        stack->range[stack->n++] = *range;
    else if (stack != NULL)
        stack->n_deeper++;
}

bool rule_ranges_pop(struct rule_ranges *ranges, uint64_t domain, struct rule_range *range)
{
    struct rule_stack *stack = find_stack(ranges, domain);
    if (stack == NULL)
        return false;
    if (stack->n_deeper > 0) {
        stack->n_deeper--;
        return false;
    }
    if (stack->n == 0)
        return false;
    *range = stack->range[--stack->n];
    return true;
}

void rule_ranges_clear_stacks(struct rule_ranges *ranges)
{
    for (size_t i = 0; i < ranges->n_stacks; i++) {
        ranges->stack[i].n = 0;
        ranges->stack[i].n_deeper = 0;
    }
    ranges->depth = 0;
}

/* ---- Started ranges ---- */

/* Leaves out those that have ended. */
static void compact(struct rule_ranges *ranges)
{
    size_t n = 0;
    for (size_t i = 0; i < ranges->n_started; i++)
        if (ranges->started[i].range.rules != 0)
            ranges->started[n++] = ranges->started[i];
    ranges->n_started = n;
}

void rule_ranges_start(struct rule_ranges *ranges, uint64_t counter, const struct rule_range *range)
{
    if (ranges->n_started == ranges->started_room && ranges->n_started > 2 * ranges->n_live)
        compact(ranges);
    if (rf_grow_array(&ranges->started, ranges->n_started, &ranges->started_room,
                      sizeof(*ranges->started)) != RF_OK)
        return;
    ranges->started[ranges->n_started++] = (struct rule_started){counter, *range};
    ranges->n_live++;
}

bool rule_ranges_end(struct rule_ranges *ranges, uint64_t counter, struct rule_range *range)
{
    size_t low = 0, high = ranges->n_started;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges->started[middle].counter < counter)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == ranges->n_started || ranges->started[low].counter != counter ||
        ranges->started[low].range.rules == 0)
        return false;
    *range = ranges->started[low].range;
    ranges->started[low].range.rules = 0;
    ranges->n_live--;
    while (ranges->n_started > 0 && ranges->started[ranges->n_started - 1].range.rules == 0)
        ranges->n_started--;
    return true;
}

/* ---- All ---- */

void rule_ranges_each(struct rule_ranges *ranges,
                      void (*look)(void *context, struct rule_range *range), void *context)
{
    for (size_t i = 0; i < ranges->n_stacks; i++)
        for (size_t k = 0; k < ranges->stack[i].n; k++)
            look(context, &ranges->stack[i].range[k]);
    for (size_t i = 0; i < ranges->n_started; i++)
        if (ranges->started[i].range.rules != 0)
            look(context, &ranges->started[i].range);
}

void rule_ranges_release(struct rule_ranges *ranges)
{
    for (size_t i = 0; i < ranges->n_stacks; i++)
        free(ranges->stack[i].range);
    free(ranges->stack);
    free(ranges->started);
    *ranges = (struct rule_ranges){.n_stacks = 0};
}
