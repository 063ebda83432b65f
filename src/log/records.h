/* SPDX-License-Identifier: Apache-2.0 */
/* The records of one stream, part after part (docs/format.md, sections 3 and 4). A cursor is a
 * plain value: a copy of it reads on from the same place. No length is trusted. */
#ifndef RF_LOG_RECORDS_H
#define RF_LOG_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "log/chunks.h"
#include "log/part_reader.h"

struct rf_record {
    const uint8_t *words; /* word 0; load them with rf_load64() */
    uint32_t n_words;
    uint32_t type;  /* enum rf_record_type, or a type that is not known */
    uint64_t ticks; /* whole time */
    bool is_long;   /* word 1 holds the length */
};

struct rf_stream_cursor {
    struct rf_part_reader *reader;             /* of the parts: not this cursor's alone */
    const struct rf_log_part *part, *part_end; /* the parts that follow the one being read */
    const uint8_t *begin, *at, *end;           /* of the part being read, in it */
    uint64_t ticks;                            /* of the last record */
    uint64_t n_starts;                         /* START records so far */
    uint64_t seq;                              /* of the part being read; 0 before the first */
    uint64_t n_damaged_bytes;
    bool is_broken;  /* the part being read is not whole */
    bool is_pending; /* its bytes were not needed so far */
};

enum rf_stream_step {
    RF_STREAM_END = 0,
    RF_STREAM_RECORD = 1, /* the next record */
    RF_STREAM_PART = 2,   /* another part begins, or what follows a LOST record */
};

/* What the beginning of a part says. */
struct rf_stream_part {
    uint32_t tid, serial;
    uint64_t n_lost_records, lost_bytes; /* counted by the writer */
    uint64_t n_lost_parts;               /* that are missing before this one */
    bool is_gap;                         /* records may be missing before this part */
    bool is_carried;                     /* it holds what recycled parts left open */
};

/* A stream's parts in order: n of one (process, slot). */
static inline void rf_stream_init(struct rf_stream_cursor *c, struct rf_part_reader *reader,
                                  const struct rf_log_part *part, size_t n)
{
    memset(c, 0, sizeof(*c));
    c->reader = reader;
    c->part = part;
    c->part_end = part + n;
}

/* Has the bytes of the part that was entered: a compressed one is expanded only now. */
static inline void rf_stream_open_part(struct rf_stream_cursor *c)
{
    if (!c->is_pending)
        return;
    const struct rf_log_part *part = c->part - 1;
    const struct rf_part_view view = rf_part_view(c->reader, part);
    c->is_pending = false;
    c->is_broken |= view.size < part->size;
    c->n_damaged_bytes += part->size - view.size;
    c->begin = view.data;
    c->at = view.data + RF_PART_RECORDS_OFFSET;
    c->end = view.data + (view.size & ~7u);
}

/* Enters the next part; *info says what it begins with. */
static inline void rf_stream_enter(struct rf_stream_cursor *c, struct rf_stream_part *info)
{
    const struct rf_log_part *part = c->part++;
    const struct rf_chunk_header chunk = rf_part_chunk(part);
    const struct rf_part_header header = rf_part_header(part);
    c->ticks = chunk.ticks;
    c->n_starts = header.first_start;
    info->tid = header.tid;
    info->serial = header.serial;
    info->n_lost_records = header.lost_records;
    info->lost_bytes = header.lost_bytes;
    info->n_lost_parts = part->seq > c->seq && !header.is_first ? part->seq - c->seq - 1 : 0;
    info->is_gap =
        (c->is_broken && !header.is_first) || info->n_lost_records > 0 || info->n_lost_parts > 0;
    info->is_carried = header.carried_from != 0;
    c->is_broken = !part->is_complete;
    c->seq = part->seq;
    c->begin = c->at = c->end = NULL;
    c->is_pending = true;
    if (part->packed == NULL)
        rf_stream_open_part(c);
}

/* Whether all records of the part that was entered last were read, or passed over. */
static inline bool rf_stream_is_at_end_of_part(const struct rf_stream_cursor *c)
{
    return c->at >= c->end && !c->is_pending;
}

