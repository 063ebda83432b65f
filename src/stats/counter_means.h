/* SPDX-License-Identifier: Apache-2.0 */
/* The values of NVTX's counters over intervals of time, in their units. */
#ifndef RF_STATS_COUNTER_MEANS_H
#define RF_STATS_COUNTER_MEANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Whether it is a counter of NVTX, and there are samples. */
static inline bool rf_is_nvtx_counter(const struct rf_counter *counter)
{
    return counter->nvtx != NULL && counter->n_samples > 0;
}

/* A mean of values: their sum, each times its weight, and the weights. Of counters that stand for
 * times a weight is nanoseconds, of others it is 1 per sample. */
struct rf_weighed {
    double sum, weight;
};

/* Sums up to each sample. What is no finite number has no weight. */
struct rf_counter_integral {
    const struct rf_counter *counter;
    int64_t end_ns; /* up to here the last value holds, if values hold up to the next one */
    struct rf_weighed *until;
    size_t place; /* of the first sample of what was asked for last */
};

/* Whether means of a counter weigh values by time: those of single moments and differences are
 * weighed alike. */
bool rf_counter_is_weighed_by_time(const struct rf_counter *counter);

/* The value of a sample in the unit. */
double rf_counter_value(const struct rf_counter *counter, size_t i);

/* Sums a counter of rf_is_nvtx_counter(). *out is to be released even if this fails. Returns RF_OK
 * or RF_ERR_NO_MEMORY. */
int rf_counter_integrate(struct rf_counter_integral *out, const rf_recording *rec,
                         const struct rf_counter *counter);
void rf_counter_integral_release(struct rf_counter_integral *integral);

/* What lies between two times, both included, and how many samples. Of intervals that come in order
 * each costs little. */
struct rf_weighed rf_counter_between(struct rf_counter_integral *integral, int64_t start_ns,
                                     int64_t end_ns, uint64_t *n_samples);

#endif
