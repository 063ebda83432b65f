/* SPDX-License-Identifier: Apache-2.0 */
#include "export/counter_gaps.h"

#include <stdlib.h>

#define LEAST_INTERVALS 16
#define MOST_INTERVALS  256
#define GAP             4 /* intervals: samples come late, but not this much */

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

int64_t rf_sample_interval_ns(const struct rf_counter *counter)
{
    uint64_t interval[MOST_INTERVALS];
    const size_t n_all = counter->n_samples;
    const size_t n = n_all > MOST_INTERVALS ? MOST_INTERVALS : n_all - (n_all > 0);
    bool is_regular = counter->device != RF_NO_INDEX && counter->process == RF_NO_INDEX &&
                      counter->nvtx == NULL && !counter->is_derived;
    if (!is_regular || n < LEAST_INTERVALS)
        return 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = i * ((n_all - 1) / n);
        interval[i] = (uint64_t)counter->ns[at + 1] - (uint64_t)counter->ns[at];
    }
    qsort(interval, n, sizeof(*interval), compare);
    return interval[n / 2] < INT64_MAX / GAP ? (int64_t)interval[n / 2] : 0;
}

bool rf_is_sample_gap(int64_t interval_ns, int64_t before_ns, int64_t at_ns)
{
    return interval_ns > 0 && (uint64_t)at_ns - (uint64_t)before_ns > (uint64_t)interval_ns * GAP;
}
