/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as the GPU saw them, in the flavor of PyTorch's profiler: per stream, from the first to
 * the last piece of work that a range caused there, on the track of that work. */
#include "export/chrome/json_annotations.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "model/fields/event_names.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_names.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"

/* Work lies under no more ranges than this, the innermost: what is written stays in proportion to
 * the work, however deep ranges are nested. */
#define MAX_DEPTH 64

/* What a range caused on the stream; the index is that of its projection. */
struct seen {
    uint32_t stream; /* on which: its index and 1 */
    int64_t start_ns, end_ns;
};

struct annotation {
    int64_t start_ns, end_ns;
    size_t projection;
};

struct annotations {
    const struct rf_projection *all;
    size_t n_all;
    struct seen *seen; /* by projection */
    size_t *list;      /* projections that were seen on the stream */
    size_t n_list, list_room;
    struct annotation *sorted; /* of the stream, by start, what encloses first */
    size_t sorted_room;
};

static int init(struct annotations *of, const struct json_writer *to)
{
    memset(of, 0, sizeof(*of));
    if (to->projections != NULL)
        of->all = rf_projections_all(to->projections, &of->n_all);
    of->seen = calloc(of->n_all + 1, sizeof(*of->seen));
    return of->seen != NULL ? RF_OK : rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
}

static void release(struct annotations *of)
{
    free(of->seen);
    free(of->list);
    free(of->sorted);
}

/* ---- What a stream has ---- */

static int add(struct annotations *of, size_t projection)
{
    if (rf_grow_array(&of->list, of->n_list, &of->list_room, sizeof(*of->list)) != RF_OK)
        return 0;
    of->list[of->n_list++] = projection;
    return 1;
}

static int see(struct annotations *of, size_t projection, uint32_t stream,
               const struct rf_gpu_op *op)
{
    struct seen *seen = &of->seen[projection];
    if (seen->stream != stream + 1) {
        *seen = (struct seen){stream + 1, op->start_ns, op->end_ns};
        return add(of, projection);
    }
    if (op->start_ns < seen->start_ns)
        seen->start_ns = op->start_ns;
    if (op->end_ns > seen->end_ns)
        seen->end_ns = op->end_ns;
    return 1;
}

/* Operators refer to their work by External id alone. */
static int is_annotation(const struct json_writer *to, const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP && !json_kineto_is_operator(to, event);
}

/* The ranges over a piece of work have seen it. */
static int see_op(struct annotations *of, const struct json_writer *to, uint32_t index)
{
    size_t n_events;
    const struct rf_gpu_op *op = rf_gpu_ops(to->rec, NULL) + index;
    if (op->kind == RF_OP_SYNC || op->thread == RF_NO_INDEX || to->projections == NULL)
        return 1;
    const struct rf_event *events = rf_thread_events(to->rec, op->thread, &n_events);
    uint32_t i = rf_projection_owner(to->projections, index);
    for (int depth = 0; i < n_events && depth < MAX_DEPTH; depth++) {
        const struct rf_projection *projection = rf_projection_of(to->projections, op->thread, i);
        if (projection != NULL && is_annotation(to, &events[i]) &&
            !see(of, (size_t)(projection - of->all), op->track, op))
            return 0;
        i = rf_range_parent(to->projections, op->thread, i);
    }
    return 1;
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
    if (of->n_list > of->sorted_room) {
        free(of->sorted);
        of->sorted_room = of->list_room;
        of->sorted = malloc(of->sorted_room * sizeof(*of->sorted));
        if (of->sorted == NULL)
            return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < of->n_list; i++) {
        const struct seen *seen = &of->seen[of->list[i]];
        of->sorted[i] = (struct annotation){seen->start_ns, seen->end_ns, of->list[i]};
    }
    if (of->n_list > 0)
        qsort(of->sorted, of->n_list, sizeof(*of->sorted), compare);
    return RF_OK;
}

/* ---- Writing ---- */

static const struct rf_event *event_of(const struct json_writer *to,
                                       const struct rf_projection *projection)
{
    size_t n;
    return rf_thread_events(to->rec, projection->thread, &n) + projection->event;
}

static void put_name(struct json_writer *to, const void *item)
{
    json_kineto_put_name(to, event_of(to, item));
}

static void put_args(struct json_writer *to, const void *item)
{
    const struct rf_projection *projection = item;
    int n_args = 0;
    json_put_number_arg(to->sink, &n_args, "External id",
                        json_kineto_external_id(to, projection->thread, projection->event));
    json_put_domain_arg(to, event_of(to, projection), &n_args);
    json_end_args(to->sink, n_args);
}

static int put_annotation(struct json_writer *to, const struct annotations *of, size_t i)
{
    const struct annotation *annotation = &of->sorted[i];
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
        while (next < of->n_list && of->sorted[next].start_ns <= ops[index].start_ns &&
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
        json_begin_track(to, to->kineto->track_pids[i], to->kineto->track_tids[i], track->stream,
                         json_kineto_put_stream_lane_name);
        if (status == RF_OK)
            status = put_stream(to, &of, track);
    }
    release(&of);
    return status;
}
