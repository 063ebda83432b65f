/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio between the values of runs of two sides, and how sure it is. */
#ifndef RF_STATS_COMPARE_RUN_INTERVAL_H
#define RF_STATS_COMPARE_RUN_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of logarithms. */
struct rf_run_interval {
    double middle;     /* of the ratio */
    double error;      /* its standard error */
    double freedom;    /* degrees of freedom of that; 0: a side has one run, and nothing is known */
    double spread;     /* variance of one run */
    double resolution; /* part of error that more runs do not remove */
};

/* The logarithms of values, which are sorted; n_a and n_b are at least 1. resolution: how far a
 * value may be off, as a part of it. */
void rf_run_interval(struct rf_run_interval *interval, double *a, size_t n_a, double *b, size_t n_b,
                     double resolution);

/* How far the interval reaches to either side, if it may miss the ratio with a probability. */
double rf_run_interval_reach(const struct rf_run_interval *interval, double probability);

/* The probability of a middle at least as far from 0 where the ratio is 1. */
double rf_run_interval_chance(const struct rf_run_interval *interval);

/* How many runs a side the interval needs to reach no further than a distance; 0: more than most.
 */
uint64_t rf_run_interval_needs(const struct rf_run_interval *interval, double distance,
                               double probability, uint64_t most);

#endif
