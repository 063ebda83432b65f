/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/outliers.h"

#include <stdlib.h>
#include <string.h>

#include "stats/durations.h"

/* A normal distribution has this many standard deviations in a MAD, and in a mean distance one of
 * these. */
#define MAD_OF_DEVIATION  0.6745
#define DEVIATION_OF_MEAN 1.253314

/* Twice the distance, which is whole where the median is half a nanosecond off. */
static uint64_t twice_distance(uint64_t value, uint64_t twice_median)
{
    const uint64_t twice = value <= UINT64_MAX / 2 ? 2 * value : UINT64_MAX;
    return twice > twice_median ? twice - twice_median : twice_median - twice;
}

bool rf_outliers_find(struct rf_outliers *out, const uint64_t *values, size_t n)
{
    struct rf_durations measured;
    uint64_t *copy = malloc(n * sizeof(*copy));
    *out = (struct rf_outliers){.n_warm_up = 0};
    if (copy == NULL)
        return false;
    memcpy(copy, values, n * sizeof(*copy));
    rf_durations_measure(&measured, copy, n);
    out->median_ns = measured.median_ns;
    const uint64_t twice_median = (uint64_t)(2 * measured.median_ns);
    for (size_t i = 0; i < n; i++)
        copy[i] = twice_distance(values[i], twice_median);
    rf_durations_measure(&measured, copy, n);
    free(copy);
    out->mad_ns = measured.median_ns / 2;
    out->unit_ns =
        out->mad_ns > 0 ? out->mad_ns / MAD_OF_DEVIATION : measured.mean_ns / 2 * DEVIATION_OF_MEAN;
    while (out->n_warm_up < n && rf_outliers_score(out, values[out->n_warm_up]) > RF_OUTLIER_SCORE)
        out->n_warm_up++;
    return true;
}

double rf_outliers_score(const struct rf_outliers *outliers, uint64_t value)
{
    return outliers->unit_ns > 0 ? ((double)value - outliers->median_ns) / outliers->unit_ns : 0;
}
