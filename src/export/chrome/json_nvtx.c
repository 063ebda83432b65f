/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations in Chrome trace JSON, on the tracks of their threads, with the calls that these made.
 * With to->by_category there is behind each thread's own track one for each category of each
 * domain, and one for the start/end ranges of it. */
#include "export/chrome/json_nvtx.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "base/map.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"
#include "model/fields/event_names.h"
#include "model/private_access.h"

/* ---- Args ---- */

/* The fields that an event has. */
static void put_fields(struct json_writer *to, const struct rf_event *event)
{
    const struct rf_event_at at = {event, to->thread};
    struct rf_row row;
    if (rf_event_is_plain(event))
        return;
    rf_row_of_event(to->rec, &at, &row);
    to->has_args = rf_sink_members(to->sink, &to->members->event[event->kind], &row, to->has_args);
    if (event->kind <= RF_EVENT_START_END)
        to->has_args =
            rf_sink_members(to->sink, &to->members->range[event->kind], &row, to->has_args);
}

static void put_args(struct json_writer *to, const struct rf_event *event)
{
    struct rf_sink *sink = to->sink;
    json_put_domain_arg(to, event);
    if (event->name == RF_NO_STRING && event->kind != RF_EVENT_SYNC) {
        json_put_arg(to, "message"); /* tells it from a text that reads the same */
        rf_sink_text(sink, "null");
    }
    put_fields(to, event);
    if (rf_has_flags(to->rec, event)) {
        json_put_arg(to, "flags");
        rf_sink_char(sink, '"');
        rf_sink_flags(sink, to->rec, event);
        rf_sink_char(sink, '"');
    }
    json_end_args(to);
}

/* ---- The words of PyTorch's profiler ---- */

static void put_kineto_args(struct json_writer *to, const struct rf_event *event)
{
    struct json_operator parsed;
    const struct rf_event *events = rf_thread_events(to->rec, to->thread, NULL);
    const char *text = json_kineto_parse(to, event, &parsed);
    json_put_number_arg(to, "External id",
                        json_kineto_external_id(to, to->thread, (uint32_t)(event - events)));
    if (parsed.has_sequence)
        json_put_number_arg(to, "Sequence number", parsed.sequence);
    if (parsed.name_size < parsed.size) {
        json_put_arg(to, "message");
        rf_sink_json(to->sink, text, parsed.size);
    }
}

static const char *category_of(struct json_writer *to, const struct rf_event *event)
{
    if (to->kineto == NULL || event->kind != RF_EVENT_PUSH_POP)
        return "nvtx";
    return json_kineto_is_operator(to, event) ? "cpu_op" : "user_annotation";
}

/* ---- Events ---- */

static void put_slice_name(struct json_writer *to, const void *item)
{
    if (to->kineto != NULL)
        json_kineto_put_name(to, item);
    else
        json_put_event_name(to, item);
}

static void put_slice_args(struct json_writer *to, const void *item)
{
    if (to->kineto != NULL)
        put_kineto_args(to, item);
    put_args(to, item);
}

static struct json_slice slice_of(struct json_writer *to, const struct rf_event *event)
{
    return (struct json_slice){category_of(to, event), event,           put_slice_name,
                               put_slice_args,         event->start_ns, event->end_ns};
}

/* Ends on the track of the thread which ended it, if that has one in this process. */
static void put_start_end(struct json_writer *to, const struct rf_event *event)
{
    const struct json_slice slice = slice_of(to, event);
    uint32_t end_thread = rf_start_end_at(to->rec, event->link)->end_thread;
    const struct rf_thread *begun = rf_thread_at(to->rec, to->thread);
    const struct rf_thread *ended = rf_thread_at(to->rec, end_thread);
    if (ended == NULL || ended->process != begun->process || ended->n_events == 0)
        end_thread = to->thread;
    json_put_async(to, &slice, (uint64_t)event->link + 1, to->ids.tids[to->thread],
                   to->ids.tids[end_thread]);
}

static int put_slice(struct json_writer *to, const struct rf_event *event)
{
    const struct json_slice slice = slice_of(to, event);
    return json_put_slice(to, &slice, NULL);
}

static void begin_instant(struct json_writer *to, const char *category)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"");
    rf_sink_text(to->sink, category);
    rf_sink_text(to->sink, "\",");
}

static void put_mark(struct json_writer *to, const struct rf_event *event)
{
    uint32_t tid = json_lane_tid(to, 0);
    begin_instant(to, to->kineto != NULL ? "cpu_instant_event" : "nvtx");
    json_put_event_name(to, event);
    json_put_place(to, tid, event->start_ns);
    put_args(to, event);
}

static void put_instant(struct json_writer *to, const struct rf_event *event)
{
    const char *category = rf_row_kind(&rf_event_fields, event->kind)->chrome;
    begin_instant(to, category != NULL ? category : "nvtx");
    rf_sink_text(to->sink, "\"name\":\"");
    rf_sink_text(to->sink, rf_instant_label(event));
    if (rf_string(to->rec, event->name, NULL) != NULL) {
        rf_sink_char(to->sink, ' ');
        json_put_inner_name(to, event->name, "");
    }
    rf_sink_char(to->sink, '"');
    json_put_place(to, to->ids.tids[to->thread], event->start_ns);
    put_fields(to, event);
    json_end_args(to);
}

static bool has_scope_track(const struct json_writer *to, const struct rf_event *event)
{
    return to->has_scopes && rf_event_scope(to->rec, event) != RF_NO_STRING;
}

