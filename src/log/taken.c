/* SPDX-License-Identifier: Apache-2.0 */
#include "log/taken.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "log/part_reader.h"

/* ---- What was taken ---- */

static struct rf_log_part part_at(const uint8_t *data, const struct rf_chunk_header *header,
                                  const struct rf_taken_stream *of)
{
    return (struct rf_log_part){.raw = data,
                                .seq = of->seq,
                                .ticks = header->ticks,
                                .process = of->process,
                                .slot = of->slot,
                                .size = (uint32_t)(sizeof(*header) + header->size),
                                .own_seq = of->seq,
                                .own_end = of->taken.offset,
                                .is_complete = true,
                                .is_made = true};
}

/* Adds a stream, and the parts that follow it. Returns where the next one begins, or 0 where it is
 * damaged. */
static uint64_t add_stream(struct rf_log_builder *b, const uint8_t *data, uint64_t size,
                           uint64_t at)
{
    struct rf_chunk_header header;
    struct rf_taken_stream stream;
    if (!rf_chunk_header_at(data, size, at, &header) || header.type != RF_CHUNK_TAKEN ||
        header.size != sizeof(stream.taken) || header.size > size - at - sizeof(header))
        return 0;
    stream = (struct rf_taken_stream){.process = header.process,
                                      .slot = header.slot,
                                      .seq = header.seq,
                                      .ticks = header.ticks,
                                      .first = b->n_taken_parts};
    memcpy(&stream.taken, data + at + sizeof(header), sizeof(stream.taken));
    at += sizeof(header) + header.size;
    for (uint32_t i = 0; i < stream.taken.n_parts; i++) {
        if (!rf_chunk_header_at(data, size, at, &header) || header.type != RF_CHUNK_PART ||
            header.size < sizeof(struct rf_part_header) ||
            header.size > RF_PART_SIZE - sizeof(header) || header.size > size - at - sizeof(header))
            return 0;
        if (rf_grow_array(&b->taken_part, b->n_taken_parts, &b->taken_part_room,
                          sizeof(*b->taken_part)) != RF_OK) {
            b->is_out_of_memory = true;
            return 0;
        }
        b->taken_part[b->n_taken_parts++] = part_at(data + at, &header, &stream);
        at += sizeof(header) + header.size;
    }
    if (rf_grow_array(&b->log->taken, b->log->n_taken, &b->taken_room, sizeof(*b->log->taken)) !=
        RF_OK) {
        b->is_out_of_memory = true;
        return 0;
    }
    b->log->taken[b->log->n_taken++] = stream;
    return at;
}

static int compare_streams(const void *left, const void *right)
{
    const struct rf_taken_stream *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

int rf_taken_read(struct rf_log_builder *b, int directory, const char *path, struct rf_err *err)
{
    const uint32_t n = b->log->control.pieces.n_pieces;
    const uint8_t *data;
    uint64_t size, at = sizeof(struct rf_file_header);
    char name[32];
    if (!b->log->control.pieces.is_split || n == 0)
        return RF_OK;
    (void)snprintf(name, sizeof(name), RF_TAKEN_FILE, n);
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno != ENOENT)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s/%s': %s", path, name, strerror(errno));
    int status = fd >= 0 ? rf_log_map(b->log, fd, path, &data, &size, err) : RF_OK;
    if (fd >= 0)
        (void)close(fd);
    if (status != RF_OK)
        return status;
    if (fd < 0 || rf_log_check_header(data, size, path, NULL) != RF_OK) {
        b->log->n_damaged_bytes++; /* what is in pieces may be here again */
        return RF_OK;
    }
    while (at != 0 && at < size) {
        const uint64_t next = add_stream(b, data, size, at);
        b->log->n_damaged_bytes += next == 0 ? size - at : 0;
        at = next;
    }
    if (b->log->n_taken > 0)
        qsort(b->log->taken, b->log->n_taken, sizeof(*b->log->taken), compare_streams);
    return RF_OK;
}

/* ---- What is left ---- */

