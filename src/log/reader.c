/* SPDX-License-Identifier: Apache-2.0 */
/* Opening packed files; session directories are in reader_dir.c. */
#include "log/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/crc32c.h"
#include "log/check_chunks.h"
#include "log/compress.h"
#include "log/log_builder.h"
#include "log/log_order.h"
#include "log/mend.h"
#include "log/moments.h"
#include "log/part_counts.h"
#include "log/reader_dir.h"
#include "log/taken.h"

void rf_log_close(struct rf_log *log)
{
    rf_log_free_memory(log);
    rf_zstd_unload(&log->zstd);
    free(log->part);
    free(log->process);
    free(log->metrics);
    free(log->file);
    free(log->tail);
    free(log->moved);
    free(log->taken);
    free(log->running);
    if (log->ring_lock != 0)
        (void)close(log->ring_lock - 1);
    memset(log, 0, sizeof(*log));
}

static int fail_damaged(const char *path, uint64_t offset, const char *what, struct rf_err *err)
{
    return rf_fail_at(err, RF_ERR_DAMAGED, offset,
                      "'%s' is damaged at byte %" PRIu64 ": %s; `rangefinder recover '%s'` saves "
                      "what can be read",
                      path, offset, what, path);
}

/* The index at the end of a packed file: its header's offset, or 0 where there is none. */
static uint64_t find_index(const uint8_t *data, uint64_t size, struct rf_chunk_header *header)
{
    struct rf_index_entry last;
    uint64_t offset;
    if (size < sizeof(struct rf_file_header) + sizeof(*header) + sizeof(last))
        return 0;
    memcpy(&last, data + size - sizeof(last), sizeof(last));
    if (last.offset > size || last.size > size - last.offset)
        return 0;
    offset = last.offset + last.size;
    if (!rf_chunk_header_at(data, size, offset, header) || header->type != RF_CHUNK_INDEX ||
        header->seq != offset || header->size != size - offset - sizeof(*header) ||
        header->size % sizeof(last) != 0)
        return 0;
    return rf_crc32c(0, data + offset + sizeof(*header), header->size) == header->slot ? offset : 0;
}

/* Where a file without a right index stops making sense. */
static int fail_without_index(const uint8_t *data, uint64_t size, const char *path,
                              struct rf_err *err)
{
    uint64_t at = sizeof(struct rf_file_header);
    struct rf_chunk_header header;
    while (rf_chunk_header_at(data, size, at, &header) &&
           header.size <= size - at - sizeof(header)) {
        if (header.type == RF_CHUNK_INDEX)
            return fail_damaged(path, at, "the index does not fit the file", err);
        at += sizeof(header) + header.size;
    }
    if (at == size || size - at < sizeof(header) || rf_chunk_header_at(data, size, at, &header))
        return fail_damaged(path, size, "the file ends before its index: it is truncated", err);
    return fail_damaged(path, at, "no chunk begins here", err);
}

/* The definitions before the first one that can be none; a piece of no bytes says where they should
 * have ended. */
static void add_suspect_defs(struct rf_log_builder *b, const struct rf_chunk_header *header,
                             const uint8_t *data, uint64_t size)
{
    uint64_t at = 0;
    struct rf_def def;
    while (size - at >= sizeof(def)) {
        memcpy(&def, data + at, sizeof(def));
        uint64_t type = def.head & ((1u << RF_WORD_TYPE_BITS) - 1);
        if (def.n_words < sizeof(def) / 8 || def.n_words > (size - at) / 8 ||
            (def.head != 0 && (type < RF_REC_PROCESS || type > RF_REC_NVTX_DEF)) ||
            (def.text_size != RF_NO_TEXT && def.text_size > 8 * def.n_words - sizeof(def)))
            break;
        at += 8 * (uint64_t)def.n_words;
    }
    rf_log_add_defs(b, header->process, header->seq, data, at);
    rf_log_add_defs(b, header->process, header->seq + size, data + size, 0);
    b->log->n_damaged_bytes += size - at;
}

