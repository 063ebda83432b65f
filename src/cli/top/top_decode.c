/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_decode.h"

#include <string.h>

#include "cli/top/top_defs.h"
#include "log/records.h"

/* What is being decoded. */
struct decoding {
    struct top_reading *reading;
    struct top_process *p;
    struct top_stream *s;
    uint32_t slot;
    struct top_counts counts;
};

/* Whether the stream's thread is still there: it may have ended in another stream. */
static bool has_thread(const struct top_ranges *r, const struct top_process *p,
                       const struct top_stream *s)
{
    const struct top_thread *t = s->thread != TOP_NONE ? &r->thread[s->thread] : NULL;
    return t != NULL && t->process == p->index && t->tid == s->tid && t->serial == s->serial;
}

static void enter_thread(struct top_reading *reading, const struct top_process *p,
                         struct top_stream *s, uint32_t tid, uint32_t serial)
{
    struct top_ranges *r = reading->ranges;
    const bool is_same = s->tid == tid && s->serial == serial;
    if (has_thread(r, p, s) && is_same)
        return;
    if (has_thread(r, p, s)) /* its slot goes on with another one */
        top_thread_end(r, s->thread);
    s->thread = top_thread_of(r, p->index, tid, serial);
    s->tid = tid;
    s->serial = serial;
}

void top_decode_part(struct top_reading *reading, struct top_process *p, struct top_stream *s,
                     const uint8_t *part, bool is_gap)
{
    struct rf_chunk_header chunk;
    struct rf_part_header header;
    memcpy(&chunk, part, sizeof(chunk));
    memcpy(&header, part + sizeof(chunk), sizeof(header));
    if ((is_gap || header.lost_records > 0) && has_thread(reading->ranges, p, s))
        top_thread_forget(reading->ranges, s->thread);
    if (is_gap || header.lost_records > 0)
        top_starts_forget(reading->ranges, p->number, (uint32_t)(s - p->stream));
    s->ticks = chunk.ticks;
    s->n_starts = header.first_start;
    enter_thread(reading, p, s, header.tid, header.serial);
}

/* Whether what is at these ticks belongs to what is shown. */
static bool is_shown(const struct decoding *d, uint64_t ticks)
{
    return (int64_t)(ticks - d->reading->since) >= 0;
}

/* ---- Attributes ---- */

/* The domain and name of a MARK, PUSH or START. *domain: as top_push() takes it. */
static uint32_t row_of(const struct decoding *d, const struct rf_record *r, enum top_style style,
                       uint32_t *domain)
{
    const uint64_t word1 = r->n_words > 1 ? rf_load64(r->words + 8) : 0;
    uint32_t at = 2, name = TOP_TEXT_NONE;
    uint64_t handle = word1 & RF_ATTR_DOMAIN_ESCAPE, string = word1 >> 32;
    bool is_known;
    if (handle == RF_ATTR_DOMAIN_ESCAPE)
        handle = at < r->n_words ? rf_load64(r->words + 8 * (size_t)at++) : 0;
    const uint32_t text = top_domain_of(d->reading, d->p, handle, &is_known);
    const unsigned kind = word1 >> RF_ATTR_MESSAGE_SHIFT & 3;
    if (kind == RF_MESSAGE_REGISTERED && (string == RF_ATTR_STRING_ESCAPE || r->is_long))
        string = at < r->n_words ? rf_load64(r->words + 8 * (size_t)at++) : 0;
    at += (word1 & (RF_ATTR_COLOR | RF_ATTR_CATEGORY)) != 0;
    at += (word1 >> RF_ATTR_PAYLOAD_SHIFT & 7) != RF_PAYLOAD_NONE;
    if (kind == RF_MESSAGE_REGISTERED) {
        name = top_string_of(d->reading, d->p, string);
    } else if (kind == RF_MESSAGE_TEXT && at < r->n_words) {
        const char *bytes = (const char *)r->words + 8 * (size_t)at;
        const size_t room = 8 * (size_t)(r->n_words - at);
        name = top_texts_find(&d->reading->ranges->texts, bytes,
                              strnlen(bytes, room < TOP_TEXT_BYTES ? room : TOP_TEXT_BYTES));
    }
    *domain = is_known ? text : TOP_UNKNOWN_DOMAIN | (uint32_t)handle;
    return top_row_of(d->reading->ranges, text, name, style);
}

static uint32_t domain_of_pop(const struct decoding *d, const struct rf_record *r)
{
    const uint64_t handle =
        r->type == RF_REC_POP_DOMAIN && r->n_words > 1 ? rf_load64(r->words + 8) : 0;
    bool is_known;
    const uint32_t text = top_domain_of(d->reading, d->p, handle, &is_known);
    return is_known ? text : TOP_UNKNOWN_DOMAIN | (uint32_t)handle;
}

