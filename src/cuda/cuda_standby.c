/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA in the sessions of a recorder in standby (src/record/standby).
 *
 * A session that wants CUDA attaches to CUPTI when it begins, if the process has initialised
 * CUDA by then, or else inside cuInit(), and detaches from CUPTI when it ends. Any thread may
 * attach, and any may end the session: `state` decides between them, and no thread waits for
 * long. */
#include "cuda/cuda_standby.h"

#include <errno.h>

#include "cuda/cuda_driver.h"
#include "cuda/cuda_start.h"
#include "cuda/cuda_state.h"
#include "cuda/records/cuda_objects.h"
#include "cuda/records/pending_work.h"
#include "log/cuda.h"
#include "record/hooks.h"
#include "record/process/session_page.h"
#include "record/standby/standby_gate.h"

#define RF_EXPORT __attribute__((visibility("default")))

RF_EXPORT int rangefinder_standby_cuda(void);
RF_EXPORT int rangefinder_standby_cuda_state(void);

#define PATIENCE_US 2000000
#define STEP_US     100

enum session_state {
    CLOSED, /* no session wants CUDA */
    OPEN,   /* a session wants CUDA: whoever finds CUDA in use attaches */
    ATTACHING,
    ATTACHED,
    REFUSED,   /* it could not attach, which was reported */
    ABANDONED, /* still attaching, but the session is over */
    LOST,      /* CUPTI does not come back: never again in this process */
};

static uint32_t state; /* enum session_state; atomic */
static uint32_t owner; /* the process whose state this is; atomic; a forked child has a copy */

static bool is_ours(void)
{
    return __atomic_load_n(&owner, __ATOMIC_ACQUIRE) == rf_sys_getpid();
}

static bool change(uint32_t from, enum session_state to)
{
    return __atomic_compare_exchange_n(&state, &from, (uint32_t)to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static enum session_state stop(void)
{
    if (!rf_cuda_stop())
        return LOST;
    __atomic_store_n(&rf_cuda.status, RF_CUDA_FRESH, __ATOMIC_RELEASE);
    return CLOSED;
}

/* A session is on, and cannot end: the caller is inside it. */
static void attach(bool is_late)
{
    if (!change(OPEN, ATTACHING))
        return; /* another thread attaches, or has attached */
    rf_cuda_forget_launches();
    rf_cuda_note_capture(true);
    bool is_started = rf_cuda_start(is_late);
    if (change(ATTACHING, is_started ? ATTACHED : REFUSED))
        return;
    __atomic_store_n(&state, is_started ? stop() : CLOSED, __ATOMIC_SEQ_CST);
}

/* ---- Inside cuInit() ---- */

void rf_cuda_join_session(void)
{
    struct rf_local *local = rf_standby_enter();
    if (local == NULL)
        return; /* the next session attaches when it begins */
    if ((__atomic_load_n(&rf_recorder.control->cuda, __ATOMIC_ACQUIRE) & RF_CUDA_IS_WANTED) != 0) {
        if (is_ours())
            attach(false);
        else if (rf_cuda.pid == 0) /* otherwise the child cannot use CUDA either */
            rf_session_add_message(
                "CUDA of a process that was forked in the recording is not recorded");
    }
    rf_standby_leave(local);
}

/* ---- The begin and the end of a session ---- */

/* Another thread is inside cuInit(). */
static bool wait_until_attached(void)
{
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) != ATTACHING)
            return true;
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}

/* Hook: the session is about to end. */
static void session_ends(void)
{
    if (!is_ours() || change(OPEN, CLOSED))
        return;
    if (!wait_until_attached() && change(ATTACHING, ABANDONED)) {
        rf_session_add_message(
            "CUDA is not recorded: CUPTI had not begun when the recording ended");
        return;
    }
    if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == ATTACHED)
        __atomic_store_n(&state, stop(), __ATOMIC_SEQ_CST);
    else
        (void)change(REFUSED, CLOSED);
}

static const struct rf_hooks hooks = {rf_cuda_capture_changed, rf_cuda_object_named, session_ends};

/* Why no session can record CUDA; NULL: nothing prevents it. */
static const char *reason_against(void)
{
    switch (__atomic_load_n(&state, __ATOMIC_SEQ_CST)) {
    case LOST:
        return "CUDA is not recorded: CUPTI did not come back from an earlier recording";
    case ABANDONED:
        return "CUDA is not recorded: CUPTI still begins with an earlier recording";
    default:
        return NULL;
    }
}

static void open_session(void)
{
    uint32_t pid = rf_sys_getpid();
    if (rf_cuda.pid != 0 && rf_cuda.pid != pid)
        return; /* a child of a process that used CUDA cannot use it */
    const char *why = is_ours() ? reason_against() : NULL;
    if (why != NULL) {
        if (rf_cuda_is_driver_ready())
            rf_session_add_message(why);
        return;
    }
    __atomic_store_n(&owner, pid, __ATOMIC_RELEASE);
    __atomic_store_n(&rf_hooks, &hooks, __ATOMIC_RELEASE);
    (void)__atomic_fetch_or(&rf_recorder.control->cuda, RF_CUDA_IS_WANTED, __ATOMIC_RELEASE);
    __atomic_store_n(&state, OPEN, __ATOMIC_SEQ_CST);
    if (rf_cuda_is_driver_ready())
        attach(true);
}

/* ---- What the caller of the sessions calls ---- */

/* Records CUDA in the session that is on, from now on or from when it is initialised. Nothing of
 * CUDA is loaded or initialised before. Returns 0, or -EINVAL: no session of this process is on. */
int rangefinder_standby_cuda(void)
{
    int saved_errno = errno;
    struct rf_local *local = rf_recorder.is_standby ? rf_standby_enter() : NULL;
    bool is_on = local != NULL && rf_recorder.control->root_pid == rf_sys_getpid();
    if (is_on)
        open_session();
    if (local != NULL)
        rf_standby_leave(local);
    errno = saved_errno;
    return is_on ? 0 : -EINVAL;
}

/* 0: this process has not initialised CUDA. Else in the session that is on CUDA is 1: recorded; 2:
 * not recorded, which a message says; 3: not recorded. */
int rangefinder_standby_cuda_state(void)
{
    int saved_errno = errno;
    uint32_t seen = is_ours() ? __atomic_load_n(&state, __ATOMIC_SEQ_CST) : CLOSED;
    int answer = !rf_cuda_is_driver_ready() ? 0 : seen == ATTACHED ? 1 : seen <= OPEN ? 3 : 2;
    errno = saved_errno;
    return answer;
}
