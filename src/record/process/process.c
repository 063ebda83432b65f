/* SPDX-License-Identifier: Apache-2.0 */
/* Making a process ready to record. */
#include "record/process/process.h"

#include <errno.h>

#include "log/ticks.h"
#include "record/local.h"
#include "record/process/describe_process.h"
#include "record/process/files.h"
#include "record/process/make_files.h"
#include "record/process/session_page.h"
#include "record/standby/standby_gate.h"

#define START_PATIENCE_NS 20000000000

/* The old set stays mapped: a thread of a forked child may still point into it, and finds zeros
 * there. */
struct rf_local *rf_process_make_local(void)
{
    size_t size =
        rf_recorder.is_focused ? sizeof(struct rf_local) : offsetof(struct rf_local, focus);
    struct rf_local *local =
        rf_map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (local == NULL)
        return NULL;
    if (rf_note_refused("madvise", rf_sys_madvise(local, size, MADV_WIPEONFORK)) < 0) {
        (void)rf_sys_munmap(local, size);
        return NULL;
    }
    local->is_made = 1;
    return local;
}

/* Keeps the pool of the parent mapped and unmaps that of the grandparent. The pointer is cleared
 * first: a child that is forked in between must not unmap an address that may be in use for
 * something else by then. */
static void put_pool_aside(void)
{
    struct rf_recorder *r = &rf_recorder;
    uint8_t *older = __atomic_exchange_n(&r->old_pool, NULL, __ATOMIC_RELAXED);
    if (older != NULL)
        (void)rf_sys_munmap(older, r->old_pool_size);
    r->old_pool_size = r->pool_size;
    uint8_t *old = __atomic_exchange_n(&r->pool, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&r->old_pool, old, __ATOMIC_RELAXED);
}

/* Makes the files of this process and describes it. Whatever an earlier start left here,
 * complete or cut off by a fork, is replaced. */
static bool make_process(uint32_t parent)
{
    struct rf_recorder *r = &rf_recorder;
    put_pool_aside();
    r->parent = parent;
    if (!rf_make_files())
        return false;
    rf_describe_process();
    rf_session_add_clock();
    r->origin = r->process;
    return true;
}

/* For a process that is not forked from a recorded one, or begins a session of its own. */
static uint32_t start_first(void)
{
    return make_process(UINT32_MAX) ? RF_LOCAL_READY : RF_LOCAL_OFF;
}

static uint32_t busy_with(uint32_t tid)
{
    return tid << RF_LOCAL_STATUS_BITS | RF_LOCAL_BUSY;
}

/* A forked child gets writers of its own. They are published when they are complete, and BUSY:
 * all other threads of the child see that a start is under way, whichever set they look at. */
static uint32_t start_child(const struct rf_local *wiped, uint32_t tid)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_local *local = rf_process_make_local();
    if (local == NULL) {
        (void)rf_session_report_failure("cannot be recorded");
        return RF_LOCAL_OFF;
    }
    local->status = busy_with(tid);
    __atomic_store_n(&r->local, local, __ATOMIC_SEQ_CST);
    if (r->is_standby) /* names added until now must be in the copy that the session's stream begins
                          with */
        (void)rf_standby_wait_for_naming(wiped);
    uint32_t status = make_process(r->origin) ? RF_LOCAL_READY : RF_LOCAL_OFF;
    __atomic_store_n(&local->status, status, __ATOMIC_RELEASE);
    return status;
}

/* Waits for the thread that is initialising; a signal handler on that same thread must not. If
 * it does not finish in time, the process is not recorded until it does: the wait happens only
 * once. */
static bool wait_for_start(struct rf_local *local, uint32_t status, uint32_t tid)
{
    int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + START_PATIENCE_NS;
    while (status != RF_LOCAL_READY && status != RF_LOCAL_OFF) {
        if (status == busy_with(tid))
            return false;
        if (rf_clock_ns(CLOCK_MONOTONIC) >= until &&
            __atomic_compare_exchange_n(&local->status, &status, RF_LOCAL_OFF, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return false;
        rf_sys_sleep_us(100);
        status = __atomic_load_n(&local->status, __ATOMIC_ACQUIRE);
    }
    return status == RF_LOCAL_READY;
}

bool rf_process_ensure(void)
{
    struct rf_local *local = __atomic_load_n(&rf_recorder.local, __ATOMIC_ACQUIRE);
    uint32_t status = __atomic_load_n(&local->status, __ATOMIC_ACQUIRE);
    if (status == RF_LOCAL_READY || status == RF_LOCAL_OFF)
        return status == RF_LOCAL_READY;
    int saved_errno = errno;
    uint32_t tid = rf_sys_gettid();
    uint64_t signals = rf_sys_block_signals(); /* what a handler annotated would be lost */
    status = RF_LOCAL_FRESH;
    bool is_ours = __atomic_compare_exchange_n(&local->status, &status, busy_with(tid), false,
                                               __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (is_ours) {
        status = local->is_made ? start_first() : start_child(local, tid);
        __atomic_store_n(&local->status, status, __ATOMIC_RELEASE);
    }
    rf_sys_restore_signals(signals);
    errno = saved_errno;
    return is_ours ? status == RF_LOCAL_READY : wait_for_start(local, status, tid);
}

struct rf_local *rf_process_own_local(void)
{
    struct rf_local *local = rf_recorder.local;
    if (local->is_made)
        return local;
    local = rf_process_make_local();
    if (local != NULL)
        __atomic_store_n(&rf_recorder.local, local, __ATOMIC_SEQ_CST);
    return local;
}
