/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that do not fit a short record. */
#ifndef RF_RECORD_STREAM_LONG_TEXT_H
#define RF_RECORD_STREAM_LONG_TEXT_H

#include "record/stream/writer.h"

/* Records a text that does not fit a short record. head: type and attributes; n_words: how many of
 * the record's words are at the writer's cursor already (word 0 is not). Ends the busy writer. */
void rf_write_long_text(struct rf_writer *writer, uint8_t *end, uint64_t head, size_t n_words,
                        const char *text);

/* The same, but the writer stays busy: returns its end. */
uint8_t *rf_write_long_text_pieces(struct rf_writer *writer, uint8_t *end, uint64_t head,
                                   size_t n_words, const char *text);

#endif