/* What a compressed chunk stood for is known from the index. */
static void add_suspect_compressed(struct rf_log_builder *b, uint8_t *copy,
                                   const struct rf_chunk_header *header,
                                   const struct rf_index_entry *entry)
{
    struct rf_compressed info;
    if (entry->size >= sizeof(*header) + sizeof(info)) {
        memcpy(&info, copy + sizeof(*header), sizeof(info));
        info.type = entry->other_type;
        memcpy(copy + sizeof(*header), &info, sizeof(info));
    }
    rf_log_add_chunk(b, copy, header, entry->size, true);
}

/* A chunk whose checksum is wrong: with one bit turned, or as much of it as makes sense. */
static void add_suspect(struct rf_log_builder *b, const uint8_t *data,
                        const struct rf_index_entry *entry)
{
    struct rf_chunk_header header;
    const uint64_t size = entry->size - sizeof(header);
    uint8_t *copy = rf_log_allocate(b->log, entry->size);
    b->is_out_of_memory |= copy == NULL;
    if (copy == NULL)
        return;
    memcpy(copy, data, entry->size);
    bool is_mended = rf_mend_bit(copy, entry->size, entry->crc32c);
    memcpy(&header, copy, sizeof(header));
    if (is_mended && rf_chunk_header_at(copy, entry->size, 0, &header) && header.size == size) {
        b->log->damage.n_mended++;
        rf_log_add_chunk(b, copy, &header, entry->size, true);
        return;
    }
    memcpy(copy, data, sizeof(header)); /* what the index says of it holds */
    header.type = entry->type;
    header.process = entry->process;
    header.slot = entry->slot;
    header.seq = entry->seq;
    header.size = size;
    memcpy(copy, &header, sizeof(header));
    if (is_mended) /* to no avail */
        memcpy(copy + sizeof(header), data + sizeof(header), size);
    if (header.type == RF_CHUNK_PART)
        rf_log_add_part(b, copy, &header, entry->size, RF_COPY_SUSPECT);
    else if (header.type == RF_CHUNK_COMPRESSED)
        add_suspect_compressed(b, copy, &header, entry);
    else if (header.type == RF_CHUNK_DEFS)
        add_suspect_defs(b, &header, copy + sizeof(header), size);
    else
        b->log->n_damaged_bytes += entry->size;
    if (header.type == RF_CHUNK_SESSION && size >= sizeof(struct rf_control))
        b->suspect_control = copy + sizeof(header);
}

/* Adds the chunk of an entry that was found good, without reading it again. */
static void add_good(struct rf_log_builder *b, const struct rf_indexed *file, uint64_t i,
                     const struct rf_index_entry *entry, const struct rf_checked *checked)
{
    const size_t n_parts = b->log->n_parts;
    const struct rf_chunk_header header = {.type = entry->type,
                                           .size = entry->size - sizeof(header),
                                           .process = entry->process,
                                           .slot = entry->slot,
                                           .seq = entry->seq,
                                           .ticks = checked->ticks,
                                           .mono_ns = checked->mono_ns};
    if (entry->type == RF_CHUNK_COMPRESSED && checked->compressed.type != 0)
        rf_log_add_packed(b, file->data + entry->offset, &header, entry->size,
                          &checked->compressed);
    else
        rf_log_add_chunk(b, file->data + entry->offset, &header, entry->size, true);
    if (file->counts != NULL && b->log->n_parts > n_parts)
        b->log->part[n_parts].counts = file->counts[i];
}

/* Adds the chunks that the index names. With RF_OPEN_SALVAGE of the damaged ones what makes sense.
 */
