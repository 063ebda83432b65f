/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and the GPU work that they caused, checked against each other, in the final order. */
#include "model/cuda/cuda_link.h"

#include <stdlib.h>

#include "model/arrays.h"
#include "model/cuda/cuda_notes.h"
#include "model/cuda/cuda_stream.h"
#include "model/gpu/call_index.h"
#include "model/gpu/counters.h"
#include "model/gpu/gpu_order.h"
#include "model/load/load.h"

/* ---- Calls ---- */

static int init_index(const rf_recording *rec, struct rf_call_index *index)
{
    uint64_t n_twice, n = 0; /* a call of the runtime and the driver's inside it can have one id */
    struct rf_indexed_calls *list = malloc(((size_t)rec->n_threads + 1) * sizeof(*list));
    if (list == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rec->n_threads; i++) {
        list[i] =
            (struct rf_indexed_calls){rec->calls[i].call, rec->calls[i].n, rec->thread[i].process};
        n += rec->calls[i].n;
    }
    int status = n < RF_NO_INDEX
                     ? rf_call_index_init(index, rec->n_processes, list, rec->n_threads, &n_twice)
                     : RF_ERR_NO_MEMORY;
    free(list);
    return status;
}

static void link_op(rf_recording *rec, const struct rf_call_index *index, struct rf_gpu_op *op)
{
    const uint8_t no_time = RF_TIME_NO_START | RF_TIME_NO_END;
    if (!rf_call_index_find(index, rec->track[op->track].process, op->correlation, &op->thread,
                            &op->call))
        return;
    const struct rf_call *call = &rec->calls[op->thread].call[op->call];
    if ((op->flags & no_time) == no_time)
        op->start_ns = op->end_ns = call->end_ns;
    else if (op->start_ns < call->start_ns && op->kind != RF_OP_SYNC)
        op->flags |= RF_TIME_BEFORE_CALL;
}

static void link_extra(const rf_recording *rec, const struct rf_call_index *index,
                       struct rf_extra *extra)
{
    uint32_t thread, call;
    if (extra->thread != RF_NO_INDEX || extra->correlation == 0 ||
        !rf_call_index_find(index, extra->process, extra->correlation, &thread, &call))
        return;
    extra->thread = thread;
    if (extra->kind == RF_EXTRA_CUDA_EVENT)
        extra->start_ns = rec->calls[thread].call[call].start_ns;
}

/* Among equals by kind, as an import has them. */
static int compare_extras(const void *left, const void *right)
{
    const struct rf_extra *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

/* ---- What was not right ---- */

static void note_flags(struct rf_load *load)
{
    const rf_recording *rec = load->rec;
    for (uint32_t t = 0; t < rec->n_threads; t++)
        for (size_t i = 0; i < rec->calls[t].n; i++)
            rf_cuda_note_call(load, rec->calls[t].call[i].flags);
    for (size_t i = 0; i < rec->n_ops; i++)
        rf_cuda_note_work(load, rec->op[i].flags);
}

/* ---- Everything ---- */

static int link_records(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_call_index index = {.ids = NULL};
    rf_op_details_move(&load->cuda.details, load->rec);
    int status = init_index(rec, &index);
    if (status == RF_OK) {
        for (size_t i = 0; i < rec->n_ops; i++)
            link_op(rec, &index, &rec->op[i]);
        for (size_t i = 0; i < rec->n_extras; i++)
            link_extra(rec, &index, &rec->extra[i]);
        status = rf_order_gpu_work(rec);
    }
    rf_call_index_release(&index);
    if (status == RF_OK) {
        rf_link_gpu_work(rec);
        note_flags(load);
    }
    return status;
}

int rf_load_cuda_link(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    const bool streams = load->cuda.stream != NULL;
    if (!load->cuda.has_records && !streams && load->log.n_metrics == 0 &&
        !rf_cuda_has_notes(load) && rec->n_counters == 0 && rec->n_extras == 0)
        return RF_OK;
    int status = load->cuda.has_records ? link_records(load)
                 : streams              ? rf_cuda_stream_link(load)
                                        : RF_OK;
    if (status == RF_OK)
        status = rf_cuda_list_notes(load);
    if (status == RF_OK)
        status = rf_sort_records(rec->extra, rec->n_extras, sizeof(*rec->extra), compare_extras);
    if (status == RF_OK && rec->n_extras + rec->n_counters > 0)
        status = rf_recording_finish_counters(rec);
    return status;
}
