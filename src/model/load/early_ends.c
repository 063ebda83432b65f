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

/* Whether the range of a number, which is not among those that are open, was taken out. */
static bool was_taken(const struct rf_load_stream *stream, uint64_t counter)
{
    size_t low = 0, high = stream->n_unseen;
    if (counter < stream->first_start || counter >= stream->next_start)
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

/* The range of an end, if this decoder reads it and has met it. */
static struct rf_load_start *find_own(const struct rf_decoder *d, uint32_t process, uint64_t id)
{
    const struct rf_load_stream *stream = rf_load_stream_of_id(d->load, process, id);
    const size_t index = stream != NULL ? (size_t)(stream - d->load->stream) : SIZE_MAX;
    return index >= d->stream && index < d->stream_end
               ? rf_load_start_at(stream, rf_counter_of_id(id))
               : NULL;
}

/* Returns false where the range is not known. An end behind the destruction of its domain has no
 * effect. */
static bool end_range(struct rf_decoder *d, struct rf_load_thread *thread,
                      const struct rf_load_end *end)
{
    struct rf_load *load = d->load;
    const struct rf_load_start *start = find_own(d, thread->process, end->id);
    if (start == NULL || load->thread[start->thread]->is_merged)
        return false;
    struct rf_event *event = &load->thread[start->thread]->event[start->event];
    const int64_t destroyed_ns = rf_load_destroyed_ns(load, event->domain, event->start_ns);
    thread->has_early_ends = load->thread[start->thread]->has_early_ends = true;
    if (destroyed_ns != RF_NO_TIME && end->ns > destroyed_ns)
        return true;
    if (event->end_ns != RF_NO_TIME)
        set(&load->has_wrong_ends); /* the earlier end counts */
    event->end_ns = end->ns > event->start_ns ? end->ns : event->start_ns;
    if (load->sums_paths && load->thread[start->thread] != thread)
        rf_path_walk_elsewhere(event);
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

/* Whether the range of a number has an end, or was taken out with it. */
static bool has_ended(const struct rf_load *load, const struct rf_load_stream *stream,
                      uint64_t counter)
{
    const struct rf_load_start *start = rf_load_start_at(stream, counter);
    if (start == NULL)
        return stream->has_taken && was_taken(stream, counter);
    return load->thread[start->thread]->has_early_ends &&
           load->thread[start->thread]->event[start->event].end_ns != RF_NO_TIME;
}

/* Whether the range of an end that is left had one before. */
static bool is_second_end(const struct rf_load *load, uint64_t id)
{
    const uint32_t n = load->rec->n_processes;
    const uint64_t last = n > 0 ? load->process[n - 1].number : 0;
    for (uint64_t number = id >> (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS); n > 0 && number <= last;
         number += 1024) {
        const uint32_t process = rf_load_find_process(load, number);
        const struct rf_load_stream *stream =
            process != RF_NO_INDEX ? rf_load_stream_of_id(load, process, id) : NULL;
        if (stream != NULL && has_ended(load, stream, rf_counter_of_id(id)))
            return true;
    }
    return false;
}

bool rf_early_ends_are_wrong(const struct rf_load *load)
{
    bool is_wrong = load->has_wrong_ends || load->needs_one_worker;
    for (uint32_t i = 0; i < load->n_threads && !is_wrong; i++) {
        const struct rf_load_thread *thread = load->thread[i];
        is_wrong = thread->is_merged && thread->has_early_ends;
        for (size_t k = 0; k < thread->n_ends && !is_wrong; k++)
            is_wrong = is_second_end(load, thread->end[k].id);
    }
    return is_wrong;
}