/* Passes over what is left of the part. */
static inline void rf_stream_skip_part(struct rf_stream_cursor *c)
{
    c->at = c->end;
    c->is_pending = false;
}

/* Goes on with a copy of a cursor whose part may have been let go of, by another reader. */
static inline void rf_stream_resume(struct rf_stream_cursor *c, struct rf_part_reader *reader)
{
    c->reader = reader;
    if (c->begin == NULL || c->part[-1].packed == NULL)
        return;
    const struct rf_part_view view = rf_part_view(reader, c->part - 1);
    const size_t at = (size_t)(c->at - c->begin);
    c->begin = view.data;
    c->end = view.data + (view.size & ~7u);
    c->at = view.data + (at <= view.size ? at : view.size);
}

/* Whether the next record of the part pushes or pops. */
static inline bool rf_stream_is_at_stack(const struct rf_stream_cursor *c)
{
    const uint32_t type = c->at < c->end ? *c->at & ((1u << RF_WORD_TYPE_BITS) - 1) : 0;
    return type == RF_REC_PUSH || type == RF_REC_POP || type == RF_REC_POP_DOMAIN;
}

/* A record's whole time from its low 53 bits and the time before it: it can lie at most 2^51 ticks
 * earlier. */
static inline uint64_t rf_complete_ticks(uint64_t before, uint64_t low)
{
    const uint64_t most_back = 1ULL << 51;
    return before + ((low - before + most_back) & RF_WORD_TICK_MASK) - most_back;
}

/* What `recover` could not read: as if a part began behind it. */
static inline void rf_stream_enter_lost(struct rf_stream_cursor *c, const uint8_t *words,
                                        struct rf_stream_part *info)
{
    struct rf_lost lost;
    memcpy(&lost, words, sizeof(lost));
    c->n_starts = lost.n_starts;
    *info = (struct rf_stream_part){.tid = lost.tid,
                                    .serial = lost.serial,
                                    .n_lost_records = lost.n_records,
                                    .lost_bytes = lost.n_bytes,
                                    .is_gap = 1};
}

/* The record at the cursor, which is in the part. Returns false if there is none that fits it: the
 * part ends there. */
static inline bool rf_stream_take(struct rf_stream_cursor *c, struct rf_record *r)
{
    uint64_t head = rf_load64(c->at);
    uint64_t room = (uint64_t)(c->end - c->at) / 8;
    uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
    r->is_long = n_words == 0;
    if (n_words == 0 && room > 1)
        n_words = rf_load64(c->at + 8) >> 32;
    if (head == 0 || n_words - 1 >= room || (r->is_long && n_words < 2)) {
        if (head != 0) {
            c->n_damaged_bytes += (uint64_t)(c->end - c->at);
            c->is_broken = true;
        }
        c->at = c->end;
        return false;
    }
    c->ticks = rf_complete_ticks(c->ticks, head >> RF_WORD_TICK_SHIFT);
    r->words = c->at;
    r->n_words = (uint32_t)n_words;
    r->type = head & ((1u << RF_WORD_TYPE_BITS) - 1);
    r->ticks = c->ticks;
    c->n_starts += r->type == RF_REC_START;
    if (r->type == RF_REC_COUNTER && n_words > 1)
        c->n_starts = rf_load64(r->words + 8);
    c->at += 8 * n_words;
    return true;
}

/* One step: the next record, or the beginning of the next part, which *info then describes. */
static inline enum rf_stream_step rf_stream_next(struct rf_stream_cursor *c, struct rf_record *r,
                                                 struct rf_stream_part *info)
{
    rf_stream_open_part(c);
    if (c->at < c->end && rf_stream_take(c, r)) {
        if (r->type != RF_REC_LOST || r->n_words < sizeof(struct rf_lost) / 8)
            return RF_STREAM_RECORD;
        rf_stream_enter_lost(c, r->words, info);
        return RF_STREAM_PART;
    }
    if (c->part == c->part_end)
        return RF_STREAM_END;
    rf_stream_enter(c, info);
    return RF_STREAM_PART;
}

#endif
