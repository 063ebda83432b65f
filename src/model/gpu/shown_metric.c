/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/shown_metric.h"

#include <stdbool.h>
#include <string.h>

#define LEAST_HZ 1e6 /* no clock has so many MHz */

static bool says_mhz(const char *label, size_t size)
{
    static const char unit[] = "[MHz]";
    const size_t n = sizeof(unit) - 1;
    return label != NULL && size >= n && memcmp(label + size - n, unit, n) == 0;
}

double rf_shown_factor(const char *label, size_t size, double largest)
{
    return says_mhz(label, size) && largest >= LEAST_HZ ? 1e-6 : 1;
}

double rf_counter_shown_factor(const rf_recording *rec, const struct rf_counter *counter)
{
    size_t size = 0;
    const char *label = rf_string(rec, counter->name, &size);
    if (counter->nvtx != NULL || counter->device == RF_NO_INDEX || !says_mhz(label, size))
        return 1;
    for (size_t i = 0; i < counter->n_samples; i++)
        if (counter->value[i] >= LEAST_HZ)
            return rf_shown_factor(label, size, counter->value[i]);
    return 1;
}
