/* SPDX-License-Identifier: Apache-2.0 */
/* Names: the definitions stream (docs/format.md, section 5) and the tables that give one text one
 * handle. Nothing here locks: a signal handler may name things while its thread is doing so.
 *
 * A table entry is the address of a definition in the mapping (48 bits) under 16 bits of its hash.
 * Entries are only ever added, or replaced by TOMBSTONE when their domain is destroyed. When a
 * table is half full the next, twice as large, is added; look-ups go through all. A forked child
 * has copies of the tables, and the mapping of its parent's definitions. */
#include <string.h>

#include "log/cuda.h"
#include "record/stream/emit.h"

#define MAPPED_SIZES                                                                               \
    {                                                                                              \
        1ULL << 30, 1ULL << 26, 1ULL << 22, 1ULL << 18                                             \
    }
#define GROW_STEP     RF_DEFS_FIRST_SIZE
#define FIRST_ENTRIES 1024u
#define TOMBSTONE     1ULL
#define ADDRESS_MASK  ((1ULL << 48) - 1)

struct rf_def_table {
    uint64_t n_entries; /* a power of two; atomic: other threads may have had this page before */
    uint64_t n_used;    /* atomic */
    uint64_t entry[];
};

/* Maps as much as the limits of address space allow. fd -1: memory. */
static bool map_stream(struct rf_defs *defs, int fd)
{
    static const uint64_t sizes[] = MAPPED_SIZES;
    int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    uint8_t *mapping = NULL;
    uint64_t size = 0;
    for (size_t i = rf_recorder.is_watched; i < sizeof(sizes) / sizeof(sizes[0]) && mapping == NULL;
         i++) {
        size = sizes[i];
        mapping = rf_map(NULL, size, PROT_NONE, flags | MAP_NORESERVE, fd);
    }
    if (mapping == NULL || rf_note("mprotect", rf_sys_mprotect(mapping, GROW_STEP)) < 0)
        return false;
    (void)rf_sys_madvise(mapping, size, MADV_DONTDUMP);
    *defs = (struct rf_defs){.data = mapping,
                             .size = size,
                             .allocated = GROW_STEP,
                             .tail = sizeof(struct rf_defs_header)};
    return true;
}

bool rf_defs_create_names(void)
{
    return map_stream(&rf_recorder.names, -1);
}

