/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of sources, each of which gives items by time: what gives the items of all of them by
 * time. Among equal times the source with the lowest number comes first. */
#ifndef RF_BASE_HEAP_H
#define RF_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_heap_entry {
    int64_t time; /* of the source's next item */
    size_t source;
};

struct rf_heap {
    struct rf_heap_entry *entry; /* the caller's memory: room for at least one; [0] is the first */
    size_t n;
};

/* A number without sign as a time: keeps the order. */
static inline int64_t rf_heap_time(uint64_t ticks)
{
    return (int64_t)(ticks ^ (uint64_t)1 << 63);
}

static inline bool rf_heap_is_before(const struct rf_heap_entry *a, const struct rf_heap_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->source < b->source;
}

/* Adds a source; there must be room for it. */
static inline void rf_heap_add(struct rf_heap *heap, int64_t time, size_t source)
{
    const struct rf_heap_entry added = {time, source};
    size_t i = heap->n++;
    for (; i > 0 && rf_heap_is_before(&added, &heap->entry[(i - 1) / 2]); i = (i - 1) / 2)
        heap->entry[i] = heap->entry[(i - 1) / 2];
    heap->entry[i] = added;
}

/* Moves [0] to its place. */
static inline void rf_heap_sift_down(struct rf_heap *heap)
{
    const struct rf_heap_entry moving = heap->entry[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && rf_heap_is_before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!rf_heap_is_before(&heap->entry[child], &moving))
            break;
        heap->entry[i] = heap->entry[child];
    }
    heap->entry[i] = moving;
}

/* The first source goes on to an item of this time. */
static inline void rf_heap_advance(struct rf_heap *heap, int64_t time)
{
    heap->entry[0].time = time;
    if (heap->n > 1)
        rf_heap_sift_down(heap);
}

/* The first source has no more items. */
static inline void rf_heap_drop(struct rf_heap *heap)
{
    heap->entry[0] = heap->entry[--heap->n];
    rf_heap_sift_down(heap);
}

#endif
