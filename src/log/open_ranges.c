/* SPDX-License-Identifier: Apache-2.0 */
#include "log/open_ranges.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/heap.h"
#include "log/open_domains.h"
#include "log/open_move.h"
#include "log/open_state.h"
#include "rangefinder/rangefinder.h"

/* ---- Walking ---- */

/* The part that is visited next. */
static const struct rf_log_part *next_part(const struct rf_open_stream *s)
{
    return s->at.part - (s->goes_on ? 1 : 0);
}

/* Walks over the stream's next part, or over what is left of one that was entered. */
static void visit(struct rf_open_ranges *o, struct rf_open_stream *s)
{
    struct rf_stream_cursor *c = &s->at;
    struct rf_stream_part part;
    struct rf_record r;
    enum rf_stream_step step;
    const bool is_counted = !next_part(s)->is_carried;
    o->n_bytes += s->goes_on ? 0 : c->part->size;
    c->part_end = next_part(s) + 1;
    s->goes_on = false;
    for (;;) {
        const uint8_t *at = c->at;
        uint64_t ticks = c->ticks, n_starts = c->n_starts;
        step = rf_stream_next(c, &r, &part);
        if (step == RF_STREAM_END || o->is_out_of_memory) {
            c->at = c->part == s->part + s->n_parts ? at : c->at; /* more may come there */
            break;
        }
        if (step == RF_STREAM_PART) {
            rf_open_enter_part(o, s, &part, ticks);
            continue;
        }
        if (r.ticks >= o->limit && !rf_open_is_more(&r)) {
            c->at = at;
            c->ticks = ticks;
            c->n_starts = n_starts;
            s->has_rest = true;
            break;
        }
        o->n_walked += is_counted && r.type != RF_REC_DATA;
        rf_open_take_record(o, s, &r, ticks);
    }
    if (s->n_waiting > 0)
        rf_open_settle(o, s);
    rf_open_copy_fresh(o);
    if (!s->has_rest)
        rf_part_reader_drop(&o->parts, s->part, c->part);
    o->is_out_of_memory |= o->parts.is_out_of_memory;
}

/* ---- Threads whose records stand in several streams ---- */

/* A stream of such a thread: read again, by time. */
struct source {
    struct rf_open_stream *stream;
    struct rf_stream_cursor cursor;
    struct rf_record record;
    bool has_record, is_gap;
};

static bool is_before(const struct source *a, const struct source *b)
{
    return a->record.ticks != b->record.ticks ? a->record.ticks < b->record.ticks
                                              : a->stream < b->stream;
}

static void advance(struct rf_open_ranges *o, struct source *s)
{
    struct rf_stream_part part;
    enum rf_stream_step step;
    s->has_record = false;
    s->is_gap = false;
    while ((step = rf_stream_next(&s->cursor, &s->record, &part)) != RF_STREAM_END) {
        if (step == RF_STREAM_PART) {
            s->is_gap |= part.is_gap;
            rf_open_copy_fresh(o);
            rf_part_reader_drop(&o->parts, s->stream->part, s->cursor.part - 1);
        } else if (s->stream->has_rest && s->cursor.part == s->stream->at.part &&
                   s->record.words == s->stream->at.at) {
            return;
        } else {
            s->has_record = true;
            return;
        }
    }
}

static void take_merged(struct rf_open_ranges *o, struct rf_open_stream *owner, struct source *s)
{
    const struct rf_record *r = &s->record;
    if (s->is_gap)
        rf_open_clear_stacks(o, owner);
    if (r->type == RF_REC_PUSH) {
        rf_open_push(o, owner, s->stream, r);
        for (advance(o, s); s->has_record && !s->is_gap && rf_open_is_more(r); advance(o, s))
            rf_open_keep_more(o, s->stream, r);
        s->stream->more_of = RF_OPEN_NONE;
        return;
    }
    if (r->type == RF_REC_POP || r->type == RF_REC_POP_DOMAIN)
        rf_open_pop(o, owner, s->stream, r);
    else if (r->type == RF_REC_THREAD_END)
        rf_open_clear_stacks(o, owner);
    advance(o, s);
}

