/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's side of Chrome trace JSON: calls on their threads' tracks, a track per stream, and
 * flows from a call to each piece of work that it caused. Categories and the names of args are
 * those of PyTorch's profiler where that has them, so that what reads its traces finds them. */
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "export/event_names.h"
#include "export/gpu_names.h"
#include "export/json_writer.h"

static void put_text(struct rf_sink *sink, const char *text)
{
    rf_sink_json(sink, text, strlen(text));
}

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
        json_put_member(sink, ",\"memory_bytes\":", gpu->memory_bytes);
        json_put_member(sink, ",\"multiprocessors\":", gpu->n_multiprocessors);
        json_put_member(sink, ",\"compute_capability\":\"", gpu->capability_major);
        json_put_member(sink, ".", gpu->capability_minor);
        rf_sink_text(sink, "\"}");
    }
    rf_sink_char(sink, ']');
}

/* ---- Flows ---- */

/* One per piece of work: its index names it in the whole file. */
static void put_flow(struct json_writer *to, char phase, uint32_t op, uint32_t tid, int64_t at_ns)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"");
    rf_sink_char(to->sink, phase);
    rf_sink_text(to->sink, phase == 'f' ? "\",\"bp\":\"e\"" : "\"");
    rf_sink_text(to->sink, ",\"cat\":\"gpu_flow\",\"name\":\"submit\"");
    json_put_member(to->sink, ",\"id\":", (uint64_t)op + 1);
    json_put_place(to, tid, at_ns);
    rf_sink_char(to->sink, '}');
}

/* Whether an arrow leads to a piece of work: from a call that is shown. */
static int has_flow(struct json_writer *to, const struct rf_gpu_op *op)
{
    size_t n_calls;
    if (op->kind == RF_OP_SYNC || op->thread == RF_NO_INDEX)
        return 0;
    (void)rf_thread_calls(to->rec, op->thread, &n_calls);
    return op->call < n_calls;
}

/* ---- Calls ---- */

static void put_call_name(struct json_writer *to, const void *item)
{
    const struct rf_call *call = item;
    rf_sink_text(to->sink, "\"name\":");
    if (call->name != RF_NO_STRING)
        rf_sink_json_name(to->sink, to->rec, call->name);
    else
        rf_sink_text(to->sink, "\"(unknown)\"");
}

static void put_call_args(struct json_writer *to, const void *item)
{
    const struct rf_call *call = item;
    int n_args = 0;
    if (call->correlation != 0) {
        json_put_arg(to->sink, &n_args, "correlation");
        rf_sink_u64(to->sink, call->correlation);
    }
    if (call->result != 0) {
        json_put_arg(to->sink, &n_args, "result");
        rf_sink_i64(to->sink, call->result);
    }
    json_end_args(to->sink, n_args);
}

int json_put_call(struct json_writer *to, const struct rf_call *call)
{
    size_t n_ops;
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, &n_ops);
    const struct json_slice slice = {rf_call_kind_name(call->kind),
                                     call,
                                     put_call_name,
                                     put_call_args,
                                     call->start_ns,
                                     call->end_ns};
    uint32_t tid;
    int status = json_put_slice(to, &slice, &tid);
    for (uint32_t i = call->first_op; i < n_ops && status == RF_OK; i = ops[i].next_op)
        if (has_flow(to, &ops[i]))
            put_flow(to, 's', i, tid, call->start_ns);
    return status;
}

/* ---- GPU work ---- */

static void put_op_name(struct json_writer *to, const void *item)
{
    char buffer[128];
    size_t size;
    const char *label = rf_op_label(to->rec, item, buffer, &size);
    rf_sink_text(to->sink, "\"name\":");
    rf_sink_json(to->sink, label, size);
}

static void put_number_arg(struct rf_sink *sink, int *n_args, const char *name, uint64_t value)
{
    json_put_arg(sink, n_args, name);
    rf_sink_u64(sink, value);
}

static void put_triple_arg(struct rf_sink *sink, int *n_args, const char *name,
                           const uint32_t value[3])
{
    json_put_arg(sink, n_args, name);
    json_put_member(sink, "[", value[0]);
    json_put_member(sink, ",", value[1]);
    json_put_member(sink, ",", value[2]);
    rf_sink_char(sink, ']');
}

/* Nodes of graphs are numbered beyond 2^53. */
static void put_node_arg(struct rf_sink *sink, int *n_args, uint64_t node)
{
    if (node == 0)
        return;
    json_put_arg(sink, n_args, "graph node");
    rf_sink_char(sink, '"');
    rf_sink_u64(sink, node);
    rf_sink_char(sink, '"');
}

static void put_kernel_args(struct json_writer *to, const struct rf_kernel *kernel, int *n_args)
{
    struct rf_sink *sink = to->sink;
    uint64_t shared = (uint64_t)kernel->static_shared_bytes + kernel->dynamic_shared_bytes;
    put_triple_arg(sink, n_args, "grid", kernel->grid);
    put_triple_arg(sink, n_args, "block", kernel->block);
    put_number_arg(sink, n_args, "registers per thread", kernel->registers);
    put_number_arg(sink, n_args, "shared memory", shared);
    put_number_arg(sink, n_args, "static shared memory", kernel->static_shared_bytes);
    put_number_arg(sink, n_args, "dynamic shared memory", kernel->dynamic_shared_bytes);
    put_number_arg(sink, n_args, "local memory per thread", kernel->local_bytes_per_thread);
    if (kernel->demangled != RF_NO_STRING) {
        json_put_arg(sink, n_args, "full name");
        rf_sink_json_name(sink, to->rec, kernel->demangled);
    }
    put_node_arg(sink, n_args, kernel->graph_node);
}

