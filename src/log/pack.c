/* SPDX-License-Identifier: Apache-2.0 */
#include "log/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/output.h"
#include "log/chunks.h"
#include "log/liveness.h"
#include "log/reader.h"

#define DEFS_PIECE ((uint64_t)256 << 10) /* so that damage does not cost all definitions */

struct packer {
    const struct rf_log *log;
    struct rf_output out;
    uint64_t size; /* of the output so far */
    struct rf_index_entry *entry;
    size_t n, room;
    const struct rf_log_file *base; /* the log that the output began as; NULL: none */
    uint64_t base_size;             /* what it had before */
    struct rf_err *err;
};

/* ---- Writing ---- */

static int write_two(struct packer *p, const void *head, size_t head_size, const void *body,
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

static int add_entry(struct packer *p, uint64_t offset, const struct rf_chunk_header *header,
                     uint32_t crc)
{
    if (p->n == p->room) {
        size_t room = p->room == 0 ? 256 : 2 * p->room;
        struct rf_index_entry *entry = realloc(p->entry, room * sizeof(*entry));
        if (entry == NULL)
            return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
        p->entry = entry;
        p->room = room;
    }
    p->entry[p->n++] = (struct rf_index_entry){.offset = offset,
                                               .size = sizeof(*header) + header->size,
                                               .crc32c = crc,
                                               .type = header->type,
                                               .process = header->process,
                                               .slot = header->slot,
                                               .seq = header->seq};
    return RF_OK;
}

/* Appends a chunk. header: all but magic, header_size and size. */
static int write_chunk(struct packer *p, struct rf_chunk_header header, const void *payload,
                       uint64_t size)
{
    header.magic = RF_CHUNK_MAGIC;
    header.header_size = sizeof(header);
    header.size = size;
    uint32_t crc = rf_crc32c(rf_crc32c(0, &header, sizeof(header)), payload, size);
    int status = add_entry(p, p->size, &header, crc);
    return status == RF_OK ? write_two(p, &header, sizeof(header), payload, size) : status;
}

static int write_part(struct packer *p, const struct rf_log_part *part)
{
    struct rf_chunk_header header;
    memcpy(&header, part->data, sizeof(header));
    /* of a part that was cut short only whole words are there */
    return write_chunk(p, header, part->data + sizeof(header),
                       (part->size - sizeof(header)) & ~(uint64_t)7);
}

/* Writes a definitions stream in pieces that end where a definition ends. */
static int write_defs(struct packer *p, const struct rf_log_process *process)
{
    uint64_t used = rf_defs_used_bytes(process->defs, process->defs_size, NULL);
    int status = RF_OK;
    for (uint64_t from = 0, to = 0; from < used && status == RF_OK; from = to) {
        struct rf_def def;
        while (to < used && (to == from || to - from < DEFS_PIECE)) {
            memcpy(&def, process->defs + to, sizeof(def));
            to += 8 * (uint64_t)def.n_words;
        }
        struct rf_chunk_header header = {
            .type = RF_CHUNK_DEFS, .process = process->number, .seq = from};
        status = write_chunk(p, header, process->defs + from, to - from);
    }
    return status;
}

static int write_session(struct packer *p)
{
    struct rf_control *control = malloc(sizeof(*control));
    if (control == NULL)
        return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    *control = p->log->control;
    if (control->magic[0] == 0) { /* salvaged without one */
        memcpy(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic));
        control->version = RF_VERSION_MAJOR;
        control->size = sizeof(*control);
        control->records_all = 1;
    }
    int status = write_chunk(p, (struct rf_chunk_header){.type = RF_CHUNK_SESSION}, control,
                             sizeof(*control));
    free(control);
    return status;
}

static int write_index(struct packer *p)
{
    size_t size = p->n * sizeof(*p->entry);
    struct rf_chunk_header header = {.magic = RF_CHUNK_MAGIC,
                                     .type = RF_CHUNK_INDEX,
                                     .header_size = sizeof(header),
                                     .size = size,
                                     .slot = rf_crc32c(0, p->entry, size),
                                     .seq = p->size};
    return write_two(p, &header, sizeof(header), p->entry, size);
}

static int write_file_header(struct packer *p)
{
    struct rf_file_header header = {.version_major = RF_VERSION_MAJOR,
                                    .version_minor = RF_VERSION_MINOR,
                                    .header_size = sizeof(header)};
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, p->log->control.session_id, sizeof(header.session_id));
    return write_two(p, &header, sizeof(header), NULL, 0);
}

/* Everything that the output does not have yet. */
static int write_rest(struct packer *p)
{
    const struct rf_log *log = p->log;
    int status = RF_OK;
    for (size_t i = 0; i < log->n_parts && status == RF_OK; i++) {
        const uint8_t *data = log->part[i].data;
        if (p->base == NULL || data < p->base->data || data >= p->base->data + p->base->size)
            status = write_part(p, &log->part[i]);
    }
    for (size_t i = 0; i < log->n_processes && status == RF_OK; i++)
        status = write_defs(p, &log->process[i]);
    if (status == RF_OK)
        status = write_session(p);
    return status == RF_OK ? write_index(p) : status;
}

/* ---- The largest log as the base ---- */

/* A log that can become the output: whole, under one name, and nobody appends to it any more. */
static const struct rf_log_file *choose_base(const struct rf_log *log)
{
    const struct rf_log_file *best = NULL;
    for (size_t i = 0; i < log->n_files; i++)
        if (log->file[i].is_whole && (best == NULL || log->file[i].size > best->size))
            best = &log->file[i];
    if (best == NULL || rf_log_liveness(log) != RF_LIVENESS_ENDED)
        return NULL;
    return best;
}

