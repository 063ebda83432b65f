/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of the trace. On one of them ranges must nest; where they cross, those that do not fit go
 * to further lanes: tracks of the same name and parent, which viewers draw together. */
#include "export/perfetto/export_perfetto_tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "export/perfetto/export_perfetto_packets.h"

/* More ranges that cross at one time are damage; they are shown, but the search must end. */
#define MAX_LANES 64

enum { PROCESS_PID = 1, PROCESS_ARGS = 2, PROCESS_SORT_INDEX = 3, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_SORT_INDEX = 3, THREAD_NAME = 5 };
enum { ORDER_EXPLICIT = 3 };

/* ---- Processes and threads ---- */

/* Its name, and its own id where the viewer is told another one. */
static void sink_shown_name(struct pf_writer *to, uint32_t name, uint32_t own_id, uint32_t shown_id,
                            const char *what)
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
}

void pf_sink_prefix(struct pf_writer *to, uint32_t process)
{
    char text[RF_MERGING_PREFIX];
    const struct rf_process *of = process != RF_NO_INDEX ? rf_process_at(to->rec, process) : NULL;
    rf_sink_text(&to->words, rf_merging_prefix(to->job->merging, to->rec, of, text));
}

void pf_sink_thread_name(struct pf_writer *to, uint32_t i)
{
    const struct rf_thread *thread = rf_thread_at(to->rec, i);
    sink_shown_name(to, thread->name, thread->tid, to->ids.tids[i], "tid");
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
    rf_proto_u64(&to->packet, PROCESS_SORT_INDEX, (to->first_process + i) & INT32_MAX);
    pf_sink_prefix(to, i);
    sink_shown_name(to, process->name, process->pid, to->ids.pids[i], "pid");
    pf_take_words(to, &to->packet, PROCESS_NAME);
    rf_proto_end(&to->packet, about);
    (void)pf_end_message(to, begin);
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
    pf_sink_thread_name(to, i);
    pf_take_words(to, &to->packet, THREAD_NAME);
    rf_proto_end(&to->packet, about);
    (void)pf_end_message(to, begin);
}

void pf_describe_processes(struct pf_writer *to)
{
    for (uint32_t i = 0; i < rf_n_processes(to->rec) && to->status == RF_OK; i++)
        put_process(to, i);
    for (uint32_t i = 0; i < rf_n_threads(to->rec) && to->status == RF_OK; i++)
        put_thread(to, i);
}

/* ---- Tracks below them ---- */

void pf_sink_track_name(struct pf_writer *to, const struct pf_track_name *name)
{
    char pid[16];
    if (name->has_prefix)
        pf_sink_prefix(to, RF_NO_INDEX);
    rf_sink_text(&to->words, name->text);
    pf_sink_string(to, name->string);
    (void)snprintf(pid, sizeof(pid), " (%" PRIu32 ")", name->pid);
    rf_sink_text(&to->words, name->pid != 0 ? pid : "");
}

uint64_t pf_describe(struct pf_writer *to, uint64_t parent, const struct pf_track_name *name)
{
    uint64_t uuid = to->next_uuid++;
    pf_sink_track_name(to, name);
    pf_begin_packet(to);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_TRACK_DESCRIPTOR);
    rf_proto_u64(&to->packet, PF_TRACK_UUID, uuid);
    if (parent != 0)
        rf_proto_u64(&to->packet, PF_TRACK_PARENT, parent);
    pf_take_words(to, &to->packet, PF_TRACK_NAME);
    rf_proto_u64(&to->packet, PF_TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
    rf_proto_u64(&to->packet, PF_TRACK_RANK, name->rank);
    if (name->description != NULL)
        rf_proto_words(&to->packet, PF_TRACK_DESCRIPTION, name->description);
    (void)pf_end_message(to, begin);
    return uuid;
}

void pf_track_begin(struct pf_track *track, uint64_t parent, const struct pf_track_name *name)
{
    *track = (struct pf_track){.parent = parent, .name = *name};
}

