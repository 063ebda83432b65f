/* SPDX-License-Identifier: Apache-2.0 */
#include "export/counter_values.h"

#include <math.h>

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
