/* SPDX-License-Identifier: Apache-2.0 */
/* Computing a report. The public header declares rf_report(), rf_report_is_default() and
 * rf_report_open_flags(). */
#ifndef RF_STATS_STATS_H
#define RF_STATS_STATS_H

#include "stats/table.h"

/* Computes a report into a zeroed table, which is to be released even if this fails. */
int rf_report_compute(const rf_recording *rec, const char *name, struct rf_table *table,
                      struct rf_err *err);

#endif
