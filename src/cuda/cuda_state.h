/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the CUDA side of the recorder.
 *
 * The driver calls InitializeInjection() inside cuInit(); from then on CUPTI fills our buffers
 * (buffers.c), whose records become records of the thread that CUPTI calls us on (convert.c). One
 * thread of ours asks CUPTI for its records, follows the captures of a focused run, and does what
 * must not be done inside CUPTI's callbacks (flush_thread.c).
 *
 * A forked child has a copy of this state whose pid is not its own: it never calls CUPTI. No lock
 * of ours is held while CUPTI is called, except the one that lets one thread at a time switch kinds
 * (switch_kinds.c), which no callback takes. */
#ifndef RF_CUDA_CUDA_STATE_H
#define RF_CUDA_CUDA_STATE_H

#include "base/cupti_library.h"
#include "cuda/cupti/cupti_abi.h"
#include "record/recorder.h"

enum rf_cuda_status { RF_CUDA_FRESH = 0, RF_CUDA_STARTING, RF_CUDA_STARTED, RF_CUDA_STOPPED };

struct rf_cuda {
    uint32_t status;  /* enum rf_cuda_status; atomic */
    uint32_t pid;     /* the process that this state belongs to */
    uint32_t options; /* rf_control.cuda when CUPTI was attached */
    uint32_t version;
    void *subscriber;
    struct rf_cupti cupti;
    struct rf_cupti_library cupti_file;

    /* buffers and records that went to and came from CUPTI; atomic */
    uint32_t n_requested;
    uint32_t n_completed;
    uint32_t n_inside;  /* completed buffers that are being read */
    uint32_t n_kernels; /* handles given out */
    uint32_t n_ends;    /* of captures, and requests of snapshots */
    uint32_t n_foreign; /* buffers that CUPTI did not have from us */
    uint32_t has_context;
    uint64_t n_records;
    uint64_t n_timeless; /* GPU work without a time */
    uint32_t has_work;   /* GPU work came since a snapshot's request last looked */

    /* our thread */
    uint32_t thread_tid; /* atomic */
    uint32_t is_ending;  /* atomic */
    uint32_t has_ended;  /* atomic, futex word */
    uint32_t n_probes; /* of its calls of cuDriverGetVersion(): those that CUPTI reported; atomic */
};

extern RF_HIDDEN struct rf_cuda rf_cuda;

/* Is CUPTI ours in this process? */
static inline bool rf_cuda_is_on(void)
{
    return __atomic_load_n(&rf_cuda.status, __ATOMIC_ACQUIRE) == RF_CUDA_STARTED &&
           rf_cuda.pid == rf_sys_getpid();
}

/* Buffers that CUPTI has. */
static inline uint32_t rf_cuda_n_outstanding(void)
{
    /* completed first: one that is requested meanwhile counts as outstanding */
    uint32_t n_completed = __atomic_load_n(&rf_cuda.n_completed, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&rf_cuda.n_requested, __ATOMIC_ACQUIRE) - n_completed;
}

/* Must kinds that are enabled in CUPTI stay enabled? Switching them off may hang in this version.
 */
static inline bool rf_cuda_keeps_kinds(void)
{
    return rf_cuda.version == RF_CUPTI_13_0;
}

#endif
