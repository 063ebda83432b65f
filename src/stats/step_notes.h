/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the steps of a thread, below their table. */
#ifndef RF_STATS_STEP_NOTES_H
#define RF_STATS_STEP_NOTES_H

#include "rangefinder/summary.h"
#include "stats/outliers.h"
#include "stats/table.h"

struct rf_step_series {
    const struct rf_cell *name; /* of the range */
    uint64_t pid, tid;
    const uint64_t *duration_ns; /* of the steps, in their order, from number first on */
    uint64_t first;
    size_t n;
    const struct rf_outliers *outliers;
};

/* Adds the median, which steps stand out, and on a terminal a line with a character for each. */
void rf_add_step_notes(struct rf_table *table, const struct rf_step_series *series);

/* Says why another step cannot be chosen: RF_ERR_UNSUPPORTED. */
int rf_refuse_step_of_summary(struct rf_err *err);

/* Adds that later steps were left out. what: what that means, behind a comma, or "". */
void rf_add_later_steps_note(struct rf_table *table, const struct rf_summary_input *input,
                             const char *what);

/* Adds which steps of an input a summary does not have. */
void rf_add_missing_steps_notes(struct rf_table *table, const struct rf_summary_input *input);

#endif
