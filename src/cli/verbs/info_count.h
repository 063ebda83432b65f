/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that take a walk over the calls and the GPU work of a recording. */
#ifndef RF_CLI_VERBS_INFO_COUNT_H
#define RF_CLI_VERBS_INFO_COUNT_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

#define INFO_N_OPS 256

struct info_counts {
    uint64_t n_cuda_calls;      /* of CUDA's runtime and driver */
    uint64_t n_os_calls;        /* of functions of the operating system */
    uint64_t n_ops[INFO_N_OPS]; /* GPU work by enum rf_gpu_op_kind */
};

void info_count(const rf_recording *rec, struct info_counts *counts);

#endif
