/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about a recording's GPUs, its calls and its own completeness. */
#ifndef RF_STATS_ADVISE_WORK_H
#define RF_STATS_ADVISE_WORK_H

#include "stats/advise/findings.h"
#include "summary/steps.h"

/* By number; NULL past the last. */
const struct rf_advice_rule *rf_advice_work_rule(size_t i);

/* Applies them. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_advice_add_work(struct rf_findings *findings, const rf_recording *rec,
                       const struct rf_steps *steps);

#endif
