/* SPDX-License-Identifier: Apache-2.0 */
/* A piece has, of each stream, the records behind those of the piece before, up to the first one
 * that is not older than the moment at which the piece ends: each record is in one piece, and one
 * that is published late in the next. That moment is before any stream is read, so that who ends a
 * range never comes in a piece before who began it. Ranges that are open there are in the piece,
 * and, with their true start, in the next one too (open_ranges.c); who counts them does so where
 * they end.
 *
 * Killed at any moment, it has happened or not: the piece is written beside the logs, then what it
 * has taken (taken.h), and both hold from the moment on when the control page says that there is
 * one piece more. Only then it gets its name, and its parts go from the logs. */
#include "log/pack_piece.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "log/clock_reading.h"
#include "log/file_header.h"
#include "log/holes.h"
#include "log/liveness.h"
#include "log/made_parts.h"
#include "log/open_ranges.h"
#include "log/pack.h"
#include "log/packer.h"
#include "log/part_reader.h"
#include "log/ticks.h"

#define PATIENCE_NS 30000000000LL /* with those who read the session */

struct piece {
    const char *dir;
    struct rf_control *live;   /* the session's own */
    struct rf_control control; /* the file's */
    struct rf_log log;
    struct rf_open_ranges open;
    bool *is_alive; /* per process: it goes on in the next piece */
    uint64_t end_ticks;
    struct rf_packer to;
    struct rf_made made;
    uint8_t *taken; /* the file that says what was taken */
    size_t taken_size, taken_room;
    uint32_t n_made; /* parts of the stream being written */
    struct rf_err *err;
};

