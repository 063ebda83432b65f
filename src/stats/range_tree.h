/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges that caused GPU work, as a tree. */
#ifndef RF_STATS_RANGE_TREE_H
#define RF_STATS_RANGE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "model/sums/projected_sums.h"
#include "rangefinder/rangefinder.h"
#include "stats/table.h"

struct rf_range_node {
    uint32_t parent; /* index, or RF_NO_INDEX. What encloses a range with work has work too */
    uint32_t level;  /* 0: nothing encloses it; RF_NO_INDEX: not found yet */
    uint32_t n_children;
};

struct rf_range_tree {
    const rf_recording *rec;
    rf_projections *projections;
    const struct rf_projection *projection;
    size_t n;
    struct rf_range_node *node; /* per projection */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_range_tree_init(struct rf_range_tree *tree, const rf_recording *rec, bool by_process,
                       struct rf_err *err);
void rf_range_tree_release(struct rf_range_tree *tree);

/* The index of a range's projection, or RF_NO_INDEX. */
uint32_t rf_range_tree_find(const struct rf_range_tree *tree, uint32_t thread, uint32_t event);

const struct rf_event *rf_range_of(const rf_recording *rec, const struct rf_projection *projection);

/* Finds the levels of a node and of those around it. path: room for as many indices as nodes. */
void rf_range_node_find_level(struct rf_range_node *nodes, uint32_t i, uint32_t *path);

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

/* Adds notes: how much of the GPU work lies under ranges, and what was left out. */
void rf_add_coverage_notes(const rf_recording *rec, const rf_projections *projections,
                           struct rf_table *table);

#endif
