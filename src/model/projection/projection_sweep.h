/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranges lie over which calls, on the ranges and calls of one thread. Two ways: a stack,
 * where the ranges nest, and trees over the ends, where they cross (projection_crossing.c). For
 * ranges that nest both give the same. */
#ifndef RF_MODEL_PROJECTION_PROJECTION_SWEEP_H
#define RF_MODEL_PROJECTION_PROJECTION_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* A range. Spans are sorted by start, the later end first, then by event: what encloses a span
 * stands before it. */
struct rf_span {
    int64_t start_ns, end_ns;
    uint32_t event; /* index into its thread's events */
};

/* The work of a call, or of all calls in a range. */
struct rf_work {
    int64_t start_ns, end_ns; /* where n_calls is 0: INT64_MAX and INT64_MIN */
    uint64_t busy_ns;
    uint32_t n_calls, n_ops;
};

/* A call with its work. */
struct rf_call_work {
    int64_t start_ns, end_ns; /* of the call */
    struct rf_work work;
};

struct rf_sweep {
    const struct rf_span *span;
    size_t n_spans;
    const struct rf_call *call; /* by start */
    size_t n_calls;
    const struct rf_gpu_op *op; /* of the recording */
    size_t n_ops;
    int kernels_only;
    /* The results; the caller's memory, whose contents do not matter before. */
    struct rf_work *work; /* per span */
    uint32_t *parent;     /* per span: index of a span, or RF_NO_INDEX */
    uint32_t *owner; /* per operation of the recording: an event; only those of the calls set */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_sweep(struct rf_sweep *sweep);

/* The same, whether or not ranges cross. */
int rf_sweep_crossing(struct rf_sweep *sweep);

/* Adds up, per span, the work of the calls that lie inside it. Spans and calls are by start. */
int rf_work_inside(const struct rf_span *span, size_t n_spans, const struct rf_call_work *call,
                   size_t n_calls, struct rf_work *out);

/* Whether a piece of work counts. */
int rf_op_counts(const struct rf_gpu_op *op, int kernels_only);

struct rf_work rf_no_work(void);
void rf_work_add(struct rf_work *to, const struct rf_work *more);
uint64_t rf_add_saturated(uint64_t a, uint64_t b);

/* The sum of what a call caused, as far as it counts. */
struct rf_work rf_work_of_call(const struct rf_call *call, const struct rf_gpu_op *op, size_t n_ops,
                               int kernels_only);

/* Makes a span the owner of all that a call caused; span may be NULL. */
void rf_sweep_own(struct rf_sweep *sweep, const struct rf_call *call, const struct rf_span *span);

#endif
