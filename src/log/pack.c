/* SPDX-License-Identifier: Apache-2.0 */
#include "log/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "log/chunks.h"
#include "log/compress.h"
#include "log/liveness.h"
#include "log/mend.h"
#include "log/packer.h"
#include "log/part_reader.h"
#include "log/reader.h"

#define EARLY_BYTES ((uint64_t)2 << 20)

struct packer {
    struct rf_log *log;
    struct rf_packer to;
    const struct rf_log_file *base; /* the log that the output began as; NULL: none */
    uint64_t base_size;             /* what it had before */
    struct rf_control control;      /* of the output */
    struct rf_err *err;
};

/* The control page of the output. */
static void fill_control(struct packer *p)
{
    struct rf_log *log = p->log;
    rf_mend_report(log);
    struct rf_control *control = &p->control;
    *control = log->control;
    if (control->magic[0] == 0) { /* salvaged without one */
        memcpy(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic));
        control->size = sizeof(*control);
        control->records_all = 1;
    }
    if (!log->is_packed && !control->is_finished)
        control->was_live = rf_log_liveness(log) == RF_LIVENESS_RUNNING;
    control->n_damaged_bytes += log->n_damaged_bytes;
    control->n_parts = log->n_parts;
    control->parts_bytes = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        control->parts_bytes += log->part[i].size & ~7u;
}

static int write_defs(struct packer *p)
{
    int status = RF_OK;
    for (size_t i = 0; i < p->log->n_processes && status == RF_OK; i++)
        status = rf_packer_write_defs(&p->to, &p->log->process[i], NULL);
    return status;
}

/* What a file should say before its parts, so that it can be read when its end is lost. The logs of
 * a session say it themselves (drain.c). */
static int write_beginning(struct packer *p)
{
    int status = rf_packer_write_early_control(&p->to, &p->control);
    return status == RF_OK ? write_defs(p) : status;
}

static bool is_in_base(const struct packer *p, const struct rf_log_part *part)
{
    const uint8_t *stored = rf_part_stored(part).data;
    return p->base != NULL && stored >= p->base->data && stored < p->base->data + p->base->size;
}

/* Writes a part; one whose records break off is mended. */
static int write_part(struct packer *p, size_t i)
{
    struct rf_counts counts = {.n_records = 0};
    const struct rf_log_part *part = &p->log->part[i];
    const struct rf_part_view view = rf_part_view(&p->to.parts, part);
    const uint64_t size = (view.size & ~7u) - RF_PART_RECORDS_OFFSET;
    if (view.size < part->size ||
        rf_counts_add(&counts, view.data + RF_PART_RECORDS_OFFSET, size) < size) {
        rf_part_reader_drop(&p->to.parts, part, part + 1);
        if (rf_mend_part(p->log, i) != RF_OK)
            return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    }
    return rf_packer_write_part(&p->to, part);
}

/* Everything that the output does not have yet. */
static int write_rest(struct packer *p)
{
    struct rf_log *log = p->log;
    const uint64_t n_damaged = log->damage.n_parts;
    int status = RF_OK;
    fill_control(p);
    if (p->base == NULL)
        status = write_beginning(p);
    for (size_t i = 0; i < log->n_parts && status == RF_OK; i++) {
        if (!is_in_base(p, &log->part[i]))
            status = write_part(p, i);
    }
    if (status == RF_OK && log->damage.n_parts != n_damaged)
        fill_control(p); /* it tells of that damage too */
    for (size_t i = 0; i < log->n_metrics && status == RF_OK; i++)
        status = rf_packer_write_metrics(&p->to, &log->metrics[i]);
    if (status == RF_OK && p->base != NULL)
        status = write_defs(p);
    if (status == RF_OK)
        status = rf_packer_write_control(&p->to, &p->control);
    return status == RF_OK ? rf_packer_write_index(&p->to) : status;
}

