/* SPDX-License-Identifier: Apache-2.0 */
#include "record/payload/schema_table.h"

#include "record/payload/entry_types.h"

#define N_PLACES      65536u /* a power of two */
#define MOST_PROBES   64u
#define DYNAMIC_START (1ULL << 32)

/* A place has the address of a struct rf_def, and bit 0: it has pointers; 0: it is free. */
struct rf_schema_table {
    uint64_t place[N_PLACES]; /* atomic */
};

static uint64_t hash_of(uint32_t domain, uint64_t id)
{
    uint64_t h = id < DYNAMIC_START ? id ^ (uint64_t)domain << 40 : id;
    h *= 0x9e3779b97f4a7c15ULL;
    return h ^ h >> 32;
}

static const struct rf_def *def_of(uint64_t place)
{
    return (const struct rf_def *)(uintptr_t)(place & ~1ULL);
}

static bool has_key(uint64_t place, uint32_t domain, uint64_t id)
{
    const struct rf_def *def = def_of(place);
    return def->value == id && (id >= DYNAMIC_START || def->domain == domain);
}

static struct rf_schema_table *make_table(void)
{
    struct rf_schema_table *table = __atomic_load_n(&rf_recorder.schemas, __ATOMIC_ACQUIRE);
    if (table != NULL)
        return table;
    struct rf_schema_table *made = rf_sys_mmap(sizeof(*made), PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (made == NULL || __atomic_compare_exchange_n(&rf_recorder.schemas, &table, made, false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    (void)rf_sys_munmap(made, sizeof(*made));
    return table;
}

static struct rf_schema find(const void *where, uint64_t domain, uint64_t id)
{
    (void)where;
    return rf_schemas_find(domain, id);
}

static bool find_pointers(const struct rf_def *def)
{
    const struct rf_schema s = rf_schema_of(def);
    return rf_schema_finds_pointers(&s, find, NULL);
}

void rf_schemas_add(const char *text)
{
    struct rf_schema_table *table = text != NULL ? make_table() : NULL;
    if (table == NULL)
        return;
    const struct rf_def *def = (const struct rf_def *)(const void *)text - 1;
    bool has_pointers = find_pointers(def);
    uint64_t mine = (uint64_t)(uintptr_t)def | has_pointers;
    uint64_t at = hash_of(def->domain, def->value);
    for (uint32_t i = 0; i < MOST_PROBES; i++) {
        uint64_t *place = &table->place[(at + i) & (N_PLACES - 1)];
        uint64_t seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        while ((seen == 0 || has_key(seen, def->domain, def->value)) &&
               !__atomic_compare_exchange_n(place, &seen, mine, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
            ;
        if (seen == 0 || has_key(seen, def->domain, def->value))
            break;
    }
    if (has_pointers)
        (void)__atomic_fetch_or(&rf_recorder.pointer_bits, 1ULL << (def->value & 63),
                                __ATOMIC_RELEASE);
}

struct rf_schema rf_schemas_find(uint64_t domain, uint64_t id)
{
    const struct rf_schema_table *table = __atomic_load_n(&rf_recorder.schemas, __ATOMIC_ACQUIRE);
    uint32_t low = domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain;
    uint64_t at = hash_of(low, id);
    for (uint32_t i = 0; table != NULL && i < MOST_PROBES; i++) {
        uint64_t seen = __atomic_load_n(&table->place[(at + i) & (N_PLACES - 1)], __ATOMIC_ACQUIRE);
        if (seen == 0)
            break;
        if (has_key(seen, low, id)) {
            struct rf_schema found = rf_schema_of(def_of(seen));
            found.has_pointers = seen & 1;
            return found;
        }
    }
    return (struct rf_schema){.def = NULL};
}
