/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did. Annotations: a track for every domain, the default domain's being the thread's
 * own; where that is asked for, below it one for every category. Calls: a track for those of CUDA
 * and one for those of the system. A call refers to the GPU work that it caused: by flows, or,
 * where GPU work is events of its own kind, by their ids. */
#include "export/perfetto/export_perfetto_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "export/perfetto/export_perfetto_fields.h"
#include "export/perfetto/export_perfetto_nvtx.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_tracks.h"
#include "model/fields/event_names.h"

/* ---- Tracks of a thread ---- */

struct thread_tracks {
    uint32_t thread;
    struct pf_fields instants[RF_MAX_KINDS]; /* by enum rf_event_kind */
    struct rf_map number_of;                 /* (domain, pf_category_key()) */
    struct pf_track *track;
    uint32_t n, capacity; /* those from n on have memory for the next thread */
    uint32_t last;        /* number of the one used last */
    uint32_t last_domain;
    uint64_t last_key;
};

static uint32_t add_track(struct pf_writer *to, struct thread_tracks *tracks, uint32_t domain,
                          uint64_t key)
{
    if (tracks->n == tracks->capacity) {
        struct pf_track *grown = pf_grow_zeroed(tracks->track, &tracks->capacity, sizeof(*grown));
        tracks->track = grown != NULL ? grown : tracks->track;
    }
    if (tracks->n == tracks->capacity ||
        rf_map_set(&tracks->number_of, domain, key, tracks->n) != RF_OK) {
        (void)pf_fail_memory(to);
        return RF_MAP_NONE;
    }
    return tracks->n++;
}

static uint32_t domain_track(struct pf_writer *to, struct thread_tracks *tracks, uint32_t domain)
{
    struct pf_track_name name;
    uint32_t number = rf_map_find(&tracks->number_of, domain, 0);
    if (number != RF_MAP_NONE)
        return number;
    number = add_track(to, tracks, domain, 0);
    if (number == RF_MAP_NONE)
        return number;
    const struct rf_domain *about = rf_domain_at(to->rec, domain);
    pf_name_domain(to, &name, domain, "");
    pf_track_begin(&tracks->track[number], pf_thread_uuid(to, tracks->thread), &name);
    if (about->id == 0 && about->is_valid)
        tracks->track[number].first_uuid = pf_thread_uuid(to, tracks->thread);
    return number;
}

static uint32_t category_track(struct pf_writer *to, struct thread_tracks *tracks,
                               const struct rf_event *event, uint64_t key)
{
    struct pf_track_name name;
    uint32_t domain = domain_track(to, tracks, event->domain);
    uint64_t parent = domain != RF_MAP_NONE ? pf_track_uuid(to, &tracks->track[domain]) : 0;
    uint32_t number = parent != 0 ? add_track(to, tracks, event->domain, key) : RF_MAP_NONE;
    if (number == RF_MAP_NONE)
        return number;
    pf_name_category(to, &name, event);
    pf_track_begin(&tracks->track[number], parent, &name);
    return number;
}

static struct pf_track *track_of(struct pf_writer *to, struct thread_tracks *tracks,
                                 const struct rf_event *event)
{
    uint64_t key = pf_category_key(to, event);
    if (tracks->n > 0 && tracks->last_domain == event->domain && tracks->last_key == key)
        return &tracks->track[tracks->last];
    uint32_t number = rf_map_find(&tracks->number_of, event->domain, key);
    if (number == RF_MAP_NONE)
        number = key == 0 ? domain_track(to, tracks, event->domain)
                          : category_track(to, tracks, event, key);
    if (number == RF_MAP_NONE)
        return NULL;
    tracks->last = number;
    tracks->last_domain = event->domain;
    tracks->last_key = key;
    return &tracks->track[number];
}

/* ---- Annotations ---- */

static void init_instants(struct pf_writer *to, struct thread_tracks *tracks)
{
    for (unsigned kind = 1; kind < rf_event_fields.n_kinds; kind++)
        if (rf_event_fields.kind[kind].is_instant)
            pf_fields_init(&tracks->instants[kind], to, &rf_event_fields, kind, PF_ANNOTATION);
}

static int put_instant(struct pf_writer *to, const struct pf_fields *fields, uint64_t uuid,
                       const struct rf_event *event)
{
    enum pf_category category = event->kind == RF_EVENT_SYNC ? PF_CAT_SYNC : PF_CAT_NVTX;
    size_t begin = pf_begin_event(to, event->start_ns, PF_INSTANT, uuid, category);
    rf_sink_text(&to->words, rf_instant_label(event));
    if (rf_string(to->rec, event->name, NULL) != NULL) {
        rf_sink_char(&to->words, ' ');
        pf_sink_string(to, event->name);
    }
    pf_take_words(to, &to->packet, PF_EVENT_NAME);
    pf_put_fields(to, fields, PF_ROW, event);
    return pf_end_message(to, begin);
}

