/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and the GPU work that they caused, checked against each other, in the final order. */
#include "model/cuda/cuda_link.h"

#include <stdlib.h>

#include "model/arrays.h"
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
    if (extra->thread != RF_NO_INDEX ||
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

static const char *const notes[RF_N_NOTES][2] = {
    [RF_NOTE_CALL_TIME] = {"CUDA calls", "no start or no end: taken as empty"},
    [RF_NOTE_CALL_ORDER] = {"CUDA calls", "ends before it starts: taken as empty"},
    [RF_NOTE_NO_TIME] = {"GPU work", "no times: shown where its call ends"},
    [RF_NOTE_NO_START] = {"GPU work", "no start: taken as empty"},
    [RF_NOTE_NO_END] = {"GPU work", "no end: taken as empty"},
    [RF_NOTE_ORDER] = {"GPU work", "ends before it starts: taken as empty"},
    [RF_NOTE_BEFORE_CALL] = {"GPU work", "begins before its call: shown as it is"},
    [RF_NOTE_NO_NAME] = {"CUDA names", "not defined: shown as a number"},
    [RF_NOTE_NO_CLOCK] = {"CUDA times", "process without clock pairs: taken as CLOCK_REALTIME"},
    [RF_NOTE_SHORT] = {"CUDA records", "too short: left out"},
    [RF_NOTE_UNKNOWN] = {"CUDA records", "of a kind that this version does not know: left out"},
    [RF_NOTE_METRICS_LOST] = {"GPU metrics",
                              "samples are missing: the hardware buffer was full, or they came "
                              "too fast"},
    [RF_NOTE_METRICS_BAD] = {"GPU metrics", "not what a sampler writes: left out"},
    [RF_NOTE_METRICS_NO_NUMBER] = {"GPU metrics", "values that are no numbers: left out"},
    [RF_NOTE_COUNTER_UNKNOWN] = {"NVTX counters",
                                 "samples of a counter that was not registered: left out"},
    [RF_NOTE_COUNTER_SCHEMA] = {"NVTX counters",
                                "samples that the counter's schema does not describe: left out"},
    [RF_NOTE_COUNTER_SIZE] = {"NVTX counters",
                              "samples that are not whole: as many as are whole are shown"},
    [RF_NOTE_COUNTER_PLACED] = {"NVTX counters",
                                "samples without a time, or with one of an unknown clock: shown "
                                "where they were recorded"},
    [RF_NOTE_EVENT_LEFT_OUT] = {"NVTX events",
                                "deferred events without payloads, and batches whose schema is "
                                "not known: left out"},
    [RF_NOTE_EVENT_SIZE] = {"NVTX events",
                            "batches that are not whole: the events that are whole are shown"},
    [RF_NOTE_EVENT_PLACED] = {"NVTX events",
                              "deferred events without a time, or with one of an unknown clock: "
                              "shown where they were submitted"},
    [RF_NOTE_EVENT_OUTSIDE] = {"NVTX events",
                               "submitted in a capture, with a time outside of it: left out"},
    [RF_NOTE_COUNTER_OUTSIDE] = {"NVTX counters",
                                 "samples of batches that were submitted in a capture, with a "
                                 "time outside of it: left out"},
    [RF_NOTE_EVENT_FAR] = {"NVTX events",
                           "a time of its own far outside of the recording: shown where it was "
                           "called or submitted"},
    [RF_NOTE_COUNTER_FAR] = {"NVTX counters",
                             "samples with a time far outside of the recording: shown where they "
                             "were recorded"},
};

static void note_op(struct rf_cuda_load *cuda, uint8_t flags)
{
    const uint8_t no_time = RF_TIME_NO_START | RF_TIME_NO_END;
    if ((flags & no_time) == no_time)
        cuda->n_notes[RF_NOTE_NO_TIME]++;
    else if (flags & RF_TIME_NO_START)
        cuda->n_notes[RF_NOTE_NO_START]++;
    else if (flags & RF_TIME_NO_END)
        cuda->n_notes[RF_NOTE_NO_END]++;
    else if (flags & RF_TIME_CLAMPED)
        cuda->n_notes[RF_NOTE_ORDER]++;
    if (flags & RF_TIME_BEFORE_CALL)
        cuda->n_notes[RF_NOTE_BEFORE_CALL]++;
}

static void note_flags(struct rf_load *load)
{
    struct rf_cuda_load *cuda = &load->cuda;
    rf_recording *rec = load->rec;
    for (uint32_t t = 0; t < rec->n_threads; t++) {
        for (size_t i = 0; i < rec->calls[t].n; i++) {
            uint8_t flags = rec->calls[t].call[i].flags;
            rec->info.n_bad_times += flags != 0;
            cuda->n_notes[RF_NOTE_CALL_TIME] += (flags & (RF_TIME_NO_START | RF_TIME_NO_END)) != 0;
            cuda->n_notes[RF_NOTE_CALL_ORDER] += (flags & RF_TIME_CLAMPED) != 0;
        }
    }
    for (size_t i = 0; i < rec->n_ops; i++) {
        rec->info.n_bad_times += rec->op[i].flags != 0;
        if (rec->op[i].flags != 0)
            note_op(cuda, rec->op[i].flags);
    }
}

static int list_notes(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    load->cuda.n_notes[RF_NOTE_NO_NAME] += load->cuda.names.n_undefined;
    rec->skipped = calloc(RF_N_NOTES, sizeof(*rec->skipped));
    if (rec->skipped == NULL)
        return RF_ERR_NO_MEMORY;
    for (int i = 0; i < RF_N_NOTES; i++)
        if (load->cuda.n_notes[i] > 0)
            rec->skipped[rec->n_skipped++] =
                (struct rf_skipped){notes[i][0], notes[i][1], load->cuda.n_notes[i]};
    return RF_OK;
}

static bool has_notes(const struct rf_load *load)
{
    for (int i = 0; i < RF_N_NOTES; i++)
        if (load->cuda.n_notes[i] > 0)
            return true;
    return false;
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
    if (!load->cuda.has_records && load->log.n_metrics == 0 && !has_notes(load) &&
        rec->n_counters == 0)
        return RF_OK;
    int status = load->cuda.has_records ? link_records(load) : RF_OK;
    if (status == RF_OK)
        status = list_notes(load);
    if (status == RF_OK)
        status = rf_sort_records(rec->extra, rec->n_extras, sizeof(*rec->extra), compare_extras);
    if (status == RF_OK && rec->n_extras + rec->n_counters > 0)
        status = rf_recording_finish_counters(rec);
    return status;
}
