/* SPDX-License-Identifier: Apache-2.0 */
/* Which inputs are one run. */
#ifndef RF_STATS_COMPARE_RUNS_H
#define RF_STATS_COMPARE_RUNS_H

#include "stats/compare/compare_data.h"

/* Fills an empty list. side: by input. RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_compare_runs_make(struct rf_compare_runs *runs, const rf_summary *summary,
                         const uint8_t *side);
void rf_compare_runs_release(struct rf_compare_runs *runs);

#endif
