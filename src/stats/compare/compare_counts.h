/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on counts. */
#ifndef RF_STATS_COMPARE_COUNTS_H
#define RF_STATS_COMPARE_COUNTS_H

#include "stats/compare/compare_judge.h"

/* Adds counts to a judgement. RF_OK or RF_ERR_NO_MEMORY. */
int rf_compare_judge_counts(struct rf_compare_judgement *judgement,
                            const struct rf_compare_judging *from);

#endif
