/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of ranges as a tree. */
#ifndef RF_STATS_RANGE_TREE_CELLS_H
#define RF_STATS_RANGE_TREE_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "model/projection/range_tree.h"
#include "model/sums/projected_sums.h"
#include "rangefinder/rangefinder.h"
#include "stats/table.h"

/* A stack lists at most so many ranges, the innermost: the lists of a deep recursion would
 * otherwise grow with the square of its depth. */
#define RF_MAX_STACK 256

/* Sets a cell to ":1:2:3", the ids of the ranges around a node and its own, the outermost first.
 * false: out of memory. */
bool rf_cell_set_stack(struct rf_cell *cell, const struct rf_range_node *nodes, const uint64_t *ids,
                       uint32_t i);

/* Of a recording that has sums alone of the work of ranges: adds the notes on coverage and on the
 * ranges that were left out; fails where the table is to have what they do not know. */
int rf_range_sums_begin(struct rf_table *table, const struct rf_projected_sums *sums,
                        const struct rf_coverage *coverage, struct rf_err *err);

/* Add a note: how much of the GPU work lies under ranges; how many ranges ended elsewhere. */
void rf_add_coverage_note(struct rf_table *table, const struct rf_coverage *coverage);
void rf_add_left_out_note(struct rf_table *table, uint64_t n);

/* Adds notes: how much of the GPU work lies under ranges, and what was left out. */
void rf_add_coverage_notes(const rf_recording *rec, const rf_projections *projections,
                           struct rf_table *table);

#endif
