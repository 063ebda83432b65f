/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as the GPU saw them, in Chrome trace JSON: from the first to the last piece of work that a
 * range caused, on tracks of their own beside the thread that the range is on. */
#include "export/chrome/json_projection.h"

#include <stdlib.h>

#include "base/escape.h"
#include "export/chrome/json_tracks.h"
#include "export/projection_order.h"
#include "model/fields/event_names.h"

/* More ranges over a piece of work are not listed. */
#define MAX_RANGES 64

/* "message", or "domain:message" outside of the default domain. */
static void put_label(struct json_writer *to, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    rf_sink_char(to->sink, '"');
    if (rf_string(to->rec, domain->name, NULL) != NULL) {
        json_put_inner_name(to, domain->name, "");
        rf_sink_char(to->sink, ':');
    }
    json_put_inner_name(to, event->name, "(null)");
    rf_sink_char(to->sink, '"');
}

static void put_ranges(struct json_writer *to, uint32_t thread, uint32_t owner)
{
    size_t n_events;
    uint32_t over[MAX_RANGES];
    uint32_t n = 0;
    const struct rf_event *events = rf_thread_events(to->rec, thread, &n_events);
    for (uint32_t i = owner; i < n_events && n < MAX_RANGES;
         i = rf_range_parent(to->projections, thread, i))
        over[n++] = i;
    rf_sink_text(to->sink, ",\"nvtx ranges\":");
    for (uint32_t i = n; i-- > 0;) {
        rf_sink_char(to->sink, i == n - 1 ? '[' : ',');
        put_label(to, &events[over[i]]);
    }
    rf_sink_char(to->sink, ']');
}

/* Keeps what the sink has from begin on, if none of it is written out yet. */
static void keep_ranges(struct json_ranges *ranges, const struct rf_sink *sink, size_t begin,
                        bool is_complete)
{
    ranges->size = is_complete ? sink->used - begin : 0;
    if (ranges->size > sizeof(ranges->text))
        ranges->size = 0;
    memcpy(ranges->text, sink->buffer + begin, ranges->size);
}

void json_put_ranges_member(struct json_writer *to, uint32_t index)
{
    const struct rf_gpu_op *op = rf_gpu_ops(to->rec, NULL) + index;
    struct json_ranges *ranges = &to->ranges;
    uint32_t owner = rf_projection_owner(to->projections, index);
    if (op->thread == RF_NO_INDEX || owner == RF_NO_INDEX)
        return;
    if (ranges->size != 0 && ranges->thread == op->thread && ranges->owner == owner) {
        rf_sink_bytes(to->sink, ranges->text, ranges->size);
        return;
    }
    size_t begin = to->sink->used;
    uint64_t n_drains = to->sink->n_drains;
    put_ranges(to, op->thread, owner);
    keep_ranges(ranges, to->sink, begin, to->sink->n_drains == n_drains);
    ranges->thread = op->thread;
    ranges->owner = owner;
}

/* ---- Tracks ---- */

const struct rf_event *json_projected_event(const struct json_writer *to,
                                            const struct rf_projection *projection)
{
    return rf_thread_events(to->rec, projection->thread, NULL) + projection->event;
}

static void put_name(struct json_writer *to, const void *item)
{
    json_put_event_name(to, json_projected_event(to, item));
}

static void put_figures(struct json_writer *to, const struct rf_projection *projection,
                        const struct rf_event *event)
{
    json_put_number_arg(to, "gpu calls", projection->n_calls);
    json_put_number_arg(to, "gpu operations", projection->n_ops);
    json_put_arg(to, "gpu busy (us)");
    rf_sink_thousandths(to->sink, (int64_t)projection->busy_ns);
    json_put_arg(to, "range start (us)");
    rf_sink_thousandths(to->sink, json_shown_ns(to, event->start_ns));
    json_put_arg(to, "range duration (us)");
    rf_sink_thousandths(to->sink, rf_duration_ns(event));
}

static void put_args(struct json_writer *to, const void *item)
{
    const struct rf_projection *projection = item;
    const struct rf_event *event = json_projected_event(to, projection);
    json_put_domain_arg(to, event);
    if (!to->job->options->no_figures)
        put_figures(to, projection, event);
    if (projection->by_process) {
        json_put_arg(to, "by process");
        rf_sink_text(to->sink, "true");
    }
    json_end_args(to);
}

static void put_track_name(struct json_writer *to)
{
    const struct rf_thread *thread = rf_thread_at(to->rec, to->thread);
    rf_sink_text(to->sink, "NVTX on the GPU: ");
    json_put_numbered_name(to, thread->name, "thread", thread->tid);
}

int json_put_projections(struct json_writer *to)
{
    size_t n;
    const struct rf_projection **order;
    int status = rf_order_projections(to->projections, &order, &n, to->job->err);
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        uint32_t thread = order[i]->thread;
        if (i == 0 || order[i - 1]->thread != thread) {
            to->thread = thread;
            json_begin_track(to, to->ids.pids[rf_thread_at(to->rec, thread)->process], 0,
                             json_next_place(to), put_track_name);
        }
        const struct json_slice slice = {"nvtx_gpu", order[i],           put_name,
                                         put_args,   order[i]->start_ns, order[i]->end_ns};
        status = json_put_slice(to, &slice, NULL);
        if (status == RF_OK)
            status = json_next_item(to);
    }
    free(order);
    return status;
}
