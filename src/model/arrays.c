/* SPDX-License-Identifier: Apache-2.0 */
#include "model/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "rangefinder/rangefinder.h"

/* ---- Sorting ---- */

typedef int compare_fn(const void *, const void *);

/* Stretches that are in order already, each by where it ends. */
struct runs {
    size_t *end;
    size_t n, room;
};

static int list_runs(struct runs *runs, const char *array, size_t n, size_t size,
                     compare_fn *compare)
{
    for (size_t i = 1; i <= n; i++) {
        if (i < n && compare(array + (i - 1) * size, array + i * size) <= 0)
            continue;
        if (rf_grow_array(&runs->end, runs->n, &runs->room, sizeof(*runs->end)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        runs->end[runs->n++] = i;
    }
    return RF_OK;
}

/* Merges by way of a copy of the first run, to the front. What stands together is moved at once. */
static void merge_forward(char *array, size_t middle, size_t n, size_t size, char *copy,
                          compare_fn *compare)
{
    size_t a = 0, b = middle, to = 0;
    memcpy(copy, array, middle * size);
    while (a < middle) {
        const size_t first = b;
        while (b < n && compare(copy + a * size, array + b * size) > 0)
            b++;
        memmove(array + to * size, array + first * size, (b - first) * size);
        to += b - first;
        memcpy(array + to++ * size, copy + a++ * size, size);
    }
}

/* The same with a copy of the second run, to the back. */
static void merge_backward(char *array, size_t middle, size_t n, size_t size, char *copy,
                           compare_fn *compare)
{
    size_t a = middle, b = n - middle, to = n;
    memcpy(copy, array + middle * size, b * size);
    while (b > 0) {
        const size_t last = a;
        while (a > 0 && compare(array + (a - 1) * size, copy + (b - 1) * size) > 0)
            a--;
        to -= last - a;
        memmove(array + to * size, array + a * size, (last - a) * size);
        memcpy(array + --to * size, copy + --b * size, size);
    }
}

/* The smaller run is copied: half of the records at most. */
static void merge_runs(char *array, size_t middle, size_t n, size_t size, char *copy,
                       compare_fn *compare)
{
    if (compare(array + (middle - 1) * size, array + middle * size) <= 0)
        return;
    if (middle <= n - middle)
        merge_forward(array, middle, n, size, copy, compare);
    else
        merge_backward(array, middle, n, size, copy, compare);
}

/* Merges neighbours until there is one run. */
static void merge_all(struct runs *runs, char *array, size_t size, char *copy, compare_fn *compare)
{
    while (runs->n > 1) {
        size_t n = 0, begin = 0;
        for (size_t i = 0; i < runs->n; i += 2) {
            const size_t last = i + 1 < runs->n ? i + 1 : i, end = runs->end[last];
            if (last > i)
                merge_runs(array + begin * size, runs->end[i] - begin, end - begin, size, copy,
                           compare);
            runs->end[n++] = begin = end;
        }
        runs->n = n;
    }
}

int rf_sort_records(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    struct runs runs = {.n = 0};
    char *copy = NULL;
    int status = n > 1 ? list_runs(&runs, array, n, size, compare) : RF_OK;
    if (status == RF_OK && runs.n > 1 && (copy = malloc(n / 2 * size)) == NULL)
        status = RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        merge_all(&runs, array, size, copy, compare);
    free(copy);
    free(runs.end);
    return status;
}

/* ---- Pools ---- */

/* Two chains, so that one multiplication need not wait for the other. */
static uint32_t hash_record(const struct rf_record_pool *pool, const void *record)
{
    uint64_t hash = pool->seed, other = ~pool->seed, word;
    size_t at = 0;
    for (; at + 2 * sizeof(word) <= pool->size; at += 2 * sizeof(word)) {
        memcpy(&word, (const char *)record + at, sizeof(word));
        hash = rf_hash_mix(hash ^ word, pool->seed);
        memcpy(&word, (const char *)record + at + sizeof(word), sizeof(word));
        other = rf_hash_mix(other ^ word, pool->seed);
    }
    if (at < pool->size) { /* sizes are multiples of eight */
        memcpy(&word, (const char *)record + at, sizeof(word));
        hash = rf_hash_mix(hash ^ word, pool->seed);
    }
    hash = rf_hash_mix(hash + other, pool->seed);
    return (uint32_t)(hash ^ hash >> 32);
}

static int grow_pool_slots(struct rf_record_pool *pool)
{
    uint32_t n_slots = pool->n_slots == 0 ? 1024 : 2 * pool->n_slots;
    struct rf_record_slot *slot = n_slots != 0 ? malloc((size_t)n_slots * sizeof(*slot)) : NULL;
    if (slot == NULL)
        return RF_ERR_NO_MEMORY;
    if (pool->seed == 0)
        pool->seed = rf_hash_seed() | 1;
    memset(slot, 0xff, (size_t)n_slots * sizeof(*slot));
    for (uint32_t i = 0; i < pool->n_slots; i++) {
        uint32_t at = pool->slot[i].hash;
        if (pool->slot[i].index == RF_NO_INDEX)
            continue;
        while (slot[at & (n_slots - 1)].index != RF_NO_INDEX)
            at++;
        slot[at & (n_slots - 1)] = pool->slot[i];
    }
    free(pool->slot);
    pool->slot = slot;
    pool->n_slots = n_slots;
    return RF_OK;
}

/* Room for n more. */
static bool has_free_slots(struct rf_record_pool *pool, unsigned n)
{
    while (2 * ((uint64_t)pool->n + n) > pool->n_slots)
        if (grow_pool_slots(pool) != RF_OK)
            return false;
    return true;
}

/* With a free slot. */
static uint32_t add_hashed(struct rf_record_pool *pool, const void *record, uint32_t hash)
{
    uint32_t at = hash;
    for (;; at++) {
        struct rf_record_slot slot = pool->slot[at & (pool->n_slots - 1)];
        if (slot.index == RF_NO_INDEX)
            break;
        if (slot.hash == hash &&
            memcmp((char *)pool->record + slot.index * pool->size, record, pool->size) == 0)
            return slot.index;
    }
    if (rf_grow_array(&pool->record, pool->n, &pool->room, pool->size) != RF_OK)
        return RF_NO_INDEX;
    memcpy((char *)pool->record + pool->n * pool->size, record, pool->size);
    pool->slot[at & (pool->n_slots - 1)] = (struct rf_record_slot){hash, pool->n};
    return pool->n++;
}

uint32_t rf_record_pool_add(struct rf_record_pool *pool, const void *record)
{
    return has_free_slots(pool, 1) ? add_hashed(pool, record, hash_record(pool, record))
                                   : RF_NO_INDEX;
}

/* What add_hashed() is going to read first. */
static void fetch_record(const struct rf_record_pool *pool, uint32_t hash)
{
    uint32_t index = pool->slot[hash & (pool->n_slots - 1)].index;
    if (index == RF_NO_INDEX)
        return;
    const char *record = (const char *)pool->record + (size_t)index * pool->size;
    __builtin_prefetch(record);
    __builtin_prefetch(record + pool->size - 1);
}

bool rf_record_pool_add_all(struct rf_record_pool *pool, const void *records, unsigned n,
                            uint32_t *index)
{
    const char *record = records;
    uint32_t hash[RF_RECORDS_AT_ONCE];
    if (!has_free_slots(pool, n))
        return false;
    for (unsigned i = 0; i < n; i++) {
        hash[i] = hash_record(pool, record + i * pool->size);
        __builtin_prefetch(&pool->slot[hash[i] & (pool->n_slots - 1)]);
    }
    for (unsigned i = 0; i < n; i++)
        fetch_record(pool, hash[i]);
    for (unsigned i = 0; i < n; i++)
        if ((index[i] = add_hashed(pool, record + i * pool->size, hash[i])) == RF_NO_INDEX)
            return false;
    return true;
}

void rf_record_pool_release(struct rf_record_pool *pool)
{
    free(pool->record);
    free(pool->slot);
    *pool = (struct rf_record_pool){.record = NULL};
}
