/* SPDX-License-Identifier: Apache-2.0 */
/* Values, and how often each was met: all that figures of a set need, quantiles too, in memory that
 * grows with the different values alone. Of times there are few: k different ones are k * k / 2
 * long or longer together. */
#ifndef RF_MODEL_SUMS_VALUE_COUNTS_H
#define RF_MODEL_SUMS_VALUE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_value_count {
    uint64_t value, n; /* n is 0: a free place */
};

/* All zero: empty. */
struct rf_value_counts {
    struct rf_value_count *place;
    size_t n, room;    /* different values; room is 0 or a power of two */
    uint64_t n_values; /* in all */
    uint64_t seed;     /* values come from files: nobody can write some that all collide */
};

/* Adds a value n times, n > 0. false: out of memory. */
bool rf_value_counts_add(struct rf_value_counts *counts, uint64_t value, uint64_t n);

/* Adds all values of others. false: out of memory. */
bool rf_value_counts_merge(struct rf_value_counts *to, const struct rf_value_counts *from);

/* Sorts them: place[0 .. n-1] by value. Nothing can be added any more. */
void rf_value_counts_sort(struct rf_value_counts *counts);

/* The value of rank k, from 0 and below n_values, of those that were sorted. */
uint64_t rf_value_counts_rank(const struct rf_value_counts *counts, uint64_t k);

/* Frees all. */
void rf_value_counts_release(struct rf_value_counts *counts);

#endif
