/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/early_ends.h"

#include "base/grow.h"
#include "model/load/capture_windows.h"
#include "model/load/namings.h"
#include "model/load/range_ids.h"

#define MANY_ENDS 1024u      /* as many as parts hold of short records */
#define FEW_ENDS  4096u      /* that may be looked at again and again */
#define TOO_MANY  (1u << 18) /* that wait for the streams of other workers */

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

void rf_needs_one_worker(struct rf_load *load)
{
    set(&load->needs_one_worker);
}

bool rf_must_read_again(const struct rf_load *load)
{
    return __atomic_load_n(&load->needs_one_worker, __ATOMIC_RELAXED) ||
           __atomic_load_n(&load->has_wrong_ends, __ATOMIC_RELAXED);
}

/* ---- Numbers of ranges ---- */

/* Numbers that are missing between two ranges were lost: a range of such a number had no end. */
void rf_note_start(struct rf_decoder *d, struct rf_load_stream *stream, uint64_t counter)
{
    if (stream->next_start == 0 && stream->n_starts == 0) {
        stream->first_start = counter;
    } else if (counter < stream->next_start || counter >> RF_ID_COUNTER_BITS != 0) {
        set(&d->load->has_wrong_ends); /* numbers grow */
    } else if (counter > stream->next_start) {
        if (rf_grow_array(&stream->unseen, stream->n_unseen, &stream->unseen_room,
                          sizeof(*stream->unseen)) != RF_OK) {
            d->is_out_of_memory = true;
            return;
        }
        stream->unseen[stream->n_unseen++] = (struct rf_load_numbers){stream->next_start, counter};
    }
    stream->next_start = counter + 1;
}

/* Whether the range of a number, which is not among those that are kept, was taken out. */
static bool was_taken(const struct rf_load_stream *stream, uint64_t counter)
{
    size_t low = 0, high = stream->n_unseen;
    if (!stream->has_taken || counter < stream->first_start || counter >= stream->next_start)
        return false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (stream->unseen[middle].end <= counter)
            low = middle + 1;
        else
            high = middle;
    }
    return low == stream->n_unseen || counter < stream->unseen[low].begin;
}

/* ---- While streams are decoded ---- */

static bool is_here(const struct rf_load *load, const struct rf_load_thread *thread,
                    const struct rf_load_stream *stream)
{
    return thread->stream == (uint32_t)(stream - load->stream) && !thread->is_merged;
}

/* Whether an end is sure to be later than that of a range which was taken out, and has an effect.
 */
static bool is_later(const struct rf_load *load, const struct rf_load_thread *thread,
                     const struct rf_load_stream *stream, const struct rf_load_end *end)
{
    if (load->n_destroys > 0 && end->ns > load->first_destroy_ns)
        return false; /* its domain may be gone */
    return end->ns > stream->last_taken_ns ||
           (!stream->is_ended_elsewhere && is_here(load, thread, stream));
}

/* An end of a range that had one. */
static void end_again(struct rf_load *load, struct rf_load_thread *thread,
                      const struct rf_load_stream *stream, const struct rf_load_end *end)
{
    if (!is_later(load, thread, stream, end))
        set(&load->has_wrong_ends);
    thread->has_early_ends = true;
    thread->n_unmatched += rf_windows_know_ends(&load->windows, end->ns);
}

/* Whether an end counts and not that which a range has: of two at one time that of the thread which
 * began it. */
static bool is_earlier(const struct rf_event *event, int64_t ns, bool is_own)
{
    return ns < event->end_ns ||
           (ns == event->end_ns && is_own && event->payload_type == RF_PATH_ELSEWHERE);
}

/* In a focused recording an earlier end is seen too late: the other one may have been cut, or said
 * that its thread is listed. */
static bool is_too_late(const struct rf_load *load, const struct rf_event *event, int64_t ns)
{
    return load->windows.is_focused && event->end_ns != RF_NO_TIME && ns <= event->end_ns;
}

