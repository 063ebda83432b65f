/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of a summary's input as a tree: a node for each path of names, below that of the range
 * around it. */
#ifndef RF_SUMMARY_PATH_TREE_H
#define RF_SUMMARY_PATH_TREE_H

#include "summary/summary_data.h"

struct rf_path_node {
    uint32_t path;             /* of the summary */
    uint32_t parent;           /* node; RF_NO_INDEX: none */
    uint32_t level, number;    /* in the order, from 1; 0: it has no ranges */
    struct rf_summary_row row; /* push/pop and start/end ranges */
    uint64_t gpu;              /* of it and all below */
};

struct rf_path_tree {
    const rf_summary *summary;
    struct rf_path_node *node; /* by path */
    uint32_t *order; /* nodes with ranges: each before what is inside it, the longest first */
    uint32_t n;      /* of these */
    double all;      /* total of level 0 */
};

/* Returns RF_OK, RF_ERR_NO_MEMORY or RF_ERR_UNSUPPORTED (a sum is too large); to be released either
 * way. */
int rf_path_tree_init(struct rf_path_tree *tree, const rf_summary *summary, uint32_t input);
void rf_path_tree_release(struct rf_path_tree *tree);

#endif
