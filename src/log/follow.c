/* SPDX-License-Identifier: Apache-2.0 */
/* Per process the states of the pool are noted, then the log is read to its end, then the pool: a
 * part that was not in the pool when its states were noted is in the log by then, or is lost. */
#include "log/follow.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "log/chunks.h"
#include "log/logged_part.h"
#include "log/pool_map.h"

#define BLOCK (1u << 20) /* of a log, read at once: it holds any part */
/* How far ahead of an earlier part one can stand in the log: its thread and the command line append
 * two at once. */
#define MAX_EARLY 8u

/* A part in the log that comes before one that was appended later. */
struct early {
    struct rf_logged_part is;
    uint64_t offset;
};

struct stream {
    struct rf_followed is;
    uint64_t seq;    /* of the part that is being read; 0: the first that comes */
    uint32_t at;     /* its bytes that were read; 0: nothing, not even its header */
    uint64_t ticks;  /* of its last record */
    uint64_t oldest; /* parts before this one are in the log, as of the beginning of the round */
};

struct process {
    struct rf_pool_map pool;
    bool is_bad; /* no pool of this session, or forgotten: it is left alone */
    uint64_t log_at;
    struct stream *stream; /* by slot */
    size_t n_streams, stream_room;
    struct early *early;
    size_t n_early, early_room;
};

struct rf_follow {
    const char *dir;
    const struct rf_control *control;
    struct rf_follow_calls calls;
    bool from_now_on;
    struct process *process;
    size_t n_processes, process_room;
    uint64_t n_unseen;
    uint8_t *block; /* BLOCK bytes */
    uint8_t *part;  /* RF_PART_SIZE bytes */
    struct rf_logged_parts logged;
    bool has_more;
};

/* ---- Records ---- */

static void break_off(struct rf_follow *f, struct stream *s, uint32_t tid, uint32_t serial)
{
    s->is.tid = tid;
    s->is.serial = serial;
    f->calls.on_break(f->calls.context, &s->is);
}

static void take_record(struct rf_follow *f, struct stream *s, const struct rf_record *r)
{
    if (r->type == RF_REC_THREAD && r->n_words > 1) {
        const uint64_t thread = rf_load64(r->words + 8);
        break_off(f, s, (uint32_t)thread, (uint32_t)(thread >> 32));
    } else if (r->type == RF_REC_THREAD_END) {
        break_off(f, s, s->is.tid, s->is.serial);
    } else {
        f->calls.on_record(f->calls.context, &s->is, r);
    }
}

/* part: the bytes of the part being read, up to `end` at least. */
static void take_records(struct rf_follow *f, struct stream *s, const uint8_t *part, uint32_t end)
{
    struct rf_stream_cursor c = {
        .at = part + s->at, .end = part + end, .ticks = s->ticks, .n_starts = s->is.n_starts};
    struct rf_stream_part lost;
    struct rf_record record;
    enum rf_stream_step step;
    while ((step = rf_stream_next(&c, &record, &lost)) != RF_STREAM_END) {
        s->is.n_starts = c.n_starts;
        if (step == RF_STREAM_PART)
            break_off(f, s, lost.tid, lost.serial);
        else
            take_record(f, s, &record);
    }
    s->is.n_starts = c.n_starts;
    s->ticks = c.ticks;
    s->at = end;
}

static void enter_part(struct rf_follow *f, struct stream *s, const uint8_t *part)
{
    struct rf_chunk_header chunk;
    struct rf_part_header header;
    memcpy(&chunk, part, sizeof(chunk));
    memcpy(&header, part + sizeof(chunk), sizeof(header));
    s->ticks = chunk.ticks;
    s->is.n_starts = header.first_start;
    if (header.lost_records > 0 || header.tid != s->is.tid || header.serial != s->is.serial)
        break_off(f, s, header.tid, header.serial);
    s->at = RF_PART_RECORDS_OFFSET;
}

/* The part that is being read is there whole: size bytes. */
static void take_part(struct rf_follow *f, struct stream *s, const uint8_t *part, uint32_t size)
{
    if (s->at == 0)
        enter_part(f, s, part);
    if (s->at < size)
        take_records(f, s, part, size);
    s->seq++;
    s->at = 0;
}

/* The parts from the one being read up to seq are not there any more. */
static void skip_to(struct rf_follow *f, struct stream *s, uint64_t seq)
{
    f->n_unseen += seq - s->seq;
    s->seq = seq;
    s->at = 0;
    break_off(f, s, s->is.tid, s->is.serial);
}

/* ---- Streams ---- */

