/* SPDX-License-Identifier: Apache-2.0 */
/* Opening packed files, and putting parts and definitions in order; session directories are in
 * reader_dir.c. */
#include "base/grow.h"
#include "log/reader_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "log/mend.h"
#include "log/metrics.h"

/* ---- Memory that a log keeps ---- */

struct rf_log_memory {
    struct rf_log_memory *next;
    void *map; /* or NULL: the bytes follow this structure */
    size_t map_size;
    int is_file; /* what the map holds can be read again */
};

static struct rf_log_memory *new_memory(struct rf_log *log, size_t size)
{
    struct rf_log_memory *memory =
        size <= SIZE_MAX - sizeof(*memory) ? malloc(sizeof(*memory) + size) : NULL;
    if (memory == NULL)
        return NULL;
    memory->map = NULL;
    memory->map_size = 0;
    memory->is_file = 0;
    memory->next = log->memory;
    log->memory = memory;
    return memory;
}

void *rf_log_allocate(struct rf_log *log, size_t size)
{
    struct rf_log_memory *memory = new_memory(log, size);
    return memory != NULL ? memory + 1 : NULL;
}

void *rf_log_reserve(struct rf_log *log, size_t size)
{
    struct rf_log_memory *memory = new_memory(log, 0);
    void *map = memory != NULL ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                               : MAP_FAILED;
    if (map == MAP_FAILED)
        return NULL;
    memory->map = map;
    memory->map_size = size;
    return map;
}

int rf_log_map(struct rf_log *log, int fd, const char *path, const uint8_t **data, uint64_t *size,
               struct rf_err *err)
{
    struct stat st;
    *data = NULL;
    *size = 0;
    if (fstat(fd, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is not a recording: it is no regular file", path);
    if (st.st_size == 0)
        return RF_OK;
    struct rf_log_memory *memory = new_memory(log, 0);
    if (memory == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return rf_fail(err, RF_ERR_IO, "cannot map '%s': %s", path, strerror(errno));
    (void)madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL);
    memory->map = map;
    memory->map_size = (size_t)st.st_size;
    memory->is_file = 1;
    *data = map;
    *size = (uint64_t)st.st_size;
    return RF_OK;
}

static int is_mapped(const struct rf_log *log, uintptr_t from, uintptr_t to)
{
    for (const struct rf_log_memory *memory = log->memory; memory != NULL; memory = memory->next) {
        const uintptr_t map = (uintptr_t)memory->map;
        if (memory->is_file && from >= map && to <= map + memory->map_size)
            return 1;
    }
    return 0;
}

/* Nothing is lost: a mapping that cannot be written is filled from the file again. */
static void give_back(const struct rf_log *log, const struct rf_log_read *read)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)read->from + page - 1) & ~(page - 1);
    const uintptr_t to = (uintptr_t)read->to & ~(page - 1);
    if (from < to && is_mapped(log, from, to))
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
}

void rf_log_was_read(const struct rf_log *log, struct rf_log_read *read, const uint8_t *data,
                     uint64_t size)
{
    const size_t enough = (size_t)4 << 20;
    if (data != read->to) {
        give_back(log, read);
        read->from = data;
    }
    read->to = data + size;
    if ((size_t)(read->to - read->from) >= enough) {
        give_back(log, read);
        read->from = read->to;
    }
}

void rf_log_close(struct rf_log *log)
{
    while (log->memory != NULL) {
        struct rf_log_memory *memory = log->memory;
        log->memory = memory->next;
        if (memory->map != NULL)
            (void)munmap(memory->map, memory->map_size);
        free(memory);
    }
    free(log->part);
    free(log->process);
    free(log->metrics);
    free(log->file);
    free(log->tail);
    memset(log, 0, sizeof(*log));
}

/* ---- Collecting ---- */

void rf_log_add_part(struct rf_log_builder *b, const uint8_t *data, uint64_t size,
                     enum rf_part_copy copy)
{
    struct rf_log *log = b->log;
    struct rf_chunk_header header;
    if (size < RF_PART_RECORDS_OFFSET || size > RF_PART_SIZE) {
        log->n_damaged_bytes += size;
        return;
    }
    if (rf_grow_array(&log->part, log->n_parts, &b->part_room, sizeof(*log->part)) != RF_OK) {
        b->is_out_of_memory = 1;
        return;
    }
    memcpy(&header, data, sizeof(header));
    log->part[log->n_parts++] = (struct rf_log_part){.data = data,
                                                     .seq = header.seq,
                                                     .process = header.process,
                                                     .slot = header.slot,
                                                     .size = (uint32_t)size,
                                                     .is_complete = copy == RF_COPY_WHOLE,
                                                     .is_cut = copy == RF_COPY_CUT,
                                                     .is_suspect = copy == RF_COPY_SUSPECT};
}

