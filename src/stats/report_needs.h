/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a recording has what a report is made of. The public header declares
 * rf_report_is_default(), rf_report_open_flags() and rf_report_missing(). */
#ifndef RF_STATS_REPORT_NEEDS_H
#define RF_STATS_REPORT_NEEDS_H

#include "stats/report.h"

bool rf_report_has_data(const rf_recording *rec, const struct rf_report *report);

#endif