/* Finds again what the thread that writes to n streams has pushed: a pop in one can belong to a
 * push in another. */
static void merge(struct rf_open_ranges *o, struct source *source, uint32_t n)
{
    struct rf_open_stream *owner = source[0].stream;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_open_stream *s = source[i].stream;
        rf_open_clear_stacks(o, s);
        source[i].cursor = s->thread_at;
        source[i].cursor.part_end = s->at.part;
        rf_stream_resume(&source[i].cursor, &o->parts);
        advance(o, &source[i]);
    }
    while (!o->is_out_of_memory) {
        struct source *next = NULL;
        for (uint32_t i = 0; i < n; i++)
            if (source[i].has_record && (next == NULL || is_before(&source[i], next)))
                next = &source[i];
        if (next == NULL)
            break;
        take_merged(o, owner, next);
    }
    rf_open_copy_fresh(o);
    for (uint32_t i = 0; i < n; i++)
        if (!source[i].stream->has_rest)
            rf_part_reader_drop(&o->parts, source[i].stream->part, source[i].cursor.part);
}

struct writer {
    uint32_t process, tid, serial, stream;
};

static int compare_writers(const void *left, const void *right)
{
    const struct writer *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->serial != b->serial)
        return a->serial < b->serial ? -1 : 1;
    return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static bool is_same_writer(const struct writer *a, const struct writer *b)
{
    return a->process == b->process && a->tid == b->tid && a->serial == b->serial;
}

static int merge_writers(struct rf_open_ranges *o)
{
    struct writer *writer = calloc((size_t)o->n_streams + 1, sizeof(*writer));
    struct source *source = calloc((size_t)o->n_streams + 1, sizeof(*source));
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->n_streams && writer != NULL; i++) {
        const struct rf_open_stream *s = &o->stream[i];
        if (s->n_threads > 0)
            writer[n++] = (struct writer){s->process, s->thread[s->n_threads - 1].tid,
                                          s->thread[s->n_threads - 1].serial, i};
    }
    if (writer == NULL || source == NULL)
        n = 0;
    if (n > 0)
        qsort(writer, n, sizeof(*writer), compare_writers);
    for (uint32_t i = 0, last; i < n; i = last) {
        for (last = i; last < n && is_same_writer(&writer[i], &writer[last]); last++)
            source[last - i].stream = &o->stream[writer[last].stream];
        if (last - i > 1)
            merge(o, source, last - i);
        o->is_merged |= last - i > 1;
    }
    int status = writer != NULL && source != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    free(writer);
    free(source);
    return status;
}

static void forget_ended(struct rf_open_ranges *o)
{
    for (uint32_t i = 0; i < o->n_streams; i++) {
        struct rf_open_stream *s = &o->stream[i];
        if (s->n_threads > 0 &&
            rf_open_has_ended(o, s->process, s->thread[s->n_threads - 1].serial))
            rf_open_clear_stacks(o, s);
    }
}

/* ---- All streams ---- */

static int list_streams(struct rf_open_ranges *o)
{
    const struct rf_log *log = o->log;
    uint32_t process = 0;
    size_t n = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        n += i == 0 || log->part[i].process != log->part[i - 1].process ||
             log->part[i].slot != log->part[i - 1].slot;
    o->stream = n < RF_OPEN_NONE ? calloc(n + 1, sizeof(*o->stream)) : NULL;
    if (o->stream == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        if (i == 0 || part->process != part[-1].process || part->slot != part[-1].slot) {
            while (log->process[process].number != part->process)
                process++;
            o->stream[o->n_streams++] = (struct rf_open_stream){
                .part = part, .process = process, .slot = part->slot, .more_of = RF_OPEN_NONE};
        }
        o->stream[o->n_streams - 1].n_parts++;
    }
    for (uint32_t i = 0; i < o->n_streams; i++)
        rf_stream_init(&o->stream[i].at, &o->parts, o->stream[i].part, o->stream[i].n_parts);
    return RF_OK;
}

