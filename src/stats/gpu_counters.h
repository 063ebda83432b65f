/* SPDX-License-Identifier: Apache-2.0 */
/* The counters that were sampled on a GPU, and their values over intervals of time. */
#ifndef RF_STATS_GPU_COUNTERS_H
#define RF_STATS_GPU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Whether a counter was sampled on a GPU, and there are samples. */
static inline bool rf_is_gpu_metric(const struct rf_counter *counter)
{
    return counter->device != RF_NO_INDEX && !counter->is_derived && counter->n_samples > 0;
}

/* A counter summed over time. A sample stands for the time since the sample before it, but for at
 * most twice the median time between samples, since some may be missing. The first one stands for
 * the median. */
struct rf_counter_sums {
    const struct rf_counter *counter;
    size_t room;
    double usual_ns;
    double factor;    /* of values: rf_counter_shown_factor() */
    double *value_ns; /* per sample, and one before the first: values by time up to it */
    double *time_ns;  /* how much time that is */
};

/* Sums a counter, in the unit of its label, in place of the one before. *sums is zero at first, and
 * to be released even if this fails. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_counter_sums_of(struct rf_counter_sums *sums, const rf_recording *rec,
                       const struct rf_counter *counter);
void rf_counter_sums_release(struct rf_counter_sums *sums);

/* Adds the sums over an interval: value times time, and the time that was sampled. */
void rf_counter_sums_add(const struct rf_counter_sums *sums, int64_t start_ns, int64_t end_ns,
                         double *value_ns, double *time_ns);

#endif
