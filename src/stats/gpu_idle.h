/* SPDX-License-Identifier: Apache-2.0 */
/* Why a GPU had nothing to do until a piece of work began. */
#ifndef RF_STATS_GPU_IDLE_H
#define RF_STATS_GPU_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "summary/call_waits.h"

/* The waits of all threads, listed when they are asked for. */
struct rf_gpu_idle {
    const rf_recording *rec;
    struct rf_call_waits *of_thread;
    bool *is_listed; /* per thread */
};

/* A gap before a piece of work, in up to three parts. From from_ns to asked_ns the call of the work
 * had not begun: the GPU waited for the host, or, while the thread of that call waited for a GPU,
 * for other reasons. From there to until_ns the work was launched. Where the call had returned
 * before the gap, or is not known, is_other is set, and the reasons are others all the time. */
struct rf_gpu_gap {
    int64_t from_ns, asked_ns, until_ns;
    bool is_other;
    const struct rf_call_waits *waits; /* of the thread that called; NULL: none known */
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

#endif
