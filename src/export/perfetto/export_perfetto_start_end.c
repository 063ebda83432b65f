/* SPDX-License-Identifier: Apache-2.0 */
/* Start/end ranges, which overlap as they like: per process and domain as many tracks as ranges are
 * open at once; where that is asked for, below the domain's first one those of its categories. */
#include "export/perfetto/export_perfetto_start_end.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "export/perfetto/export_perfetto_nvtx.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_tracks.h"

/* Tracks for ranges that overlap: a heap by the end of the last range on each, so that the one that
 * is free first is found at once. No range lies inside another one. */
struct open_track {
    int64_t end_ns;
    uint64_t uuid;
};

struct overlapping {
    uint64_t parent;
    uint64_t first_uuid; /* 0: there is none yet */
    struct pf_track_name name;
    struct open_track *heap;
    size_t n, capacity;
};

static void sift_down(struct overlapping *tracks)
{
    struct open_track *heap = tracks->heap;
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < tracks->n; child++)
            if (heap[child].end_ns < heap[least].end_ns)
                least = child;
        if (least == i)
            return;
        struct open_track moved = heap[i];
        heap[i] = heap[least];
        heap[least] = moved;
        i = least;
    }
}

static void sift_up(struct open_track *heap, size_t i)
{
    for (; i > 0 && heap[i].end_ns < heap[(i - 1) / 2].end_ns; i = (i - 1) / 2) {
        struct open_track moved = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = moved;
    }
}

static uint64_t add_open(struct pf_writer *to, struct overlapping *tracks, int64_t end_ns)
{
    if (rf_grow_array(&tracks->heap, tracks->n, &tracks->capacity, sizeof(*tracks->heap)) != RF_OK)
        return (void)pf_fail_memory(to), 0;
    uint64_t uuid = pf_describe(to, tracks->parent, &tracks->name);
    if (tracks->first_uuid == 0)
        tracks->first_uuid = uuid;
    tracks->heap[tracks->n] = (struct open_track){end_ns, uuid};
    sift_up(tracks->heap, tracks->n++);
    return uuid;
}

static uint64_t place(struct pf_writer *to, struct overlapping *tracks,
                      const struct rf_event *event)
{
    if (tracks->n == 0 || tracks->heap[0].end_ns > event->start_ns)
        return add_open(to, tracks, event->end_ns);
    uint64_t uuid = tracks->heap[0].uuid;
    tracks->heap[0].end_ns = event->end_ns;
    sift_down(tracks);
    return uuid;
}

/* ---- Domains and their categories ---- */

struct start_ends {
    struct rf_map number_of; /* (domain, pf_category_key()) */
    struct overlapping *item;
    uint32_t n;
    size_t capacity;
};

static struct overlapping *add_item(struct pf_writer *to, struct start_ends *all, uint32_t domain,
                                    uint64_t key)
{
    if (rf_grow_array(&all->item, all->n, &all->capacity, sizeof(*all->item)) != RF_OK ||
        rf_map_set(&all->number_of, domain, key, all->n) != RF_OK) {
        (void)pf_fail_memory(to);
        return NULL;
    }
    memset(&all->item[all->n], 0, sizeof(all->item[all->n]));
    return &all->item[all->n++];
}

static struct overlapping *tracks_of(struct pf_writer *to, struct start_ends *all,
                                     const struct rf_event *event, uint64_t key)
{
    uint64_t parent;
    uint32_t number = rf_map_find(&all->number_of, event->domain, key);
    if (number != RF_MAP_NONE)
        return &all->item[number];
    if (key == 0) {
        parent = pf_process_uuid(rf_domain_at(to->rec, event->domain)->process);
    } else { /* below the domain's first track, which any range may use later */
        struct overlapping *domain = tracks_of(to, all, event, 0);
        if (domain == NULL)
            return NULL;
        parent = domain->first_uuid != 0 ? domain->first_uuid : add_open(to, domain, INT64_MIN);
    }
    struct overlapping *tracks = add_item(to, all, event->domain, key);
    if (tracks == NULL)
        return NULL;
    tracks->parent = parent;
    if (key == 0)
        pf_name_domain(to, &tracks->name, event->domain, "start/end: ");
    else
        pf_name_category(to, &tracks->name, event);
    return tracks;
}

static int put_range(struct pf_writer *to, struct start_ends *all, const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    struct overlapping *tracks = tracks_of(to, all, event, pf_category_key(to, event));
    uint64_t uuid = tracks != NULL ? place(to, tracks, event) : 0;
    if (uuid == 0)
        return to->status;
    (void)pf_put_annotation(to, PF_BEGIN, uuid, at->thread, event);
    pf_put_end(to, event->end_ns, uuid);
    return pf_fail(to, rf_export_step(to->job));
}

int pf_write_start_ends(struct pf_writer *to)
{
    struct rf_cursor *cursor = NULL;
    struct rf_event_at at;
    struct start_ends all = {0};
    if (!to->has_start_end)
        return to->status;
    (void)pf_fail(to, rf_cursor_new(to->rec, &cursor, to->job->err));
    while (to->status == RF_OK && rf_cursor_next(cursor, &at))
        if (at.event->kind == RF_EVENT_START_END)
            (void)put_range(to, &all, &at);
    rf_cursor_free(cursor);
    for (uint32_t i = 0; i < all.n; i++)
        free(all.item[i].heap);
    free(all.item);
    rf_map_release(&all.number_of);
    return to->status;
}
