/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of parts. Those of a compressed part are made when they are asked for, and held until
 * the reader lets go of them, so that memory does not grow with a recording's length. */
#ifndef RF_LOG_PART_READER_H
#define RF_LOG_PART_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "log/reader.h"

struct rf_expander;

/* Chunk header, part header, records. Without records: the part could not be expanded. */
struct rf_part_view {
    const uint8_t *data;
    uint32_t size;
};

/* A compressed part of a log, and what it was expanded to. */
struct rf_packed_part {
    const uint8_t *chunk; /* as it stands in the file */
    uint64_t chunk_size;
    struct rf_part_view view;       /* data NULL: it is not expanded */
    const struct rf_log_part *part; /* while it is expanded */
};

/* Of one thread. A part is expanded by one reader at a time. */
struct rf_part_reader {
    const struct rf_log *log;
    struct rf_expander *expander;
    struct rf_packed_part **held; /* that are expanded */
    size_t n_held, held_room;
    uint8_t **spare; /* buffers of parts that were let go of */
    size_t n_spare, spare_room;
    bool is_out_of_memory; /* sticky: parts appear without records */
};

void rf_part_reader_init(struct rf_part_reader *r, const struct rf_log *log);

/* Lets go of everything. Harmless on zeros. */
void rf_part_reader_release(struct rf_part_reader *r);

/* Expands a compressed part, unless it is. */
struct rf_part_view rf_part_expand(struct rf_part_reader *r, const struct rf_log_part *part);

/* The bytes of a part, valid until it is let go of. */
static inline struct rf_part_view rf_part_view(struct rf_part_reader *r,
                                               const struct rf_log_part *part)
{
    if (part->packed == NULL)
        return (struct rf_part_view){part->raw, part->size};
    return part->packed->view.data != NULL ? part->packed->view : rf_part_expand(r, part);
}

/* Lets go of the parts from first on and before end, as far as this reader holds them. */
void rf_part_reader_drop(struct rf_part_reader *r, const struct rf_log_part *first,
                         const struct rf_log_part *end);

/* ---- What is known of a part without expanding it ---- */

/* Where it stands: itself, or the chunk that it is compressed in. */
static inline struct rf_part_view rf_part_stored(const struct rf_log_part *part)
{
    return part->packed == NULL
               ? (struct rf_part_view){part->raw, part->size}
               : (struct rf_part_view){part->packed->chunk, (uint32_t)part->packed->chunk_size};
}

/* The header that it has as a PART chunk. */
static inline struct rf_chunk_header rf_part_chunk(const struct rf_log_part *part)
{
    struct rf_chunk_header chunk;
    memcpy(&chunk, rf_part_stored(part).data, sizeof(chunk));
    if (part->packed != NULL) {
        chunk.type = RF_CHUNK_PART;
        chunk.size = part->size - sizeof(chunk);
    }
    return chunk;
}

static inline struct rf_part_header rf_part_header(const struct rf_log_part *part)
{
    struct rf_part_header header;
    const size_t at =
        sizeof(struct rf_chunk_header) + (part->packed != NULL ? sizeof(struct rf_compressed) : 0);
    memcpy(&header, rf_part_stored(part).data + at, sizeof(header));
    return header;
}

/* The type of its first record; 0: it has none. */
static inline uint32_t rf_part_first_type(const struct rf_log_part *part)
{
    struct rf_compressed info;
    if (part->size < RF_PART_RECORDS_OFFSET + 8)
        return 0;
    if (part->packed == NULL)
        return part->raw[RF_PART_RECORDS_OFFSET] & ((1u << RF_WORD_TYPE_BITS) - 1);
    memcpy(&info, part->packed->chunk + sizeof(struct rf_chunk_header), sizeof(info));
    return info.first;
}

#endif
