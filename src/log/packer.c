/* SPDX-License-Identifier: Apache-2.0 */
#include "log/packer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/grow.h"
#include "log/chunks.h"
#include "log/compress.h"
#include "log/file_header.h"
#include "log/part_counts.h"
#include "log/part_reader.h"

#define DEFS_PIECE ((uint64_t)256 << 10) /* so that damage does not cost all definitions */

int rf_packer_check_output(const char *output, bool can_overwrite, struct rf_err *err)
{
    struct stat st;
    if (!can_overwrite && lstat(output, &st) == 0 && S_ISREG(st.st_mode))
        return rf_fail(err, RF_ERR_EXISTS, "'%s' exists already; use -f to overwrite it", output);
    return RF_OK;
}

static int write_two(struct rf_packer *p, const void *head, size_t head_size, const void *body,
                     size_t body_size)
{
    struct iovec iov[2] = {{(void *)(uintptr_t)head, head_size},
                           {(void *)(uintptr_t)body, body_size}};
    ssize_t n = writev(p->out.fd, iov, 2);
    size_t done = n > 0 ? (size_t)n : 0;
    int status = RF_OK;
    p->size += head_size + body_size;
    if (done == head_size + body_size)
        return RF_OK;
    /* cut short: the plain loop goes on, or finds the error */
    if (done < head_size)
        status = rf_output_write(&p->out, (const char *)head + done, head_size - done, p->err);
    done = done > head_size ? done - head_size : 0;
    if (status == RF_OK)
        status = rf_output_write(&p->out, (const char *)body + done, body_size - done, p->err);
    return status;
}

int rf_packer_open(struct rf_packer *p, const char *output, bool can_overwrite,
                   const struct rf_control *control)
{
    const struct rf_file_header header = rf_file_header_of(control);
    int status = rf_output_open(&p->out, output, can_overwrite, p->err);
    if (status != RF_OK)
        return status;
    return write_two(p, &header, sizeof(header), NULL, 0);
}

int rf_packer_add_entry(struct rf_packer *p, uint64_t offset, const struct rf_chunk_header *header,
                        uint16_t other_type, uint32_t crc)
{
    if (rf_grow_array(&p->entry, p->n, &p->room, sizeof(*p->entry)) != RF_OK)
        return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    p->entry[p->n++] = (struct rf_index_entry){.offset = offset,
                                               .size = sizeof(*header) + header->size,
                                               .crc32c = crc,
                                               .type = header->type,
                                               .other_type = other_type,
                                               .process = header->process,
                                               .slot = header->slot,
                                               .seq = header->seq};
    return RF_OK;
}

/* Adds what a part comes to to the COUNTS chunk. */
static int add_part_counts(struct rf_packer *p, const struct rf_part_counts *counts)
{
    const struct rf_count_entry entry = {(uint32_t)(p->n - 1), counts->n_domains,
                                         counts->first_event_ticks, counts->last_ticks};
    const size_t domains_size = counts->n_domains * sizeof(counts->domain[0]);
    const size_t size = sizeof(entry) + domains_size;
    if (p->part_counts_room - p->part_counts_size < size) {
        size_t room = 2 * p->part_counts_room + 4096;
        uint8_t *grown = realloc(p->part_counts, room);
        if (grown == NULL)
            return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
        p->part_counts = grown;
        p->part_counts_room = room;
    }
    memcpy(p->part_counts + p->part_counts_size, &entry, sizeof(entry));
    memcpy(p->part_counts + p->part_counts_size + sizeof(entry), counts->domain, domains_size);
    p->part_counts_size += size;
    return RF_OK;
}

static void add_counts(struct rf_counts *all, const struct rf_part_counts *counts)
{
    all->n_records += counts->n_records;
    for (uint32_t i = 0; i < counts->n_domains; i++) {
        all->n_ranges += (uint64_t)counts->domain[i].n_ranges + counts->domain[i].n_open;
        all->n_marks += counts->domain[i].n_marks;
    }
}

int rf_packer_count_part(struct rf_packer *p, uint64_t ticks, const uint8_t *records, uint64_t size,
                         bool *is_whole)
{
    struct rf_part_counts counts;
    bool is_plain = rf_part_count(&counts, ticks, records, size) && counts.n_bytes == size;
    bool are_all = is_plain || rf_counts_add(&p->counts, records, size) == size;
    if (is_whole != NULL)
        *is_whole = are_all;
    if (!is_plain)
        return RF_OK;
    add_counts(&p->counts, &counts);
    return add_part_counts(p, &counts);
}

