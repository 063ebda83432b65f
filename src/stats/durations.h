/* SPDX-License-Identifier: Apache-2.0 */
/* The figures that reports give for a set of durations. */
#ifndef RF_STATS_DURATIONS_H
#define RF_STATS_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "model/sums/range_sums.h"
#include "model/sums/value_counts.h"

struct rf_durations {
    uint64_t total_ns; /* stops at its largest value instead of wrapping */
    uint64_t min_ns;
    uint64_t max_ns;
    double mean_ns;
    double median_ns; /* of an even number: the mean of the two in the middle */
    double stddev_ns; /* of a sample (n - 1); 0 for one value */
};

/* values is reordered; n is at least 1. */
void rf_durations_measure(struct rf_durations *out, uint64_t *values, size_t n);

/* The same of at least one value; they are sorted. */
void rf_durations_of_counts(struct rf_durations *out, struct rf_value_counts *counts);

/* Of an even number the mean of the two in the middle; values is reordered. */
double rf_durations_median(uint64_t *values, size_t n);

/* The duration of rank k, from 0; values is reordered. */
uint64_t rf_durations_rank(uint64_t *values, size_t n, size_t k);

/* The same as rf_durations_measure() of a sum of at least one range. The median is that of the
 * buckets: at most 1/256 off. */
void rf_durations_of_sum(struct rf_durations *out, const struct rf_sum *sum);

/* The standard deviation of n values of a sample, from their sum and the sum of their squares. */
double rf_stddev_of(uint64_t n, unsigned __int128 total, unsigned __int128 squares);

#endif
