/* SPDX-License-Identifier: Apache-2.0 */
/* Threads whose records stand in several streams: a signal handler that interrupts the recorder
 * writes to a second one. Their records are merged by time and decoded again; all other threads
 * were decoded as they were read. */
#include "model/load/merge.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/map.h"
#include "model/load/decode.h"
#include "model/load/payload_records.h"
#include "model/load/timeline.h"

/* One stream's records of the thread. */
struct source {
    const uint32_t *segment, *segment_end; /* those that follow; indices into load->segment */
    uint32_t stream;
    struct rf_stream_cursor cursor;
    struct rf_record record; /* the next one */
    bool is_gap;             /* records may be missing before it */
};

struct merge {
    struct rf_decoder *decoder;
    struct rf_load_thread *thread;
    uint32_t thread_index;
    uint32_t *segment; /* the thread's, by stream and place */
    struct source *source;
    struct rf_heap heap; /* of sources, which are by stream */
    uint64_t left_ticks; /* when the last of its slots went to another thread; 0: never */
    bool is_lost;        /* records may be missing where it left a slot */
};

/* Those before the one that is being read. */
static void drop_parts(struct rf_decoder *d, const struct source *s)
{
    const struct rf_log_part *first = d->load->stream[s->stream].part;
    if (s->cursor.part > first)
        rf_decoder_drop_parts(d, first, s->cursor.part - 1);
}

/* Moves on to the thread's next segment in the stream; false: there is none. */
static bool next_segment(struct rf_decoder *d, struct source *s)
{
    const struct rf_load *load = d->load;
    if (s->segment == s->segment_end)
        return false;
    s->cursor = load->segment[*s->segment++].at;
    drop_parts(d, s);
    rf_stream_resume(&s->cursor, &d->parts);
    return true;
}

static bool is_other(const struct merge *m, uint32_t tid, uint32_t serial)
{
    return tid != m->thread->tid || serial != m->thread->serial;
}

/* Reads the source's next record; false: it is at its end. */
static bool advance(struct merge *m, struct source *s)
{
    struct rf_stream_part part;
    s->is_gap = false;
    for (;;) {
        enum rf_stream_step step = rf_stream_next(&s->cursor, &s->record, &part);
        bool has_left = false;
        if (step == RF_STREAM_PART) {
            drop_parts(m->decoder, s);
            s->is_gap |= part.is_gap;
            has_left = is_other(m, part.tid, part.serial);
        } else if (step == RF_STREAM_RECORD && s->record.type == RF_REC_THREAD &&
                   s->record.n_words > 1) {
            uint64_t who = rf_load64(s->record.words + 8);
            has_left = is_other(m, (uint32_t)who, (uint32_t)(who >> 32));
        }
        if (has_left && s->cursor.ticks > m->left_ticks)
            m->left_ticks = s->cursor.ticks;
        if (step == RF_STREAM_RECORD && !has_left)
            return true;
        if (step != RF_STREAM_END && !has_left)
            continue;
        m->is_lost |= s->is_gap; /* the last records of the thread there are missing */
        s->is_gap = false;
        if (!next_segment(m->decoder, s))
            return false;
    }
}

