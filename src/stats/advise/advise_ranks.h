/* SPDX-License-Identifier: Apache-2.0 */
/* The rule about the rank of a job that the others wait for. */
#ifndef RF_STATS_ADVISE_RANKS_H
#define RF_STATS_ADVISE_RANKS_H

#include "rangefinder/summary.h"
#include "stats/advise/findings.h"

extern const struct rf_advice_rule rf_advice_straggler_rule;

/* Adds the collectives of a recording to *job, which is made if need be, if it has a rank. RF_OK or
 * an error of rf_summary_collect(). */
int rf_advice_add_rank(rf_summary **job, const rf_recording *rec, const char *path,
                       struct rf_err *err);

/* Makes findings of the ranks. job may be NULL. */
int rf_advice_compare_ranks(const rf_summary *job, struct rf_findings *findings,
                            struct rf_text_sink *words);

#endif