static int index_base(struct packer *p)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    int status = RF_OK;
    rf_chunk_walk_init(&walk, p->base->data, p->base->size, sizeof(struct rf_file_header));
    while (status == RF_OK && rf_chunk_walk_next(&walk, &chunk))
        status = add_entry(p, chunk.offset, &chunk.header,
                           rf_crc32c(0, p->base->data + chunk.offset, chunk.size));
    return status;
}

/* Gives the base a second name beside the output and opens it there. Returns 0 where that cannot
 * be: another file system, no hard links, a name more already. */
static int link_base(struct packer *p, const char *session_dir, const char *output,
                     int can_overwrite)
{
    char *log_path = NULL, *temporary = NULL;
    struct stat st;
    int fd = -1;
    if (asprintf(&log_path, "%s/p%06" PRIu32 ".log", session_dir, p->base->process) < 0)
        log_path = NULL;
    if (asprintf(&temporary, "%s.tmp-%d-%" PRIu32, output, (int)getpid(), p->base->process) < 0)
        temporary = NULL;
    if (log_path != NULL && temporary != NULL && strcmp(output, "-") != 0 &&
        lstat(log_path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
        (uint64_t)st.st_size == p->base->size && link(log_path, temporary) == 0)
        fd = open(temporary, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || (p->out.path = strdup(output)) == NULL) {
        if (fd >= 0)
            (void)close(fd);
        if (fd >= 0)
            (void)unlink(temporary);
        free(log_path);
        free(temporary);
        return 0;
    }
    p->out.temporary = temporary;
    p->out.fd = fd;
    p->out.can_overwrite = can_overwrite;
    p->size = p->base_size = p->base->size;
    free(log_path);
    return 1;
}

static void allow_others(int fd)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

/* Packs into the base itself. A failure takes back what was appended; if we are killed meanwhile,
 * what was appended are chunks as a log may have. */
static int pack_into_base(struct packer *p)
{
    int status = index_base(p);
    if (status == RF_OK)
        status = write_rest(p);
    if (status != RF_OK)
        (void)!ftruncate(p->out.fd, (off_t)p->base_size);
    else
        allow_others(p->out.fd);
    return status;
}

static int is_output_free(const char *output, int can_overwrite, struct rf_err *err)
{
    struct stat st;
    if (!can_overwrite && lstat(output, &st) == 0 && S_ISREG(st.st_mode))
        return rf_fail(err, RF_ERR_EXISTS, "'%s' exists already; use -f to overwrite it", output);
    return RF_OK;
}

static int pack_by_copy(struct packer *p, const char *output, int can_overwrite)
{
    int status = rf_output_open(&p->out, output, can_overwrite, p->err);
    if (status == RF_OK)
        status = write_file_header(p);
    return status == RF_OK ? write_rest(p) : status;
}

static int finish(struct packer *p, int status)
{
    if (status == RF_OK)
        status = rf_output_commit(&p->out, p->err);
    else
        rf_output_abandon(&p->out);
    free(p->entry);
    return status;
}

#define ALL_WINDOWS UINT32_MAX

static int pack(const char *session_dir, const char *output, int can_overwrite, int is_copy,
                uint32_t window, struct rf_err *err)
{
    struct rf_log log;
    struct packer p = {.log = &log, .out = {.fd = -1}, .err = err};
    struct stat st;
    int status = is_output_free(output, can_overwrite, err);
    if (status == RF_OK && (stat(session_dir, &st) != 0 || !S_ISDIR(st.st_mode)))
        status = rf_fail(err, RF_ERR_FORMAT, "'%s' is no session directory", session_dir);
    if (status == RF_OK)
        status = rf_log_open(&log, session_dir, 0, err);
    if (status != RF_OK)
        return status;
    if (window != ALL_WINDOWS) {
        log.control.window[0] = log.control.window[window % RF_MAX_WINDOWS];
        log.control.n_windows = 1;
    }
    p.base = is_copy ? NULL : choose_base(&log);
    if (p.base != NULL && !link_base(&p, session_dir, output, can_overwrite))
        p.base = NULL;
    status = p.base != NULL ? pack_into_base(&p) : pack_by_copy(&p, output, can_overwrite);
    status = finish(&p, status);
    rf_log_close(&log);
    return status;
}

int rf_pack(const char *session_dir, const char *output, int can_overwrite, struct rf_err *err)
{
    return pack(session_dir, output, can_overwrite, 0, ALL_WINDOWS, err);
}

int rf_pack_copy(const char *session_dir, const char *output, int can_overwrite, struct rf_err *err)
{
    return pack(session_dir, output, can_overwrite, 1, ALL_WINDOWS, err);
}

int rf_pack_capture(const char *session_dir, const char *output, int can_overwrite, uint32_t window,
                    struct rf_err *err)
{
    return pack(session_dir, output, can_overwrite, 1, window, err);
}

int rf_salvage(const char *input, const char *output, int can_overwrite, struct rf_err *err)
{
    struct rf_log log;
    struct packer p = {.log = &log, .out = {.fd = -1}, .err = err};
    int status = is_output_free(output, can_overwrite, err);
    if (status == RF_OK)
        status = rf_log_open(&log, input, RF_OPEN_SALVAGE, err);
    if (status != RF_OK)
        return status;
    if (log.n_parts == 0 && log.n_processes == 0)
        status = rf_fail(err, RF_ERR_DAMAGED, "nothing in '%s' can be read", input);
    else
        status = finish(&p, pack_by_copy(&p, output, can_overwrite));
    rf_log_close(&log);
    return status;
}