/* Copies a part without what was taken of it. */
static bool copy_rest(struct rf_log_builder *b, struct rf_part_reader *reader,
                      struct rf_log_part *part, const struct rf_taken_stream *of)
{
    const struct rf_part_view view = rf_part_view(reader, part);
    const bool is_cut = part->seq == of->seq;
    const uint32_t offset = is_cut ? of->taken.offset : RF_PART_RECORDS_OFFSET;
    const uint32_t n_left = view.size > offset ? view.size - offset : 0;
    const uint32_t size = RF_PART_RECORDS_OFFSET + n_left;
    struct rf_chunk_header chunk = rf_part_chunk(part);
    struct rf_part_header header = rf_part_header(part);
    uint8_t *copy = rf_log_allocate(b->log, size);
    if (copy == NULL || reader->is_out_of_memory)
        return false;
    header.is_first = of->taken.n_parts == 0;
    if (is_cut) {
        chunk.ticks = of->ticks;
        chunk.mono_ns = 0;
        header.first_start = of->taken.n_starts;
        header.lost_records = header.lost_bytes = 0;
        header.tid = of->taken.tid;
        header.serial = of->taken.serial;
    }
    chunk.size = size - sizeof(chunk);
    memcpy(copy, &chunk, sizeof(chunk));
    memcpy(copy + sizeof(chunk), &header, sizeof(header));
    memcpy(copy + RF_PART_RECORDS_OFFSET, view.data + offset, n_left);
    part->raw = copy;
    part->packed = NULL;
    part->own_end -= part->size - (view.size > offset ? view.size : offset); /* expanded in part */
    part->size = size;
    part->ticks = chunk.ticks;
    part->mono_ns = chunk.mono_ns;
    return true;
}

/* The part of which the beginning was taken: a copy without that. Likewise the part that follows
 * it, in a stream of which nothing was left: nothing is missing before it. */
static bool cut_beginning(struct rf_log_builder *b, struct rf_log_part *part,
                          const struct rf_taken_stream *of)
{
    struct rf_part_reader reader;
    rf_part_reader_init(&reader, b->log);
    const bool is_copied = copy_rest(b, &reader, part, of);
    rf_part_reader_release(&reader);
    return is_copied;
}

static int order_of(const struct rf_log_part *part, const struct rf_taken_stream *of)
{
    const uint64_t a = (uint64_t)part->process << 32 | part->slot;
    const uint64_t b = (uint64_t)of->process << 32 | of->slot;
    return a < b ? -1 : a > b;
}

/* Whether something of a part was not taken; what was is cut off. */
static bool is_left(struct rf_log_builder *b, struct rf_log_part *part,
                    const struct rf_taken_stream *of)
{
    if (part->seq != of->seq) {
        if (part->seq == of->seq + 1 && of->taken.n_parts == 0)
            b->is_out_of_memory |= !cut_beginning(b, part, of);
        return part->seq > of->seq;
    }
    if (part->size <= of->taken.offset || of->taken.offset < RF_PART_RECORDS_OFFSET ||
        of->taken.offset % 8 != 0)
        return false;
    b->is_out_of_memory |= !cut_beginning(b, part, of);
    return true;
}

/* What the pool says is in the log is in a piece. */
static void leave_out_tails(struct rf_log_builder *b)
{
    struct rf_log *log = b->log;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < log->n_tails; i++) {
        const struct rf_log_tail *tail = &log->tail[i];
        const struct rf_log_part part = {.process = tail->process, .slot = tail->slot};
        while (at < log->n_taken && order_of(&part, &log->taken[at]) > 0)
            at++;
        if (at == log->n_taken || order_of(&part, &log->taken[at]) != 0 ||
            tail->seq > log->taken[at].seq)
            log->tail[n++] = *tail;
    }
    log->n_tails = n;
}

int rf_taken_leave_out(struct rf_log_builder *b)
{
    struct rf_log *log = b->log;
    size_t n = 0, at = 0;
    if (log->n_taken == 0)
        return RF_OK;
    struct rf_log_part *all = calloc(log->n_parts + b->n_taken_parts + 1, sizeof(*all));
    if (all == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < log->n_taken; i++) {
        const struct rf_taken_stream *of = &log->taken[i];
        while (at < log->n_parts && order_of(&log->part[at], of) < 0)
            all[n++] = log->part[at++];
        for (uint32_t k = 0; k < of->taken.n_parts; k++)
            all[n++] = b->taken_part[of->first + k];
        for (; at < log->n_parts && order_of(&log->part[at], of) == 0; at++)
            if (is_left(b, &log->part[at], of))
                all[n++] = log->part[at];
    }
    while (at < log->n_parts)
        all[n++] = log->part[at++];
    free(log->part);
    log->part = all;
    log->n_parts = n;
    leave_out_tails(b);
    return b->is_out_of_memory ? RF_ERR_NO_MEMORY : RF_OK;
}

void rf_taken_number(struct rf_log_builder *b)
{
    struct rf_log *log = b->log;
    uint64_t last = 0; /* as it was */
    for (size_t i = 0; log->n_taken > 0 && i < log->n_parts; i++) {
        struct rf_log_part *part = &log->part[i];
        const uint64_t seq = part->seq;
        if (i > 0 && part[-1].process == part->process && part[-1].slot == part->slot)
            part->seq = part[-1].seq + (seq > last ? seq - last : 1);
        last = seq;
    }
}