/* ---- Records ---- */

static void take_range(struct decoding *d, const struct rf_record *r)
{
    struct top_ranges *ranges = d->reading->ranges;
    const uint32_t thread = d->s->thread;
    uint32_t domain;
    switch (r->type) {
    case RF_REC_PUSH: {
        const uint32_t row = row_of(d, r, TOP_PUSH_POP, &domain);
        top_push(ranges, thread, domain, row, r->ticks);
        d->counts.n_ranges += is_shown(d, r->ticks);
        break;
    }
    case RF_REC_POP:
    case RF_REC_POP_DOMAIN:
        top_pop(ranges, thread, domain_of_pop(d, r), r->ticks);
        break;
    case RF_REC_START: {
        const uint32_t row = row_of(d, r, TOP_START_END, &domain);
        top_start(ranges, thread, rf_range_id(d->p->number, d->slot, d->s->n_starts), row,
                  r->ticks);
        d->counts.n_ranges += is_shown(d, r->ticks);
        break;
    }
    default:
        if (r->n_words > 1)
            top_end(ranges, rf_load64(r->words + 8), r->ticks);
        break;
    }
}

static void take_thread(struct decoding *d, const struct rf_record *r)
{
    if (r->n_words < 4)
        return;
    const uint64_t who = rf_load64(r->words + 8);
    enter_thread(d->reading, d->p, d->s, (uint32_t)who, (uint32_t)(who >> 32));
    if (d->s->thread == TOP_NONE)
        return;
    if (r->type == RF_REC_THREAD_END) {
        top_thread_end(d->reading->ranges, d->s->thread);
        d->s->thread = TOP_NONE;
    } else {
        memcpy(d->reading->ranges->thread[d->s->thread].system_name, r->words + 16, 16);
    }
}

static void take(struct decoding *d, const struct rf_record *r)
{
    switch (r->type) {
    case RF_REC_PUSH:
    case RF_REC_POP:
    case RF_REC_POP_DOMAIN:
    case RF_REC_START:
    case RF_REC_END:
        if (d->s->thread != TOP_NONE)
            take_range(d, r);
        break;
    case RF_REC_MARK:
        d->counts.n_marks += is_shown(d, r->ticks);
        break;
    case RF_REC_EXT:
        d->counts.n_counters += is_shown(d, r->ticks);
        break;
    case RF_REC_CUDA:
        d->counts.n_cuda += is_shown(d, r->ticks);
        break;
    case RF_REC_THREAD:
    case RF_REC_THREAD_END:
        take_thread(d, r);
        break;
    default: /* SYNC, TEXT, DATA, PARENT, COUNTER, VOID, or a type of a later version */
        break;
    }
}

static void add(struct top_counts *to, const struct top_counts *counts)
{
    to->n_ranges += counts->n_ranges;
    to->n_marks += counts->n_marks;
    to->n_counters += counts->n_counters;
    to->n_cuda += counts->n_cuda;
    to->n_bytes += counts->n_bytes;
}

/* Gives what was counted since to the thread that is recording. */
static void flush_counts(struct decoding *d, bool is_counted)
{
    if (is_counted && d->reading->ranges->is_counting) {
        add(&d->reading->counts, &d->counts);
        add(&d->p->counts, &d->counts);
        if (d->s->thread != TOP_NONE)
            add(&d->reading->ranges->thread[d->s->thread].counts, &d->counts);
    }
    d->counts = (struct top_counts){0};
}

void top_decode(struct top_reading *reading, struct top_process *p, struct top_stream *s,
                const uint8_t *records, size_t size, bool is_counted)
{
    struct decoding d = {reading, p, s, (uint32_t)(s - p->stream), {0}};
    struct rf_stream_cursor cursor = {.at = records,
                                      .end = records + (size & ~(size_t)7),
                                      .ticks = s->ticks,
                                      .n_starts = s->n_starts};
    struct rf_record r;
    struct rf_stream_part part;
    enum rf_stream_step step;
    if (!has_thread(reading->ranges, p, s))
        s->thread = TOP_NONE;
    while ((step = rf_stream_next(&cursor, &r, &part)) == RF_STREAM_RECORD) {
        s->n_starts = cursor.n_starts;
        d.counts.n_bytes += 8 * (uint64_t)r.n_words;
        if (r.type == RF_REC_THREAD || r.type == RF_REC_THREAD_END)
            flush_counts(&d, is_counted);
        take(&d, &r);
    }
    flush_counts(&d, is_counted);
    s->ticks = cursor.ticks;
    s->n_starts = cursor.n_starts;
    reading->n_damaged_bytes += cursor.n_damaged_bytes;
}
