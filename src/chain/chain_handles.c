/* SPDX-License-Identifier: Apache-2.0 */
#include "chain/chain.h"

#include <stddef.h>
#include <sys/mman.h>

#define N_HANDLES  0x100000u
#define N_RANGES   0x100000u
#define MOST_STEPS 64u   /* of a search */
#define MARK       0xc7u /* the first byte of ids of ranges */
#define IDS_BEGIN  0xf0000000u
#define NO_PLACE   UINT32_MAX

struct range {
    uint32_t turn; /* atomic: counts the ranges that had this place; odd: one is open */
    uint32_t next; /* of a free place: the next one */
    nvtxRangeId_t of[CHAIN_TOOLS];
};

struct known {
    const void *key; /* the recorder's handle */
    void *of[CHAIN_TOOLS];
};

static struct known *handle;
static struct known **table[CHAIN_KINDS]; /* by hash of the key; its places are atomic */
static struct range *range;
static uint32_t n_handles, n_ranges, n_regions, n_ids; /* atomic, likewise below */
static uint64_t free_ranges = NO_PLACE; /* the first free place, and above it a count of changes */

/* Memory that takes room where it is used; NULL: there is none. */
static void *reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void chain_prepare(void)
{
    handle = reserve(N_HANDLES * sizeof(*handle));
    range = reserve(N_RANGES * sizeof(*range));
    for (unsigned kind = 0; kind < CHAIN_KINDS && handle != NULL; kind++)
        table[kind] = reserve(N_HANDLES * sizeof(*table[kind]));
}

/* ---- Handles ---- */

static uint32_t place_of(const void *key)
{
    return (uint32_t)(((uintptr_t)key * 0x9e3779b97f4a7c15u) >> 44) & (N_HANDLES - 1);
}

static struct known *new_handle(const void *key)
{
    const uint32_t i = __atomic_fetch_add(&n_handles, 1, __ATOMIC_RELAXED);
    if (i >= N_HANDLES) {
        __atomic_store_n(&n_handles, N_HANDLES, __ATOMIC_RELAXED);
        return NULL;
    }
    handle[i].key = key;
    return &handle[i];
}

/* The place for a key, which gets one; NULL: there is no room. */
static struct known *find_or_add(enum chain_kind kind, const void *key)
{
    struct known **all = table[kind], *mine = NULL;
    for (uint32_t i = place_of(key), n = 0; all != NULL && n < MOST_STEPS;
         i = (i + 1) & (N_HANDLES - 1), n++) {
        struct known *there = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);
        if (there == NULL && mine == NULL && (mine = new_handle(key)) == NULL)
            return NULL;
        if (there == NULL && __atomic_compare_exchange_n(&all[i], &there, mine, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return mine;
        if (there->key == key)
            return there;
    }
    return NULL;
}

void *chain_add_handle(enum chain_kind kind, void *const of[CHAIN_TOOLS])
{
    struct known *known = of[0] != NULL ? find_or_add(kind, of[0]) : NULL;
    for (unsigned t = 1; known != NULL && t < CHAIN_TOOLS; t++)
        __atomic_store_n(&known->of[t], of[t], __ATOMIC_RELEASE);
    return of[0];
}

void *chain_handle_of(enum chain_kind kind, const void *key, unsigned t)
{
    struct known **all = table[kind];
    if (t == 0 || key == NULL || all == NULL)
        return t == 0 ? (void *)(uintptr_t)key : NULL;
    for (uint32_t i = place_of(key), n = 0; n < MOST_STEPS; i = (i + 1) & (N_HANDLES - 1), n++) {
        const struct known *there = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);
        if (there == NULL)
            return NULL;
        if (there->key == key)
            return __atomic_load_n(&there->of[t], __ATOMIC_ACQUIRE);
    }
    return NULL;
}

/* ---- Ranges ---- */

