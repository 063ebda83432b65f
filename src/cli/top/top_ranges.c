/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "log/layout.h"
#include "rangefinder/rangefinder.h"

#define MOST_ROWS   100000u
#define MOST_DEEP   1024u /* ranges of a thread */
#define MOST_STARTS (1u << 18)

bool top_ranges_init(struct top_ranges *r)
{
    r->free_thread = r->free_start = TOP_NONE;
    r->stamp = 1;
    return top_texts_init(&r->texts);
}

void top_ranges_release(struct top_ranges *r)
{
    for (size_t i = 0; i < r->n_rows; i++)
        free(r->row[i].bucket);
    for (size_t i = 0; i < r->n_threads; i++)
        free(r->thread[i].open);
    free(r->row);
    free(r->active);
    free(r->thread);
    free(r->start);
    top_map_release(&r->row_map);
    top_map_release(&r->thread_map);
    top_map_release(&r->start_map);
    top_texts_release(&r->texts);
}

static bool grow(struct top_ranges *r, void *array, size_t n, size_t *room, size_t size)
{
    const bool is_grown = rf_grow_array(array, n, room, size) == RF_OK;
    r->is_out_of_memory |= !is_grown;
    return is_grown;
}

/* ---- Rows ---- */

uint32_t top_row_of(struct top_ranges *r, uint32_t domain, uint32_t name, enum top_style style)
{
    if (r->n_rows >= MOST_ROWS)
        name = TOP_TEXT_REST;
    const uint64_t key = (uint64_t)domain << 33 | (uint64_t)name << 1 | style;
    uint32_t i = top_map_find(&r->row_map, key);
    if (i != TOP_NONE || !grow(r, &r->row, r->n_rows, &r->row_room, sizeof(*r->row)))
        return i;
    r->row[r->n_rows] = (struct top_row){.domain = domain, .name = name, .style = (uint8_t)style};
    if (!top_map_set(&r->row_map, key, (uint32_t)r->n_rows)) {
        r->is_out_of_memory = true;
        return TOP_NONE;
    }
    return (uint32_t)r->n_rows++;
}

/* The row, with numbers of this interval. */
static struct top_row *touch(struct top_ranges *r, uint32_t i)
{
    struct top_row *row = &r->row[i];
    if (row->stamp == r->stamp)
        return row;
    if (row->bucket != NULL && row->n > 0)
        memset(row->bucket, 0, TOP_BUCKETS * sizeof(*row->bucket));
    row->n = row->sum = row->max = row->total = row->self = 0;
    row->stamp = r->stamp;
    if (grow(r, &r->active, r->n_active, &r->active_room, sizeof(*r->active)))
        r->active[r->n_active++] = i;
    return row;
}

static uint32_t bucket_of(uint64_t value)
{
    if (value < 8)
        return (uint32_t)value;
    const uint32_t octave = 63 - (uint32_t)__builtin_clzll(value); /* from 3 on */
    return 8 * (octave - 2) + (uint32_t)(value >> (octave - 3) & 7);
}

static uint64_t middle_of(uint32_t bucket)
{
    if (bucket < 8)
        return bucket;
    const uint32_t octave = bucket / 8 + 2;
    return ((uint64_t)(8 + bucket % 8) << (octave - 3)) + ((1ULL << (octave - 3)) >> 1);
}

uint64_t top_row_percentile(const struct top_row *row, unsigned percent)
{
    uint64_t rank = (row->n * percent + 99) / 100, n = 0;
    if (row->bucket == NULL || row->n == 0)
        return row->max;
    for (uint32_t i = 0; i < TOP_BUCKETS; i++)
        if ((n += row->bucket[i]) >= rank)
            return middle_of(i) < row->max ? middle_of(i) : row->max;
    return row->max;
}

/* ---- The slowest ---- */

static void sift_down(struct top_instance *heap, size_t n)
{
    const struct top_instance moving = heap[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1].duration < heap[child].duration;
        if (heap[child].duration >= moving.duration)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moving;
}

static void note_instance(struct top_ranges *r, const struct top_instance *instance)
{
    struct top_instance *heap = r->slowest;
    if (r->n_slowest < TOP_SLOWEST) {
        size_t i = r->n_slowest++;
        for (; i > 0 && heap[(i - 1) / 2].duration > instance->duration; i = (i - 1) / 2)
            heap[i] = heap[(i - 1) / 2];
        heap[i] = *instance;
    } else if (instance->duration > heap[0].duration) {
        heap[0] = *instance;
        sift_down(heap, r->n_slowest);
    }
}

