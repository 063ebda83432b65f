/* SPDX-License-Identifier: Apache-2.0 */
/* The usual event with a payload: one of a few bytes, without pointers, in a part that has room for
 * both. They are written here without a call, and become visible together. */
#ifndef RF_RECORD_PAYLOAD_SMALL_PAYLOAD_H
#define RF_RECORD_PAYLOAD_SMALL_PAYLOAD_H

#include "log/nvtx_ext.h"
#include "record/payload/payloads.h"
#include "record/payload/schema_table.h"
#include "record/stream/emit.h"

#define RF_SMALL_PAYLOAD 256u

/* With a short text, and without. The latter fits where a short record may begin. */
#define RF_SMALL_EVENT ((RF_WORD_MAX_WORDS + RF_DATA_HEADER) * 8 + RF_SMALL_PAYLOAD + 16)
_Static_assert((6 + RF_DATA_HEADER) * 8 + RF_SMALL_PAYLOAD <= RF_WORD_MAX_WORDS * 8, "it fits");

RF_INLINE bool rf_payload_is_small(const struct rf_payload *p)
{
    return p != NULL && p->size <= RF_SMALL_PAYLOAD && p->bytes != NULL &&
           !rf_schemas_may_have_pointers(p->schema);
}

/* Has a busy writer's part room for a small event with a text? */
RF_INLINE bool rf_small_event_fits(const struct rf_writer *writer, const uint8_t *end)
{
    return writer->cursor + RF_SMALL_EVENT < end;
}

/* Copies bytes, and zeros up to a word. Of 8 or more the last ones are copied by a move that
 * overlaps the one before. */
RF_INLINE void rf_copy_small(uint64_t *to, const uint8_t *from, size_t size)
{
    uint8_t *out = (uint8_t *)to;
    if (size == 0)
        return;
    to[(size - 1) / 8] = 0;
    if (RF_LIKELY(size >= 16)) {
        for (size_t i = 0; i + 16 < size; i += 16)
            memcpy(out + i, from + i, 16);
        memcpy(out + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(out, from, 8);
        memcpy(out + size - 8, from + size - 8, 8);
    } else {
        for (size_t i = 0; i < size; i++)
            out[i] = from[i];
    }
}

/* Adds the payload to the record of an event, which ends at `at` and is complete but for word 0;
 * publishes both. Returns what rf_write_event() does. */
RF_INLINE uint64_t rf_publish_small(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                    uint32_t type, uint64_t *at, const struct rf_payload *p)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    uint64_t id = type == RF_REC_START ? writer->id_base + ++writer->n_starts : 0;
    size_t size = p->size;
    size_t n = 4 + (size + 7) / 8;
    at[1] = RF_DATA_PAYLOAD;
    at[2] = p->schema;
    at[3] = size;
    rf_copy_small(at + 4, p->bytes, size);
    at[n] = 0;
    at[0] = rf_head(ticks, RF_REC_DATA, n);
    /* as in rf_bundle_show() */
    __atomic_store_n(record, rf_head(ticks, type, (uint64_t)(at - record)), __ATOMIC_RELEASE);
    writer->cursor = (uint8_t *)(at + n);
    rf_writer_end(writer, end);
    return id;
}

/* As rf_write_event(), with this payload; a has none and no text. */
RF_INLINE uint64_t rf_write_small(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                  uint32_t type, const struct rf_attributes *a,
                                  const struct rf_payload *p)
{
    uint64_t *at = rf_fill_attributes((uint64_t *)(void *)writer->cursor, a);
    return rf_publish_small(writer, end, ticks, type, at, p);
}

#endif
