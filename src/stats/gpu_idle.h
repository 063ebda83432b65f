/* SPDX-License-Identifier: Apache-2.0 */
/* Why a GPU had nothing to do until a piece of work began. */
#ifndef RF_STATS_GPU_IDLE_H
#define RF_STATS_GPU_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "summary/call_waits.h"

/* Work begins so soon after its call has returned, unless it waits for other work. */
#define RF_LAUNCH_NS 10000

/* The reasons, by the call of that work and the thread that called. */
enum rf_idle_reason {
    RF_IDLE_HOST,   /* the call had not begun */
    RF_IDLE_LAUNCH, /* it had begun; or the thread was in another call that causes GPU work */
    RF_IDLE_OTHER,  /* it had returned before the GPU became idle, or RF_LAUNCH_NS ago, or is not
                     * known; or it had not begun, and the thread was in a call that waits */
    RF_N_IDLE_REASONS
};

/* What came before a call: until when the thread launched or waited, and how much of both. */
struct rf_host_mark {
    int64_t end_ns; /* INT64_MIN: neither */
    uint64_t launch_ns, other_ns;
};

/* When a thread launched or waited. It is looked up from the last of these marks on: pieces with
 * sums of their own would take as much memory as the calls. */
struct rf_host_lane {
    struct rf_gpu_idle *idle;
    const struct rf_call *call;
    size_t n_calls;
    struct rf_host_mark *mark; /* before each RF_CALLS_OF_A_MARK calls; NULL: not yet listed */
};

#define RF_CALLS_OF_A_MARK 16u

struct rf_gpu_idle {
    const rf_recording *rec;
    struct rf_host_lane *of_thread; /* listed when they are asked for */
    struct rf_waiting_functions waiting;
};

/* A time before a piece of work. */
struct rf_gpu_gap {
    int64_t asked_ns;                /* where the call of the work began, in the gap */
    int64_t launched_ns;             /* where it is not the launch any more that takes time */
    bool is_other;                   /* all of it has other reasons */
    const struct rf_host_lane *host; /* of the thread that called; NULL where is_other */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_gpu_idle_init(struct rf_gpu_idle *idle, const rf_recording *rec);
void rf_gpu_idle_release(struct rf_gpu_idle *idle);

/* Whether the call of some work, or NULL, is not why a GPU is idle since from_ns: it had returned
 * before, or is not known. */
bool rf_was_called_before(const struct rf_call *call, int64_t from_ns);

/* The gap from from_ns, INT64_MIN before the first work, until op begins. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_gpu_idle_find(struct rf_gpu_idle *idle, int64_t from_ns, const struct rf_gpu_op *op,
                     struct rf_gpu_gap *gap);

/* Adds a part of a gap to the times of its reasons. */
void rf_gpu_gap_add(const struct rf_gpu_gap *gap, int64_t from_ns, int64_t to_ns,
                    uint64_t ns[RF_N_IDLE_REASONS]);

#endif
