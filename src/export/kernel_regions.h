/* SPDX-License-Identifier: Apache-2.0 */
/* Which push/pop ranges lie over each kernel, and from when to when the kernels of each range ran.
 *
 * A range covers the calls of its thread that lie wholly inside it, edges included. Ranges that
 * cross (those of two domains may) cover a call both, although neither encloses the other: so this
 * keeps lists of ranges, not one innermost range. The lists share their ends: a range that stays
 * open stands in them once, however many kernels are launched in it. */
#ifndef RF_EXPORT_KERNEL_REGIONS_H
#define RF_EXPORT_KERNEL_REGIONS_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

/* One range of a list, the latest first. */
struct rf_region {
    uint32_t event; /* of the calling thread */
    uint32_t below; /* the list that goes on: index into region, or RF_NO_INDEX */
};

/* start_ns > end_ns: no kernel. */
struct rf_region_bounds {
    int64_t start_ns, end_ns;
};

struct rf_kernel_regions {
    struct rf_region *region;
    uint32_t n_regions;
    size_t room;
    uint32_t *of_op;                  /* per piece of GPU work: its list, or RF_NO_INDEX */
    struct rf_region_bounds **bounds; /* per thread: per event; NULL: it launched no kernel */
    uint32_t n_threads;
};

/* Whether a push/pop range takes part. */
typedef bool rf_region_filter(void *context, const struct rf_event *event);

/* Harmless to release on failure, too. */
int rf_kernel_regions_init(struct rf_kernel_regions *regions, const rf_recording *rec,
                           rf_region_filter *filter, void *context, struct rf_err *err);
void rf_kernel_regions_release(struct rf_kernel_regions *regions);

#endif
