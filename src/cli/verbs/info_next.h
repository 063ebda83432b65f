/* SPDX-License-Identifier: Apache-2.0 */
/* What comes after `rangefinder info`. */
#ifndef RF_CLI_VERBS_INFO_NEXT_H
#define RF_CLI_VERBS_INFO_NEXT_H

#include "rangefinder/rangefinder.h"

struct rf_work_counts;

/* The verb: "stats", or "open" for a recording that has nothing to add up, such as one of marks
 * alone. */
const char *info_next_verb(const rf_recording *rec, const struct rf_work_counts *counts);

#endif
