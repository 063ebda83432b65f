/* SPDX-License-Identifier: Apache-2.0 */
/* The work of each GPU over all its streams and processes, by start. */
#ifndef RF_STATS_GPU_PIECES_H
#define RF_STATS_GPU_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* A piece of work and the GPU that did it. */
struct rf_gpu_piece {
    int64_t start_ns, end_ns;
    uint32_t gpu; /* id, as the driver numbers it */
    uint32_t op;  /* index into rf_gpu_ops() */
};

struct rf_gpu_pieces {
    struct rf_gpu_piece *piece; /* by GPU, start, op; waits are not among them */
    size_t n, room;
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_gpu_pieces_init(struct rf_gpu_pieces *pieces, const rf_recording *rec);
void rf_gpu_pieces_release(struct rf_gpu_pieces *pieces);

/* Where the pieces of the next GPU begin, from the first one of a GPU. */
size_t rf_gpu_pieces_end(const struct rf_gpu_pieces *pieces, size_t first);

/* The call that caused a piece of work; NULL: it is not known. */
const struct rf_call *rf_call_of_work(const rf_recording *rec, const struct rf_gpu_op *op);

#endif
