/* SPDX-License-Identifier: Apache-2.0 */
/* The tallies of a recording, which reports add to its summary. */
#ifndef RF_STATS_REPORT_TALLIES_H
#define RF_STATS_REPORT_TALLIES_H

struct rf_collecting;

/* Adds those of all reports. */
void rf_reports_collect(struct rf_collecting *c);

#endif
