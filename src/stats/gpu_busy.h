/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU did at each moment, over all its streams and processes. */
#ifndef RF_STATS_GPU_BUSY_H
#define RF_STATS_GPU_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* The moments of a GPU, each of one kind. */
enum rf_gpu_moment {
    RF_GPU_COMPUTES,       /* kernels and graphs alone, or beside copies */
    RF_GPU_HIDES,          /* communication beside them */
    RF_GPU_COMMUNICATES,   /* communication without them */
    RF_GPU_COPIES,         /* copies and sets alone */
    RF_GPU_WAITS_FOR_HOST, /* nothing: the call of the next work had not begun */
    RF_GPU_LAUNCHES,       /* nothing: that call had begun when, or after, the GPU became idle */
    RF_GPU_IDLES,          /* nothing: the next work was asked for before, or its call is unknown */
    RF_N_GPU_MOMENTS
};

struct rf_gpu_busy {
    uint32_t gpu;                  /* id, as the driver numbers it */
    int64_t start_ns, end_ns;      /* of its first and last work */
    uint64_t ns[RF_N_GPU_MOMENTS]; /* they add up to end_ns - start_ns */
};

/* The GPUs that worked, by id. The caller frees *out. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_gpu_busy_find(const rf_recording *rec, struct rf_gpu_busy **out, size_t *n);

#endif
