/* SPDX-License-Identifier: Apache-2.0 */
/* One capture of a focused run as a file of its own, while the run may go on.
 *
 * Per stream the file has what its past leaves open (open_ranges.c), in parts made for it, and then
 * the records from a little before the capture begins to a little after it ends: which of them lie
 * in it is decided by who reads the file, as it is for a whole session. What a recorder still
 * changes in its parts was recorded after the capture, and is left out; a part's end that is read
 * while it changes is not used (reader_dir.c).
 *
 * CUDA tells of the GPU work of a capture when it is done, which may be after the capture: CUDA
 * records behind it are in the file too, until the one after the next begins. */
#include "log/pack_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "log/clock_reading.h"
#include "log/liveness.h"
#include "log/metrics.h"
#include "log/made_parts.h"
#include "log/open_domains.h"
#include "log/open_ranges.h"
#include "log/packer.h"
#include "log/ticks.h"

/* Times in a stream can go back by what a signal handler took between two instructions. */
#define SLACK_TICKS (1ULL << 20)
/* What a capture launched is told of within that: five seconds, of the fastest clock. */
#define CUDA_TICKS (1ULL << 35)

/* A session as it was for a capture, and what was open when that began. */
struct walk {
    struct rf_log log;
    struct rf_open_ranges open;
};

struct rf_captures {
    struct walk *last; /* for the next one; NULL: none */
};

struct capture {
    struct rf_packer to;
    struct walk *walk;
    struct rf_control *control;
    uint32_t number;
    uint64_t from, until; /* ticks; both with slack */
    uint64_t cuda_until;  /* ticks; the same for CUDA records */
    uint64_t end_ticks;
    uint64_t *life;              /* per process: its latest sign of life after the capture, or 0 */
    uint64_t n_lost, lost_bytes; /* in parts that are left out */

    struct rf_made made;
    struct rf_err *err;
};

static int write_part(void *context, const struct rf_chunk_header *chunk, const void *payload,
                      size_t size)
{
    struct capture *c = context;
    return rf_packer_write_chunk(&c->to, *chunk, payload, size);
}

/* ---- Parts that are copied ---- */

/* Where in a part the capture is over. Text goes on behind it, and DATA of its last record. */
struct tail {
    const uint8_t *end;
    uint64_t beyond;   /* the time of the record there; 0: the part's end */
    bool is_text_open; /* the text of its last record goes on */
};

static bool has_more(const struct rf_record *r)
{
    if (r->n_words < 2)
        return false;
    if (r->type == RF_REC_TEXT)
        return (int)(rf_load64(r->words + 8) & 1);
    return (r->type == RF_REC_PUSH || r->type == RF_REC_START || r->type == RF_REC_MARK) &&
           (rf_load64(r->words + 8) & RF_ATTR_MORE) != 0;
}

static struct tail find_tail(struct rf_stream_cursor cursor, uint64_t until, bool is_text_open)
{
    struct tail tail = {.is_text_open = is_text_open};
    struct rf_stream_part part;
    struct rf_record r;
    enum rf_stream_step step;
    rf_stream_open_part(&cursor);
    tail.end = cursor.at;
    while ((step = rf_stream_next(&cursor, &r, &part)) != RF_STREAM_END) {
        if (step == RF_STREAM_PART) {
            rf_stream_open_part(&cursor);
            tail.end = cursor.at;
            continue;
        }
        if (r.ticks > until && r.type != RF_REC_DATA &&
            !(tail.is_text_open && r.type == RF_REC_TEXT)) {
            tail.beyond = r.ticks;
            break;
        }
        tail.is_text_open = has_more(&r);
        tail.end = cursor.at;
    }
    return tail;
}

/* Where the bytes of a part begin. */
static const uint8_t *bytes_of(struct capture *c, const struct rf_log_part *part)
{
    return rf_part_view(&c->walk->open.parts, part).data;
}

