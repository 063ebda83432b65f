/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_builder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "log/file_header.h"
#include "log/metrics.h"

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
    log->part[log->n_parts++] = (struct rf_log_part){.data = data,
                                                     .seq = header->seq,
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
    b->has_index |= header->type == RF_CHUNK_INDEX;
    if (!is_complete && header->type != RF_CHUNK_PART && header->type != RF_CHUNK_INDEX)
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
    if (header.version_major != RF_FORMAT_MAJOR)
        return rf_fail_at(err, RF_ERR_FORMAT, offsetof(struct rf_file_header, version_major),
                          "'%s' has format version %u.%u, this program reads %d.x; "
                          "use a version of Rangefinder that fits",
                          path, header.version_major, header.version_minor, RF_FORMAT_MAJOR);
    if (header.header_size != sizeof(header))
        return rf_fail_at(err, RF_ERR_DAMAGED, offsetof(struct rf_file_header, header_size),
                          "'%s' is damaged at byte %zu: bad header size", path,
                          offsetof(struct rf_file_header, header_size));
    return RF_OK;
}