void rf_log_add_defs(struct rf_log_builder *b, uint32_t process, uint64_t offset,
                     const uint8_t *data, uint64_t size)
{
    if (rf_grow_array(&b->piece, b->n_pieces, &b->piece_room, sizeof(*b->piece)) != RF_OK) {
        b->is_out_of_memory = 1;
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
    b->has_control = 1;
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
        b->is_out_of_memory = 1;
        return;
    }
    log->metrics[log->n_metrics++] =
        (struct rf_log_metrics){data, size, header->seq, header->ticks, header->slot};
    rf_log_was_read(log, &b->metrics_read, data, size); /* by the checksum, or by those around it */
}

/* size: bytes of header and payload that are there. */
static void add_chunk(struct rf_log_builder *b, const uint8_t *data,
                      const struct rf_chunk_header *header, uint64_t size, int is_complete)
{
    if (header->type == RF_CHUNK_PART)
        rf_log_add_part(b, data, size, is_complete ? RF_COPY_WHOLE : RF_COPY_CUT);
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

int rf_log_add_chunks(struct rf_log_builder *b, const uint8_t *data, uint64_t size)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    int is_whole = 1;
    rf_chunk_walk_init(&walk, data, size, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk)) {
        add_chunk(b, data + chunk.offset, &chunk.header, chunk.size, chunk.is_complete);
        is_whole &= chunk.is_complete;
    }
    b->log->n_damaged_bytes += walk.n_skipped;
    return is_whole && walk.n_skipped == 0;
}

/* ---- Putting in order ---- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* By name of the part; of those with one name, the best copy first. */
static int compare_parts(const void *left, const void *right)
{
    const struct rf_log_part *a = left, *b = right;
    int order =
        compare_u64((uint64_t)a->process << 32 | a->slot, (uint64_t)b->process << 32 | b->slot);
    if (order == 0)
        order = compare_u64(a->seq, b->seq);
    if (order == 0)
        order = b->is_complete - a->is_complete;
    if (order == 0)
        order = a->is_suspect - b->is_suspect;
    if (order == 0)
        order = compare_u64(b->size, a->size);
    return order;
}

/* Whether what there is of a part (an append that was cut short) was given up by its writer, which
 * counted all its records as lost in the next part of the stream. */
static int is_given_up(const struct rf_log_part *part, const struct rf_log_part *next)
{
    struct rf_part_header header;
    if (!part->is_cut || part->process != next->process || part->slot != next->slot ||
        part->seq == next->seq || next->size < RF_PART_RECORDS_OFFSET)
        return 0;
    memcpy(&header, next->data + sizeof(struct rf_chunk_header), sizeof(header));
    return header.lost_records > 0;
}

static void sort_parts(struct rf_log *log)
{
    size_t n = 0;
    if (log->n_parts > 0)
        qsort(log->part, log->n_parts, sizeof(*log->part), compare_parts);
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        const struct rf_log_part *last = n > 0 ? &log->part[n - 1] : NULL;
        if (last != NULL && is_given_up(last, part))
            n--;
        if (last == NULL || part->process != last->process || part->slot != last->slot ||
            part->seq != last->seq)
            log->part[n++] = *part;
    }
    log->n_parts = n;
}

static int compare_metrics(const void *left, const void *right)
{
    const struct rf_log_metrics *a = left, *b = right;
    int order = compare_u64(a->slot, b->slot);
    return order != 0 ? order : compare_u64(a->seq, b->seq);
}

static void sort_metrics(struct rf_log *log)
{
    size_t n = 0;
    if (log->n_metrics > 0)
        qsort(log->metrics, log->n_metrics, sizeof(*log->metrics), compare_metrics);
    for (size_t i = 0; i < log->n_metrics; i++)
        if (n == 0 || compare_metrics(&log->metrics[i], &log->metrics[n - 1]) != 0)
            log->metrics[n++] = log->metrics[i];
    log->n_metrics = n;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct rf_defs_piece *a = left, *b = right;
    int order = compare_u64(a->process, b->process);
    if (order == 0)
        order = compare_u64(a->offset, b->offset);
    if (order == 0)
        order = compare_u64(b->size, a->size);
    return order;
}

