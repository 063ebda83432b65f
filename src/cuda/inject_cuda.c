/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point that the CUDA driver calls, inside cuInit(), when it finds this library by
 * CUDA_INJECTION64_PATH. Whatever goes wrong here, the program has its CUDA: then a message says
 * that CUDA is not recorded, and NVTX is recorded as before. */
#include <errno.h>

#include "cuda/cuda_standby.h"
#include "cuda/cuda_start.h"
#include "cuda/cuda_state.h"
#include "cuda/records/cuda_objects.h"
#include "log/cuda.h"
#include "record/hooks.h"
#include "record/process/start.h"
#include "record/stream/part.h"

__attribute__((visibility("default"))) int InitializeInjection(void);

/* A recorder in standby has hooks of its own (cuda_standby.c). */
static const struct rf_hooks hooks = {.capture_changed = rf_cuda_capture_changed,
                                      .object_named = rf_cuda_object_named};

/* Does the session want CUDA? A session by hand does, whose user named this library for CUDA. */
static bool is_wanted(void)
{
    struct rf_control *control = rf_recorder.control;
    if (control == NULL)
        return false;
    if (control->is_by_hand)
        (void)__atomic_fetch_or(&control->cuda, RF_CUDA_IS_WANTED, __ATOMIC_RELAXED);
    return (__atomic_load_n(&control->cuda, __ATOMIC_RELAXED) & RF_CUDA_IS_WANTED) != 0;
}

/* Once: a child that was forked from a process that used CUDA cannot use it. */
static void attach(void)
{
    uint32_t fresh = RF_CUDA_FRESH;
    if (!__atomic_compare_exchange_n(&rf_cuda.status, &fresh, RF_CUDA_STARTING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    bool is_started = rf_cuda_start(false);
    if (is_started)
        __atomic_store_n(&rf_hooks, &hooks, __ATOMIC_RELEASE);
    __atomic_store_n(&rf_pool_header()->cuda_state, is_started ? RF_CUDA_ON : RF_CUDA_OFF,
                     __ATOMIC_RELEASE);
}

/* Never returns 0: the driver would unload this library, and try again. */
int InitializeInjection(void)
{
    int saved_errno = errno;
    bool is_there = rf_recorder_start();
    if (is_there && rf_recorder.is_standby)
        rf_cuda_join_session();
    else if (is_there && is_wanted())
        attach();
    errno = saved_errno;
    return 1;
}
