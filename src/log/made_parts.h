/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that are made: of what a stream's past leaves open, where that past itself is left out. */
#ifndef RF_LOG_MADE_PARTS_H
#define RF_LOG_MADE_PARTS_H

#include "log/layout.h"
#include "log/open_ranges.h"

/* Begin with zeros, but write, context, open and part. */
struct rf_made {
    /* takes a part: its header without magic and size, and its payload */
    int (*write)(void *context, const struct rf_chunk_header *chunk, const void *payload,
                 size_t size);
    void *context;
    const struct rf_open_ranges *open;
    uint8_t *part; /* RF_PART_SIZE bytes: the one being made, part header and records */
    size_t size;
    struct rf_chunk_header chunk; /* of it; seq is that of the last part */
    uint32_t tid, serial;         /* of the thread whose records follow */
    uint64_t n_starts, last_ticks;
    bool ends_with_void; /* TEXT and DATA that come next in the stream belong to no record here */
};

/* A record's word 0. */
static inline uint64_t rf_head_of(uint64_t ticks, uint64_t type, uint64_t n_words)
{
    return ticks << RF_WORD_TICK_SHIFT | n_words << RF_WORD_TYPE_BITS | type;
}

/* Begins a stream: its parts are numbered from seq + 1. process: its number. */
void rf_made_begin(struct rf_made *made, struct rf_open_stream *stream, uint32_t process,
                   uint64_t seq);

/* Adds a record, in a new part where it does not fit. */
int rf_made_add(struct rf_made *made, const void *words, size_t n_words, uint64_t ticks);

/* What the stream's past leaves open, n records of rf_open_ranges_list(); writes all parts. */
int rf_made_write_open(struct rf_made *made, const struct rf_open_stream *stream,
                       const uint32_t *list, uint32_t n);

/* Writes the part being made, if there is one. */
int rf_made_write(struct rf_made *made);

#endif