/* The records of a part from `from` to `end`, with headers that fit. */
static int write_piece(struct capture *c, const struct rf_open_stream *s, const uint8_t *from,
                       const uint8_t *end)
{
    const struct rf_log_part *part = s->at.part - 1;
    const bool is_begin = from == s->at.begin + RF_PART_RECORDS_OFFSET;
    const struct rf_open_thread *thread = &s->thread[s->n_threads - 1];
    struct rf_chunk_header chunk = rf_part_chunk(part);
    struct rf_part_header header = rf_part_header(part);
    if (!is_begin) {
        header.lost_records = header.lost_bytes = 0;
        chunk.ticks = s->at.ticks;
        chunk.mono_ns = 0;
    }
    header.first_start = s->at.n_starts;
    header.tid = thread->tid;
    header.serial = thread->serial;
    header.is_first = true;
    if (end == from && header.lost_records == 0)
        return RF_OK;
    chunk.seq = ++c->made.chunk.seq;
    memcpy(c->made.part, &header, sizeof(header));
    memcpy(c->made.part + sizeof(header), from, (size_t)(end - from));
    return rf_packer_write_chunk(&c->to, chunk, c->made.part,
                                 sizeof(header) + (size_t)(end - from));
}

static int write_copy(struct capture *c, const struct rf_log_part *part, uint64_t seq,
                      const uint8_t *end)
{
    struct rf_chunk_header chunk = rf_part_chunk(part);
    chunk.seq = seq;
    const uint8_t *bytes = bytes_of(c, part);
    return rf_packer_write_chunk(&c->to, chunk, bytes + sizeof(chunk),
                                 (uint64_t)(end - bytes) - sizeof(chunk));
}

static void see_life(struct capture *c, const struct rf_open_stream *s, uint64_t ticks)
{
    if (ticks > c->life[s->process])
        c->life[s->process] = ticks;
}

/* The parts behind the capture are left out. What was lost before the first of them may have been
 * part of it: its headers say so. */
static int leave_out(struct capture *c, const struct rf_open_stream *s,
                     const struct rf_log_part *part, uint64_t base, bool is_over)
{
    const struct rf_log_part *end = s->part + s->n_parts;
    int status = RF_OK;
    for (const struct rf_log_part *at = part; at < end; at++) {
        const struct rf_part_header header = rf_part_header(at);
        see_life(c, s, rf_part_chunk(at).ticks);
        if (at == part && !is_over && (header.lost_records > 0 || at->seq != at[-1].seq + 1)) {
            status = write_copy(c, at, base + at->seq, bytes_of(c, at) + RF_PART_RECORDS_OFFSET);
            continue;
        }
        c->n_lost += header.lost_records;
        c->lost_bytes += header.lost_bytes;
    }
    return status;
}

/* ---- CUDA records behind the capture ---- */

/* Where the copy of a stream ends. */
struct copied {
    const struct rf_log_part *part;
    size_t offset; /* in it */
};

/* Parts are made for them, each of the thread that wrote its records. */
static int write_cuda(struct capture *c, const struct rf_open_stream *s,
                      const struct copied *copied)
{
    struct rf_stream_cursor cursor = s->at;
    struct rf_stream_part part;
    struct rf_record r;
    enum rf_stream_step step;
    const struct rf_open_thread *thread = &s->thread[s->n_threads - 1];
    uint64_t who = thread->tid | (uint64_t)thread->serial << 32;
    int status = RF_OK;
    cursor.part_end = s->part + s->n_parts;
    rf_stream_resume(&cursor, &c->walk->open.parts);
    while (status == RF_OK && (step = rf_stream_next(&cursor, &r, &part)) != RF_STREAM_END) {
        const struct rf_log_part *at = cursor.part - 1;
        if (step == RF_STREAM_PART)
            rf_part_reader_drop(&c->walk->open.parts, s->part, at);
        if (step == RF_STREAM_PART)
            who = part.tid | (uint64_t)part.serial << 32;
        else if (r.type == RF_REC_THREAD && r.n_words > 1)
            who = rf_load64(r.words + 8);
        if (step == RF_STREAM_PART || r.type != RF_REC_CUDA || r.is_long || at < copied->part ||
            (at == copied->part && (size_t)(r.words - cursor.begin) < copied->offset))
            continue;
        if (r.ticks > c->cuda_until)
            break;
        if (c->made.size > 0 && who != (c->made.tid | (uint64_t)c->made.serial << 32))
            status = rf_made_write(&c->made);
        c->made.tid = (uint32_t)who;
        c->made.serial = (uint32_t)(who >> 32);
        c->made.n_starts = cursor.n_starts;
        if (status == RF_OK)
            status = rf_made_add(&c->made, r.words, r.n_words, r.ticks);
    }
    return status == RF_OK ? rf_made_write(&c->made) : status;
}

/* Its first record belongs to the part before it. */
static bool begins_with_data(const struct rf_log_part *part)
{
    return rf_part_first_type(part) == RF_REC_DATA;
}

