/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the report `collectives`, of a recording or of a summary. */
#ifndef RF_STATS_COLLECTIVE_ROWS_H
#define RF_STATS_COLLECTIVE_ROWS_H

#include "model/collectives/collectives.h"
#include "stats/table.h"

/* Behind the columns of RF_SUMMARY_COLUMNS(). */
enum rf_collective_column {
    RF_COLLECTIVE_BYTES_SUM = RF_SUMMARY_N,
    RF_COLLECTIVE_BANDWIDTH,
    RF_COLLECTIVE_RANKS,
    RF_COLLECTIVE_COMPARED,
    RF_COLLECTIVE_MEAN_SPREAD,
    RF_COLLECTIVE_MAX_SPREAD,
    RF_COLLECTIVE_MEAN_WAIT,
    RF_COLLECTIVE_MEAN_TRANSFER,
    RF_COLLECTIVE_LAST_RANK,
    RF_COLLECTIVE_TIMES_LAST,
    RF_COLLECTIVE_KIND,
    RF_COLLECTIVE_COMMUNICATOR_ID,
    RF_COLLECTIVE_OPERATION,
    RF_COLLECTIVE_N_COLUMNS
};

/* Adds a row for each kind, operation and communicator, the one with most time first. Times are
 * below INT64_MAX apart; has_clock: they are of one clock, so that starts can be compared. item is
 * reordered. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_collective_rows_add(struct rf_table *table, struct rf_collective *item, size_t n,
                           bool has_clock);

#endif
