/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_SUMS: calls of CUDA and GPU work are added to sums as their records are met, and are not
 * kept, so that memory does not grow with their number. */
#ifndef RF_MODEL_CUDA_CUDA_SUMS_H
#define RF_MODEL_CUDA_CUDA_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cuda/cuda_clock.h"
#include "model/sums/work_sums.h"

struct rf_cuda_kernel;
struct rf_cuda_name;
struct rf_load;
struct rf_record;

/* What one worker has read. All zero: nothing. */
struct rf_cuda_sums {
    struct rf_cuda_clock *clock; /* per process: the lines are load->cuda's */
    size_t line;                 /* of the timeline, found last */
    struct rf_work_sums sums;    /* names are handles of the process */
    uint64_t n_dropped;          /* records that CUPTI dropped */
    uint64_t
        met_gpus; /* of those that are selected, by their places there: work of these was met */
    bool has_timeless; /* times are selected, and there is work that has the time of its call */
};

/* Before any record is read: makes the clocks. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below.
 */
int rf_cuda_sums_begin(struct rf_load *load);

/* Takes a record of the type RF_REC_CUDA. */
int rf_cuda_sums_add(struct rf_cuda_sums *s, const struct rf_load *load, uint32_t process,
                     const struct rf_record *record);

/* Adds what a worker has to the recording. Workers come one after the other. */
int rf_cuda_sums_join(struct rf_load *load, const struct rf_cuda_sums *s);

/* When all workers have come: a GPU that the filter names and that has no such work may have other
 * work; then all has to be read again, and kept. */
void rf_cuda_sums_finish(struct rf_load *load);

void rf_cuda_sums_release(struct rf_cuda_sums *s);

/* The shape of a kernel; UINT32_MAX: out of memory. */
uint32_t rf_cuda_sums_shape(struct rf_work_sums *sums, const struct rf_cuda_kernel *kernel);

/* The sum of a kernel in those of a recording. shape: in sums, or UINT32_MAX. NULL: out of memory.
 */
struct rf_work_sum *rf_cuda_sums_of_kernel(struct rf_work_sums *sums,
                                           const struct rf_cuda_name *name, uint32_t shape);

#endif