static const uint8_t *end_of(struct capture *c, const struct rf_log_part *part)
{
    const struct rf_part_view view = rf_part_view(&c->walk->open.parts, part);
    return view.data + (view.size & ~7u);
}

/* The capture's own records of a stream, the part in which they begin first. */
static int write_rest(struct capture *c, const struct rf_open_stream *s)
{
    const struct rf_log_part *part = s->at.part - 1, *end = s->part + s->n_parts;
    struct rf_stream_cursor cursor = s->at;
    cursor.part_end = part + 1;
    struct tail tail = find_tail(cursor, c->until, 0);
    int status = write_piece(c, s, s->at.at, tail.end);
    uint64_t base = c->made.chunk.seq - part->seq;
    struct copied copied = {part, (size_t)(tail.end - s->at.begin)};
    see_life(c, s, tail.beyond);
    for (part++; part < end && status == RF_OK && tail.beyond == 0; part++) {
        uint64_t next = part + 1 < end ? rf_part_chunk(part + 1).ticks : UINT64_MAX;
        if (rf_part_chunk(part).ticks > c->until && !tail.is_text_open && !begins_with_data(part))
            break;
        rf_stream_init(&cursor, &c->walk->open.parts, part, 1);
        if (next > c->until)
            tail = find_tail(cursor, c->until, tail.is_text_open);
        else
            tail.end = end_of(c, part);
        see_life(c, s, tail.beyond);
        status = write_copy(c, part, base + part->seq, tail.end);
        copied = (struct copied){part, (size_t)(tail.end - bytes_of(c, part))};
        rf_part_reader_drop(&c->walk->open.parts, s->part, part);
    }
    if (status == RF_OK)
        status = leave_out(c, s, part, base, tail.beyond != 0);
    c->made.chunk.seq = base + end[-1].seq;
    if (status != RF_OK || !rf_open_domains_has_cuda(c->walk->open.domains, s->process))
        return status;
    return write_cuda(c, s, &copied);
}

