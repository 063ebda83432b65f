/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of summaries: the same tables, with medians of histograms. */
#ifndef RF_STATS_SUMMARY_ROWS_H
#define RF_STATS_SUMMARY_ROWS_H

#include <stdbool.h>

#include "stats/report.h"
#include "summary/summary_data.h"

/* Whether a summary has what the report shows. */
bool rf_report_is_of_sums(const struct rf_report *report);

/* Adds the rows of an input to a table that rf_report_begin() made. RF_ERR_UNSUPPORTED where a
 * summary has not what the report shows. */
int rf_report_of_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                         struct rf_table *table, struct rf_err *err);

/* Computes a report of a recording by its compute_summary(). */
int rf_report_by_summary(const struct rf_report *report, const rf_recording *rec,
                         const struct rf_summary_options *options, struct rf_table *table,
                         struct rf_err *err);

/* Computes a report of a recording, which may be one of several ranks, by its compute_job(): the
 * compute() of such a report. */
int rf_report_job_of_recording(const struct rf_report *report, const rf_recording *rec,
                               struct rf_table *table, struct rf_err *err);

#endif
