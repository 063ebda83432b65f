/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/top/top_decode.h"
#include "cli/top/top_defs.h"
#include "cli/top/top_log.h"
#include "log/chunks.h"
#include "rangefinder/rangefinder.h"

/* ---- Files ---- */

static int open_file(int dir, uint32_t number, const char *suffix)
{
    char name[32];
    struct stat st;
    (void)snprintf(name, sizeof(name), "p%06" PRIu32 ".%s", number, suffix);
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static void open_files(struct top_process *p, int dir)
{
    if (p->pool_fd < 0)
        p->pool_fd = open_file(dir, p->number, "pool");
    if (p->log_fd < 0)
        p->log_fd = open_file(dir, p->number, "log");
    if (p->defs_fd < 0)
        p->defs_fd = open_file(dir, p->number, "defs");
}

void top_process_open(struct top_process *p, int dir, uint32_t number, uint32_t index)
{
    *p = (struct top_process){.number = number,
                              .index = index,
                              .parent = TOP_NONE,
                              .pool_fd = -1,
                              .log_fd = -1,
                              .defs_fd = -1};
    open_files(p, dir);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void top_process_retire(struct top_process *p)
{
    close_fd(&p->pool_fd);
    close_fd(&p->log_fd);
    close_fd(&p->defs_fd);
    free(p->stream);
    free(p->ref);
    p->stream = NULL;
    p->ref = NULL;
    p->n_streams = 0;
    p->n_refs = p->ref_room = 0;
}

void top_process_release(struct top_process *p)
{
    top_process_retire(p);
    free(p->string);
    free(p->domain);
    top_map_release(&p->tid_name);
}

static uint64_t bytes_of(int fd)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

/* A process that has begun has all files: where one is not there the session is being removed, and
 * without its names nothing of the process can be shown. */
bool top_process_look(struct top_reading *reading, struct top_process *p, int dir)
{
    struct rf_pool_header *header = &p->header;
    open_files(p, dir);
    p->is_begun = p->pool_fd >= 0 &&
                  top_read_at(p->pool_fd, header, sizeof(*header), 0) == sizeof(*header) &&
                  memcmp(header->magic, RF_POOL_MAGIC, sizeof(header->magic)) == 0 &&
                  memcmp(header->session_id, reading->control->session_id, 16) == 0;
    open_files(p, dir); /* they may have come just before it began */
    p->is_begun = p->is_begun && p->log_fd >= 0 && p->defs_fd >= 0;
    p->pool_bytes = bytes_of(p->pool_fd);
    p->log_bytes = bytes_of(p->log_fd);
    return p->is_begun;
}

/* ---- Parts ---- */

static int compare_refs(const void *left, const void *right)
{
    const struct top_ref *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    if (a->seq != b->seq)
        return a->seq < b->seq ? -1 : 1;
    return (b->carried_from != 0) - (a->carried_from != 0); /* what stands for others first */
}

static bool make_streams(struct top_reading *reading, struct top_process *p, uint32_t n)
{
    if (n <= p->n_streams)
        return true;
    const uint32_t room = n + n / 2 + 8;
    struct top_stream *grown = realloc(p->stream, room * sizeof(*grown));
    if (grown == NULL) {
        reading->ranges->is_out_of_memory = true;
        return false;
    }
    for (uint32_t i = p->n_streams; i < room; i++)
        grown[i] = (struct top_stream){.thread = TOP_NONE};
    p->stream = grown;
    p->n_streams = room;
    return true;
}

/* Goes to the part `seq` of a stream, past those that are gone. part: its bytes, if it is not the
 * one that is being read. Events that the recorder dropped were not missed by us. */
static void go_to(struct top_reading *reading, struct top_stream *s, uint64_t seq,
                  const uint8_t *part)
{
    struct rf_part_header header;
    if (seq == s->seq)
        return;
    memcpy(&header, part + sizeof(struct rf_chunk_header), sizeof(header));
    if (s->seq != 0 && seq > s->seq + s->is_taken && header.lost_records == 0) {
        reading->n_missed_parts += seq - s->seq;
        reading->missed_bytes += (seq - s->seq) * RF_PART_SIZE - s->offset;
    }
    s->offset = 0;
    s->is_taken = false;
    s->seq = seq;
}

/* Whether something is missing before a part. */
static bool has_gap(const struct top_stream *s, uint64_t seq)
{
    return seq != s->seq && !(s->is_taken && seq == s->seq + 1);
}

/* Decodes the records of a part from where it was read up to, to size. bytes: those from `from` on
 * (0, or s->offset). */
static void feed(struct top_reading *reading, struct top_process *p, struct top_stream *s,
                 const uint8_t *bytes, uint32_t from, uint32_t size, bool is_gap, bool is_counted)
{
    p->has_new_defs = false;
    if (s->offset == 0) {
        top_decode_part(reading, p, s, bytes, is_gap);
        s->offset = RF_PART_RECORDS_OFFSET;
    }
    if (size > s->offset)
        top_decode(reading, p, s, bytes + (s->offset - from), size - s->offset, is_counted);
    s->offset = size;
}

/* Reads a part of the log. Returns false where it has gone since it was listed. */
static bool read_ref(struct top_reading *reading, struct top_process *p, struct top_stream *s,
                     const struct top_ref *ref)
{
    const bool is_carried = ref->carried_from != 0;
    const bool is_gap = has_gap(s, ref->seq) || is_carried;
    if (is_gap || s->seq != ref->seq || s->offset < ref->size) {
        if (!top_log_read_part(reading, p, ref))
            return false;
        go_to(reading, s, ref->seq, reading->part);
        if (is_carried &&
            s->offset != 0) { /* it stands for a part of which we know the beginning */
            reading->n_missed_parts++;
            reading->missed_bytes += RF_PART_SIZE - s->offset;
            s->offset = 0;
        }
        feed(reading, p, s, reading->part, 0, ref->size, is_gap, !is_carried);
    }
    s->seq++;
    s->offset = 0;
    s->is_taken = false;
    return true;
}

static bool read_slot(const struct top_process *p, uint32_t slot, struct rf_pool_slot *header)
{
    const uint64_t at = RF_POOL_HEADER_SIZE + (uint64_t)slot * sizeof(*header);
    return top_read_at(p->pool_fd, header, sizeof(*header), at) == sizeof(*header);
}

/* The bytes of whole records at the start of n bytes; a zero word 0 ends them. */
static uint32_t used_bytes(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    while (at + 8 <= n) {
        const uint64_t head = rf_load64(bytes + at);
        uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (n_words == 0 && at + 16 <= n)
            n_words = rf_load64(bytes + at + 8) >> 32;
        if (head == 0 || n_words == 0 || n_words > (n - at) / 8)
            break;
        at += (size_t)n_words * 8;
    }
    return (uint32_t)at;
}

/* Reads what is new of a part in the pool. Returns false where it left the pool meanwhile. */
static bool read_pool_part(struct top_reading *reading, struct top_process *p, uint32_t slot,
                           uint32_t which, const struct rf_pool_part *part)
{
    struct top_stream *s = &p->stream[slot];
    struct rf_pool_slot now;
    const bool is_gap = has_gap(s, part->seq), is_active = part->state == RF_PART_ACTIVE;
    const uint32_t from = s->seq != part->seq ? 0 : s->offset;
    const uint32_t limit = is_active ? RF_PART_SIZE : part->size;
    const uint64_t at = rf_pool_part_offset(slot, which) + from;
    if (limit > RF_PART_SIZE || limit < RF_PART_RECORDS_OFFSET || limit < from)
        return true; /* overwritten by the program */
    const uint32_t begin = from == 0 ? RF_PART_RECORDS_OFFSET : 0;
    uint64_t word = 0;
    if (is_active && from != 0 &&
        (from + 8 > RF_PART_SIZE || top_read_at(p->pool_fd, &word, 8, at) != 8 || word == 0))
        return true; /* nothing is new */
    size_t n = top_read_at(p->pool_fd, reading->part, limit - from, at);
    if (n < begin)
        return true;
    n = begin + used_bytes(reading->part + begin, n - begin);
    /* what the first reading shows as published is there whole in the second one */
    if (top_read_at(p->pool_fd, reading->again, n, at) != n || !read_slot(p, slot, &now) ||
        now.part[which].seq != part->seq || now.part[which].state == RF_PART_FREE)
        return false; /* free: the next one may be begun in it already */
    go_to(reading, s, part->seq, reading->again);
    feed(reading, p, s, reading->again, from, from + (uint32_t)n, is_gap, true);
    if (!is_active && s->offset >= part->size) {
        s->seq++;
        s->offset = 0;
        s->is_taken = false;
    }
    return true;
}

/* ---- Streams ---- */

/* Reads the parts of a slot in their order: those of the log, then those of the pool as `header`
 * had them before the log was listed. Returns how many of the n parts of the log were dealt with.
 */
static size_t read_stream(struct top_reading *reading, struct top_process *p, uint32_t slot,
                          const struct rf_pool_slot *header, const struct top_ref *ref, size_t n)
{
    struct top_stream *s = &p->stream[slot];
    size_t done = 0;
    const uint32_t older = header->part[0].seq <= header->part[1].seq ? 0 : 1;
    for (uint32_t i = 0; i <= RF_PARTS_PER_SLOT; i++) {
        const uint32_t which = i == 0 ? older : 1 - older;
        const struct rf_pool_part *part = i < RF_PARTS_PER_SLOT ? &header->part[which] : NULL;
        if (part != NULL &&
            (part->state == RF_PART_FREE || part->seq == 0 || part->state > RF_PART_APPENDING))
            continue;
        for (; done < n && (part == NULL || ref[done].seq < part->seq); done++)
            if (ref[done].seq >= s->seq)
                (void)read_ref(reading, p, s, &ref[done]);
        if (part == NULL || part->seq < s->seq)
            continue;
        if (!read_pool_part(reading, p, slot, which, part)) {
            /* it is in the log by now, perhaps behind what was listed */
            while (done < n && ref[done].seq <= part->seq) {
                if (ref[done].seq >= s->seq)
                    (void)read_ref(reading, p, s, &ref[done]);
                done++;
            }
            if (s->seq <= part->seq)
                return done;
        }
    }
    return done;
}

static void read_streams(struct top_reading *reading, struct top_process *p,
                         const struct rf_pool_slot *header, uint32_t n_slots)
{
    size_t at = 0, n_left = 0;
    const struct rf_pool_slot none = {.tid = 0};
    for (uint32_t slot = 0; slot < p->n_streams; slot++) {
        size_t end = at;
        while (end < p->n_refs && p->ref[end].slot == slot)
            end++;
        const size_t done = read_stream(reading, p, slot, slot < n_slots ? &header[slot] : &none,
                                        p->ref + at, end - at);
        /* those behind what left the pool while it was read come next time */
        for (size_t i = at + done; i < end; i++)
            p->ref[n_left++] = p->ref[i];
        at = end;
    }
    p->n_refs = n_left;
}

/* The headers of the pool's slots; *n: how many. NULL: none, or out of memory. */
static struct rf_pool_slot *read_slots(struct top_reading *reading, const struct top_process *p,
                                       uint32_t *n)
{
    const uint32_t n_slots = p->header.n_slots < RF_MAX_SLOTS ? p->header.n_slots : RF_MAX_SLOTS;
    const size_t size = n_slots * sizeof(struct rf_pool_slot);
    struct rf_pool_slot *slot = malloc(size + 1);
    reading->ranges->is_out_of_memory |= slot == NULL;
    *n = slot != NULL
             ? (uint32_t)(top_read_at(p->pool_fd, slot, size, RF_POOL_HEADER_SIZE) / sizeof(*slot))
             : 0;
    return slot;
}

void top_process_read(struct top_reading *reading, struct top_process *p)
{
    uint32_t n_slots;
    struct rf_pool_slot *slot = read_slots(reading, p, &n_slots);
    if (slot == NULL)
        return;
    top_log_list(reading, p);
    if (p->n_refs > 0)
        qsort(p->ref, p->n_refs, sizeof(*p->ref), compare_refs);
    const uint32_t n_in_log = p->n_refs > 0 ? p->ref[p->n_refs - 1].slot + 1 : 0;
    if (make_streams(reading, p, n_in_log > n_slots ? n_in_log : n_slots))
        read_streams(reading, p, slot, n_slots);
    p->lost_records = 0;
    for (uint32_t i = 0; i < n_slots; i++)
        p->lost_records += slot[i].lost_records;
    free(slot);
}

void top_process_take(struct top_reading *reading, struct top_process *p,
                      const struct rf_chunk_header *chunk, const struct rf_taken *taken,
                      const uint8_t *parts, uint32_t n)
{
    if (chunk->slot >= RF_MAX_SLOTS || !make_streams(reading, p, chunk->slot + 1))
        return;
    struct top_stream *s = &p->stream[chunk->slot];
    if (s->seq > chunk->seq || (s->seq == chunk->seq && s->offset >= taken->offset))
        return;
    if (s->seq != 0) {
        reading->n_missed_parts += chunk->seq - s->seq + 1;
        reading->missed_bytes += (chunk->seq - s->seq) * RF_PART_SIZE + taken->offset - s->offset;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct rf_chunk_header part;
        memcpy(&part, parts, sizeof(part));
        const uint32_t size = (uint32_t)(sizeof(part) + part.size);
        s->offset = 0;
        feed(reading, p, s, parts, 0, size, i == 0, false);
        parts += size;
    }
    s->seq = chunk->seq;
    s->offset = taken->offset;
    s->is_taken = true;
    s->ticks = chunk->ticks;
    s->n_starts = taken->n_starts;
}

void top_process_restart(struct top_reading *reading, struct top_process *p)
{
    struct stat st;
    for (uint32_t i = 0; i < p->n_streams; i++)
        p->stream[i] = (struct top_stream){.thread = TOP_NONE};
    p->n_refs = 0;
    if (p->log_fd >= 0 && fstat(p->log_fd, &st) == 0)
        p->log_at = (uint64_t)st.st_size; /* a chunk that is being appended is found again */
    top_process_end(reading->ranges, p->index);
}
