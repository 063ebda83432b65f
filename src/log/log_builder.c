/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_builder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "log/compress.h"
#include "log/file_header.h"
#include "log/metrics.h"
#include "log/moments.h"
#include "log/part_reader.h"

void rf_log_add_part(struct rf_log_builder *b, const uint8_t *data,
                     const struct rf_chunk_header *header, uint64_t size, enum rf_part_copy copy)
{
    struct rf_log *log = b->log;
    if (size < RF_PART_RECORDS_OFFSET || size > RF_PART_SIZE) {
        log->n_damaged_bytes += size;
        return;
    }
    if (rf_grow_array(&log->part, log->n_parts, &b->part_room, sizeof(*log->part)) != RF_OK) {
        b->is_out_of_memory = true;
        return;
    }
    log->part[log->n_parts++] = (struct rf_log_part){.raw = data,
                                                     .seq = header->seq,
                                                     .own_seq = header->seq,
                                                     .own_end = (uint32_t)size,
                                                     .ticks = header->ticks,
                                                     .mono_ns = header->mono_ns,
                                                     .process = header->process,
                                                     .slot = header->slot,
                                                     .size = (uint32_t)size,
                                                     .is_complete = copy == RF_COPY_WHOLE,
                                                     .is_cut = copy == RF_COPY_CUT,
                                                     .is_suspect = copy == RF_COPY_SUSPECT};
}

void rf_log_add_defs(struct rf_log_builder *b, uint32_t process, uint64_t offset,
                     const uint8_t *data, uint64_t size)
{
    if (rf_grow_array(&b->piece, b->n_pieces, &b->piece_room, sizeof(*b->piece)) != RF_OK) {
        b->is_out_of_memory = true;
        return;
    }
    b->piece[b->n_pieces++] = (struct rf_defs_piece){process, offset, data, (size_t)size};
}

void rf_log_set_control(struct rf_log_builder *b, const uint8_t *data, uint64_t size)
{
    struct rf_control *control = &b->log->control;
    if (size < sizeof(*control) || memcmp(data, RF_CONTROL_MAGIC, sizeof(control->magic)) != 0) {
        b->log->n_damaged_bytes += size;
        return;
    }
    memcpy(control, data, sizeof(*control));
    b->has_control = true;
}

/* A part whose compressed bytes are of no use: what is known of it, with as many zeros as it should
 * have records, or without any, where the chunk was cut short. */
static void add_unreadable(struct rf_log_builder *b, const uint8_t *data,
                           struct rf_chunk_header header, uint64_t size, bool is_cut)
{
    struct rf_compressed info;
    const size_t heads = sizeof(header) + sizeof(info) + sizeof(struct rf_part_header);
    const uint64_t most = RF_PART_SIZE - sizeof(header);
    if (size < heads) {
        b->log->n_damaged_bytes += size;
        return;
    }
    memcpy(&info, data + sizeof(header), sizeof(info));
    header.type = RF_CHUNK_PART;
    header.size = info.raw_size > sizeof(struct rf_part_header) && info.raw_size <= most
                      ? info.raw_size & ~7u
                      : most;
    const uint64_t part_size = is_cut ? RF_PART_RECORDS_OFFSET : sizeof(header) + header.size;
    uint8_t *copy = rf_log_allocate(b->log, part_size);
    b->is_out_of_memory |= copy == NULL;
    if (copy == NULL)
        return;
    memset(copy, 0, part_size);
    memcpy(copy, &header, sizeof(header));
    memcpy(copy + sizeof(header), data + sizeof(header) + sizeof(info),
           sizeof(struct rf_part_header));
    rf_log_add_part(b, copy, &header, part_size, is_cut ? RF_COPY_CUT : RF_COPY_SUSPECT);
}

static void add_packed_part(struct rf_log_builder *b, const uint8_t *data,
                            const struct rf_chunk_header *header, uint64_t size, uint32_t raw_size)
{
    struct rf_packed_part *packed = rf_log_allocate(b->log, sizeof(*packed));
    const size_t n = b->log->n_parts;
    b->is_out_of_memory |= packed == NULL;
    if (packed == NULL)
        return;
    *packed = (struct rf_packed_part){.chunk = data, .chunk_size = size};
    rf_log_add_part(b, NULL, header, sizeof(*header) + raw_size, RF_COPY_WHOLE);
    if (b->log->n_parts > n)
        b->log->part[n].packed = packed;
}

static void add_packed_defs(struct rf_log_builder *b, const uint8_t *data,
                            const struct rf_chunk_header *header, const struct rf_compressed *info)
{
    uint8_t *defs = rf_log_allocate(b->log, info->raw_size);
    if (b->expander == NULL)
        b->expander = rf_expander_new(&b->log->zstd);
    b->is_out_of_memory |= defs == NULL || b->expander == NULL;
    if (b->is_out_of_memory)
        return;
    if (rf_expand(b->expander, info, data, defs))
        rf_log_add_defs(b, header->process, header->seq, defs, info->raw_size);
    else
        b->log->n_damaged_bytes += header->size;
}

/* Returns false if there is no libzstd. */
static bool load_zstd(struct rf_log_builder *b)
{
    b->is_zstd_missing |= !rf_zstd_load(&b->log->zstd);
    return !b->is_zstd_missing;
}

