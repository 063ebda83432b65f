/* SPDX-License-Identifier: Apache-2.0 */
/* What the summaries of calls and GPU work share: a row per name, with what its durations, or
 * sizes, amount to. */
#ifndef RF_STATS_REPORTS_NAME_SUM_H
#define RF_STATS_REPORTS_NAME_SUM_H

#include "stats/table.h"

enum rf_name_sum_parts {
    RF_SUM_CUDA_CALLS = 1,
    RF_SUM_OS_CALLS = 2,
    RF_SUM_KERNELS = 4,
    RF_SUM_MEMORY = 8, /* copies and sets */
};

/* Rows: share, total, number, average, median, least, most, deviation, and the name; before the
 * name the category, where the columns are ten. */
int rf_fill_name_sum(const rf_recording *rec, struct rf_table *table, const char *title,
                     const struct rf_column *columns, size_t n_columns, unsigned parts,
                     struct rf_err *err);

/* The same of the sizes of copies and sets: total, number, average, ..., name. */
int rf_fill_size_sum(const rf_recording *rec, struct rf_table *table, const char *title,
                     const struct rf_column *columns, size_t n_columns, struct rf_err *err);

/* The columns of what is summed over calls. */
#define RF_N_CALL_COLUMNS 9
extern const struct rf_column rf_call_columns[RF_N_CALL_COLUMNS];

#endif