/* When the part begins. */
static int64_t part_time(const struct rf_log_part *part)
{
    return rf_heap_time(part->ticks);
}

/* Visits the parts of all streams in the order of time, so that few ENDs wait for their START. */
static int visit_all(struct rf_open_ranges *o)
{
    struct rf_heap heap = {.entry = calloc((size_t)o->n_streams + 1, sizeof(*heap.entry))};
    if (heap.entry == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < o->n_streams; i++)
        rf_heap_add(&heap, part_time(next_part(&o->stream[i])), i);
    while (heap.n > 0 && !o->is_out_of_memory) {
        struct rf_open_stream *s = &o->stream[heap.entry[0].source];
        visit(o, s);
        if (s->has_rest || s->at.part == s->part + s->n_parts)
            rf_heap_drop(&heap);
        else
            rf_heap_advance(&heap, part_time(s->at.part));
    }
    free(heap.entry);
    return RF_OK;
}

static int begin(struct rf_open_ranges *o, const struct rf_log *log, uint64_t limit)
{
    memset(o, 0, sizeof(*o));
    o->log = log;
    o->limit = limit;
    o->free_record = RF_OPEN_NONE;
    rf_part_reader_init(&o->parts, log);
    o->domains = rf_open_domains_new(log);
    o->ended = calloc(log->n_processes + 1, sizeof(*o->ended));
    return o->domains != NULL && o->ended != NULL ? list_streams(o) : RF_ERR_NO_MEMORY;
}

static int walk(struct rf_open_ranges *o)
{
    int status = visit_all(o);
    if (status == RF_OK)
        status = merge_writers(o);
    if (status == RF_OK)
        forget_ended(o);
    return o->is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}

int rf_open_ranges_find(struct rf_open_ranges *o, const struct rf_log *log,
                        const struct rf_log *whole, uint64_t limit)
{
    int status = begin(o, log, limit);
    o->whole = whole;
    return status == RF_OK ? walk(o) : status;
}

int rf_open_ranges_go_on(struct rf_open_ranges *o, struct rf_open_ranges *from,
                         const struct rf_log *log, uint64_t limit)
{
    int status = begin(o, log, limit);
    if (status == RF_OK && from->log != NULL)
        status = rf_open_ranges_move(o, from);
    rf_open_ranges_release(from);
    return status == RF_OK || status == RF_ERR_DAMAGED ? walk(o) : status;
}

void rf_open_ranges_release(struct rf_open_ranges *o)
{
    for (uint32_t i = 0; i < o->n_streams; i++) {
        free(o->stream[i].thread);
        free(o->stream[i].stack);
        free(o->stream[i].start);
    }
    for (size_t i = 0; i < (o->ended != NULL ? o->log->n_processes : 0); i++)
        free(o->ended[i].bits);
    for (uint32_t i = 0; i < o->n_records; i++)
        rf_open_free_words(&o->record[i]);
    rf_part_reader_release(&o->parts);
    free(o->ended);
    free(o->stream);
    free(o->record);
    free(o->fresh);
    free(o->wait);
    rf_open_domains_free(o->domains);
    memset(o, 0, sizeof(*o));
}

static int compare_records(const void *left, const void *right, void *context)
{
    const struct rf_open_record *record = context;
    const struct rf_open_record *a = &record[*(const uint32_t *)left];
    const struct rf_open_record *b = &record[*(const uint32_t *)right];
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

uint32_t *rf_open_ranges_list(const struct rf_open_ranges *o, uint32_t *n)
{
    uint32_t *list = malloc(((size_t)o->n_records + 1) * sizeof(*list));
    *n = 0;
    for (uint32_t i = 0; i < o->n_records && list != NULL; i++)
        if (o->record[i].words != NULL && o->record[i].stream != RF_OPEN_NONE)
            list[(*n)++] = i;
    if (list != NULL && *n > 0)
        qsort_r(list, *n, sizeof(*list), compare_records, o->record);
    return list;
}
