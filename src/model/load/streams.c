/* SPDX-License-Identifier: Apache-2.0 */
/* Reads each stream once and in order. A thread that has records in a second stream (a signal
 * handler's) is left to merge.c. Several workers decode a long recording, each with its share of
 * the streams and its own strings. The strings are joined in the order of the streams, so that the
 * result is the same for any number of workers. */
#include "model/load/streams.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/heap.h"
#include "base/map.h"
#include "log/log_memory.h"
#include "model/load/counting.h"
#include "model/load/decode.h"
#include "model/load/early_ends.h"
#include "model/load/new_thread.h"
#include "model/load/summing.h"
#include "model/load/timeline.h"
#include "model/strings.h"

#define MAX_WORKERS      64u
#define PARTS_PER_WORKER 256u /* 16 MiB: with less, starting a thread does not pay */

/* The thread whose records follow at `cursor`. Returns its index, or RF_NO_INDEX. */
static uint32_t begin_segment(struct rf_load *load, uint32_t stream, uint32_t tid, uint32_t serial,
                              const struct rf_stream_cursor *cursor, int64_t ns)
{
    uint32_t process = load->stream[stream].process;
    uint32_t index = rf_map_find(&load->thread_of, (uint64_t)process << 32 | serial, tid);
    struct rf_load_thread *thread;
    if (index == RF_MAP_NONE) {
        index = rf_load_add_thread(load, process, tid, serial);
        if (index == RF_NO_INDEX ||
            rf_map_set(&load->thread_of, (uint64_t)process << 32 | serial, tid, index) != RF_OK)
            return RF_NO_INDEX;
        load->thread[index]->stream = stream;
    }
    thread = load->thread[index];
    if (ns < thread->first_ns)
        thread->first_ns = ns;
    if (rf_grow_array(&load->segment, load->n_segments, &load->segment_room,
                      sizeof(*load->segment)) != RF_OK)
        return RF_NO_INDEX;
    load->segment[load->n_segments] = (struct rf_load_segment){RF_NO_INDEX, stream, *cursor};
    if (thread->last_segment == RF_NO_INDEX)
        thread->first_segment = load->n_segments;
    else
        load->segment[thread->last_segment].next = load->n_segments;
    thread->last_segment = load->n_segments++;
    if (thread->stream != stream)
        thread->is_merged = true;
    return index;
}

/* Where a decoder is in a stream. */
struct position {
    uint32_t stream;
    uint32_t worker;
    uint32_t thread_index;
    struct rf_load_thread *thread;
    bool is_mine;    /* the thread's events are decoded here, not in merge.c */
    bool is_carried; /* so far there is only what recycled parts left open */
};

static void enter_thread(struct rf_decoder *d, struct position *at, uint32_t tid, uint32_t serial,
                         const struct rf_stream_cursor *cursor, int64_t ns)
{
    struct rf_load *load = d->load;
    if (at->thread != NULL && at->thread->tid == tid && at->thread->serial == serial)
        return;
    if (at->is_mine && ns != RF_NO_TIME) /* its slot has another thread now: its end is missing */
        rf_decode_cut(load, at->thread, ns, RF_CUT_THREAD_ENDED);
    (void)pthread_mutex_lock(&load->mutex);
    at->thread_index = begin_segment(load, at->stream, tid, serial, cursor, ns);
    at->thread = at->thread_index != RF_NO_INDEX ? load->thread[at->thread_index] : NULL;
    (void)pthread_mutex_unlock(&load->mutex);
    at->is_mine = at->thread != NULL && at->thread->stream == at->stream;
    if (at->is_mine)
        at->thread->worker = at->worker;
    d->is_out_of_memory |= at->thread == NULL;
}

/* Behind what recycled parts left open: the part that is read now is the first that is whole. It
 * may have been entered for the sake of a text that goes on in it. A thread that writes to several
 * streams has all its events since the last of these times. */
static void note_kept(struct rf_decoder *d, struct position *at, const struct rf_log_part *part)
{
    if (rf_part_header(part).carried_from != 0 || at->thread == NULL)
        return;
    int64_t ns = rf_timeline_ns(&d->load->timeline, &d->line, part->ticks);
    (void)pthread_mutex_lock(&d->load->mutex);
    if (ns > at->thread->kept_from_ns)
        at->thread->kept_from_ns = ns;
    (void)pthread_mutex_unlock(&d->load->mutex);
    at->is_carried = false;
}

