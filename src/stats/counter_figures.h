/* SPDX-License-Identifier: Apache-2.0 */
/* What the samples of a counter add up to, as cells, and the counters of summaries. */
#ifndef RF_STATS_COUNTER_FIGURES_H
#define RF_STATS_COUNTER_FIGURES_H

#include <stdbool.h>

#include "model/sums/sample_sums.h"
#include "stats/table.h"
#include "summary/summary_data.h"

/* A number times a factor, in a cell of type VALUE: exact where both are whole. */
void rf_cell_set_number(struct rf_cell *cell, const struct rf_exact_number *number, double factor);

/* The last value of a sum that is settled; of differences their sum, infinite where that is too
 * large. There is a finite value. */
struct rf_exact_number rf_counter_last(const struct rf_sample_figures *figures,
                                       const struct rf_exact_sum *total, uint32_t value_type);

/* The mean of the finite values; NAN: there is none. */
double rf_counter_mean(const struct rf_sample_figures *figures, const struct rf_exact_sum *total);

/* Calls add() for each counter of a kind of an input, and says under the table what is not among
 * them. RF_OK or RF_ERR_NO_MEMORY. */
int rf_each_summary_counter(struct rf_table *table, const struct rf_summary *summary,
                            uint32_t input, enum rf_summary_counter_kind kind,
                            bool (*add)(struct rf_table *table, const struct rf_summary *summary,
                                        const struct rf_summary_counter *counter));

#endif
