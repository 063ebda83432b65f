/* SPDX-License-Identifier: Apache-2.0 */
#include "model/projection/range_work.h"

#include <stdbool.h>

#include "model/recording.h"

uint64_t rf_add_saturated(uint64_t a, uint64_t b)
{
    return a + b >= a ? a + b : UINT64_MAX;
}

struct rf_work rf_no_work(void)
{
    return (struct rf_work){INT64_MAX, INT64_MIN, 0, 0, 0};
}

void rf_work_add(struct rf_work *to, const struct rf_work *more)
{
    if (more->n_calls == 0)
        return;
    to->start_ns = more->start_ns < to->start_ns ? more->start_ns : to->start_ns;
    to->end_ns = more->end_ns > to->end_ns ? more->end_ns : to->end_ns;
    to->busy_ns = rf_add_saturated(to->busy_ns, more->busy_ns);
    to->n_calls += more->n_calls;
    to->n_ops += more->n_ops;
}

bool rf_op_counts(const struct rf_gpu_op *op, bool kernels_only)
{
    bool is_kernel = op->kind == RF_OP_KERNEL || op->kind == RF_OP_GRAPH;
    return is_kernel || (!kernels_only && op->kind != RF_OP_SYNC);
}

struct rf_work rf_work_of_call(const struct rf_call *call, const struct rf_gpu_op *op, size_t n_ops,
                               bool kernels_only)
{
    struct rf_work sum = rf_no_work();
    for (uint32_t i = call->first_op; i < n_ops; i = op[i].next_op) {
        if (!rf_op_counts(&op[i], kernels_only))
            continue;
        sum.start_ns = op[i].start_ns < sum.start_ns ? op[i].start_ns : sum.start_ns;
        sum.end_ns = op[i].end_ns > sum.end_ns ? op[i].end_ns : sum.end_ns;
        uint64_t duration = (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns;
        sum.busy_ns = rf_add_saturated(sum.busy_ns, duration);
        sum.n_calls = 1;
        sum.n_ops++;
    }
    return sum;
}
