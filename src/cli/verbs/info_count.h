/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that take a walk over all events of a recording. */
#ifndef RF_CLI_VERBS_INFO_COUNT_H
#define RF_CLI_VERBS_INFO_COUNT_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

#define INFO_N_CUTS 16
#define INFO_N_OPS  256

struct info_counts {
    uint64_t *domain_events;    /* ranges and marks by domain index */
    uint64_t *process_events;   /* by process index */
    uint64_t cuts[INFO_N_CUTS]; /* ranges by enum rf_cut */
    int64_t last_ns;
    uint64_t n_cuda_calls;      /* of CUDA's runtime and driver */
    uint64_t n_os_calls;        /* of functions of the operating system */
    uint64_t n_ops[INFO_N_OPS]; /* GPU work by enum rf_gpu_op_kind */
};

int info_count(const rf_recording *rec, struct info_counts *counts, struct rf_err *err);
void info_counts_release(struct info_counts *counts);

#endif
