/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_PROJECTION_PROJECTION_CROSSING_H
#define RF_MODEL_PROJECTION_PROJECTION_CROSSING_H

#include "model/projection/projection_sweep.h"

/* Calls by start, with the operations that they caused. */
struct rf_calls {
    const struct rf_call *const *call;
    size_t n;
    const struct rf_gpu_op *op; /* of the recording */
    size_t n_ops;
    bool kernels_only;
};

/* See rf_sweep(): works whether or not ranges cross. */
int rf_sweep_crossing(struct rf_sweep *sweep);

/* Adds up, per span, the work of the calls that lie inside it. Spans are by start, too. */
int rf_work_inside(const struct rf_span *span, size_t n_spans, const struct rf_calls *calls,
                   struct rf_work *out);

#endif