static void put_transfer_args(struct rf_sink *sink, const struct rf_gpu_op *op,
                              const struct rf_transfer *transfer, int *n_args)
{
    put_number_arg(sink, n_args, "bytes", transfer->bytes);
    if (op->end_ns > op->start_ns) {
        json_put_arg(sink, n_args, "memory bandwidth (GB/s)");
        rf_sink_double(sink, (double)transfer->bytes / (double)rf_op_duration_ns(op));
    }
    if (op->kind == RF_OP_MEMCPY) {
        json_put_arg(sink, n_args, "copy kind");
        put_text(sink, rf_copy_kind_name(transfer->copy_kind));
        json_put_arg(sink, n_args, "source memory");
        put_text(sink, rf_memory_kind_name(transfer->source_memory));
        json_put_arg(sink, n_args, "target memory");
        put_text(sink, rf_memory_kind_name(transfer->target_memory));
        if (transfer->peer_device != RF_NO_INDEX)
            put_number_arg(sink, n_args, "peer device", transfer->peer_device);
    } else {
        json_put_arg(sink, n_args, "memory");
        put_text(sink, rf_memory_kind_name(transfer->source_memory));
        put_number_arg(sink, n_args, "value", transfer->value);
    }
    put_node_arg(sink, n_args, transfer->graph_node);
}

static void put_op_args(struct json_writer *to, const void *item)
{
    const struct rf_gpu_op *op = item;
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, op->track);
    const struct rf_kernel *kernel = rf_op_kernel(to->rec, op);
    const struct rf_transfer *transfer = rf_op_transfer(to->rec, op);
    struct rf_sink *sink = to->sink;
    int n_args = 0;
    put_number_arg(sink, &n_args, "device", track->device);
    put_number_arg(sink, &n_args, "context", track->context);
    put_number_arg(sink, &n_args, "stream", track->stream);
    if (op->correlation != 0)
        put_number_arg(sink, &n_args, "correlation", op->correlation);
    if (kernel != NULL)
        put_kernel_args(to, kernel, &n_args);
    if (transfer != NULL)
        put_transfer_args(sink, op, transfer, &n_args);
    if (op->graph != 0)
        put_number_arg(sink, &n_args, "graph", op->graph);
    json_put_ranges_arg(to, op, &n_args);
    json_end_args(sink, n_args);
}

static const char *op_category(int kind)
{
    static const char *const names[] = {
        [RF_OP_KERNEL] = "kernel",    [RF_OP_MEMCPY] = "gpu_memcpy", [RF_OP_MEMSET] = "gpu_memset",
        [RF_OP_GRAPH] = "cuda_graph", [RF_OP_SYNC] = "cuda_sync",
    };
    return kind > 0 && (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "gpu";
}

static int put_op(struct json_writer *to, const struct rf_gpu_op *op, uint32_t index)
{
    const struct json_slice slice = {op_category(op->kind), op,           put_op_name,
                                     put_op_args,           op->start_ns, op->end_ns};
    uint32_t tid;
    int status = json_put_slice(to, &slice, &tid);
    if (status == RF_OK && has_flow(to, op))
        put_flow(to, 'f', index, tid, op->start_ns);
    return status;
}

/* ---- Streams ---- */

static int is_same_device(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device;
}

/* Whether a process uses several contexts on a device: then they stand in the name. Asked at the
 * first of the streams that a process has there: they are sorted by context. */
static int has_contexts(const rf_recording *rec, uint32_t first)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(rec, first);
    for (uint32_t i = first + 1; i < rf_n_gpu_tracks(rec); i++) {
        const struct rf_gpu_track *other = rf_gpu_track_at(rec, i);
        if (!is_same_device(track, other))
            return 0;
        if (other->context != track->context || other->green_context != track->green_context)
            return 1;
    }
    return 0;
}

static void put_stream_lane_name(struct json_writer *to, size_t lane)
{
    char name[160], context[80] = "", green[40] = "", number[32] = "";
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, to->stream);
    if (track->green_context != 0)
        (void)snprintf(green, sizeof(green), " green context %" PRIu32, track->green_context);
    if (to->names_contexts)
        (void)snprintf(context, sizeof(context), " context %" PRIu32 "%s", track->context, green);
    if (lane > 0)
        (void)snprintf(number, sizeof(number), " (%zu)", lane + 1);
    (void)snprintf(name, sizeof(name), "GPU %" PRIu32 "%s stream %" PRIu32 "%s", track->device,
                   context, track->stream, number);
    rf_sink_text(to->sink, "\"name\":\"");
    rf_sink_text(to->sink, name);
    rf_sink_text(to->sink, "\"}}");
}

int json_put_streams(struct json_writer *to)
{
    size_t n_ops;
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, &n_ops);
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        to->stream = i;
        if (i == 0 || !is_same_device(track, rf_gpu_track_at(to->rec, i - 1)))
            to->names_contexts = has_contexts(to->rec, i);
        json_begin_track(to, track->process, 0, /* behind all threads and their projections */
                         ((uint64_t)rf_n_threads(to->rec) * 2 + i) * RF_MAX_LANES,
                         put_stream_lane_name);
        for (uint32_t k = 0; k < track->n_ops && status == RF_OK; k++) {
            status = put_op(to, &ops[track->first_op + k], track->first_op + k);
            if (status == RF_OK)
                status = json_step(to);
        }
    }
    return status;
}
