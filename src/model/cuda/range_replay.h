/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of the threads that called CUDA, whose records are read again beside those calls: each
 * thread's up to the end of a call (range_stack.h). Where a call lies is kept as a path of names,
 * as path_walk.c has them, so that memory grows with neither ranges nor calls; where ranges may
 * cross, as a node until its work has come (path_work.h). Of start/end ranges those are read that
 * their own thread ended; which ones others ended is known from the first reading. Where records do
 * not say it in their order, ranges that are in memory are taken (kept_ranges.h). */
#ifndef RF_MODEL_CUDA_RANGE_REPLAY_H
#define RF_MODEL_CUDA_RANGE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cuda/path_work.h"
#include "model/cuda/projected_work.h"
#include "model/cuda/range_stack.h"
#include "model/cuda/replayed_collectives.h"
#include "model/load/decode.h"
#include "model/sums/range_sums.h"

struct rf_replayed_stream;
struct rf_replayed_thread;

/* All zero: not begun. */
struct rf_range_replay {
    struct rf_load *load;
    struct rf_decoder decoder;
    struct rf_replayed_stream *stream;        /* by that of load->stream */
    struct rf_replayed_thread *thread;        /* by that of load->thread */
    struct rf_replayed_stream *begun_streams; /* of the process that is read, likewise below */
    struct rf_replayed_thread *begun_threads;
    struct rf_range_pool pool;
    struct rf_projected_work *projected;        /* NULL: it is not asked for; set by the caller */
    struct rf_sums paths;                       /* of ranges, but without what they add up to */
    struct rf_path_work path_work;              /* with holds_nodes, where paths are kept */
    struct rf_replayed_collectives collectives; /* where paths are kept */
    bool has_collectives;
    bool holds_nodes;  /* of calls: ranges may cross, or projected is to be set */
    bool are_kept;     /* ranges are not read again: they are in memory, in rec->events */
    bool needs_kept;   /* sticky, with is_uncertain: they have to be */
    bool is_uncertain; /* sticky: all has to be in memory */
};

/* In the final order of threads. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below; to be released
 * either way. */
int rf_range_replay_begin(struct rf_range_replay *r, struct rf_load *load);

/* The node of the ranges around a call of a thread. Without holds_nodes its range is the innermost
 * one, and its tag a sum of paths. RF_NO_INDEX: none is. */
int rf_range_replay_find(struct rf_range_replay *r, uint32_t thread, int64_t start_ns,
                         int64_t end_ns, uint32_t *node);

/* All calls of the process have come whose streams are those from begin up to end: reads on to the
 * ends of its ranges, and lets go of them. */
int rf_range_replay_end(struct rf_range_replay *r, uint32_t begin, uint32_t end);

void rf_range_replay_release(struct rf_range_replay *r);

/* Whether the ranges of all threads that called CUDA can be read again like this, as far as it is
 * known before. */
bool rf_range_replay_can(const struct rf_load *load);

#endif
