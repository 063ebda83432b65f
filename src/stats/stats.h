/* SPDX-License-Identifier: Apache-2.0 */
/* Computing a report. The public header declares rf_report(), rf_report_is_default() and
 * rf_report_open_flags(). */
#ifndef RF_STATS_STATS_H
#define RF_STATS_STATS_H

#include "stats/report.h"
#include "stats/table.h"

/* Computes a report into a zeroed table, which is to be released even if this fails. */
int rf_report_compute(const rf_recording *rec, const char *name, struct rf_table *table,
                      struct rf_err *err);

/* Gives a zeroed table, in which group_by may be set, the columns of a report. */
int rf_report_begin(const struct rf_report *report, struct rf_table *table, struct rf_err *err);

/* Whether there is such a report and such a format. */
int rf_report_check(const struct rf_report_options *options, struct rf_err *err);

/* Writes a table to where the options say, with the rows that they leave. */
int rf_report_write(struct rf_table *table, const struct rf_report_options *options,
                    struct rf_err *err);

#endif
