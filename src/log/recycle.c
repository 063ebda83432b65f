/* SPDX-License-Identifier: Apache-2.0 */
#include "log/recycle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "log/holes.h"
#include "log/made_parts.h"
#include "log/old_parts.h"
#include "log/old_samples.h"
#include "log/open_ranges.h"
#include "log/part_reader.h"
#include "log/reader.h"
#include "log/records.h"

#define SAMPLES UINT32_MAX

/* A part that may go, or samples. */
struct candidate {
    uint64_t end_ticks; /* when the one behind it began; when they were written */
    uint32_t stream;    /* SAMPLES */
    uint32_t size;
    size_t metrics; /* index of the samples */
};

struct recycling {
    const char *dir;
    struct rf_log log, old; /* old: of rf_old_parts() */
    uint64_t n_condensed;   /* records of parts that were condensed */
    struct rf_open_ranges open;
    struct rf_old_stream *stream;
    uint32_t n_streams;
    struct rf_old_samples samples;
    struct candidate *candidate;
    size_t n_candidates;
    uint64_t n_bytes;        /* of parts and samples in the logs */
    int64_t n_samples_bytes; /* of samples that go */
    struct rf_made made;
    uint8_t *carried; /* chunks of one process */
    size_t carried_size;
    int64_t n_carried; /* bytes that were appended */
    struct rf_err *err;
};

static int fail_memory(struct recycling *r)
{
    return rf_fail(r->err, RF_ERR_NO_MEMORY, "cannot recycle parts of '%s': out of memory", r->dir);
}

/* ---- What goes ---- */

/* Where a part stands, as its file has it: the chunk and its size. */
static struct rf_part_view in_file(const struct rf_log_part *part)
{
    struct rf_chunk_header chunk;
    if (part->noted == NULL)
        return rf_part_stored(part);
    memcpy(&chunk, part->noted, sizeof(chunk));
    return (struct rf_part_view){part->noted, (uint32_t)(sizeof(chunk) + chunk.size)};
}

static const struct rf_log_file *file_of(const struct rf_log *log, const struct rf_log_part *part)
{
    for (size_t i = 0; i < log->n_files; i++) {
        const struct rf_log_file *file = &log->file[i];
        const uint8_t *stored = in_file(part).data;
        if (file->process == part->process && stored >= file->data &&
            stored < file->data + file->size)
            return file;
    }
    return NULL; /* a copy of what stands in a pool */
}

static int list_streams(struct recycling *r)
{
    const struct rf_log *log = &r->log;
    r->stream = calloc(log->n_parts + 1, sizeof(*r->stream));
    r->candidate = calloc(log->n_parts + log->n_metrics + 1, sizeof(*r->candidate));
    if (r->stream == NULL || r->candidate == NULL)
        return fail_memory(r);
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        const bool is_new =
            i == 0 || part->process != part[-1].process || part->slot != part[-1].slot;
        if (is_new)
            r->stream[r->n_streams++].first = i;
        struct rf_old_stream *s = &r->stream[r->n_streams - 1];
        const bool is_in_log = file_of(log, part) != NULL;
        r->n_bytes += is_in_log ? in_file(part).size : 0;
        s->n_in_log += is_in_log && s->n_in_log == s->n;
        s->n++;
        if (s->n_in_log == s->n && i + 1 < log->n_parts && part[1].process == part->process &&
            part[1].slot == part->slot)
            r->candidate[r->n_candidates++] =
                (struct candidate){part[1].ticks, r->n_streams - 1, in_file(part).size, 0};
    }
    return RF_OK;
}

