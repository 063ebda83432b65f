/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "cli/top/top_defs.h"
#include "log/capture.h"
#include "log/chunks.h"
#include "log/compress.h"
#include "log/liveness.h"
#include "log/ticks.h"

#define ASK_NS         1000000000LL /* between questions whether processes run */
#define SILENT_NS      5000000000LL /* without a sign of life of the command line */
#define MOST_PROCESSES 1000000u
#define MOST_TAKEN     ((off_t)256 << 20)

/* ---- The control page ---- */

/* Keeps what was read before where the program has written over the page, or cut it off. */
static bool read_control(struct top_session *s)
{
    struct rf_control control;
    ssize_t n;
    while ((n = pread(s->control_fd, &control, sizeof(control), 0)) < 0 && errno == EINTR)
        ;
    if (n != (ssize_t)sizeof(control) ||
        memcmp(control.magic, RF_CONTROL_MAGIC, sizeof(control.magic)) != 0)
        return false;
    s->control = control;
    return true;
}

static int open_control(struct top_session *s, const char *path, struct rf_err *err)
{
    s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->dir < 0)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
    s->control_fd = openat(s->dir, RF_CONTROL_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->control_fd < 0)
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is no session: it has no file '%s'", path,
                       RF_CONTROL_FILE);
    if (!read_control(s))
        return rf_fail_at(err, RF_ERR_DAMAGED, 0,
                          "'%s/%s' is damaged at byte 0: it is no control page", path,
                          RF_CONTROL_FILE);
    if (!rf_format_is_known(s->control.version))
        return rf_fail(err, RF_ERR_FORMAT,
                       "'%s' has format version %u, this program reads %d to %d; use a version of "
                       "Rangefinder that fits",
                       path, s->control.version, RF_FORMAT_MAJOR, RF_FORMAT_COMPRESSED);
    if (s->control.version == RF_FORMAT_COMPRESSED && !rf_zstd_load(&s->zstd))
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "cannot read '%s': it is compressed, and " RF_ZSTD_MISSING, path);
    if (!rf_is_this_boot(&s->control))
        return rf_fail(err, RF_ERR_USAGE,
                       "'%s' does not run on this machine, or was left behind before its last "
                       "restart; 'rangefinder recover' saves it",
                       path);
    return RF_OK;
}

