/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the chunks of a .log or .rf file (docs/format.md, section 2.2), whatever its state: it
 * finds its way again after a chunk that was cut short and behind damaged bytes. Linear in the
 * file's size for any content. */
#ifndef RF_LOG_CHUNKS_H
#define RF_LOG_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "log/layout.h"

static inline uint64_t rf_load64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof(value)); /* a chunk can stand at any byte offset */
    return value;
}

struct rf_chunk {
    struct rf_chunk_header header;
    uint64_t offset;  /* of its header in the file */
    uint64_t size;    /* bytes of header and payload that are there */
    bool is_complete; /* all of the payload is there */
};

struct rf_chunk_walk {
    const uint8_t *data;
    uint64_t size;
    uint64_t at;
    uint64_t n_skipped; /* bytes that belong to no chunk */
};

void rf_chunk_walk_init(struct rf_chunk_walk *walk, const uint8_t *data, uint64_t size,
                        uint64_t at);

/* Gives the next chunk; returns 0 at the end of the file. */
bool rf_chunk_walk_next(struct rf_chunk_walk *walk, struct rf_chunk *chunk);

/* Whether a chunk's header can stand at this offset; *header is what stands there. */
bool rf_chunk_header_at(const uint8_t *data, uint64_t size, uint64_t offset,
                        struct rf_chunk_header *header);

/* The bytes of a part's headers and published records: those of a PART chunk up to its first zero
 * word 0 or a record that does not fit. n_bytes: how many there are at most. */
uint32_t rf_part_used_bytes(const uint8_t *part, uint64_t n_bytes);

/* The same where those up to `from`, which is the end of a record, are known to be there. */
uint32_t rf_part_used_from(const uint8_t *part, uint32_t from, uint64_t n_bytes);

/* The bytes of a definitions stream up to its end. n_bytes: how many there are at most.
 * *is_damaged (may be NULL): it ends in a length that cannot be. */
uint64_t rf_defs_used_bytes(const uint8_t *defs, uint64_t n_bytes, bool *is_damaged);

#endif
