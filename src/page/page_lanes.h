/* SPDX-License-Identifier: Apache-2.0 */
/* How busy threads and GPUs were over time. */
#ifndef RF_PAGE_PAGE_LANES_H
#define RF_PAGE_PAGE_LANES_H

#include <stdbool.h>

#include "base/sink.h"
#include "rangefinder/rangefinder.h"

#define RF_PAGE_BINS 240

struct rf_page_lane {
    char label[160]; /* printable */
    bool is_gpu;
    uint64_t busy_ns;
    uint64_t bin_ns[RF_PAGE_BINS]; /* of each part of the time */
};

struct rf_page_lanes {
    int64_t start_ns, end_ns;  /* of the recording's first and last event, call or work */
    struct rf_page_lane *lane; /* GPUs, then threads, the busiest first */
    size_t n, room;
    size_t n_left_out; /* more threads */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_page_lanes_init(struct rf_page_lanes *lanes, const rf_recording *rec);
void rf_page_lanes_release(struct rf_page_lanes *lanes);

/* Writes the section of the page. */
void rf_page_lanes_put(const struct rf_page_lanes *lanes, struct rf_sink *sink);

#endif
