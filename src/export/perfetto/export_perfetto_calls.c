/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, on tracks below their thread: those of CUDA and those of the system. A call refers to the
 * GPU work that it caused: by flows, or, where GPU work is events of its own kind, by their ids. */
#include "export/perfetto/export_perfetto_calls.h"

#include "export/perfetto/export_perfetto_fields.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_tracks.h"

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
    return pf_end_event(to, begin);
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