static void enter_part(struct rf_decoder *d, struct position *at, struct rf_load_stream *stream,
                       const struct rf_stream_part *part, const struct rf_stream_cursor *cursor)
{
    stream->n_lost_records += part->n_lost_records;
    stream->lost_bytes += part->lost_bytes;
    stream->n_lost_parts += part->n_lost_parts;
    int64_t ns = rf_timeline_ns(&d->load->timeline, &d->line, cursor->ticks);
    if (part->is_gap && ns > stream->loss_ns)
        stream->loss_ns = ns;
    if (part->is_gap && at->is_mine)
        rf_decode_gap(d->load, at->thread);
    enter_thread(d, at, part->tid, part->serial, cursor, ns);
    at->is_carried |= part->is_carried;
}

/* What was read takes no more memory. next: the part behind the one that is entered; sums: the
 * recording is summed up. */
static void finish_part(struct rf_decoder *d, const struct position *at,
                        struct rf_load_stream *stream, const struct rf_log_part *next, bool sums)
{
    if (d->load->sums_paths && stream->n_cuda > 0 && !d->load->streams_work)
        rf_sum_no_paths(d->load); /* its work lies in ranges */
    if (sums && at->is_mine) {
        rf_find_ended(d);
        rf_sum_ended(d, at->thread, stream);
    }
    if (next - stream->part >= 2) {
        const struct rf_part_view stored = rf_part_stored(&next[-2]);
        rf_log_was_read(&d->load->log, &d->read, stored.data, stored.size);
        rf_decoder_drop_parts(d, stream->part, next - 1);
    }
}

/* A stream while it is decoded. */
struct decoding {
    struct rf_load_stream *stream;
    struct position at;
    struct rf_stream_cursor cursor;
    uint64_t last_ticks;
};

static void begin_stream(struct rf_decoder *d, struct decoding *s, uint32_t index, uint32_t worker)
{
    *s = (struct decoding){.stream = &d->load->stream[index],
                           .at = {.stream = index, .worker = worker}};
    rf_stream_init(&s->cursor, &d->parts, s->stream->part, s->stream->n_parts);
}

static void take_step(struct rf_decoder *d, struct decoding *s, enum rf_stream_step step,
                      const struct rf_record *record, const struct rf_stream_part *part, bool sums)
{
    struct position *at = &s->at;
    if (step == RF_STREAM_PART) {
        finish_part(d, at, s->stream, s->cursor.part, sums);
        enter_part(d, at, s->stream, part, &s->cursor);
        if (sums && d->load->counts_only && at->is_mine && d->load->selection.of == NULL &&
            !d->load->windows.is_focused)
            (void)rf_count_part(d, at->thread, &s->cursor);
    } else if (record->type == RF_REC_THREAD && record->n_words > 1) {
        uint64_t who = rf_load64(record->words + 8);
        struct rf_stream_cursor before = s->cursor;
        before.at = record->words;
        enter_thread(d, at, (uint32_t)who, (uint32_t)(who >> 32), &before,
                     rf_timeline_ns(&d->load->timeline, &d->line, record->ticks));
    }
    /* also of threads that merge.c decodes: it comes later than those who read these records */
    s->stream->n_ext += step == RF_STREAM_RECORD && record->type == RF_REC_EXT;
    if (step == RF_STREAM_RECORD && record->type == RF_REC_CUDA) {
        s->stream->n_cuda++;
        if (at->is_mine)
            at->thread->wrote_cuda = true;
        if (d->load->sums_work)
            d->is_out_of_memory |=
                rf_cuda_sums_add(&d->cuda_sums, d->load, s->stream->process, record) != RF_OK;
    } else if (step == RF_STREAM_RECORD && at->is_mine)
        rf_decode_record(d, at->thread, at->thread_index, s->stream, &s->cursor, record);
    if (at->is_carried)
        note_kept(d, at, s->cursor.part - 1);
    if (s->cursor.ticks > s->last_ticks)
        s->last_ticks = s->cursor.ticks;
}

/* Most records push and pop: they need nothing else. */
static inline void take_run(struct rf_decoder *d, struct decoding *s, bool sums)
{
    if (!rf_stream_is_at_stack(&s->cursor))
        return;
    const uint64_t ticks =
        rf_decode_run(d, s->at.thread, &s->cursor, sums ? rf_sum_many(s->at.thread) : SIZE_MAX);
    if (ticks > s->last_ticks)
        s->last_ticks = ticks;
}

static bool is_over(const struct rf_decoder *d)
{
    const struct rf_load *load = d->load;
    return d->is_out_of_memory ||
           (load->sums_ranges && !load->keeps_events &&
            (rf_sum_has_no_paths(load) || rf_must_read_again(load) || rf_select_has_failed(load)));
}

