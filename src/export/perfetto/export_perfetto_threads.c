/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did. Annotations: a track for every domain, the default domain's being the thread's
 * own; where that is asked for, below it one for every category. Start/end ranges: the same of
 * their process. Calls: a track for those of CUDA and one for those of the system. A call refers to
 * the GPU work that it caused: by flows, or, where GPU work is events of its own kind, by their
 * ids. */
#include "export/perfetto/export_perfetto_threads.h"

#include <string.h>

#include "export/perfetto/export_perfetto_domains.h"
#include "export/perfetto/export_perfetto_fields.h"
#include "export/perfetto/export_perfetto_nvtx.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "model/fields/event_names.h"
#include "model/private_access.h"

/* ---- Annotations ---- */

/* Whether export_perfetto_scopes.c has it. */
static bool is_elsewhere(const struct pf_writer *to, const struct rf_event *event)
{
    return to->has_scopes && rf_event_scope(to->rec, event) != RF_NO_STRING;
}

struct thread_tracks {
    struct pf_domains domains;
    struct pf_fields instants[RF_MAX_KINDS]; /* by enum rf_event_kind */
};

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
        to->has_start_end = true;
    if (event->kind != RF_EVENT_PUSH_POP && event->kind != RF_EVENT_MARK &&
        !rf_event_is_instant(event))
        return to->status; /* names are where they are used */
    if (is_elsewhere(to, event))
        return to->status;
    struct pf_track *track = pf_domain_track(to, &tracks->domains, event);
    if (track == NULL)
        return to->status;
    if (event->kind == RF_EVENT_PUSH_POP) {
        uint64_t uuid = pf_track_place(to, track, event->start_ns, event->end_ns);
        return pf_put_annotation(to, PF_BEGIN, uuid, tracks->domains.thread, event);
    }
    uint64_t uuid = pf_track_instant(to, track, event->start_ns);
    return event->kind == RF_EVENT_MARK
               ? pf_put_annotation(to, PF_INSTANT, uuid, tracks->domains.thread, event)
               : put_instant(to, &tracks->instants[event->kind], uuid, event);
}

static void put_thread(struct pf_writer *to, struct thread_tracks *tracks, uint32_t thread)
{
    size_t n;
    const struct rf_event *events = rf_thread_events(to->rec, thread, &n);
    tracks->domains = (struct pf_domains){.thread = thread};
    for (size_t i = 0; i < n && to->status == RF_OK; i++) {
        (void)put_event(to, tracks, &events[i]);
        if (events[i].kind != RF_EVENT_START_END)
            (void)pf_fail(to, rf_export_step(to->job));
    }
    pf_domains_finish(to, &tracks->domains);
}

int pf_write_threads(struct pf_writer *to)
{
    struct thread_tracks tracks;
    for (unsigned kind = 1; kind < rf_event_fields.n_kinds; kind++)
        if (rf_event_fields.kind[kind].is_instant)
            pf_fields_init(&tracks.instants[kind], to, &rf_event_fields, kind, PF_ANNOTATION);
    for (uint32_t thread = 0; thread < rf_n_threads(to->rec) && to->status == RF_OK; thread++)
        put_thread(to, &tracks, thread);
    return to->status;
}

/* ---- Start/end ranges ---- */

static int put_range(struct pf_writer *to, struct pf_domains *domains, const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    struct pf_track *track = pf_domain_track(to, domains, event);
    uint64_t uuid =
        track != NULL ? pf_track_place_apart(to, track, event->start_ns, event->end_ns) : 0;
    if (uuid == 0)
        return to->status;
    (void)pf_put_annotation(to, PF_BEGIN, uuid, at->thread, event);
    pf_put_end(to, event->end_ns, uuid);
    return pf_fail(to, rf_export_step(to->job));
}

/* They overlap as they like: per process and domain as many tracks as ranges are open at once. */
int pf_write_start_ends(struct pf_writer *to)
{
    struct rf_cursor *cursor = NULL;
    struct rf_event_at at;
    struct pf_domains domains = {.thread = RF_NO_INDEX};
    if (!to->has_start_end)
        return to->status;
    (void)pf_fail(to, rf_cursor_new(to->rec, &cursor, to->job->err));
    while (to->status == RF_OK && rf_cursor_next(cursor, &at))
        if (at.event->kind == RF_EVENT_START_END && !is_elsewhere(to, at.event))
            (void)put_range(to, &domains, &at);
    rf_cursor_free(cursor);
    pf_domains_finish(to, &domains);
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
    if (call->first_op >= n_ops || (to->job->options->no_flows && !to->gpu_events))
        return;
    if (to->gpu_events)
        begin = rf_proto_begin(&to->packet, PF_EVENT_GPU_CORRELATION);
    for (uint32_t op = call->first_op; op < n_ops; op = ops[op].next_op) {
        if (ops[op].kind == RF_OP_SYNC) /* a call that waits causes no work */
            continue;
        if (to->gpu_events)
            rf_proto_u64(&to->packet, SUBMITTED_IDS, (uint64_t)op + 1);
        else
            rf_proto_fixed64(&to->packet, PF_EVENT_FLOW_IDS, to->first_flow + op);
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
    static const struct pf_track_name cuda_name = {
        .text = "CUDA API", .string = RF_NO_STRING, .rank = 1 << 20};
    static const struct pf_track_name os_name = {
        .text = "OS runtime", .string = RF_NO_STRING, .rank = 2 << 20};
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
    return to->status;
}
