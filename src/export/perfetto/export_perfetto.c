/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's own format (docs/perfetto.md): what the trace is about; then all the rest, part by
 * part, since readers sort packets by time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/fields/event_names.h"
#include "export/perfetto/export_perfetto.h"
#include "export/perfetto/export_perfetto_gpus.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_parallel.h"
#include "export/perfetto/export_perfetto_projection.h"
#include "export/perfetto/export_perfetto_tracks.h"
#include "export/shown_begin.h"

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_BOOTTIME = 6 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum { PROCESS_PID = 1, PROCESS_ARGS = 2, PROCESS_SORT_INDEX = 3, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_SORT_INDEX = 3, THREAD_NAME = 5 };
enum { ORDER_EXPLICIT = 3 };

/* ---- Time ---- */

/* The trace's clock is BOOTTIME, which every part of Perfetto expects. Where it was not taken, the
 * machine is said not to have slept. Readers refuse times below 0. A trace is shown from its first
 * event on, what is said about it included. */
static void choose_base(struct pf_writer *to)
{
    const struct rf_info *info = rf_get_info(to->rec);
    int64_t begin_ns = rf_shown_begin_ns(to->rec);
    to->base_ns = info->epoch_boot_ns != 0 ? info->epoch_boot_ns : info->epoch_mono_ns;
    if (to->base_ns < 0)
        to->base_ns = 0;
    if (begin_ns < 0 && to->base_ns <= -(begin_ns + 1))
        to->base_ns = begin_ns == INT64_MIN ? INT64_MAX : -begin_ns;
    to->begin_ns = begin_ns;
}

/* A clock's time where the trace begins; epoch_ns: its time at the recording's time 0. */
static void put_clock(struct pf_writer *to, uint32_t id, int64_t epoch_ns)
{
    int64_t at_ns = (int64_t)((uint64_t)epoch_ns + (uint64_t)to->begin_ns);
    int is_sound = to->begin_ns >= 0 ? at_ns >= epoch_ns : at_ns >= 0 && at_ns < epoch_ns;
    if (!is_sound)
        return;
    size_t begin = rf_proto_begin(&to->packet, SNAPSHOT_CLOCKS);
    rf_proto_u64(&to->packet, 1, id);
    rf_proto_u64(&to->packet, 2, (uint64_t)at_ns);
    rf_proto_end(&to->packet, begin);
}

static void put_clocks(struct pf_writer *to)
{
    const struct rf_info *info = rf_get_info(to->rec);
    pf_begin_packet_at(to, to->begin_ns);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_CLOCK_SNAPSHOT);
    put_clock(to, CLOCK_ID_BOOTTIME, to->base_ns);
    if (info->epoch_mono_ns > 0)
        put_clock(to, CLOCK_ID_MONOTONIC, info->epoch_mono_ns);
    if (info->epoch_utc_ns > 0)
        put_clock(to, CLOCK_ID_REALTIME, info->epoch_utc_ns);
    rf_proto_u64(&to->packet, SNAPSHOT_PRIMARY, CLOCK_ID_BOOTTIME);
    rf_proto_end(&to->packet, begin);
    (void)pf_end_packet(to);
}

/* ---- The recording itself ---- */

static void put_info_text(struct pf_writer *to, enum pf_key key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        pf_put_words(to, PF_ANNOTATION, key, text);
}

static void put_recording(struct pf_writer *to, uint64_t uuid)
{
    const struct rf_info *info = rf_get_info(to->rec);
    size_t begin = pf_begin_event(to, to->begin_ns, PF_INSTANT, uuid, PF_CAT_RECORDING);
    rf_proto_u64(&to->packet, PF_EVENT_NAME_IID, pf_fixed_name(to, PF_NAME_RECORDING));
    pf_put_words(to, PF_ANNOTATION, PF_KEY_EXPORTED_BY, "Rangefinder " RF_PRODUCT_VERSION);
    put_info_text(to, PF_KEY_RECORDED_BY, info->product);
    put_info_text(to, PF_KEY_HOST, info->host);
    put_info_text(to, PF_KEY_CLOCK, info->clock_name);
    rf_sink_utc(&to->words, info->epoch_utc_ns);
    pf_put_sunk(to, PF_ANNOTATION, PF_KEY_START_UTC);
    pf_put_i64(to, PF_ANNOTATION, PF_KEY_TIME, to->begin_ns);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_CUT_RANGES, info->n_cut);
    if (info->is_focused)
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_CUT_AT_START, info->n_cut_at_start);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_LOST, info->n_lost_records);
    (void)pf_end_event(to, begin);
}

static void put_captures(struct pf_writer *to, struct pf_track *track)
{
    for (uint32_t i = 0; i < rf_n_captures(to->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        int64_t end_ns = capture->end_ns > capture->begin_ns ? capture->end_ns : capture->begin_ns;
        uint64_t uuid = pf_track_place(to, track, capture->begin_ns, end_ns);
        size_t begin = pf_begin_event(to, capture->begin_ns, PF_BEGIN, uuid, PF_CAT_RECORDING);
        rf_proto_u64(&to->packet, PF_EVENT_NAME_IID, pf_fixed_name(to, PF_NAME_CAPTURE));
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_NUMBER, capture->number);
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_IS_OPEN, capture->is_open != 0);
        (void)pf_end_event(to, begin);
    }
    pf_track_finish(to, track);
}

