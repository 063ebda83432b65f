/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one event that become visible together: word 0 of the first is stored last. Only if
 * they do not fit the part, those of each part become visible for themselves. All of it is between
 * rf_writer_begin() and rf_bundle_end(), which ends the busy writer. */
#ifndef RF_RECORD_STREAM_BUNDLE_H
#define RF_RECORD_STREAM_BUNDLE_H

#include <string.h>

#include "log/nvtx_ext.h"
#include "record/stream/writer.h"

struct rf_bundle {
    struct rf_writer *writer;
    uint8_t *end;    /* of the writer */
    uint64_t *first; /* the record whose word 0 is not stored yet; NULL: none */
    uint64_t first_head;
    uint64_t *at; /* where the next record goes */
    uint64_t ticks;
};

/* Longest header of a DATA record: word 0 and 1, and what its kind has. */
#define RF_DATA_HEADER 5u

RF_INLINE void rf_bundle_begin(struct rf_bundle *b, struct rf_writer *writer, uint8_t *end,
                               uint64_t ticks)
{
    b->writer = writer;
    b->end = end;
    b->first = NULL;
    b->at = (uint64_t *)(void *)writer->cursor;
    b->ticks = ticks;
}

/* Adds the record at b->at, which is complete except for word 0. */
RF_INLINE void rf_bundle_add(struct rf_bundle *b, uint64_t head, size_t n_words)
{
    if (b->first == NULL) {
        b->first = b->at;
        b->first_head = head;
    } else {
        *b->at = head;
    }
    b->at += n_words;
}

/* Words that a record at b->at may have; behind it the word that ends the records has room. */
RF_INLINE size_t rf_bundle_room(const struct rf_bundle *b)
{
    const uint8_t *limit = b->writer->part + RF_PART_SIZE - 8;
    return (size_t)(limit - (const uint8_t *)b->at) / 8;
}

/* Makes the records visible that were added. As in rf_store_record(), whoever sees the first sees
 * all of them and the zero behind them. */
RF_INLINE void rf_bundle_show(struct rf_bundle *b)
{
    if (b->first == NULL)
        return;
    *b->at = 0;
    __atomic_store_n(b->first, b->first_head, __ATOMIC_RELEASE);
    b->first = NULL;
    b->writer->cursor = (uint8_t *)b->at;
}

/* A thread that this signal handler interrupted may have seen that there is room for a short
 * record: what is longer leaves a part that has it. */
void rf_bundle_end(struct rf_bundle *b);

/* As rf_bundle_add_data(), for what does not fit one short record or the part. */
void rf_bundle_add_data_slow(struct rf_bundle *b, uint64_t word1, const uint64_t *words,
                             size_t n_words, const void *bytes, size_t size);

/* Adds DATA: words from word 2 on, at most 3, and the bytes. */
RF_INLINE void rf_bundle_add_data(struct rf_bundle *b, uint64_t word1, const uint64_t *words,
                                  size_t n_words, const void *bytes, size_t size)
{
    size_t n = 2 + n_words + (size + 7) / 8;
    if (RF_UNLIKELY(size > RF_WORD_MAX_WORDS * 8 || n > RF_WORD_MAX_WORDS ||
                    n > rf_bundle_room(b))) {
        rf_bundle_add_data_slow(b, word1, words, n_words, bytes, size);
        return;
    }
    b->at[1] = word1;
    for (size_t i = 0; i < n_words; i++)
        b->at[2 + i] = words[i];
    if (size != 0) {
        b->at[n - 1] = 0; /* padding */
        memcpy(b->at + 2 + n_words, bytes, size);
    }
    rf_bundle_add(b, rf_head(b->ticks, RF_REC_DATA, n), n);
}

#endif
