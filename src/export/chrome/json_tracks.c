/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, tracks and slices of Chrome trace JSON. */
#include "export/chrome/json_tracks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "model/fields/event_names.h"

void json_begin_line(struct json_writer *to)
{
    if (to->has_line)
        rf_sink_bytes(to->sink, ",\n", 2);
    else
        rf_sink_char(to->sink, '\n');
    to->has_line = true;
}

void json_put_member(struct rf_sink *sink, const char *name, uint64_t value)
{
    rf_sink_text(sink, name);
    rf_sink_u64(sink, value);
}

void json_put_arg(struct json_writer *to, const char *name)
{
    rf_sink_text(to->sink, to->has_args ? ",\"" : ",\"args\":{\"");
    rf_sink_text(to->sink, name);
    rf_sink_text(to->sink, "\":");
    to->has_args = true;
}

void json_put_number_arg(struct json_writer *to, const char *name, uint64_t value)
{
    json_put_arg(to, name);
    rf_sink_u64(to->sink, value);
}

void json_end_args(struct json_writer *to)
{
    rf_sink_bytes(to->sink, "}}", to->has_args ? 2 : 1);
    to->has_args = false;
}

/* Bytes per nanosecond, with six decimals. */
void json_put_bandwidth(struct rf_sink *sink, uint64_t bytes, uint64_t duration_ns)
{
    double millionths = (double)bytes * 1e6 / (double)duration_ns;
    if (duration_ns == 0 || !(millionths < 1e18))
        return;
    uint64_t value = (uint64_t)(millionths + 0.5);
    json_put_member(sink, ",\"memory bandwidth (GB/s)\":", value / 1000000);
    rf_sink_char(sink, '.');
    for (uint64_t digit = 100000; digit > 0; digit /= 10)
        rf_sink_char(sink, (char)('0' + value / digit % 10));
}

void json_put_text_member(struct rf_sink *sink, const char *name, const char *text)
{
    rf_sink_text(sink, name);
    rf_sink_json(sink, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* ---- Metadata events ---- */

void json_begin_metadata(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"M\",\"name\":\"");
    rf_sink_text(to->sink, name);
    json_put_member(to->sink, "\",\"pid\":", pid);
    if (tid != 0 || to->kineto != NULL) /* Kineto says it of tid 0, and some look for it there */
        json_put_member(to->sink, ",\"tid\":", tid);
    rf_sink_text(to->sink, ",\"args\":{");
}

void json_put_sort_index(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid,
                         uint64_t index)
{
    json_begin_metadata(to, name, pid, tid);
    json_put_member(to->sink, "\"sort_index\":", index);
    rf_sink_text(to->sink, "}}");
}

/* ---- Names ---- */

void json_put_inner_name(struct json_writer *to, uint32_t string, const char *otherwise)
{
    size_t size;
    const char *text = rf_string(to->rec, string, &size);
    if (text != NULL)
        rf_sink_json_inner(to->sink, text, size);
    else
        rf_sink_text(to->sink, otherwise);
}

void json_put_numbered_name(struct json_writer *to, uint32_t string, const char *what,
                            uint32_t number)
{
    char otherwise[40];
    (void)snprintf(otherwise, sizeof(otherwise), "%s %" PRIu32, what, number);
    json_put_inner_name(to, string, otherwise);
}

void json_put_prefix(struct json_writer *to, const struct rf_process *process)
{
    char text[RF_MERGING_PREFIX];
    (void)rf_merging_prefix(to->job->merging, to->rec, process, text);
    rf_sink_json_inner(to->sink, text, strlen(text));
}

void json_put_event_name(struct json_writer *to, const struct rf_event *event)
{
    rf_sink_text(to->sink, "\"name\":\"");
    json_put_inner_name(to, event->name, "(null)");
    rf_sink_char(to->sink, '"');
}

void json_put_domain_arg(struct json_writer *to, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (domain->id == 0 && domain->is_valid)
        return;
    json_put_arg(to, "domain");
    if (domain->is_valid) {
        rf_sink_json_name(to->sink, to->rec, domain->name);
        return;
    }
    rf_sink_char(to->sink, '"');
    rf_sink_hex(to->sink, domain->handle);
    rf_sink_char(to->sink, '"');
}

/* ---- Places ---- */

static char *put_place(char *out, uint32_t pid, uint32_t tid)
{
    out = rf_put_text(out, ",\"pid\":");
    out = rf_put_u64(out, pid);
    out = rf_put_text(out, ",\"tid\":");
    out = rf_put_u64(out, tid);
    return rf_put_text(out, ",\"ts\":");
}

void json_put_place(struct json_writer *to, uint32_t tid, int64_t at_ns)
{
    char *begin = rf_sink_reserve(to->sink, 64 + RF_SINK_THOUSANDTHS);
    char *out = rf_put_thousandths(put_place(begin, to->pid, tid), json_shown_ns(to, at_ns));
    to->sink->used += (size_t)(out - begin);
}

static char *put_lane_place(char *out, const struct rf_lane *lane, int64_t at_ns)
{
    /* A copy of constant size is a few instructions; place_size says how much of it counts. */
    memcpy(out, lane->place, sizeof(lane->place));
    return rf_put_thousandths(out + lane->place_size, at_ns);
}

void json_put_lane_place(struct json_writer *to, size_t lane, int64_t at_ns)
{
    char *begin = rf_sink_reserve(to->sink, 64 + RF_SINK_THOUSANDTHS);
    char *out = put_lane_place(begin, &to->lanes.lanes[lane], json_shown_ns(to, at_ns));
    to->sink->used += (size_t)(out - begin);
}

/* ---- Tracks ---- */

void json_begin_track(struct json_writer *to, uint32_t pid, uint32_t first_tid, uint64_t sort_index,
                      void (*put_track_name)(struct json_writer *to))
{
    to->pid = pid;
    to->first_tid = first_tid;
    to->sort_index = sort_index;
    to->put_track_name = put_track_name;
    rf_lanes_begin_thread(&to->lanes);
}

uint32_t json_lane_tid(struct json_writer *to, size_t lane)
{
    struct rf_lane *of = &to->lanes.lanes[lane];
    if (of->tid != 0)
        return of->tid;
    of->tid = lane == 0 && to->first_tid != 0 ? to->first_tid : to->ids.next_id++;
    of->place_size = (uint32_t)(put_place(of->place, to->pid, of->tid) - of->place);
    json_begin_metadata(to, "thread_name", to->pid, of->tid);
    rf_sink_text(to->sink, "\"name\":\"");
    to->put_track_name(to);
    if (lane > 0) {
        json_put_member(to->sink, " (", lane + 1);
        rf_sink_char(to->sink, ')');
    }
    rf_sink_text(to->sink, "\"}}");
    json_put_sort_index(to, "thread_sort_index", to->pid, of->tid, to->sort_index + lane);
    return of->tid;
}

/* ---- Slices ---- */

static void put_half(struct json_writer *to, const struct json_slice *slice, char phase,
                     uint64_t id, uint32_t tid, int64_t at_ns)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"");
    rf_sink_char(to->sink, phase);
    rf_sink_text(to->sink, "\",\"cat\":\"");
    rf_sink_text(to->sink, slice->category);
    rf_sink_text(to->sink, "\",\"id2\":{\"local\":\"");
    rf_sink_hex(to->sink, id);
    rf_sink_text(to->sink, "\"},");
    slice->put_name(to, slice->item);
    json_put_place(to, tid, at_ns);
}

