/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of quantiles that reports have beside the median. While a report is computed they
 * stand behind all others, so that its own columns keep their places; then they are moved to where
 * they belong. */
#ifndef RF_STATS_QUANTILE_COLUMNS_H
#define RF_STATS_QUANTILE_COLUMNS_H

#include "stats/group_by.h"
#include "stats/report.h"
#include "stats/table.h"

/* Adds the columns of a report to own_columns of a table, for which there is room. false: out of
 * memory. */
bool rf_quantile_columns_add(struct rf_table *table, const struct rf_report *report);

/* Moves columns and cells. Once, after the report is computed. false: out of memory. */
bool rf_quantile_columns_place(struct rf_table *table, const struct rf_report *report);

/* Sets the cells of place i of the report from a measured group; None where it has no values. */
void rf_row_set_quantiles(const struct rf_table *table, struct rf_cell *row, size_t place,
                          const struct rf_group *group);

/* The cell of quantile q of place i. */
struct rf_cell *rf_row_quantile(const struct rf_table *table, struct rf_cell *row, size_t place,
                                size_t q);

#endif
