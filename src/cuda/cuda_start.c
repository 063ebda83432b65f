/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda/cuda_start.h"

#include <errno.h>
#include <stdlib.h>

#include "cuda/cuda_driver.h"
#include "cuda/cuda_messages.h"
#include "cuda/cuda_state.h"
#include "cuda/cupti/buffers.h"
#include "cuda/cupti/subscription.h"
#include "cuda/cupti/switch_kinds.h"
#include "cuda/flush_thread.h"
#include "cuda/records/cuda_definitions.h"
#include "cuda/records/pending_work.h"
#include "log/capture.h"
#include "log/cuda.h"
#include "record/process/session_page.h"
#include "record/stream/part.h"

static bool stop_thread(void)
{
    bool has_ended = rf_cuda_stop_thread();
    if (!has_ended)
        rf_session_add_message(
            "CUPTI did not give back what it had in 10 s: the last CUDA records are "
            "missing");
    __atomic_store_n(&rf_cuda.status, RF_CUDA_STOPPED, __ATOMIC_RELEASE);
    return has_ended;
}

static void at_exit(void)
{
    int saved_errno = errno;
    if (rf_cuda_is_on()) {
        (void)stop_thread();
        if (!rf_recorder.is_standby) /* in standby the session may have ended, and its pool may be
                                        unmapped */
            __atomic_store_n(&rf_pool_header()->cuda_state, RF_CUDA_OFF, __ATOMIC_RELEASE);
    }
    errno = saved_errno;
}

static void be_called_at_exit(void)
{
    static bool is_done; /* one thread at a time starts */
    if (!is_done)
        (void)atexit(at_exit);
    is_done = true;
}

bool rf_cuda_stop(void)
{
    rf_cuda_note_capture(false); /* work that is launched from now on is not waited for */
    if (!stop_thread())
        return false;
    rf_cuda_unsubscribe();
    rf_cuda_release_buffers();
    return true;
}

/* ---- The start ---- */

void rf_cuda_capture_changed(void)
{
    int saved_errno = errno;
    if (!rf_cuda_is_on())
        return;
    bool is_capturing = rf_capture_is_on(rf_capture_word(rf_recorder.control));
    rf_cuda_note_capture(is_capturing);
    if (is_capturing)
        rf_cuda_follow_capture(); /* what the program launches next is recorded */
    else if (rf_cuda_is_recording())
        rf_cuda_wake_thread();
    errno = saved_errno;
}

static void report_kept_kinds(void)
{
    if (rf_cuda_keeps_kinds() && rf_recorder.is_focused && !rf_recorder.is_standby)
        rf_session_add_message(
            "CUPTI 13.0.0 may hang when recording is switched off: it goes on between "
            "captures; 13.0 Update 1 is mended");
}

static bool connect(bool is_late)
{
    int driver = rf_cuda_driver_version();
    if (rf_cuda.cupti_file.handle == NULL &&
        rf_cupti_library_load(&rf_cuda.cupti_file, driver, NULL) != 0) {
        rf_cuda_report_no_library();
        return false;
    }
    if (!rf_cuda_find_functions() || !rf_cuda_subscribe())
        return false;
    rf_cuda_prepare_buffers();
    if (is_late) /* buffers that CUPTI already has, whoever they belong to, get no records of ours
                  */
        (void)rf_cuda.cupti.flush_all(0);
    rf_cuda_define_library(driver);
    report_kept_kinds();
    __atomic_store_n(&rf_cuda.has_context, is_late, __ATOMIC_RELAXED);
    __atomic_store_n(&rf_cuda.status, RF_CUDA_STARTED, __ATOMIC_RELEASE);
    rf_cuda_enable_objects(is_late);
    rf_cuda_follow_capture();
    rf_cuda_enable_callbacks();
    if (!rf_cuda_start_thread()) {
        rf_cuda_report_off("no thread could be started", NULL, NULL);
        rf_cuda_disable_all();
        rf_cuda_unsubscribe();
        return false;
    }
    be_called_at_exit();
    return true;
}

/* A program crashes in CUPTI (13.0, on an H200) when it launches a graph that it had made before
 * whole graphs were enabled. So they are recorded only if they are enabled from cuInit() to the
 * end, and elsewhere their nodes are. */
static uint32_t options(bool is_late)
{
    uint32_t wanted = rf_recorder.control->cuda;
    bool can_be_whole = !is_late && !rf_recorder.is_focused && !rf_recorder.is_standby;
    return wanted | (can_be_whole ? 0 : RF_CUDA_GRAPH_NODES);
}

bool rf_cuda_start(bool is_late)
{
    rf_cuda.pid = rf_sys_getpid();
    rf_cuda.options = options(is_late);
    bool is_started = connect(is_late);
    if (!is_started)
        __atomic_store_n(&rf_cuda.status, RF_CUDA_STOPPED, __ATOMIC_RELEASE);
    return is_started;
}