/* Decodes the stream, or with one_part up to the end of a part. Returns false at its end. */
static bool decode_on(struct rf_decoder *d, struct decoding *s, bool one_part)
{
    const bool sums = d->load->sums_ranges && !d->load->keeps_events;
    struct rf_stream_part part;
    struct rf_record record;
    enum rf_stream_step step;
    while (!d->is_out_of_memory &&
           (step = rf_stream_next(&s->cursor, &record, &part)) != RF_STREAM_END) {
        if (step == RF_STREAM_PART && is_over(d))
            break;
        take_step(d, s, step, &record, &part, sums);
        if (s->at.is_mine && !s->at.is_carried)
            take_run(d, s, sums);
        if (sums && s->at.is_mine && rf_sum_has_many(s->at.thread))
            rf_sum_ended(d, s->at.thread, s->stream);
        if (one_part && rf_stream_is_at_end_of_part(&s->cursor) &&
            s->cursor.part != s->cursor.part_end)
            return true;
    }
    return false;
}

static void end_stream(struct rf_decoder *d, struct decoding *s)
{
    if (s->last_ticks > 0)
        s->stream->last_ns = rf_timeline_ns(&d->load->timeline, &d->line, s->last_ticks);
    s->stream->n_damaged_bytes = s->cursor.n_damaged_bytes;
}

/* ---- Workers ---- */

struct worker {
    struct rf_decoder decoder;
    struct rf_strings strings; /* of all but the first, which uses the recording's */
    uint32_t index;
    uint32_t *remap; /* its strings in the recording */
    pthread_t thread;
    bool is_started;
    void (*phase)(struct worker *);
};

/* Streams of a process that is summed up, by the time of their parts: ranges that one thread begins
 * and another one ends are not open for longer than they were. */
static void decode_by_time(struct worker *w, uint32_t begin, uint32_t end)
{
    struct rf_decoder *d = &w->decoder;
    const uint32_t n = end - begin;
    struct decoding *stream = calloc(n, sizeof(*stream));
    struct rf_heap heap = {.entry = calloc(n, sizeof(*heap.entry))};
    d->is_out_of_memory |= stream == NULL || heap.entry == NULL;
    for (uint32_t i = 0; i < n && !d->is_out_of_memory; i++) {
        begin_stream(d, &stream[i], begin + i, w->index);
        if (stream[i].cursor.part != stream[i].cursor.part_end)
            rf_heap_add(&heap, rf_heap_time(stream[i].cursor.part->ticks), i);
    }
    while (heap.n > 0 && !d->is_out_of_memory) {
        struct decoding *next = &stream[heap.entry[0].source];
        const bool is_at_part = decode_on(d, next, true);
        rf_decoder_drop_parts(d, next->stream->part, next->cursor.part);
        if (is_at_part)
            rf_heap_advance(&heap, rf_heap_time(next->cursor.part->ticks));
        else
            rf_heap_drop(&heap);
    }
    for (uint32_t i = 0; i < n && !d->is_out_of_memory; i++)
        end_stream(d, &stream[i]);
    free(stream);
    free(heap.entry);
}

static void decode_share(struct worker *w)
{
    struct rf_decoder *d = &w->decoder;
    const struct rf_load *load = d->load;
    const bool sums = load->sums_ranges && !load->keeps_events;
    for (uint32_t i = d->stream, end; i < d->stream_end; i = end) {
        end = i + 1;
        while (sums && end < d->stream_end && load->stream[end].process == load->stream[i].process)
            end++;
        if (end - i > 1) {
            decode_by_time(w, i, end);
            continue;
        }
        struct decoding stream;
        begin_stream(d, &stream, i, w->index);
        (void)decode_on(d, &stream, false);
        end_stream(d, &stream);
        rf_decoder_drop_parts(d, stream.stream->part, stream.cursor.part);
    }
}

static uint32_t remapped(const struct worker *w, uint32_t name)
{
    return name == RF_NO_STRING || name < w->decoder.name_base
               ? name
               : w->remap[name - w->decoder.name_base];
}

/* has_value: in the place of its payload, as payload_tests.h has it. */
static void remap_event(const struct worker *w, struct rf_event *event, bool has_value)
{
    event->name = remapped(w, event->name);
    if (has_value && event->payload_type != RF_TYPE_EXTENDED && event->kind <= RF_EVENT_MARK &&
        event->payload != 0)
        event->payload = 1 + (uint64_t)remapped(w, (uint32_t)event->payload - 1);
}