static struct stream *find_stream(struct rf_follow *f, uint32_t process, uint32_t slot)
{
    struct process *p = &f->process[process];
    while (p->n_streams <= slot) {
        if (rf_grow_array(&p->stream, p->n_streams, &p->stream_room, sizeof(*p->stream)) != RF_OK)
            return NULL;
        p->stream[p->n_streams] =
            (struct stream){.is = {.process = process, .slot = (uint32_t)p->n_streams},
                            .seq = f->from_now_on ? 0 : 1};
        p->n_streams++;
    }
    return &p->stream[slot];
}

/* ---- The log ---- */

static int open_log(const struct rf_follow *f, uint32_t process)
{
    char path[PATH_MAX + 32];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s/p%06" PRIu32 ".log", f->dir, process);
    if (stat(path, &st) != 0 || (uint64_t)st.st_size <= f->process[process].log_at)
        return -1; /* nothing came */
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static void keep_early(struct process *p, const struct early *early)
{
    if (rf_grow_array(&p->early, p->n_early, &p->early_room, sizeof(*p->early)) == RF_OK)
        p->early[p->n_early++] = *early;
}

/* Takes the part that is being read, as the log has it. */
static void take_logged(struct rf_follow *f, struct stream *s, const uint8_t *chunk,
                        uint32_t stored)
{
    const struct rf_part_view view = rf_logged_part_view(&f->logged, chunk, stored);
    if (view.data != NULL)
        take_part(f, s, view.data, view.size);
}

/* Takes the parts that have their turn now. */
static void take_early(struct rf_follow *f, struct process *p, int fd, struct stream *s)
{
    for (size_t i = 0; i < p->n_early;) {
        const struct early early = p->early[i];
        if (early.is.slot != s->is.slot || early.is.seq > s->seq) {
            i++;
            continue;
        }
        p->early[i] = p->early[--p->n_early];
        if (early.is.seq == s->seq &&
            pread(fd, f->part, early.is.stored, (off_t)early.offset) == (ssize_t)early.is.stored)
            take_logged(f, s, f->part, early.is.stored);
        i = 0;
    }
}

/* What is missing before the part `limit` will not come: goes on with those behind it that are
 * there.
 */
static void skip_lost(struct rf_follow *f, struct process *p, int fd, struct stream *s,
                      uint64_t limit)
{
    while (s->seq != 0 && s->seq < limit) {
        uint64_t next = limit;
        for (size_t i = 0; i < p->n_early; i++)
            if (p->early[i].is.slot == s->is.slot && p->early[i].is.seq < next)
                next = p->early[i].is.seq;
        skip_to(f, s, next);
        take_early(f, p, fd, s);
    }
}

/* A chunk of the log, at this offset of it. */
static void take_chunk(struct rf_follow *f, uint32_t process, int fd, const struct rf_chunk *chunk,
                       uint64_t offset)
{
    const uint8_t *bytes = f->block + chunk->offset;
    struct rf_logged_part part;
    if (!rf_logged_part_read(&part, chunk, bytes, process))
        return;
    struct stream *s = find_stream(f, process, part.slot);
    if (s == NULL || part.is_carried)
        return;
    if (s->seq == 0)
        s->seq = part.seq;
    if (part.seq > s->seq + MAX_EARLY) /* what was there was recycled */
        skip_lost(f, &f->process[process], fd, s, part.seq);
    if (part.seq > s->seq)
        keep_early(&f->process[process], &(struct early){part, offset});
    if (part.seq != s->seq)
        return;
    take_logged(f, s, bytes, part.stored);
    take_early(f, &f->process[process], fd, s);
}

/* A thread was silent for so long that the low bits of its next record's time alone would mislead
 * (moments.h). */
static void take_moment(struct rf_follow *f, uint32_t process, const struct rf_chunk *chunk)
{
    const struct rf_chunk_header *header = &chunk->header;
    struct process *p = &f->process[process];
    struct rf_moment moment;
    if (header->type != RF_CHUNK_MOMENT || !chunk->is_complete || header->process != process ||
        header->slot >= p->n_streams || header->size < sizeof(moment))
        return;
    struct stream *s = &p->stream[header->slot];
    memcpy(&moment, f->block + chunk->offset + sizeof(*header), sizeof(moment));
    if (header->seq == s->seq && moment.size == s->at && header->ticks > s->ticks)
        s->ticks = header->ticks;
}

/* Takes the chunks of a block of the log, n bytes. Returns how many bytes are done with. */
static uint64_t take_block(struct rf_follow *f, uint32_t process, int fd, uint64_t n)
{
    struct rf_chunk_header header;
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    uint64_t at = 0;
    const uint64_t log_at = f->process[process].log_at;
    while (at < n) {
        if (rf_chunk_header_at(f->block, n, at, &header) && header.type == RF_CHUNK_RECYCLED) {
            if (header.size > INT64_MAX / 2)
                return n;
            at += sizeof(header) + header.size; /* a hole: beyond the block, mostly */
            continue;
        }
        rf_chunk_walk_init(&walk, f->block, n, at);
        if (!rf_chunk_walk_next(&walk, &chunk)) /* the end of a hole, or damage */
            return n < BLOCK ? at : n - sizeof(header);
        const uint64_t end = chunk.offset + chunk.size;
        if (!chunk.is_complete && end == n) /* it is being appended, or goes on behind the block */
            return n == BLOCK && chunk.offset == 0 ? n : chunk.offset;
        take_chunk(f, process, fd, &chunk, log_at + chunk.offset);
        take_moment(f, process, &chunk);
        at = end;
    }
    return at;
}

/* Where the log goes on behind a hole, in which no chunk was found. */
static uint64_t behind_hole(int fd, uint64_t at)
{
    const off_t data = lseek(fd, (off_t)at, SEEK_DATA);
    return data > (off_t)at ? (uint64_t)data : at;
}

/* Reads on in the log. Returns whether that was to its end: a part that a stream waits for, and
 * that was not there, is lost then. */
static bool read_log(struct rf_follow *f, uint32_t process)
{
    struct process *p = &f->process[process];
    int fd = open_log(f, process);
    uint64_t done = 1, n_bytes = 0;
    if (fd < 0)
        return true;
    if (p->log_at == 0)
        p->log_at = sizeof(struct rf_file_header);
    while (done > 0 && n_bytes < RF_FOLLOW_BYTES) {
        p->log_at = behind_hole(fd, p->log_at);
        ssize_t n = pread(fd, f->block, BLOCK, (off_t)p->log_at);
        done = n > 0 ? take_block(f, process, fd, (uint64_t)n) : 0;
        p->log_at += done;
        n_bytes += done < BLOCK ? done : BLOCK;
    }
    for (size_t i = 0; i < p->n_streams && done == 0; i++)
        skip_lost(f, p, fd, &p->stream[i], p->stream[i].oldest);
    (void)close(fd);
    return done == 0;
}

/* ---- The pool ---- */

static const struct rf_pool_slot *slot_of(const struct process *p, uint32_t slot)
{
    return (const struct rf_pool_slot *)(const void *)(p->pool.bytes + RF_POOL_HEADER_SIZE) + slot;
}

static uint32_t state_of(const struct rf_pool_part *part)
{
    return __atomic_load_n(&part->state, __ATOMIC_ACQUIRE);
}

static uint64_t seq_of(const struct rf_pool_part *part)
{
    return __atomic_load_n(&part->seq, __ATOMIC_RELAXED);
}

/* Notes which parts of a stream are in the log by now. A part that is free may be about to begin.
 */
static void note_oldest(const struct process *p, struct stream *s)
{
    const struct rf_pool_slot *slot = slot_of(p, s->is.slot);
    uint64_t oldest = UINT64_MAX, newest = 0;
    for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++) {
        const uint32_t state = state_of(&slot->part[i]);
        const uint64_t seq = seq_of(&slot->part[i]);
        newest = seq > newest ? seq : newest;
        if (state != RF_PART_FREE && seq != 0 && seq < oldest)
            oldest = seq;
    }
    s->oldest = oldest != UINT64_MAX ? oldest : newest;
}

