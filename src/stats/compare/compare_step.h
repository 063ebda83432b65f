/* SPDX-License-Identifier: Apache-2.0 */
/* Which name is the step. */
#ifndef RF_STATS_COMPARE_STEP_H
#define RF_STATS_COMPARE_STEP_H

#include "stats/compare/compare_data.h"

/* Finds the step: that of options->step, or the one with most time of the steps
 * that the summary has, or, where it has none, of the ranges that repeat in each run that has them.
 * RF_ERR_NOT_FOUND: options->step is not there. */
int rf_compare_find_step(struct rf_compare_step *step, rf_summary *summary,
                         const struct rf_compare_options *options, struct rf_err *err);

#endif
