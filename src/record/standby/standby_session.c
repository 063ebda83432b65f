/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder that is loaded before anybody wants a recording, and then writes sessions, one after
 * another, for a caller in the same process (the Python package's profile()).
 *
 * Its callbacks are those of a focused run that keeps nothing between captures: they look at the
 * word on the control page and leave. A session is one capture. Between sessions an empty page
 * stands where the control page was, so that its address holds for ever; definitions go to memory,
 * and each session begins with a copy of them; a thread keeps its stream's number, and with it the
 * writer that it points to.
 *
 * A session's pool is unmapped only when nobody can be in it. A thread marks its writer busy first
 * and looks at the word afterwards; whoever ends a session changes the word first, waits until that
 * is seen everywhere, and then looks for busy writers. What is done without a busy writer stands
 * between rf_standby_enter() and rf_standby_leave(), which count. */
#include <errno.h>
#include <stdlib.h>

#include "log/capture.h"
#include "record/stream/emit.h"

#define RF_EXPORT __attribute__((visibility("default")))

RF_EXPORT int rangefinder_standby_start(void);
RF_EXPORT int rangefinder_standby_begin(const char *directory);
RF_EXPORT int rangefinder_standby_end(void);
RF_EXPORT const void *rangefinder_standby_copy(unsigned index);

#define PATIENCE_US  2000000
#define STEP_US      100
#define IN_FLIGHT_US 1000 /* far longer than a processor keeps a store to itself */
#define MAX_COPIES   256u

static bool is_wanted; /* by a caller, whatever the environment says */
static const void *copies[MAX_COPIES];
static uint32_t n_copies;

enum rf_standby_wish rf_standby_wish(void)
{
    if (rf_recorder.is_standby || is_wanted)
        return RF_STANDBY_YES;
    const char *session = getenv("RANGEFINDER_SESSION");
    const char *pid = getenv("RANGEFINDER_STANDBY");
    if (pid == NULL || pid[0] < '1' || pid[0] > '9' || (session != NULL && session[0] != '\0'))
        return RF_STANDBY_NO;
    uint64_t number = 0;
    for (; *pid >= '0' && *pid <= '9'; pid++)
        number = number * 10 + (uint64_t)(*pid - '0');
    /* a program that was started by the one that wants it is none of ours */
    return *pid == '\0' && number == rf_sys_getpid() ? RF_STANDBY_YES : RF_STANDBY_DECLINED;
}

bool rf_standby_open(void)
{
    if (!rf_session_blank() || !rf_defs_create_names())
        return false;
    rf_recorder.is_standby = 1;
    return true;
}

void rf_standby_see_copy(const void *get_table)
{
    uint32_t n = __atomic_load_n(&n_copies, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < MAX_COPIES; i++)
        if (__atomic_load_n(&copies[i], __ATOMIC_RELAXED) == get_table)
            return;
    n = __atomic_fetch_add(&n_copies, 1, __ATOMIC_ACQ_REL);
    if (n < MAX_COPIES)
        __atomic_store_n(&copies[n], get_table, __ATOMIC_RELEASE);
}

/* ---- Who is where ---- */

static bool is_on(void)
{
    return rf_capture_is_on(rf_capture_word(rf_recorder.control));
}

/* Is this still the set of writers? A forked child gets its own with its first session. */
static bool is_current(const struct rf_local *local)
{
    return __atomic_load_n(&rf_recorder.local, __ATOMIC_SEQ_CST) == local;
}

struct rf_local *rf_standby_enter(void)
{
    for (;;) {
        struct rf_local *local = __atomic_load_n(&rf_recorder.local, __ATOMIC_ACQUIRE);
        /* before the word is read: one of the two, this and who ends the session, sees the other */
        (void)__atomic_fetch_add(&local->n_inside, 1, __ATOMIC_SEQ_CST);
        bool is_ours = is_current(local);
        if (is_ours && is_on())
            return local;
        rf_standby_leave(local);
        if (is_ours)
            return NULL;
    }
}

void rf_standby_leave(struct rf_local *local)
{
    (void)__atomic_fetch_sub(&local->n_inside, 1, __ATOMIC_RELEASE);
}

RF_COLD struct rf_writer *rf_standby_check(struct rf_writer *writer, uint8_t **end)
{
    while (!is_on() || writer->part == NULL) {
        bool has_part = writer->part != NULL;
        rf_signal_fence();
        writer->end = has_part ? *end : NULL; /* NULL: the next event comes here by the slow way */
        if (!is_on())
            return NULL;
        writer = rf_writer_prepare();
        if (writer == NULL)
            return NULL;
        writer->end = NULL;
        rf_signal_fence();
        *end = writer->parked_end;
    }
    return writer;
}

struct rf_local *rf_standby_begin_naming(void)
{
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        struct rf_local *local = __atomic_load_n(&rf_recorder.local, __ATOMIC_ACQUIRE);
        (void)__atomic_fetch_add(&local->n_naming, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&local->is_renamed, __ATOMIC_SEQ_CST) == 0 && is_current(local))
            return local;
        rf_standby_end_naming(local);
        rf_sys_sleep_us(STEP_US);
    }
    return NULL; /* a signal handler on the thread that all wait for */
}

