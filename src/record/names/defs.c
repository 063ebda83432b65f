/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions stream, and in standby the copy of it that outlives sessions. */
#include "record/names/defs.h"

#include <string.h>

#include "log/cuda.h"
#include "record/clock.h"
#include "record/process/files.h"
#include "record/standby/standby_gate.h"
#include "record/stream/writer.h"

#define MAPPED_SIZES                                                                               \
    {                                                                                              \
        1ULL << 30, 1ULL << 26, 1ULL << 22, 1ULL << 18                                             \
    }
#define GROW_STEP RF_DEFS_FIRST_SIZE

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
    if (mapping == NULL || rf_note_refused("mprotect", rf_sys_mprotect(mapping, GROW_STEP)) < 0)
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

/* given_fd: the file, which has its first blocks; -1: it is to be made. */
static bool create(struct rf_defs *defs, int given_fd)
{
    struct rf_recorder *r = &rf_recorder;
    int fd = given_fd >= 0 ? given_fd : rf_sys_open(r->defs_path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    bool is_mapped =
        (given_fd >= 0 || rf_file_reserve(r->defs_path, 0, GROW_STEP) >= 0) && map_stream(defs, fd);
    if (given_fd < 0)
        rf_sys_close(fd);
    if (!is_mapped)
        return false;
    struct rf_defs_header *header = (struct rf_defs_header *)(void *)defs->data;
    memcpy(header->magic, RF_DEFS_MAGIC, sizeof(header->magic));
    header->version = RF_FORMAT_MAJOR;
    header->process = r->process;
    memcpy(header->session_id, r->control->session_id, sizeof(header->session_id));
    return true;
}

/* Makes sure that the stream has its first `size` bytes. Several threads may call this at the
 * same time. */
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
         !rf_file_reserve_mapped(RF_ASK_DEFS, defs->data + have, have, want - have)))
        return false;
    while (have < want && !__atomic_compare_exchange_n(&defs->allocated, &have, want, false,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return true;
}

/* ---- In standby ---- */

/* Copies all definitions in memory to the beginning of the session's stream, with the time of
 * now. Nobody adds to memory meanwhile. */
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
        if (def->head != 0) /* it is complete */
            copy->head = rf_head(ticks, def->head & ((1 << RF_WORD_TYPE_BITS) - 1), 0);
        defs->tail += size;
    }
}

/* Threads that add definitions wait until the session's stream has the copy. */
static bool create_with_names(int given_fd)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_defs defs;
    if (!rf_standby_block_naming())
        return false;
    bool is_ready = create(&defs, given_fd) && copy_names(&defs);
    if (is_ready) {
        r->defs = defs;
        r->defs_pid = rf_sys_getpid();
    }
    rf_standby_unblock_naming();
    return is_ready;
}

bool rf_defs_create(int given_fd)
{
    return rf_recorder.is_standby ? create_with_names(given_fd)
                                  : create(&rf_recorder.defs, given_fd);
}

void rf_defs_release(void)
{
    struct rf_defs *defs = &rf_recorder.defs;
    if (defs->data == NULL || !rf_standby_block_naming())
        return;
    uint8_t *data = defs->data;
    uint64_t data_size = defs->size;
    *defs = (struct rf_defs){0}; /* cleared before it is unmapped: a fork may come in between */
    rf_signal_fence();
    (void)rf_sys_munmap(data, data_size);
    rf_standby_unblock_naming();
}

/* ---- Adding ---- */

/* Reserves n_words at the end of the stream, by the compare-and-swap of the second word. Whoever
 * loses it continues behind the winner. */
static struct rf_def *reserve(struct rf_defs *defs, uint32_t tid, uint32_t n_words)
{
    uint64_t at = __atomic_load_n(&defs->tail, __ATOMIC_ACQUIRE);
    for (;;) {
        /* the first two words of the next definition must be mapped too, to read as the end */
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
            return NULL; /* overwritten by the program */
        at = next;
    }
}

static struct rf_def *reserve_or_count(struct rf_defs *defs, uint32_t n_words)
{
    struct rf_def *def = reserve(defs, rf_sys_gettid(), n_words);
    if (def == NULL)
        (void)__atomic_fetch_add(&rf_recorder.control->lost_defs, 1, __ATOMIC_RELAXED);
    return def;
}

/* Definitions have the low bits of their time: where the one before is long ago, one that has all
 * of them goes first. Of several threads that come here at once each may add one. */
static void add_time(struct rf_defs *defs, uint64_t ticks)
{
    const uint64_t last = __atomic_load_n(&defs->ticks, __ATOMIC_RELAXED);
    if (last != 0 && (int64_t)(ticks - last) < (int64_t)RF_TICKS_APART)
        return;
    struct rf_def *def = reserve_or_count(defs, sizeof(*def) / 8);
    if (def == NULL)
        return;
    def->index = RF_PROC_TIME;
    def->value = ticks;
    def->text_size = RF_NO_TEXT;
    __atomic_store_n(&def->head, rf_head(ticks, RF_REC_PROCESS, 0), __ATOMIC_RELEASE);
    __atomic_store_n(&defs->ticks, ticks, __ATOMIC_RELAXED);
}

/* fields: index, domain, value and detail; head: when it was true, or 0: now. */
static const char *add(struct rf_defs *defs, uint32_t type, const struct rf_def *fields,
                       const char *text, size_t text_size)
{
    uint32_t text_words = text == NULL ? 0 : (uint32_t)((text_size + 7) / 8);
    uint32_t n_words = (uint32_t)(sizeof(struct rf_def) / 8) + text_words;
    if (defs != &rf_recorder.names) /* they get the time of the session that they are copied to */
        add_time(defs, rf_now());
    struct rf_def *def = reserve_or_count(defs, n_words);
    if (def == NULL)
        return NULL;
    def->index = fields->index;
    def->domain = fields->domain;
    def->value = fields->value;
    def->detail = fields->detail;
    def->text_size = text == NULL ? RF_NO_TEXT : (uint32_t)text_size;
    char *copy = (char *)(def + 1);
    if (text != NULL)
        memcpy(copy, text, text_size); /* the padding is zero already */
    uint64_t ticks = fields->head != 0 ? fields->head : rf_now();
    __atomic_store_n(&def->head, rf_head(ticks, type, 0), __ATOMIC_RELEASE);
    return copy;
}

/* Definitions that each session gets anew: what the process is, and what CUPTI reports again
 * whenever it is asked. */
static bool is_of_session(uint32_t type, const struct rf_def *fields)
{
    return type == RF_REC_PROCESS ||
           (type == RF_REC_CUDA_DEF &&
            (fields->domain == RF_CUDA_DEF_CONTEXT || fields->domain == RF_CUDA_DEF_STREAM ||
             fields->domain == RF_CUDA_DEF_CLOCK || fields->domain == RF_CUDA_DEF_LIBRARY));
}

/* Adds to memory, which outlives sessions, and to the session that is on. */
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