int rf_packer_compress(struct rf_packer *p)
{
    bool is_missing;
    p->compressor = rf_compressor_new(&is_missing);
    if (p->compressor != NULL)
        return RF_OK;
    return is_missing ? rf_fail(p->err, RF_ERR_UNSUPPORTED, "cannot compress: " RF_ZSTD_MISSING)
                      : rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
}

int rf_packer_compress_as(struct rf_packer *p, const struct rf_control *control)
{
    if (control->version != RF_FORMAT_COMPRESSED)
        return RF_OK;
    int status = rf_packer_compress(p);
    return status == RF_ERR_UNSUPPORTED ? RF_OK : status;
}

/* raw_size: of the payload that a chunk stands for. */
static void note_compressed(struct rf_packer *p, const uint8_t *chunk, uint64_t raw_size)
{
    struct rf_chunk_header header;
    memcpy(&header, chunk, sizeof(header));
    p->compressed_bytes += sizeof(header) + header.size;
    p->expanded_bytes += sizeof(header) + raw_size;
}

/* Appends a chunk as it is. other_type: as in the index; part: NULL, or the payload of the part
 * that it is or stands for. */
static int write_as_is(struct rf_packer *p, const struct rf_chunk_header *header,
                       uint16_t other_type, const void *payload, const uint8_t *part,
                       uint64_t part_size)
{
    const uint64_t records = sizeof(struct rf_part_header);
    uint32_t crc = rf_crc32c(rf_crc32c(0, header, sizeof(*header)), payload, header->size);
    int status = rf_packer_add_entry(p, p->size, header, other_type, crc);
    if (status == RF_OK && part != NULL && part_size >= records)
        status = rf_packer_count_part(p, header->ticks, part + records, part_size - records, NULL);
    return status == RF_OK ? write_two(p, header, sizeof(*header), payload, header->size) : status;
}

int rf_packer_write_chunk(struct rf_packer *p, struct rf_chunk_header header, const void *payload,
                          uint64_t size)
{
    const uint8_t *part = header.type == RF_CHUNK_PART ? payload : NULL, *chunk;
    const uint16_t type = header.type;
    header.magic = RF_CHUNK_MAGIC;
    header.header_size = sizeof(header);
    header.size = size;
    if (p->compressor == NULL || rf_compress(p->compressor, &header, payload, &chunk) == 0)
        return write_as_is(p, &header, 0, payload, part, size);
    note_compressed(p, chunk, size);
    memcpy(&header, chunk, sizeof(header));
    return write_as_is(p, &header, type, chunk + sizeof(header), part, size);
}

int rf_packer_write_part(struct rf_packer *p, const struct rf_log_part *part)
{
    const struct rf_part_view view = rf_part_view(&p->parts, part);
    const size_t head = sizeof(struct rf_chunk_header);
    struct rf_chunk_header header = rf_part_chunk(part);
    const uint8_t *payload = view.data + head;
    /* of a part that was cut short only whole words are there */
    const uint64_t size = (view.size - head) & ~(uint64_t)7;
    const bool is_as_stored = header.seq == part->seq;
    int status;
    header.seq = part->seq; /* of a session that is written in pieces it may count anew */
    if (part->packed != NULL && p->compressor != NULL && view.size == part->size && is_as_stored) {
        note_compressed(p, part->packed->chunk, size);
        memcpy(&header, part->packed->chunk, head);
        status = write_as_is(p, &header, RF_CHUNK_PART, part->packed->chunk + head, payload, size);
    } else {
        status = rf_packer_write_chunk(p, header, payload, size);
    }
    if (status == RF_OK && p->parts.is_out_of_memory)
        status = rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    rf_part_reader_drop(&p->parts, part, part + 1);
    return status;
}

int rf_packer_write_metrics(struct rf_packer *p, const struct rf_log_metrics *metrics)
{
    struct rf_chunk_header header;
    memcpy(&header, metrics->data, sizeof(header));
    return rf_packer_write_chunk(p, header, metrics->data + sizeof(header),
                                 metrics->size - sizeof(header));
}

