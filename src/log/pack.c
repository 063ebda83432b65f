/* SPDX-License-Identifier: Apache-2.0 */
#include "log/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/output.h"
#include "log/chunks.h"
#include "log/reader.h"

/* A file that chunks are appended to, with the index of what it holds. */
struct packer {
    struct rf_output out; /* only fd and the names are used */
    uint64_t at;
    struct rf_index_entry *entry;
    size_t n_entries, room;
    struct rf_err *err;
};

/* The log that becomes the packed file. */
struct base_log {
    char path[PATH_MAX + 32];
    int fd;
    uint32_t process;
    uint64_t size;
    const uint8_t *data;
    uint64_t *part; /* slot << 40 | seq of every part in it, sorted */
    size_t n_parts;
};

static int add_entry(struct packer *p, const struct rf_chunk_header *header, uint64_t offset,
                     uint64_t size, uint32_t crc)
{
    if (p->n_entries == p->room) {
        size_t room = p->room * 2 + 256;
        struct rf_index_entry *entry = realloc(p->entry, room * sizeof(*entry));
        if (entry == NULL)
            return rf_fail(p->err, RF_ERR_NO_MEMORY, "out of memory");
        p->entry = entry;
        p->room = room;
    }
    struct rf_index_entry *e = &p->entry[p->n_entries++];
    memset(e, 0, sizeof(*e));
    e->offset = offset;
    e->size = size;
    e->crc32c = crc;
    e->type = header->type;
    e->process = header->process;
    e->slot = header->slot;
    e->seq = header->seq;
    return RF_OK;
}

/* Appends one chunk; payload size must be a multiple of 8. */
static int add_chunk(struct packer *p, struct rf_chunk_header header, const void *payload,
                     uint64_t size)
{
    header.magic = RF_CHUNK_MAGIC;
    header.header_size = sizeof(header);
    header.size = size;
    uint32_t crc = rf_crc32c(0, &header, sizeof(header));
    crc = rf_crc32c(crc, payload, size);
    int status = add_entry(p, &header, p->at, sizeof(header) + size, crc);
    if (status == RF_OK)
        status = rf_output_write(&p->out, &header, sizeof(header), p->err);
    if (status == RF_OK)
        status = rf_output_write(&p->out, payload, size, p->err);
    p->at += sizeof(header) + size;
    return status;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t part_key(uint32_t slot, uint64_t seq)
{
    return (uint64_t)slot << 40 | (seq & ((1ULL << 40) - 1));
}

static int is_in_base(const struct base_log *base, const struct rf_log_part *part)
{
    if (base == NULL || part->process != base->process)
        return 0;
    uint64_t key = part_key(part->slot, part->seq);
    return bsearch(&key, base->part, base->n_parts, sizeof(key), compare_u64) != NULL;
}

static int add_parts(struct packer *p, const struct rf_log *log, const struct base_log *base)
{
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        struct rf_chunk_header header;
        if (is_in_base(base, part))
            continue;
        memcpy(&header, part->data, sizeof(header));
        int status = add_chunk(p, header, part->data + sizeof(header), part->size - sizeof(header));
        if (status != RF_OK)
            return status;
    }
    return RF_OK;
}

static int add_definitions(struct packer *p, const struct rf_log *log)
{
    for (size_t i = 0; i < log->n_processes; i++) {
        const struct rf_log_process *process = &log->process[i];
        struct rf_chunk_header header = {.type = RF_CHUNK_DEFS, .process = process->number};
        if (process->defs_size == 0)
            continue;
        int status = add_chunk(p, header, process->defs, process->defs_size & ~(uint64_t)7);
        if (status != RF_OK)
            return status;
    }
    return RF_OK;
}

/* The index is the last chunk and not in itself. */
static int add_index(struct packer *p)
{
    size_t size = p->n_entries * sizeof(*p->entry);
    struct rf_chunk_header header = {
        .magic = RF_CHUNK_MAGIC,
        .type = RF_CHUNK_INDEX,
        .header_size = sizeof(header),
        .size = size,
        .slot = rf_crc32c(0, p->entry, size),
        .seq = p->at,
    };
    int status = rf_output_write(&p->out, &header, sizeof(header), p->err);
    return status == RF_OK ? rf_output_write(&p->out, p->entry, size, p->err) : status;
}

static int add_rest(struct packer *p, const struct rf_log *log, const struct base_log *base)
{
    struct rf_chunk_header session = {.type = RF_CHUNK_SESSION};
    int status = add_parts(p, log, base);
    if (status == RF_OK)
        status = add_definitions(p, log);
    if (status == RF_OK)
        status = add_chunk(p, session, &log->control, sizeof(log->control));
    return status == RF_OK ? add_index(p) : status;
}

/* ---- Writing a new file ---- */

static int write_copy(const struct rf_log *log, const char *output, int can_overwrite,
                      struct rf_err *err)
{
    struct packer p = {.err = err};
    struct rf_file_header header = {
        .version_major = RF_VERSION_MAJOR,
        .version_minor = RF_VERSION_MINOR,
        .header_size = sizeof(header),
    };
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, log->control.session_id, sizeof(header.session_id));
    int status = rf_output_open(&p.out, output, can_overwrite, err);
    if (status != RF_OK)
        return status;
    p.at = sizeof(header);
    status = rf_output_write(&p.out, &header, sizeof(header), err);
    if (status == RF_OK)
        status = add_rest(&p, log, NULL);
    if (status == RF_OK)
        status = rf_output_commit(&p.out, err);
    rf_output_abandon(&p.out);
    free(p.entry);
    return status;
}

