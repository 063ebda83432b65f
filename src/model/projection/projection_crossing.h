/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_PROJECTION_PROJECTION_CROSSING_H
#define RF_MODEL_PROJECTION_PROJECTION_CROSSING_H

#include "model/projection/projection_sweep.h"

/* A call with its work. */
struct rf_call_work {
    int64_t start_ns, end_ns; /* of the call */
    struct rf_work work;
};

/* See rf_sweep(): works whether or not ranges cross. */
int rf_sweep_crossing(struct rf_sweep *sweep);

/* Adds up, per span, the work of the calls that lie inside it. Spans and calls are by start. */
int rf_work_inside(const struct rf_span *span, size_t n_spans, const struct rf_call_work *call,
                   size_t n_calls, struct rf_work *out);

#endif
