/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU did at each moment, over all its streams and processes. */
#ifndef RF_STATS_GPU_BUSY_H
#define RF_STATS_GPU_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "stats/gpu_pieces.h"

/* The moments of a GPU, each of one kind. */
enum rf_gpu_moment {
    RF_GPU_COMPUTES,       /* kernels and graphs alone, or beside copies */
    RF_GPU_HIDES,          /* communication beside them */
    RF_GPU_COMMUNICATES,   /* communication without them */
    RF_GPU_COPIES,         /* copies and sets alone */
    RF_GPU_WAITS_FOR_HOST, /* nothing, in the order of enum rf_idle_reason */
    RF_GPU_LAUNCHES,
    RF_GPU_IDLES,
    RF_N_GPU_MOMENTS
};

struct rf_gpu_busy {
    uint32_t gpu;                  /* id, as the driver numbers it */
    int64_t start_ns, end_ns;      /* of its first and last work, or of a window */
    uint64_t ns[RF_N_GPU_MOMENTS]; /* they add up to end_ns - start_ns */
};

/* The GPUs that worked, by id. The caller frees *out. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_gpu_busy_find(const rf_recording *rec, struct rf_gpu_busy **out, size_t *n);

/* Fills ns of n windows, which may overlap, for GPUs that pieces are of. Before the first work of a
 * GPU the reason is that of the gap up to it; behind the last work the GPU waits for the host.
 * Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_gpu_busy_fill(const rf_recording *rec, const struct rf_gpu_pieces *pieces,
                     struct rf_gpu_busy *window, size_t n);

/* "compute", "idle, launching". */
const char *rf_gpu_moment_name(int moment);

struct rf_collecting;

/* Adds what a GPU did from its first work to its last to a summary, as the report breakdown shows
 * it. */
void rf_collect_gpu_time(struct rf_collecting *c, const struct rf_gpu_busy *busy);

#endif