static int list_samples(struct recycling *r)
{
    for (size_t i = 0; i < r->log.n_metrics; i++) {
        const struct rf_log_metrics *m = &r->log.metrics[i];
        r->n_bytes += m->size;
        if (rf_old_samples_may_go(&r->log, i))
            r->candidate[r->n_candidates++] =
                (struct candidate){m->ticks, SAMPLES, (uint32_t)m->size, i};
    }
    return rf_old_samples_init(&r->samples, &r->log);
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->end_ticks != b->end_ticks)
        return a->end_ticks < b->end_ticks ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->metrics < b->metrics ? -1 : a->metrics > b->metrics;
}

static void choose(struct recycling *r, uint64_t keep_bytes, uint64_t before_ticks)
{
    qsort(r->candidate, r->n_candidates, sizeof(*r->candidate), compare_candidates);
    for (size_t i = 0; i < r->n_candidates; i++) {
        const struct candidate *c = &r->candidate[i];
        if (r->n_bytes <= keep_bytes && c->end_ticks >= before_ticks)
            break;
        if (c->stream == SAMPLES)
            rf_old_samples_add(&r->samples, &r->log, c->metrics);
        else
            r->stream[c->stream].n_old++;
        r->n_bytes -= c->size;
        r->n_samples_bytes += c->stream == SAMPLES ? c->size : 0;
    }
    for (uint32_t i = 0; i < r->n_streams; i++) { /* what others carried on does not go alone */
        struct rf_old_stream *s = &r->stream[i];
        if (s->n_old > 0 && r->log.part[s->first + s->n_old - 1].is_carried)
            s->n_old = 0;
    }
}

static void count_old(const struct recycling *r, struct rf_recycled *recycled)
{
    recycled->n_records = r->open.n_walked + r->n_condensed;
    recycled->n_bytes = (uint64_t)r->n_samples_bytes;
    recycled->n_less = r->n_samples_bytes - r->n_carried;
    for (uint32_t i = 0; i < r->n_streams; i++)
        for (size_t k = 0; k < r->stream[i].n_old; k++) {
            const struct rf_log_part *part = &r->log.part[r->stream[i].first + k];
            recycled->n_parts += !part->is_carried;
            recycled->n_bytes += part->is_carried ? 0 : part->size;
            recycled->n_less += in_file(part).size;
        }
}

/* ---- What they leave open ---- */

static int carry(void *context, const struct rf_chunk_header *chunk, const void *payload,
                 size_t size)
{
    struct recycling *r = context;
    struct rf_chunk_header header = *chunk;
    const size_t all = sizeof(header) + size;
    header.magic = RF_CHUNK_MAGIC;
    header.header_size = sizeof(header);
    header.size = size;
    uint8_t *grown = realloc(r->carried, r->carried_size + all);
    if (grown == NULL)
        return fail_memory(r);
    r->carried = grown;
    memcpy(r->carried + r->carried_size, &header, sizeof(header));
    memcpy(r->carried + r->carried_size + sizeof(header), payload, size);
    r->carried_size += all;
    return RF_OK;
}

static struct rf_part_header part_header(const uint8_t *chunk)
{
    struct rf_part_header header;
    memcpy(&header, chunk + sizeof(struct rf_chunk_header), sizeof(header));
    return header;
}

/* The parts that were made from `from` on get the numbers of the last ones that go, and the losses
 * that these reported. Returns false where there are more of them. */
static bool number_carried(struct recycling *r, const struct rf_old_stream *s, size_t from)
{
    const struct rf_log_part *old = &r->log.part[s->first];
    const uint64_t last = old[s->n_old - 1].seq, n = r->made.chunk.seq;
    uint64_t lost_records = 0, lost_bytes = 0, seq = last - n;
    if (n > last)
        return false;
    for (size_t i = 0; i < s->n_old; i++) {
        lost_records += rf_part_header(&old[i]).lost_records;
        lost_bytes += rf_part_header(&old[i]).lost_bytes;
    }
    for (size_t at = from; at < r->carried_size;) {
        struct rf_chunk_header chunk;
        struct rf_part_header header = part_header(r->carried + at);
        memcpy(&chunk, r->carried + at, sizeof(chunk));
        chunk.seq = ++seq;
        header.carried_from = last - n + 1;
        header.lost_records = at == from ? lost_records : 0;
        header.lost_bytes = at == from ? lost_bytes : 0;
        memcpy(r->carried + at, &chunk, sizeof(chunk));
        memcpy(r->carried + at + sizeof(chunk), &header, sizeof(header));
        at += sizeof(chunk) + chunk.size;
    }
    return true;
}

