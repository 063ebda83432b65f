/* SPDX-License-Identifier: Apache-2.0 */
/* One handle for one text.
 *
 * A table entry is the address of a definition in the mapping (48 bits) under 16 bits of its hash.
 * Entries are only ever added, or replaced by TOMBSTONE when their text is forgotten. When a table
 * is half full the next, twice as large, is added; look-ups go through all. A forked child has
 * copies of the tables, and the mapping of its parent's definitions. */
#include "record/names/interned.h"

#include <string.h>

#include "record/names/defs.h"
#include "record/stream/writer.h"

#define FIRST_ENTRIES 1024u
#define TOMBSTONE     1ULL
#define ADDRESS_MASK  ((1ULL << 48) - 1)

struct rf_def_table {
    uint64_t n_entries; /* a power of two; atomic: the page may have been another thread's before */
    uint64_t n_used;    /* atomic */
    uint64_t entry[];
};

/* owner: the domain of a registered string, otherwise 0 */
uint64_t rf_interned_hash(uint64_t type, uint64_t owner, const char *text, size_t size)
{
    uint64_t h = (type << 32 ^ owner) * 0x9e3779b97f4a7c15ULL + size;
    for (; size >= 8; size -= 8, text += 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdULL;
        h ^= h >> 32;
    }
    uint64_t word = 0;
    memcpy(&word, text, size);
    h = (h ^ word) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ h >> 29;
}

static const struct rf_def *def_of(uint64_t entry)
{
    return (const struct rf_def *)(uintptr_t)(entry & ADDRESS_MASK);
}

static bool is_same(uint64_t entry, uint64_t hash, uint32_t type, uint64_t owner, const char *text,
                    size_t size)
{
    if (entry >> 48 != hash >> 48 || entry == TOMBSTONE)
        return false;
    const struct rf_def *def = def_of(entry);
    return rf_head_type(def->head) == type && def->text_size == size &&
           (type == RF_REC_DOMAIN || def->value == owner) && memcmp(def + 1, text, size) == 0;
}

static uint64_t size_of(const struct rf_def_table *table)
{
    return __atomic_load_n(&table->n_entries, __ATOMIC_RELAXED);
}

/* The entry of a text, or where it would go in this table (then *entry is 0). NULL: full. */
static uint64_t *probe(struct rf_def_table *table, uint64_t hash, uint32_t type, uint64_t owner,
                       const char *text, size_t size)
{
    for (uint64_t i = 0; i < size_of(table); i++) {
        uint64_t *entry = &table->entry[(hash + i) & (size_of(table) - 1)];
        uint64_t value = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (value == 0 || is_same(value, hash, type, owner, text, size))
            return entry;
    }
    return NULL;
}

static struct rf_def_table *table_at(uint32_t level)
{
    struct rf_def_table **place = &rf_recorder.tables[level];
    struct rf_def_table *table = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (table != NULL)
        return table;
    uint64_t n = (uint64_t)FIRST_ENTRIES << level;
    size_t size = sizeof(*table) + n * sizeof(uint64_t);
    struct rf_def_table *made =
        rf_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (made == NULL)
        return NULL;
    __atomic_store_n(&made->n_entries, n, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(place, &table, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    (void)rf_sys_munmap(made, size);
    return table;
}

static const struct rf_def *find(uint64_t hash, uint32_t type, uint64_t owner, const char *text,
                                 size_t size)
{
    for (uint32_t i = 0; i < RF_MAX_DEF_TABLES; i++) {
        struct rf_def_table *table = __atomic_load_n(&rf_recorder.tables[i], __ATOMIC_ACQUIRE);
        if (table == NULL)
            return NULL;
        uint64_t *entry = probe(table, hash, type, owner, text, size);
        uint64_t value = entry == NULL ? 0 : __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (value != 0)
            return def_of(value);
    }
    return NULL;
}

/* Adds a definition to the tables. Returns the one that holds: another thread may have added the
 * same text meanwhile. */
static const struct rf_def *insert(uint64_t hash, uint32_t type, uint64_t owner, const char *text,
                                   size_t size, const struct rf_def *def)
{
    uint64_t mine = (hash >> 48 << 48) | (uint64_t)(uintptr_t)def;
    for (uint32_t i = 0; i < RF_MAX_DEF_TABLES; i++) {
        struct rf_def_table *table = table_at(i);
        if (table == NULL)
            break;
        if (__atomic_load_n(&table->n_used, __ATOMIC_RELAXED) * 2 >= size_of(table))
            continue;
        uint64_t *entry = probe(table, hash, type, owner, text, size);
        while (entry != NULL) {
            uint64_t seen = 0;
            if (__atomic_compare_exchange_n(entry, &seen, mine, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
                (void)__atomic_fetch_add(&table->n_used, 1, __ATOMIC_RELAXED);
                return def;
            }
            if (is_same(seen, hash, type, owner, text, size))
                return def_of(seen);
            entry = probe(table, hash, type, owner, text, size);
        }
    }
    return def;
}

uint32_t rf_intern(uint32_t type, uint32_t domain, uint64_t value, const char *text,
                   uint32_t *counter)
{
    size_t size = text == NULL ? 0 : strlen(text);
    uint64_t hash = text == NULL ? 0 : rf_interned_hash(type, value, text, size);
    const struct rf_def *known = text == NULL ? NULL : find(hash, type, value, text, size);
    if (known != NULL)
        return known->index;
    uint32_t index = __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    const char *copy = rf_defs_add(type, index, domain, value, 0, text, size);
    if (copy == NULL || text == NULL)
        return index;
    const struct rf_def *def = (const struct rf_def *)(const void *)copy - 1;
    return insert(hash, type, value, text, size, def)->index;
}

/* ---- By handle ---- */

/* The first entry from *level and *at on whose definition, *def, gave a text this handle; *at moves
 * behind it. NULL: there is no other. */
static uint64_t *next_entry(uint32_t *level, uint64_t *at, uint32_t type, uint64_t index,
                            const struct rf_def **def)
{
    for (; *level < RF_MAX_DEF_TABLES; (*level)++, *at = 0) {
        struct rf_def_table *table = __atomic_load_n(&rf_recorder.tables[*level], __ATOMIC_ACQUIRE);
        while (table != NULL && *at < size_of(table)) {
            uint64_t *entry = &table->entry[(*at)++];
            uint64_t value = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
            *def = def_of(value);
            if (value != 0 && value != TOMBSTONE && rf_head_type((*def)->head) == type &&
                (*def)->index == index)
                return entry;
        }
    }
    return NULL;
}

RF_COLD const struct rf_def *rf_interned_find(uint32_t type, uint64_t index)
{
    uint32_t level = 0;
    uint64_t at = 0;
    const struct rf_def *def;
    return next_entry(&level, &at, type, index, &def) != NULL ? def : NULL;
}

RF_COLD void rf_interned_forget(uint32_t type, uint64_t index)
{
    uint32_t level = 0;
    uint64_t at = 0;
    const struct rf_def *def;
    for (uint64_t *entry; (entry = next_entry(&level, &at, type, index, &def)) != NULL;)
        __atomic_store_n(entry, TOMBSTONE, __ATOMIC_RELEASE);
}
