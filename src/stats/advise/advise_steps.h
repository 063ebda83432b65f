/* SPDX-License-Identifier: Apache-2.0 */
/* The rule about slow instances of what repeats: `rangefinder why` of the ranges that are the
 * program's steps. */
#ifndef RF_STATS_ADVISE_STEPS_H
#define RF_STATS_ADVISE_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/why.h"
#include "stats/advise/findings.h"
#include "summary/steps.h"

extern const struct rf_advice_rule rf_advice_slow_rule;

struct rf_asked_range {
    char *text;  /* MESSAGE@DOMAIN, with # for each number: what is known twice is asked once */
    char *range; /* MESSAGE@DOMAIN of the first one */
    rf_why *why;
    uint64_t total_ns; /* of the steps */
    uint64_t n_inputs;
};

struct rf_asked {
    struct rf_asked_range *range;
    size_t n, room;
    size_t n_instances;
    size_t max_instances; /* recordings behind so many are left out; 0: none are */
    size_t n_left_out;
};

void rf_asked_release(struct rf_asked *asked);

/* Asks of the steps with most time, up to three names of a recording. steps: with folds_numbers.
 * Returns RF_OK or an error of rf_why_add(). */
int rf_asked_add(struct rf_asked *asked, const rf_recording *rec, const struct rf_steps *steps,
                 const char *path, struct rf_err *err);

/* Makes findings of the explanations. */
int rf_asked_answer(struct rf_asked *asked, struct rf_findings *findings,
                    struct rf_text_sink *words, struct rf_err *err);

#endif
