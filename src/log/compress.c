/* SPDX-License-Identifier: Apache-2.0 */
#include "log/compress.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "log/columns.h"

#define LEVEL 1 /* higher ones gain little: docs/performance.md */
/* Columns take up to 17 bytes of 8 byte records. */
#define ROOM  ((size_t)RF_COMPRESSED_MOST + 4096)
#define HEADS (sizeof(struct rf_chunk_header) + sizeof(struct rf_compressed))

struct rf_compressor {
    struct rf_zstd zstd;
    void *context;
    size_t room; /* of chunk */
    uint8_t *chunk;
    struct rf_columns columns;
};

struct rf_expander {
    const struct rf_zstd *zstd;
    void *context;
    struct rf_columns columns;
};

void rf_compressor_free(struct rf_compressor *c)
{
    if (c == NULL)
        return;
    if (c->context != NULL)
        (void)c->zstd.free_compressor(c->context);
    rf_zstd_unload(&c->zstd);
    free(c->chunk);
    free(c);
}

struct rf_compressor *rf_compressor_new(bool *is_missing)
{
    struct rf_compressor *c = calloc(1, sizeof(*c));
    *is_missing = c != NULL && !rf_zstd_load(&c->zstd);
    if (c != NULL && !*is_missing) {
        rf_columns_init(&c->columns);
        c->context = c->zstd.new_compressor();
        c->chunk = malloc(ROOM);
    }
    if (c == NULL || c->context == NULL || c->chunk == NULL) {
        rf_compressor_free(c);
        return NULL;
    }
    return c;
}

/* ---- Compressing ---- */

/* Adds a frame at `to` if that saves an eighth, since reading it takes time. Returns its size, or
 * 0.
 */
