/* SPDX-License-Identifier: Apache-2.0 */
/* The open ranges of a thread whose records are read again (range_replay.h). In a focused recording
 * a range that begins outside of captures waits: it belongs to one only if it is open when the next
 * one begins. */
#ifndef RF_MODEL_CUDA_REPLAYED_OPEN_H
#define RF_MODEL_CUDA_REPLAYED_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cuda/kept_ranges.h"
#include "model/cuda/range_stack.h"
#include "model/load/load.h"

/* In the place of the node of a range that waits. */
#define RF_REPLAY_WAITS (RF_NO_INDEX - 1)

/* A start/end range that is open. */
struct rf_replayed_start {
    uint64_t id;
    int64_t start_ns;
    uint32_t node;       /* RF_NO_INDEX: it is left out, and to be cut */
    uint32_t collective; /* its number; 0: it is none */
    uint32_t domain, name;
    int64_t ends_ns; /* when its domain is destroyed, or where it is known to be cut; RF_NO_TIME: by
                      * a record */
    bool is_cut;     /* ... with a capture */
};

struct rf_replayed_thread {
    struct rf_load_thread decoded; /* its events are the push/pop ranges that are open, by start:
                                    * their color is their node, or RF_NO_INDEX where it ended with
                                    * its domain or is left out; their category their number among
                                    * the collectives, of one left out not 0 if it is to be cut */
    struct rf_range_stack ranges;
    struct rf_replayed_start *start; /* by id */
    size_t n_starts, start_room;
    int64_t ends_ns;            /* when the first of its open ranges ends without a record */
    size_t n_waiting;           /* ranges; in a focused recording, likewise below */
    int64_t change_ns;          /* the next time when a capture begins, or is over */
    int64_t left_ns;            /* where ranges end that ended outside of captures */
    bool is_inside;             /* it has been read up to a time in a capture */
    bool begins_cut;            /* the range that begins now is to be cut */
    struct rf_kept_ranges kept; /* in place of all but ranges */
    struct rf_replayed_thread *next_begun;
    bool has_begun;
};

/* All of it. */
void rf_replayed_release(struct rf_replayed_thread *thread);

/* A push/pop range goes, by its place. */
void rf_replayed_remove_push(struct rf_replayed_thread *thread, struct rf_range_pool *pool,
                             uint32_t i);

/* A start/end range goes, likewise. */
void rf_replayed_remove_start(struct rf_replayed_thread *thread, struct rf_range_pool *pool,
                              size_t i);

/* The place of a start/end range; n_starts: there is none. */
size_t rf_replayed_find_start(const struct rf_replayed_thread *thread, uint64_t id);

/* The range that ends first without a record, of those in each other the inner one. */
struct rf_replayed_ending {
    int64_t ns, start_ns; /* INT64_MAX: there is none */
    struct rf_event *push;
    size_t start; /* 1 + index; 0: it is a push */
};

struct rf_replayed_ending rf_replayed_first_ending(const struct rf_load *load,
                                                   struct rf_replayed_thread *thread,
                                                   struct rf_range_pool *pool);

/* Among the push/pop ranges, and among the start/end ranges. */
struct rf_replayed_place {
    size_t push, start;
};

enum rf_replayed_kind { RF_REPLAYED_NONE, RF_REPLAYED_PUSH, RF_REPLAYED_START, RF_REPLAYED_EITHER };

/* Which of a thread's ranges that wait began first, from a place on, which moves on to it.
 * RF_REPLAYED_EITHER: two began at one time. */
enum rf_replayed_kind rf_replayed_next_waiting(const struct rf_replayed_thread *thread,
                                               struct rf_replayed_place *at);

#endif
