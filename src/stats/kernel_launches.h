/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and the calls that launched them. */
#ifndef RF_STATS_KERNEL_LAUNCHES_H
#define RF_STATS_KERNEL_LAUNCHES_H

#include <stdbool.h>

#include "model/sums/launch_sums.h"
#include "rangefinder/rangefinder.h"

struct rf_launch {
    const struct rf_gpu_op *kernel;
    const struct rf_call *call;
    const struct rf_thread *thread;
    uint32_t device;
    struct rf_launch_times times;
};

/* The launch of a kernel; false: op is other work, or its call is not known. */
bool rf_launch_of(const rf_recording *rec, const struct rf_gpu_op *op, struct rf_launch *out);

#endif