static int put_event(struct pf_writer *to, struct thread_tracks *tracks,
                     const struct rf_event *event)
{
    if (event->kind == RF_EVENT_START_END)
        to->has_start_end = 1;
    if (event->kind != RF_EVENT_PUSH_POP && event->kind != RF_EVENT_MARK &&
        !rf_event_is_instant(event))
        return to->status; /* names are where they are used */
    struct pf_track *track = track_of(to, tracks, event);
    if (track == NULL)
        return to->status;
    if (event->kind == RF_EVENT_PUSH_POP) {
        uint64_t uuid = pf_track_place(to, track, event->start_ns, event->end_ns);
        return pf_put_annotation(to, PF_BEGIN, uuid, tracks->thread, event);
    }
    uint64_t uuid = pf_track_instant(to, track, event->start_ns);
    return event->kind == RF_EVENT_MARK
               ? pf_put_annotation(to, PF_INSTANT, uuid, tracks->thread, event)
               : put_instant(to, &tracks->instants[event->kind], uuid, event);
}

static void put_thread(struct pf_writer *to, struct thread_tracks *tracks)
{
    size_t n;
    const struct rf_event *events = rf_thread_events(to->rec, tracks->thread, &n);
    for (size_t i = 0; i < n && to->status == RF_OK; i++) {
        (void)put_event(to, tracks, &events[i]);
        if (events[i].kind != RF_EVENT_START_END)
            (void)pf_fail(to, rf_export_step(to->job));
    }
    for (uint32_t i = 0; i < tracks->n; i++)
        pf_track_finish(to, &tracks->track[i]);
    if (tracks->n > 0)
        rf_map_release(&tracks->number_of);
    tracks->n = 0;
}

int pf_write_threads(struct pf_writer *to)
{
    struct thread_tracks tracks = {0};
    init_instants(to, &tracks);
    for (; tracks.thread < rf_n_threads(to->rec) && to->status == RF_OK; tracks.thread++)
        put_thread(to, &tracks);
    for (uint32_t i = 0; i < tracks.capacity; i++)
        pf_track_release(&tracks.track[i]);
    free(tracks.track);
    rf_map_release(&tracks.number_of);
    return to->status;
}

/* ---- Calls ---- */

enum { SUBMITTED_IDS = 1 };

#define N_KINDS (RF_CALL_OS + 1)

struct call_tracks {
    struct pf_track cuda, os;
    struct pf_fields fields[N_KINDS]; /* by enum rf_call_kind */
};

static void put_work_ids(struct pf_writer *to, const struct rf_call *call)
{
    size_t n_ops;
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, &n_ops);
    size_t begin = 0;
    if (call->first_op >= n_ops)
        return;
    if (to->gpu_events)
        begin = rf_proto_begin(&to->packet, PF_EVENT_GPU_CORRELATION);
    for (uint32_t op = call->first_op; op < n_ops; op = ops[op].next_op) {
        if (ops[op].kind == RF_OP_SYNC) /* a call that waits causes no work */
            continue;
        if (to->gpu_events)
            rf_proto_u64(&to->packet, SUBMITTED_IDS, (uint64_t)op + 1);
        else
            rf_proto_fixed64(&to->packet, PF_EVENT_FLOW_IDS, (uint64_t)op + 1);
    }
    if (to->gpu_events)
        rf_proto_end(&to->packet, begin);
}

static int put_call(struct pf_writer *to, struct call_tracks *tracks, const struct rf_call *call)
{
    bool is_os = call->kind == RF_CALL_OS;
    struct pf_track *track = is_os ? &tracks->os : &tracks->cuda;
    uint64_t uuid = pf_track_place(to, track, call->start_ns, call->end_ns);
    size_t begin =
        pf_begin_event(to, call->start_ns, PF_BEGIN, uuid, is_os ? PF_CAT_OS : PF_CAT_CUDA);
    pf_put_name(to, call->name);
    if (call->kind < N_KINDS)
        pf_put_fields(to, &tracks->fields[call->kind], PF_ROW, call);
    put_work_ids(to, call);
    if (!is_os && to->gpu_events)
        rf_proto_u64(&to->packet, PF_EVENT_GPU_API, PF_API_CUDA);
    return pf_end_message(to, begin);
}

static void put_calls(struct pf_writer *to, struct call_tracks *tracks, uint32_t thread)
{
    static const struct pf_track_name cuda_name = {"CUDA API", RF_NO_STRING, 1 << 20};
    static const struct pf_track_name os_name = {"OS runtime", RF_NO_STRING, 2 << 20};
    size_t n;
    const struct rf_call *calls = rf_thread_calls(to->rec, thread, &n);
    pf_track_begin(&tracks->cuda, pf_thread_uuid(to, thread), &cuda_name);
    pf_track_begin(&tracks->os, pf_thread_uuid(to, thread), &os_name);
    for (size_t i = 0; i < n && to->status == RF_OK; i++) {
        (void)put_call(to, tracks, &calls[i]);
        (void)pf_fail(to, rf_export_step(to->job));
    }
    pf_track_finish(to, &tracks->cuda);
    pf_track_finish(to, &tracks->os);
}

int pf_write_calls(struct pf_writer *to)
{
    struct call_tracks tracks;
    memset(&tracks, 0, sizeof(tracks));
    for (unsigned kind = 0; kind < N_KINDS; kind++)
        pf_fields_init(&tracks.fields[kind], to, &rf_call_fields, kind, PF_ANNOTATION);
    for (uint32_t thread = 0; thread < rf_n_threads(to->rec) && to->status == RF_OK; thread++)
        put_calls(to, &tracks, thread);
    pf_track_release(&tracks.cuda);
    pf_track_release(&tracks.os);
    return to->status;
}
