/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work as PyTorch's profiler (Kineto) writes them: names, order and which args there
 * are is Kineto's, so that this is no table of ours. Ranges as the GPU saw them are on the track of
 * their work, per stream, from the first to the last piece of work that a range caused there. */
#include "export/chrome/json_kineto_work.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_projection.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"
#include "model/fields/gpu_names.h"

void json_kineto_put_call_args(struct json_writer *to, const void *item)
{
    const struct rf_call *call = item;
    size_t n_ops;
    (void)rf_gpu_ops(to->rec, &n_ops);
    uint64_t id = call->first_op < n_ops ? json_kineto_operator_of(to, call->first_op) : 0;
    uint64_t correlation =
        json_kineto_correlation(to, rf_thread_at(to->rec, to->thread)->process, call->correlation);
    if (id != 0)
        json_put_number_arg(to, "External id", id);
    if (correlation != 0)
        json_put_number_arg(to, "correlation", correlation);
    if (call->result != 0) {
        json_put_arg(to, "result");
        rf_sink_i64(to->sink, call->result);
    }
    json_end_args(to);
}

static char *put_member(char *out, const char *name, uint64_t value)
{
    return rf_put_u64(rf_put_text(out, name), value);
}

static char *put_triple(char *out, const uint32_t value[3])
{
    out = put_member(out, "[", value[0]);
    out = put_member(out, ",", value[1]);
    out = put_member(out, ",", value[2]);
    return rf_put_text(out, "]");
}

/* Nodes of graphs are numbered beyond 2^53. */
static char *put_node(char *out, uint64_t node)
{
    if (node == 0)
        return out;
    return rf_put_text(put_member(out, ",\"graph node\":\"", node), "\"");
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
    out = put_member(out, ",\"registers per thread\":", kernel->registers);
    out = put_member(out, ",\"shared memory\":", shared);
    if (kernel->static_shared_bytes != 0)
        out = put_member(out, ",\"static shared memory\":", kernel->static_shared_bytes);
    if (kernel->local_bytes_per_thread != 0)
        out = put_member(out, ",\"local memory per thread\":", kernel->local_bytes_per_thread);
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
        if (transfer->peer_device != RF_NO_INDEX)
            out = put_member(out, ",\"peer device\":", transfer->peer_device);
    } else {
        out = put_word(out, ",\"memory\":\"", source);
        out = put_member(out, ",\"value\":", transfer->value);
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
    char *out = put_member(begin, ",\"args\":{\"device\":", track->device);
    out = put_member(out, ",\"context\":", track->context);
    out = put_member(out, ",\"stream\":", track->stream);
    if (id != 0)
        out = put_member(out, ",\"External id\":", id);
    if (correlation != 0)
        out = put_member(out, ",\"correlation\":", correlation);
    to->sink->used += (size_t)(out - begin);
    to->has_args = true;
}

void json_kineto_put_op_args(struct json_writer *to, const void *item)
{
    const struct rf_gpu_op *op = item;
    const struct rf_kernel *kernel = rf_op_kernel(to->rec, op);
    const struct rf_transfer *transfer = rf_op_transfer(to->rec, op);
    put_common_args(to, op);
    if (kernel != NULL)
        put_kernel_args(to, op, kernel);
    if (transfer != NULL)
        put_transfer_args(to, op, transfer);
    if (op->graph != 0)
        json_put_number_arg(to, "graph id", op->graph);
    json_end_args(to);
}

/* ---- Ranges over the work of a stream ---- */

/* Work lies under no more ranges than this, the innermost: what is written stays in proportion to
 * the work, however deep ranges are nested. */
#define MAX_DEPTH 64

/* What a range caused on the stream. */
struct annotation {
    int64_t start_ns, end_ns;
    size_t projection; /* its index */
};

struct annotations {
    const struct rf_projection *all;
    size_t *place;           /* by projection: in the list, where that has it; until it is sorted */
    struct annotation *list; /* of the stream; then by start, what encloses first */
    size_t n_list, list_room;
};

static int init(struct annotations *of, const struct json_writer *to)
{
    size_t n = 0;
    memset(of, 0, sizeof(*of));
    if (to->projections != NULL)
        of->all = rf_projections_all(to->projections, &n);
    of->place = calloc(n + 1, sizeof(*of->place));
    return of->place != NULL ? RF_OK : rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
}

