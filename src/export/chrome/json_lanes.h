/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes for viewers of Chrome traces. There the ranges of one tid must nest: so every lane of a
 * thread but the first has a tid that no kernel gives. */
#ifndef RF_EXPORT_CHROME_JSON_LANES_H
#define RF_EXPORT_CHROME_JSON_LANES_H

#include "rangefinder/rangefinder.h"

/* Ranges cross where domains do, and programs have a handful of them: what crosses more is not
 * worth more lanes, nor the search through them. */
#define RF_MAX_LANES 64

/* The ends of the ranges that are open in a lane, the innermost last. */
struct rf_lane {
    int64_t *ends;
    size_t n;
    size_t capacity;
    uint32_t tid;        /* 0: not given yet */
    uint32_t place_size; /* of place: what every event of the lane has, as it is written */
    char place[48];
};

struct rf_lanes {
    struct rf_lane lanes[RF_MAX_LANES]; /* of the thread that is being written */
    int n_lanes;
};

/* Begins a thread: it has one lane, which is empty. All of *lanes is zero at first. */
void rf_lanes_begin_thread(struct rf_lanes *lanes);

/* The first lane in which the range nests. Ranges come by start, enclosing before enclosed.
 * Returns the lane's number, RF_MAX_LANES where it nests in none, or a negative error. */
int rf_lanes_place(struct rf_lanes *lanes, int64_t start_ns, int64_t end_ns, struct rf_err *err);

void rf_lanes_release(struct rf_lanes *lanes);

#endif