/* What is to be done, and where. */
struct job {
    const char *input, *output;
    bool can_overwrite;
    bool is_copy;   /* in any case */
    unsigned flags; /* enum rf_open_flags */
    enum rf_pack_form form;
};

/* ---- The largest log as the base ---- */

/* Whether a log says early on what it is: with the copies of control page and definitions that the
 * command line appends. */
static bool has_early_copies(const struct rf_log_file *file)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    rf_chunk_walk_init(&walk, file->data, file->size, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk) && chunk.offset < EARLY_BYTES)
        if (chunk.header.type == RF_CHUNK_SESSION)
            return true;
    return false;
}

/* A log that can become the output: whole, under one name, and nobody appends to it any more. */
static const struct rf_log_file *choose_base(const struct rf_log *log)
{
    const struct rf_log_file *best = NULL;
    for (size_t i = 0; i < log->n_files; i++)
        if (log->file[i].is_whole && (best == NULL || log->file[i].size > best->size))
            best = &log->file[i];
    if (best == NULL || !has_early_copies(best) || log->n_moments > 0 ||
        rf_log_liveness(log) != RF_LIVENESS_ENDED)
        return NULL;
    return best;
}

/* Counts the base's parts again, each once: one that was appended twice stands there twice. */
static void recount_base(struct packer *p)
{
    memset(&p->to.counts, 0, sizeof(p->to.counts));
    for (size_t i = 0; i < p->log->n_parts; i++) {
        const struct rf_log_part *part = &p->log->part[i];
        if (!is_in_base(p, part))
            continue;
        const struct rf_part_view view = rf_part_view(&p->to.parts, part);
        (void)rf_counts_add(&p->to.counts, view.data + RF_PART_RECORDS_OFFSET,
                            view.size - RF_PART_RECORDS_OFFSET);
        rf_part_reader_drop(&p->to.parts, part, part + 1);
    }
}

/* The part that a chunk of the base is, or is compressed in: its bytes in *view, or nothing.
 * Returns false if it cannot be had. */
static bool view_chunk(struct packer *p, const struct rf_chunk *chunk, struct rf_log_part *part,
                       struct rf_packed_part *packed, uint16_t *other_type,
                       struct rf_part_view *view)
{
    const uint8_t *data = p->base->data + chunk->offset;
    struct rf_compressed info = {.type = chunk->header.type};
    *view = (struct rf_part_view){NULL, 0};
    *other_type = 0;
    if (chunk->header.type == RF_CHUNK_COMPRESSED) {
        if (!rf_compressed_read(&info, data, chunk->size, true))
            return false;
        *other_type = info.type;
        p->to.compressed_bytes += chunk->size;
        p->to.expanded_bytes += sizeof(chunk->header) + info.raw_size;
    }
    if (info.type != RF_CHUNK_PART || chunk->size < RF_PART_RECORDS_OFFSET)
        return true;
    *view = (struct rf_part_view){data, (uint32_t)chunk->size};
    if (chunk->header.type != RF_CHUNK_COMPRESSED)
        return true;
    *packed = (struct rf_packed_part){.chunk = data, .chunk_size = chunk->size};
    *part = (struct rf_log_part){.packed = packed,
                                 .size = (uint32_t)sizeof(chunk->header) + info.raw_size};
    *view = rf_part_view(&p->to.parts, part);
    return view->size == part->size;
}

/* Notes a chunk of the base for the index, and counts the part that it is. */
static int index_chunk(struct packer *p, const struct rf_chunk *chunk, size_t *n_parts)
{
    const uint8_t *data = p->base->data + chunk->offset;
    struct rf_log_part part;
    struct rf_packed_part packed;
    struct rf_part_view view;
    bool is_whole = true;
    uint16_t other_type;
    const bool is_read = view_chunk(p, chunk, &part, &packed, &other_type, &view);
    int status = rf_packer_add_entry(&p->to, chunk->offset, &chunk->header, other_type,
                                     rf_crc32c(0, data, chunk->size));
    if (status != RF_OK)
        return status;
    if (is_read && view.data != NULL) {
        ++*n_parts;
        status =
            rf_packer_count_part(&p->to, chunk->header.ticks, view.data + RF_PART_RECORDS_OFFSET,
                                 view.size - RF_PART_RECORDS_OFFSET, &is_whole);
    }
    rf_part_reader_drop(&p->to.parts, &part, &part + 1);
    return status == RF_OK && !(is_read && is_whole) ? RF_ERR_DAMAGED : status;
}