/* Viewers call such ranges asynchronous and pair them by category and id. Only where the id is said
 * to be local do they belong to their process. */
void json_put_async(struct json_writer *to, const struct json_slice *slice, uint64_t id,
                    uint32_t tid, uint32_t end_tid)
{
    put_half(to, slice, 'b', id, tid, slice->start_ns);
    slice->put_args(to, slice->item);
    put_half(to, slice, 'e', id, end_tid, slice->end_ns);
    rf_sink_char(to->sink, '}');
}

/* Where and when a slice is. */
static void put_times(struct json_writer *to, const struct rf_lane *lane, int64_t start_ns,
                      int64_t end_ns)
{
    int64_t duration_ns = (int64_t)((uint64_t)end_ns - (uint64_t)start_ns);
    char *begin = rf_sink_reserve(to->sink, 80 + 2 * RF_SINK_THOUSANDTHS);
    char *out = put_lane_place(begin, lane, json_shown_ns(to, start_ns));
    out = rf_put_text(out, ",\"dur\":");
    out = rf_put_thousandths(out, duration_ns);
    to->sink->used += (size_t)(out - begin);
}

int json_put_slice(struct json_writer *to, const struct json_slice *slice, size_t *lane)
{
    int placed = rf_lanes_place(&to->lanes, slice->start_ns, slice->end_ns, to->job->err);
    if (placed < 0)
        return placed;
    size_t of = placed < RF_MAX_LANES ? (size_t)placed : 0;
    uint32_t tid = json_lane_tid(to, of);
    if (lane != NULL)
        *lane = of;
    if (to->is_skipped) {
        to->has_line = true;
        return RF_OK;
    }
    if (placed == RF_MAX_LANES) { /* ids above those of start/end ranges */
        json_put_async(to, slice, ((uint64_t)1 << 32) + to->job->n_done, tid, tid);
        return RF_OK;
    }
    json_begin_line(to);
    char *out = rf_sink_reserve(to->sink, 256);
    out = rf_put_text(out, "{\"ph\":\"X\",\"cat\":\"");
    out = rf_put_text(rf_put_text(out, slice->category), "\",");
    to->sink->used = (size_t)(out - to->sink->buffer);
    slice->put_name(to, slice->item);
    put_times(to, &to->lanes.lanes[of], slice->start_ns, slice->end_ns);
    slice->put_args(to, slice->item);
    return RF_OK;
}

int json_next_item(struct json_writer *to)
{
    const int status = rf_share_next(to->share);
    to->sink = to->share->sink;
    to->is_skipped = !to->share->is_mine;
    return status;
}

int json_step(struct json_writer *to)
{
    int status = rf_export_step(to->job);
    return status == RF_OK ? json_next_item(to) : status;
}
