/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work and the calls that caused it, matched as their records are met: a window over the
 * correlation ids of one process. Calls are held until many later ones have come. Work is held
 * until its call has come, and some calls behind it, so that of two calls of one id (of the
 * runtime, and of the driver inside it) both are there. The result is that of all calls and all
 * work in memory, or is_uncertain: a record came so late that what it could belong to was given up.
 */
#ifndef RF_MODEL_CUDA_CUDA_WINDOW_H
#define RF_MODEL_CUDA_CUDA_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_held_call {
    int64_t start_ns, end_ns;
    uint32_t correlation;
    uint32_t thread; /* as the caller numbers them, likewise the next */
    uint32_t name;
    uint32_t range;         /* around it, likewise */
    uint32_t process_range; /* likewise, of those that count for all threads */
    bool is_used;           /* work was matched with it */
    bool is_counted;        /* the caller's, likewise the next */
    bool is_in_capture, is_selected;
};

struct rf_held_work {
    int64_t start_ns, end_ns;
    uint32_t correlation;
    uint32_t track; /* as the caller numbers them, likewise the next */
    uint32_t name;
    uint8_t kind, flags;
    bool is_in_capture; /* the caller's: where it has no call */
    bool is_row;        /* the caller's: see captured_rows.h */
    union {
        uint64_t bytes; /* of copies and sets */
        uint32_t shape; /* of kernels, the caller's */
    };
};

/* Items by id, in the order in which they came; the oldest one makes room for a new one. */
struct rf_held_ids {
    uint64_t *newest;    /* by hash of an id: 1 + number of the last item that has it; 0: none */
    uint64_t *older;     /* by place of an item: the same of the one before it */
    uint64_t begin, end; /* numbers of the items that are held; their places are modulo size */
    uint64_t size;       /* a power of two */
};

/* The ids that were given up lie between these. All zero: none were. */
struct rf_given_up {
    uint32_t lowest, highest;
    bool has_one;
};

/* How much is held, powers of two. */
struct rf_cuda_window_sizes {
    uint32_t calls, works; /* at first */
    uint32_t n_behind;     /* calls that have to come behind one before it is matched: fewer */
    uint32_t most;         /* of either, where records come late */
};

struct rf_cuda_window {
    struct rf_cuda_window_sizes sizes;
    struct rf_held_call *call;
    struct rf_held_work *work; /* correlation 0: it was matched */
    struct rf_held_ids calls, works;
    uint64_t n_waiting;  /* pieces of work that were not matched */
    uint64_t most_later; /* calls that had come behind one when its work came */
    struct rf_given_up lost_calls, lost_work;
    int64_t *lost_start_ns; /* by thread: the latest start of the calls that were given up */
    uint32_t n_lost_start;
    size_t lost_start_room;
    uint64_t seed;
    bool is_uncertain; /* sticky: all has to be in memory */
    int (*linked)(void *context, const struct rf_held_work *work, struct rf_held_call *call);
    void (*given_up)(void *context, const struct rf_held_call *call);
    void *context;
};

/* linked: takes a piece of work that has a call; call NULL: it has none. Each comes once, in any
 * order; a status other than RF_OK ends all. given_up, which the caller sets if need be: takes each
 * call once, when no work is matched with it any more. Returns RF_OK or RF_ERR_NO_MEMORY; to be
 * released either way. */
int rf_cuda_window_init(struct rf_cuda_window *w, const struct rf_cuda_window_sizes *sizes,
                        int (*linked)(void *context, const struct rf_held_work *work,
                                      struct rf_held_call *call),
                        void *context);
void rf_cuda_window_release(struct rf_cuda_window *w);

/* Takes a call, or a piece of work, of the process. An id of 0 names none. Each returns the status
 * of linked(). */
int rf_cuda_window_add_call(struct rf_cuda_window *w, const struct rf_held_call *call);
int rf_cuda_window_add_work(struct rf_cuda_window *w, const struct rf_held_work *work);

/* Gives up the first call that is held, if it ended up to then and they are not few. Returns
 * whether it did, or *status: RF_ERR_NO_MEMORY. */
bool rf_cuda_window_drop_call(struct rf_cuda_window *w, int64_t ns, int *status);

/* All of the process have come: what is held is given to linked(), and the next process begins. */
int rf_cuda_window_end(struct rf_cuda_window *w);

#endif