static size_t put_frame(struct rf_compressor *c, uint8_t *to, const void *from, size_t size)
{
    const size_t n = c->zstd.compress(c->context, to, size, from, size, LEVEL);
    return c->zstd.is_error(n) || n > size - size / 8 ? 0 : n;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Returns the size of all columns. */
static size_t put_columns(struct rf_compressor *c, uint8_t *to)
{
    struct rf_split_size sizes[RF_N_SPLITS];
    size_t at = sizeof(sizes);
    for (uint32_t i = 0; i < RF_N_SPLITS; i++) {
        const struct rf_split *column = &c->columns.column[i];
        size_t n = 0;
        if (!is_zero(column->data, column->size)) {
            n = put_frame(c, to + at, column->data, column->size);
            if (n == 0) {
                n = column->size;
                memcpy(to + at, column->data, n);
            }
        }
        sizes[i] = (struct rf_split_size){(uint16_t)column->size, (uint16_t)n};
        at += n;
    }
    memcpy(to, sizes, sizeof(sizes));
    return at;
}

static struct rf_columns_base base_of(const struct rf_chunk_header *chunk,
                                      const struct rf_part_header *part)
{
    return (struct rf_columns_base){
        chunk->ticks, rf_range_id(chunk->process, chunk->slot, part->first_start + 1)};
}

/* Compresses what follows a part's header. */
static size_t put_part(struct rf_compressor *c, const struct rf_chunk_header *header,
                       const uint8_t *payload, uint8_t *to, struct rf_compressed *info)
{
    struct rf_part_header part;
    const uint32_t size = info->raw_size - (uint32_t)sizeof(part);
    memcpy(&part, payload, sizeof(part));
    memcpy(to, &part, sizeof(part));
    info->first = payload[sizeof(part)] & ((1u << RF_WORD_TYPE_BITS) - 1);
    const struct rf_columns_base base = base_of(header, &part);
    if (rf_columns_split(&c->columns, &base, payload + sizeof(part), size)) {
        const bool has_steps = c->columns.step.step != RF_STEP_ONE;
        const size_t head = has_steps ? sizeof(struct rf_split_step) : 0;
        info->compression = has_steps ? RF_COMPRESSION_STEPS : RF_COMPRESSION_COLUMNS;
        memcpy(to + sizeof(part), &c->columns.step, head);
        info->size = (uint32_t)(head + put_columns(c, to + sizeof(part) + head));
    } else {
        info->compression = RF_COMPRESSION_PLAIN;
        info->size = (uint32_t)put_frame(c, to + sizeof(part), payload + sizeof(part), size);
    }
    return info->size > 0 ? sizeof(part) + info->size : 0;
}

static bool can_be_compressed(const struct rf_chunk_header *header)
{
    if (header->type == RF_CHUNK_PART)
        return header->size > sizeof(struct rf_part_header) &&
               header->size <= RF_PART_SIZE - sizeof(*header);
    return header->type == RF_CHUNK_DEFS && header->size > 0 && header->size <= RF_COMPRESSED_MOST;
}

size_t rf_compress(struct rf_compressor *c, const struct rf_chunk_header *header,
                   const void *payload, const uint8_t **chunk)
{
    struct rf_chunk_header own = *header;
    struct rf_compressed info = {.type = header->type, .raw_size = (uint32_t)header->size};
    size_t size;
    if (!can_be_compressed(header))
        return 0;
    if (header->type == RF_CHUNK_PART) {
        size = put_part(c, header, payload, c->chunk + HEADS, &info);
    } else {
        info.compression = RF_COMPRESSION_PLAIN;
        info.size = (uint32_t)(size = put_frame(c, c->chunk + HEADS, payload, header->size));
        if (size > 0 && size < header->size / RF_COMPRESSED_FACTOR) {
            memset(c->chunk + HEADS + size, 0, header->size / RF_COMPRESSED_FACTOR + 8 - size);
            size = header->size / RF_COMPRESSED_FACTOR;
        }
    }
    if (size == 0)
        return 0;
    memset(c->chunk + HEADS + size, 0, 8);
    own.magic = RF_CHUNK_MAGIC;
    own.header_size = sizeof(own);
    own.type = RF_CHUNK_COMPRESSED;
    own.size = (sizeof(info) + size + 7) & ~(uint64_t)7;
    if (own.size >= header->size)
        return 0;
    memcpy(c->chunk, &own, sizeof(own));
    memcpy(c->chunk + sizeof(own), &info, sizeof(info));
    info.crc32c = rf_crc32c(0, c->chunk, sizeof(own) + own.size);
    memcpy(c->chunk + sizeof(own), &info, sizeof(info));
    *chunk = c->chunk;
    return sizeof(own) + own.size;
}

/* ---- Expanding ---- */

void rf_expander_free(struct rf_expander *e)
{
    if (e == NULL)
        return;
    if (e->context != NULL)
        (void)e->zstd->free_expander(e->context);
    free(e);
}

struct rf_expander *rf_expander_new(const struct rf_zstd *zstd)
{
    struct rf_expander *e = calloc(1, sizeof(*e));
    if (e == NULL)
        return NULL;
    e->zstd = zstd;
    rf_columns_init(&e->columns);
    e->context = zstd->new_expander();
    if (e->context == NULL) {
        free(e);
        return NULL;
    }
    return e;
}

/* The checksum is over the chunk with 0 in its place. */
static bool has_right_crc(const struct rf_compressed *info, const uint8_t *chunk, uint64_t size)
{
    struct rf_compressed without = *info;
    without.crc32c = 0;
    uint32_t crc = rf_crc32c(0, chunk, sizeof(struct rf_chunk_header));
    crc = rf_crc32c(crc, &without, sizeof(without));
    return rf_crc32c(crc, chunk + HEADS, size - HEADS) == info->crc32c;
}

static bool is_sane(const struct rf_compressed *info, uint64_t room)
{
    const uint64_t part = sizeof(struct rf_part_header);
    if (info->type == RF_CHUNK_PART)
        return info->raw_size > part && info->raw_size % 8 == 0 &&
               info->raw_size <= RF_PART_SIZE - sizeof(struct rf_chunk_header) && room >= part &&
               info->size <= room - part;
    return info->type == RF_CHUNK_DEFS && info->raw_size % 8 == 0 &&
           info->raw_size <= RF_COMPRESSED_MOST && info->size <= room &&
           info->raw_size / RF_COMPRESSED_FACTOR <= room;
}

bool rf_compressed_read(struct rf_compressed *info, const uint8_t *chunk, uint64_t size,
                        bool check_crc)
{
    if (size < HEADS)
        return false;
    memcpy(info, chunk + sizeof(struct rf_chunk_header), sizeof(*info));
    return is_sane(info, size - HEADS) && (!check_crc || has_right_crc(info, chunk, size));
}

static bool take_frame(struct rf_expander *e, uint8_t *to, size_t size, const uint8_t *frame,
                       size_t frame_size)
{
    return e->zstd->expand(e->context, to, size, frame, frame_size) == size;
}

static bool take_columns(struct rf_expander *e, const uint8_t *from, uint32_t n)
{
    struct rf_split_size sizes[RF_N_SPLITS];
    if (n < sizeof(sizes))
        return false;
    memcpy(sizes, from, sizeof(sizes));
    uint32_t at = sizeof(sizes);
    for (uint32_t i = 0; i < RF_N_SPLITS; i++) {
        struct rf_split *column = &e->columns.column[i];
        const uint32_t size = sizes[i].size, stored = sizes[i].stored;
        column->size = size;
        if (stored > n - at)
            return false;
        if (stored == 0)
            memset(column->data, 0, size);
        else if (stored == size)
            memcpy(column->data, from + at, size);
        else if (!take_frame(e, column->data, size, from + at, stored))
            return false;
        at += stored;
    }
    return at == n;
}

/* *head: the bytes of it that are before the columns. */
static bool take_step(struct rf_expander *e, const struct rf_compressed *info, const uint8_t *from,
                      uint32_t *head)
{
    const bool has_steps = info->compression == RF_COMPRESSION_STEPS;
    *head = has_steps ? sizeof(e->columns.step) : 0;
    e->columns.step = (struct rf_split_step){.step = RF_STEP_ONE};
    if (*head > info->size)
        return false;
    memcpy(&e->columns.step, from, *head);
    return has_steps || info->compression == RF_COMPRESSION_COLUMNS;
}

static bool expand_part(struct rf_expander *e, const struct rf_compressed *info,
                        const uint8_t *chunk, uint8_t *payload)
{
    struct rf_chunk_header header;
    struct rf_part_header part;
    const uint8_t *from = chunk + HEADS + sizeof(part);
    const uint32_t size = info->raw_size - (uint32_t)sizeof(part);
    uint8_t *records = payload + sizeof(part);
    uint32_t head;
    memcpy(&header, chunk, sizeof(header));
    memcpy(&part, chunk + HEADS, sizeof(part));
    memcpy(payload, &part, sizeof(part));
    if (info->compression == RF_COMPRESSION_PLAIN)
        return take_frame(e, records, size, from, info->size);
    const struct rf_columns_base base = base_of(&header, &part);
    return take_step(e, info, from, &head) && take_columns(e, from + head, info->size - head) &&
           rf_columns_join(&e->columns, &base, records, size);
}

bool rf_expand(struct rf_expander *e, const struct rf_compressed *info, const uint8_t *chunk,
               uint8_t *payload)
{
    if (info->type == RF_CHUNK_PART)
        return expand_part(e, info, chunk, payload);
    return info->compression == RF_COMPRESSION_PLAIN &&
           take_frame(e, payload, info->raw_size, chunk + HEADS, info->size);
}
