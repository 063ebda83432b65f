/* SPDX-License-Identifier: Apache-2.0 */
/* Start/end ranges, which any thread may end, even of another process, and the ends of ranges
 * without a recorded end (docs/format.md, section 8). */
#include "model/load/pair.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"
#include "log/liveness.h"
#include "model/load/capture_windows.h"
#include "model/load/decode.h"
#include "model/load/early_ends.h"
#include "model/load/namings.h"
#include "model/load/payload_records.h"
#include "model/load/range_ids.h"

#define MAX_FORK_DEPTH 256
#define MAX_STRANGERS  64 /* processes of one id prefix that are searched for a range */

/* ---- Where processes end ---- */

/* The index of the image that a process became by exec, for each process; RF_MAP_NONE: none. */
static uint32_t *find_execs(const rf_recording *rec)
{
    struct rf_map latest = {.entry = NULL};
    uint32_t *next = malloc(((size_t)rec->n_processes + 1) * sizeof(*next));
    int status = next != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (uint32_t i = rec->n_processes; i-- > 0 && status == RF_OK;) {
        const struct rf_process *process = &rec->process[i];
        uint64_t who = process->pid_ns << 32 | process->pid;
        next[i] = RF_MAP_NONE;
        if (process->pid == 0)
            continue;
        next[i] = rf_map_find(&latest, who, process->start_time);
        status = rf_map_set(&latest, who, process->start_time, i);
    }
    rf_map_release(&latest);
    if (status != RF_OK) {
        free(next);
        return NULL;
    }
    return next;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Decides where process i ends and why. next: the image that it became. */
static void find_end(struct rf_load *load, uint32_t i, uint32_t next)
{
    rf_recording *rec = load->rec;
    struct rf_load_process *state = &load->process[i];
    const struct rf_process *process = &rec->process[i];
    const struct rf_control *control = &rec->control;
    const bool goes_on = load->log.is_packed && control->pieces.goes_on != 0;
    bool is_running =
        goes_on ? state->is_alive_seen
        : load->log.is_packed
            ? control->was_live != 0
            : !control->is_finished && load->timeline.is_same_boot &&
                  rf_log_process_liveness(&load->log, &load->log.process[i]) == RF_LIVENESS_RUNNING;
    bool is_root = control->root_pid != 0 && process->pid == control->root_pid;
    state->end_ns = state->last_ns;
    state->end_cut = RF_CUT_KILLED;
    if (next != RF_MAP_NONE) {
        state->end_cut = RF_CUT_EXEC;
        state->end_ns = later(state->last_ns, rec->process[next].first_ns);
    } else if (state->is_exit_seen && !(goes_on && is_running)) {
        state->end_cut = RF_CUT_PROCESS_ENDED;
        state->end_ns = later(state->last_ns, process->exit_ns);
    } else if (is_running) {
        state->end_cut = RF_CUT_LIVE;
        if (!load->log.is_packed) { /* a packed recording does not grow */
            state->end_ns = later(state->last_ns, load->timeline.now_ns);
            rec->info.is_live = 1;
        }
    } else if (is_root && control->root_end != RF_ROOT_UNKNOWN) {
        state->end_ns = later(state->last_ns, load->timeline.last_pair_ns);
    }
}

static int find_ends(struct rf_load *load)
{
    uint32_t *next = find_execs(load->rec);
    if (next == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->rec->n_processes; i++) {
        struct rf_load_process *state = &load->process[i];
        for (uint32_t k = 0; k < state->n_streams; k++) {
            const struct rf_load_stream *stream = &load->stream[state->first_stream + k];
            state->last_ns = later(state->last_ns, stream->last_ns);
            state->loss_ns = later(state->loss_ns, stream->loss_ns);
        }
        find_end(load, i, next[i]);
    }
    free(next);
    return RF_OK;
}

/* ---- Range ids ---- */

static struct rf_event *event_of(const struct rf_load *load, const struct rf_load_start *start)
{
    return &load->thread[start->thread]->event[start->event];
}

/* Whether a process began the range of this id; *start: NULL where it was taken out. */
static bool has_begun(const struct rf_load *load, uint32_t process, uint64_t id,
                      const struct rf_load_start **start)
{
    *start = rf_load_find_start(load, process, id);
    return *start != NULL || rf_range_was_taken(load, process, id);
}

/* The same of another process: first of those that this one was forked from. */
static bool has_begun_elsewhere(const struct rf_load *load, uint32_t process, uint64_t id,
                                const struct rf_load_start **start)
{
    bool is_found = false;
    uint32_t other = load->process[process].fork_of;
    uint64_t number = id >> (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS);
    for (int i = 0; i < MAX_FORK_DEPTH && other != RF_NO_INDEX && !is_found; i++) {
        is_found = has_begun(load, other, id, start);
        other = load->process[other].fork_of;
    }
    if (load->rec->n_processes == 0)
        return is_found;
    uint64_t last = load->process[load->rec->n_processes - 1].number;
    for (int i = 0; i < MAX_STRANGERS && !is_found && number <= last; i++, number += 1024) {
        other = rf_load_find_process(load, number);
        if (other != RF_NO_INDEX && other != process)
            is_found = has_begun(load, other, id, start);
    }
    return is_found;
}

/* ---- Ends ---- */

/* Gives every start/end range its entry in rec->start_end, in the order of streams. */
static int make_start_ends(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    uint64_t n = 0;
    for (uint32_t i = 0; i < load->n_streams; i++)
        n += load->stream[i].n_starts;
    rec->start_end = n < RF_NO_INDEX ? calloc(n + 1, sizeof(*rec->start_end)) : NULL;
    if (rec->start_end == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->n_streams; i++) {
        const struct rf_load_stream *stream = &load->stream[i];
        uint32_t number = load->process[stream->process].number;
        for (size_t k = 0; k < stream->n_starts; k++) {
            const struct rf_load_start *start = &stream->start[k];
            event_of(load, start)->link = rec->n_start_end;
            rec->start_end[rec->n_start_end++] =
                (struct rf_start_end){.id = rf_range_id(number, stream->slot, start->counter),
                                      .end_thread = start->thread};
        }
    }
    return RF_OK;
}

/* Sets the parents from PARENT records. */
static void set_parents(struct rf_load *load, const struct rf_load_thread *thread)
{
    struct rf_start_end *all = load->rec->start_end;
    for (uint32_t i = 0; i < thread->n_parents; i++) {
        const struct rf_load_parent *said = &thread->parent[i];
        const struct rf_load_start *start = rf_load_find_start(load, thread->process, said->id);
        const struct rf_load_start *parent =
            said->parent != 0 ? rf_load_find_start(load, thread->process, said->parent) : start;
        if (start != NULL && parent != NULL)
            all[event_of(load, start)->link].parent = event_of(load, parent)->link + 1;
    }
}

static bool is_after_destroy(const struct rf_load *load, const struct rf_event *event, int64_t ns)
{
    int64_t destroyed_ns = rf_load_destroyed_ns(load, event->domain, event->start_ns);
    return destroyed_ns != RF_NO_TIME && ns > destroyed_ns;
}

/* Gives a range the payloads that an end has. */
static int add_payloads(struct rf_load *load, const struct rf_load_thread *thread,
                        const struct rf_load_end *end, struct rf_event *event)
{
    uint32_t low = 0, high = thread->n_end_payloads, index = (uint32_t)(end - thread->end);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (thread->end_payload[middle].end < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < thread->n_end_payloads && thread->end_payload[low].end == index
               ? rf_load_end_payloads(load, event, thread->end_payload[low].group)
               : RF_OK;
}

/* Gives a range its end, if that is the first one or the earliest so far; of two at one time that
 * of the thread that began it. */
static int set_end(struct rf_load *load, uint32_t thread, const struct rf_load_start *start,
                   const struct rf_load_end *end)
{
    struct rf_event *event = event_of(load, start);
    int64_t end_ns = later(end->ns, event->start_ns);
    const bool is_own =
        thread == start->thread && load->rec->start_end[event->link].end_thread != thread;
    if (event->end_ns != RF_NO_TIME &&
        (end_ns > event->end_ns || (end_ns == event->end_ns && !is_own)))
        return RF_OK;
    event->end_ns = end_ns;
    if (end->ns < event->start_ns)
        event->flags |= RF_EVENT_CLAMPED;
    load->rec->start_end[event->link].end_thread = thread;
    return add_payloads(load, load->thread[thread], end, event);
}

/* An END record in the process that began the range. Of several the earliest counts. */
static int end_range(struct rf_load *load, uint32_t thread, const struct rf_load_end *end)
{
    const struct rf_load_start *start;
    if (!has_begun(load, load->thread[thread]->process, end->id, &start))
        return RF_OK;
    if (start == NULL) { /* its end was the earlier one */
        load->rec->info.n_unmatched_ends += rf_windows_know_ends(&load->windows, end->ns);
        return RF_OK;
    }
    struct rf_event *event = event_of(load, start);
    if (is_after_destroy(load, event, end->ns))
        return RF_OK; /* its domain was destroyed: the end has no effect */
    /* the later of two ends is the mistake */
    load->rec->info.n_unmatched_ends +=
        event->end_ns != RF_NO_TIME &&
        rf_windows_know_ends(&load->windows, later(end->ns, event->end_ns));
    return set_end(load, thread, start, end);
}

/* An END record in another process. Those in the range's own process take precedence: a forked
 * child that exits may end ranges that its parent still has open. */
static int end_foreign(struct rf_load *load, uint32_t thread, const struct rf_load_end *end)
{
    rf_recording *rec = load->rec;
    uint32_t process = load->thread[thread]->process;
    const struct rf_load_start *start;
    if (has_begun(load, process, end->id, &start))
        return RF_OK; /* end_range() has seen it */
    const bool is_found = has_begun_elsewhere(load, process, end->id, &start);
    if (rf_windows_know_ends(&load->windows, end->ns)) {
        rec->info.n_foreign_ends += is_found;
        rec->info.n_unmatched_ends += !is_found;
    }
    if (!is_found || start == NULL)
        return RF_OK;
    struct rf_event *event = event_of(load, start);
    uint32_t ended_by = rec->start_end[event->link].end_thread;
    bool has_own_end = event->end_ns != RF_NO_TIME &&
                       load->thread[ended_by]->process == load->thread[start->thread]->process;
    event->flags |= RF_EVENT_FOREIGN_END;
    return has_own_end || is_after_destroy(load, event, end->ns)
               ? RF_OK
               : set_end(load, thread, start, end);
}

/* Notes a range that another thread ended; in a focused recording it may be cut, or left out, as
 * one may be whose end was not recorded. */
static int note_start(struct rf_load *load, struct rf_load_stream *stream,
                      const struct rf_load_start *start)
{
    struct rf_event event = *event_of(load, start);
    const bool is_focused = load->windows.is_focused;
    const bool is_elsewhere = event.payload_type == RF_PATH_ELSEWHERE ||
                              load->rec->start_end[event.link].end_thread != start->thread;
    const bool is_lost = is_focused && !load->windows.keeps_open && event.cut != RF_CUT_NONE;
    if (!is_elsewhere && !is_lost)
        return RF_OK;
    const enum rf_window_fit fit =
        is_focused ? rf_windows_fit(&load->windows, &event) : RF_WINDOW_HAS;
    return is_elsewhere && fit == RF_WINDOW_HAS
               ? rf_sparse_bits_add(&stream->elsewhere, start->counter)
               : rf_note_cut(load, stream, start->counter, &event, fit);
}

/* Those that have not been taken out. */
static int note_starts(struct rf_load *load, struct rf_load_stream *stream)
{
    int status = RF_OK;
    for (size_t k = 0; k < stream->n_starts && status == RF_OK; k++)
        status = note_start(load, stream, &stream->start[k]);
    return status;
}

static void cut_start(struct rf_load *load, const struct rf_load_stream *stream,
                      struct rf_event *event)
{
    const struct rf_load_process *state = &load->process[stream->process];
    int64_t destroyed_ns = rf_load_destroyed_ns(load, event->domain, event->start_ns);
    event->end_ns = later(state->end_ns, event->start_ns);
    event->cut = state->end_cut;
    if (destroyed_ns != RF_NO_TIME) {
        event->end_ns = destroyed_ns;
        event->cut = RF_CUT_DOMAIN_DESTROYED;
    } else if (state->loss_ns != RF_NO_TIME && state->loss_ns >= event->start_ns &&
               !(load->rec->piece.goes_on && state->end_cut == RF_CUT_LIVE)) {
        event->cut = RF_CUT_LOST;
    }
}

int rf_load_pair(struct rf_load *load)
{
    int status = find_ends(load);
    load->has_wrong_ends = rf_early_ends_are_wrong(load);
    if (load->has_wrong_ends)
        return RF_OK; /* it is read again */
    if (status == RF_OK)
        status = make_start_ends(load);
    if (status != RF_OK)
        return status;
    for (uint32_t i = 0; i < load->n_threads; i++) {
        struct rf_load_thread *thread = load->thread[i];
        set_parents(load, thread);
        for (size_t k = 0; k < thread->n_ends && status == RF_OK; k++)
            status = end_range(load, i, &thread->end[k]);
        rf_decode_cut(load, thread, load->process[thread->process].end_ns,
                      load->process[thread->process].end_cut);
        load->rec->info.n_unmatched_ends += thread->n_unmatched;
    }
    for (uint32_t i = 0; i < load->n_threads; i++)
        for (size_t k = 0; k < load->thread[i]->n_ends && status == RF_OK; k++)
            status = end_foreign(load, i, &load->thread[i]->end[k]);
    for (uint32_t i = 0; i < load->n_streams && status == RF_OK; i++) {
        struct rf_load_stream *stream = &load->stream[i];
        for (size_t k = 0; k < stream->n_starts; k++) {
            struct rf_event *event = event_of(load, &stream->start[k]);
            if (event->end_ns == RF_NO_TIME)
                cut_start(load, stream, event);
        }
        if (load->streams_work)
            status = note_starts(load, stream);
    }
    return status;
}
