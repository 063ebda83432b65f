/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's side of Chrome trace JSON: calls on their threads' tracks, a track per stream, and
 * flows from a call to each piece of work that it caused. Categories and the names of args are
 * those of PyTorch's profiler where that has them, so that what reads its traces finds them. */
#include "export/chrome/json_work.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "model/fields/event_names.h"
#include "model/fields/gpu_names.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_kineto_work.h"
#include "export/chrome/json_projection.h"
#include "export/chrome/json_tracks.h"
#include "export/stream_names.h"

static void put_string_member(struct json_writer *to, const char *member, uint32_t string)
{
    if (string == RF_NO_STRING)
        return;
    rf_sink_text(to->sink, member);
    rf_sink_json_name(to->sink, to->rec, string);
}

void json_put_gpus(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"gpus\":[");
    for (uint32_t i = 0; i < rf_n_gpus(to->rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(to->rec, i);
        json_put_member(sink, i > 0 ? ",\n{\"id\":" : "\n{\"id\":", gpu->id);
        put_string_member(to, ",\"name\":", gpu->name);
        put_string_member(to, ",\"chip\":", gpu->chip);
        put_string_member(to, ",\"uuid\":", gpu->uuid);
        put_string_member(to, ",\"pci\":", gpu->bus);
        json_put_member(sink, ",\"memory_bytes\":", gpu->memory_bytes);
        json_put_member(sink, ",\"multiprocessors\":", gpu->n_multiprocessors);
        json_put_member(sink, ",\"compute_capability\":\"", gpu->capability_major);
        json_put_member(sink, ".", gpu->capability_minor);
        rf_sink_text(sink, "\"}");
    }
    rf_sink_char(sink, ']');
}

/* ---- Flows ---- */

#define FIRST_FURTHER_FLOW ((uint64_t)1 << 52) /* beyond every correlation id of the file */

/* One per piece of work. Its index names it in the whole file; Kineto names the first work of a
 * call by its correlation id. */
static uint64_t flow_id(struct json_writer *to, const struct rf_gpu_op *op, uint32_t index)
{
    if (to->kineto == NULL)
        return to->first_flow + index + 1;
    size_t n_calls;
    const struct rf_call *calls = rf_thread_calls(to->rec, op->thread, &n_calls);
    const struct rf_call *call = &calls[op->call];
    if (call->first_op != index || call->correlation == 0 || call->correlation != op->correlation)
        return FIRST_FURTHER_FLOW + index;
    return json_kineto_correlation(to, rf_thread_at(to->rec, op->thread)->process, op->correlation);
}

static void put_flow(struct json_writer *to, char phase, uint32_t index, size_t lane, int64_t at_ns)
{
    const struct rf_gpu_op *op = rf_gpu_ops(to->rec, NULL) + index;
    char *begin, *out;
    if (to->is_skipped)
        return;
    json_begin_line(to);
    out = begin = rf_sink_reserve(to->sink, 128);
    if (phase == 's')
        out = rf_put_text(out, "{\"ph\":\"s\"");
    else
        out = rf_put_text(out, "{\"ph\":\"f\",\"bp\":\"e\"");
    if (to->kineto == NULL)
        out = rf_put_text(out, ",\"cat\":\"gpu_flow\",\"name\":\"submit\",\"id\":");
    else
        out = rf_put_text(out, ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":");
    out = rf_put_u64(out, flow_id(to, op, index));
    to->sink->used += (size_t)(out - begin);
    json_put_lane_place(to, lane, at_ns);
    rf_sink_char(to->sink, '}');
}

/* ---- Calls ---- */

static void put_call_name(struct json_writer *to, const void *item)
{
    const struct rf_call *call = item;
    size_t size;
    const char *name = rf_string(to->rec, call->name, &size);
    rf_sink_text(to->sink, "\"name\":");
    if (name == NULL)
        rf_sink_text(to->sink, "\"(unknown)\"");
    else
        rf_sink_json(to->sink, name, to->kineto != NULL ? json_kineto_call_size(name, size) : size);
}

static void put_call_args(struct json_writer *to, const void *item)
{
    const struct rf_call *call = item;
    struct rf_row row;
    rf_row_of_call(call, &row);
    to->has_args = rf_sink_members(to->sink, &to->members->call[call->kind], &row, to->has_args);
    json_end_args(to);
}

