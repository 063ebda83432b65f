/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of each thread side by side: those of ranks that go through the same loop. */
#ifndef RF_STATS_STEP_LANES_H
#define RF_STATS_STEP_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "summary/steps.h"
#include "summary/summary_data.h"

#define RF_LANE_LABEL 96

struct rf_lane_instance {
    int64_t start_ns; /* by the clock of the lane */
    uint64_t duration_ns;
};

/* The steps of a thread. */
struct rf_step_lane {
    uint32_t loop; /* lanes whose steps have one name, numbers aside, have one loop */
    int64_t rank;  /* -1: unknown */
    const char *host;
    uint32_t pid, tid;
    struct rf_lane_instance *step;
    size_t n, room;
    char label[RF_LANE_LABEL]; /* "rank 3", or what tells it from the others of its loop */
};

struct rf_step_lanes {
    struct rf_step_lane *lane; /* by loop, then rank, host, pid and tid */
    size_t n, room;
    char **loop; /* names: "domain:step #" */
    size_t n_loops, loop_room;
};

/* The name of the steps of a lane: domain and message. */
struct rf_step_lane_name {
    const char *domain, *name;
    size_t domain_size, name_size;
};

/* Begins a lane, whose rank, host, pid and tid are given. NULL: out of memory. host must outlive
 * it. */
struct rf_step_lane *rf_step_lanes_add(struct rf_step_lanes *lanes, const struct rf_step_lane *lane,
                                       const struct rf_step_lane_name *name);

/* Adds the next step of a lane. false: out of memory. */
bool rf_step_lane_add(struct rf_step_lane *lane, int64_t start_ns, uint64_t duration_ns);

/* Puts the lanes in order and gives them labels. */
void rf_step_lanes_settle(struct rf_step_lanes *lanes);

void rf_step_lanes_release(struct rf_step_lanes *lanes);

#endif
