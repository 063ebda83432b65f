/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranges lie over which calls, on the ranges and calls of one thread. Two ways: a stack,
 * where the ranges nest, and trees over the ends, where they cross (projection_crossing.c). For
 * ranges that nest both give the same. */
#ifndef RF_MODEL_PROJECTION_PROJECTION_SWEEP_H
#define RF_MODEL_PROJECTION_PROJECTION_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/projection/range_work.h"
#include "rangefinder/rangefinder.h"

/* A range. Spans are sorted by start, the later end first, then by event: what encloses a span
 * stands before it. */
struct rf_span {
    int64_t start_ns, end_ns;
    uint32_t event; /* index into its thread's events */
};

struct rf_sweep {
    const struct rf_span *span;
    size_t n_spans;
    const struct rf_call *call; /* by start */
    size_t n_calls;
    const struct rf_gpu_op *op; /* of the recording */
    size_t n_ops;
    bool kernels_only;
    /* The results; the caller's memory, whose contents do not matter before. */
    struct rf_work *work; /* per span */
    uint32_t *parent;     /* per span: index of a span, or RF_NO_INDEX */
    uint32_t *owner; /* per operation of the recording: an event; only those of the calls set */
    uint32_t *call_owner; /* per call: an event */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_sweep(struct rf_sweep *sweep);

/* Makes a span the owner of a call and of all that it caused; span may be NULL. */
void rf_sweep_own(struct rf_sweep *sweep, const struct rf_call *call, const struct rf_span *span);

#endif