/* ---- Going on with the largest log ---- */

static int find_largest(const char *directory, const struct rf_log *log, struct base_log *base)
{
    struct stat st;
    base->size = 0;
    for (size_t i = 0; i < log->n_processes; i++) {
        char path[sizeof(base->path)];
        (void)snprintf(path, sizeof(path), "%s/p%06u.log", directory, log->process[i].number);
        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size > base->size) {
            base->size = (uint64_t)st.st_size;
            base->process = log->process[i].number;
            memcpy(base->path, path, sizeof(path));
        }
    }
    return base->size > sizeof(struct rf_file_header);
}

static void release_base(struct base_log *base)
{
    if (base->data != NULL)
        (void)munmap((void *)base->data, base->size);
    if (base->fd >= 0)
        (void)close(base->fd);
    free(base->part);
}

/* Indexes the log's chunks. False: it has gaps or pieces, and cannot become a packed file. */
static int index_base(struct base_log *base, struct packer *p)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    base->part = malloc((base->size / sizeof(struct rf_chunk_header) + 1) * sizeof(*base->part));
    if (base->part == NULL)
        return 0;
    rf_chunk_walk_init(&walk, base->data, base->size, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk)) {
        if (!chunk.is_complete || chunk.header.type != RF_CHUNK_PART)
            return 0;
        base->part[base->n_parts++] = part_key(chunk.header.slot, chunk.header.seq);
        uint32_t crc = rf_crc32c(0, base->data + chunk.offset, chunk.size);
        if (add_entry(p, &chunk.header, chunk.offset, chunk.size, crc) != RF_OK)
            return 0;
    }
    qsort(base->part, base->n_parts, sizeof(*base->part), compare_u64);
    return walk.n_skipped == 0;
}

static int open_base(struct base_log *base, struct packer *p)
{
    struct stat st;
    base->fd = open(base->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (base->fd < 0 || fstat(base->fd, &st) != 0 || (uint64_t)st.st_size != base->size)
        return 0;
    void *data = mmap(NULL, base->size, PROT_READ, MAP_SHARED | MAP_POPULATE, base->fd, 0);
    if (data == MAP_FAILED)
        return 0;
    base->data = data;
    return index_base(base, p) && lseek(base->fd, 0, SEEK_END) == (off_t)base->size;
}

/* Gives the log the output's name, without taking one that is in use. */
static int move_into_place(const char *from, const char *to, int can_overwrite)
{
    if (can_overwrite)
        return rename(from, to);
    if (link(from, to) == 0)
        return unlink(from);
    return errno == EEXIST || access(to, F_OK) == 0 ? -1 : rename(from, to);
}

/* Appends to the largest log what it lacks and renames it. Returns 1 where that is not possible and
 * a copy must be written; then the log is as it was. */
static int extend_largest(const char *directory, const struct rf_log *log, const char *output,
                          int can_overwrite, struct rf_err *err)
{
    struct base_log base = {.fd = -1};
    struct packer p = {.err = err};
    int status = 1;
    if (find_largest(directory, log, &base) && open_base(&base, &p)) {
        p.at = base.size;
        p.out.fd = base.fd;
        p.out.path = base.path;
        status = add_rest(&p, log, &base);
        mode_t mask = umask(0);
        (void)umask(mask);
        (void)fchmod(base.fd, 0666 & ~mask);
        if (status == RF_OK && move_into_place(base.path, output, can_overwrite) != 0)
            status = errno == EXDEV ? 1
                                    : rf_fail(err, RF_ERR_IO, "cannot rename '%s' to '%s': %s",
                                              base.path, output, strerror(errno));
        if (status != RF_OK && ftruncate(base.fd, (off_t)base.size) != 0)
            status = rf_fail(err, RF_ERR_IO, "cannot restore '%s': %s", base.path, strerror(errno));
    }
    free(p.entry);
    release_base(&base);
    return status;
}

/* ---- The ways in ---- */

static int pack(const char *directory, const char *output, int can_overwrite, int is_copy,
                struct rf_err *err)
{
    struct rf_log log;
    struct stat st;
    if (!can_overwrite && lstat(output, &st) == 0)
        return rf_fail(err, RF_ERR_EXISTS, "'%s' exists already; use -f to overwrite it", output);
    int status = rf_log_open(&log, directory, 0, err);
    if (status != RF_OK)
        return status;
    if (log.is_packed)
        status = rf_fail(err, RF_ERR_USAGE, "'%s' is packed already", directory);
    else
        status = is_copy ? 1 : extend_largest(directory, &log, output, can_overwrite, err);
    if (status == 1)
        status = write_copy(&log, output, can_overwrite, err);
    rf_log_close(&log);
    return status;
}

int rf_pack(const char *directory, const char *output, int can_overwrite, struct rf_err *err)
{
    return pack(directory, output, can_overwrite, 0, err);
}

int rf_pack_copy(const char *directory, const char *output, int can_overwrite, struct rf_err *err)
{
    return pack(directory, output, can_overwrite, 1, err);
}

int rf_salvage(const char *input, const char *output, int can_overwrite, struct rf_err *err)
{
    struct rf_log log;
    int status = rf_log_open(&log, input, RF_OPEN_SALVAGE, err);
    if (status != RF_OK)
        return status;
    status = write_copy(&log, output, can_overwrite, err);
    rf_log_close(&log);
    return status;
}