static struct rf_old_stream *stream_of(struct recycling *r, uint32_t process, uint32_t slot)
{
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const struct rf_log_part *part = &r->log.part[r->stream[i].first];
        if (part->process == process && part->slot == slot)
            return &r->stream[i];
    }
    return NULL;
}

static int open_log(const struct recycling *r, uint32_t process, int flags)
{
    char *path = NULL;
    if (asprintf(&path, "%s/p%06" PRIu32 ".log", r->dir, process) < 0)
        return -1;
    int fd = open(path, flags | O_CLOEXEC);
    free(path);
    return fd;
}

/* Appends what was carried for a process. */
static int write_carried(struct recycling *r, uint32_t process)
{
    if (r->carried_size == 0)
        return RF_OK;
    int fd = open_log(r, process, O_WRONLY | O_APPEND);
    ssize_t n = fd >= 0 ? write(fd, r->carried, r->carried_size) : -1;
    int code = n < 0 ? errno : ENOSPC;
    const bool is_whole = n == (ssize_t)r->carried_size;
    if (fd >= 0)
        (void)close(fd);
    r->n_carried += is_whole ? (int64_t)r->carried_size : 0;
    r->carried_size = 0;
    return is_whole ? RF_OK
                    : rf_fail(r->err, RF_ERR_IO,
                              "cannot recycle parts of '%s': what they leave open cannot be "
                              "appended: %s",
                              r->dir, strerror(code));
}

static int write_open(struct recycling *r)
{
    uint32_t n = 0, at = 0, process = 0;
    uint32_t *list = rf_open_ranges_list(&r->open, &n);
    int status = list != NULL ? RF_OK : fail_memory(r);
    for (uint32_t i = 0; i < r->open.n_streams && status == RF_OK; i++) {
        struct rf_open_stream *s = &r->open.stream[i];
        const uint32_t number = r->log.process[s->process].number;
        struct rf_old_stream *stream = stream_of(r, number, s->slot);
        const size_t from = number == process ? r->carried_size : 0;
        uint32_t end = at;
        while (end < n && r->open.record[list[end]].stream == i)
            end++;
        if (number != process)
            status = write_carried(r, process);
        process = number;
        s->has_rest = true;
        r->made.ends_with_void =
            s->more_of == RF_OPEN_NONE || end == at || list[end - 1] != s->more_of;
        rf_made_begin(&r->made, s, number, 0);
        if (status == RF_OK)
            status = rf_made_write_open(&r->made, s, list + at, end - at);
        if (status == RF_OK && !number_carried(r, stream, from))
            status = rf_fail(r->err, RF_ERR_UNSUPPORTED,
                             "cannot recycle parts of '%s': they leave more open than they hold",
                             r->dir);
        at = end;
    }
    free(list);
    return status == RF_OK ? write_carried(r, process) : status;
}

/* ---- Holes ---- */

/* Whether it is a part, compressed or not, or of one. */
static bool is_part(const struct rf_chunk *chunk, const uint8_t *bytes)
{
    const uint16_t type = chunk->header.type;
    struct rf_compressed info;
    if (type != RF_CHUNK_COMPRESSED || chunk->size < sizeof(chunk->header) + sizeof(info))
        return type == RF_CHUNK_PART || type == RF_CHUNK_MOMENT;
    memcpy(&info, bytes + sizeof(chunk->header), sizeof(info));
    return info.type == RF_CHUNK_PART;
}

