/* SPDX-License-Identifier: Apache-2.0 */
/* The exact sums of a summary: of each those digits that are not 0, behind those of others. */
#ifndef RF_SUMMARY_DIGITS_H
#define RF_SUMMARY_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#include "model/sums/exact_sum.h"

/* A digit of struct rf_exact_sum that is not 0. */
struct rf_summary_digit {
    uint32_t place;
    int64_t value;
};

/* All zero: none. */
struct rf_summary_digits {
    struct rf_summary_digit *digit;
    size_t n, room;
};

/* Those of one sum. All zero: the sum is 0. */
struct rf_digit_range {
    size_t first, n;
};

/* Adds a digit behind all others, to the sum that was added to last, or to one without digits.
 * RF_OK or RF_ERR_NO_MEMORY, likewise below. */
int rf_digits_add(struct rf_summary_digits *all, struct rf_digit_range *of, unsigned place,
                  int64_t value);

/* Makes *of the digits of a settled sum. */
int rf_digits_add_sum(struct rf_summary_digits *all, struct rf_digit_range *of,
                      const struct rf_exact_sum *sum);

/* Makes *of a copy of digits of another summary. */
int rf_digits_copy(struct rf_summary_digits *all, struct rf_digit_range *of,
                   const struct rf_summary_digits *from, const struct rf_digit_range *from_of);

/* Adds digits to a sum, which is not settled then. */
void rf_digits_sum(const struct rf_summary_digits *all, const struct rf_digit_range *of,
                   struct rf_exact_sum *sum);

#endif