/* Gives the events of the worker's threads the recording's strings. */
static void remap_share(struct worker *w)
{
    const struct rf_load *load = w->decoder.load;
    for (uint32_t i = 0; i < load->n_threads; i++) {
        struct rf_load_thread *thread = load->thread[i];
        if (thread->worker != w->index || w->remap == NULL)
            continue;
        thread->system_name = remapped(w, thread->system_name);
        for (size_t k = 0; k < thread->n; k++)
            remap_event(w, &thread->event[k], load->group_by != NULL && !load->keeps_events);
    }
}

static void *run_worker(void *context)
{
    struct worker *w = context;
    w->phase(w);
    return NULL;
}

/* Runs a phase in all workers, the first one in the calling thread. The others block signals, which
 * belong to the program. A worker whose thread cannot be started runs in the calling thread too. */
static void run_all(struct worker *worker, uint32_t n, void (*phase)(struct worker *))
{
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* the caller may handle it: the file may be truncated */
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    for (uint32_t i = 0; i < n; i++) {
        worker[i].phase = phase;
        worker[i].is_started =
            i > 0 && pthread_create(&worker[i].thread, NULL, run_worker, &worker[i]) == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (!worker[i].is_started)
            phase(&worker[i]);
    for (uint32_t i = 0; i < n; i++)
        if (worker[i].is_started)
            (void)pthread_join(worker[i].thread, NULL);
}

static uint32_t count_workers(const struct rf_load *load)
{
    cpu_set_t cores;
    size_t n = load->has_one_worker ? 1 : load->log.n_parts / PARTS_PER_WORKER;
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
        return 1;
    if (n > (size_t)CPU_COUNT(&cores))
        n = (size_t)CPU_COUNT(&cores);
    if (n > load->n_streams)
        n = load->n_streams;
    return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (uint32_t)n;
}

/* Gives each worker consecutive streams with about the same number of parts. */
static void share_out(struct rf_load *load, struct worker *worker, uint32_t n)
{
    uint64_t seed = rf_hash_seed();
    uint32_t stream = 0;
    size_t n_parts = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t until = load->log.n_parts * (i + 1) / n;
        rf_decoder_init(&worker[i].decoder, load);
        rf_strings_init(&worker[i].strings, seed);
        worker[i].index = i;
        worker[i].decoder.stream = stream;
        while (stream < load->n_streams && (n_parts < until || i + 1 == n))
            n_parts += load->stream[stream++].n_parts;
        worker[i].decoder.stream_end = stream;
        if (i > 0) {
            worker[i].decoder.strings = &worker[i].strings;
            worker[i].decoder.name_base = load->rec->strings.n;
        }
        rf_selector_init(&worker[i].decoder.selector, load, worker[i].decoder.strings,
                         worker[i].decoder.name_base);
    }
}

/* Adds a worker's strings to the recording's. */
static int join_strings(struct rf_load *load, struct worker *w)
{
    w->remap = malloc(((size_t)w->strings.n + 1) * sizeof(*w->remap));
    if (w->remap == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < w->strings.n; i++) {
        const struct rf_string_entry *entry = &w->strings.entry[i];
        w->remap[i] = rf_strings_add(&load->rec->strings, entry->text, entry->size);
        if (w->remap[i] == RF_NO_STRING)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

int rf_load_decode(struct rf_load *load)
{
    uint32_t n = count_workers(load);
    struct worker *worker = calloc(n, sizeof(*worker));
    int status = worker != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK && load->sums_work)
        status = rf_cuda_sums_begin(load);
    if (status != RF_OK) {
        free(worker);
        return status;
    }
    load->n_workers = n;
    share_out(load, worker, n);
    run_all(worker, n, decode_share);
    for (uint32_t i = 0; i < n; i++) {
        if (worker[i].decoder.is_out_of_memory)
            status = RF_ERR_NO_MEMORY;
        if (i > 0 && status == RF_OK)
            status = join_strings(load, &worker[i]);
        if (status == RF_OK)
            status = rf_sums_join(load, &worker[i].decoder, worker[i].remap);
        if (status == RF_OK && load->sums_work)
            status = rf_cuda_sums_join(load, &worker[i].decoder.cuda_sums);
        rf_strings_release(&worker[i].strings);
        rf_decoder_release(&worker[i].decoder);
    }
    if (status == RF_OK && load->sums_work)
        rf_cuda_sums_finish(load);
    if (n > 1 && status == RF_OK)
        run_all(worker, n, remap_share);
    for (uint32_t i = 0; i < n; i++)
        free(worker[i].remap);
    free(worker);
    return status;
}
