/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder that is loaded before anybody wants a recording, and then writes sessions, one after
 * another, for a caller in the same process (the Python package's profile()).
 *
 * Its callbacks are those of a focused run that keeps nothing between captures: they look at the
 * word on the control page and leave. A session is one capture. Between sessions an empty page
 * stands in the place of the control page, so that its address never changes; definitions go to
 * memory, and each session begins with a copy of them; a thread keeps its stream's number, and with
 * it the writer that it points to. standby_gate.h says when a session's files can be unmapped. */
#include <errno.h>

#include "log/capture.h"
#include "record/hooks.h"
#include "record/local.h"
#include "record/names/defs.h"
#include "record/process/process.h"
#include "record/process/session.h"
#include "record/process/session_page.h"
#include "record/process/start.h"
#include "record/standby/standby.h"
#include "record/standby/standby_gate.h"
#include "record/stream/pool.h"

#define RF_EXPORT __attribute__((visibility("default")))

RF_EXPORT int rangefinder_standby_start(void);
RF_EXPORT int rangefinder_standby_begin(const char *directory);
RF_EXPORT int rangefinder_standby_end(void);

/* The pointer is cleared first: a child that is forked meanwhile would unmap or use an address
 * that may be in use for something else by then. */
static void release(uint8_t **place, size_t size)
{
    uint8_t *mapping = __atomic_exchange_n(place, NULL, __ATOMIC_RELAXED);
    if (mapping != NULL)
        (void)rf_sys_munmap(mapping, size);
}

/* Unmaps the files of the last session, or those of the process that this one was forked from. */
static void release_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    release(&r->pool, r->pool_size);
    release(&r->old_pool, r->old_pool_size);
    rf_defs_release();
}

/* Writers lose their parts, but keep their threads and the number of ranges begun: ids stay
 * unique. */
static void reset_writers(void)
{
    struct rf_local *local = rf_recorder.local;
    for (uint32_t i = 0; i < rf_local_n_slots(local); i++) {
        struct rf_writer *writer = &local->writers[i];
        for (struct rf_writer *n = writer->nested; n != NULL; n = n->nested)
            rf_pool_mark_free(n);
        writer->cursor = writer->end = writer->parked_end = NULL;
        writer->part = NULL;
        writer->nested = NULL;
        writer->part_index = 0;
        writer->seq = writer->lost_records = writer->lost_bytes = 0;
    }
    local->is_exhausted = local->is_stuck = local->late_beat = 0;
    __atomic_store_n(&local->status, RF_LOCAL_FRESH, __ATOMIC_RELEASE);
}

/* A forked child gives up the set of writers that the fork wiped: the thread that forked points
 * to one of them, and no other thread may get the same. */
static bool leave_wiped_local(void)
{
    struct rf_local *old = rf_recorder.local;
    struct rf_local *own = rf_process_own_local();
    if (own == NULL || own == old)
        return own != NULL;
    return rf_standby_wait_for_naming(old) && rf_standby_wait_until_quiet(old);
}

static int begin(const char *directory)
{
    if (!rf_recorder.is_standby || rf_recorder.local == NULL)
        return -EINVAL;
    if (rf_standby_is_on())
        return -EBUSY;
    if (!leave_wiped_local() || !rf_standby_wait_until_quiet(rf_recorder.local))
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
    if (!rf_recorder.is_standby || rf_recorder.local == NULL || !rf_standby_is_on() ||
        rf_recorder.control->root_pid != rf_sys_getpid())
        return -EINVAL; /* the session may be that of the process that this was forked from */
    uint64_t end_ticks = rf_ticks(rf_recorder.control->clock_kind);
    const struct rf_hooks *hooks = __atomic_load_n(&rf_hooks, __ATOMIC_ACQUIRE);
    if (hooks != NULL)
        hooks->session_ends(); /* takes long; what happens meanwhile is after end_ticks */
    (void)rf_capture_end(rf_recorder.control, false, end_ticks, 0);
    /* readers must not think that the process died with open ranges */
    (void)rf_defs_add(RF_REC_PROCESS, RF_PROC_ALIVE, 0, 0, 0, NULL, 0);
    rf_session_add_clock();
    if (!rf_standby_wait_until_quiet(rf_recorder.local))
        return -EAGAIN; /* it stays mapped: a thread is in it */
    release_files();
    (void)rf_session_blank();
    return 0;
}

/* ---- What the caller calls ---- */

/* Puts this recorder, which nobody has called yet, in standby. Returns whether it is. */
int rangefinder_standby_start(void)
{
    int saved_errno = errno;
    rf_standby_want();
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
