/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of a process in the mapping that it shares with the command line; docs/format.md,
 * section 6. */
#include "record/stream/pool.h"

#include <string.h>

#include "record/focus/kept.h"
#include "record/local.h"
#include "record/process/files.h"
#include "record/stream/part.h"

/* Makes the file as large as it can become, without blocks, and maps as many slots as the limits
 * of address space and file size allow. Unused slots are not readable: a leak checker that reads
 * all readable memory would fill the file with pages. */
static uint8_t *map_slots(int fd, uint32_t n_slots, bool is_new)
{
    uint64_t size = rf_pool_part_offset(n_slots, 0);
    if (is_new && (!rf_file_may_grow_to(size) ||
                   rf_note_refused("ftruncate", RF_SYSCALL4(SYS_ftruncate, fd, size, 0, 0)) < 0))
        return NULL;
    return rf_map(NULL, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd);
}

bool rf_pool_create(int given_fd)
{
    static const uint32_t sizes[] = {RF_MAX_SLOTS, 1500, 250, 32, 4};
    struct rf_recorder *r = &rf_recorder;
    int fd = given_fd >= 0 ? given_fd : rf_sys_open(r->pool_path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return rf_note_refused("openat", fd) == 0;
    r->pool = NULL;
    r->n_writable_slots = 0;
    for (size_t i = r->is_watched; i < sizeof(sizes) / sizeof(sizes[0]) && r->pool == NULL; i++) {
        r->max_slots = sizes[i];
        r->pool_size = rf_pool_part_offset(sizes[i], 0);
        r->pool = map_slots(fd, sizes[i], given_fd < 0);
    }
    if (given_fd < 0)
        rf_sys_close(fd);
    if (r->pool != NULL &&
        (rf_note_refused("mprotect", rf_sys_mprotect(r->pool, RF_POOL_SLOTS_END)) < 0 ||
         (given_fd < 0 && rf_file_reserve(r->pool_path, 0, RF_POOL_HEADER_SIZE + 4096) < 0))) {
        (void)rf_sys_munmap(r->pool, r->pool_size);
        r->pool = NULL;
    }
    if (r->pool == NULL)
        return false;
    (void)rf_sys_madvise(r->pool, r->pool_size, MADV_DONTDUMP);
    struct rf_pool_header *header = rf_pool_header();
    header->version = RF_FORMAT_MAJOR;
    header->process = r->process;
    header->pid = rf_sys_getpid();
    memcpy(header->session_id, r->control->session_id, sizeof(header->session_id));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(header->magic, RF_POOL_MAGIC, sizeof(header->magic));
    return true;
}

static struct rf_writer *take_free_slot(void)
{
    struct rf_local *local = rf_recorder.local;
    uint32_t n_words = (__atomic_load_n(&local->n_slots, __ATOMIC_RELAXED) + 63) / 64;
    for (uint32_t i = 0; i < n_words; i++) {
        uint64_t bits = __atomic_load_n(&local->free_slots[i], __ATOMIC_RELAXED);
        while (bits != 0) {
            uint64_t lowest = bits & -bits;
            /* acquire: pairs with the release in rf_pool_mark_free(); the state of the writer is
             * used again */
            if (__atomic_fetch_and(&local->free_slots[i], ~lowest, __ATOMIC_ACQUIRE) & lowest)
                return &local->writers[i * 64 + (uint32_t)__builtin_ctzll(lowest)];
            bits = __atomic_load_n(&local->free_slots[i], __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

/* A page has 64 slot headers. The next page is made early, before a thread needs it. In standby
 * slots are not opened in order. */
static bool make_slot_header(uint32_t slot)
{
    uint32_t page = rf_recorder.is_standby ? slot / 64 : slot / 64 + 1;
    if (rf_recorder.is_standby ? page == 0 : slot % 64 != 32)
        return true;
    uint64_t offset = RF_POOL_HEADER_SIZE + page * 4096;
    return rf_file_reserve_mapped(RF_ASK_POOL, rf_recorder.pool + offset, offset, 4096);
}

/* Makes a slot that the pool does not have yet. Its second part is made when the first is full. */
static struct rf_writer *open_slot(struct rf_writer *writer, uint32_t tid, uint32_t serial)
{
    struct rf_recorder *r = &rf_recorder;
    uint32_t slot = writer->slot;
    if (slot >= r->max_slots || !make_slot_header(slot) || !rf_part_make(slot, 0)) {
        __atomic_store_n(&r->local->is_exhausted, 1, __ATOMIC_RELAXED);
        return NULL; /* the slot stays unused: its header is zero */
    }
    writer->tid = tid;
    writer->serial = serial;
    writer->id_base = rf_range_id(r->process, slot, 0);
    writer->focus = r->is_focused ? &r->local->focus[slot] : NULL;
    rf_part_begin(writer, 0);
    uint32_t *n_slots = &rf_pool_header()->n_slots;
    uint32_t seen = __atomic_load_n(n_slots, __ATOMIC_RELAXED);
    while (seen <= slot && !__atomic_compare_exchange_n(n_slots, &seen, slot + 1, false,
                                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    /* the drainer makes slots for the threads to come; waking it costs this thread time, and
     * perhaps its core */
    if (slot + slot / 4 + 2 >= __atomic_load_n(&rf_pool_header()->n_allocated, __ATOMIC_RELAXED))
        rf_part_wake_drainer();
    return writer;
}

static struct rf_writer *take_new_slot(uint32_t tid, uint32_t serial)
{
    struct rf_local *local = rf_recorder.local;
    if (__atomic_load_n(&local->is_exhausted, __ATOMIC_RELAXED))
        return NULL;
    uint32_t slot = __atomic_fetch_add(&local->n_slots, 1, __ATOMIC_RELAXED);
    if (slot >= RF_MAX_SLOTS) {
        __atomic_store_n(&local->is_exhausted, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    local->writers[slot].slot = slot;
    return open_slot(&local->writers[slot], tid, serial);
}

struct rf_writer *rf_pool_acquire(uint32_t tid, uint32_t serial)
{
    struct rf_writer *writer = take_free_slot();
    if (writer == NULL)
        writer = take_new_slot(tid, serial);
    else if (writer->part == NULL) /* of an earlier session */
        writer = open_slot(writer, tid, serial);
    if (writer != NULL) {
        writer->tid = tid;
        writer->serial = serial;
        writer->nested = NULL;
        if (writer->focus != NULL)
            rf_kept_reset(writer);
        rf_pool_slot_header(writer->slot)->tid = tid;
        rf_pool_slot_header(writer->slot)->is_owned = 1;
    }
    return writer;
}

struct rf_writer *rf_pool_reopen(struct rf_writer *writer, uint32_t serial)
{
    if (open_slot(writer, writer->tid, serial) == NULL)
        return NULL;
    rf_pool_slot_header(writer->slot)->tid = writer->tid;
    rf_pool_slot_header(writer->slot)->is_owned = 1;
    return writer;
}

void rf_pool_mark_free(const struct rf_writer *writer)
{
    (void)__atomic_fetch_or(&rf_recorder.local->free_slots[writer->slot / 64],
                            1ULL << writer->slot % 64, __ATOMIC_RELEASE);
}

void rf_pool_release(struct rf_writer *writer)
{
    rf_writer_park(writer);
    __atomic_store_n(&writer->pthread, 0, __ATOMIC_RELAXED);
    rf_pool_slot_header(writer->slot)->is_owned = 0;
    rf_pool_mark_free(writer);
}