int rf_log_has_part(const struct rf_log *log, const struct rf_log_tail *tail, uint64_t *before)
{
    const uint64_t stream = (uint64_t)tail->process << 32 | tail->slot;
    size_t low = 0, high = log->n_parts;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct rf_log_part *part = &log->part[middle];
        int order = compare_u64((uint64_t)part->process << 32 | part->slot, stream);
        if (order < 0 || (order == 0 && part->seq < tail->seq))
            low = middle + 1;
        else
            high = middle;
    }
    const struct rf_log_part *part = log->part + low;
    int has_before = low > 0 && part[-1].process == tail->process && part[-1].slot == tail->slot;
    *before = has_before ? part[-1].seq : 0;
    return low < log->n_parts && part->process == tail->process && part->slot == tail->slot &&
           part->seq == tail->seq;
}

/* A stretch of definitions that no piece holds: about how many. */
static void count_lost_defs(struct rf_log *log, uint64_t n_bytes)
{
    const uint64_t mean = 72, most = (uint64_t)1 << 32;
    if (n_bytes > 0 && n_bytes < most)
        log->damage.n_defs += n_bytes < mean ? 1 : n_bytes / mean;
}

/* Joins n pieces of one process. What overlaps is taken once; a missing piece leaves no hole,
 * since a piece begins with a definition. */
static int join_pieces(struct rf_log *log, const struct rf_defs_piece *piece, size_t n,
                       struct rf_log_process *process)
{
    size_t total = 0;
    uint64_t end = 0;
    process->number = piece->process;
    process->defs = piece->data;
    process->defs_size = piece->size;
    if (n == 1) {
        count_lost_defs(log, piece->offset);
        return RF_OK;
    }
    for (size_t i = 0; i < n; i++)
        total += piece[i].size;
    uint8_t *all = rf_log_allocate(log, total);
    if (all == NULL)
        return RF_ERR_NO_MEMORY;
    process->defs = all;
    process->defs_size = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t skip = piece[i].offset < end ? end - piece[i].offset : 0;
        if (piece[i].size == 0 && piece[i].offset > end) { /* the end of a damaged one */
            count_lost_defs(log, piece[i].offset - end);
            end = piece[i].offset;
        }
        if (skip >= piece[i].size || piece[i].offset > UINT64_MAX - piece[i].size)
            continue;
        count_lost_defs(log, piece[i].offset > end ? piece[i].offset - end : 0);
        memcpy(all + process->defs_size, piece[i].data + skip, piece[i].size - skip);
        process->defs_size += piece[i].size - (size_t)skip;
        end = piece[i].offset + piece[i].size;
    }
    return RF_OK;
}

/* Makes the list of processes from the pieces and the sorted parts. */
static int list_processes(struct rf_log_builder *b)
{
    struct rf_log *log = b->log;
    size_t n_most = b->n_pieces, p = 0, d = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        n_most += i == 0 || log->part[i].process != log->part[i - 1].process;
    if (n_most == 0)
        return RF_OK;
    log->process = calloc(n_most, sizeof(*log->process));
    if (log->process == NULL)
        return RF_ERR_NO_MEMORY;
    if (b->n_pieces > 0)
        qsort(b->piece, b->n_pieces, sizeof(*b->piece), compare_pieces);
    while (p < log->n_parts || d < b->n_pieces) {
        uint32_t number = p < log->n_parts ? log->part[p].process : UINT32_MAX;
        struct rf_log_process *process = &log->process[log->n_processes++];
        size_t first = d;
        if (d < b->n_pieces && b->piece[d].process < number)
            number = b->piece[d].process;
        process->number = number;
        while (d < b->n_pieces && b->piece[d].process == number)
            d++;
        if (d > first && join_pieces(log, b->piece + first, d - first, process) != RF_OK)
            return RF_ERR_NO_MEMORY;
        while (p < log->n_parts && log->part[p].process == number)
            p++;
    }
    return RF_OK;
}

/* ---- Packed files ---- */

