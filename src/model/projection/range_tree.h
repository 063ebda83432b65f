/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges that caused GPU work, as a tree. */
#ifndef RF_MODEL_PROJECTION_RANGE_TREE_H
#define RF_MODEL_PROJECTION_RANGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

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

/* The same of projections that were found; they are the tree's. */
int rf_range_tree_of(struct rf_range_tree *tree, const rf_recording *rec,
                     rf_projections *projections);
void rf_range_tree_release(struct rf_range_tree *tree);

/* The index of a range's projection, or RF_NO_INDEX. */
uint32_t rf_range_tree_find(const struct rf_range_tree *tree, uint32_t thread, uint32_t event);

const struct rf_event *rf_range_of(const rf_recording *rec, const struct rf_projection *projection);

/* Finds the levels of a node and of those around it. path: room for as many indices as nodes. */
void rf_range_node_find_level(struct rf_range_node *nodes, uint32_t i, uint32_t *path);

/* How many ranges another thread ended, which projections leave out. */
uint64_t rf_count_ended_elsewhere(const rf_recording *rec);

#endif
