/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the values of counters. */
#ifndef RF_STATS_VALUES_H
#define RF_STATS_VALUES_H

#include <stddef.h>

struct rf_values {
    double min, mean, median, p95, max; /* p95: the least value that 95 percent do not exceed */
};

/* The value of rank k (from 0) of n; values is reordered, and holds no NAN. */
double rf_values_rank(double *values, size_t n, size_t k);

/* values is reordered; n is at least 1. */
void rf_values_measure(struct rf_values *out, double *values, size_t n);

#endif