static int fail_memory(const struct piece *p)
{
    return rf_fail(p->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
}

/* ---- Which processes go on ---- */

struct identity {
    uint64_t pid, start_time, pid_ns;
};

static struct identity identity_of(const struct rf_log_process *process)
{
    const uint64_t used = rf_defs_used_bytes(process->defs, process->defs_size, NULL);
    struct identity who = {0, 0, 0};
    struct rf_def def;
    for (uint64_t at = 0; at < used; at += 8 * (uint64_t)def.n_words) {
        memcpy(&def, process->defs + at, sizeof(def));
        if ((def.head & ((1u << RF_WORD_TYPE_BITS) - 1)) != RF_REC_PROCESS)
            continue;
        who.pid = def.index == RF_PROC_PID ? def.value : who.pid;
        who.start_time = def.index == RF_PROC_START_TIME ? def.value : who.start_time;
        who.pid_ns = def.index == RF_PROC_PID_NS ? def.value : who.pid_ns;
        if (who.pid_ns != 0 && who.start_time != 0 && who.pid != 0)
            break;
    }
    return who;
}

/* A process has ended if it had before it was read, or has executed another program, which is a
 * process of its own. */
static int find_alive(struct piece *p)
{
    const struct rf_log *log = &p->log;
    struct identity *who = calloc(log->n_processes + 1, sizeof(*who));
    p->is_alive = calloc(log->n_processes + 1, sizeof(*p->is_alive));
    if (who == NULL || p->is_alive == NULL) {
        free(who);
        return fail_memory(p);
    }
    for (size_t i = 0; i < log->n_processes; i++) {
        who[i] = identity_of(&log->process[i]);
        p->is_alive[i] = rf_log_process_liveness(log, &log->process[i]) != RF_LIVENESS_ENDED;
    }
    for (size_t i = 0; i < log->n_processes; i++)
        for (size_t k = i + 1; k < log->n_processes && p->is_alive[i]; k++)
            p->is_alive[i] = who[i].pid == 0 || memcmp(&who[i], &who[k], sizeof(who[i])) != 0;
    for (uint32_t i = 0; i < p->open.n_streams; i++) /* or it recorded behind the piece's end */
        p->is_alive[p->open.stream[i].process] |= p->open.stream[i].has_rest;
    free(who);
    return RF_OK;
}

/* ---- The file ---- */

/* A process that goes on did not end with its last record. */
static int write_alive(struct piece *p, size_t process, uint64_t offset)
{
    struct rf_def def[2] = {{.head = rf_head_of(p->end_ticks, RF_REC_PROCESS, 0),
                             .n_words = sizeof(def[0]) / 8,
                             .index = RF_PROC_TIME,
                             .value = p->end_ticks,
                             .text_size = RF_NO_TEXT}};
    const struct rf_chunk_header header = {
        .type = RF_CHUNK_DEFS, .process = p->log.process[process].number, .seq = offset};
    def[1] = def[0];
    def[1].index = RF_PROC_ALIVE;
    def[1].value = 0;
    return p->is_alive[process] && offset > 0
               ? rf_packer_write_chunk(&p->to, header, def, sizeof(def))
               : RF_OK;
}

static void fill_control(struct piece *p)
{
    struct rf_control *control = &p->control;
    *control = p->log.control; /* whose losses are those of this piece */
    control->was_live = true;
    control->pieces.piece = control->pieces.n_pieces + 1;
    control->pieces.goes_on = 1;
    control->pieces.lost_records = control->pieces.lost_bytes = 0;
    control->n_parts = control->parts_bytes = 0; /* not said */
}

/* Where a stream ends in this piece: a part, and how many of its bytes are in it. */
struct end {
    const struct rf_log_part *part;
    uint32_t size;
    uint32_t own; /* the same in the part as it was recorded */
};

/* How many of the moments in a part stand before a place in it. Nothing else is void there: the
 * session has no captures. */
static uint32_t moments_before(const struct rf_log_part *part, const uint8_t *begin,
                               const uint8_t *end)
{
    const uint8_t *at = begin + RF_PART_RECORDS_OFFSET;
    uint32_t n = 0;
    while (n < part->n_moments && at < end) {
        const uint64_t head = rf_load64(at);
        uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        n += (head & ((1u << RF_WORD_TYPE_BITS) - 1)) == RF_REC_VOID;
        if (n_words == 0)
            n_words = rf_load64(at + 8) >> 32;
        at += 8 * n_words;
    }
    return n;
}

static struct end end_of(const struct rf_open_stream *s)
{
    const struct rf_log_part *part = s->at.part - 1;
    const uint32_t size = s->at.begin != NULL ? (uint32_t)(s->at.at - s->at.begin)
                          : s->at.is_pending  ? RF_PART_RECORDS_OFFSET
                                              : part->size;
    uint32_t n_behind = part->n_moments;
    if (n_behind > 0)
        n_behind -= moments_before(part, s->at.begin, s->at.at);
    return (struct end){part, size, part->own_end - (part->size - size - 8 * n_behind)};
}

/* A part as far as it is in the piece. */
static int write_part(struct piece *p, const struct rf_log_part *part, uint32_t size)
{
    const struct rf_part_view view = rf_part_view(&p->open.parts, part);
    struct rf_chunk_header chunk = rf_part_chunk(part);
    chunk.seq = part->seq;
    size = size < view.size ? size : view.size;
    return size > RF_PART_RECORDS_OFFSET
               ? rf_packer_write_chunk(&p->to, chunk, view.data + sizeof(chunk),
                                       size - sizeof(chunk))
               : RF_OK;
}

static int write_stream(struct piece *p, const struct rf_open_stream *s)
{
    const struct end end = end_of(s);
    int status = RF_OK;
    for (const struct rf_log_part *part = s->part; part < end.part && status == RF_OK; part++)
        status = rf_packer_write_part(&p->to, part);
    return status == RF_OK ? write_part(p, end.part, end.size & ~7u) : status;
}

static int write_file(struct piece *p)
{
    uint64_t *used = calloc(p->log.n_processes + 1, sizeof(*used));
    int status = used != NULL ? rf_packer_write_early_control(&p->to, &p->control) : fail_memory(p);
    for (size_t i = 0; i < p->log.n_processes && status == RF_OK; i++)
        status = rf_packer_write_defs(&p->to, &p->log.process[i], &used[i]);
    for (uint32_t i = 0; i < p->open.n_streams && status == RF_OK; i++)
        status = write_stream(p, &p->open.stream[i]);
    for (size_t i = 0; i < p->log.n_processes && status == RF_OK; i++)
        status = write_alive(p, i, used[i]);
    free(used);
    if (status == RF_OK)
        status = rf_packer_write_control(&p->to, &p->control);
    return status == RF_OK ? rf_packer_write_index(&p->to) : status;
}

/* ---- What it takes ---- */

static int add_bytes(struct piece *p, const void *bytes, size_t size)
{
    if (p->taken_room - p->taken_size < size) {
        const size_t room = 2 * (p->taken_size + size) + 4096;
        uint8_t *grown = realloc(p->taken, room);
        if (grown == NULL)
            return fail_memory(p);
        p->taken = grown;
        p->taken_room = room;
    }
    memcpy(p->taken + p->taken_size, bytes, size);
    p->taken_size += size;
    return RF_OK;
}

static int add_chunk(struct piece *p, struct rf_chunk_header chunk, const void *payload,
                     size_t size)
{
    chunk.magic = RF_CHUNK_MAGIC;
    chunk.header_size = sizeof(chunk);
    chunk.size = size;
    const int status = add_bytes(p, &chunk, sizeof(chunk));
    return status == RF_OK ? add_bytes(p, payload, size) : status;
}

static int add_made(void *context, const struct rf_chunk_header *chunk, const void *payload,
                    size_t size)
{
    struct piece *p = context;
    p->n_made++;
    return add_chunk(p, *chunk, payload, size);
}

/* How many ranges a stream has begun. Parts that say what is open do not count those that are not.
 */
static uint64_t starts_of(const struct piece *p, const struct rf_open_stream *s)
{
    const struct rf_log_part *part = end_of(s).part;
    for (size_t i = 0; part->is_made && i < p->log.n_taken; i++)
        if (p->log.taken[i].process == part->process && p->log.taken[i].slot == part->slot)
            return p->log.taken[i].taken.n_starts;
    return s->at.n_starts;
}

/* How far a stream is in this piece, and what it leaves open: the n records of list. */
static int add_stream(struct piece *p, struct rf_open_stream *s, const uint32_t *list, uint32_t n)
{
    const struct end end = end_of(s);
    const struct rf_open_thread *thread = s->n_threads > 0 ? &s->thread[s->n_threads - 1] : NULL;
    const size_t at = p->taken_size;
    struct rf_taken taken = {.n_starts = starts_of(p, s),
                             .offset = end.own,
                             .tid = thread != NULL ? thread->tid : 0,
                             .serial = thread != NULL ? thread->serial : 0};
    const struct rf_chunk_header chunk = {.type = RF_CHUNK_TAKEN,
                                          .process = end.part->process,
                                          .slot = end.part->slot,
                                          .seq = end.part->own_seq,
                                          .ticks = s->at.ticks};
    int status = add_chunk(p, chunk, &taken, sizeof(taken));
    p->n_made = 0;
    if (status == RF_OK && p->is_alive[s->process]) {
        s->has_rest = true;
        p->made.ends_with_void = s->more_of == RF_OPEN_NONE || n == 0 || list[n - 1] != s->more_of;
        rf_made_begin(&p->made, s, end.part->process, 0);
        status = rf_made_write_open(&p->made, s, list, n);
    }
    taken.n_parts = p->n_made;
    if (status == RF_OK)
        memcpy(p->taken + at + sizeof(chunk), &taken, sizeof(taken));
    return status;
}

/* Streams of which nothing is left were taken all the same: their parts may still stand in the
 * pool. */
static int add_ended(struct piece *p)
{
    int status = RF_OK;
    uint32_t at = 0;
    for (size_t i = 0; i < p->log.n_taken && status == RF_OK; i++) {
        const struct rf_taken_stream *old = &p->log.taken[i];
        const struct rf_chunk_header chunk = {.type = RF_CHUNK_TAKEN,
                                              .process = old->process,
                                              .slot = old->slot,
                                              .seq = old->seq,
                                              .ticks = old->ticks};
        struct rf_taken taken = old->taken;
        const struct rf_open_stream *s = p->open.stream;
        while (at < p->open.n_streams &&
               (s[at].part->process < old->process ||
                (s[at].part->process == old->process && s[at].slot < old->slot)))
            at++;
        taken.n_parts = 0;
        if (at == p->open.n_streams || s[at].part->process != old->process ||
            s[at].slot != old->slot)
            status = add_chunk(p, chunk, &taken, sizeof(taken));
    }
    return status;
}

static int make_taken(struct piece *p)
{
    const struct rf_file_header header = rf_file_header_of(&p->control);
    uint32_t n = 0, at = 0;
    uint32_t *list = rf_open_ranges_list(&p->open, &n);
    int status = list != NULL ? add_bytes(p, &header, sizeof(header)) : fail_memory(p);
    for (uint32_t i = 0; i < p->open.n_streams && status == RF_OK; i++) {
        uint32_t end = at;
        while (end < n && p->open.record[list[end]].stream == i)
            end++;
        status = add_stream(p, &p->open.stream[i], list + at, end - at);
        at = end;
    }
    free(list);
    return status == RF_OK ? add_ended(p) : status;
}

static int write_whole(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int write_taken(struct piece *p, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int code = fd >= 0 ? write_whole(fd, p->taken, p->taken_size) : errno;
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = errno;
    if (code == 0)
        return RF_OK;
    (void)unlink(path);
    return rf_fail(p->err, RF_ERR_IO, "cannot write '%s': %s", path, rf_write_error(code));
}

/* ---- The change ---- */

/* Keeps readers out. Returns a descriptor to be closed; -1: some have been reading for too long. */
static int lock(const char *dir)
{
    const int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    const struct timespec pause = {0, 5000000};
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (rf_clock_ns(CLOCK_MONOTONIC) > until) {
            (void)close(fd);
            return -1;
        }
        (void)nanosleep(&pause, NULL);
    }
    return fd;
}

static char *path_in(const char *dir, const char *format, uint32_t number)
{
    char name[32], *path = NULL;
    (void)snprintf(name, sizeof(name), format, number);
    return asprintf(&path, "%s/%s", dir, name) >= 0 ? path : NULL;
}

/* Gives a file its name, unless another one has it; link() sees to that, where there is such a
 * thing. */
static int give_name(const char *from, const char *to, bool can_overwrite, struct rf_err *err)
{
    if (!can_overwrite && link(from, to) == 0) {
        (void)unlink(from);
        return RF_OK;
    }
    if (!can_overwrite && errno == EEXIST)
        return rf_fail(err, RF_ERR_EXISTS, "'%s' exists already; use -f to overwrite it", to);
    return rename(from, to) == 0
               ? RF_OK
               : rf_fail(err, RF_ERR_IO, "cannot write '%s': %s", to, strerror(errno));
}

int rf_name_piece(const char *session_dir, uint32_t number, const char *output, bool can_overwrite,
                  struct rf_err *err)
{
    char *path = path_in(session_dir, RF_PIECE_FILE, number);
    int status = path != NULL ? give_name(path, output, can_overwrite, err)
                              : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    free(path);
    return status;
}

uint32_t rf_find_piece(const char *session_dir)
{
    struct rf_control control = {.version = 0};
    char *path = NULL;
    uint32_t found = 0;
    int fd = asprintf(&path, "%s/" RF_CONTROL_FILE, session_dir) >= 0
                 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                 : -1;
    free(path);
    const bool is_read = fd >= 0 &&
                         pread(fd, &control, sizeof(control), 0) == (ssize_t)sizeof(control) &&
                         memcmp(control.magic, RF_CONTROL_MAGIC, sizeof(control.magic)) == 0;
    if (fd >= 0)
        (void)close(fd);
    if (!is_read || !control.pieces.is_split)
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        path = path_in(session_dir, RF_PIECE_FILE, control.pieces.n_pieces + i);
        if (path != NULL && i == 0 && access(path, F_OK) == 0)
            found = control.pieces.n_pieces;
        else if (path != NULL && i == 1)
            (void)unlink(path); /* it was not complete: the session has all of it */
        free(path);
    }
    return found;
}

