/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that instances of a range have, as a tree over all recordings: each is known by its
 * parent, its kind and its text. */
#ifndef RF_STATS_WHY_TREE_H
#define RF_STATS_WHY_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum rf_why_node_kind {
    RF_WHY_NODE_RANGE,
    RF_WHY_NODE_CALL,
    RF_WHY_NODE_GAPS,   /* of the instance: what is around its children */
    RF_WHY_NODE_GAP,    /* the one before the child of this text; "": after the last */
    RF_WHY_NODE_WORK,   /* GPU work: below RF_WHY_WORK */
    RF_WHY_NODE_THREAD, /* another thread: below RF_WHY_MEANWHILE */
    RF_WHY_NODE_OTHER,  /* a range of it */
    RF_WHY_NODE_KINDS
};

#define RF_WHY_ROOT      0u /* the instance; RANGE */
#define RF_WHY_GAPS_NODE 1u
#define RF_WHY_WORK      2u /* the parent of GPU work; takes no time of the instance */
#define RF_WHY_MEANWHILE 3u /* the parent of other threads; likewise */

struct rf_why_node {
    uint32_t parent; /* lower than the node's own index; RF_NO_INDEX: of those above */
    uint32_t kind;   /* enum rf_why_node_kind */
    char *text;
};

struct rf_why_tree {
    struct rf_why_node *node;
    size_t n, room;
    struct rf_map of_text; /* (hash of the text and attempt, parent and kind) to node */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_why_tree_init(struct rf_why_tree *tree);
void rf_why_tree_release(struct rf_why_tree *tree);

/* Adds the node if there is none. text has no NUL in its size bytes. RF_NO_INDEX: out of memory. */
uint32_t rf_why_tree_find(struct rf_why_tree *tree, uint32_t parent, uint32_t kind,
                          const char *text, size_t size);

/* The names of ranges from below the instance to this one, as "load > read"; of others than ranges
 * those around them. The caller frees it; NULL: out of memory. */
char *rf_why_tree_path(const struct rf_why_tree *tree, uint32_t node);

#endif