void rf_standby_end_naming(struct rf_local *local)
{
    (void)__atomic_fetch_sub(&local->n_naming, 1, __ATOMIC_RELEASE);
}

bool rf_standby_wait_for_naming(const struct rf_local *local)
{
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (__atomic_load_n(&local->n_naming, __ATOMIC_SEQ_CST) == 0)
            return true;
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}

bool rf_standby_stop_naming(void)
{
    struct rf_local *local = rf_recorder.local;
    __atomic_store_n(&local->is_renamed, 1, __ATOMIC_SEQ_CST);
    if (rf_standby_wait_for_naming(local))
        return true;
    rf_standby_go_on_naming();
    return false;
}

void rf_standby_go_on_naming(void)
{
    __atomic_store_n(&rf_recorder.local->is_renamed, 0, __ATOMIC_RELEASE);
}

static bool is_free(const struct rf_local *local, uint32_t slot)
{
    return (__atomic_load_n(&local->free_slots[slot / 64], __ATOMIC_ACQUIRE) >> slot % 64) & 1;
}

static bool is_busy(const struct rf_local *local, uint32_t slot)
{
    const struct rf_writer *writer = &local->writers[slot];
    return !is_free(local, slot) && __atomic_load_n(&writer->end, __ATOMIC_ACQUIRE) == NULL &&
           __atomic_load_n(&writer->part, __ATOMIC_RELAXED) != NULL;
}

static uint32_t n_slots_of(const struct rf_local *local)
{
    uint32_t n = __atomic_load_n(&local->n_slots, __ATOMIC_ACQUIRE);
    return n < RF_MAX_SLOTS ? n : RF_MAX_SLOTS;
}

static bool is_quiet(const struct rf_local *local)
{
    if (__atomic_load_n(&local->n_inside, __ATOMIC_SEQ_CST) != 0)
        return false;
    for (uint32_t i = 0; i < n_slots_of(local); i++)
        if (is_busy(local, i))
            return false;
    return true;
}

/* The word says that no session is on. */
static bool wait_until_quiet(const struct rf_local *local)
{
    rf_sys_sleep_us(IN_FLIGHT_US);
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (is_quiet(local))
            return true;
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}

/* ---- A session ---- */

/* A child that is forked meanwhile must not find the pointer: it would unmap, or use, what is
 * somebody else's by then. */
static void release(uint8_t **place, size_t size)
{
    uint8_t *mapping = __atomic_exchange_n(place, NULL, __ATOMIC_RELAXED);
    if (mapping != NULL)
        (void)rf_sys_munmap(mapping, size);
}

/* The last session's files, or those of the process that this one was forked from. */
static void release_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    release(&r->pool, r->pool_size);
    release(&r->old_pool, r->old_pool_size);
    rf_defs_release();
}

