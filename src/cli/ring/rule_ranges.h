/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of a stream that are open, as far as rules need them: pushes on stacks, by domain; started
 * ranges by their number. */
#ifndef RF_CLI_RING_RULE_RANGES_H
#define RF_CLI_RING_RULE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range that has begun. */
struct rule_range {
    uint64_t ticks;
    uint64_t name;  /* hash of domain and message */
    uint32_t rules; /* that are about it: a bit each; of a started range 0: it has ended */
    uint32_t done;  /* those that need not look at it again while it is open */
};

struct rule_stack {
    uint64_t domain; /* handle */
    struct rule_range *range;
    size_t n, room;
    uint64_t n_deeper; /* beyond what is kept */
};

struct rule_started {
    uint64_t counter; /* its number in the stream */
    struct rule_range range;
};

/* All zero: none is open. */
struct rule_ranges {
    struct rule_stack *stack;
    size_t n_stacks, stack_room;
    struct rule_started *started; /* by counter */
    size_t n_started, started_room, n_live;
    int64_t depth; /* pushes less pops, of all domains, where somebody counts them */
};

/* Without memory for it a range is left out. */
void rule_ranges_push(struct rule_ranges *ranges, uint64_t domain, const struct rule_range *range);
void rule_ranges_start(struct rule_ranges *ranges, uint64_t counter,
                       const struct rule_range *range);

/* What a pop, or an END of this number, ends. Returns false where no such range is kept. */
bool rule_ranges_pop(struct rule_ranges *ranges, uint64_t domain, struct rule_range *range);
bool rule_ranges_end(struct rule_ranges *ranges, uint64_t counter, struct rule_range *range);

/* Calls a function for each range that is open. */
void rule_ranges_each(struct rule_ranges *ranges,
                      void (*look)(void *context, struct rule_range *range), void *context);

/* Nothing is pushed any more: the thread has ended, or records are missing. */
void rule_ranges_clear_stacks(struct rule_ranges *ranges);

void rule_ranges_release(struct rule_ranges *ranges);

#endif