/* ---- Ends ---- */

/* The part of a stretch of time that lies in the interval so far. */
static uint64_t inside(const struct top_ranges *r, uint64_t from, uint64_t to)
{
    from = (int64_t)(from - r->begin) > 0 ? from : r->begin;
    return (int64_t)(to - from) > 0 ? to - from : 0;
}

static void add_duration(struct top_ranges *r, struct top_row *row, uint64_t duration)
{
    row->n++;
    row->sum += duration;
    row->max = duration > row->max ? duration : row->max;
    if (row->bucket == NULL)
        row->bucket = calloc(TOP_BUCKETS, sizeof(*row->bucket));
    r->is_out_of_memory |= row->bucket == NULL;
    if (row->bucket != NULL)
        row->bucket[bucket_of(duration)]++;
}

/* A range has ended. */
static void note_end(struct top_ranges *r, const struct top_instance *instance)
{
    struct top_row *row = touch(r, instance->row);
    if (!r->is_counting)
        return;
    row->total += inside(r, instance->start, instance->start + instance->duration);
    add_duration(r, row, instance->duration);
    note_instance(r, instance);
}

/* ---- Threads ---- */

static uint64_t thread_key(uint32_t process, uint32_t tid, uint32_t serial)
{
    return rf_hash_mix((uint64_t)tid << 32 | serial, process); /* mixes well: it is not reversed */
}

uint32_t top_thread_of(struct top_ranges *r, uint32_t process, uint32_t tid, uint32_t serial)
{
    uint64_t key = thread_key(process, tid, serial);
    uint32_t i;
    for (; (i = top_map_find(&r->thread_map, key)) != TOP_NONE; key++)
        if (r->thread[i].process == process && r->thread[i].tid == tid &&
            r->thread[i].serial == serial)
            return i;
    i = r->free_thread;
    if (i != TOP_NONE)
        r->free_thread = r->thread[i].next_free;
    else if (!grow(r, &r->thread, r->n_threads, &r->thread_room, sizeof(*r->thread)))
        return TOP_NONE;
    else
        i = (uint32_t)r->n_threads++;
    r->thread[i] = (struct top_thread){
        .process = process, .tid = tid, .serial = serial, .given_name = TOP_NONE};
    r->is_out_of_memory |= !top_map_set(&r->thread_map, key, i);
    r->n_live_threads++;
    return i;
}

/* Counts the self time of the innermost range up to ticks. */
static void settle(struct top_ranges *r, struct top_thread *t, uint64_t ticks)
{
    if ((int64_t)(ticks - t->settled) <= 0)
        return;
    if (t->n_open > 0 && r->is_counting)
        touch(r, t->open[t->n_open - 1].row)->self += inside(r, t->settled, ticks);
    t->settled = ticks;
}

void top_thread_forget(struct top_ranges *r, uint32_t thread)
{
    struct top_thread *t = &r->thread[thread];
    for (uint32_t i = 0; i < t->n_open; i++)
        r->row[t->open[i].row].n_open--;
    t->n_open = t->n_too_deep = 0;
}

void top_thread_end(struct top_ranges *r, uint32_t thread)
{
    struct top_thread *t = &r->thread[thread];
    uint64_t key = thread_key(t->process, t->tid, t->serial);
    if (t->process == TOP_NONE)
        return;
    top_thread_forget(r, thread);
    for (uint32_t i; (i = top_map_find(&r->thread_map, key)) != TOP_NONE; key++)
        if (i == thread) {
            (void)top_map_remove(&r->thread_map, key);
            break;
        }
    free(t->open);
    *t = (struct top_thread){.process = TOP_NONE, .next_free = r->free_thread};
    r->free_thread = thread;
    r->n_live_threads--;
}

static void remove_start(struct top_ranges *r, uint32_t i)
{
    r->row[r->start[i].row].n_open--;
    r->start[i].row = TOP_NONE;
    r->start[i].next_free = r->free_start;
    r->free_start = i;
}

void top_process_end(struct top_ranges *r, uint32_t process)
{
    for (uint32_t i = 0; i < r->n_threads; i++)
        if (r->thread[i].process == process)
            top_thread_end(r, i);
    for (uint32_t i = 0; i < r->n_starts; i++)
        if (r->start[i].row != TOP_NONE && r->start[i].thread_process == process) {
            (void)top_map_remove(&r->start_map, r->start[i].id);
            remove_start(r, i);
        }
}