/* Whether the recorder would take us for a process of the session. */
static bool is_inside(const struct top_session *s)
{
    const char *own = getenv("RANGEFINDER_SESSION");
    struct stat a, b;
    return own != NULL && stat(own, &a) == 0 && fstat(s->dir, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* ---- Time ---- */

static void take_time(struct top_session *s)
{
    const struct rf_clock_pair *first = &s->control.clock[0];
    s->now = rf_clock_pair_take(s->control.clock_kind);
    s->ns_per_tick = 1;
    if (s->control.clock_kind != RF_CLOCK_MONO && (int64_t)(s->now.ticks - first->ticks) > 0 &&
        s->now.mono_ns > first->mono_ns)
        s->ns_per_tick =
            (double)(s->now.mono_ns - first->mono_ns) / (double)(s->now.ticks - first->ticks);
}

int64_t top_session_ns(const struct top_session *s, uint64_t ticks)
{
    return (int64_t)((double)ticks * s->ns_per_tick);
}

int64_t top_session_time(const struct top_session *s, uint64_t ticks)
{
    const int64_t since = (int64_t)(ticks - s->control.clock[0].ticks);
    return (int64_t)((double)since * s->ns_per_tick);
}

/* ---- Processes ---- */

/* Each process needs three descriptors. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void add_processes(struct top_session *s)
{
    const uint32_t n = s->control.n_processes;
    while (s->n_seen < n && n <= MOST_PROCESSES) {
        if (rf_grow_array(&s->process, s->n_processes, &s->process_room, sizeof(*s->process)) !=
            RF_OK) {
            s->ranges.is_out_of_memory = true;
            break;
        }
        top_process_open(&s->process[s->n_processes], s->dir, s->n_seen++,
                         (uint32_t)s->n_processes);
        s->n_processes++;
    }
    s->reading.process = s->process;
    s->reading.n_processes = s->n_processes;
}

static void end_process(struct top_session *s, struct top_process *p)
{
    p->is_ended = true;
    s->n_running--;
    top_process_end(&s->ranges, p->index);
    top_process_retire(p);
}

/* In a focused run the streams change outside of captures: they are read during captures alone. */
static bool are_read(struct top_session *s)
{
    const uint64_t word = s->control.capture.word, phase = rf_capture_phase(word);
    if (s->control.records_all != 0)
        return true;
    if (phase != s->phase) {
        s->phase = phase;
        for (size_t i = 0; i < s->n_processes; i++)
            if (!s->process[i].is_ended)
                top_process_restart(&s->reading, &s->process[i]);
        if (rf_capture_is_on(word))
            s->reading.since = rf_capture_window_of(&s->control, word)->begin_ticks;
    }
    return rf_capture_is_on(word);
}

static struct top_process *process_of(struct top_session *s, uint32_t number)
{
    return number < s->n_processes ? &s->process[number] : NULL; /* none is left out */
}

/* Takes one stream from the file that says what complete files have; returns where the next one
 * begins, or 0. */
static uint64_t take_stream(struct top_session *s, const uint8_t *data, uint64_t size, uint64_t at)
{
    struct rf_chunk_header chunk, part;
    struct rf_taken taken;
    if (!rf_chunk_header_at(data, size, at, &chunk) || chunk.type != RF_CHUNK_TAKEN ||
        chunk.size != sizeof(taken) || chunk.size > size - at - sizeof(chunk))
        return 0;
    memcpy(&taken, data + at + sizeof(chunk), sizeof(taken));
    const uint64_t first = at + sizeof(chunk) + sizeof(taken);
    at = first;
    for (uint32_t i = 0; i < taken.n_parts; i++) {
        if (!rf_chunk_header_at(data, size, at, &part) || part.type != RF_CHUNK_PART ||
            part.size < sizeof(struct rf_part_header) || part.size > RF_PART_SIZE - sizeof(part) ||
            part.size > size - at - sizeof(part))
            return 0;
        at += sizeof(part) + part.size;
    }
    struct top_process *p = process_of(s, chunk.process);
    if (p != NULL && !p->is_ended && taken.offset >= RF_PART_RECORDS_OFFSET &&
        taken.offset <= RF_PART_SIZE)
        top_process_take(&s->reading, p, &chunk, &taken, data + first, taken.n_parts);
    return at;
}

/* A file is complete, and what it has went from the logs: streams that were not read up to there go
 * on behind it. */
static void read_taken(struct top_session *s)
{
    char name[32];
    struct stat st;
    uint64_t at = sizeof(struct rf_file_header);
    uint8_t *data = NULL;
    if (!s->control.pieces.is_split || s->control.pieces.n_pieces == s->n_pieces)
        return;
    (void)snprintf(name, sizeof(name), RF_TAKEN_FILE, s->control.pieces.n_pieces);
    int fd = openat(s->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_TAKEN)
        data = malloc((size_t)st.st_size + 1);
    if (data != NULL && read(fd, data, (size_t)st.st_size) == st.st_size) {
        s->n_pieces = s->control.pieces.n_pieces;
        while (at != 0 && at < (uint64_t)st.st_size)
            at = take_stream(s, data, (uint64_t)st.st_size, at);
    }
    free(data);
    if (fd >= 0)
        (void)close(fd);
}

/* When it started is the last that a process says of itself. */
static bool has_process_ended(const struct rf_pool_header *header)
{
    if (header->start_time == 0)
        return header->pid != 0 && kill((pid_t)header->pid, 0) != 0 && errno == ESRCH;
    return rf_process_liveness(header->pid, header->start_time, header->pid_ns) ==
           RF_LIVENESS_ENDED;
}

static void read_processes(struct top_session *s)
{
    const bool reads = are_read(s);
    const bool asks = s->now.mono_ns >= s->liveness_ns;
    if (asks)
        s->liveness_ns = s->now.mono_ns + ASK_NS;
    for (size_t i = 0; i < s->n_processes; i++) {
        struct top_process *p = &s->process[i];
        if (p->is_ended || !top_process_look(&s->reading, p, s->dir))
            continue;
        s->n_running += !p->is_known;
        p->is_known = true;
        /* asked first: what it recorded before its end is then there */
        const struct rf_pool_header *header = &p->header;
        const bool has_ended = asks && has_process_ended(header);
        if (reads)
            top_process_read(&s->reading, p);
        top_defs_read(&s->reading, p);
        if (has_ended)
            end_process(s, p);
    }
}

/* ---- All ---- */

static bool is_over(struct top_session *s)
{
    struct stat st;
    if (s->control.is_finished || fstat(s->control_fd, &st) != 0 || st.st_nlink == 0)
        return true;
    if (s->control.drainer_beat != s->beat) {
        s->beat = s->control.drainer_beat;
        s->beat_ns = s->now.mono_ns;
    }
    s->is_silent = !s->control.is_by_hand && s->now.mono_ns - s->beat_ns > SILENT_NS;
    /* the command line waits for us then */
    if (s->is_inside && s->control.root_end != RF_ROOT_UNKNOWN && s->n_running == 0)
        return true;
    return (s->is_silent || s->control.is_by_hand) && s->n_running == 0;
}

/* Reads all that the session has once more, without counting it: what is open is known again. */
static void read_anew(struct top_session *s)
{
    const bool is_counting = s->ranges.is_counting;
    s->ranges.is_counting = false;
    for (size_t i = 0; i < s->n_processes; i++)
        if (!s->process[i].is_ended) {
            top_process_restart(&s->reading, &s->process[i]);
            s->process[i].log_at = 0;
        }
    s->n_pieces = 0;
    read_taken(s);
    read_processes(s);
    s->ranges.is_counting = is_counting;
}

enum top_state top_session_look(struct top_session *s)
{
    enum { MOST_TRIES = 5 };
    uint64_t n_missed = s->reading.n_missed_parts;
    (void)read_control(s);
    take_time(s);
    s->reading.n_looks++;
    add_processes(s);
    read_taken(s);
    read_processes(s);
    /* A file that was completed meanwhile has what went before it was read. */
    for (int i = 0; i < MOST_TRIES && s->reading.n_missed_parts != n_missed; i++) {
        (void)read_control(s);
        if (s->control.pieces.n_pieces == s->n_pieces)
            break;
        n_missed = s->reading.n_missed_parts;
        read_anew(s);
    }
    return is_over(s) ? TOP_IS_OVER : TOP_RUNS;
}

void top_session_end_interval(struct top_session *s)
{
    top_interval_end(&s->ranges, s->now.ticks);
    s->interval_end_ns = s->now.mono_ns;
}

void top_session_begin_interval(struct top_session *s)
{
    top_interval_begin(&s->ranges, s->now.ticks);
    s->interval_begin_ns = s->now.mono_ns;
    s->reading.counts = (struct top_counts){0};
    for (size_t i = 0; i < s->n_processes; i++)
        s->process[i].counts = (struct top_counts){0};
}

int top_session_open(struct top_session *s, const char *path, bool folds_numbers,
                     struct rf_err *err)
{
    memset(s, 0, sizeof(*s));
    s->dir = s->control_fd = -1;
    int status = open_control(s, path, err);
    if (status != RF_OK)
        return status;
    s->reading =
        (struct top_reading){.ranges = &s->ranges,
                             .control = &s->control,
                             .expander = s->zstd.handle != NULL ? rf_expander_new(&s->zstd) : NULL,
                             .part = malloc(RF_EXPANDED_ROOM),
                             .again = malloc(RF_PART_SIZE),
                             .defs = malloc(TOP_DEFS_ROOM)};
    s->ranges.texts.folds_all = folds_numbers;
    const bool has_expander = s->reading.expander != NULL || s->zstd.handle == NULL;
    if (!top_ranges_init(&s->ranges) || s->reading.part == NULL || s->reading.again == NULL ||
        s->reading.defs == NULL || !has_expander)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    allow_descriptors();
    s->is_inside = is_inside(s);
    take_time(s);
    s->beat = s->control.drainer_beat;
    s->beat_ns = s->now.mono_ns;
    s->phase = UINT64_MAX;
    (void)top_session_look(s); /* what is open, which may take a while; and what came meanwhile */
    (void)top_session_look(s);
    s->reading.n_missed_parts = s->reading.missed_bytes = 0;
    s->ranges.n_untracked = 0;
    s->ranges.is_counting = true;
    top_session_begin_interval(s);
    return RF_OK;
}

void top_session_close(struct top_session *s)
{
    for (size_t i = 0; i < s->n_processes; i++)
        top_process_release(&s->process[i]);
    free(s->process);
    rf_expander_free(s->reading.expander);
    rf_zstd_unload(&s->zstd);
    free(s->reading.part);
    free(s->reading.again);
    free(s->reading.defs);
    top_ranges_release(&s->ranges);
    if (s->control_fd >= 0)
        (void)close(s->control_fd);
    if (s->dir >= 0)
        (void)close(s->dir);
}
