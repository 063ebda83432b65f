/* SPDX-License-Identifier: Apache-2.0 */
/* What values add up to. */
#ifndef RF_SUMMARY_ROW_DATA_H
#define RF_SUMMARY_ROW_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "summary/histogram.h"

/* Where the smallest or largest value is: of several the first, by time, then rank, process,
 * thread. */
struct rf_summary_place {
    uint64_t value;
    int64_t start_utc_ns;
    int64_t rank; /* of the process; -1: unknown */
    uint32_t pid, tid;
};

struct rf_summary_row {
    uint32_t input, path, kind;
    uint64_t n, total;         /* below 2^63, so that every engine adds them up */
    unsigned __int128 squares; /* below 2^(63 + RF_SQUARES_LOW) */
    struct rf_summary_place min, max;
    struct rf_histogram histogram;
    uint64_t self;       /* of ranges: what no range inside them covers; below 2^63 like all sums */
    uint64_t gpu, n_gpu; /* time and number of the GPU work that they are the innermost around */
};

#define RF_SQUARES_LOW 48 /* bits of the lower of two integers that hold a sum of squares */

/* Adds a value; RF_OK, RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where a sum is too large. */
int rf_summary_row_add(struct rf_summary_row *row, const struct rf_summary_place *value);

/* Adds a value n times, which begins nowhere; likewise. */
int rf_summary_row_add_times(struct rf_summary_row *row, uint64_t value, uint64_t n);

/* Whether there are values with these sums. n is above 0. */
bool rf_summary_row_is_possible(const struct rf_summary_row *row);

/* Whether the buckets hold as many values as it has, between its smallest and largest. */
bool rf_summary_row_has_buckets(const struct rf_summary_row *row);

/* Adds to the self time, or GPU work; likewise. */
int rf_summary_row_add_self(struct rf_summary_row *row, uint64_t self);
int rf_summary_row_add_gpu(struct rf_summary_row *row, uint64_t n, uint64_t total);

/* Adds what another row says; likewise. */
int rf_summary_row_merge(struct rf_summary_row *row, const struct rf_summary_row *from);

#endif