void rf_log_add_packed(struct rf_log_builder *b, const uint8_t *data,
                       const struct rf_chunk_header *header, uint64_t size,
                       const struct rf_compressed *info)
{
    if (!load_zstd(b))
        return;
    b->log->compressed_bytes += size;
    b->log->expanded_bytes += sizeof(*header) + info->raw_size;
    if (info->type == RF_CHUNK_PART)
        add_packed_part(b, data, header, size, info->raw_size);
    else
        add_packed_defs(b, data, header, info);
}

/* With a checksum of its own. */
static void add_compressed(struct rf_log_builder *b, const uint8_t *data,
                           const struct rf_chunk_header *header, uint64_t size, bool is_complete)
{
    struct rf_compressed info = {.type = 0};
    if (size >= sizeof(*header) + sizeof(info))
        memcpy(&info, data + sizeof(*header), sizeof(info));
    if (is_complete && rf_compressed_read(&info, data, size, true))
        rf_log_add_packed(b, data, header, size, &info);
    else if (info.type == RF_CHUNK_PART)
        add_unreadable(b, data, *header, size, !is_complete);
    else
        b->log->n_damaged_bytes += size;
}

static void add_metrics(struct rf_log_builder *b, const uint8_t *data,
                        const struct rf_chunk_header *header, uint64_t size)
{
    struct rf_log *log = b->log;
    if (size < sizeof(*header) + sizeof(struct rf_metrics_head)) {
        log->n_damaged_bytes += size;
        return;
    }
    if (rf_grow_array(&log->metrics, log->n_metrics, &b->metrics_room, sizeof(*log->metrics)) !=
        RF_OK) {
        b->is_out_of_memory = true;
        return;
    }
    log->metrics[log->n_metrics++] =
        (struct rf_log_metrics){data, size, header->seq, header->ticks, header->slot};
    rf_log_was_read(log, &b->metrics_read, data, size); /* by the checksum, or by those around it */
}

static void add_moment(struct rf_log_builder *b, const uint8_t *data,
                       const struct rf_chunk_header *header)
{
    struct rf_moment moment;
    if (header->size < sizeof(moment))
        return;
    if (rf_grow_array(&b->moment, b->n_moments, &b->moment_room, sizeof(*b->moment)) != RF_OK) {
        b->is_out_of_memory = true;
        return;
    }
    memcpy(&moment, data + sizeof(*header), sizeof(moment));
    b->moment[b->n_moments++] = (struct rf_log_moment){header->seq, header->ticks, moment.size,
                                                       header->process, header->slot};
}

void rf_log_add_chunk(struct rf_log_builder *b, const uint8_t *data,
                      const struct rf_chunk_header *header, uint64_t size, bool is_complete)
{
    if (header->type == RF_CHUNK_PART)
        rf_log_add_part(b, data, header, size, is_complete ? RF_COPY_WHOLE : RF_COPY_CUT);
    else if (header->type == RF_CHUNK_DEFS)
        rf_log_add_defs(b, header->process, header->seq, data + sizeof(*header),
                        size - sizeof(*header));
    else if (header->type == RF_CHUNK_SESSION)
        rf_log_set_control(b, data + sizeof(*header), size - sizeof(*header));
    else if (header->type == RF_CHUNK_METRICS && is_complete)
        add_metrics(b, data, header, size);
    else if (header->type == RF_CHUNK_MOMENT && is_complete)
        add_moment(b, data, header);
    else if (header->type == RF_CHUNK_COMPRESSED)
        add_compressed(b, data, header, size, is_complete);
    b->has_index |= header->type == RF_CHUNK_INDEX;
    if (!is_complete && header->type != RF_CHUNK_PART && header->type != RF_CHUNK_INDEX &&
        header->type != RF_CHUNK_COMPRESSED)
        b->log->n_damaged_bytes += size;
}

bool rf_log_add_chunks(struct rf_log_builder *b, const uint8_t *data, uint64_t size)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    bool is_whole = true;
    rf_chunk_walk_init(&walk, data, size, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk)) {
        rf_log_add_chunk(b, data + chunk.offset, &chunk.header, chunk.size, chunk.is_complete);
        is_whole &= chunk.is_complete;
    }
    b->log->n_damaged_bytes += walk.n_skipped;
    return is_whole && walk.n_skipped == 0;
}

int rf_log_check_header(const uint8_t *data, uint64_t size, const char *path, struct rf_err *err)
{
    struct rf_file_header header;
    if (size == 0)
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is not a recording: the file is empty", path);
    if (size < sizeof(header) || memcmp(data, RF_FILE_MAGIC, sizeof(header.magic)) != 0)
        return rf_fail(err, RF_ERR_FORMAT,
                       "'%s' is not a recording: byte 0 does not begin a Rangefinder file", path);
    memcpy(&header, data, sizeof(header));
    if (!rf_format_is_known(header.version_major))
        return rf_fail_at(err, RF_ERR_FORMAT, offsetof(struct rf_file_header, version_major),
                          "'%s' has format version %u.%u, this program reads %d.x to %d.x; "
                          "use a version of Rangefinder that fits",
                          path, header.version_major, header.version_minor, RF_FORMAT_MAJOR,
                          RF_FORMAT_COMPRESSED);
    if (header.header_size != sizeof(header))
        return rf_fail_at(err, RF_ERR_DAMAGED, offsetof(struct rf_file_header, header_size),
                          "'%s' is damaged at byte %zu: bad header size", path,
                          offsetof(struct rf_file_header, header_size));
    return RF_OK;
}