/* Where a part ends that a chunk of a log is or stands for; 0: none. Of a moment: behind all of the
 * part, since it says when what follows was not there yet. */
static uint64_t end_of_part(const struct rf_chunk *chunk, const uint8_t *bytes)
{
    struct rf_compressed info;
    switch (chunk->header.type) {
    case RF_CHUNK_PART:
        return chunk->size;
    case RF_CHUNK_MOMENT:
        return UINT64_MAX;
    case RF_CHUNK_COMPRESSED:
        if (chunk->size < sizeof(chunk->header) + sizeof(info))
            return 0;
        memcpy(&info, bytes + sizeof(chunk->header), sizeof(info));
        return info.type == RF_CHUNK_PART ? sizeof(chunk->header) + info.raw_size : 0;
    default:
        return 0;
    }
}

static bool is_gone(void *context, const struct rf_chunk *chunk, const uint8_t *bytes)
{
    const struct piece *p = context;
    const struct rf_chunk_header *header = &chunk->header;
    const uint64_t part_end = end_of_part(chunk, bytes);
    uint32_t low = 0, high = p->open.n_streams;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct rf_open_stream *s = &p->open.stream[middle];
        if (s->part->process < header->process ||
            (s->part->process == header->process && s->slot < header->slot))
            low = middle + 1;
        else
            high = middle;
    }
    if (part_end == 0 || low == p->open.n_streams ||
        p->open.stream[low].part->process != header->process ||
        p->open.stream[low].slot != header->slot)
        return false;
    const struct rf_open_stream *s = &p->open.stream[low];
    const struct end end = end_of(s);
    return header->seq < end.part->own_seq ||
           (header->seq == end.part->own_seq && part_end <= end.own);
}

