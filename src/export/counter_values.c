/* SPDX-License-Identifier: Apache-2.0 */
#include "export/counter_values.h"

#include <math.h>

#include "export/counter_gaps.h"
#include "model/gpu/shown_metric.h"

static double value_at(struct rf_drawn *drawn, size_t i)
{
    const struct rf_nvtx_counter *nvtx = drawn->counter->nvtx;
    const double value = drawn->counter->value[i];
    if (nvtx == NULL)
        return value;
    if (nvtx->value_type != RF_COUNTER_DELTA)
        return value * nvtx->factor;
    if (isfinite(value))
        drawn->sum += value;
    return isfinite(value) ? drawn->sum * nvtx->factor : value;
}

bool rf_drawn_next(struct rf_drawn *drawn, int64_t first_ns)
{
    const struct rf_counter *counter = drawn->counter;
    while (drawn->next < counter->n_samples) {
        const size_t i = drawn->next++;
        drawn->value = value_at(drawn, i);
        drawn->ns = counter->ns[i];
        if (rf_looks_backwards(counter))
            drawn->ns = i > 0 ? counter->ns[i - 1] : first_ns;
        if (isfinite(drawn->value))
            return true;
    }
    return false;
}

/* ---- Points ---- */

static int64_t begin_of(const struct rf_counter *counter, size_t i, int64_t first_ns)
{
    const int64_t *ns = counter->ns;
    if (i > 0)
        return ns[i - 1];
    if (counter->n_samples == 1)
        return ns[0];
    int64_t begin_ns = (int64_t)(2 * (uint64_t)ns[0] - (uint64_t)ns[1]); /* one interval before */
    return begin_ns <= ns[0] && begin_ns >= first_ns ? begin_ns : ns[0];
}

static int put_samples(const rf_recording *rec, const struct rf_counter *counter, int64_t first_ns,
                       rf_point_fn *put, void *context)
{
    const int64_t interval_ns = rf_sample_interval_ns(counter), *ns = counter->ns;
    const double factor = rf_counter_shown_factor(rec, counter);
    int status = RF_OK;
    for (size_t i = 0; i < counter->n_samples && status == RF_OK; i++) {
        int64_t begin_ns = begin_of(counter, i, first_ns);
        if (i > 0 && rf_is_sample_gap(interval_ns, ns[i - 1], ns[i])) {
            status = put(context, begin_ns, 0);
            begin_ns = ns[i] - interval_ns;
        }
        if (status == RF_OK)
            status = put(context, begin_ns, counter->value[i] * factor);
    }
    return status;
}

int rf_each_point(const rf_recording *rec, const struct rf_counter *counter, int64_t first_ns,
                  rf_point_fn *put, void *context)
{
    int status = RF_OK;
    struct rf_drawn drawn = {.counter = counter};
    if (counter->nvtx == NULL)
        return put_samples(rec, counter, first_ns, put, context);
    while (counter->n_samples > 0 && status == RF_OK &&
           rf_drawn_next(&drawn, begin_of(counter, 0, first_ns)))
        status = put(context, drawn.ns, drawn.value);
    return status;
}
