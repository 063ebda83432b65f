/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work of a recording: what it hands out of them. */
#include <stdlib.h>

#include "model/private_access.h"
#include "model/recording.h"

const struct rf_call *rf_thread_calls(const rf_recording *rec, uint32_t thread, size_t *n)
{
    if (rec != NULL && !rec->hides_calls)
        return rf_recording_calls(rec, thread, n);
    if (n != NULL)
        *n = 0;
    return NULL;
}

const struct rf_call *rf_thread_call_at(const rf_recording *rec, uint32_t thread, size_t i)
{
    size_t n;
    const struct rf_call *call = rf_thread_calls(rec, thread, &n);
    return i < n ? &call[i] : NULL;
}

uint32_t rf_n_gpus(const rf_recording *rec)
{
    return rec != NULL ? rec->n_gpus : 0;
}

const struct rf_gpu *rf_gpu_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_gpus ? &rec->gpu[i] : NULL;
}

uint32_t rf_n_gpu_tracks(const rf_recording *rec)
{
    return rec != NULL ? rec->n_tracks : 0;
}

const struct rf_gpu_track *rf_gpu_track_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_tracks ? &rec->track[i] : NULL;
}

const struct rf_gpu_op *rf_gpu_ops(const rf_recording *rec, size_t *n)
{
    size_t n_ops = rec != NULL ? rec->n_ops : 0;
    if (n != NULL)
        *n = n_ops;
    return n_ops > 0 ? rec->op : NULL;
}

const struct rf_gpu_op *rf_gpu_op_at(const rf_recording *rec, size_t i)
{
    return rec != NULL && i < rec->n_ops ? &rec->op[i] : NULL;
}

static const void *detail_at(const rf_recording *rec, unsigned kind, uint32_t i, size_t size)
{
    if (rec == NULL || i >= rec->detail[kind].n)
        return NULL;
    return (const char *)rec->detail[kind].detail + i * size;
}

const struct rf_kernel *rf_kernel_at(const rf_recording *rec, uint32_t i)
{
    return detail_at(rec, RF_OP_KERNEL, i, sizeof(struct rf_kernel));
}

const struct rf_transfer *rf_transfer_at(const rf_recording *rec, uint32_t i)
{
    return detail_at(rec, RF_OP_MEMCPY, i, sizeof(struct rf_transfer));
}

const struct rf_wait *rf_wait_at(const rf_recording *rec, uint32_t i)
{
    return detail_at(rec, RF_OP_SYNC, i, sizeof(struct rf_wait));
}

const struct rf_graph_end *rf_graph_end_at(const rf_recording *rec, uint32_t i)
{
    return detail_at(rec, RF_OP_GRAPH, i, sizeof(struct rf_graph_end));
}

uint32_t rf_n_counters(const rf_recording *rec)
{
    return rec != NULL ? rec->n_counters : 0;
}

const struct rf_counter *rf_counter_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_counters ? &rec->counter[i] : NULL;
}

const struct rf_skipped *rf_skipped_at(const rf_recording *rec, uint32_t i)
{
    return rec != NULL && i < rec->n_skipped ? &rec->skipped[i] : NULL;
}
