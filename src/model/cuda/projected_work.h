/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_RANGE_WORK: the GPU work of each range that is held (range_stack.h), which is added to
 * sums when all its calls have their work. */
#ifndef RF_MODEL_CUDA_PROJECTED_WORK_H
#define RF_MODEL_CUDA_PROJECTED_WORK_H

#include <stdbool.h>

#include "model/cuda/cuda_window.h"
#include "model/cuda/range_stack.h"
#include "model/projection/range_work.h"
#include "model/sums/projected_sums.h"

/* A kernel that a range has. */
struct rf_kernel_of_range {
    uint32_t label, kernel; /* string; index of the sum */
};

/* A node; with the range that it is the first one of. */
struct rf_projected_range {
    struct rf_work work;               /* of calls in its range and in those around the node */
    struct rf_work *more;              /* of further nodes of the range; NULL: none */
    uint32_t ranges;                   /* index of its sum */
    uint32_t level;                    /* how many ranges it lies in; RF_NO_INDEX: not yet known */
    uint32_t n_children;               /* those directly inside it that have work */
    struct rf_kernel_of_range *kernel; /* NULL: none */
    struct rf_map
        *kernel_of; /* by label: index of the sum; of many kernels, in place of the list */
    uint32_t n_kernels;
};

/* All zero: not begun. */
struct rf_projected_work {
    struct rf_range_pool *pool;
    struct rf_projected_sums *sums;
    const struct rf_strings *strings; /* the names */
    struct rf_projected_range *range; /* by node of the pool */
    size_t n, room;
    uint64_t n_kernels, n_pairs; /* pairs of a kernel and a range around it */
    uint64_t n_slots;            /* that they took: of names in ranges, and of times */
    bool is_too_deep;            /* sticky: any of that is too much */
    bool has_no_kernels;         /* they are not summed up by range */
    bool can_leave_kernels;      /* what is a lot of them is less */
    bool is_out_of_memory;       /* sticky */
};

/* The pool tells of the nodes that it lets go of from now on. */
void rf_projected_work_begin(struct rf_projected_work *p, struct rf_range_pool *pool,
                             struct rf_projected_sums *sums);
void rf_projected_work_release(struct rf_projected_work *p);

/* A range begins, whose node is new. thread: in the final order. Returns RF_OK or RF_ERR_NO_MEMORY,
 * likewise below. */
int rf_projected_work_push(struct rf_projected_work *p, uint32_t node, uint32_t thread,
                           uint32_t domain, uint32_t name, uint32_t kind);

/* A piece of work. node: of the ranges around its call (range_stack.h); RF_NO_INDEX: none; likewise
 * of_process, of those by process. thread: of its call, or RF_NO_INDEX. label: of a kernel, its
 * name. is_first: its call had none that counts. */
int rf_projected_work_add(struct rf_projected_work *p, const struct rf_held_work *work,
                          uint32_t node, uint32_t of_process, uint32_t thread, uint32_t label,
                          bool is_first);

/* Takes out the kernels of ranges: they are not summed up any more. */
void rf_projected_work_leave_kernels(struct rf_projected_work *p);

#endif
