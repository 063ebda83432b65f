/* SPDX-License-Identifier: Apache-2.0 */
/* The args of calls and GPU work as PyTorch's profiler (Kineto) writes them: names, order and which
 * there are is Kineto's, so that this is no table of ours. */
#include "export/chrome/json_kineto_work.h"

#include "base/escape.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_tracks.h"
#include "model/fields/gpu_names.h"

void json_kineto_put_call_args(struct json_writer *to, const void *item)
{
    const struct rf_call *call = item;
    size_t n_ops;
    int n_args = 0;
    (void)rf_gpu_ops(to->rec, &n_ops);
    uint64_t id = call->first_op < n_ops ? json_kineto_operator_of(to, call->first_op) : 0;
    uint64_t correlation =
        json_kineto_correlation(to, rf_thread_at(to->rec, to->thread)->process, call->correlation);
    if (id != 0)
        json_put_number_arg(to->sink, &n_args, "External id", id);
    if (correlation != 0)
        json_put_number_arg(to->sink, &n_args, "correlation", correlation);
    if (call->result != 0) {
        json_put_arg(to->sink, &n_args, "result");
        rf_sink_i64(to->sink, call->result);
    }
    json_end_args(to->sink, n_args);
}

static char *put_triple(char *out, const uint32_t value[3])
{
    *out++ = '[';
    out = rf_put_u64(out, value[0]);
    *out++ = ',';
    out = rf_put_u64(out, value[1]);
    *out++ = ',';
    out = rf_put_u64(out, value[2]);
    *out++ = ']';
    return out;
}

/* Nodes of graphs are numbered beyond 2^53. */
static char *put_node(char *out, uint64_t node)
{
    if (node == 0)
        return out;
    out = rf_put_text(out, ",\"graph node\":\"");
    out = rf_put_u64(out, node);
    return rf_put_text(out, "\"");
}

/* Per multiprocessor, as Kineto computes it; threads per warp: 32. */
static void put_occupancy(struct json_writer *to, const struct rf_kernel *kernel,
                          const struct rf_gpu_track *track)
{
    double blocks = 1, threads = 1;
    const struct rf_gpu *gpu = rf_gpu_of(to->rec, track->process, track->device);
    if (gpu == NULL || gpu->n_multiprocessors == 0)
        return;
    for (int i = 0; i < 3; i++) {
        blocks *= kernel->grid[i];
        threads *= kernel->block[i];
    }
    rf_sink_text(to->sink, ",\"blocks per SM\":");
    rf_sink_double(to->sink, blocks / gpu->n_multiprocessors);
    rf_sink_text(to->sink, ",\"warps per SM\":");
    rf_sink_double(to->sink, blocks * threads / 32 / gpu->n_multiprocessors);
}

static void put_kernel_args(struct json_writer *to, const struct rf_gpu_op *op,
                            const struct rf_kernel *kernel)
{
    uint64_t shared = (uint64_t)kernel->static_shared_bytes + kernel->dynamic_shared_bytes;
    char *begin = rf_sink_reserve(to->sink, 512);
    char *out = rf_put_text(begin, ",\"grid\":");
    out = put_triple(out, kernel->grid);
    out = rf_put_text(out, ",\"block\":");
    out = put_triple(out, kernel->block);
    out = rf_put_text(out, ",\"registers per thread\":");
    out = rf_put_u64(out, kernel->registers);
    out = rf_put_text(out, ",\"shared memory\":");
    out = rf_put_u64(out, shared);
    if (kernel->static_shared_bytes != 0) {
        out = rf_put_text(out, ",\"static shared memory\":");
        out = rf_put_u64(out, kernel->static_shared_bytes);
    }
    if (kernel->local_bytes_per_thread != 0) {
        out = rf_put_text(out, ",\"local memory per thread\":");
        out = rf_put_u64(out, kernel->local_bytes_per_thread);
    }
    out = put_node(out, kernel->graph_node);
    to->sink->used += (size_t)(out - begin);
    put_occupancy(to, kernel, rf_gpu_track_at(to->rec, op->track));
}

static char *put_word(char *out, const char *name, const char *word)
{
    out = rf_put_text(out, name);
    out = rf_put_text(out, word);
    return rf_put_text(out, "\"");
}

static void put_transfer_args(struct json_writer *to, const struct rf_gpu_op *op,
                              const struct rf_transfer *transfer)
{
    const char *source = rf_memory_kind_name(transfer->source_memory);
    json_put_member(to->sink, ",\"bytes\":", transfer->bytes);
    json_put_bandwidth(to->sink, transfer->bytes, (uint64_t)rf_op_duration_ns(op));
    char *begin = rf_sink_reserve(to->sink, 512), *out = begin;
    if (op->kind == RF_OP_MEMCPY) {
        out = put_word(out, ",\"copy kind\":\"", rf_copy_kind_name(transfer->copy_kind));
        out = put_word(out, ",\"source memory\":\"", source);
        out = put_word(out, ",\"target memory\":\"", rf_memory_kind_name(transfer->target_memory));
        if (transfer->peer_device != RF_NO_INDEX) {
            out = rf_put_text(out, ",\"peer device\":");
            out = rf_put_u64(out, transfer->peer_device);
        }
    } else {
        out = put_word(out, ",\"memory\":\"", source);
        out = rf_put_text(out, ",\"value\":");
        out = rf_put_u64(out, transfer->value);
    }
    out = put_node(out, transfer->graph_node);
    to->sink->used += (size_t)(out - begin);
}

/* What all work has; begins args. */
static void put_common_args(struct json_writer *to, const struct rf_gpu_op *op)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, op->track);
    uint64_t correlation = json_kineto_correlation(to, track->process, op->correlation);
    uint64_t id = json_kineto_operator_of(to, (uint32_t)(op - rf_gpu_ops(to->rec, NULL)));
    char *begin = rf_sink_reserve(to->sink, 256);
    char *out = rf_put_text(begin, ",\"args\":{\"device\":");
    out = rf_put_u64(out, track->device);
    out = rf_put_text(out, ",\"context\":");
    out = rf_put_u64(out, track->context);
    out = rf_put_text(out, ",\"stream\":");
    out = rf_put_u64(out, track->stream);
    if (id != 0) {
        out = rf_put_text(out, ",\"External id\":");
        out = rf_put_u64(out, id);
    }
    if (correlation != 0) {
        out = rf_put_text(out, ",\"correlation\":");
        out = rf_put_u64(out, correlation);
    }
    to->sink->used += (size_t)(out - begin);
}

void json_kineto_put_op_args(struct json_writer *to, const void *item)
{
    const struct rf_gpu_op *op = item;
    const struct rf_kernel *kernel = rf_op_kernel(to->rec, op);
    const struct rf_transfer *transfer = rf_op_transfer(to->rec, op);
    int n_args = 1;
    put_common_args(to, op);
    if (kernel != NULL)
        put_kernel_args(to, op, kernel);
    if (transfer != NULL)
        put_transfer_args(to, op, transfer);
    if (op->graph != 0)
        json_put_number_arg(to->sink, &n_args, "graph id", op->graph);
    json_end_args(to->sink, n_args);
}