static int add_checked(struct rf_log_builder *b, const struct rf_indexed *file,
                       const struct rf_checked *checked, const char *path, unsigned flags,
                       struct rf_err *err)
{
    uint64_t at = sizeof(struct rf_file_header);
    for (uint64_t i = 0; i < file->n; i++) {
        const struct rf_index_entry entry = rf_indexed_entry(file, i);
        if (entry.offset != at || entry.size < sizeof(struct rf_chunk_header) ||
            entry.size > file->index_offset - at)
            return fail_damaged(path, file->index_offset, "the index does not fit the file", err);
        if (checked[i].is_good)
            add_good(b, file, i, &entry, &checked[i]);
        else if (flags & RF_OPEN_SALVAGE)
            add_suspect(b, file->data + at, &entry);
        else
            return fail_damaged(path, at, "a chunk's checksum is wrong", err);
        at += entry.size;
    }
    if (at != file->index_offset)
        return fail_damaged(path, at, "the index does not name this chunk", err);
    return RF_OK;
}

/* The COUNTS chunk, which stands before the index; a size of 0: there is none that is whole. */
static struct rf_index_entry find_counts(const struct rf_indexed *file)
{
    const struct rf_index_entry none = {.size = 0};
    struct rf_index_entry entry = none;
    if (file->n > 0)
        entry = rf_indexed_entry(file, file->n - 1);
    bool is_there = entry.type == RF_CHUNK_COUNTS && entry.offset <= file->index_offset &&
                    entry.size >= sizeof(struct rf_chunk_header) &&
                    entry.size <= file->index_offset - entry.offset &&
                    rf_crc32c(0, file->data + entry.offset, entry.size) == entry.crc32c;
    return is_there ? entry : none;
}

/* The bytes of the part at an entry of the index; 0: it is another chunk. */
static uint64_t size_of_part(const struct rf_indexed *file, uint64_t i)
{
    const struct rf_index_entry entry = rf_indexed_entry(file, i);
    struct rf_compressed info;
    if (entry.type == RF_CHUNK_PART)
        return entry.size;
    if (entry.type != RF_CHUNK_COMPRESSED || entry.offset > file->index_offset ||
        entry.size > file->index_offset - entry.offset ||
        !rf_compressed_read(&info, file->data + entry.offset, entry.size, false) ||
        info.type != RF_CHUNK_PART)
        return 0;
    return sizeof(struct rf_chunk_header) + info.raw_size;
}

/* Finds what the file says that its parts come to. Entries that are out of order, or of other
 * chunks, end it: those parts are counted. */
static int list_counts(struct rf_indexed *file)
{
    const struct rf_index_entry chunk = find_counts(file);
    uint64_t at = sizeof(struct rf_chunk_header), size, next = 0;
    if (chunk.size == 0)
        return RF_OK;
    file->counts = calloc(file->n, sizeof(*file->counts));
    if (file->counts == NULL)
        return RF_ERR_NO_MEMORY;
    const uint8_t *data = file->data + chunk.offset;
    while ((size = rf_count_entry_size(data + at, chunk.size - at)) > 0) {
        struct rf_count_entry entry;
        struct rf_part_counts counts;
        memcpy(&entry, data + at, sizeof(entry));
        if (entry.entry < next || entry.entry >= file->n)
            break;
        const uint64_t part_size = size_of_part(file, entry.entry);
        if (part_size >= RF_PART_RECORDS_OFFSET &&
            rf_part_counts_read(&counts, data + at, part_size))
            file->counts[entry.entry] = data + at;
        next = (uint64_t)entry.entry + 1;
        at += size;
    }
    return RF_OK;
}

static int add_indexed(struct rf_log_builder *b, struct rf_indexed *file, const char *path,
                       unsigned flags, struct rf_err *err)
{
    const unsigned all = RF_OPEN_SALVAGE | RF_OPEN_VERIFY;
    bool takes_counts = (flags & RF_OPEN_COUNTS) != 0 && (flags & all) == 0;
    struct rf_checked *checked = NULL;
    if (!takes_counts || list_counts(file) == RF_OK)
        checked = rf_check_chunks(b->log, file);
    int status = checked != NULL
                     ? add_checked(b, file, checked, path, flags, err)
                     : rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    free(checked);
    free(file->counts);
    return status;
}

