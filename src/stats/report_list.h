/* SPDX-License-Identifier: Apache-2.0 */
/* The list of reports. The public header declares rf_report_at() and rf_report_find(). */
#ifndef RF_STATS_REPORT_LIST_H
#define RF_STATS_REPORT_LIST_H

#include "stats/report.h"

/* NULL past the last. */
const struct rf_report *rf_report_list_at(size_t i);

/* The report of a name that rf_report_find() knows; NULL: none. */
const struct rf_report *rf_report_list_find(const char *name);

/* Whether a request, whose arguments follow behind a colon, names a report so; underscores are
 * ignored. */
bool rf_is_same_report_name(const char *request, const char *name);

#endif