int rf_log_check_header(const uint8_t *data, uint64_t size, const char *path, struct rf_err *err)
{
    struct rf_file_header header;
    if (size == 0)
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is not a recording: the file is empty", path);
    if (size < sizeof(header) || memcmp(data, RF_FILE_MAGIC, sizeof(header.magic)) != 0)
        return rf_fail(err, RF_ERR_FORMAT,
                       "'%s' is not a recording: byte 0 does not begin a Rangefinder file", path);
    memcpy(&header, data, sizeof(header));
    if (header.version_major != RF_VERSION_MAJOR)
        return rf_fail_at(err, RF_ERR_FORMAT, offsetof(struct rf_file_header, version_major),
                          "'%s' has format version %u.%u, this program reads %d.x; "
                          "use a version of Rangefinder that fits",
                          path, header.version_major, header.version_minor, RF_VERSION_MAJOR);
    if (header.header_size != sizeof(header))
        return rf_fail_at(err, RF_ERR_DAMAGED, offsetof(struct rf_file_header, header_size),
                          "'%s' is damaged at byte %zu: bad header size", path,
                          offsetof(struct rf_file_header, header_size));
    return RF_OK;
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
            (def.head != 0 && (type < RF_REC_PROCESS || type > RF_REC_CUDA_DEF)) ||
            (def.text_size != RF_NO_TEXT && def.text_size > 8 * def.n_words - sizeof(def)))
            break;
        at += 8 * (uint64_t)def.n_words;
    }
    rf_log_add_defs(b, header->process, header->seq, data, at);
    rf_log_add_defs(b, header->process, header->seq + size, data + size, 0);
    b->log->n_damaged_bytes += size - at;
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
    int is_mended = rf_mend_bit(copy, entry->size, entry->crc32c);
    memcpy(&header, copy, sizeof(header));
    if (is_mended && rf_chunk_header_at(copy, entry->size, 0, &header) && header.size == size) {
        b->log->damage.n_mended++;
        add_chunk(b, copy, &header, entry->size, 1);
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
        rf_log_add_part(b, copy, entry->size, RF_COPY_SUSPECT);
    else if (header.type == RF_CHUNK_DEFS)
        add_suspect_defs(b, &header, copy + sizeof(header), size);
    else
        b->log->n_damaged_bytes += entry->size;
    if (header.type == RF_CHUNK_SESSION && size >= sizeof(struct rf_control))
        b->suspect_control = copy + sizeof(header);
}

/* Adds the chunks that the index names. With RF_OPEN_SALVAGE of the damaged ones what makes sense.
 */
static int add_indexed(struct rf_log_builder *b, const uint8_t *data, uint64_t index_offset,
                       uint64_t index_size, const char *path, unsigned flags, struct rf_err *err)
{
    const uint8_t *entries = data + index_offset + sizeof(struct rf_chunk_header);
    uint64_t at = sizeof(struct rf_file_header);
    for (uint64_t i = 0; i < index_size / sizeof(struct rf_index_entry); i++) {
        struct rf_index_entry entry;
        struct rf_chunk_header header;
        memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
        if (entry.offset != at || entry.size < sizeof(header) || entry.size > index_offset - at)
            return fail_damaged(path, index_offset, "the index does not fit the file", err);
        int is_good = rf_chunk_header_at(data, index_offset, at, &header) &&
                      header.size == entry.size - sizeof(header) &&
                      rf_crc32c(0, data + at, entry.size) == entry.crc32c;
        if (is_good)
            add_chunk(b, data + at, &header, entry.size, 1);
        else if (flags & RF_OPEN_SALVAGE)
            add_suspect(b, data + at, &entry);
        else
            return fail_damaged(path, at, "a chunk's checksum is wrong", err);
        at += entry.size;
    }
    if (at != index_offset)
        return fail_damaged(path, at, "the index does not name this chunk", err);
    return RF_OK;
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
    b->log->is_packed = 1;
    b->log->size_bytes = size;
    uint64_t index_offset = find_index(data, size, &index);
    if (index_offset != 0) {
        status = add_indexed(b, data, index_offset, index.size, path, flags, err);
        if (status == RF_OK && !b->has_control && !(flags & RF_OPEN_SALVAGE))
            status = fail_damaged(path, index_offset, "it has no session chunk", err);
        if (status == RF_OK || !(flags & RF_OPEN_SALVAGE))
            return status;
        /* an index that contradicts itself: forget what it said */
        b->log->n_parts = b->n_pieces = b->log->n_metrics = 0;
        b->log->n_damaged_bytes = 0;
        b->has_control = 0;
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
    sort_parts(log);
    sort_metrics(log);
    choose_control(b);
    if (b->is_out_of_memory || list_processes(b) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (log->is_packed && !(flags & RF_OPEN_SALVAGE))
        return RF_OK;
    int status = rf_mend_parts(log);
    rf_mend_tell(log);
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
    if (status == RF_OK && put_in_order(&builder, flags) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    free(builder.piece);
    if (status != RF_OK)
        rf_log_close(log);
    return status;
}
