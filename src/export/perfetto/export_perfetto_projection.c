/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as the GPU saw them: from the first to the last piece of work that each caused, on a track
 * of the process for each thread; and for each piece of work the innermost range over its call. */
#include "export/perfetto/export_perfetto_projection.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/fields/event_names.h"
#include "export/perfetto/export_perfetto_nvtx.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_tracks.h"
#include "export/projection_order.h"

#define RANK (1u << 21)

int pf_project(struct pf_writer *to)
{
    size_t n_ops;
    const struct rf_project_options options = {.size = sizeof(options),
                                               .by_process = to->job->options->by_process};
    if (to->status != RF_OK || rf_gpu_ops(to->rec, &n_ops) == NULL || n_ops == 0)
        return to->status;
    return pf_fail(to, rf_project(to->rec, &options, &to->projections, to->job->err));
}

void pf_put_owner(struct pf_writer *to, enum pf_kind kind, uint32_t op)
{
    size_t n, n_ops;
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, &n_ops);
    if (to->projections == NULL || ops[op].thread == RF_NO_INDEX)
        return;
    const struct rf_event *events = rf_thread_events(to->rec, ops[op].thread, &n);
    uint32_t owner = rf_projection_owner(to->projections, op);
    if (owner < n)
        pf_put_string(to, kind, PF_KEY_NVTX_RANGE, events[owner].name);
}

static void put_figures(struct pf_writer *to, const struct rf_projection *projection,
                        const struct rf_event *event)
{
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_CALLS, projection->n_calls);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_WORK, projection->n_ops);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_BUSY, projection->busy_ns);
    pf_put_i64(to, PF_ANNOTATION, PF_KEY_RANGE_START, event->start_ns);
    pf_put_i64(to, PF_ANNOTATION, PF_KEY_RANGE_DURATION, rf_duration_ns(event));
}

static int put_projection(struct pf_writer *to, struct pf_track *track,
                          const struct rf_projection *projection)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(to->rec, projection->thread, &n);
    event += projection->event;
    uint64_t uuid = pf_track_place(to, track, projection->start_ns, projection->end_ns);
    size_t begin = pf_begin_event(to, projection->start_ns, PF_BEGIN, uuid, PF_CAT_PROJECTION);
    pf_put_name(to, event->name);
    pf_put_nvtx_details(to, projection->thread, event);
    if (!to->job->options->no_figures)
        put_figures(to, projection, event);
    if (projection->by_process)
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_BY_PROCESS, 1);
    return pf_end_message(to, begin);
}

static void begin_track(struct pf_writer *to, struct pf_track *track, uint32_t index)
{
    const struct rf_thread *thread = rf_thread_at(to->rec, index);
    struct pf_track_name name = {.text = "NVTX on the GPU: ", .string = thread->name};
    name.rank = RANK + (index & (RANK - 1));
    if (rf_string(to->rec, thread->name, NULL) == NULL)
        (void)snprintf(name.text, sizeof(name.text), "NVTX on the GPU: thread %u", thread->tid);
    pf_track_begin(track, pf_process_uuid(to, thread->process), &name);
}

int pf_write_projections(struct pf_writer *to)
{
    size_t n = 0;
    const struct rf_projection **order = NULL;
    (void)pf_fail(to, rf_order_projections(to->projections, &order, &n, to->job->err));
    struct pf_track track = {0};
    for (size_t i = 0; i < n && to->status == RF_OK; i++) {
        if (i == 0 || order[i]->thread != order[i - 1]->thread) {
            pf_track_finish(to, &track);
            begin_track(to, &track, order[i]->thread);
        }
        (void)put_projection(to, &track, order[i]);
    }
    pf_track_finish(to, &track);
    free(order);
    return to->status;
}