/* A thread that ended a range of another one is listed, if a capture has that end. */
static void note_needed(const struct rf_load *load, struct rf_load_thread *thread,
                        const struct rf_event *event)
{
    struct rf_event ended = *event;
    if (load->windows.is_focused && rf_windows_fit(&load->windows, &ended) == RF_WINDOW_HAS)
        thread->is_needed = true;
}

bool rf_tells_elsewhere(const struct rf_load *load)
{
    return load->sums_paths || load->sums_projected;
}

/* Of a range that has not been taken out, the end counts that pair.c takes. Returns false where it
 * cannot get one. An end behind the destruction of its domain has no effect. */
static bool end_kept(struct rf_load *load, struct rf_load_thread *thread,
                     struct rf_load_stream *stream, const struct rf_load_start *start,
                     const struct rf_load_end *end)
{
    struct rf_load_thread *owner = load->thread[start->thread];
    if (owner->is_merged)
        return false;
    struct rf_event *event = &owner->event[start->event];
    if (rf_tells_elsewhere(load) && owner != thread && event->payload_type == RF_TYPE_EXTENDED)
        return false; /* which has no room for RF_PATH_ELSEWHERE */
    const int64_t destroyed_ns = rf_load_destroyed_ns(load, event->domain, event->start_ns);
    const int64_t end_ns = end->ns > event->start_ns ? end->ns : event->start_ns;
    thread->has_early_ends = owner->has_early_ends = true;
    if (destroyed_ns != RF_NO_TIME && end->ns > destroyed_ns)
        return true;
    stream->is_ended_elsewhere |= !is_here(load, thread, stream);
    if (event->end_ns != RF_NO_TIME) {
        const int64_t later_ns = end->ns > event->end_ns ? end->ns : event->end_ns;
        thread->n_unmatched += rf_windows_know_ends(&load->windows, later_ns);
        if (is_too_late(load, event, end_ns))
            set(&load->has_wrong_ends);
        if (!is_earlier(event, end_ns, owner == thread))
            return true;
        if (load->sums_paths)
            set(&load->has_wrong_ends); /* a walk may have seen the other one */
    }
    event->end_ns = end_ns;
    if (owner == thread && event->payload_type == RF_PATH_ELSEWHERE)
        event->payload_type = RF_TYPE_NONE;
    if (rf_tells_elsewhere(load) && owner != thread && !rf_path_walk_elsewhere(event))
        set(&load->has_wrong_ends);
    if (owner != thread)
        note_needed(load, thread, event);
    return true;
}

/* Returns false where the range is not known, or another decoder reads it. */
static bool end_range(struct rf_decoder *d, struct rf_load_thread *thread,
                      const struct rf_load_end *end)
{
    struct rf_load *load = d->load;
    const struct rf_load_stream *stream = rf_load_stream_of_id(load, thread->process, end->id);
    const size_t index = stream != NULL ? (size_t)(stream - load->stream) : SIZE_MAX;
    const uint64_t counter = rf_counter_of_id(end->id);
    if (index < d->stream || index >= d->stream_end)
        return false;
    const struct rf_load_start *start = rf_load_start_at(stream, counter);
    if (start != NULL)
        return end_kept(load, thread, &load->stream[index], start, end);
    if (!was_taken(stream, counter))
        return false;
    end_again(load, thread, stream, end);
    return true;
}

void rf_note_end(struct rf_decoder *d, struct rf_load_thread *thread)
{
    d->n_new_ends++;
    if (thread->is_waiting)
        return;
    if (rf_grow_array(&d->waiting, d->n_waiting, &d->waiting_room, sizeof(*d->waiting)) != RF_OK) {
        d->is_out_of_memory = true;
        return;
    }
    thread->is_waiting = true;
    d->waiting[d->n_waiting++] = thread;
}

/* Returns how many ends of a thread are left. */
static size_t find_ended(struct rf_decoder *d, struct rf_load_thread *thread)
{
    size_t n = 0;
    if (thread->n_end_payloads > 0 || thread->is_merged)
        return 0; /* they stay where they are */
    for (size_t i = 0; i < thread->n_ends; i++)
        if (!end_range(d, thread, &thread->end[i]))
            thread->end[n++] = thread->end[i];
    thread->n_ends = n;
    return n;
}