static struct pf_lane *add_lane(struct pf_writer *to, struct pf_track *track)
{
    if (rf_grow_array(&track->lanes, track->n_lanes, &track->capacity, sizeof(*track->lanes)) !=
        RF_OK) {
        (void)pf_fail_memory(to);
        return NULL;
    }
    bool is_described = track->n_lanes == 0 && track->first_uuid != 0;
    struct pf_lane *lane = &track->lanes[track->n_lanes++];
    *lane = (struct pf_lane){.end_ns = INT64_MIN};
    lane->uuid = is_described ? track->first_uuid : pf_describe(to, track->parent, &track->name);
    if (track->first_uuid == 0)
        track->first_uuid = lane->uuid;
    return lane;
}

static void put_ends(struct pf_writer *to, struct pf_lane *lane, int64_t until_ns)
{
    while (lane->n > 0 && lane->ends[lane->n - 1] <= until_ns)
        pf_put_end(to, lane->ends[--lane->n], lane->uuid);
}

static uint64_t push(struct pf_writer *to, struct pf_lane *lane, int64_t end_ns)
{
    if (rf_grow_array(&lane->ends, lane->n, &lane->capacity, sizeof(*lane->ends)) != RF_OK) {
        (void)pf_fail_memory(to);
        return 0;
    }
    lane->ends[lane->n++] = end_ns;
    return lane->uuid;
}

uint64_t pf_track_place(struct pf_writer *to, struct pf_track *track, int64_t start_ns,
                        int64_t end_ns)
{
    for (size_t i = 0; i < track->n_lanes; i++) {
        struct pf_lane *lane = &track->lanes[i];
        put_ends(to, lane, start_ns);
        if (lane->n == 0 || lane->ends[lane->n - 1] >= end_ns)
            return push(to, lane, end_ns);
    }
    if (track->n_lanes < MAX_LANES) {
        struct pf_lane *added = add_lane(to, track);
        return added != NULL ? push(to, added, end_ns) : 0;
    }
    /* The last lane gives up its track, whose ends are written early: each has its time. */
    struct pf_lane *last = &track->lanes[MAX_LANES - 1];
    put_ends(to, last, INT64_MAX);
    last->uuid = pf_describe(to, track->parent, &track->name);
    return push(to, last, end_ns);
}

/* Moves the first lane of the heap to its place; lane 0 is free first. */
static void sift_down(struct pf_track *track)
{
    struct pf_lane *lanes = track->lanes;
    const struct pf_lane moving = lanes[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < track->n_lanes; i = child) {
        if (child + 1 < track->n_lanes && lanes[child + 1].end_ns < lanes[child].end_ns)
            child++;
        if (lanes[child].end_ns >= moving.end_ns)
            break;
        lanes[i] = lanes[child];
    }
    lanes[i] = moving;
}

/* The same of the last lane. */
static void sift_up(struct pf_track *track)
{
    struct pf_lane *lanes = track->lanes;
    size_t i = track->n_lanes - 1;
    const struct pf_lane moving = lanes[i];
    for (; i > 0 && moving.end_ns < lanes[(i - 1) / 2].end_ns; i = (i - 1) / 2)
        lanes[i] = lanes[(i - 1) / 2];
    lanes[i] = moving;
}

uint64_t pf_track_place_apart(struct pf_writer *to, struct pf_track *track, int64_t start_ns,
                              int64_t end_ns)
{
    if (track->n_lanes > 0 && track->lanes[0].end_ns <= start_ns) {
        uint64_t uuid = track->lanes[0].uuid;
        track->lanes[0].end_ns = end_ns;
        sift_down(track);
        return uuid;
    }
    struct pf_lane *added = add_lane(to, track);
    if (added == NULL)
        return 0;
    uint64_t uuid = added->uuid;
    added->end_ns = end_ns;
    sift_up(track);
    return uuid;
}

uint64_t pf_track_uuid(struct pf_writer *to, struct pf_track *track)
{
    if (track->first_uuid == 0)
        (void)add_lane(to, track);
    return track->first_uuid;
}

uint64_t pf_track_instant(struct pf_writer *to, struct pf_track *track, int64_t at_ns)
{
    uint64_t uuid = pf_track_uuid(to, track);
    if (track->n_lanes > 0)
        put_ends(to, &track->lanes[0], at_ns);
    return uuid;
}

void pf_track_finish(struct pf_writer *to, struct pf_track *track)
{
    for (size_t i = 0; i < track->n_lanes; i++) {
        put_ends(to, &track->lanes[i], INT64_MAX);
        free(track->lanes[i].ends);
    }
    free(track->lanes);
    memset(track, 0, sizeof(*track));
}
