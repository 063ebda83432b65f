/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for a caller that knows the steps. */
#ifndef RF_STATS_ADVISE_ADVISE_H
#define RF_STATS_ADVISE_ADVISE_H

#include "rangefinder/advise.h"
#include "summary/steps.h"

/* rf_advice_add(). steps: of the recording, with folds_numbers. */
int rf_advice_add_steps(rf_advice *advice, const rf_recording *rec, const char *path,
                        const struct rf_steps *steps, struct rf_err *err);

#endif