static void put_about(struct pf_writer *to)
{
    static const struct pf_track_name name = {"Recording", RF_NO_STRING, 0};
    struct pf_track track = {0};
    pf_track_begin(&track, 0, &name);
    put_recording(to, pf_track_instant(to, &track, to->begin_ns));
    put_captures(to, &track);
    pf_track_release(&track);
}

/* ---- Processes and threads ---- */

/* Its name, and its own id where the viewer is told another one. */
static void put_shown_name(struct pf_writer *to, uint32_t field, uint32_t name, uint32_t own_id,
                           uint32_t shown_id, const char *what)
{
    char suffix[64] = "";
    if (rf_string(to->rec, name, NULL) != NULL)
        pf_sink_string(to, name);
    else
        (void)snprintf(suffix, sizeof(suffix), "%s %" PRIu32, what, own_id);
    rf_sink_text(&to->words, suffix);
    if (own_id != shown_id) {
        (void)snprintf(suffix, sizeof(suffix), " (%s %" PRIu32 ")", what, own_id);
        rf_sink_text(&to->words, suffix);
    }
    pf_take_words(to, &to->packet, field);
}

static void put_process(struct pf_writer *to, uint32_t i)
{
    const struct rf_process *process = rf_process_at(to->rec, i);
    pf_begin_packet(to);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_TRACK_DESCRIPTOR);
    rf_proto_u64(&to->packet, PF_TRACK_UUID, pf_process_uuid(to, i));
    rf_proto_u64(&to->packet, PF_TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
    size_t about = rf_proto_begin(&to->packet, PF_TRACK_PROCESS);
    rf_proto_u64(&to->packet, PROCESS_PID, to->ids.pids[i]);
    for (uint32_t k = 0; k < process->n_args; k++) {
        size_t size;
        const char *text = rf_string(to->rec, process->args[k], &size);
        rf_proto_text(&to->packet, PROCESS_ARGS, text != NULL ? text : "", text != NULL ? size : 0);
    }
    rf_proto_u64(&to->packet, PROCESS_SORT_INDEX, i);
    put_shown_name(to, PROCESS_NAME, process->name, process->pid, to->ids.pids[i], "pid");
    rf_proto_end(&to->packet, about);
    rf_proto_end(&to->packet, begin);
    (void)pf_end_packet(to);
}

static void put_thread(struct pf_writer *to, uint32_t i)
{
    const struct rf_thread *thread = rf_thread_at(to->rec, i);
    pf_begin_packet(to);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_TRACK_DESCRIPTOR);
    rf_proto_u64(&to->packet, PF_TRACK_UUID, pf_thread_uuid(to, i));
    rf_proto_u64(&to->packet, PF_TRACK_PARENT, pf_process_uuid(to, thread->process));
    rf_proto_u64(&to->packet, PF_TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
    rf_proto_u64(&to->packet, PF_TRACK_RANK, i & INT32_MAX);
    size_t about = rf_proto_begin(&to->packet, PF_TRACK_THREAD);
    rf_proto_u64(&to->packet, THREAD_PID, to->ids.pids[thread->process]);
    rf_proto_u64(&to->packet, THREAD_TID, to->ids.tids[i]);
    rf_proto_u64(&to->packet, THREAD_SORT_INDEX, i & INT32_MAX);
    put_shown_name(to, THREAD_NAME, thread->name, thread->tid, to->ids.tids[i], "tid");
    rf_proto_end(&to->packet, about);
    rf_proto_end(&to->packet, begin);
    (void)pf_end_packet(to);
}

/* ---- All of it ---- */

static int write_all(struct pf_writer *to)
{
    to->next_uuid = (uint64_t)rf_n_processes(to->rec) + rf_n_threads(to->rec) + 1;
    choose_base(to);
    put_clocks(to);
    for (uint32_t i = 0; i < rf_n_processes(to->rec) && to->status == RF_OK; i++)
        put_process(to, i);
    for (uint32_t i = 0; i < rf_n_threads(to->rec) && to->status == RF_OK; i++)
        put_thread(to, i);
    put_about(to);
    (void)pf_write_gpu_info(to);
    (void)pf_project(to);
    return pf_write_in_parallel(to);
}

static int write_perfetto(struct rf_export_job *job, struct rf_sink *sink)
{
    struct pf_writer to = {.job = job, .rec = job->rec, .sink = sink};
    to.gpu_events = job->options->gpu_events;
    to.by_category = job->options->tracks_by_category;
    int status = rf_lanes_init(&to.ids, job->rec, 1, job->err);
    if (status == RF_OK)
        status = pf_packets_init(&to);
    if (status == RF_OK)
        status = write_all(&to);
    rf_projections_free(to.projections);
    pf_packets_release(&to);
    rf_lanes_release(&to.ids);
    return status;
}

const struct rf_export_format rf_export_perfetto = {
    .name = "perfetto",
    .description = "Perfetto's trace format",
    .extensions = {"pftrace", "perfetto-trace"},
    .write_text = write_perfetto,
};