/* Where the piece that begins at `from` ends: where a definition does. One that is long and was
 * never finished is a piece of its own, which is not written. */
static uint64_t end_of_piece(const uint8_t *defs, uint64_t size, uint64_t from, bool *is_empty)
{
    uint64_t to = from;
    *is_empty = false;
    while (to < size && to - from < DEFS_PIECE) {
        struct rf_def def;
        memcpy(&def, defs + to, sizeof(def));
        *is_empty = def.head == 0 && def.n_words > DEFS_PIECE / 8;
        if (*is_empty && to > from) {
            *is_empty = false;
            break;
        }
        to += 8 * (uint64_t)def.n_words;
        if (*is_empty)
            break;
    }
    return to;
}

int rf_packer_write_defs(struct rf_packer *p, const struct rf_log_process *process, uint64_t *used)
{
    uint64_t size = rf_defs_used_bytes(process->defs, process->defs_size, NULL);
    bool is_empty;
    int status = RF_OK;
    for (uint64_t from = 0, to; from < size && status == RF_OK; from = to) {
        const struct rf_chunk_header header = {
            .type = RF_CHUNK_DEFS, .process = process->number, .seq = from};
        to = end_of_piece(process->defs, size, from, &is_empty);
        if (!is_empty)
            status = rf_packer_write_chunk(p, header, process->defs + from, to - from);
    }
    if (used != NULL)
        *used = size;
    return status;
}

int rf_packer_write_early_control(struct rf_packer *p, const struct rf_control *control)
{
    int status = rf_packer_write_control(p, control);
    if (status == RF_OK && p->out.temporary != NULL)
        p->early_control = p->n;
    return status;
}

/* Writes over the early control page. */
static int rewrite_control(struct rf_packer *p, const struct rf_control *control)
{
    struct rf_index_entry *entry = &p->entry[p->early_control - 1];
    const struct rf_chunk_header header = {.magic = RF_CHUNK_MAGIC,
                                           .type = RF_CHUNK_SESSION,
                                           .header_size = sizeof(header),
                                           .size = sizeof(*control)};
    const uint8_t *bytes = (const uint8_t *)control;
    entry->crc32c = rf_crc32c(rf_crc32c(0, &header, sizeof(header)), control, sizeof(*control));
    for (size_t done = 0; done < sizeof(*control);) {
        ssize_t n = pwrite(p->out.fd, bytes + done, sizeof(*control) - done,
                           (off_t)(entry->offset + sizeof(header) + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return rf_fail(p->err, RF_ERR_IO, "cannot write '%s': %s", p->out.path,
                           rf_write_error(errno));
        done += (size_t)n;
    }
    return RF_OK;
}

int rf_packer_write_control(struct rf_packer *p, const struct rf_control *control)
{
    if (p->early_control != 0)
        return rewrite_control(p, control);
    return rf_packer_write_chunk(p, (struct rf_chunk_header){.type = RF_CHUNK_SESSION}, control,
                                 sizeof(*control));
}

static int write_counts(struct rf_packer *p)
{
    return p->part_counts_size > 0
               ? rf_packer_write_chunk(p, (struct rf_chunk_header){.type = RF_CHUNK_COUNTS},
                                       p->part_counts, p->part_counts_size)
               : RF_OK;
}

int rf_packer_write_index(struct rf_packer *p)
{
    int status = write_counts(p);
    if (status != RF_OK)
        return status;
    size_t size = p->n * sizeof(*p->entry);
    struct rf_chunk_header header = {.magic = RF_CHUNK_MAGIC,
                                     .type = RF_CHUNK_INDEX,
                                     .header_size = sizeof(header),
                                     .size = size,
                                     .slot = rf_crc32c(0, p->entry, size),
                                     .seq = p->size};
    return write_two(p, &header, sizeof(header), p->entry, size);
}

int rf_packer_finish(struct rf_packer *p, int status)
{
    if (status == RF_OK)
        status = rf_output_commit(&p->out, p->err);
    else
        rf_output_abandon(&p->out);
    free(p->entry);
    free(p->part_counts);
    rf_compressor_free(p->compressor);
    rf_part_reader_release(&p->parts);
    return status;
}