/* Copies the records of a part that came since into f->part. Returns where they end; 0: the part
 * has left the pool meanwhile. */
static uint32_t copy_part(struct rf_follow *f, const struct stream *s, const uint8_t *bytes,
                          const struct rf_pool_part *part, bool *is_whole)
{
    const uint32_t state = state_of(part);
    const uint64_t seq = seq_of(part);
    const uint32_t from = s->at > 0 ? s->at : RF_PART_RECORDS_OFFSET;
    uint32_t end = __atomic_load_n(&part->size, __ATOMIC_RELAXED);
    *is_whole = state != RF_PART_ACTIVE;
    if (seq != s->seq || state == RF_PART_FREE)
        return 0;
    if (state == RF_PART_ACTIVE)
        end = rf_part_used_from(bytes, from, RF_PART_SIZE);
    if (end < from || end > RF_PART_SIZE || end % 8 != 0)
        return 0;
    /* acquire: the records before it were published before what was read of them so far */
    atomic_thread_fence(memory_order_acquire);
    if (s->at == 0)
        memcpy(f->part, bytes, RF_PART_RECORDS_OFFSET);
    memcpy(f->part + from, bytes + from, end - from);
    atomic_thread_fence(memory_order_acquire);
    return state_of(part) != RF_PART_FREE && seq_of(part) == seq ? end : 0;
}