/* given: the file, which has its first blocks; -1: it is to be made. */
static bool create(struct rf_defs *defs, int given)
{
    struct rf_recorder *r = &rf_recorder;
    int fd = given >= 0 ? given : rf_sys_open(r->defs_path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    bool is_mapped =
        (given >= 0 || rf_file_reserve(r->defs_path, 0, GROW_STEP) >= 0) && map_stream(defs, fd);
    if (given < 0)
        rf_sys_close(fd);
    if (!is_mapped)
        return false;
    struct rf_defs_header *header = (struct rf_defs_header *)(void *)defs->data;
    memcpy(header->magic, RF_DEFS_MAGIC, sizeof(header->magic));
    header->version = RF_VERSION_MAJOR;
    header->process = r->process;
    memcpy(header->session_id, r->control->session_id, sizeof(header->session_id));
    return true;
}

/* Makes sure that the stream has its first `size` bytes; several threads may do so at once. */
static bool grow(struct rf_defs *defs, uint64_t size)
{
    struct rf_recorder *r = &rf_recorder;
    uint64_t have = __atomic_load_n(&defs->allocated, __ATOMIC_ACQUIRE);
    if (size <= have)
        return true;
    uint64_t want = (size + GROW_STEP + have / 4) & ~(uint64_t)(GROW_STEP - 1);
    if (want > defs->size)
        want = defs->size;
    if (size > want || !rf_sys_make_writable(defs->data + have, want - have) ||
        (defs != &r->names &&
         !rf_process_reserve(RF_ASK_DEFS, defs->data + have, have, want - have)))
        return false;
    while (have < want && !__atomic_compare_exchange_n(&defs->allocated, &have, want, false,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return true;
}

/* ---- In standby ---- */

/* All that memory has, at the begin of the session's stream, as if it was said now; nobody adds to
 * it meanwhile. */
static bool copy_names(struct rf_defs *defs)
{
    const struct rf_defs *names = &rf_recorder.names;
    uint64_t ticks = rf_now();
    for (;;) {
        const struct rf_def *def = (const struct rf_def *)(const void *)(names->data + defs->tail);
        if (defs->tail + 16 > names->allocated || def->n_words == 0)
            return true;
        uint64_t size = (uint64_t)def->n_words * 8;
        if (!grow(defs, defs->tail + size + 16))
            return false;
        struct rf_def *copy = (struct rf_def *)(void *)(defs->data + defs->tail);
        memcpy(copy, def, size);
        if (def->head != 0) /* it was finished */
            copy->head = rf_head(ticks, def->head & ((1 << RF_WORD_TYPE_BITS) - 1), 0);
        defs->tail += size;
    }
}

/* Who adds definitions waits until the session's stream has those that there were. */
static bool create_with_names(int given)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_defs defs;
    if (!rf_standby_stop_naming())
        return false;
    bool is_ready = create(&defs, given) && copy_names(&defs);
    if (is_ready) {
        r->defs = defs;
        r->defs_pid = rf_sys_getpid();
    }
    rf_standby_go_on_naming();
    return is_ready;
}

bool rf_defs_create(int given)
{
    return rf_recorder.is_standby ? create_with_names(given) : create(&rf_recorder.defs, given);
}

void rf_defs_release(void)
{
    struct rf_defs *defs = &rf_recorder.defs;
    if (defs->data == NULL || !rf_standby_stop_naming())
        return;
    uint8_t *data = defs->data;
    uint64_t data_size = defs->size;
    *defs = (struct rf_defs){0}; /* first: a fork may come in between */
    rf_signal_fence();
    (void)rf_sys_munmap(data, data_size);
    rf_standby_go_on_naming();
}

/* ---- Adding ---- */

/* Takes n_words at the end of the stream. The compare-and-swap of the second word is what reserves;
 * who loses it goes on behind the winner. */
static struct rf_def *reserve(struct rf_defs *defs, uint32_t tid, uint32_t n_words)
{
    uint64_t at = __atomic_load_n(&defs->tail, __ATOMIC_ACQUIRE);
    for (;;) {
        /* the next definition's first two words must be there too, to read as the end */
        if (!grow(defs, at + (uint64_t)n_words * 8 + 16))
            return NULL;
        struct rf_def *def = (struct rf_def *)(void *)(defs->data + at);
        uint64_t *claim = (uint64_t *)(void *)&def->tid;
        uint64_t seen = 0;
        bool is_ours = __atomic_compare_exchange_n(claim, &seen, (uint64_t)n_words << 32 | tid,
                                                   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        uint64_t next = at + (is_ours ? n_words : seen >> 32) * 8;
        uint64_t old = at;
        (void)__atomic_compare_exchange_n(&defs->tail, &old, next, false, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED);
        if (is_ours)
            return def;
        if (next == at)
            return NULL; /* the program has written over it */
        at = next;
    }
}

/* fields: index, domain, value and detail; head: when it was true, or 0: now. */
static const char *add(struct rf_defs *defs, uint32_t type, const struct rf_def *fields,
                       const char *text, size_t text_size)
{
    uint32_t text_words = text == NULL ? 0 : (uint32_t)((text_size + 7) / 8);
    uint32_t n_words = (uint32_t)(sizeof(struct rf_def) / 8) + text_words;
    struct rf_def *def = reserve(defs, rf_sys_gettid(), n_words);
    if (def == NULL) {
        (void)__atomic_fetch_add(&rf_recorder.control->lost_defs, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    def->index = fields->index;
    def->domain = fields->domain;
    def->value = fields->value;
    def->detail = fields->detail;
    def->text_size = text == NULL ? RF_NO_TEXT : (uint32_t)text_size;
    char *copy = (char *)(def + 1);
    if (text != NULL)
        memcpy(copy, text, text_size); /* the file's bytes behind it are zero: the padding */
    uint64_t ticks = fields->head != 0 ? fields->head : rf_now();
    __atomic_store_n(&def->head, rf_head(ticks, type, 0), __ATOMIC_RELEASE);
    return copy;
}

/* What is said to each session anew: what the process is, and what CUPTI tells again whenever it is
 * asked. */
static bool is_of_session(uint32_t type, const struct rf_def *fields)
{
    return type == RF_REC_PROCESS ||
           (type == RF_REC_CUDA_DEF &&
            (fields->domain == RF_CUDA_DEF_CONTEXT || fields->domain == RF_CUDA_DEF_STREAM ||
             fields->domain == RF_CUDA_DEF_CLOCK || fields->domain == RF_CUDA_DEF_LIBRARY));
}

/* To memory, which outlives sessions, and to the session that is on. */
static const char *add_in_standby(uint32_t type, const struct rf_def *fields, const char *text,
                                  size_t text_size)
{
    struct rf_recorder *r = &rf_recorder;
    const char *copy = NULL;
    struct rf_local *local = rf_standby_begin_naming();
    if (!is_of_session(type, fields))
        copy = add(&r->names, type, fields, text, text_size);
    if (local == NULL)
        return copy;
    if (r->defs.data != NULL && r->defs_pid == rf_sys_getpid())
        (void)add(&r->defs, type, fields, text, text_size);
    rf_standby_end_naming(local);
    return copy;
}

RF_COLD const char *rf_defs_add(uint32_t type, uint32_t index, uint32_t domain, uint64_t value,
                                uint32_t detail, const char *text, size_t text_size)
{
    const struct rf_def fields = {
        .index = index, .domain = domain, .value = value, .detail = detail};
    if (text_size > (1u << 30))
        text_size = 1u << 30;
    if (rf_recorder.is_standby)
        return add_in_standby(type, &fields, text, text_size);
    return add(&rf_recorder.defs, type, &fields, text, text_size);
}

void rf_defs_add_at(uint64_t ticks, uint32_t type, uint32_t domain, uint64_t value, uint32_t detail)
{
    const struct rf_def fields = {
        .head = ticks, .domain = domain, .value = value, .detail = detail};
    if (rf_recorder.is_standby)
        (void)add_in_standby(type, &fields, NULL, 0);
    else
        (void)add(&rf_recorder.defs, type, &fields, NULL, 0);
}

/* ---- One handle for one text ---- */

static uint64_t hash_text(uint64_t type, uint64_t domain, const char *text, size_t size)
{
    uint64_t h = (type << 32 ^ domain) * 0x9e3779b97f4a7c15ULL + size;
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

static bool is_same(uint64_t entry, uint64_t hash, uint32_t type, uint64_t domain, const char *text,
                    size_t size)
{
    if (entry >> 48 != hash >> 48 || entry == TOMBSTONE)
        return false;
    const struct rf_def *def = (const struct rf_def *)(uintptr_t)(entry & ADDRESS_MASK);
    return (def->head & ((1 << RF_WORD_TYPE_BITS) - 1)) == type && def->text_size == size &&
           (type == RF_REC_DOMAIN || def->value == domain) && memcmp(def + 1, text, size) == 0;
}

static uint64_t size_of(const struct rf_def_table *table)
{
    return __atomic_load_n(&table->n_entries, __ATOMIC_RELAXED);
}

/* The entry of a text, or where it would go in this table (then *entry is 0). NULL: full. */
static uint64_t *probe(struct rf_def_table *table, uint64_t hash, uint32_t type, uint64_t domain,
                       const char *text, size_t size)
{
    for (uint64_t i = 0; i < size_of(table); i++) {
        uint64_t *entry = &table->entry[(hash + i) & (size_of(table) - 1)];
        uint64_t value = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (value == 0 || is_same(value, hash, type, domain, text, size))
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

static const struct rf_def *find(uint64_t hash, uint32_t type, uint64_t domain, const char *text,
                                 size_t size, uint64_t **place)
{
    for (uint32_t i = 0; i < sizeof(rf_recorder.tables) / sizeof(rf_recorder.tables[0]); i++) {
        struct rf_def_table *table = __atomic_load_n(&rf_recorder.tables[i], __ATOMIC_ACQUIRE);
        if (table == NULL)
            return NULL;
        uint64_t *entry = probe(table, hash, type, domain, text, size);
        uint64_t value = entry == NULL ? 0 : __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (value != 0) {
            *place = entry;
            return (const struct rf_def *)(uintptr_t)(value & ADDRESS_MASK);
        }
    }
    return NULL;
}

/* Adds a definition; gives the one that holds, which another thread may have added meanwhile. */
static const struct rf_def *insert(uint64_t hash, uint32_t type, uint64_t domain, const char *text,
                                   size_t size, const struct rf_def *def)
{
    uint64_t mine = (hash >> 48 << 48) | (uint64_t)(uintptr_t)def;
    for (uint32_t i = 0; i < sizeof(rf_recorder.tables) / sizeof(rf_recorder.tables[0]); i++) {
        struct rf_def_table *table = table_at(i);
        if (table == NULL)
            break;
        if (__atomic_load_n(&table->n_used, __ATOMIC_RELAXED) * 2 >= size_of(table))
            continue;
        uint64_t *entry = probe(table, hash, type, domain, text, size);
        while (entry != NULL) {
            uint64_t seen = 0;
            if (__atomic_compare_exchange_n(entry, &seen, mine, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
                (void)__atomic_fetch_add(&table->n_used, 1, __ATOMIC_RELAXED);
                return def;
            }
            if (is_same(seen, hash, type, domain, text, size))
                return (const struct rf_def *)(uintptr_t)(seen & ADDRESS_MASK);
            entry = probe(table, hash, type, domain, text, size);
        }
    }
    return def;
}

/* The handle of (type, domain, text): an old one, or the next of *counter. field: what stands as
 * domain in its definition. */
static uint32_t handle_of(uint32_t type, uint32_t field, uint64_t domain, const char *text,
                          uint32_t *counter)
{
    size_t size = text == NULL ? 0 : strlen(text);
    uint64_t hash = text == NULL ? 0 : hash_text(type, domain, text, size);
    uint64_t *place = NULL;
    if (text != NULL) {
        const struct rf_def *known = find(hash, type, domain, text, size, &place);
        if (known != NULL)
            return known->index;
    }
    uint32_t index = __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    const char *copy = rf_defs_add(type, index, field, domain, 0, text, size);
    if (copy == NULL || text == NULL)
        return index;
    const struct rf_def *def = (const struct rf_def *)(const void *)copy - 1;
    return insert(hash, type, domain, text, size, def)->index;
}

uint32_t rf_defs_intern(uint32_t type, uint32_t domain, const char *text, uint32_t *counter)
{
    return handle_of(type, domain, 0, text, counter);
}

/* ---- Domains ---- */

/* Does the user's --nvtx-domain-include or -exclude leave this domain out? name NULL: default. */
static bool is_excluded(const char *name)
{
    const struct rf_control *control = rf_recorder.control;
    if (control->filter_mode == RF_FILTER_NONE)
        return false;
    bool is_listed = false;
    uint32_t size = control->filter_size < RF_FILTER_SIZE ? control->filter_size : RF_FILTER_SIZE;
    for (uint32_t at = 0; at < size; at += (uint32_t)strnlen(control->filter + at, size - at) + 1)
        if (strcmp(control->filter + at, name == NULL ? "\1" : name) == 0)
            is_listed = true;
    return is_listed == (control->filter_mode == RF_FILTER_EXCLUDE);
}

bool rf_defs_is_default_excluded(void)
{
    return is_excluded(NULL);
}

RF_COLD uint32_t rf_defs_domain(const char *name)
{
    if (name != NULL && is_excluded(name))
        return rf_trigger_is_in_domain(name)
                   ? RF_EXCLUDED_TRIGGER_DOMAIN
                   : RF_EXCLUDED_DOMAIN + (uint32_t)(hash_text(0, 0, name, strlen(name)) & 0xfffff);
    uint32_t handle = handle_of(RF_REC_DOMAIN, 0, 0, name, &rf_recorder.n_domains);
    return handle < RF_EXCLUDED_DOMAIN ? handle : RF_EXCLUDED_DOMAIN - 1;
}

RF_COLD uint32_t rf_defs_string(uint64_t domain, const char *text)
{
    uint32_t field = domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain;
    return handle_of(RF_REC_STRING, field, domain, text, &rf_recorder.n_strings);
}

RF_COLD const struct rf_def *rf_defs_find(uint32_t type, uint64_t index)
{
    for (uint32_t i = 0; i < sizeof(rf_recorder.tables) / sizeof(rf_recorder.tables[0]); i++) {
        struct rf_def_table *table = __atomic_load_n(&rf_recorder.tables[i], __ATOMIC_ACQUIRE);
        for (uint64_t k = 0; table != NULL && k < size_of(table); k++) {
            uint64_t value = __atomic_load_n(&table->entry[k], __ATOMIC_ACQUIRE);
            const struct rf_def *def = (const struct rf_def *)(uintptr_t)(value & ADDRESS_MASK);
            if (value != 0 && value != TOMBSTONE &&
                (def->head & ((1 << RF_WORD_TYPE_BITS) - 1)) == type && def->index == index)
                return def;
        }
    }
    return NULL;
}

/* The name's entry goes, so that creating the domain again gives a new handle, with strings of its
 * own. */
RF_COLD void rf_defs_destroy_domain(uint64_t domain)
{
    if (domain >= RF_EXCLUDED_DOMAIN && domain < RF_ATTR_DOMAIN_ESCAPE)
        return;
    (void)rf_defs_add(RF_REC_DOMAIN_DESTROY, domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain, 0,
                      domain, 0, NULL, 0);
    for (uint32_t i = 0; i < sizeof(rf_recorder.tables) / sizeof(rf_recorder.tables[0]); i++) {
        struct rf_def_table *table = __atomic_load_n(&rf_recorder.tables[i], __ATOMIC_ACQUIRE);
        for (uint64_t k = 0; table != NULL && k < size_of(table); k++) {
            uint64_t value = __atomic_load_n(&table->entry[k], __ATOMIC_ACQUIRE);
            const struct rf_def *def = (const struct rf_def *)(uintptr_t)(value & ADDRESS_MASK);
            if (value != 0 && value != TOMBSTONE &&
                (def->head & ((1 << RF_WORD_TYPE_BITS) - 1)) == RF_REC_DOMAIN &&
                def->index == domain)
                __atomic_store_n(&table->entry[k], TOMBSTONE, __ATOMIC_RELEASE);
        }
    }
}
