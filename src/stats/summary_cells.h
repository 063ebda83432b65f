/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of a summary say, in cells of reports. */
#ifndef RF_STATS_SUMMARY_CELLS_H
#define RF_STATS_SUMMARY_CELLS_H

#include "stats/durations.h"
#include "stats/report.h"
#include "summary/summary_data.h"

/* The figures of a row that has values; the median is of its histogram. */
struct rf_durations rf_summary_measure(const struct rf_summary_row *row);

/* Sets a cell to "domain:name", as rf_cell_set_range() has it, behind `indent` spaces; to the name
 * alone of what has no domain. false: out of memory. */
bool rf_cell_set_path(struct rf_cell *cell, const rf_summary *summary,
                      const struct rf_summary_path *path, size_t indent);

/* Fills the quantiles that were asked for, of the histogram. place: of rf_report.quantile_place. */
void rf_row_set_summary_quantiles(const struct rf_table *table, struct rf_cell *row, size_t place,
                                  const struct rf_summary_row *from);

/* Of an input that several recordings were added up to: a step's row says whose it is. false: out
 * of memory. */
bool rf_table_set_step_origin(struct rf_table *table, const rf_summary *summary,
                              const struct rf_summary_step *step);

/* When it began, by the clock of its input. */
int64_t rf_summary_step_start(const rf_summary *summary, const struct rf_summary_step *step);

/* The columns of a report become the table's own, to be changed. false: out of memory. */
bool rf_table_own_columns(struct rf_table *table, const struct rf_report *report);

/* Adds notes: what is about right only, and what is missing. */
void rf_add_summary_notes(const struct rf_report *report, struct rf_table *table,
                          const struct rf_summary_input *input, bool may_be_coarse);

#endif
