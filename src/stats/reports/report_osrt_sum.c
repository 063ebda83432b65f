/* SPDX-License-Identifier: Apache-2.0 */
/* osrt_sum: the time in functions of the operating system's libraries. Columns are those of Nsight
 * Systems. */
#include "stats/reports/name_sum.h"
#include "stats/stats.h"

static int fill(const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    return rf_fill_name_sum(rec, table, "OS Runtime Summary", rf_call_columns, RF_N_CALL_COLUMNS,
                            RF_SUM_OS_CALLS, err);
}

const struct rf_report rf_report_osrt_sum = {
    .name = "osrt_sum",
    .alias = "osrtsum",
    .description = "the time in calls of the operating system's libraries, by function",
    .shown = RF_REPORT_OF_OS_CALLS,
    .fill = fill,
};
