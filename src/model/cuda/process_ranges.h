/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_BY_PROCESS: ranges that another thread ended, which are in memory, beside the calls of
 * all threads of their process (range_stack.h). */
#ifndef RF_MODEL_CUDA_PROCESS_RANGES_H
#define RF_MODEL_CUDA_PROCESS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cuda/kept_ranges.h"
#include "model/cuda/projected_work.h"
#include "model/cuda/range_stack.h"
#include "model/recording.h"

/* Of one process at a time. All zero: of none. */
struct rf_ranges_of_process {
    const rf_recording *rec;
    struct rf_range_pool *pool;
    struct rf_projected_work *projected;
    struct rf_event *event; /* by start; their color is the index of their thread */
    size_t n;
    struct rf_kept_ranges kept;
    struct rf_range_stack ranges;
    bool has_begun;
    bool is_uncertain; /* sticky: all has to be in memory */
};

/* How many ranges of a thread other threads ended. */
size_t rf_count_ended_by_others(const rf_recording *rec, uint32_t thread);

/* The node of the ranges around a call, as rf_range_replay_find(). Returns RF_OK or
 * RF_ERR_NO_MEMORY, likewise below. */
int rf_ranges_of_process_find(struct rf_ranges_of_process *p, uint32_t process, int64_t start_ns,
                              int64_t end_ns, uint32_t *node);

/* All calls of the process have come: its ranges end, and are let go of. */
int rf_ranges_of_process_end(struct rf_ranges_of_process *p);

/* Frees what it has of a process. */
void rf_ranges_of_process_release(struct rf_ranges_of_process *p);

#endif
