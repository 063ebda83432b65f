/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/kernel_launches.h"

bool rf_launch_of(const rf_recording *rec, const struct rf_gpu_op *op, struct rf_launch *out)
{
    size_t n = 0;
    if (op->kind != RF_OP_KERNEL || op->thread == RF_NO_INDEX || op->call == RF_NO_INDEX)
        return false;
    const struct rf_call *calls = rf_thread_calls(rec, op->thread, &n);
    if (op->call >= n)
        return false;
    const struct rf_call *call = &calls[op->call];
    *out = (struct rf_launch){
        .kernel = op,
        .call = call,
        .thread = rf_thread_at(rec, op->thread),
        .device = rf_gpu_track_at(rec, op->track)->device,
        .times = rf_launch_times(call->start_ns, call->end_ns, op->start_ns, op->end_ns),
    };
    return true;
}
