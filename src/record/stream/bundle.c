/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stream/bundle.h"

#include <string.h>

#include "record/stream/part.h"

static void begin_part(struct rf_bundle *b)
{
    rf_bundle_show(b);
    rf_part_next(b->writer);
    b->end = b->writer->parked_end;
    b->at = (uint64_t *)(void *)b->writer->cursor;
}

/* Begins another part if this one has no room for a header and a word of bytes. */
static void make_room(struct rf_bundle *b)
{
    if (rf_bundle_room(b) <= RF_DATA_HEADER)
        begin_part(b);
}

void rf_bundle_end(struct rf_bundle *b)
{
    rf_bundle_show(b);
    if (b->writer->cursor >= b->end)
        begin_part(b);
    rf_writer_end(b->writer, b->end);
}

/* Adds one record in long form, with as many of the bytes as the part holds; returns how many. */
static size_t add_piece(struct rf_bundle *b, uint64_t word1, const uint64_t *words, size_t n_words,
                        const uint8_t *bytes, size_t size)
{
    make_room(b);
    size_t n = 2 + n_words;
    size_t room = (rf_bundle_room(b) - n) * 8;
    size_t done = size < room ? size : room;
    uint64_t *record = b->at;
    memcpy(record + 2, words, n_words * 8);
    if (done > 0) {
        record[n + (done + 7) / 8 - 1] = 0; /* padding */
        memcpy(record + n, bytes, done);
    }
    n += (done + 7) / 8;
    record[1] = word1 | (uint64_t)n << 32;
    rf_bundle_add(b, rf_head(b->ticks, RF_REC_DATA, 0), n);
    return done;
}

RF_COLD void rf_bundle_add_data_slow(struct rf_bundle *b, uint64_t word1, const uint64_t *words,
                                     size_t n_words, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    size_t done = add_piece(b, word1, words, n_words, from, size);
    while (done < size)
        done += add_piece(b, RF_DATA_MORE, words, 0, from + done, size - done);
}