/* ---- Ranges ---- */

void top_push(struct top_ranges *r, uint32_t thread, uint32_t domain, uint32_t row, uint64_t ticks)
{
    struct top_thread *t = &r->thread[thread];
    settle(r, t, ticks);
    if (t->n_open >= MOST_DEEP || row == TOP_NONE ||
        !grow(r, &t->open, t->n_open, &t->room, sizeof(*t->open))) {
        t->n_too_deep++;
        r->n_untracked++;
        return;
    }
    t->open[t->n_open++] = (struct top_open){ticks, row, domain};
    r->row[row].n_open++;
}

void top_pop(struct top_ranges *r, uint32_t thread, uint32_t domain, uint64_t ticks)
{
    struct top_thread *t = &r->thread[thread];
    uint32_t i = t->n_open;
    if (t->n_too_deep > 0) {
        t->n_too_deep--;
        return;
    }
    settle(r, t, ticks);
    while (i > 0 && t->open[i - 1].domain != domain)
        i--;
    if (i == 0) {
        r->n_unknown_ends += r->is_counting;
        return;
    }
    const struct top_open open = t->open[i - 1];
    const uint64_t duration = (int64_t)(ticks - open.start) > 0 ? ticks - open.start : 0;
    memmove(&t->open[i - 1], &t->open[i], (t->n_open - i) * sizeof(*t->open));
    t->n_open--;
    r->row[open.row].n_open--;
    note_end(r, &(struct top_instance){open.start, duration, open.row, t->process, t->tid});
}

void top_start(struct top_ranges *r, uint32_t thread, uint64_t id, uint32_t row, uint64_t ticks)
{
    const struct top_thread *t = &r->thread[thread];
    uint32_t i = r->free_start;
    if (top_map_find(&r->start_map, id) != TOP_NONE)
        return; /* a ring carries it on */
    if (row == TOP_NONE || r->start_map.n >= MOST_STARTS) {
        r->n_untracked++;
        return;
    }
    if (i != TOP_NONE)
        r->free_start = r->start[i].next_free;
    else if (!grow(r, &r->start, r->n_starts, &r->start_room, sizeof(*r->start)))
        return;
    else
        i = (uint32_t)r->n_starts++;
    r->start[i] = (struct top_start){id, ticks, row, t->process, t->tid, TOP_NONE};
    r->row[row].n_open++;
    r->is_out_of_memory |= !top_map_set(&r->start_map, id, i);
}

void top_end(struct top_ranges *r, uint64_t id, uint64_t ticks)
{
    const uint32_t i = top_map_remove(&r->start_map, id);
    if (i == TOP_NONE) {
        r->n_unknown_ends += r->is_counting;
        return;
    }
    const struct top_start start = r->start[i];
    const uint64_t duration = (int64_t)(ticks - start.start) > 0 ? ticks - start.start : 0;
    note_end(r, &(struct top_instance){start.start, duration, start.row, start.thread_process,
                                       start.tid});
    remove_start(r, i);
}

void top_starts_forget(struct top_ranges *r, uint32_t process, uint32_t slot)
{
    const uint64_t begun_in = rf_range_id(process, slot, 0) >> RF_ID_COUNTER_BITS;
    for (uint32_t i = 0; i < r->n_starts && r->start_map.n > 0; i++)
        if (r->start[i].row != TOP_NONE && r->start[i].id >> RF_ID_COUNTER_BITS == begun_in) {
            (void)top_map_remove(&r->start_map, r->start[i].id);
            remove_start(r, i);
        }
}

/* ---- Intervals ---- */

void top_interval_end(struct top_ranges *r, uint64_t ticks)
{
    for (size_t i = 0; i < r->n_threads; i++) {
        struct top_thread *t = &r->thread[i];
        if (t->process == TOP_NONE || t->n_open == 0)
            continue;
        settle(r, t, ticks);
        for (uint32_t k = 0; k < t->n_open; k++)
            touch(r, t->open[k].row)->total += inside(r, t->open[k].start, ticks);
    }
    for (size_t i = 0; i < r->n_starts; i++)
        if (r->start[i].row != TOP_NONE)
            touch(r, r->start[i].row)->total += inside(r, r->start[i].start, ticks);
}

void top_interval_begin(struct top_ranges *r, uint64_t ticks)
{
    r->stamp++;
    r->begin = ticks;
    r->n_active = r->n_slowest = 0;
    for (size_t i = 0; i < r->n_threads; i++)
        r->thread[i].counts = (struct top_counts){0};
}
