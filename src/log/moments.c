/* SPDX-License-Identifier: Apache-2.0 */
#include "log/moments.h"

#include <stdlib.h>
#include <string.h>

#include "log/chunks.h"
#include "log/log_memory.h"
#include "log/made_parts.h"
#include "log/part_reader.h"

/* Of the moments between two records so few are needed that what they say cannot be misread. */
#define ENOUGH_APART (1ULL << 52)

bool rf_moment_of(struct rf_moment_chunk *out, const uint8_t *part, uint64_t now_ticks,
                  int64_t now_ns)
{
    const uint32_t size = rf_part_used_bytes(part, RF_PART_SIZE);
    struct rf_chunk_header header;
    uint64_t low, words;
    memcpy(&header, part, sizeof(header));
    low = header.ticks & RF_WORD_TICK_MASK;
    for (uint32_t at = RF_PART_RECORDS_OFFSET; at < size; at += (uint32_t)(8 * words)) {
        const uint64_t head = rf_load64(part + at);
        low = head >> RF_WORD_TICK_SHIFT;
        words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        words = words != 0 ? words : rf_load64(part + at + 8) >> 32;
        if (words == 0)
            return false; /* changed meanwhile */
    }
    const uint64_t since = (now_ticks - low) & RF_WORD_TICK_MASK;
    if (since < RF_TICKS_APART || since > RF_WORD_TICK_MASK - RF_TICKS_APART)
        return false;
    *out = (struct rf_moment_chunk){.header = {.magic = RF_CHUNK_MAGIC,
                                               .type = RF_CHUNK_MOMENT,
                                               .header_size = sizeof(out->header),
                                               .size = sizeof(out->moment),
                                               .process = header.process,
                                               .slot = header.slot,
                                               .seq = header.seq,
                                               .ticks = now_ticks,
                                               .mono_ns = now_ns},
                                    .moment = {size}};
    return true;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
    const struct rf_log_moment *a = left, *b = right;
    int order =
        compare_u64((uint64_t)a->process << 32 | a->slot, (uint64_t)b->process << 32 | b->slot);
    order = order != 0 ? order : compare_u64(a->seq, b->seq);
    order = order != 0 ? order : compare_u64(a->size, b->size);
    return order != 0 ? order : compare_u64(a->ticks, b->ticks);
}

static int compare_to_part(const struct rf_log_moment *moment, const struct rf_log_part *part)
{
    int order = compare_u64((uint64_t)moment->process << 32 | moment->slot,
                            (uint64_t)part->process << 32 | part->slot);
    return order != 0 ? order : compare_u64(moment->seq, part->seq);
}

/* A part while it is copied, with the moments in it. */
struct copying {
    const struct rf_log_moment *moment, *end;
    uint32_t n_cut; /* bytes of the part that are in a file before */
    uint8_t *to;
    uint32_t size;
    uint64_t ticks; /* of the last record or moment */
};

/* Puts what is needed of the moments at this offset of the part. */
static void put_moments(struct copying *c, uint32_t offset)
{
    offset += c->n_cut;
    while (c->moment < c->end && c->moment->size < offset)
        c->moment++;
    for (; c->moment < c->end && c->moment->size == offset; c->moment++) {
        const struct rf_log_moment *m = c->moment;
        const bool is_last = m + 1 == c->end || m[1].size != offset;
        const uint64_t word = rf_head_of(m->ticks, RF_REC_VOID, 1);
        if (m->ticks < c->ticks || (!is_last && m[1].ticks - c->ticks < ENOUGH_APART))
            continue;
        memcpy(c->to + c->size, &word, sizeof(word));
        c->size += (uint32_t)sizeof(word);
        c->ticks = m->ticks;
    }
}

/* c->to has room for all moments. */
static void copy(struct copying *c, const struct rf_part_view *view)
{
    const uint64_t size = view->size & ~7u;
    uint64_t at = RF_PART_RECORDS_OFFSET, words;
    memcpy(c->to, view->data, RF_PART_RECORDS_OFFSET);
    c->size = RF_PART_RECORDS_OFFSET;
    for (; at + 8 <= size; at += 8 * words) {
        const uint64_t head = rf_load64(view->data + at);
        put_moments(c, (uint32_t)at);
        words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (words == 0 && at + 16 <= size)
            words = rf_load64(view->data + at + 8) >> 32;
        if (head == 0 || words == 0 || words > (size - at) / 8)
            break;
        c->ticks = rf_complete_ticks(c->ticks, head >> RF_WORD_TICK_SHIFT);
        memcpy(c->to + c->size, view->data + at, 8 * words);
        c->size += (uint32_t)(8 * words);
    }
    memcpy(c->to + c->size, view->data + at, view->size - at); /* what cannot be read as well */
    c->size += (uint32_t)(view->size - at);
}

static int apply(struct rf_log *log, struct rf_log_part *part, const struct rf_log_moment *moment,
                 size_t n)
{
    struct rf_part_reader reader;
    struct copying c = {.moment = moment,
                        .end = moment + n,
                        .n_cut = part->own_end - part->size,
                        .ticks = part->ticks};
    int status = RF_OK;
    rf_part_reader_init(&reader, log);
    const struct rf_part_view view = rf_part_view(&reader, part);
    c.to = rf_log_allocate(log, view.size + 8 * n);
    if (c.to == NULL || reader.is_out_of_memory)
        status = RF_ERR_NO_MEMORY;
    else
        copy(&c, &view);
    if (status == RF_OK && c.size > view.size && c.size <= RF_PART_SIZE) {
        struct rf_chunk_header header = rf_part_chunk(part);
        header.size += c.size - view.size;
        memcpy(c.to, &header, sizeof(header));
        part->noted = rf_part_stored(part).data;
        part->raw = c.to;
        part->size += c.size - view.size;
        part->packed = NULL;
        part->n_moments = (c.size - view.size) / 8;
    }
    rf_part_reader_release(&reader);
    return status;
}

int rf_log_apply_moments(struct rf_log *log, struct rf_log_moment *moment, size_t n)
{
    int status = RF_OK;
    size_t i = 0;
    if (n > 0)
        qsort(moment, n, sizeof(*moment), compare);
    for (size_t p = 0; p < log->n_parts && status == RF_OK; p++) {
        struct rf_log_part *part = &log->part[p];
        if (part->is_made)
            continue;
        while (i < n && compare_to_part(&moment[i], part) < 0)
            i++;
        const size_t first = i;
        while (i < n && compare_to_part(&moment[i], part) == 0)
            i++;
        if (i > first)
            status = apply(log, part, moment + first, i - first);
    }
    log->n_moments = n;
    return status;
}
