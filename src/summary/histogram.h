/* SPDX-License-Identifier: Apache-2.0 */
/* How often values lie in each bucket of range_sums.h, for a few buckets of many. */
#ifndef RF_SUMMARY_HISTOGRAM_H
#define RF_SUMMARY_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_bucket {
    uint32_t bucket; /* of rf_bucket_of() */
    uint64_t n;
};

/* All zero: empty. */
struct rf_histogram {
    struct rf_bucket *bucket; /* by number */
    size_t n, room;
};

/* Adds n values of a bucket. RF_OK, RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where the number is too
 * large. */
int rf_histogram_add(struct rf_histogram *histogram, uint32_t bucket, uint64_t n);

/* Adds what another histogram has; likewise. */
int rf_histogram_merge(struct rf_histogram *histogram, const struct rf_histogram *from);

/* Makes 2^bits buckets one, in their middle, where they have more than one value each. The first
 * and the last bucket stay. */
void rf_histogram_coarsen(struct rf_histogram *histogram, unsigned bits);

/* The value of rank k, from 0: the middle of its bucket. */
uint64_t rf_histogram_rank(const struct rf_histogram *histogram, uint64_t k);

void rf_histogram_release(struct rf_histogram *histogram);

#endif