static uint32_t take_free(struct range *all)
{
    uint64_t first = __atomic_load_n(&free_ranges, __ATOMIC_ACQUIRE);
    while ((uint32_t)first != NO_PLACE) {
        const uint32_t next = __atomic_load_n(&all[(uint32_t)first].next, __ATOMIC_RELAXED);
        const uint64_t changed = (((first >> 32) + 1) << 32) | next;
        if (__atomic_compare_exchange_n(&free_ranges, &first, changed, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return (uint32_t)first;
    }
    const uint32_t i = __atomic_fetch_add(&n_ranges, 1, __ATOMIC_RELAXED);
    if (i < N_RANGES)
        return i;
    __atomic_store_n(&n_ranges, N_RANGES, __ATOMIC_RELAXED);
    return NO_PLACE;
}

static void give_back(struct range *all, uint32_t i)
{
    uint64_t first = __atomic_load_n(&free_ranges, __ATOMIC_ACQUIRE), changed;
    do {
        __atomic_store_n(&all[i].next, (uint32_t)first, __ATOMIC_RELAXED);
        changed = (((first >> 32) + 1) << 32) | i;
    } while (!__atomic_compare_exchange_n(&free_ranges, &first, changed, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
}

nvtxRangeId_t chain_open_range(const nvtxRangeId_t of[CHAIN_TOOLS])
{
    struct range *all = range;
    const uint32_t i = all != NULL ? take_free(all) : NO_PLACE;
    if (i == NO_PLACE)
        return of[0];
    for (unsigned t = 0; t < CHAIN_TOOLS; t++)
        all[i].of[t] = of[t];
    const uint32_t turn = __atomic_add_fetch(&all[i].turn, 1, __ATOMIC_ACQ_REL);
    return (nvtxRangeId_t)MARK << 56 | (nvtxRangeId_t)turn << 24 | i;
}

bool chain_find_range(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS])
{
    struct range *all = range;
    const uint32_t i = (uint32_t)id & 0xffffff, turn = (uint32_t)(id >> 24);
    if (all == NULL || id >> 56 != MARK || i >= N_RANGES || turn % 2 == 0 ||
        __atomic_load_n(&all[i].turn, __ATOMIC_ACQUIRE) != turn)
        return false;
    for (unsigned t = 0; t < CHAIN_TOOLS; t++)
        of[t] = all[i].of[t];
    return true;
}

bool chain_close_range(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS])
{
    struct range *all = range;
    const uint32_t i = (uint32_t)id & 0xffffff;
    uint32_t turn = (uint32_t)(id >> 24);
    if (all == NULL || id >> 56 != MARK || i >= N_RANGES || turn % 2 == 0 ||
        !__atomic_compare_exchange_n(&all[i].turn, &turn, turn + 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    for (unsigned t = 0; t < CHAIN_TOOLS; t++)
        of[t] = all[i].of[t];
    give_back(all, i);
    return true;
}

nvtxRangeId_t chain_open_region(const nvtxRangeId_t of[CHAIN_TOOLS])
{
    nvtxRangeId_t id = of[0];
    if (__atomic_fetch_add(&n_regions, 1, __ATOMIC_RELAXED) < N_RANGES / 2)
        id = chain_open_range(of);
    if (id == of[0])
        (void)__atomic_fetch_sub(&n_regions, 1, __ATOMIC_RELAXED);
    return id;
}

bool chain_close_region(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS])
{
    const bool is_ours = chain_close_range(id, of);
    if (is_ours)
        (void)__atomic_fetch_sub(&n_regions, 1, __ATOMIC_RELAXED);
    return is_ours;
}

nvtxRangeId_t chain_recorders_range(nvtxRangeId_t id)
{
    const struct range *all = range;
    const uint32_t i = (uint32_t)id & 0xffffff;
    return all != NULL && id >> 56 == MARK && i < N_RANGES ? all[i].of[0] : id;
}

/* ---- Ids ---- */

uint64_t chain_new_id(void)
{
    return IDS_BEGIN + (__atomic_fetch_add(&n_ids, 1, __ATOMIC_RELAXED) & 0xfffffff);
}
