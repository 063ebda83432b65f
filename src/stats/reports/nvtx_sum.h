/* SPDX-License-Identifier: Apache-2.0 */
/* What the summaries of ranges share; in report_nvtx_sum.c. */
#ifndef RF_STATS_REPORTS_NVTX_SUM_H
#define RF_STATS_REPORTS_NVTX_SUM_H

#include "stats/table.h"

/* kind: RF_EVENT_PUSH_POP or RF_EVENT_START_END, and there is no column for it; 0: both. */
int rf_fill_nvtx_sum(const rf_recording *rec, struct rf_table *table, const char *title, int kind,
                     struct rf_err *err);

#endif
