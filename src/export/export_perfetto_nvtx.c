/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations: per thread a track for each domain, the default domain's being the thread's own;
 * per process and domain tracks for start/end ranges, which overlap as they like. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/event_names.h"
#include "export/export_perfetto.h"

/* ---- What an annotation holds ---- */

static void put_domain(struct pf_writer *to, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (domain->id == 0 && domain->is_valid)
        return;
    if (domain->is_valid) {
        pf_put_string(to, PF_ANNOTATION, PF_KEY_DOMAIN, domain->name);
        return;
    }
    rf_sink_hex(&to->words, domain->handle);
    pf_put_sunk(to, PF_ANNOTATION, PF_KEY_DOMAIN);
}

static void put_payload(struct pf_writer *to, const struct rf_event *event)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)event->payload;
    switch (event->payload_type) {
    case RF_TYPE_UINT64:
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, event->payload);
        break;
    case RF_TYPE_UINT32:
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, low);
        break;
    case RF_TYPE_INT64:
        pf_put_i64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, (int64_t)event->payload);
        break;
    case RF_TYPE_INT32:
        pf_put_i64(to, PF_ANNOTATION, PF_KEY_PAYLOAD, (int32_t)low);
        break;
    case RF_TYPE_DOUBLE:
        memcpy(&wide, &event->payload, sizeof(wide));
        pf_put_double(to, PF_ANNOTATION, PF_KEY_PAYLOAD, wide);
        break;
    case RF_TYPE_FLOAT:
        memcpy(&narrow, &low, sizeof(narrow));
        pf_put_double(to, PF_ANNOTATION, PF_KEY_PAYLOAD, (double)narrow);
        break;
    case RF_TYPE_JSON:
    case RF_TYPE_BINARY:
        pf_put_string(to, PF_ANNOTATION, PF_KEY_PAYLOAD, rf_payload_string(event));
        break;
    default:
        rf_sink_hex(&to->words, event->payload);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_PAYLOAD);
        break;
    }
}

static void put_category(struct pf_writer *to, const struct rf_event *event)
{
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_CATEGORY, event->category);
    pf_put_string(to, PF_ANNOTATION, PF_KEY_CATEGORY_NAME,
                  rf_category_name(to->rec, event->domain, event->category));
}

static void put_start_end(struct pf_writer *to, uint32_t thread, const struct rf_event *event)
{
    const struct rf_start_end *start_end = rf_start_end_at(to->rec, event->link);
    if (start_end == NULL)
        return;
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_RANGE, start_end->number);
    const struct rf_thread *end_thread = rf_thread_at(to->rec, start_end->end_thread);
    if (end_thread != NULL && start_end->end_thread != thread)
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_END_THREAD, end_thread->tid);
}

void pf_put_nvtx_details(struct pf_writer *to, uint32_t thread, const struct rf_event *event)
{
    put_domain(to, event);
    if (event->name == RF_NO_STRING) /* tells it from a text that reads the same */
        pf_put_words(to, PF_ANNOTATION, PF_KEY_MESSAGE, "null");
    if ((event->flags & RF_EVENT_HAS_CATEGORY) != 0)
        put_category(to, event);
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0) {
        rf_sink_color(&to->words, event->color);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_COLOR);
    }
    if (event->payload_type != RF_TYPE_NONE)
        put_payload(to, event);
    if (event->kind == RF_EVENT_START_END)
        put_start_end(to, thread, event);
    if (event->cut != RF_CUT_NONE)
        pf_put_words(to, PF_ANNOTATION, PF_KEY_CUT, rf_cut_name(event->cut));
    if (rf_has_flags(to->rec, event)) {
        rf_sink_flags(&to->words, to->rec, event);
        pf_put_sunk(to, PF_ANNOTATION, PF_KEY_FLAGS);
    }
}

static int put_event(struct pf_writer *to, enum pf_event_type type, uint64_t uuid, uint32_t thread,
                     const struct rf_event *event)
{
    size_t begin = pf_begin_event(to, event->start_ns, type, uuid, PF_CAT_NVTX);
    pf_put_name(to, event->name);
    pf_put_nvtx_details(to, thread, event);
    return pf_end_event(to, begin);
}

