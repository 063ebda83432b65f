/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels under ranges that are alike, where far more pairs of a kernel and a range around it
 * would have to be visited than there are kernels: how many of the ranges lie around each call is
 * counted, and not which. Takes time that grows with ranges and calls, times the logarithm of the
 * ranges, and memory that grows with the ranges and the different durations. */
#ifndef RF_STATS_COUNTED_KERNELS_H
#define RF_STATS_COUNTED_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/covered_calls.h"
#include "stats/group_by.h"

/* What the first of sums[] of a group of kernels under ranges hold. */
enum rf_kernel_sum { RF_SUM_RANGES, RF_SUM_KERNELS };

struct rf_kernel_list; /* the kernels of one name, while they are counted */

struct rf_counted_kernels {
    const rf_recording *rec;
    const struct rf_covered_calls *calls;
    struct rf_group_by *groups; /* each complete when the next ranges are counted */
    uint8_t *is_covered;        /* per piece of work: set for those of ranges of a whole process */
    uint64_t n_steps, max_steps;
    bool has_too_many_steps; /* sticky: nothing is complete then */

    /* The group of a kernel under a range. NULL: out of memory. */
    struct rf_group *(*group_of)(void *context, const struct rf_gpu_op *op,
                                 const struct rf_projection *projection);
    void *context;

    /* ours */
    struct rf_kernel_list *list;
    size_t list_room;
};

/* Adds the steps that rf_count_kernels() of the same ranges takes at most, but for ends of calls
 * that are out of order. */
void rf_estimate_kernels(struct rf_counted_kernels *k, const struct rf_projection *const *range,
                         size_t n);

/* Takes n ranges that are alike, by their start: of one thread, and each or none of the whole
 * process. false: out of memory. */
bool rf_count_kernels(struct rf_counted_kernels *k, const struct rf_projection *const *range,
                      size_t n);

void rf_counted_kernels_release(struct rf_counted_kernels *k);

#endif
