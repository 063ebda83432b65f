/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the tables that have the digits of exact sums: the number of what the sum is of,
 * digit, value. */
#ifndef RF_SUMMARY_FILE_DIGITS_H
#define RF_SUMMARY_FILE_DIGITS_H

#include "summary/digits.h"
#include "summary/file.h"

/* Writes those of one sum. number: of what it is of, from 1. */
void rf_file_write_digits(struct rf_summary_file *file, sqlite3_stmt *insert, size_t number,
                          const struct rf_summary_digits *all, const struct rf_digit_range *of);

/* Reads a row; they stand by number, then by digit, and those of a sum have one sign. of: the sum
 * of that number; NULL: there is none. */
void rf_file_read_digit(struct rf_summary_file *file, sqlite3_stmt *row,
                        struct rf_summary_digits *all, struct rf_digit_range *of);

/* Compares a sum, which is settled, with that of n numbers of which all but one are the same: -1, 0
 * or 1. */
int rf_exact_sum_compare(const struct rf_exact_sum *sum, const struct rf_exact_number *many,
                         const struct rf_exact_number *one, uint64_t n);

#endif
