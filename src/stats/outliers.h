/* SPDX-License-Identifier: Apache-2.0 */
/* Which of some durations are far from the others: those with a modified z-score beyond 3.5
 * (Iglewicz and Hoaglin), which one or many extreme values do not spoil. */
#ifndef RF_STATS_OUTLIERS_H
#define RF_STATS_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RF_OUTLIER_SCORE 3.5

struct rf_outliers {
    double median_ns;
    double mad_ns;    /* median of the distances to the median */
    double unit_ns;   /* of a score; 0: all durations are the same */
    size_t n_warm_up; /* slow ones at the beginning */
};

/* n is at least 1. false: out of memory. */
bool rf_outliers_find(struct rf_outliers *out, const uint64_t *values, size_t n);

/* 0.6745 times the distance to the median, in MADs; where the MAD is 0, the distance in units of
 * 1.253314 times the mean distance. */
double rf_outliers_score(const struct rf_outliers *outliers, uint64_t value);

#endif
