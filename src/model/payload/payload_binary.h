/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of an event as NVTX_EVENTS.binaryData of databases has them (docs/sqlite.md):
 *
 *     u64 domain, u64 schema, u64 size, u64 32 + size, the bytes of one payload,
 *
 * little-endian, as nsys writes it; and behind that, in our own databases, a list of all payloads
 * if these say not everything about them: u32 kind, u32 0, u64 schema, u64 size, u64 n_bytes,
 * u64 address, the bytes. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_BINARY_H
#define RF_MODEL_PAYLOAD_PAYLOAD_BINARY_H

#include <stdbool.h>

#include "model/payload/payload_sets.h"

/* Memory that is used again. All zero: none yet. */
struct rf_payload_binary {
    uint8_t *bytes;
    size_t n, room;
};

/* Writes the payloads of an event whose payload_type is RF_TYPE_EXTENDED; nothing where its batch
 * has many bytes that it may point into. domain: the number that the database has for it. Returns
 * RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_binary_write(struct rf_payload_binary *to, const rf_recording *rec,
                            const struct rf_event *event, uint64_t domain);

void rf_payload_binary_release(struct rf_payload_binary *binary);

/* Where reading stands. Whatever the bytes are, nothing outside of them is read. */
struct rf_payload_binary_cursor {
    const uint8_t *at, *end;
    bool has_list;
    bool is_bad; /* something behind the first payload could not be read */
};

/* Begins to read. Returns whether there is a payload at all. */
bool rf_payload_binary_begin(struct rf_payload_binary_cursor *cursor, const void *bytes,
                             size_t size);

/* Reads the next payload, or bytes that payloads point to; item->bytes points into the bytes.
 * *is_end: the end of a range was given it. false: that was all. */
bool rf_payload_binary_next(struct rf_payload_binary_cursor *cursor, struct rf_payload_item *item,
                            bool *is_end);

#endif
