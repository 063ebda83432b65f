/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of numbers without any rounding: every finite double and every integer of 64 bits, as often
 * as 63 bits count. The same numbers give the same digits in whatever order they are added. */
#ifndef RF_MODEL_SUMS_EXACT_SUM_H
#define RF_MODEL_SUMS_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

#define RF_EXACT_BITS   32
#define RF_EXACT_DIGITS 70
#define RF_EXACT_POINT  34 /* the digit of 1; those before it are of 2^-32, 2^-64, ... */

/* A number, exactly. Zero has no sign. */
struct rf_exact_number {
    double real;    /* the nearest one where it is whole; finite */
    __int128 whole; /* of a 64-bit type */
    bool is_whole;  /* it was given as an integer */
};

/* The sum of digit[i] * 2^(32 * (i - RF_EXACT_POINT)). All zero: 0. */
struct rf_exact_sum {
    int64_t digit[RF_EXACT_DIGITS];
    uint32_t n_added; /* since the digits were settled */
};

struct rf_exact_number rf_exact_of_whole(__int128 whole);
struct rf_exact_number rf_exact_of_real(double finite);

/* Orders by value; of equal ones those that were given as integers come first. */
int rf_exact_compare(const struct rf_exact_number *a, const struct rf_exact_number *b);

/* Adds a number n times, or takes it away; n is below 2^63. */
void rf_exact_add(struct rf_exact_sum *sum, const struct rf_exact_number *number, uint64_t n);
void rf_exact_subtract(struct rf_exact_sum *sum, const struct rf_exact_number *number, uint64_t n);

/* Adds a digit of another sum, which is settled. */
void rf_exact_add_digit(struct rf_exact_sum *sum, unsigned i, int64_t digit);

/* Gives all digits the sign of the sum, each below 2^32 in size: this is the one form of a value.
 */
void rf_exact_settle(struct rf_exact_sum *sum);

/* Of a settled sum. The sign is -1, 0 or 1; sum / n rounded, which may be infinite for n = 1 alone;
 * sum / weight likewise, of any weight above 0; whether it is a whole number that fits. */
int rf_exact_sign(const struct rf_exact_sum *sum);
double rf_exact_mean(const struct rf_exact_sum *sum, uint64_t n);
double rf_exact_weighed_mean(const struct rf_exact_sum *sum, double weight);
bool rf_exact_whole(const struct rf_exact_sum *sum, __int128 *whole);

#endif
