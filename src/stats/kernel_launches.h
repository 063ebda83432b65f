/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and the calls that launched them. */
#ifndef RF_STATS_KERNEL_LAUNCHES_H
#define RF_STATS_KERNEL_LAUNCHES_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

struct rf_launch {
    const struct rf_gpu_op *kernel;
    const struct rf_call *call;
    const struct rf_thread *thread;
    uint32_t device;
    uint64_t call_ns, kernel_ns;
    uint64_t total_ns; /* from the call's start to the later of the two ends */
    bool is_queued;    /* the kernel began when the call had returned: queue_ns is from there */
    uint64_t queue_ns;
};

/* The launch of a kernel; false: op is other work, or its call is not known. */
bool rf_launch_of(const rf_recording *rec, const struct rf_gpu_op *op, struct rf_launch *out);

#endif
