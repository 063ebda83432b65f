/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of one thread, given in the order of their records: those that are open, and those that
 * ended last. Which of them is the innermost one around a call is answered for calls that come in
 * about the order of their ends, as rf_call_owner() has it (docs/projection.md), where ranges nest.
 * Otherwise is_uncertain: all ranges have to be in memory. */
#ifndef RF_MODEL_CUDA_RANGE_STACK_H
#define RF_MODEL_CUDA_RANGE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many ranges that ended are held. */
#define RF_ENDED_RANGES 2048u /* a power of two */

struct rf_open_range {
    int64_t start_ns;
    uint64_t number; /* of the range in its thread */
    uint32_t tag;    /* the caller's */
};

struct rf_ended_range {
    struct rf_open_range range;
    int64_t end_ns;
};

/* All zero: no range has come. */
struct rf_range_stack {
    struct rf_open_range *open; /* from the outermost to the innermost */
    size_t n_open, room;
    struct rf_ended_range *ended; /* by end; their places are modulo RF_ENDED_RANGES */
    uint64_t n_ended;             /* in all */
    uint64_t n_ranges;
    int64_t last_start_ns, last_end_ns; /* of those that came; likewise the next */
    int64_t last_empty_ns;              /* where a range without a duration was */
    bool has_ended, has_empty;
    bool is_uncertain; /* sticky */
};

/* A range begins. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_range_stack_push(struct rf_range_stack *s, int64_t start_ns, uint32_t tag);

/* The tag of the innermost range that is open; RF_NO_INDEX: none is. */
uint32_t rf_range_stack_top(const struct rf_range_stack *s);

/* The innermost one ends, if there is one. */
void rf_range_stack_pop(struct rf_range_stack *s, int64_t end_ns);

/* The tag of the innermost range around a call; RF_NO_INDEX: none is. All that begins or ends up to
 * the end of the call has come. */
uint32_t rf_range_stack_find(struct rf_range_stack *s, int64_t start_ns, int64_t end_ns);

void rf_range_stack_release(struct rf_range_stack *s);

#endif