int json_put_call(struct json_writer *to, const struct rf_call *call)
{
    size_t n_ops, lane;
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, &n_ops);
    const struct json_slice slice = {rf_call_kind_name(call->kind),
                                     call,
                                     put_call_name,
                                     to->kineto != NULL ? json_kineto_put_call_args : put_call_args,
                                     call->start_ns,
                                     call->end_ns};
    int status = json_put_slice(to, &slice, &lane);
    if (to->is_skipped)
        return status;
    for (uint32_t i = call->first_op; i < n_ops && status == RF_OK; i = ops[i].next_op)
        if (rf_has_flow(to->job, &ops[i]))
            put_flow(to, 's', i, lane, call->start_ns);
    return status;
}

/* ---- GPU work ---- */

static void put_op_name(struct json_writer *to, const void *item)
{
    char buffer[128];
    size_t size;
    const char *label = NULL;
    const struct rf_kernel *kernel = to->kineto != NULL ? rf_op_kernel(to->rec, item) : NULL;
    if (kernel != NULL) /* Kineto has no short names */
        label = rf_string(to->rec, kernel->demangled, &size);
    if (label == NULL)
        label = rf_op_label(to->rec, item, buffer, &size);
    rf_sink_text(to->sink, "\"name\":");
    rf_sink_json(to->sink, label, size);
}

/* What is computed, and the full name where it says more than the slice's. */
static void put_derived_args(struct json_writer *to, const struct rf_gpu_op *op)
{
    const struct rf_kernel *kernel = rf_op_kernel(to->rec, op);
    const struct rf_transfer *transfer = rf_op_transfer(to->rec, op);
    if (transfer != NULL)
        json_put_bandwidth(to->sink, transfer->bytes, (uint64_t)rf_op_duration_ns(op));
    if (kernel == NULL)
        return;
    json_put_member(to->sink, ",\"shared memory\":",
                    (uint64_t)kernel->static_shared_bytes + kernel->dynamic_shared_bytes);
    if (kernel->demangled != op->name)
        put_string_member(to, ",\"full name\":", kernel->demangled);
}

static void put_op_args(struct json_writer *to, const void *item)
{
    const struct rf_gpu_op *op = item;
    struct rf_row row;
    rf_row_of_op(to->rec, op, &row);
    to->has_args = rf_sink_members(to->sink, &to->members->op[op->kind], &row, to->has_args);
    put_derived_args(to, op);
    json_put_ranges_member(to, (uint32_t)(op - rf_gpu_ops(to->rec, NULL)));
    json_end_args(to);
}

/* Kineto knows no graphs that were traced as one: to what reads its traces, kernels are what keeps
 * a GPU busy. */
static const char *op_category(const struct json_writer *to, unsigned kind)
{
    const struct rf_row_kind *of = rf_row_kind(&rf_op_fields, kind);
    if (to->kineto != NULL && kind == RF_OP_GRAPH)
        return "kernel";
    return of->chrome != NULL ? of->chrome : of->name;
}

int json_put_op(struct json_writer *to, const struct rf_gpu_op *op, uint32_t index)
{
    const struct json_slice slice = {op_category(to, op->kind),
                                     op,
                                     put_op_name,
                                     to->kineto != NULL ? json_kineto_put_op_args : put_op_args,
                                     op->start_ns,
                                     op->end_ns};
    size_t lane;
    int status = json_put_slice(to, &slice, &lane);
    if (status == RF_OK && rf_has_flow(to->job, op))
        put_flow(to, 'f', index, lane, op->start_ns);
    return status == RF_OK ? json_step(to) : status;
}

/* ---- Streams ---- */

static void put_track_name(struct json_writer *to)
{
    char name[RF_STREAM_NAME_SIZE];
    size_t size = rf_stream_name(to->rec, to->stream, to->has_contexts, name);
    rf_sink_json_inner(to->sink, name, size);
}

int json_put_streams(struct json_writer *to)
{
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, NULL);
    uint32_t end_of_device = 0;
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        to->stream = i;
        if (i >= end_of_device)
            to->has_contexts = rf_has_contexts(to->rec, i, &end_of_device);
        json_begin_track(to, to->ids.pids[track->process], 0, json_next_place(to), put_track_name);
        for (uint32_t k = 0; k < track->n_ops && status == RF_OK; k++) {
            if (!to->is_skipped)
                rf_track_fetch_ahead(to->rec, track, k);
            status = json_put_op(to, &ops[track->first_op + k], track->first_op + k);
        }
    }
    return status;
}