/* Whether a part goes, or stands for one that went. */
static bool is_gone(void *context, const struct rf_chunk *chunk, const uint8_t *bytes)
{
    struct recycling *r = context;
    const struct rf_old_stream *s =
        is_part(chunk, bytes) ? stream_of(r, chunk->header.process, chunk->header.slot) : NULL;
    return s != NULL && s->n_old > 0 &&
           chunk->header.seq <= r->log.part[s->first + s->n_old - 1].seq;
}

/* Where the last part stands that goes. */
static uint64_t end_of_old(const struct recycling *r, const struct rf_log_file *file)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < r->n_streams; i++)
        for (size_t k = 0; k < r->stream[i].n_old; k++) {
            const struct rf_log_part *part = &r->log.part[r->stream[i].first + k];
            const struct rf_part_view stored = in_file(part);
            const uint64_t at = (uint64_t)(stored.data - file->data) + stored.size;
            end = file_of(&r->log, part) == file && at > end ? at : end;
        }
    return end;
}

static void make_holes(struct recycling *r)
{
    for (size_t i = 0; i < r->log.n_files; i++) {
        const struct rf_log_file *file = &r->log.file[i];
        const uint64_t end = end_of_old(r, file);
        int fd = end > 0 ? open_log(r, file->process, O_WRONLY) : -1;
        if (fd < 0)
            continue;
        rf_make_holes(fd, file->data, end, is_gone, r);
        (void)close(fd);
    }
    rf_old_samples_make_holes(&r->samples, r->dir);
}

/* ---- All ---- */

/* Writes what the old parts leave open. */
static int carry_on(struct recycling *r)
{
    r->made = (struct rf_made){
        .write = carry, .context = r, .open = &r->open, .part = malloc(RF_PART_SIZE)};
    if (r->made.part == NULL ||
        rf_open_ranges_find(&r->open, &r->old, &r->log, UINT64_MAX) != RF_OK)
        return fail_memory(r);
    return write_open(r);
}

static int recycle(struct recycling *r, uint64_t keep_bytes, uint64_t before_ticks,
                   struct rf_recycled *recycled)
{
    int status = list_streams(r);
    if (status == RF_OK && list_samples(r) != RF_OK)
        status = fail_memory(r);
    if (status != RF_OK)
        return status;
    choose(r, keep_bytes, before_ticks);
    if (rf_old_parts(&r->old, &r->log, r->stream, r->n_streams, &r->n_condensed) != RF_OK)
        return fail_memory(r);
    status = r->old.n_parts > 0 ? carry_on(r) : RF_OK;
    if (status != RF_OK)
        return status;
    count_old(r, recycled);
    make_holes(r);
    return RF_OK;
}

/* Keeps readers out. Returns a descriptor to be closed, or -1 where one reads. */
static int lock(const char *session_dir)
{
    int fd = open(session_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

int rf_recycle(const char *session_dir, uint64_t keep_bytes, uint64_t before_ticks, bool must_go,
               struct rf_recycled *recycled, struct rf_err *err)
{
    struct recycling r = {.dir = session_dir, .err = err};
    *recycled = (struct rf_recycled){0};
    int fd = lock(session_dir);
    if (fd < 0 && !must_go)
        return RF_OK;
    int status = rf_log_open(&r.log, session_dir, RF_LOG_IS_RECYCLED, err);
    if (status == RF_OK) {
        status = recycle(&r, keep_bytes, before_ticks, recycled);
        if (status != RF_OK)
            *recycled = (struct rf_recycled){0};
        if (r.open.log != NULL)
            rf_open_ranges_release(&r.open);
        free(r.made.part);
        free(r.carried);
        free(r.old.part);
        free(r.stream);
        rf_old_samples_release(&r.samples);
        free(r.candidate);
        rf_log_close(&r.log);
    }
    if (fd >= 0)
        (void)close(fd);
    return status;
}
