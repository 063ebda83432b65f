/* SPDX-License-Identifier: Apache-2.0 */
/* Parts: making, filling, and handing them over. */
#include "record/stream/part.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

#include "log/ring_held.h"
#include "record/clock.h"
#include "record/focus/kept.h"
#include "record/local.h"
#include "record/process/files.h"
#include "record/process/session_page.h"

#define LONGEST_WAIT_NS 20000000000LL /* of a thread that has no room */

struct rf_pool_slot *rf_pool_slot_header(uint32_t slot)
{
    return (struct rf_pool_slot *)(void *)(rf_recorder.pool + RF_POOL_HEADER_SIZE) + slot;
}

struct rf_pool_header *rf_pool_header(void)
{
    return (struct rf_pool_header *)(void *)rf_recorder.pool;
}

/* Slots become accessible a few at a time, so that the mapping is cut in two pieces and not in one
 * per thread. */
static bool make_slot_writable(uint32_t slot)
{
    enum { AT_ONCE = 16 };
    struct rf_recorder *r = &rf_recorder;
    uint32_t seen = __atomic_load_n(&r->n_writable_slots, __ATOMIC_RELAXED);
    if (slot < seen)
        return true;
    uint32_t end = (slot / AT_ONCE + 1) * AT_ONCE;
    if (end > r->max_slots)
        end = r->max_slots;
    /* from the first slot on: threads come in any order, and repeating it costs nothing */
    if (!rf_sys_make_writable(r->pool + RF_POOL_SLOTS_END,
                              rf_pool_part_offset(end, 0) - RF_POOL_SLOTS_END))
        return false;
    while (seen < end && !__atomic_compare_exchange_n(&r->n_writable_slots, &seen, end, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return true;
}

/* Maps the pages at once: a fault per page would cost more. The command line makes slots beforehand
 * (n_allocated), so that often only the mapping is left. */
bool rf_part_make(uint32_t slot, uint32_t index)
{
    struct rf_recorder *r = &rf_recorder;
    uint64_t offset = rf_pool_part_offset(slot, index);
    if (!make_slot_writable(slot))
        return false;
    if (slot >= __atomic_load_n(&rf_pool_header()->n_allocated, __ATOMIC_ACQUIRE))
        return rf_file_reserve_mapped(RF_ASK_POOL, r->pool + offset, offset, RF_PART_SIZE);
    (void)rf_sys_madvise(r->pool + offset, RF_PART_SIZE, MADV_POPULATE_WRITE);
    return true;
}

void rf_part_begin(struct rf_writer *writer, uint32_t index)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_pool_part *entry = &rf_pool_slot_header(writer->slot)->part[index];
    uint8_t *part = r->pool + rf_pool_part_offset(writer->slot, index);
    struct rf_chunk_header *chunk = (struct rf_chunk_header *)(void *)part;
    struct rf_part_header *header = (struct rf_part_header *)(void *)(chunk + 1);
    uint64_t *records = (uint64_t *)(void *)(part + RF_PART_RECORDS_OFFSET);

    records[0] = 0;
    memset(chunk, 0, RF_PART_RECORDS_OFFSET);
    chunk->magic = RF_CHUNK_MAGIC;
    chunk->type = RF_CHUNK_PART;
    chunk->header_size = sizeof(*chunk);
    chunk->process = r->process;
    chunk->slot = writer->slot;
    chunk->seq = ++writer->seq;
    chunk->mono_ns = rf_clock_ns(CLOCK_MONOTONIC);
    chunk->ticks = rf_now();
    header->first_start = writer->n_starts;
    header->lost_records = writer->lost_records;
    header->lost_bytes = writer->lost_bytes;
    header->tid = writer->tid;
    header->serial = writer->serial;
    writer->lost_records = writer->lost_bytes = 0;
    if (writer->focus != NULL)
        rf_kept_reset(writer);
    writer->part = part;
    writer->part_index = index;
    writer->cursor = (uint8_t *)records;
    writer->parked_end = part + RF_PART_SIZE - RF_RESERVE;
    entry->size = 0;
    entry->seq = writer->seq;
    /* pairs with the acquire load of whoever reads the part: its headers are there */
    __atomic_store_n(&entry->state, RF_PART_ACTIVE, __ATOMIC_RELEASE);
}

void rf_part_wake_drainer(void)
{
    struct rf_control *control = rf_recorder.control;
    /* The part's state is stored before this fence, and the drainer stores that it sleeps before
     * it looks once more: one of the two sees the other's store. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&control->drainer_sleeps, __ATOMIC_RELAXED) == 0)
        return;
    __atomic_store_n(&control->drainer_sleeps, 0, __ATOMIC_RELAXED);
    (void)RF_SYSCALL4(SYS_futex, &control->drainer_sleeps, FUTEX_WAKE, 1, 0);
}

/* ---- A full part ---- */

/* Can the other part be used now? A part that was never used gets its pages here; if there is no
 * memory for them, the thread continues with one part. A state that does not exist was written
 * by the program, and nobody else will change it. */
static bool is_part_free(const struct rf_writer *writer, uint32_t index)
{
    const struct rf_pool_part *part = &rf_pool_slot_header(writer->slot)->part[index];
    uint32_t state = __atomic_load_n(&part->state, __ATOMIC_ACQUIRE);
    if (state == RF_PART_FULL || state == RF_PART_CLAIMED)
        return false;
    return part->seq != 0 || rf_part_make(writer->slot, index);
}

static bool claim(struct rf_pool_part *part)
{
    uint32_t full = RF_PART_FULL;
    return __atomic_compare_exchange_n(&part->state, &full, RF_PART_APPENDING, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* How many bytes of a full part are in use; 0: the program has overwritten the number. */
static uint32_t used_size(const struct rf_pool_part *part)
{
    uint32_t size = __atomic_load_n(&part->size, __ATOMIC_RELAXED);
    return size >= RF_PART_RECORDS_OFFSET && size <= RF_PART_SIZE && size % 8 == 0 ? size : 0;
}

/* Appends a claimed part to the log and frees it; on failure it is full again. */
static long append(struct rf_writer *writer, uint32_t index)
{
    struct rf_pool_part *part = &rf_pool_slot_header(writer->slot)->part[index];
    const uint8_t *bytes = rf_recorder.pool + rf_pool_part_offset(writer->slot, index);
    const uint32_t size = used_size(part);
    long status = size != 0 ? rf_sys_open(rf_recorder.log_path, O_WRONLY | O_APPEND, 0) : 0;
    if (size == 0) {
        rf_count_lost(1, RF_PART_SIZE);
    } else if (status >= 0) {
        int fd = (int)status;
        long at = RF_SYSCALL4(SYS_lseek, fd, 0, 2 /* SEEK_END */, 0);
        status = -EFBIG; /* this process may not append to it, but the drainer may */
        if (rf_file_may_grow_to((uint64_t)(at < 0 ? 0 : at) + size)) {
            status = rf_sys_write(fd, bytes, size);
            if (status >= 0 && status < (long)size)
                status = -ENOSPC; /* cut short: readers skip the piece */
            else if (status >= 0)
                rf_ring_add(rf_recorder.control, size);
        }
        rf_sys_close(fd);
    }
    __atomic_store_n(&part->state, status < 0 ? RF_PART_FULL : RF_PART_FREE, __ATOMIC_RELEASE);
    return status;
}

/* Drops the records of a part that this thread owns, counts them as lost, and begins the part
 * again. */
static void drop_part(struct rf_writer *writer, uint32_t index, uint32_t size)
{
    struct rf_pool_slot *slot = rf_pool_slot_header(writer->slot);
    const uint8_t *part = rf_recorder.pool + rf_pool_part_offset(writer->slot, index);
    const uint64_t *at = (const uint64_t *)(const void *)(part + RF_PART_RECORDS_OFFSET);
    uint64_t n = 0;
    uint64_t bytes = size != 0 ? size - RF_PART_RECORDS_OFFSET : 0;
    const uint64_t *end = (const uint64_t *)(const void *)(part + size);
    while (at < end) {
        uint64_t words = *at >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        uint64_t type = *at & ((1 << RF_WORD_TYPE_BITS) - 1);
        if (words == 0)
            words = at + 1 < end ? at[1] >> 32 : 0;
        if (words == 0 || words > (uint64_t)(end - at))
            break; /* overwritten by the program */
        n += type != RF_REC_TEXT && type != RF_REC_THREAD && type != RF_REC_THREAD_END &&
             type != RF_REC_COUNTER && type != RF_REC_VOID && type != RF_REC_PARENT &&
             type != RF_REC_DATA;
        at += words;
    }
    writer->lost_records += n;
    writer->lost_bytes += bytes;
    slot->lost_records += n;
    slot->lost_bytes += bytes;
    rf_count_lost(n, bytes);
    rf_part_begin(writer, index);
}

/* Waits while the drainer appends the other part: that takes less time than to append the own
 * part after it. Not for long, and not again for a drainer that has died or gets no processor. */
static void wait_for_drainer(const struct rf_pool_part *part)
{
    enum { PATIENCE_NS = 60000 };
    uint32_t *late_beat = &rf_recorder.local->late_beat;
    uint32_t beat = __atomic_load_n(&rf_recorder.control->drainer_beat, __ATOMIC_RELAXED);
    if (beat == __atomic_load_n(late_beat, __ATOMIC_RELAXED))
        return;
    int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    while (__atomic_load_n(&part->state, __ATOMIC_RELAXED) == RF_PART_CLAIMED) {
        if (rf_clock_ns(CLOCK_MONOTONIC) >= until) {
            __atomic_store_n(late_beat, beat, __ATOMIC_RELAXED);
            return;
        }
        rf_relax();
    }
}

/* Whether the command line asks for a wait, since a ring holds far more than its size: what is
 * appended faster than it lets go of the oldest would grow without end. Not for long of one that
 * has died, and not again. */
static bool is_ring_over(uint32_t beat, int patience)
{
    enum { PATIENT = 150 };
    if ((!rf_ring_is_over(rf_recorder.control) && !rf_ring_is_abandoned(rf_recorder.control)) ||
        beat == __atomic_load_n(&rf_recorder.late_ring_beat, __ATOMIC_RELAXED))
        return false;
    if (patience >= PATIENT)
        return true;
    __atomic_store_n(&rf_recorder.late_ring_beat, beat, __ATOMIC_RELAXED);
    return false;
}

/* Whether a ring whose command line was waited for in vain has grown so much that it may take no
 * more: that is memory. */
static bool is_ring_full(uint32_t beat)
{
    return rf_ring_is_abandoned(rf_recorder.control) &&
           beat == __atomic_load_n(&rf_recorder.late_ring_beat, __ATOMIC_RELAXED);
}

/* Makes room: appends one of the two parts, whichever the drainer does not have. Returns the
 * index of a free part, or -1 if nobody can append one. */
static int make_room(struct rf_writer *writer, uint32_t other)
{
    struct rf_control *control = rf_recorder.control;
    struct rf_pool_part *parts = rf_pool_slot_header(writer->slot)->part;
    uint32_t *is_stuck = &rf_recorder.local->is_stuck;
    uint32_t beat = __atomic_load_n(&control->drainer_beat, __ATOMIC_RELAXED);
    const int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + LONGEST_WAIT_NS;
    wait_for_drainer(&parts[other]);
    for (int patience = 300; patience > 0; patience--) {
        const bool is_full = is_ring_full(beat);
        long status = is_full ? -ENOSPC : 0;
        const bool may_append = !is_full && !is_ring_over(beat, patience);
        for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++) {
            uint32_t index = i == 0 ? other : writer->part_index;
            if (is_part_free(writer, index)) {
                __atomic_store_n(is_stuck, 0, __ATOMIC_RELAXED);
                return (int)index;
            }
            if (may_append && claim(&parts[index])) {
                status = append(writer, index);
                if (status >= 0) {
                    __atomic_store_n(is_stuck, 0, __ATOMIC_RELAXED);
                    return (int)index;
                }
            }
        }
        if (status == -ENOSPC || status == -EDQUOT || __atomic_load_n(is_stuck, __ATOMIC_RELAXED))
            break;
        /* The drainer has both parts, or this process cannot open the log and the drainer can.
         * The beat says whether the drainer is alive; but what the program overwrote may keep it
         * from the part for ever. */
        if (rf_clock_ns(CLOCK_MONOTONIC) >= until)
            break;
        rf_sys_sleep_us(1000);
        uint32_t now = __atomic_load_n(&control->drainer_beat, __ATOMIC_RELAXED);
        if (now != beat && patience < 200) {
            beat = now;
            patience = 200;
        }
    }
    if (__atomic_exchange_n(is_stuck, 1, __ATOMIC_RELAXED) == 0)
        rf_session_add_message("the log cannot be written: events are being dropped and counted");
    return -1;
}

void rf_part_next(struct rf_writer *writer)
{
    struct rf_control *control = rf_recorder.control;
    struct rf_pool_part *parts = rf_pool_slot_header(writer->slot)->part;
    uint32_t index = writer->part_index;
    uint32_t other = 1 - index;
    bool is_free = is_part_free(writer, other);

    if (!is_free && __atomic_load_n(&control->overflow, __ATOMIC_RELAXED) == RF_OVERFLOW_DROP) {
        rf_part_wake_drainer();
        drop_part(writer, index, (uint32_t)(writer->cursor - writer->part));
        return;
    }
    struct rf_chunk_header *chunk = (struct rf_chunk_header *)(void *)writer->part;
    parts[index].size = (uint32_t)(writer->cursor - writer->part);
    chunk->size = parts[index].size - sizeof(*chunk);
    __atomic_store_n(&parts[index].state, RF_PART_FULL, __ATOMIC_RELEASE);
    rf_part_wake_drainer();
    if (is_free) {
        rf_part_begin(writer, other);
        return;
    }
    int64_t before = rf_clock_ns(CLOCK_MONOTONIC);
    int found = make_room(writer, other);
    (void)__atomic_fetch_add(&control->n_stalls, 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&control->stall_ns, (uint64_t)(rf_clock_ns(CLOCK_MONOTONIC) - before),
                             __ATOMIC_RELAXED);
    if (found >= 0) {
        rf_part_begin(writer, (uint32_t)found);
        return;
    }
    /* Nobody can append: give up the newest part, whose loss the next one's header reports. The
     * drainer, if it holds it, is soon back; one that was killed meanwhile never is: then the other
     * one is given up. */
    for (int i = 0; i < 100 && !is_part_free(writer, index) && !claim(&parts[index]); i++)
        rf_sys_sleep_us(1000);
    if (parts[index].state == RF_PART_CLAIMED && parts[other].seq != 0) {
        index = other;
        (void)claim(&parts[index]);
    }
    if (parts[index].state == RF_PART_FREE)
        rf_part_begin(writer, index);
    else
        drop_part(writer, index, used_size(&parts[index]));
}
