/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that nest: one walk over ranges and calls by time, with a stack of the ranges that are
 * open. A call's work goes to the innermost range that holds all of it; in the end each range
 * passes its sum on to its parent. Where two ranges cross, a stack cannot hold them, and the
 * walk ends. */
#include "model/projection/projection_sweep.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/projection/projection_crossing.h"
#include "model/projection/range_work.h"

void rf_sweep_own(struct rf_sweep *sweep, const struct rf_call *call, const struct rf_span *span)
{
    uint32_t event = span != NULL ? span->event : RF_NO_INDEX;
    for (uint32_t i = call->first_op; i < sweep->n_ops; i = sweep->op[i].next_op)
        sweep->owner[i] = event;
    sweep->call_owner[call - sweep->call] = event;
}

/* ---- The stack ---- */

struct open_spans {
    uint32_t *span; /* from the outermost to the innermost: their ends never grow */
    size_t n;
    int64_t touch_ns; /* where one span ended and the next began; what is empty and at that time
                       * lies in both */
    bool is_touched;
};

static bool lies_in_two(const struct open_spans *open, int64_t start_ns, int64_t end_ns)
{
    return open->is_touched && start_ns == open->touch_ns && end_ns == open->touch_ns;
}

/* Returns false if the span crosses another. */
static bool open_span(struct rf_sweep *sweep, struct open_spans *open, uint32_t i)
{
    const struct rf_span *span = &sweep->span[i];
    if (lies_in_two(open, span->start_ns, span->end_ns))
        return false;
    while (open->n > 0) {
        const struct rf_span *top = &sweep->span[open->span[open->n - 1]];
        if (top->end_ns >= span->end_ns)
            break;
        if (top->end_ns > span->start_ns)
            return false;
        if (top->end_ns == span->start_ns) {
            open->touch_ns = span->start_ns;
            open->is_touched = true;
        }
        open->n--;
    }
    sweep->parent[i] = open->n > 0 ? open->span[open->n - 1] : RF_NO_INDEX;
    sweep->work[i] = rf_no_work();
    open->span[open->n++] = i;
    return true;
}

/* The innermost open span that ends at end_ns or later; the depth of the stack does not matter. */
static uint32_t find_open(const struct rf_sweep *sweep, const struct open_spans *open,
                          int64_t end_ns)
{
    size_t low = 0;
    size_t high = open->n;
    if (open->n > 0 && sweep->span[open->span[open->n - 1]].end_ns >= end_ns)
        return open->span[open->n - 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sweep->span[open->span[middle]].end_ns >= end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? open->span[low - 1] : RF_NO_INDEX;
}

static bool add_call(struct rf_sweep *sweep, struct open_spans *open, const struct rf_call *call)
{
    if (lies_in_two(open, call->start_ns, call->end_ns))
        return false;
    while (open->n > 0 && sweep->span[open->span[open->n - 1]].end_ns < call->start_ns)
        open->n--;
    uint32_t owner = find_open(sweep, open, call->end_ns);
    rf_sweep_own(sweep, call, owner != RF_NO_INDEX ? &sweep->span[owner] : NULL);
    if (owner != RF_NO_INDEX && call->first_op < sweep->n_ops) {
        struct rf_work work = rf_work_of_call(call, sweep->op, sweep->n_ops, sweep->kernels_only);
        rf_work_add(&sweep->work[owner], &work);
    }
    return true;
}

static bool sweep_nested(struct rf_sweep *sweep, struct open_spans *open)
{
    size_t c = 0;
    for (uint32_t i = 0; i < sweep->n_spans; i++) {
        for (; c < sweep->n_calls && sweep->call[c].start_ns < sweep->span[i].start_ns; c++)
            if (!add_call(sweep, open, &sweep->call[c]))
                return false;
        if (!open_span(sweep, open, i))
            return false;
    }
    for (; c < sweep->n_calls; c++)
        if (!add_call(sweep, open, &sweep->call[c]))
            return false;
    for (size_t i = sweep->n_spans; i-- > 0;)
        if (sweep->parent[i] != RF_NO_INDEX)
            rf_work_add(&sweep->work[sweep->parent[i]], &sweep->work[i]);
    return true;
}

int rf_sweep(struct rf_sweep *sweep)
{
    struct open_spans open = {0};
    open.span = malloc((sweep->n_spans + 1) * sizeof(*open.span));
    if (open.span == NULL)
        return RF_ERR_NO_MEMORY;
    bool is_nested = sweep_nested(sweep, &open);
    free(open.span);
    return is_nested ? RF_OK : rf_sweep_crossing(sweep);
}