static int write_streams(struct capture *c)
{
    uint32_t n = 0, at = 0;
    uint32_t *list = rf_open_ranges_list(&c->walk->open, &n);
    int status =
        list != NULL ? RF_OK : rf_fail(c->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    for (uint32_t i = 0; i < c->walk->open.n_streams && status == RF_OK; i++) {
        struct rf_open_stream *s = &c->walk->open.stream[i];
        uint32_t end = at;
        while (end < n && c->walk->open.record[list[end]].stream == i)
            end++;
        rf_made_begin(&c->made, s, c->walk->log.process[s->process].number, 0);
        status = rf_made_write_open(&c->made, s, list + at, end - at);
        if (status == RF_OK && s->has_rest)
            status = write_rest(c, s);
        rf_part_reader_drop(&c->walk->open.parts, s->part, s->part + s->n_parts);
        at = end;
    }
    free(list);
    return status;
}

/* ---- Definitions and the control page ---- */

/* A process that was there after the capture did not end in it, though its last record in the file
 * may be older. */
static int write_alive(struct capture *c, uint32_t process, uint64_t offset)
{
    const struct rf_log_process *log = &c->walk->log.process[process];
    uint64_t ticks = c->life[process];
    if (ticks <= c->end_ticks && rf_is_this_boot(c->control) &&
        rf_log_process_liveness(&c->walk->log, log) != RF_LIVENESS_ENDED)
        ticks = rf_ticks(c->control->clock_kind);
    if (ticks <= c->end_ticks || offset == 0)
        return RF_OK;
    struct rf_def def[2] = {{.head = rf_head_of(ticks, RF_REC_PROCESS, 0),
                             .n_words = sizeof(def[0]) / 8,
                             .index = RF_PROC_TIME,
                             .value = ticks,
                             .text_size = RF_NO_TEXT}};
    struct rf_chunk_header header = {.type = RF_CHUNK_DEFS, .process = log->number, .seq = offset};
    def[1] = def[0];
    def[1].index = RF_PROC_ALIVE;
    def[1].value = 0;
    return rf_packer_write_chunk(&c->to, header, def, sizeof(def));
}

/* The file's times shall not depend on when it is read: a pair of clocks of now. */
static void add_clock(struct rf_control *control)
{
    uint32_t place = 0;
    if (!rf_is_this_boot(control) || control->is_finished)
        return;
    for (uint32_t i = 0; i < RF_N_QUALITIES; i++) {
        if (control->clock[i].real_ns == 0) {
            place = i;
            break;
        }
        if (control->clock[i].ticks > control->clock[place].ticks)
            place = i;
    }
    rf_control_read_clocks(control, place);
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Leaves the one window in it. */
static int write_early_control(struct capture *c)
{
    struct rf_control *control = c->control;
    struct rf_capture_window window = control->window[c->number % RF_MAX_WINDOWS];
    memset(control->window, 0, sizeof(control->window));
    control->window[0] = window;
    control->n_windows = 1;
    control->n_left_out = c->number;
    return rf_packer_write_early_control(&c->to, control);
}

static int write_control(struct capture *c)
{
    struct rf_control *control = c->control;
    control->lost_records = less(control->lost_records, c->walk->open.n_lost_records + c->n_lost);
    control->lost_bytes = less(control->lost_bytes, c->walk->open.lost_bytes + c->lost_bytes);
    add_clock(control);
    return rf_packer_write_control(&c->to, control);
}

/* ---- GPU metrics ---- */

static bool is_description(const struct rf_log_metrics *metrics)
{
    struct rf_metrics_head head;
    memcpy(&head, metrics->data + sizeof(struct rf_chunk_header), sizeof(head));
    return head.kind == RF_METRICS_DESCRIPTION;
}

/* A chunk holds what came since the one before it was written. */
static int write_metrics(struct capture *c)
{
    int status = RF_OK;
    for (size_t i = 0; i < c->walk->log.n_metrics && status == RF_OK; i++) {
        const struct rf_log_metrics *metrics = &c->walk->log.metrics[i];
        uint64_t since = i > 0 && metrics[-1].slot == metrics->slot ? metrics[-1].ticks : 0;
        if (is_description(metrics) || (metrics->ticks >= c->from && since <= c->until))
            status = rf_packer_write_metrics(&c->to, metrics);
    }
    return status;
}

static int write_all(struct capture *c)
{
    uint64_t *used = calloc(c->walk->log.n_processes + 1, sizeof(*used));
    int status = used != NULL ? write_early_control(c)
                              : rf_fail(c->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    for (uint32_t i = 0; i < c->walk->log.n_processes && status == RF_OK; i++)
        status = rf_packer_write_defs(&c->to, &c->walk->log.process[i], &used[i]);
    if (status == RF_OK)
        status = write_streams(c);
    if (status == RF_OK)
        status = write_metrics(c);
    for (uint32_t i = 0; i < c->walk->log.n_processes && status == RF_OK; i++)
        status = write_alive(c, i, used[i]);
    free(used);
    if (status == RF_OK)
        status = write_control(c);
    return status == RF_OK ? rf_packer_write_index(&c->to) : status;
}

/* ---- The capture ---- */

/* Looks whether the capture is there and has ended: before the session is read, so that all of it
 * was recorded by then. */
static int check_window(const struct rf_control *control, const char *session_dir, uint32_t number,
                        struct rf_err *err)
{
    uint64_t phase = control->capture.word >> RF_CAPTURE_PHASE_SHIFT & RF_CAPTURE_PHASE_MASK;
    uint32_t n_begun = (uint32_t)(phase + 1) / 2;
    const struct rf_capture_window *window = &control->window[number % RF_MAX_WINDOWS];
    if (memcmp(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic)) != 0 ||
        control->records_all != 0)
        return rf_fail(err, RF_ERR_USAGE, "'%s' is no session of captures", session_dir);
    if (n_begun < control->n_windows)
        n_begun = control->n_windows;
    if (number >= control->n_windows || n_begun - number > RF_MAX_WINDOWS)
        return rf_fail(err, RF_ERR_USAGE, "'%s' has no capture %u", session_dir, number + 1);
    if (window->end_ticks == 0)
        return rf_fail(err, RF_ERR_USAGE, "capture %u of '%s' has not ended", number + 1,
                       session_dir);
    return RF_OK;
}

static int read_control(struct capture *c, const char *session_dir)
{
    char *path = NULL;
    ssize_t n = -1;
    if (asprintf(&path, "%s/%s", session_dir, RF_CONTROL_FILE) < 0)
        return rf_fail(c->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        n = pread(fd, c->control, sizeof(*c->control), 0);
    int code = errno;
    if (fd >= 0)
        (void)close(fd);
    free(path);
    if (n != (ssize_t)sizeof(*c->control))
        return rf_fail(c->err, RF_ERR_FORMAT, "'%s' is no session directory: %s", session_dir,
                       n < 0 ? strerror(code) : "its control page is cut short");
    return check_window(c->control, session_dir, c->number, c->err);
}

/* When the capture after the next began; UINT64_MAX: it has not. */
static uint64_t begin_of_second(const struct rf_control *control, uint32_t number)
{
    const struct rf_capture_window *second = &control->window[(number + 2) % RF_MAX_WINDOWS];
    return number + 2 < control->n_windows && second->begin_ticks != 0 ? second->begin_ticks
                                                                       : UINT64_MAX;
}

static void free_walk(struct walk *walk)
{
    if (walk == NULL)
        return;
    rf_open_ranges_release(&walk->open);
    rf_log_close(&walk->log);
    free(walk);
}

/* Goes on where the walk for the capture before ended. */
static int find_open_from(struct capture *c, struct rf_captures *captures)
{
    struct rf_open_ranges none = {.log = NULL};
    struct walk *last = captures != NULL ? captures->last : NULL;
    const int status = rf_open_ranges_go_on(&c->walk->open, last != NULL ? &last->open : &none,
                                            &c->walk->log, c->from);
    free_walk(last);
    if (captures != NULL)
        captures->last = NULL;
    return status;
}

static int find_open(struct capture *c, struct rf_captures *captures)
{
    const struct rf_capture_window *window =
        &c->walk->log.control.window[c->number % RF_MAX_WINDOWS];
    c->from = less(window->begin_ticks, SLACK_TICKS);
    c->end_ticks = window->end_ticks;
    c->until = c->end_ticks > UINT64_MAX - SLACK_TICKS ? UINT64_MAX : c->end_ticks + SLACK_TICKS;
    c->cuda_until = begin_of_second(&c->walk->log.control, c->number);
    if (less(c->cuda_until, c->until) < CUDA_TICKS) /* captures come quickly */
        c->cuda_until = c->until > UINT64_MAX - CUDA_TICKS ? UINT64_MAX : c->until + CUDA_TICKS;
    *c->control = c->walk->log.control;
    c->life = calloc(c->walk->log.n_processes + 1, sizeof(*c->life));
    c->made = (struct rf_made){
        .write = write_part, .context = c, .open = &c->walk->open, .part = malloc(RF_PART_SIZE)};
    if (c->life == NULL || c->made.part == NULL || find_open_from(c, captures) != RF_OK)
        return rf_fail(c->err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    return RF_OK;
}

static int write_file(struct capture *c, const char *output, bool can_overwrite,
                      struct rf_packed *packed)
{
    int status = rf_packer_compress_as(&c->to, c->control);
    if (status == RF_OK)
        status = rf_packer_open(&c->to, output, can_overwrite, c->control);
    if (status == RF_OK)
        status = write_all(c);
    const struct rf_packed result = rf_packed_of(&c->to, &c->walk->log);
    status = rf_packer_finish(&c->to, status);
    if (packed != NULL && status == RF_OK) {
        *packed = result;
        rf_packed_read_control(packed, c->control);
    }
    return status;
}

int rf_pack_capture(struct rf_captures *captures, const char *session_dir, const char *output,
                    bool can_overwrite, uint32_t window, struct rf_packed *packed,
                    struct rf_err *err)
{
    struct capture c = {.to = {.out = {.fd = -1}, .err = err}, .number = window, .err = err};
    bool is_walked = false;
    int status = rf_packer_check_output(output, can_overwrite, err);
    if (status == RF_OK && ((c.control = malloc(sizeof(*c.control))) == NULL ||
                            (c.walk = calloc(1, sizeof(*c.walk))) == NULL))
        status = rf_fail(err, RF_ERR_NO_MEMORY, "cannot pack: out of memory");
    if (status == RF_OK)
        status = read_control(&c, session_dir);
    if (status == RF_OK)
        status = rf_log_open(&c.walk->log, session_dir, 0, err);
    if (status == RF_OK) {
        status = find_open(&c, captures);
        is_walked = status == RF_OK;
    }
    if (status == RF_OK)
        status = write_file(&c, output, can_overwrite, packed);
    if (is_walked && captures != NULL)
        captures->last = c.walk;
    else
        free_walk(c.walk);
    free(c.control);
    free(c.life);
    free(c.made.part);
    return status;
}

struct rf_captures *rf_captures_new(void)
{
    return calloc(1, sizeof(struct rf_captures));
}

void rf_captures_free(struct rf_captures *captures)
{
    if (captures != NULL)
        free_walk(captures->last);
    free(captures);
}