static int put_sync(struct pf_writer *to, uint64_t uuid, const struct rf_event *event)
{
    size_t begin = pf_begin_event(to, event->start_ns, PF_INSTANT, uuid, PF_CAT_SYNC);
    rf_sink_text(&to->words, rf_sync_operation_name(event->category));
    if (rf_string(to->rec, event->name, NULL) != NULL) {
        rf_sink_char(&to->words, ' ');
        pf_sink_string(to, event->name);
    }
    pf_take_words(to, &to->packet, PF_EVENT_NAME);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_SYNC, event->color);
    return pf_end_event(to, begin);
}

/* ---- Domains of a thread ---- */

struct domain_tracks {
    uint32_t *slot; /* by domain: number of its track, from 1; 0: none in this thread yet */
    struct pf_track *track;
    uint32_t *domain; /* of each track */
    uint32_t n, capacity;
};

static struct pf_track *add_track(struct pf_writer *to, struct domain_tracks *tracks)
{
    if (tracks->n == tracks->capacity) {
        uint32_t capacity = tracks->capacity * 2 + 8;
        struct pf_track *track = realloc(tracks->track, capacity * sizeof(*track));
        if (track != NULL)
            tracks->track = track;
        uint32_t *domain = realloc(tracks->domain, capacity * sizeof(*domain));
        if (domain != NULL)
            tracks->domain = domain;
        if (track == NULL || domain == NULL) {
            (void)pf_fail(to, rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory"));
            return NULL;
        }
        memset(track + tracks->capacity, 0, (capacity - tracks->capacity) * sizeof(*track));
        tracks->capacity = capacity;
    }
    return &tracks->track[tracks->n];
}

static void name_domain(struct pf_writer *to, const struct rf_domain *domain, const char *prefix,
                        char *name, size_t size)
{
    rf_sink_text(&to->words, prefix);
    if (!domain->is_valid)
        rf_sink_hex(&to->words, domain->handle);
    else if (rf_string(to->rec, domain->name, NULL) == NULL)
        rf_sink_text(&to->words, domain->id == 0 ? "NVTX" : "domain (null)");
    size_t n = to->words.used < size ? to->words.used : size - 1;
    memcpy(name, to->words.buffer, n);
    name[n] = '\0';
    to->words.used = 0;
}

static struct pf_track *track_of(struct pf_writer *to, struct domain_tracks *tracks,
                                 uint32_t thread, uint32_t domain)
{
    char name[64];
    if (tracks->slot[domain] != 0)
        return &tracks->track[tracks->slot[domain] - 1];
    struct pf_track *track = add_track(to, tracks);
    if (track == NULL)
        return NULL;
    const struct rf_domain *about = rf_domain_at(to->rec, domain);
    int is_default = about->id == 0 && about->is_valid;
    name_domain(to, about, "", name, sizeof(name));
    pf_track_begin(track, pf_thread_uuid(to, thread), name,
                   about->is_valid ? about->name : RF_NO_STRING, is_default ? 0 : about->id);
    if (is_default)
        track->first_uuid = pf_thread_uuid(to, thread);
    tracks->domain[tracks->n++] = domain;
    tracks->slot[domain] = tracks->n;
    return track;
}

static void finish_thread(struct pf_writer *to, struct domain_tracks *tracks)
{
    for (uint32_t i = 0; i < tracks->n; i++) {
        pf_track_finish(to, &tracks->track[i]);
        tracks->slot[tracks->domain[i]] = 0;
    }
    tracks->n = 0;
}

static int put_thread_event(struct pf_writer *to, struct domain_tracks *tracks, uint32_t thread,
                            const struct rf_event *event)
{
    if (event->kind == RF_EVENT_START_END)
        to->has_start_end = 1;
    if (event->kind != RF_EVENT_PUSH_POP && event->kind != RF_EVENT_MARK &&
        event->kind != RF_EVENT_SYNC)
        return to->status; /* names are where they are used */
    struct pf_track *track = track_of(to, tracks, thread, event->domain);
    if (track == NULL)
        return to->status;
    if (event->kind == RF_EVENT_PUSH_POP) {
        uint64_t uuid = pf_track_place(to, track, event->start_ns, event->end_ns);
        return put_event(to, PF_BEGIN, uuid, thread, event);
    }
    uint64_t uuid = pf_track_instant(to, track, event->start_ns);
    return event->kind == RF_EVENT_MARK ? put_event(to, PF_INSTANT, uuid, thread, event)
                                        : put_sync(to, uuid, event);
}

static int put_thread(struct pf_writer *to, struct domain_tracks *tracks, uint32_t thread)
{
    size_t n;
    const struct rf_event *events = rf_thread_events(to->rec, thread, &n);
    for (size_t i = 0; i < n && to->status == RF_OK; i++) {
        (void)put_thread_event(to, tracks, thread, &events[i]);
        if (events[i].kind != RF_EVENT_START_END)
            (void)pf_fail(to, rf_export_step(to->job));
    }
    finish_thread(to, tracks);
    return to->status;
}

int pf_write_threads(struct pf_writer *to)
{
    struct domain_tracks tracks = {0};
    tracks.slot = calloc((size_t)rf_n_domains(to->rec) + 1, sizeof(*tracks.slot));
    if (tracks.slot == NULL)
        return pf_fail(to, rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory"));
    for (uint32_t i = 0; i < rf_n_threads(to->rec) && to->status == RF_OK; i++)
        (void)put_thread(to, &tracks, i);
    for (uint32_t i = 0; i < tracks.capacity; i++)
        pf_track_release(&tracks.track[i]);
    free(tracks.track);
    free(tracks.domain);
    free(tracks.slot);
    return to->status;
}

/* ---- Start/end ranges ---- */

/* Tracks of a domain for ranges that overlap: a heap by the end of the last range on each, so that
 * the one that is free first is found at once. No range lies inside another one. */
struct open_track {
    int64_t end_ns;
    uint64_t uuid;
};

struct overlapping {
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

static uint64_t place_overlapping(struct pf_writer *to, struct overlapping *tracks,
                                  const struct rf_event *event)
{
    if (tracks->n > 0 && tracks->heap[0].end_ns <= event->start_ns) {
        uint64_t uuid = tracks->heap[0].uuid;
        tracks->heap[0].end_ns = event->end_ns;
        sift_down(tracks);
        return uuid;
    }
    if (tracks->n == tracks->capacity) {
        size_t capacity = tracks->capacity * 2 + 8;
        struct open_track *grown = realloc(tracks->heap, capacity * sizeof(*grown));
        if (grown == NULL)
            return (void)pf_fail(to, rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory")), 0;
        tracks->heap = grown;
        tracks->capacity = capacity;
    }
    char name[64];
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    name_domain(to, domain, "start/end: ", name, sizeof(name));
    uint64_t uuid = pf_describe(to, pf_process_uuid(to, domain->process), name,
                                domain->is_valid ? domain->name : RF_NO_STRING, domain->id);
    tracks->heap[tracks->n] = (struct open_track){event->end_ns, uuid};
    sift_up(tracks->heap, tracks->n++);
    return uuid;
}

static int put_overlapping(struct pf_writer *to, struct overlapping *domains,
                           const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    uint64_t uuid = place_overlapping(to, &domains[event->domain], event);
    if (uuid == 0)
        return to->status;
    (void)put_event(to, PF_BEGIN, uuid, at->thread, event);
    pf_put_end(to, event->end_ns, uuid);
    return pf_fail(to, rf_export_step(to->job));
}

int pf_write_start_ends(struct pf_writer *to)
{
    struct rf_cursor *cursor = NULL;
    struct rf_event_at at;
    size_t n_domains = rf_n_domains(to->rec);
    if (!to->has_start_end)
        return to->status;
    struct overlapping *domains = calloc(n_domains + 1, sizeof(*domains));
    if (domains == NULL)
        return pf_fail(to, rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory"));
    (void)pf_fail(to, rf_cursor_new(to->rec, &cursor, to->job->err));
    while (to->status == RF_OK && rf_cursor_next(cursor, &at))
        if (at.event->kind == RF_EVENT_START_END)
            (void)put_overlapping(to, domains, &at);
    rf_cursor_free(cursor);
    for (size_t i = 0; i < n_domains; i++)
        free(domains[i].heap);
    free(domains);
    return to->status;
}
