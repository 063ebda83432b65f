/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU work of ranges adds up to, where neither ranges nor work are kept: by thread and
 * name of range the projections of its ranges, and by kernel the kernels inside them. Figures are
 * as exact as those of what is kept. */
#ifndef RF_MODEL_SUMS_PROJECTED_SUMS_H
#define RF_MODEL_SUMS_PROJECTED_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/folded_strings.h"
#include "model/sums/value_counts.h"
#include "model/sums/work_sums.h"
#include "rangefinder/rangefinder.h"

/* In a kind: ranges that another thread ended, of which the calls of all threads of the process
 * count.
 */
#define RF_RANGES_BY_PROCESS 256u

/* Ranges of a thread that are alike. */
struct rf_projected_ranges {
    uint32_t thread, domain, name; /* indices and string; of kernels under no range without them */
    uint32_t kind;                 /* enum rf_event_kind, RF_RANGES_BY_PROCESS; 0: under no range */
    struct rf_value_counts ns;     /* projected durations */
    uint64_t range_ns, n_calls;    /* sums of their durations and of their calls with work */
    uint64_t n_levels, n_children; /* sums: of the ranges with work around and directly inside */
    uint64_t last_kernel; /* while they are read: the number of the one that was added last */
};

/* The kernels of one name under them. */
struct rf_projected_kernel {
    uint32_t ranges; /* index */
    uint32_t label;  /* string */
    struct rf_value_counts ns;
    uint64_t n_ranges;  /* that have such kernels */
    uint64_t n_kernels; /* under several of the ranges at once: one */
};

struct rf_projected_sums {
    struct rf_projected_ranges *ranges;
    struct rf_projected_kernel *kernel;
    uint32_t n_ranges, n_kernels;
    size_t ranges_room, kernel_room;
    struct rf_map ranges_of;         /* of (thread, domain, name, kind) */
    struct rf_map kernel_of;         /* of (ranges, label) */
    struct rf_coverage all, kernels; /* of all work, and of kernels alone */
    uint64_t n_left_out;             /* ranges that ended on another thread */
    bool has_no_kernels;             /* they were not asked for, or would have been too many */
    bool by_process;                 /* those are not left out */
    bool folds_numbers;              /* names that differ by numbers alone are one */
    enum rf_kernel_naming naming;    /* of kernels */
    struct rf_folded_strings folded; /* where numbers are folded, while they are read */
};

void rf_projected_sums_init(struct rf_projected_sums *sums, enum rf_kernel_naming naming,
                            bool folds_numbers);

/* The index of ranges, or of kernels, of new ones if need be; RF_NO_INDEX: out of memory. */
uint32_t rf_projected_sums_ranges(struct rf_projected_sums *sums, uint32_t thread, uint32_t domain,
                                  uint32_t name, uint32_t kind);
uint32_t rf_projected_sums_kernel(struct rf_projected_sums *sums, uint32_t ranges, uint32_t label);

/* Forgets all kernels. */
void rf_projected_sums_leave_kernels(struct rf_projected_sums *sums);

/* Frees all. */
void rf_projected_sums_release(struct rf_projected_sums *sums);

#endif