static int compare_segments(const void *left, const void *right, void *context)
{
    const struct rf_load_segment *all = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (all[a].stream != all[b].stream)
        return all[a].stream < all[b].stream ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Makes a source per stream that the thread has segments in. */
static int make_sources(struct merge *m)
{
    struct rf_load *load = m->decoder->load;
    size_t n = 0, n_sources = 0;
    for (uint32_t i = m->thread->first_segment; i != RF_NO_INDEX; i = load->segment[i].next)
        n++;
    m->segment = malloc(n * sizeof(*m->segment));
    if (m->segment == NULL)
        return RF_ERR_NO_MEMORY;
    n = 0;
    for (uint32_t i = m->thread->first_segment; i != RF_NO_INDEX; i = load->segment[i].next)
        m->segment[n++] = i;
    qsort_r(m->segment, n, sizeof(*m->segment), compare_segments, load->segment);
    for (size_t i = 0; i < n; i++)
        n_sources += i == 0 ||
                     load->segment[m->segment[i]].stream != load->segment[m->segment[i - 1]].stream;
    m->source = calloc(n_sources, sizeof(*m->source));
    m->heap.entry = calloc(n_sources, sizeof(*m->heap.entry));
    if (m->source == NULL || m->heap.entry == NULL)
        return RF_ERR_NO_MEMORY;
    struct source *s = m->source;
    for (size_t i = 0, end; i < n; i = end) {
        s->stream = load->segment[m->segment[i]].stream;
        for (end = i; end < n && load->segment[m->segment[end]].stream == s->stream; end++) {
        }
        s->segment = m->segment + i;
        s->segment_end = m->segment + end;
        if (next_segment(m->decoder, s) && advance(m, s))
            rf_heap_add(&m->heap, rf_heap_time(s->record.ticks), (size_t)(s - m->source));
        s++;
    }
    return RF_OK;
}

static int merge_thread(struct rf_decoder *d, uint32_t index)
{
    struct rf_load *load = d->load;
    struct merge m = {.decoder = d, .thread = load->thread[index], .thread_index = index};
    rf_decode_reset(m.thread);
    int status = make_sources(&m);
    while (status == RF_OK && m.heap.n > 0 && !d->is_out_of_memory) {
        struct source *s = &m.source[m.heap.entry[0].source];
        if (s->is_gap)
            rf_decode_gap(load, m.thread);
        rf_decode_record(d, m.thread, index, &load->stream[s->stream], &s->cursor, &s->record);
        if (advance(&m, s))
            rf_heap_advance(&m.heap, rf_heap_time(s->record.ticks));
        else
            rf_heap_drop(&m.heap);
    }
    if (m.is_lost)
        rf_decode_gap(load, m.thread);
    if (m.left_ticks != 0) {
        int64_t ns = rf_timeline_ns(&load->timeline, &d->line, m.left_ticks);
        if (ns >= m.thread->last_ns)
            rf_decode_cut(load, m.thread, ns, RF_CUT_THREAD_ENDED);
    }
    free(m.segment);
    free(m.source);
    free(m.heap.entry);
    return d->is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}

/* What the first reading noted of the starts of such threads. */
static void forget_starts(struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_streams; i++) {
        struct rf_load_stream *stream = &load->stream[i];
        size_t n = 0;
        for (size_t k = 0; k < stream->n_starts; k++)
            if (!load->thread[stream->start[k].thread]->is_merged)
                stream->start[n++] = stream->start[k];
        stream->n_starts = n;
    }
}

static int compare_starts(const void *left, const void *right)
{
    const struct rf_load_start *a = left, *b = right;
    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

/* Ids are looked up by their number in the stream. */
static void sort_starts(struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_streams; i++) {
        struct rf_load_stream *stream = &load->stream[i];
        bool is_sorted = true;
        for (size_t k = 1; k < stream->n_starts && is_sorted; k++)
            is_sorted = stream->start[k - 1].counter <= stream->start[k].counter;
        if (!is_sorted)
            qsort(stream->start, stream->n_starts, sizeof(*stream->start), compare_starts);
    }
}

/* Frees what only decoding needed. */
static void release_lookups(struct rf_load *load)
{
    rf_map_release(&load->thread_of);
    rf_map_release(&load->string_of);
    rf_map_release(&load->domain_of);
    rf_map_release(&load->domain_by_name);
    rf_map_release(&load->bad_domain);
    rf_map_release(&load->own_domain);
    rf_map_release(&load->gone);
    rf_map_release(&load->object);
    free(load->segment);
    free(load->handle);
    load->segment = NULL;
    load->handle = NULL;
    for (uint32_t i = 0; i < load->n_threads; i++)
        rf_map_release(&load->thread[i]->stack_of);
}

int rf_load_merge(struct rf_load *load)
{
    struct rf_decoder decoder;
    bool has_merged = false;
    int status = RF_OK;
    for (uint32_t i = 0; i < load->n_threads; i++)
        has_merged |= load->thread[i]->is_merged;
    if (has_merged)
        forget_starts(load);
    rf_decoder_init(&decoder, load);
    rf_selector_init(&decoder.selector, load, decoder.strings, 0);
    for (uint32_t i = 0; i < load->n_threads && has_merged && status == RF_OK; i++)
        if (load->thread[i]->is_merged)
            status = merge_thread(&decoder, i);
    if (status == RF_OK)
        status = rf_selector_join(load, &decoder.selector);
    rf_decoder_release(&decoder);
    sort_starts(load);
    if (status == RF_OK)
        status = rf_load_payload_strings(load);
    if (!load->streams_work ||
        !(load->sums_paths || load->sums_projected)) /* they are read again: see range_replay.h */
        release_lookups(load);
    return status;
}
