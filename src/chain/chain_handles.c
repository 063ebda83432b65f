/* SPDX-License-Identifier: Apache-2.0 */
#include "chain/chain.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#define N_HANDLES  0x100000u /* of a kind */
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

/* A place of a table. Its key is the recorder's handle; 0: it was never taken; GONE: it can be. */
struct known {
    uintptr_t key; /* atomic */
    void *of[CHAIN_TOOLS];
};

#define GONE UINTPTR_MAX

static struct known *table[CHAIN_KINDS]; /* by hash of the key */
static uint64_t n_unheard;               /* atomic: handles and ranges without room */
static struct range *range;
static uint32_t n_ranges, n_regions, n_ids; /* atomic, likewise below */
static uint64_t free_ranges = NO_PLACE; /* the first free place, and above it a count of changes */

/* Memory that takes room where it is used; NULL: there is none. */
static void *reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void forget_count(void)
{
    __atomic_store_n(&n_unheard, 0, __ATOMIC_RELAXED);
}

void chain_prepare(void)
{
    range = reserve(N_RANGES * sizeof(*range));
    for (unsigned kind = 0; kind < CHAIN_KINDS; kind++)
        table[kind] = reserve(N_HANDLES * sizeof(*table[kind]));
    (void)pthread_atfork(NULL, NULL, forget_count);
}

/* ---- What there is no room for ---- */

static void count_unheard(void)
{
    if (__atomic_fetch_add(&n_unheard, 1, __ATOMIC_RELAXED) == 0)
        chain_say("the chain is full: its other tools do not hear of some handles and ranges from "
                  "now on");
}

__attribute__((destructor)) static void say_count(void)
{
    char text[128];
    const uint64_t n = __atomic_load_n(&n_unheard, __ATOMIC_RELAXED);
    if (n == 0)
        return;
    (void)snprintf(text, sizeof(text),
                   "the other tools in the chain did not hear of %llu handles and ranges",
                   (unsigned long long)n);
    chain_say(text);
}

/* ---- Handles ---- */

static uint32_t place_of(uintptr_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 44) & (N_HANDLES - 1);
}

static struct known *find(enum chain_kind kind, uintptr_t key)
{
    struct known *all = table[kind];
    for (uint32_t n = 0; all != NULL && n < MOST_STEPS; n++) {
        struct known *there = &all[(place_of(key) + n) & (N_HANDLES - 1)];
        const uintptr_t its = __atomic_load_n(&there->key, __ATOMIC_ACQUIRE);
        if (its == key)
            return there;
        if (its == 0)
            return NULL;
    }
    return NULL;
}

/* A place for a key that has none. Two threads that add the same one may get two, of which each is
 * as good as the other one. */
static struct known *take_place(enum chain_kind kind, uintptr_t key)
{
    struct known *all = table[kind];
    for (uint32_t n = 0; all != NULL && n < MOST_STEPS; n++) {
        struct known *there = &all[(place_of(key) + n) & (N_HANDLES - 1)];
        uintptr_t its = __atomic_load_n(&there->key, __ATOMIC_ACQUIRE);
        while (its == 0 || its == GONE)
            if (__atomic_compare_exchange_n(&there->key, &its, key, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return there;
        if (its == key)
            return there;
    }
    return NULL;
}

void *chain_add_handle(enum chain_kind kind, void *const of[CHAIN_TOOLS])
{
    const uintptr_t key = (uintptr_t)of[0];
    if (key == 0 || key == GONE)
        return of[0];
    struct known *known = find(kind, key);
    if (known == NULL && (known = take_place(kind, key)) == NULL)
        count_unheard();
    for (unsigned t = 1; known != NULL && t < CHAIN_TOOLS; t++)
        __atomic_store_n(&known->of[t], of[t], __ATOMIC_RELEASE);
    return of[0];
}

void *chain_handle_of(enum chain_kind kind, const void *handle, unsigned t)
{
    const uintptr_t key = (uintptr_t)handle;
    if (t == 0)
        return (void *)key;
    const struct known *known = key != 0 && key != GONE ? find(kind, key) : NULL;
    return known != NULL ? __atomic_load_n(&known->of[t], __ATOMIC_ACQUIRE) : NULL;
}

void chain_take_handle(enum chain_kind kind, void *handle, void *of[CHAIN_TOOLS])
{
    const uintptr_t key = (uintptr_t)handle;
    for (unsigned t = 0; t < CHAIN_TOOLS; t++)
        of[t] = chain_handle_of(kind, handle, t);
    for (struct known *known = NULL;
         key != 0 && key != GONE && (known = find(kind, key)) != NULL;) {
        uintptr_t its = key; /* another thread may have been faster */
        (void)__atomic_compare_exchange_n(&known->key, &its, GONE, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED);
    }
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
    if (i == NO_PLACE) {
        count_unheard();
        return of[0];
    }
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
    else
        count_unheard();
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
