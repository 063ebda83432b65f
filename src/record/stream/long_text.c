/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stream/long_text.h"

#include <string.h>

#include "record/clock.h"
#include "record/focus/kept.h"
#include "record/process/session_page.h"
#include "record/stream/part.h"

/* What is taken of a message, as of a payload: readers keep the size of a text in 32 bits. */
#define MOST_TEXT ((size_t)256 << 20)

/* Writes one piece of a long text, as much as the part holds, and returns its size. The writer
 * is busy and has room for a short record. n_words of the record are written already, except the
 * length in word 1. */
static size_t long_piece(struct rf_writer *writer, uint64_t head, size_t n_words, uint64_t word1,
                         uint64_t more_flag, const char *text, size_t size)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    uint8_t *limit = writer->part + RF_PART_SIZE - 8;
    size_t room = (size_t)(limit - (uint8_t *)(record + n_words));
    size_t n = size < room ? size : room & ~(size_t)7;
    record[n_words + (n + 7) / 8 - 1] = 0; /* padding; n is not 0 */
    memcpy(record + n_words, text, n);
    n_words += (n + 7) / 8;
    record[1] = (word1 & UINT32_MAX) | (n < size ? more_flag : 0) | (uint64_t)n_words << 32;
    rf_store_record(writer, head, n_words);
    return n;
}

RF_COLD uint8_t *rf_write_long_text_pieces(struct rf_writer *writer, uint8_t *end, uint64_t head,
                                           size_t n_words, const char *text)
{
    const size_t size = strnlen(text, MOST_TEXT);
    if (RF_UNLIKELY(size == MOST_TEXT && text[size] != '\0'))
        rf_count_lost(1, strlen(text + size));
    if (writer->focus != NULL)
        rf_kept_reset(writer); /* it may continue in the next part, and cannot be removed */
    uint64_t word1 = ((uint64_t *)(void *)writer->cursor)[1];
    size_t done = long_piece(writer, head, n_words, word1, RF_ATTR_MORE, text, size);
    while (done < size) {
        if (writer->cursor >= end) {
            rf_part_next(writer);
            end = writer->parked_end;
        }
        done += long_piece(writer, rf_head(rf_now(), RF_REC_TEXT, 0), 2, 0, 1, text + done,
                           size - done);
    }
    return end;
}

RF_COLD void rf_write_long_text(struct rf_writer *writer, uint8_t *end, uint64_t head,
                                size_t n_words, const char *text)
{
    end = rf_write_long_text_pieces(writer, end, head, n_words, text);
    /* a thread that this signal handler interrupted may have seen that there is room */
    if (writer->cursor >= end) {
        rf_part_next(writer);
        end = writer->parked_end;
    }
    rf_writer_end(writer, end);
}
