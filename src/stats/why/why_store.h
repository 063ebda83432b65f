/* SPDX-License-Identifier: Apache-2.0 */
/* The instances of a range in all recordings, and the parts of each. */
#ifndef RF_STATS_WHY_STORE_H
#define RF_STATS_WHY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "stats/why/why_tree.h"

/* What a node of the tree has in an instance. Of nodes that take time of it ns is what no node
 * below them has. */
struct rf_why_share {
    uint32_t node, count;
    uint64_t ns;
};

struct rf_why_one {
    int64_t start_ns;
    uint64_t duration_ns;
    uint64_t index; /* among the ranges of its name and domain, by start */
    uint32_t name;  /* of rf_why_store.name */
    uint32_t input;
    uint32_t pid, tid;
    size_t first_share;
    uint32_t n_shares;
};

struct rf_why_store {
    struct rf_why_tree tree;
    struct rf_why_one *one;
    size_t n, room;
    struct rf_why_share *share;
    size_t n_shares, shares_room;
    char **name; /* "MESSAGE@DOMAIN" */
    size_t n_names, names_room;
    char **input; /* paths */
    size_t n_inputs, inputs_room;
    uint64_t n_left_out; /* instances whose end was not recorded, or that overlap too many others */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_why_store_init(struct rf_why_store *store);
void rf_why_store_release(struct rf_why_store *store);

/* Adds the instances of a recording. RF_ERR_NOT_FOUND: it has no such range. */
int rf_why_store_add(struct rf_why_store *store, const rf_recording *rec, const char *range,
                     const char *path, struct rf_err *err);

#endif