/* RF_ERR_DAMAGED: a part's records break off before its end. */
static int index_base(struct packer *p)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    size_t n_parts = 0, n_different = 0;
    int status = RF_OK;
    rf_chunk_walk_init(&walk, p->base->data, p->base->size, sizeof(struct rf_file_header));
    while (status == RF_OK && rf_chunk_walk_next(&walk, &chunk))
        status = index_chunk(p, &chunk, &n_parts);
    for (size_t i = 0; i < p->log->n_parts; i++)
        n_different += (size_t)is_in_base(p, &p->log->part[i]);
    if (n_parts != n_different)
        recount_base(p);
    return status;
}

/* Opens the base, which will be the output under its second name. Returns 0 where that cannot be.
 */
static int open_base(struct packer *p, const struct job *job)
{
    char *log_path = NULL;
    if (asprintf(&log_path, "%s/p%06" PRIu32 ".log", job->input, p->base->process) < 0)
        return 0;
    int status = rf_output_open_linked(&p->to.out, job->output, job->can_overwrite, log_path,
                                       p->base->size, NULL);
    free(log_path);
    p->to.size = p->base_size = p->base->size;
    return status == RF_OK;
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
        (void)!ftruncate(p->to.out.fd, (off_t)p->base_size);
    else
        allow_others(p->to.out.fd);
    return status;
}

struct rf_packed rf_packed_of(const struct rf_packer *p, const struct rf_log *log)
{
    struct stat st = {.st_ino = 0};
    if (p->out.fd >= 0)
        (void)fstat(p->out.fd, &st);
    return (struct rf_packed){.counts = p->counts,
                              .size_bytes = p->size,
                              .device = st.st_dev,
                              .inode = st.st_ino,
                              .n_processes = (uint32_t)log->n_processes,
                              .compressed_bytes = p->compressed_bytes,
                              .expanded_bytes = p->expanded_bytes};
}

void rf_packed_read_control(struct rf_packed *packed, const struct rf_control *control)
{
    packed->salvaged = control->salvaged;
    packed->n_lost_records = control->lost_records;
    packed->lost_bytes = control->lost_bytes;
    packed->n_lost_about = control->n_lost_about;
    packed->n_lost_defs = control->lost_defs;
    packed->n_failed_processes = control->n_failed_processes;
    packed->n_lost_parts = control->n_lost_parts;
    packed->n_damaged_bytes = control->n_damaged_bytes;
    packed->n_time_calls = control->n_time_calls;
    packed->n_memory_calls = control->n_memory_calls;
    packed->n_uncaptured = control->n_uncaptured;
}

static int finish(struct packer *p, int status, struct rf_packed *packed)
{
    const struct rf_packed result = rf_packed_of(&p->to, p->log);
    status = rf_packer_finish(&p->to, status);
    if (packed == NULL || status != RF_OK)
        return status;
    *packed = result;
    rf_packed_read_control(packed, &p->control);
    return status;
}

static void begin(struct packer *p)
{
    p->to = (struct rf_packer){.out = {.fd = -1}, .err = p->err};
    rf_part_reader_init(&p->to.parts, p->log);
}

