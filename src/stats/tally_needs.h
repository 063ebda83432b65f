/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a summary has the tallies that a report shows. */
#ifndef RF_STATS_TALLY_NEEDS_H
#define RF_STATS_TALLY_NEEDS_H

#include "stats/report.h"

/* RF_OK; RF_ERR_UNSUPPORTED, and why: they were not looked for in any recording of the input,
 * though there may be something for the report. */
int rf_check_tallies(const struct rf_report *report, const struct rf_summary *summary,
                     uint32_t input, struct rf_err *err);

#endif
