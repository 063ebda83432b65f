/* SPDX-License-Identifier: Apache-2.0 */
/* The anchors of a recording: operations in which everybody waits for the last one. */
#ifndef RF_MODEL_CLOCKS_ANCHORS_H
#define RF_MODEL_CLOCKS_ANCHORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/clocks.h"

struct rf_anchors {
    struct rf_anchor *item;
    size_t n, room;
};

/* What tells an operation from all others, as recordings and summaries know it. */
struct rf_anchor_name {
    uint32_t kind; /* enum rf_collective_kind */
    const char *operation;
    size_t operation_size;
    bool has_communicator;
    uint64_t communicator;
    uint64_t number; /* among those of its thread or stream */
    uint32_t lane;   /* which stream of the process that has such kernels, from 0; otherwise 0 */
};

/* Whether everybody waits in it for the last one: in an all-reduce or a barrier, not in a
 * broadcast; and not in a range that only puts an operation into a stream. */
bool rf_is_anchor(uint32_t kind, const char *operation, size_t size);

/* struct rf_anchor's key. */
uint64_t rf_anchor_key(const struct rf_anchor_name *name);

/* Finds them; range: as rf_align_add_recording(). A recording whose ranges were summed up has
 * those of its kernels alone. Release the result either way. */
int rf_anchors_find(const rf_recording *rec, const char *range, struct rf_anchors *found,
                    struct rf_err *err);
void rf_anchors_release(struct rf_anchors *found);

#endif