/* Paths wait for ends: they are looked at whenever a part has been read, if they are not many. */
void rf_find_ended(struct rf_decoder *d)
{
    const bool at_once = d->load->sums_paths && d->n_left_ends < FEW_ENDS;
    size_t n = 0, n_left = 0;
    if (d->n_waiting == 0 ||
        (!at_once && (d->n_new_ends < MANY_ENDS || d->n_new_ends < d->n_left_ends)))
        return;
    (void)pthread_mutex_lock(&d->load->mutex); /* other workers add threads */
    for (size_t i = 0; i < d->n_waiting; i++) {
        const size_t n_of_thread = find_ended(d, d->waiting[i]);
        n_left += n_of_thread;
        d->waiting[i]->is_waiting = n_of_thread > 0;
        if (n_of_thread > 0)
            d->waiting[n++] = d->waiting[i];
    }
    (void)pthread_mutex_unlock(&d->load->mutex);
    d->n_waiting = n;
    d->n_new_ends = 0;
    d->n_left_ends = n_left;
    if (n_left > TOO_MANY && d->load->n_workers > 1)
        rf_needs_one_worker(d->load);
}

int rf_note_cut(const struct rf_load *load, struct rf_load_stream *stream, uint64_t counter,
                const struct rf_event *event, enum rf_window_fit fit)
{
    const uint32_t in = fit == RF_WINDOW_CUTS ? rf_windows_ending(&load->windows, event->end_ns)
                                              : RF_START_LEFT_OUT;
    return fit != RF_WINDOW_HAS ? rf_map_set(&stream->cut_in, counter, 0, in) : RF_OK;
}

void rf_forget_taken(struct rf_load *load, struct rf_load_stream *stream)
{
    size_t n = 0;
    (void)pthread_mutex_lock(&load->mutex); /* other workers add threads */
    for (size_t i = 0; i < stream->n_starts; i++) {
        const struct rf_load_start start = stream->start[i];
        if (start.event == RF_NO_INDEX)
            continue;
        load->thread[start.thread]->event[start.event].link = (uint32_t)n;
        stream->start[n++] = start;
    }
    (void)pthread_mutex_unlock(&load->mutex);
    stream->has_taken |= n < stream->n_starts;
    stream->n_starts = n;
}

/* ---- When all are ---- */

bool rf_range_was_taken(const struct rf_load *load, uint32_t process, uint64_t id)
{
    const struct rf_load_stream *stream = rf_load_stream_of_id(load, process, id);
    const uint64_t counter = rf_counter_of_id(id);
    return stream != NULL && rf_load_start_at(stream, counter) == NULL &&
           was_taken(stream, counter);
}

/* Whether an end that is left belongs to a range that had one, which may be the wrong one. */
static bool is_wrong_end(const struct rf_load *load, const struct rf_load_thread *thread,
                         const struct rf_load_end *end)
{
    const struct rf_load_stream *stream = rf_load_stream_of_id(load, thread->process, end->id);
    const struct rf_load_start *start =
        stream != NULL ? rf_load_start_at(stream, rf_counter_of_id(end->id)) : NULL;
    if (start == NULL)
        return rf_range_was_taken(load, thread->process, end->id) &&
               !is_later(load, thread, stream, end);
    const struct rf_event *event = &load->thread[start->thread]->event[start->event];
    return is_too_late(load, event, end->ns) ||
           (rf_tells_elsewhere(load) && event->end_ns != RF_NO_TIME &&
            is_earlier(event, end->ns, load->thread[start->thread] == thread));
}

bool rf_early_ends_are_wrong(const struct rf_load *load)
{
    bool is_wrong = load->has_wrong_ends || load->needs_one_worker;
    for (uint32_t i = 0; i < load->n_threads && !is_wrong; i++) {
        const struct rf_load_thread *thread = load->thread[i];
        is_wrong = thread->is_merged && thread->has_early_ends;
        for (size_t k = 0; k < thread->n_ends && !is_wrong; k++)
            is_wrong = is_wrong_end(load, thread, &thread->end[k]);
    }
    return is_wrong;
}
