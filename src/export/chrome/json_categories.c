/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations that have a category, in Chrome trace JSON, on tracks of their categories: behind the
 * thread's own track one for each category of each domain, and one for the start/end ranges of it.
 */
#include "export/chrome/json_categories.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/map.h"
#include "export/chrome/json_nvtx.h"
#include "export/chrome/json_tracks.h"

/* The events of a thread, by track. */
struct category_tracks {
    struct rf_map number_of; /* (domain, category and whether it is a start/end range) */
    uint32_t *number;        /* by event; RF_MAP_NONE: it is on the thread's own track */
    size_t *end; /* by track: of its events in order; first of all, how many there are */
    uint32_t n;
    size_t room;
    uint32_t *order;
};

bool json_has_category_track(const struct json_writer *to, const struct rf_event *event)
{
    return to->by_category && (event->flags & RF_EVENT_HAS_CATEGORY) != 0 &&
           (event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END ||
            event->kind == RF_EVENT_MARK);
}

static uint32_t track_of(struct category_tracks *tracks, const struct rf_event *event)
{
    uint64_t key = (uint64_t)event->category << 1 | (event->kind == RF_EVENT_START_END);
    uint32_t number = rf_map_find(&tracks->number_of, event->domain, key);
    if (number != RF_MAP_NONE)
        return number;
    if (rf_grow_array(&tracks->end, tracks->n, &tracks->room, sizeof(*tracks->end)) != RF_OK)
        return RF_MAP_NONE;
    if (rf_map_set(&tracks->number_of, event->domain, key, tracks->n) != RF_OK)
        return RF_MAP_NONE;
    tracks->end[tracks->n] = 0;
    return tracks->n++;
}

/* Which track each event is on. Returns false when out of memory. */
static bool number_events(struct category_tracks *tracks, const struct json_writer *to,
                          const struct rf_event *event, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tracks->number[i] = RF_MAP_NONE;
        if (!json_has_category_track(to, &event[i]))
            continue;
        uint32_t number = track_of(tracks, &event[i]);
        if (number == RF_MAP_NONE)
            return false;
        tracks->number[i] = number;
        tracks->end[number]++;
    }
    return true;
}

/* The events of each track, in their order. */
static void order_events(struct category_tracks *tracks, size_t n)
{
    size_t first = 0;
    for (uint32_t i = 0; i < tracks->n; i++) {
        size_t count = tracks->end[i];
        tracks->end[i] = first;
        first += count;
    }
    for (size_t i = 0; i < n; i++)
        if (tracks->number[i] != RF_MAP_NONE)
            tracks->order[tracks->end[tracks->number[i]]++] = (uint32_t)i;
}

static int find_tracks(struct category_tracks *tracks, const struct json_writer *to,
                       const struct rf_event *event, size_t n)
{
    tracks->number = malloc((n + 1) * sizeof(*tracks->number));
    tracks->order = malloc((n + 1) * sizeof(*tracks->order));
    if (tracks->number == NULL || tracks->order == NULL || !number_events(tracks, to, event, n))
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    order_events(tracks, n);
    return RF_OK;
}

/* ---- Writing ---- */

/* "THREAD: DOMAIN: CATEGORY", without the default domain. */
static void put_track_name(struct json_writer *to)
{
    const struct rf_event *event = to->category;
    const struct rf_thread *thread = rf_thread_at(to->rec, to->thread);
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    json_put_numbered_name(to, thread->name, "thread", thread->tid);
    rf_sink_text(to->sink, event->kind == RF_EVENT_START_END ? ": start/end: " : ": ");
    if (domain->id != 0 || !domain->is_valid) {
        json_put_numbered_name(to, domain->name, "domain", domain->id);
        rf_sink_text(to->sink, ": ");
    }
    json_put_numbered_name(to, rf_category_name(to->rec, event->domain, event->category),
                           "category", event->category);
}

int json_put_categories(struct json_writer *to, uint32_t thread)
{
    size_t n, i = 0;
    const struct rf_event *event = rf_thread_events(to->rec, thread, &n);
    struct category_tracks tracks = {.n = 0};
    int status = find_tracks(&tracks, to, event, n);
    for (uint32_t track = 0; track < tracks.n && status == RF_OK; track++) {
        to->category = &event[tracks.order[i]];
        json_begin_track(to, to->pid, 0, json_next_place(to), put_track_name);
        for (; i < tracks.end[track] && status == RF_OK; i++) {
            status = json_put_event(to, &event[tracks.order[i]]);
            if (status == RF_OK)
                status = rf_sink_status(to->sink);
        }
    }
    rf_map_release(&tracks.number_of);
    free(tracks.number);
    free(tracks.order);
    free(tracks.end);
    return status;
}