/* Takes what the pool has of the part being read. Returns whether that was all of it. */
static bool take_pool_part(struct rf_follow *f, const struct process *p, struct stream *s,
                           uint32_t i)
{
    const struct rf_pool_slot *slot = slot_of(p, s->is.slot);
    const uint8_t *bytes = p->pool.bytes + rf_pool_part_offset(s->is.slot, i);
    bool is_whole;
    const uint32_t end = copy_part(f, s, bytes, &slot->part[i], &is_whole);
    if (end == 0)
        return false;
    if (is_whole) {
        take_part(f, s, f->part, end);
        return true;
    }
    if (s->at == 0)
        enter_part(f, s, f->part);
    if (s->at < end)
        take_records(f, s, f->part, end);
    return false;
}

static void read_stream(struct rf_follow *f, struct process *p, struct stream *s)
{
    if (s->seq == 0)
        s->seq = s->oldest;
    for (uint32_t i = 0; i < 2 * RF_PARTS_PER_SLOT; i++)
        (void)take_pool_part(f, p, s, i % RF_PARTS_PER_SLOT);
}

/* ---- All ---- */

static void note_streams(struct rf_follow *f, uint32_t process, uint32_t n_slots)
{
    struct process *p = &f->process[process];
    if (n_slots > 0 && find_stream(f, process, n_slots - 1) == NULL)
        return;
    for (uint32_t slot = 0; slot < n_slots; slot++)
        note_oldest(p, &p->stream[slot]);
}

static void follow_process(struct rf_follow *f, uint32_t process)
{
    struct process *p = &f->process[process];
    if (p->is_bad || !rf_pool_map(&p->pool, f->dir, process, RF_POOL_SLOTS_END, PROT_READ))
        return;
    const struct rf_pool_header *header = (const void *)p->pool.bytes;
    const uint32_t n_slots = __atomic_load_n(&header->n_slots, __ATOMIC_ACQUIRE);
    if (n_slots == 0)
        return; /* it may still be in the making */
    if (!rf_pool_is_sound(header, f->control)) {
        rf_follow_forget(f, process);
        return;
    }
    if (!rf_pool_map(&p->pool, f->dir, process, rf_pool_part_offset(n_slots, 0), PROT_READ))
        return;
    note_streams(f, process, n_slots);
    const bool is_at_end = read_log(f, process);
    f->has_more |= !is_at_end;
    for (uint32_t slot = 0; slot < n_slots && slot < p->n_streams && is_at_end; slot++)
        read_stream(f, p, &p->stream[slot]);
}

bool rf_follow_round(struct rf_follow *f)
{
    const uint32_t n = __atomic_load_n(&f->control->n_processes, __ATOMIC_ACQUIRE);
    f->has_more = false;
    while (f->n_processes < n && n <= RF_FOLLOW_PROCESSES) {
        if (rf_grow_array(&f->process, f->n_processes, &f->process_room, sizeof(*f->process)) != 0)
            break;
        f->process[f->n_processes++] = (struct process){.log_at = 0};
    }
    for (uint32_t i = 0; i < f->n_processes; i++)
        follow_process(f, i);
    return f->has_more;
}

uint32_t rf_follow_n_processes(const struct rf_follow *f)
{
    return (uint32_t)f->n_processes;
}

const struct rf_pool_header *rf_follow_pool(const struct rf_follow *f, uint32_t process)
{
    const struct process *p = &f->process[process];
    return p->n_streams > 0 ? (const void *)p->pool.bytes : NULL;
}

struct rf_followed *rf_follow_stream(const struct rf_follow *f, uint32_t process, uint32_t slot)
{
    return process < f->n_processes && slot < f->process[process].n_streams
               ? &f->process[process].stream[slot].is
               : NULL;
}

uint64_t rf_follow_n_unseen(const struct rf_follow *f)
{
    return f->n_unseen;
}

void rf_follow_forget(struct rf_follow *f, uint32_t process)
{
    struct process *p = &f->process[process];
    for (size_t i = 0; i < p->n_streams; i++)
        f->calls.on_end(f->calls.context, &p->stream[i].is);
    rf_pool_unmap(&p->pool);
    free(p->stream);
    free(p->early);
    *p = (struct process){.is_bad = true};
}

struct rf_follow *rf_follow_new(const char *session_dir, const struct rf_control *control,
                                const struct rf_follow_calls *calls, bool from_now_on)
{
    struct rf_follow *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    *f = (struct rf_follow){.dir = session_dir,
                            .control = control,
                            .calls = *calls,
                            .from_now_on = from_now_on,
                            .block = malloc(BLOCK),
                            .part = malloc(RF_PART_SIZE)};
    if (f->block != NULL && f->part != NULL)
        return f;
    rf_follow_free(f);
    return NULL;
}

void rf_follow_free(struct rf_follow *f)
{
    if (f == NULL)
        return;
    for (uint32_t i = 0; i < f->n_processes; i++)
        rf_follow_forget(f, i);
    free(f->process);
    rf_logged_parts_release(&f->logged);
    free(f->block);
    free(f->part);
    free(f);
}
