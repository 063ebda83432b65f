/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that a range may cover, by start: those of its thread, or, for a range that ended on
 * another thread, those of its process. Prefix sums tell how many pieces of work a part of a list
 * caused, and thus the cost of visiting each. */
#ifndef RF_STATS_COVERED_CALLS_H
#define RF_STATS_COVERED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_call_list {
    const struct rf_call *call;         /* of a thread; else NULL, and */
    const struct rf_call *const *order; /* those of all threads */
    uint64_t *n_before; /* per call, and one behind: what the calls before it caused; at least 1 for
                         * each of them */
    size_t n;
};

struct rf_covered_calls {
    struct rf_call_list *of_thread;
    struct rf_call_list *of_process; /* NULL: not asked for */
    const struct rf_call **order;
    uint64_t *n_before;
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_covered_calls_init(struct rf_covered_calls *calls, const rf_recording *rec, bool by_process);
void rf_covered_calls_release(struct rf_covered_calls *calls);

/* The list for the range of a projection. */
const struct rf_call_list *rf_covered_calls_of(const struct rf_covered_calls *calls,
                                               const rf_recording *rec,
                                               const struct rf_projection *projection);

const struct rf_call *rf_call_list_at(const struct rf_call_list *list, size_t i);

/* The calls that start within a range: from *first to before *end. They may end behind it. */
void rf_call_list_find(const struct rf_call_list *list, const struct rf_event *range, size_t *first,
                       size_t *end);

#endif
