/* SPDX-License-Identifier: Apache-2.0 */
/* Timestamps that a program took itself, in the recording's nanoseconds. */
#ifndef RF_MODEL_NVTX_NVTX_TIME_H
#define RF_MODEL_NVTX_NVTX_TIME_H

#include <stdbool.h>

#include "model/cuda/cuda_clock.h"

struct rf_load;

/* All zero but load: no clock was needed yet. */
struct rf_nvtx_clocks {
    struct rf_load *load;
    struct rf_cuda_clock real; /* CLOCK_REALTIME */
    bool has_real, has_last;
    int64_t last_ns; /* the end of the recording, where has_last */
    size_t line;     /* of the timeline, found last */
};

/* Whether the times of a time domain can be read: NVTX_TIMESTAMP_TYPE_, or an id. */
bool rf_nvtx_knows_clock(const struct rf_nvtx_clocks *clocks, uint64_t domain);

/* A timestamp of a domain that can be read. *status is set when out of memory. */
int64_t rf_nvtx_ns(struct rf_nvtx_clocks *clocks, uint64_t domain, int64_t timestamp, int *status);

/* Whether a time is one that the recording can show: not before its begin, nor after its end, by
 * more than an hour, or than its length where that is more. */
bool rf_nvtx_is_near(struct rf_nvtx_clocks *clocks, int64_t ns);

void rf_nvtx_clocks_release(struct rf_nvtx_clocks *clocks);

#endif
