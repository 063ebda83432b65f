/* SPDX-License-Identifier: Apache-2.0 */
/* The library's start and end. */
#include "record/process/start.h"

#include <stdlib.h>
#include <string.h>

#include "record/focus/trigger.h"
#include "record/focus/trigger_names.h"
#include "record/local.h"
#include "record/names/domain_handles.h"
#include "record/process/confined.h"
#include "record/process/describe_process.h"
#include "record/process/process.h"
#include "record/process/session.h"
#include "record/process/session_page.h"
#include "record/standby/standby.h"
#include "record/standby/standby_gate.h"
#include "record/stream/fork.h"
#include "record/stream/thread_end.h"

typedef unsigned int rf_pthread_key;
RF_OF_OLDEST(pthread_key_create, "2.2.5");
extern int pthread_key_create(rf_pthread_key *key, void (*destroy)(void *)) __attribute__((weak));

static bool start_recorder(enum rf_standby_wish wish)
{
    struct rf_recorder *r = &rf_recorder;
    const char *preload = getenv("LD_PRELOAD");
    r->is_watched = preload != NULL && strstr(preload, "vgpreload") != NULL;
    r->has_filter = rf_is_confined();
    bool is_open = wish == RF_STANDBY_YES ? rf_standby_open() : rf_session_open();
    struct rf_local *local = is_open && rf_trigger_prepare() ? rf_process_make_local() : NULL;
    if (local == NULL)
        return rf_session_report_failure(r->refusal != NULL ? r->refusal : "cannot be recorded");
    rf_pthread_key key;
    r->clock_kind = r->control->clock_kind;
    r->is_slow = r->is_watched || r->is_standby || r->clock_kind != RF_CLOCK_COUNTER;
    rf_domain_handles_begin();
    __atomic_store_n(&r->local, local, __ATOMIC_RELEASE);
    if (pthread_key_create != NULL && pthread_key_create(&key, rf_writer_thread_exit) == 0)
        r->key = key + 1;
    rf_fork_watch();
    return r->is_standby || rf_process_ensure();
}

/* Returns true if this thread starts the recorder; otherwise waits until another thread has
 * started it. In a forked child that other thread may belong to the parent. */
static bool become_starter(uint32_t *starter, uint32_t started)
{
    uint32_t self = rf_sys_getpid();
    uint32_t seen = 0;
    while (!__atomic_compare_exchange_n(starter, &seen, self, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
        if (seen == started)
            return false;
        if (seen == self) {
            rf_sys_sleep_us(50);
            seen = 0;
        }
    }
    return true;
}

bool rf_recorder_start(void)
{
    enum { STARTED = -1 };
    static uint32_t starter; /* 0, the process whose thread starts the recorder, or STARTED */
    struct rf_recorder *r = &rf_recorder;
    enum rf_standby_wish wish = rf_standby_wish();
    if (wish == RF_STANDBY_DECLINED)
        return false;
    uint64_t signals = rf_sys_block_signals(); /* a handler must not wait for its own thread */
    bool is_ready = false;
    bool is_first = become_starter(&starter, (uint32_t)STARTED);
    if (is_first) {
        is_ready = start_recorder(wish);
        __atomic_store_n(&starter, (uint32_t)STARTED, __ATOMIC_RELEASE);
    }
    rf_sys_restore_signals(signals);
    /* otherwise another copy of the NVTX headers in this process was first */
    return is_first ? is_ready : r->is_standby || (r->local != NULL && rf_process_ensure());
}

/* At exit() or a return from main. Nothing is torn down: code that runs after this may annotate
 * too. */
__attribute__((destructor)) static void at_exit(void)
{
    struct rf_local *local = rf_recorder.local;
    if (local == NULL || __atomic_load_n(&local->status, __ATOMIC_ACQUIRE) != RF_LOCAL_READY)
        return;
    if (rf_recorder.is_standby && !rf_standby_is_on())
        return;
    rf_trigger_process_exit();
    rf_describe_process_number(RF_PROC_EXIT, 0);
    rf_session_add_clock();
}
