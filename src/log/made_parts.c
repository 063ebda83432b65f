/* SPDX-License-Identifier: Apache-2.0 */
#include "log/made_parts.h"

#include <string.h>

#include "rangefinder/rangefinder.h"

/* A time must not lie further behind the one before it in its part. */
#define FAR_TICKS (1ULL << 51)

void rf_made_begin(struct rf_made *m, struct rf_open_stream *s, uint32_t process, uint64_t seq)
{
    m->chunk = (struct rf_chunk_header){
        .type = RF_CHUNK_PART, .process = process, .slot = s->slot, .seq = seq};
    m->n_starts = 0;
    m->tid = s->n_threads > 0 ? s->thread[0].tid : 0;
    m->serial = s->n_threads > 0 ? s->thread[0].serial : 0;
    if (s->n_threads > 0 && s->thread[s->n_threads - 1].end_ticks == 0)
        s->thread[s->n_threads - 1].end_ticks = s->at.ticks;
}

int rf_made_write(struct rf_made *m)
{
    int status = RF_OK;
    if (m->size > sizeof(struct rf_part_header))
        status = m->write(m->context, &m->chunk, m->part, m->size);
    m->size = 0;
    return status;
}

static void begin_made(struct rf_made *m, uint64_t ticks)
{
    struct rf_part_header header = {
        .first_start = m->n_starts, .tid = m->tid, .serial = m->serial, .is_first = 1};
    memcpy(m->part, &header, sizeof(header));
    m->size = sizeof(header);
    m->chunk.seq++;
    m->chunk.ticks = ticks;
}

int rf_made_add(struct rf_made *m, const void *words, size_t n_words, uint64_t ticks)
{
    const size_t room = RF_PART_SIZE - sizeof(struct rf_chunk_header);
    int status = RF_OK;
    if (m->size > 0 &&
        (m->size + 8 * n_words > room || ticks - m->last_ticks + FAR_TICKS / 2 > FAR_TICKS))
        status = rf_made_write(m);
    if (m->size == 0)
        begin_made(m, ticks);
    memcpy(m->part + m->size, words, 8 * n_words);
    m->size += 8 * n_words;
    m->last_ticks = ticks;
    return status;
}

static int add_open(struct rf_made *m, const struct rf_open_record *record)
{
    int status = RF_OK;
    uint64_t type = rf_load64(record->words) & ((1u << RF_WORD_TYPE_BITS) - 1);
    if (type == RF_REC_START && record->counter != m->n_starts + 1) {
        uint64_t words[2] = {rf_head_of(record->ticks, RF_REC_COUNTER, 2), record->counter - 1};
        status = rf_made_add(m, words, 2, record->ticks);
        m->n_starts = record->counter - 1;
    }
    if (status == RF_OK)
        status = rf_made_add(m, record->words, record->n_words, record->ticks);
    m->n_starts += type == RF_REC_START;
    for (uint32_t i = record->more; i != RF_OPEN_NONE && status == RF_OK;) {
        const struct rf_open_record *more = &m->open->record[i];
        status = rf_made_add(m, more->words, more->n_words, more->ticks);
        i = more->more;
    }
    return status;
}

static int add_thread(struct rf_made *m, const struct rf_open_thread *thread)
{
    uint64_t words[4] = {rf_head_of(thread->begin_ticks, RF_REC_THREAD, 4),
                         thread->tid | (uint64_t)thread->serial << 32, 0, 0};
    int status =
        rf_made_add(m, thread->begin[0] != 0 ? thread->begin : words, 4, thread->begin_ticks);
    m->tid = thread->tid;
    m->serial = thread->serial;
    return status;
}

static int add_thread_end(struct rf_made *m, const struct rf_open_thread *thread)
{
    uint64_t word = rf_head_of(thread->end_ticks, RF_REC_VOID, 1); /* says that it still recorded */
    if (thread->end[0] != 0)
        return rf_made_add(m, thread->end, 4, thread->end_ticks);
    return thread->is_wanted && thread->end_ticks != 0 ? rf_made_add(m, &word, 1, thread->end_ticks)
                                                       : RF_OK;
}

/* What a stream's past leaves open. list: its records; returns how many they are. */
int rf_made_write_open(struct rf_made *m, const struct rf_open_stream *s, const uint32_t *list,
                       uint32_t n)
{
    int status = RF_OK;
    uint32_t at = 0;
    for (uint32_t t = 0; t < s->n_threads && status == RF_OK; t++) {
        const struct rf_open_thread *thread = &s->thread[t];
        bool is_last = t + 1 == s->n_threads;
        if (!thread->is_wanted && !(is_last && s->has_rest) &&
            (at == n || m->open->record[list[at]].thread != t))
            continue;
        status = add_thread(m, thread);
        while (at < n && m->open->record[list[at]].thread == t && status == RF_OK)
            status = add_open(m, &m->open->record[list[at++]]);
        if (status == RF_OK && (!is_last || thread->end[0] != 0 || !s->has_rest))
            status = add_thread_end(m, thread);
    }
    if (m->ends_with_void && status == RF_OK) {
        const uint64_t word = rf_head_of(s->at.ticks, RF_REC_VOID, 1);
        status = rf_made_add(m, &word, 1, s->at.ticks);
    }
    return status == RF_OK ? rf_made_write(m) : status;
}