/* Writers stand nowhere, but keep their threads and the number of ranges begun: ids stay unique. */
static void reset_writers(void)
{
    struct rf_local *local = rf_recorder.local;
    for (uint32_t i = 0; i < n_slots_of(local); i++) {
        struct rf_writer *writer = &local->writers[i];
        for (struct rf_writer *n = writer->nested; n != NULL; n = n->nested)
            rf_pool_set_free(n);
        writer->cursor = writer->end = writer->parked_end = NULL;
        writer->part = NULL;
        writer->nested = NULL;
        writer->part_index = 0;
        writer->seq = writer->lost_records = writer->lost_bytes = 0;
    }
    local->is_exhausted = local->is_stuck = local->late_beat = 0;
    __atomic_store_n(&local->status, RF_LOCAL_FRESH, __ATOMIC_RELEASE);
}

/* A forked child leaves the set of writers that the fork emptied: the thread that forked points to
 * one of them, and no other thread may get the same. */
static bool leave_wiped_local(void)
{
    struct rf_local *old = rf_recorder.local;
    struct rf_local *own = rf_process_own_local();
    if (own == NULL || own == old)
        return own != NULL;
    return rf_standby_wait_for_naming(old) && wait_until_quiet(old);
}

static int begin(const char *directory)
{
    if (!rf_recorder.is_standby || rf_recorder.local == NULL)
        return -EINVAL;
    if (is_on())
        return -EBUSY;
    if (!leave_wiped_local() || !wait_until_quiet(rf_recorder.local))
        return -EAGAIN;
    release_files();
    reset_writers();
    if (!rf_session_make(directory) || !rf_process_ensure()) {
        (void)rf_session_blank();
        return -EIO;
    }
    (void)rf_capture_begin(rf_recorder.control, false, 0);
    return 0;
}

static int end(void)
{
    if (!rf_recorder.is_standby || rf_recorder.local == NULL || !is_on() ||
        rf_recorder.control->root_pid != rf_sys_getpid())
        return -EINVAL; /* the session may be that of the process that this was forked from */
    uint64_t end_ticks = rf_ticks(rf_recorder.control->clock_kind);
    const struct rf_hooks *hooks = __atomic_load_n(&rf_hooks, __ATOMIC_ACQUIRE);
    if (hooks != NULL)
        hooks->session_ends(); /* takes its time: what happens meanwhile is after the end */
    (void)rf_capture_end(rf_recorder.control, false, end_ticks, 0);
    /* what is open was not ended by a death */
    (void)rf_defs_add(RF_REC_PROCESS, RF_PROC_ALIVE, 0, 0, 0, NULL, 0);
    rf_session_add_clock();
    if (!wait_until_quiet(rf_recorder.local))
        return -EAGAIN; /* it stays as it is: somebody is in it */
    release_files();
    (void)rf_session_blank();
    return 0;
}

/* ---- What the caller calls ---- */

/* Makes this recorder, which nobody has called yet, one in standby. Returns whether it is one. */
int rangefinder_standby_start(void)
{
    int saved_errno = errno;
    is_wanted = true;
    (void)rf_recorder_start();
    errno = saved_errno;
    return rf_recorder.is_standby;
}

/* Begins a session in an empty directory with an absolute path. Returns 0, or -EINVAL: this is no
 * recorder in standby; -EBUSY: a session is on; -EAGAIN: a thread has not left the last one; -EIO:
 * its files cannot be made. One caller at a time. */
int rangefinder_standby_begin(const char *directory)
{
    int saved_errno = errno;
    int status = begin(directory);
    errno = saved_errno;
    return status;
}

/* Ends the session: capture 0 is over. Returns 0, or -EINVAL: none is on; -EAGAIN: it has ended,
 * but a thread does not come to the end of an event. */
int rangefinder_standby_end(void)
{
    int saved_errno = errno;
    int status = end();
    errno = saved_errno;
    return status;
}

/* The functions by which the copies of NVTX in this process were attached; NULL: there are no more.
 * They lie in the copies' libraries. */
const void *rangefinder_standby_copy(unsigned index)
{
    return index < MAX_COPIES ? __atomic_load_n(&copies[index], __ATOMIC_ACQUIRE) : NULL;
}
