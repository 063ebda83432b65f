/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_PROJECTION_RANGE_WORK_H
#define RF_MODEL_PROJECTION_RANGE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* The work of a call, or of all calls in a range. */
struct rf_work {
    int64_t start_ns, end_ns; /* where n_calls is 0: INT64_MAX and INT64_MIN */
    uint64_t busy_ns;
    uint32_t n_calls, n_ops;
};

/* Whether a projection counts this work. */
bool rf_op_counts(const struct rf_gpu_op *op, bool kernels_only);

struct rf_work rf_no_work(void);
void rf_work_add(struct rf_work *to, const struct rf_work *more);
uint64_t rf_add_saturated(uint64_t a, uint64_t b);

/* The sum of the work that a call caused and that counts. */
struct rf_work rf_work_of_call(const struct rf_call *call, const struct rf_gpu_op *op, size_t n_ops,
                               bool kernels_only);

#endif