static int add_packed(struct rf_log_builder *b, int fd, const char *path, unsigned flags,
                      struct rf_err *err)
{
    const uint8_t *data;
    uint64_t size;
    struct rf_chunk_header index;
    int status = rf_log_map(b->log, fd, path, &data, &size, err);
    if (status == RF_OK)
        status = rf_log_check_header(data, size, path, err);
    if (status != RF_OK)
        return status;
    b->log->is_packed = true;
    b->log->size_bytes = size;
    uint64_t index_offset = find_index(data, size, &index);
    if (index_offset != 0) {
        struct rf_indexed file = {
            .data = data,
            .index_offset = index_offset,
            .n = index.size / sizeof(struct rf_index_entry),
            .is_read_once =
                (flags & (RF_OPEN_SUMS | RF_OPEN_COUNTS | RF_OPEN_PATHS | RF_OPEN_RANGE_WORK |
                          RF_OPEN_RANGE_WORK_BASE | RF_OPEN_RANGE_WORK_MANGLED)) != 0};
        status = add_indexed(b, &file, path, flags, err);
        if (status == RF_OK && !b->has_control && !(flags & RF_OPEN_SALVAGE))
            status = fail_damaged(path, index_offset, "it has no session chunk", err);
        if (status == RF_OK || !(flags & RF_OPEN_SALVAGE))
            return status;
        /* an index that contradicts itself: forget what it said */
        b->log->n_parts = b->n_pieces = b->n_moments = b->log->n_metrics = 0;
        b->log->n_damaged_bytes = 0;
        b->has_control = false;
        b->log->compressed_bytes = b->log->expanded_bytes = 0;
        memset(&b->log->damage, 0, sizeof(b->log->damage));
    } else if (!(flags & RF_OPEN_SALVAGE)) {
        return fail_without_index(data, size, path, err);
    }
    (void)rf_log_add_chunks(b, data, size);
    b->log->damage.is_end_missing = !b->has_index;
    return RF_OK;
}

/* Uses a control page that is damaged, if there is no other one; it has a magic and a version at
 * least. */
static void choose_control(struct rf_log_builder *b)
{
    uint64_t n_damaged = b->log->n_damaged_bytes;
    if (!b->has_control && b->suspect_control != NULL)
        rf_log_set_control(b, b->suspect_control, sizeof(struct rf_control));
    b->log->n_damaged_bytes = n_damaged;
    b->log->damage.has_no_control = !b->has_control;
}

/* Parts are put in order. What is not whole of a directory or of a file that is salvaged is mended,
 * so that nobody else need know of it. */
static int put_in_order(struct rf_log_builder *b, unsigned flags)
{
    struct rf_log *log = b->log;
    rf_log_sort(log);
    choose_control(b);
    if (b->is_out_of_memory || rf_taken_leave_out(b) != RF_OK ||
        rf_log_list_processes(b) != RF_OK ||
        rf_log_apply_moments(log, b->moment, b->n_moments) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (log->is_packed && !(flags & RF_OPEN_SALVAGE))
        return RF_OK;
    int status = rf_mend_parts(log);
    rf_taken_number(b);
    rf_mend_report(log);
    return status;
}

int rf_log_open(struct rf_log *log, const char *path, unsigned flags, struct rf_err *err)
{
    struct rf_log_builder builder = {.log = log};
    struct stat st;
    int status = RF_OK;
    memset(log, 0, sizeof(*log));
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
    if (fstat(fd, &st) != 0)
        status = rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        status = rf_log_add_directory(&builder, fd, path, flags, err);
    else
        status = add_packed(&builder, fd, path, flags, err);
    (void)close(fd);
    if (builder.is_zstd_missing) /* whatever else was found */
        status = rf_fail(err, RF_ERR_UNSUPPORTED,
                         "cannot read '%s': it is compressed, and " RF_ZSTD_MISSING, path);
    if (status == RF_OK && put_in_order(&builder, flags) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    rf_expander_free(builder.expander);
    free(builder.piece);
    free(builder.taken_part);
    free(builder.moment);
    if (status != RF_OK)
        rf_log_close(log);
    return status;
}
