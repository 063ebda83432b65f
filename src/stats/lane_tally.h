/* SPDX-License-Identifier: Apache-2.0 */
/* In which range, and in which call, a thread was most of a time. */
#ifndef RF_STATS_LANE_TALLY_H
#define RF_STATS_LANE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "stats/thread_lanes.h"
#include "summary/range_keys.h"

/* The time of one name in the time that is looked at. */
struct rf_lane_sum {
    uint64_t ns;
    uint64_t number; /* of the time that it is of; 0: none */
};

struct rf_thread_lanes {
    struct rf_lane ranges, calls;
    bool is_listed;
};

struct rf_lane_tally {
    const rf_recording *rec;
    struct rf_thread_lanes *of_thread; /* per thread, listed when they are asked for */
    struct rf_range_keys keys;
    struct rf_lane_sum *of_key; /* per key */
    size_t n_keys_room;
    struct rf_lane_sum *of_function; /* per string */
    uint64_t number;
    uint64_t n_visits; /* pieces that may still be looked at */
};

/* Names with the most time; of several with as much that whose time was complete first. */
struct rf_lane_most {
    uint32_t domain, message; /* of ranges; domain RF_NO_INDEX: no range */
    uint64_t range_ns;
    uint32_t function; /* string; RF_NO_STRING: no call */
    uint64_t call_ns;
    bool is_cut; /* too many times overlap too much: it was not looked at */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_lane_tally_init(struct rf_lane_tally *tally, const rf_recording *rec);
void rf_lane_tally_release(struct rf_lane_tally *tally);

/* What a thread did from start to end. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_lane_tally_find(struct rf_lane_tally *tally, uint32_t thread, int64_t start_ns,
                       int64_t end_ns, struct rf_lane_most *most);

#endif
