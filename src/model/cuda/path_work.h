/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU work by the ranges around its calls, where ranges may cross: of each node that is held
 * (range_stack.h), which is added to the path of the innermost one of its ranges when all its calls
 * have their work. */
#ifndef RF_MODEL_CUDA_PATH_WORK_H
#define RF_MODEL_CUDA_PATH_WORK_H

#include <stdbool.h>

#include "model/cuda/range_stack.h"
#include "model/sums/range_sums.h"

struct rf_path_range {
    uint64_t gpu_ns;             /* of calls in the range of the node and in those around it */
    uint64_t n_gpu;              /* pieces */
    uint32_t domain, name, kind; /* of the range that it is the first node of */
    uint32_t path;               /* index of its sum; RF_NO_INDEX: not yet known */
};

/* All zero: not begun. */
struct rf_path_work {
    struct rf_range_pool *pool;
    struct rf_sums *sums;
    struct rf_path_range *range; /* by node of the pool */
    uint32_t *list;              /* of ranges in each other */
    size_t n, room, list_room;
    bool is_out_of_memory; /* sticky */
};

/* The pool tells of the nodes that it adds and lets go of from now on. */
void rf_path_work_begin(struct rf_path_work *p, struct rf_range_pool *pool, struct rf_sums *sums);
void rf_path_work_release(struct rf_path_work *p);

/* A range begins, whose node is new. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below. */
int rf_path_work_push(struct rf_path_work *p, uint32_t node, uint32_t domain, uint32_t name,
                      uint32_t kind);

/* A piece of work. node: of the ranges around its call. */
int rf_path_work_add(struct rf_path_work *p, uint32_t node, uint64_t ns);

#endif
