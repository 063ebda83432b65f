/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends, by time, of the ranges of a thread that are in memory: what its records do not
 * have in that order (several streams, times of their own), or what the ranges of a capture are not
 * in them. */
#ifndef RF_MODEL_CUDA_KEPT_RANGES_H
#define RF_MODEL_CUDA_KEPT_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "rangefinder/rangefinder.h"

/* All zero: of no events. */
struct rf_kept_ranges {
    const struct rf_event *event; /* by start; those around others first */
    size_t n, next;
    struct rf_heap open; /* by end; of those that end together the last one to begin first */
    size_t room;
};

enum rf_kept_step { RF_KEPT_NONE, RF_KEPT_BEGIN, RF_KEPT_END };

/* Of what comes up to a time the next: an event that begins, of any kind, or a range that ends,
 * whose node is then *node. */
enum rf_kept_step rf_kept_ranges_next(struct rf_kept_ranges *k, int64_t until_ns,
                                      const struct rf_event **event, uint32_t *node);

/* The event that began is a range, of this node. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_kept_ranges_began(struct rf_kept_ranges *k, const struct rf_event *event, uint32_t node);

void rf_kept_ranges_release(struct rf_kept_ranges *k);

#endif
