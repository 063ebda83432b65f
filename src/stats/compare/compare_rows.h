/* SPDX-License-Identifier: Apache-2.0 */
/* What each run has of each item. */
#ifndef RF_STATS_COMPARE_ROWS_H
#define RF_STATS_COMPARE_ROWS_H

#include "stats/compare/compare_data.h"

/* Fills an empty list. Returns RF_OK, RF_ERR_NO_MEMORY, or RF_ERR_UNSUPPORTED where a sum is too
 * large; to be released either way. */
int rf_compare_rows_make(struct rf_compare_rows *rows, const rf_summary *summary,
                         const struct rf_compare_items *items, const struct rf_compare_runs *runs);
void rf_compare_rows_release(struct rf_compare_rows *rows);

/* The median of what a row has added up: exact for up to four values, otherwise as exact as its
 * histogram. */
double rf_compare_median(const struct rf_summary_row *row);

/* The time of what a row has added up in a typical one of the ranges around it, of which there are
 * n_around; 0 where less than half of them have one. */
double rf_compare_typical_time(const struct rf_summary_row *row, uint64_t n_around);

#endif
