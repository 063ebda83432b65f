/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread did at each moment: the innermost range, and the outermost call. */
#ifndef RF_STATS_THREAD_LANES_H
#define RF_STATS_THREAD_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* A time in which nothing changes. */
struct rf_lane_piece {
    int64_t start_ns, end_ns;
    uint32_t index; /* of an event or a call of the thread */
};

/* Pieces that do not overlap, by start. A zeroed lane has none. */
struct rf_lane {
    struct rf_lane_piece *piece;
    size_t n, room;
};

/* Lists the innermost ranges of a thread: of those that are open the one that began last. Ranges
 * that ended on another thread are left out. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_lane_list_ranges(struct rf_lane *lane, const rf_recording *rec, uint32_t thread);

/* Lists the calls that are inside no other; of those that overlap, the time behind the earlier.
 * Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_lane_list_calls(struct rf_lane *lane, const rf_recording *rec, uint32_t thread);

void rf_lane_release(struct rf_lane *lane);

/* The first piece that ends after a time, or the number of pieces. */
size_t rf_lane_find(const struct rf_lane *lane, int64_t ns);

#endif
