/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of the import, and the small tools that its steps share. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/nsys_load.h"

int nsys_no_memory(struct nsys_load *load)
{
    return rf_fail(load->db.err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory",
                   load->db.path);
}

int nsys_grow(void *array, size_t n, size_t *room, size_t size)
{
    void *memory;
    if (n < *room)
        return RF_OK;
    if (n >= UINT32_MAX - 1)
        return RF_ERR_NO_MEMORY;
    size_t more = *room < 8 ? 8 : *room + *room / 2;
    memcpy(&memory, array, sizeof(memory));
    memory = realloc(memory, more * size);
    if (memory == NULL)
        return RF_ERR_NO_MEMORY;
    memcpy(array, &memory, sizeof(memory));
    *room = more;
    return RF_OK;
}

/* ---- Processes and threads ---- */

static const struct nsys_name *find_known(const struct nsys_load *load, const struct rf_map *map,
                                          uint64_t key)
{
    uint32_t i = rf_map_find(map, key, 0);
    return i != RF_MAP_NONE ? &load->known[i] : NULL;
}

uint32_t nsys_find_process(struct nsys_load *load, uint64_t key)
{
    uint32_t i = rf_map_find(&load->process_of, key, 0);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow(&load->process, load->n_processes, &load->process_room, sizeof(*load->process)) !=
            RF_OK ||
        rf_map_set(&load->process_of, key, 0, load->n_processes) != RF_OK)
        return RF_NO_INDEX;
    const struct nsys_name *known = find_known(load, &load->known_process, key);
    load->process[load->n_processes] = (struct nsys_process){
        .key = key,
        .pid = known != NULL && known->pid != 0 ? known->pid : (uint32_t)key & NSYS_TID_MASK,
        .name = known != NULL ? known->name : RF_NO_STRING,
        .default_domain = RF_NO_INDEX};
    return load->n_processes++;
}

uint32_t nsys_find_thread(struct nsys_load *load, uint64_t global_tid)
{
    if (load->last_thread != RF_NO_INDEX && load->last_global_tid == global_tid)
        return load->last_thread;
    uint32_t i = rf_map_find(&load->thread_of, global_tid, 0);
    if (i == RF_MAP_NONE) {
        uint32_t process = nsys_find_process(load, global_tid >> NSYS_TID_BITS);
        if (process == RF_NO_INDEX ||
            rf_grow(&load->thread, load->n_threads, &load->thread_room, sizeof(*load->thread)) !=
                RF_OK ||
            rf_map_set(&load->thread_of, global_tid, 0, load->n_threads) != RF_OK)
            return RF_NO_INDEX;
        const struct nsys_name *known = find_known(load, &load->known_thread, global_tid);
        i = load->n_threads++;
        load->thread[i] =
            (struct nsys_thread){.process = process,
                                 .tid = (uint32_t)global_tid & NSYS_TID_MASK,
                                 .name = known != NULL ? known->name : RF_NO_STRING,
                                 .priority = known != NULL ? known->priority : INT64_MAX,
                                 .is_named = known != NULL && known->priority == 0};
    }
    load->last_global_tid = global_tid;
    load->last_thread = i;
    return i;
}

uint32_t nsys_row_thread(struct nsys_load *load, struct nsys_row *row, int column)
{
    int64_t global_tid;
    if (!nsys_row_int(row, column, &global_tid))
        nsys_db_skip(&load->db, row->table, "no globalTid: shown as thread 0 of process 0", 1);
    return nsys_find_thread(load, (uint64_t)global_tid);
}

int nsys_row_times(struct nsys_load *load, struct nsys_row *row, int start_column, int end_column,
                   int64_t *start, int64_t *end, int *is_clamped)
{
    *is_clamped = 0;
    *end = RF_NO_TIME;
    if (!nsys_row_int(row, start_column, start)) {
        nsys_db_skip(&load->db, row->table, "no start: left out", 1);
        return 0;
    }
    if (!nsys_is_time(*start)) {
        nsys_db_skip(&load->db, row->table, "starts at no possible time: left out", 1);
        return 0;
    }
    if (!nsys_row_int(row, end_column, end)) {
        *end = RF_NO_TIME;
    } else if (!nsys_is_time(*end)) {
        nsys_db_skip(&load->db, row->table, "ends at no possible time: taken as no end", 1);
        *end = RF_NO_TIME;
    } else if (*end < *start) {
        nsys_db_skip(&load->db, row->table, "ends before it starts: taken as empty", 1);
        *end = *start;
        *is_clamped = 1;
    }
    if (*start > load->last_ns)
        load->last_ns = *start;
    if (*end > load->last_ns)
        load->last_ns = *end;
    return 1;
}

/* ---- Pools ---- */

/* Two chains, so that one multiplication need not wait for the other. */
static uint32_t hash_record(const struct nsys_pool *pool, const void *record)
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

static int grow_pool_slots(struct nsys_pool *pool)
{
    uint32_t n_slots = pool->n_slots == 0 ? 1024 : 2 * pool->n_slots;
    struct nsys_slot *slot = n_slots != 0 ? malloc((size_t)n_slots * sizeof(*slot)) : NULL;
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

uint32_t nsys_pool_add(struct nsys_pool *pool, const void *record)
{
    if (2 * (uint64_t)pool->n >= pool->n_slots && grow_pool_slots(pool) != RF_OK)
        return RF_NO_INDEX;
    uint32_t hash = hash_record(pool, record), at = hash;
    for (;; at++) {
        struct nsys_slot slot = pool->slot[at & (pool->n_slots - 1)];
        if (slot.index == RF_NO_INDEX)
            break;
        if (slot.hash == hash &&
            memcmp((char *)pool->record + slot.index * pool->size, record, pool->size) == 0)
            return slot.index;
    }
    if (rf_grow(&pool->record, pool->n, &pool->room, pool->size) != RF_OK)
        return RF_NO_INDEX;
    memcpy((char *)pool->record + pool->n * pool->size, record, pool->size);
    pool->slot[at & (pool->n_slots - 1)] = (struct nsys_slot){hash, pool->n};
    return pool->n++;
}

/* ---- Sorting ---- */

/* Merges the sorted halves of array by way of the first one's copy. */
static void merge_halves(char *array, size_t middle, size_t n, size_t size, char *copy,
                         int (*compare)(const void *, const void *))
{
    size_t a = 0, b = middle, to = 0;
    if (middle == 0 || middle == n ||
        compare(array + (middle - 1) * size, array + middle * size) <= 0)
        return;
    memcpy(copy, array, middle * size);
    for (; a < middle; to++) {
        int take_b = b < n && compare(copy + a * size, array + b * size) > 0;
        memmove(array + to * size, take_b ? array + b++ * size : copy + a++ * size, size);
    }
}

int nsys_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    char *copy = n > 1 ? malloc(n * size) : NULL;
    if (n <= 1)
        return RF_OK;
    if (copy == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at + width < n; at += 2 * width) {
            size_t end = at + 2 * width < n ? at + 2 * width : n;
            merge_halves((char *)array + at * size, width, end - at, size, copy, compare);
        }
    }
    free(copy);
    return RF_OK;
}