/* Has the output compressed, if it is to be. */
static int choose_form(struct packer *p, const struct job *job)
{
    struct rf_control *control = &p->log->control;
    const bool is_compressed =
        control->version == RF_FORMAT_COMPRESSED || p->log->compressed_bytes > 0;
    control->version = RF_FORMAT_MAJOR;
    if (job->form == RF_PACK_EXPANDED || (job->form == RF_PACK_AS_IS && !is_compressed))
        return RF_OK;
    control->version = RF_FORMAT_COMPRESSED;
    return job->form == RF_PACK_AS_IS ? rf_packer_compress_as(&p->to, control)
                                      : rf_packer_compress(&p->to);
}

static int pack_by_copy(struct packer *p, const struct job *job)
{
    begin(p);
    int status = choose_form(p, job);
    if (status == RF_OK)
        status = rf_packer_open(&p->to, job->output, job->can_overwrite, &p->log->control);
    return status == RF_OK ? write_rest(p) : status;
}

/* RF_ERR_DAMAGED: it cannot be done that way. */
static int pack_by_base(struct packer *p, const struct job *job)
{
    const struct rf_control *control = &p->log->control;
    const bool is_compressed_now = /* and not as it was drained: compress_parts.c */
        control->version == RF_FORMAT_COMPRESSED && control->overflow == RF_OVERFLOW_DROP;
    const bool has_holes = control->ring.size > 0 || control->pieces.is_split;
    const bool can_be = job->form == RF_PACK_AS_IS && !has_holes && !is_compressed_now;
    p->base = job->is_copy || !can_be ? NULL : choose_base(p->log);
    if (p->base == NULL)
        return RF_ERR_DAMAGED;
    begin(p);
    int status = choose_form(p, job);
    if (status != RF_OK || !open_base(p, job))
        status = status != RF_OK ? status : RF_ERR_DAMAGED;
    else
        status = pack_into_base(p);
    if (status == RF_ERR_DAMAGED) { /* or its parts are to be mended */
        (void)rf_packer_finish(&p->to, status);
        p->base = NULL;
    }
    return status;
}

static int pack_log(struct packer *p, const struct job *job)
{
    int status = pack_by_base(p, job);
    return p->base != NULL ? status : pack_by_copy(p, job);
}

static int pack(const struct job *job, struct rf_packed *packed, struct rf_err *err)
{
    struct rf_log log;
    struct packer p = {.log = &log, .err = err};
    struct stat st;
    int status = rf_packer_check_output(job->output, job->can_overwrite, err);
    if (status == RF_OK && !(job->flags & RF_OPEN_SALVAGE) &&
        (stat(job->input, &st) != 0 || !S_ISDIR(st.st_mode)))
        status = rf_fail(err, RF_ERR_FORMAT, "'%s' is no session directory", job->input);
    if (status == RF_OK)
        status = rf_log_open(&log, job->input, job->flags, err);
    if (status != RF_OK)
        return status;
    if ((job->flags & RF_OPEN_SALVAGE) && log.n_parts == 0 && log.n_processes == 0 &&
        log.n_metrics == 0 && log.is_packed)
        status = rf_fail(err, RF_ERR_DAMAGED, "nothing in '%s' can be read", job->input);
    else
        status = finish(&p, pack_log(&p, job), packed);
    rf_log_close(&log);
    return status;
}

int rf_pack(const char *session_dir, const char *output, bool can_overwrite,
            struct rf_packed *packed, struct rf_err *err)
{
    return pack(&(struct job){session_dir, output, can_overwrite, 0, 0, RF_PACK_AS_IS}, packed,
                err);
}

int rf_pack_copy(const char *session_dir, const char *output, bool can_overwrite,
                 struct rf_packed *packed, struct rf_err *err)
{
    return pack(&(struct job){session_dir, output, can_overwrite, 1, 0, RF_PACK_AS_IS}, packed,
                err);
}

int rf_salvage(const char *input, const char *output, bool can_overwrite, enum rf_pack_form form,
               struct rf_packed *packed, struct rf_err *err)
{
    return pack(&(struct job){input, output, can_overwrite, 0, RF_OPEN_SALVAGE, form}, packed, err);
}