static void make_holes(struct piece *p)
{
    for (size_t i = 0; i < p->log.n_files; i++) {
        const struct rf_log_file *file = &p->log.file[i];
        char *path = path_in(p->dir, "p%06" PRIu32 ".log", file->process);
        int fd = path != NULL ? open(path, O_WRONLY | O_CLOEXEC) : -1;
        free(path);
        if (fd < 0)
            continue;
        rf_make_holes(fd, file->data, file->size, is_gone, p);
        (void)close(fd);
    }
}

/* From here on what the piece has is not in the session any more. */
static void commit(struct piece *p)
{
    struct rf_pieces *live = &p->live->pieces;
    live->lost_records += p->control.lost_records;
    live->lost_bytes += p->control.lost_bytes;
    live->begin_ticks = p->end_ticks;
    /* release: whoever reads the number finds the file of what was taken */
    __atomic_store_n(&live->n_pieces, p->control.pieces.piece, __ATOMIC_RELEASE);
}

static int change(struct piece *p, const char *piece_path, const char *output, bool can_overwrite)
{
    const uint32_t number = p->control.pieces.piece;
    char *taken = path_in(p->dir, RF_TAKEN_FILE, number);
    char *before = path_in(p->dir, RF_TAKEN_FILE, number - 1);
    int status = taken != NULL && before != NULL ? write_taken(p, taken) : fail_memory(p);
    int lock_fd = status == RF_OK ? lock(p->dir) : -1;
    if (status == RF_OK) {
        commit(p);
        if (output != NULL)
            status = give_name(piece_path, output, can_overwrite, p->err);
        make_holes(p);
        (void)unlink(before);
    }
    if (lock_fd >= 0)
        (void)close(lock_fd);
    free(taken);
    free(before);
    return status;
}