static bool see(struct annotations *of, size_t projection, const struct rf_gpu_op *op)
{
    size_t at = of->place[projection];
    if (at >= of->n_list || of->list[at].projection != projection) {
        if (rf_grow_array(&of->list, of->n_list, &of->list_room, sizeof(*of->list)) != RF_OK)
            return false;
        of->place[projection] = of->n_list;
        of->list[of->n_list++] = (struct annotation){op->start_ns, op->end_ns, projection};
        return true;
    }
    struct annotation *seen = &of->list[at];
    if (op->start_ns < seen->start_ns)
        seen->start_ns = op->start_ns;
    if (op->end_ns > seen->end_ns)
        seen->end_ns = op->end_ns;
    return true;
}

/* Operators refer to their work by External id alone. */
static bool is_annotation(const struct json_writer *to, const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP && !json_kineto_is_operator(to, event);
}

/* The ranges over a piece of work have seen it. */
static bool see_op(struct annotations *of, const struct json_writer *to, uint32_t index)
{
    size_t n_events;
    const struct rf_gpu_op *op = rf_gpu_ops(to->rec, NULL) + index;
    if (op->kind == RF_OP_SYNC || op->thread == RF_NO_INDEX || to->projections == NULL)
        return true;
    const struct rf_event *events = rf_thread_events(to->rec, op->thread, &n_events);
    uint32_t i = rf_projection_owner(to->projections, index);
    for (int depth = 0; i < n_events && depth < MAX_DEPTH; depth++) {
        const struct rf_projection *projection = rf_projection_of(to->projections, op->thread, i);
        if (projection != NULL && is_annotation(to, &events[i]) &&
            !see(of, (size_t)(projection - of->all), op))
            return false;
        i = rf_range_parent(to->projections, op->thread, i);
    }
    return true;
}

/* By start, what encloses first, then as the ranges are. */
static int compare(const void *left, const void *right)
{
    const struct annotation *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return a->projection < b->projection ? -1 : a->projection > b->projection;
}

static int find(struct annotations *of, struct json_writer *to, const struct rf_gpu_track *track)
{
    of->n_list = 0;
    for (uint32_t k = 0; k < track->n_ops; k++)
        if (!see_op(of, to, track->first_op + k))
            return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    if (of->n_list > 0)
        qsort(of->list, of->n_list, sizeof(*of->list), compare);
    return RF_OK;
}

/* ---- Streams ---- */

static void put_name(struct json_writer *to, const void *item)
{
    json_kineto_put_name(to, json_projected_event(to, item));
}

static void put_args(struct json_writer *to, const void *item)
{
    const struct rf_projection *projection = item;
    json_put_number_arg(to, "External id",
                        json_kineto_external_id(to, projection->thread, projection->event));
    json_put_domain_arg(to, json_projected_event(to, projection));
    json_end_args(to);
}

static int put_annotation(struct json_writer *to, const struct annotations *of, size_t i)
{
    const struct annotation *annotation = &of->list[i];
    const struct json_slice slice = {"gpu_user_annotation",
                                     &of->all[annotation->projection],
                                     put_name,
                                     put_args,
                                     annotation->start_ns,
                                     annotation->end_ns};
    return json_put_slice(to, &slice, NULL);
}

/* Ranges and work in one order, since they share the track. Waits are left out, as Kineto does
 * unless asked: to what reads its traces, all that has a stream keeps it busy. */
static int put_stream(struct json_writer *to, const struct annotations *of,
                      const struct rf_gpu_track *track)
{
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, NULL);
    size_t next = 0;
    int status = RF_OK;
    for (uint32_t k = 0; k < track->n_ops && status == RF_OK; k++) {
        uint32_t index = track->first_op + k;
        while (next < of->n_list && of->list[next].start_ns <= ops[index].start_ns &&
               status == RF_OK)
            status = put_annotation(to, of, next++);
        if (status == RF_OK && ops[index].kind != RF_OP_SYNC)
            status = json_put_op(to, &ops[index], index);
    }
    return status;
}

int json_kineto_put_streams(struct json_writer *to)
{
    struct annotations of;
    int status = init(&of, to);
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        to->stream = i;
        status = find(&of, to, track);
        json_begin_track(to, json_kineto_device_pid(track->device), to->kineto->track_tids[i],
                         track->stream, json_kineto_put_track_name);
        if (status == RF_OK)
            status = put_stream(to, &of, track);
    }
    free(of.place);
    free(of.list);
    return status;
}
