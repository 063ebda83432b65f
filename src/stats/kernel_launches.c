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
    int64_t end_ns = op->end_ns > call->end_ns ? op->end_ns : call->end_ns;
    *out = (struct rf_launch){
        .kernel = op,
        .call = call,
        .thread = rf_thread_at(rec, op->thread),
        .device = rf_gpu_track_at(rec, op->track)->device,
        .call_ns = (uint64_t)call->end_ns - (uint64_t)call->start_ns,
        .kernel_ns = (uint64_t)op->end_ns - (uint64_t)op->start_ns,
        .total_ns = end_ns > call->start_ns ? (uint64_t)end_ns - (uint64_t)call->start_ns : 0,
        .is_queued = op->start_ns >= call->end_ns,
    };
    if (out->is_queued)
        out->queue_ns = (uint64_t)op->start_ns - (uint64_t)call->end_ns;
    return true;
}
