/* SPDX-License-Identifier: Apache-2.0 */
#include "log/chunks.h"

bool rf_chunk_header_at(const uint8_t *data, uint64_t size, uint64_t offset,
                        struct rf_chunk_header *header)
{
    if (offset > size || size - offset < sizeof(*header))
        return false;
    memcpy(header, data + offset, sizeof(*header));
    return header->magic == RF_CHUNK_MAGIC && header->header_size == sizeof(*header) &&
           header->type != 0 && header->size % 8 == 0;
}

void rf_chunk_walk_init(struct rf_chunk_walk *walk, const uint8_t *data, uint64_t size, uint64_t at)
{
    walk->data = data;
    walk->size = size;
    walk->at = at < size ? at : size;
    walk->n_skipped = 0;
}

/* The next offset from `from` where a chunk can start, or `limit`. */
static uint64_t find_chunk(const struct rf_chunk_walk *walk, uint64_t from, uint64_t limit)
{
    static const uint32_t magic = RF_CHUNK_MAGIC;
    struct rf_chunk_header header;
    uint64_t end = walk->size - limit < sizeof(magic) ? walk->size : limit + sizeof(magic) - 1;
    while (from < limit) {
        const uint8_t *hit = memmem(walk->data + from, end - from, &magic, sizeof(magic));
        if (hit == NULL)
            return limit;
        from = (uint64_t)(hit - walk->data);
        if (rf_chunk_header_at(walk->data, walk->size, from, &header))
            return from;
        from++;
    }
    return limit;
}

/* Moves on to the next chunk header; returns 0 at the end of the file. */
static bool find_header(struct rf_chunk_walk *walk, struct rf_chunk_header *header)
{
    if (rf_chunk_header_at(walk->data, walk->size, walk->at, header))
        return true;
    if (walk->at == walk->size)
        return false;
    uint64_t found = find_chunk(walk, walk->at + 1, walk->size);
    walk->n_skipped += found - walk->at;
    walk->at = found;
    return rf_chunk_header_at(walk->data, walk->size, walk->at, header);
}

bool rf_chunk_walk_next(struct rf_chunk_walk *walk, struct rf_chunk *chunk)
{
    struct rf_chunk_header *header = &chunk->header, next;
    while (find_header(walk, header)) {
        int does_fit = header->size <= walk->size - walk->at - sizeof(*header);
        uint64_t limit = does_fit ? walk->at + sizeof(*header) + header->size : walk->size;
        uint64_t end = limit;
        /* Where no chunk follows, this one may have been cut short by the next one, in the middle
         * of its header even. */
        if (!does_fit ||
            (limit < walk->size && !rf_chunk_header_at(walk->data, walk->size, limit, &next)))
            end = find_chunk(walk, walk->at + 1, limit);
        chunk->offset = walk->at;
        chunk->size = end - walk->at;
        chunk->is_complete = does_fit && end == limit;
        walk->at = end;
        if (chunk->size >= sizeof(*header))
            return true;
        walk->n_skipped += chunk->size;
    }
    return false;
}

uint32_t rf_part_used_bytes(const uint8_t *part, uint64_t n_bytes)
{
    return rf_part_used_from(part, RF_PART_RECORDS_OFFSET, n_bytes);
}

uint32_t rf_part_used_from(const uint8_t *part, uint32_t from, uint64_t n_bytes)
{
    uint64_t at = from;
    if (n_bytes > RF_PART_SIZE)
        n_bytes = RF_PART_SIZE;
    while (at + 8 <= n_bytes) {
        uint64_t head = rf_load64(part + at);
        uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (head == 0)
            break;
        if (n_words == 0 && at + 16 <= n_bytes)
            n_words = rf_load64(part + at + 8) >> 32;
        if (n_words == 0 || n_words > (n_bytes - at) / 8)
            break;
        at += n_words * 8;
    }
    return (uint32_t)(at <= n_bytes ? at : n_bytes);
}

uint64_t rf_defs_used_bytes(const uint8_t *defs, uint64_t n_bytes, bool *is_damaged)
{
    uint64_t at = 0;
    struct rf_def def;
    bool is_bad = false;
    while (n_bytes - at >= sizeof(def)) {
        memcpy(&def, defs + at, sizeof(def));
        if (def.head == 0 && def.n_words == 0)
            break;
        is_bad = def.n_words < sizeof(def) / 8 || def.n_words > (n_bytes - at) / 8;
        if (is_bad)
            break;
        at += (uint64_t)def.n_words * 8;
    }
    if (is_damaged != NULL)
        *is_damaged = is_bad;
    return at;
}
