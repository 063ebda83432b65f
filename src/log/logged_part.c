/* SPDX-License-Identifier: Apache-2.0 */
#include "log/logged_part.h"

#include <stdlib.h>

#include "log/compress.h"

/* Where the header of the part stands in a chunk; 0: it is no part. */
static size_t header_offset(const struct rf_chunk *chunk, const uint8_t *bytes)
{
    struct rf_compressed info;
    if (chunk->header.type == RF_CHUNK_PART)
        return chunk->size >= RF_PART_RECORDS_OFFSET ? sizeof(chunk->header) : 0;
    if (chunk->header.type != RF_CHUNK_COMPRESSED ||
        !rf_compressed_read(&info, bytes, chunk->size, false) || info.type != RF_CHUNK_PART)
        return 0;
    return sizeof(chunk->header) + sizeof(info);
}

bool rf_logged_part_read(struct rf_logged_part *part, const struct rf_chunk *chunk,
                         const uint8_t *bytes, uint32_t process)
{
    struct rf_part_header header;
    if (!chunk->is_complete || chunk->header.process != process ||
        chunk->header.slot >= RF_MAX_SLOTS || chunk->size > RF_PART_SIZE)
        return false;
    const size_t at = header_offset(chunk, bytes);
    if (at == 0)
        return false;
    memcpy(&header, bytes + at, sizeof(header));
    *part = (struct rf_logged_part){.seq = chunk->header.seq,
                                    .slot = chunk->header.slot,
                                    .stored = (uint32_t)chunk->size,
                                    .is_carried = header.carried_from != 0};
    return true;
}

static bool prepare(struct rf_logged_parts *parts)
{
    if (parts->part == NULL)
        parts->part = malloc(sizeof(struct rf_chunk_header) + RF_EXPANDED_ROOM);
    if (parts->expander == NULL && rf_zstd_load(&parts->zstd))
        parts->expander = rf_expander_new(&parts->zstd);
    return parts->part != NULL && parts->expander != NULL;
}

struct rf_part_view rf_logged_part_view(struct rf_logged_parts *parts, const uint8_t *chunk,
                                        uint32_t stored)
{
    const struct rf_part_view none = {NULL, 0};
    struct rf_chunk_header header;
    struct rf_compressed info;
    memcpy(&header, chunk, sizeof(header));
    if (header.type == RF_CHUNK_PART)
        return (struct rf_part_view){chunk, stored};
    if (!prepare(parts) || !rf_compressed_read(&info, chunk, stored, true) ||
        !rf_expand(parts->expander, &info, chunk, parts->part + sizeof(header)))
        return none;
    header.type = RF_CHUNK_PART;
    header.size = info.raw_size;
    memcpy(parts->part, &header, sizeof(header));
    return (struct rf_part_view){parts->part, (uint32_t)sizeof(header) + info.raw_size};
}

void rf_logged_parts_release(struct rf_logged_parts *parts)
{
    rf_expander_free(parts->expander);
    rf_zstd_unload(&parts->zstd);
    free(parts->part);
    *parts = (struct rf_logged_parts){.part = NULL};
}
