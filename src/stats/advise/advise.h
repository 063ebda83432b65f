/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for a caller that knows the steps. */
#ifndef RF_STATS_ADVISE_ADVISE_H
#define RF_STATS_ADVISE_ADVISE_H

#include "rangefinder/advise.h"
#include "rangefinder/summary.h"
#include "summary/steps.h"

/* rf_advice_add(). steps: of the recording, with folds_numbers. */
int rf_advice_add_steps(rf_advice *advice, const rf_recording *rec, const char *path,
                        const struct rf_steps *steps, struct rf_err *err);

/* The ranks to compare, which outlive rf_advice_find(): for callers of rf_advice_add_steps(). */
void rf_advice_set_job(rf_advice *advice, const rf_summary *job);

/* Recordings behind so many steps are not asked why steps are slow: memory holds all instances. */
void rf_advice_set_limit(rf_advice *advice, size_t n_instances);
size_t rf_advice_n_left_out(const rf_advice *advice);

#endif