/* ---- All ---- */

/* Whether anything is there that the piece before does not have. */
static bool has_news(const struct piece *p)
{
    for (uint32_t i = 0; i < p->open.n_streams; i++) {
        const struct end end = end_of(&p->open.stream[i]);
        const struct rf_log_part *first = p->open.stream[i].part;
        while (first < end.part && first->is_made)
            first++;
        if (!first->is_made && (first < end.part || end.size > RF_PART_RECORDS_OFFSET))
            return true;
    }
    return false;
}

/* What is to be done. */
struct job {
    const char *output; /* NULL: what would be in the piece is dropped */
    bool can_overwrite;
    uint64_t keep_bytes; /* of what is dropped so much stays: the newest */
};

static int make_file(struct piece *p, const char *path, struct rf_packed *packed)
{
    rf_part_reader_init(&p->to.parts, &p->log);
    int status = rf_packer_compress_as(&p->to, &p->control);
    if (status == RF_OK)
        status = rf_packer_open(&p->to, path, true, &p->control);
    if (status == RF_OK)
        status = write_file(p);
    const struct rf_packed result = rf_packed_of(&p->to, &p->log);
    status = rf_packer_finish(&p->to, status);
    *packed = result;
    rf_packed_read_control(packed, &p->control);
    return status;
}

static int make(struct piece *p, const struct job *job, struct rf_packed *packed)
{
    char *path = path_in(p->dir, RF_PIECE_FILE, p->log.control.pieces.n_pieces + 1);
    p->made = (struct rf_made){
        .write = add_made, .context = p, .open = &p->open, .part = malloc(RF_PART_SIZE)};
    int status = path != NULL && p->made.part != NULL ? find_alive(p) : fail_memory(p);
    fill_control(p);
    if (status == RF_OK && job->output != NULL)
        status = make_file(p, path, packed);
    if (status == RF_OK)
        status = make_taken(p);
    if (status == RF_OK)
        status = change(p, path, job->output, job->can_overwrite);
    free(path);
    return status;
}