static bool has_category_track(const struct json_writer *to, const struct rf_event *event)
{
    return to->by_category && (event->flags & RF_EVENT_HAS_CATEGORY) != 0 &&
           (event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END ||
            event->kind == RF_EVENT_MARK);
}

int json_put_event(struct json_writer *to, const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_PUSH_POP:
        return put_slice(to, event);
    case RF_EVENT_START_END: /* on a track of its category or scope it is a slice like others */
        if (has_category_track(to, event) || has_scope_track(to, event))
            return put_slice(to, event);
        put_start_end(to, event);
        return RF_OK;
    case RF_EVENT_MARK:
        put_mark(to, event);
        return RF_OK;
    default: /* names are where they are used */
        if (rf_event_is_instant(event))
            put_instant(to, event);
        return RF_OK;
    }
}

/* ---- Tracks of categories ---- */

/* The events of a track, in order. */
struct category_track {
    uint32_t first, last;
};

/* The events of a thread that are not on its own track. */
struct category_tracks {
    struct rf_map number_of; /* (domain, category and whether it is a start/end range) */
    struct category_track *track;
    uint32_t n;
    size_t room;
    uint32_t *next; /* by event: the next one of its track */
};

/* Returns false when out of memory. */
static bool add_event(struct category_tracks *tracks, const struct rf_event *event, uint32_t index)
{
    uint64_t key = (uint64_t)event->category << 1 | (event->kind == RF_EVENT_START_END);
    uint32_t number = rf_map_find(&tracks->number_of, event->domain, key);
    if (number == RF_MAP_NONE) {
        number = tracks->n;
        if (rf_grow_array(&tracks->track, number, &tracks->room, sizeof(*tracks->track)) != RF_OK ||
            rf_map_set(&tracks->number_of, event->domain, key, number) != RF_OK)
            return false;
        tracks->track[tracks->n++] = (struct category_track){index, index};
    }
    struct category_track *track = &tracks->track[number];
    tracks->next[track->last] = index;
    tracks->next[index] = RF_NO_INDEX;
    track->last = index;
    return true;
}

static int find_tracks(struct category_tracks *tracks, const struct json_writer *to,
                       const struct rf_event *event, size_t n)
{
    tracks->next = malloc((n + 1) * sizeof(*tracks->next));
    bool has_memory = tracks->next != NULL;
    for (uint32_t i = 0; i < n && has_memory; i++)
        if (has_category_track(to, &event[i]) && !has_scope_track(to, &event[i]))
            has_memory = add_event(tracks, &event[i], i);
    return has_memory ? RF_OK : rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
}

void json_put_category_words(struct json_writer *to, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (domain->id != 0 || !domain->is_valid) {
        json_put_numbered_name(to, domain->name, "domain", domain->id);
        rf_sink_text(to->sink, ": ");
    }
    json_put_numbered_name(to, rf_category_name(to->rec, event->domain, event->category),
                           "category", event->category);
}

/* "THREAD: DOMAIN: CATEGORY", without the default domain. */
static void put_category_track_name(struct json_writer *to)
{
    const struct rf_event *event = to->category;
    const struct rf_thread *thread = rf_thread_at(to->rec, to->thread);
    json_put_numbered_name(to, thread->name, "thread", thread->tid);
    rf_sink_text(to->sink, event->kind == RF_EVENT_START_END ? ": start/end: " : ": ");
    json_put_category_words(to, event);
}

static int put_categories(struct json_writer *to, uint32_t thread)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(to->rec, thread, &n);
    struct category_tracks tracks = {.n = 0};
    int status = find_tracks(&tracks, to, event, n);
    for (uint32_t track = 0; track < tracks.n && status == RF_OK; track++) {
        uint32_t i = tracks.track[track].first;
        to->category = &event[i];
        json_begin_track(to, to->pid, 0, json_next_place(to), put_category_track_name);
        for (; i != RF_NO_INDEX && status == RF_OK; i = tracks.next[i]) {
            status = json_put_event(to, &event[i]);
            if (status == RF_OK)
                status = json_next_item(to);
        }
    }
    rf_map_release(&tracks.number_of);
    free(tracks.track);
    free(tracks.next);
    return status;
}

/* ---- Threads ---- */

static void put_track_name(struct json_writer *to)
{
    const struct rf_thread *thread = rf_thread_at(to->rec, to->thread);
    json_put_numbered_name(to, thread->name, "thread", thread->tid);
    if (to->ids.tids[to->thread] != thread->tid) {
        json_put_member(to->sink, " (tid ", thread->tid);
        rf_sink_char(to->sink, ')');
    }
}

int json_put_thread(struct json_writer *to, uint32_t thread)
{
    size_t n_events, n_calls;
    const struct rf_event *event = rf_thread_events(to->rec, thread, &n_events);
    const struct rf_call *call = rf_thread_calls(to->rec, thread, &n_calls);
    int status = RF_OK;
    to->thread = thread;
    json_begin_track(to, to->ids.pids[rf_thread_at(to->rec, thread)->process], to->ids.tids[thread],
                     json_next_place(to), put_track_name);
    (void)json_lane_tid(to, 0);
    while ((n_events > 0 || n_calls > 0) && status == RF_OK) {
        if (n_calls == 0 || (n_events > 0 && rf_is_before_call(event, call))) {
            if (!has_category_track(to, event) && !has_scope_track(to, event))
                status = json_put_event(to, event);
            event++;
            n_events--;
        } else {
            status = json_put_call(to, call++);
            n_calls--;
        }
        if (status == RF_OK)
            status = json_step(to);
    }
    return status == RF_OK && to->by_category ? put_categories(to, thread) : status;
}