static int compare_newest(const void *left, const void *right)
{
    const struct rf_log_part *a = *(const struct rf_log_part *const *)left;
    const struct rf_log_part *b = *(const struct rf_log_part *const *)right;
    return a->ticks > b->ticks ? -1 : a->ticks < b->ticks;
}

/* The moment since when about keep_bytes were recorded; 0: they are not more. */
static int choose_end(struct piece *p, uint64_t keep_bytes)
{
    const struct rf_log *log = &p->log;
    const struct rf_log_part **part =
        malloc((log->n_parts + 1) * sizeof(const struct rf_log_part *));
    uint64_t size = 0;
    size_t n = 0;
    p->end_ticks = 0;
    if (part == NULL)
        return fail_memory(p);
    for (size_t i = 0; i < log->n_parts; i++)
        if (!log->part[i].is_made)
            part[n++] = &log->part[i];
    if (n > 0)
        qsort(part, n, sizeof(const struct rf_log_part *), compare_newest);
    for (size_t i = 0; i < n && p->end_ticks == 0; i++) {
        size += part[i]->size;
        p->end_ticks = size > keep_bytes ? part[i]->ticks : 0;
    }
    free(part);
    return RF_OK;
}

/* The size of what is in the piece. */
static uint64_t size_of(const struct piece *p)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < p->open.n_streams; i++) {
        const struct end end = end_of(&p->open.stream[i]);
        for (const struct rf_log_part *part = p->open.stream[i].part; part <= end.part; part++)
            size += part->is_made ? 0 : part < end.part ? part->size : end.size;
    }
    return size;
}

static int pack(struct piece *p, const struct job *job, struct rf_packed *packed, bool *is_empty)
{
    int status = job->output != NULL ? RF_OK : choose_end(p, job->keep_bytes);
    if (status == RF_OK && rf_open_ranges_find(&p->open, &p->log, NULL, p->end_ticks) != RF_OK)
        status = fail_memory(p);
    *is_empty = status == RF_OK && !has_news(p);
    if (status == RF_OK && job->output == NULL)
        *packed =
            (struct rf_packed){.counts = {.n_records = p->open.n_walked}, .size_bytes = size_of(p)};
    return status == RF_OK && !*is_empty ? make(p, job, packed) : status;
}

static int open_and_pack(const char *session_dir, struct rf_control *control, const struct job *job,
                         struct rf_packed *packed, bool *is_empty, struct rf_err *err)
{
    struct piece *p = calloc(1, sizeof(*p));
    if (p == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    *p = (struct piece){.dir = session_dir,
                        .live = control,
                        .end_ticks = rf_ticks(control->clock_kind),
                        .to = {.out = {.fd = -1}, .err = err},
                        .err = err};
    *is_empty = false;
    int status = rf_log_open(&p->log, session_dir, RF_LOG_IS_RECYCLED, err);
    if (status == RF_OK) {
        status = pack(p, job, packed, is_empty);
        if (p->open.log != NULL)
            rf_open_ranges_release(&p->open);
        rf_log_close(&p->log);
    }
    free(p->is_alive);
    free(p->made.part);
    free(p->taken);
    free(p);
    return status;
}

int rf_pack_piece(const char *session_dir, struct rf_control *control, const char *output,
                  bool can_overwrite, struct rf_packed *packed, bool *is_empty, struct rf_err *err)
{
    const struct job job = {.output = output, .can_overwrite = can_overwrite};
    int status = rf_packer_check_output(output, can_overwrite, err);
    return status == RF_OK ? open_and_pack(session_dir, control, &job, packed, is_empty, err)
                           : status;
}

int rf_drop_piece(const char *session_dir, struct rf_control *control, uint64_t keep_bytes,
                  struct rf_packed *packed, struct rf_err *err)
{
    const struct job job = {.keep_bytes = keep_bytes};
    bool is_empty;
    *packed = (struct rf_packed){.size_bytes = 0};
    int status = open_and_pack(session_dir, control, &job, packed, &is_empty, err);
    if (status != RF_OK || is_empty)
        *packed = (struct rf_packed){.size_bytes = 0};
    return status;
}
