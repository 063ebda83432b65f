/* SPDX-License-Identifier: Apache-2.0 */
/* Timestamps that a program took itself, in the recording's nanoseconds. */
#ifndef RF_MODEL_NVTX_NVTX_TIME_H
#define RF_MODEL_NVTX_NVTX_TIME_H

#include <stdbool.h>

#include "log/time_relations.h"
#include "model/cuda/cuda_clock.h"

struct rf_load;

/* A time domain: NVTX_TIMESTAMP_TYPE_, or an id of a domain of NVTX (an index). */
struct rf_nvtx_clock {
    uint64_t id;
    uint32_t domain;
    bool is_known;              /* its times can be read */
    uint64_t type;              /* of the clock that they become */
    struct rf_time_route route; /* by which they do */
};

/* All zero but load: no clock was needed yet. */
struct rf_nvtx_clocks {
    struct rf_load *load;
    struct rf_cuda_clock real; /* CLOCK_REALTIME */
    bool has_real, has_last, has_relations;
    int64_t last_ns; /* the end of the recording, where has_last */
    size_t line;     /* of the timeline, found last */
    struct rf_time_relations relations;
    struct rf_nvtx_clock *clock; /* that were asked for */
    size_t n, room, last;        /* last: found last */
    int status;                  /* RF_ERR_NO_MEMORY is kept */
};

/* Whether the times of a time domain can be read. */
bool rf_nvtx_knows_clock(struct rf_nvtx_clocks *clocks, uint32_t domain, uint64_t id);

/* A timestamp of a time domain that can be read. *status is set when out of memory. */
int64_t rf_nvtx_ns(struct rf_nvtx_clocks *clocks, uint32_t domain, uint64_t id, int64_t timestamp,
                   int *status);

/* Whether a time is one that the recording can show: not before its begin, nor after its end, by
 * more than an hour, or than its length where that is more. Of what NVTXW has written every time
 * is that a recording can have. */
bool rf_nvtx_is_near(struct rf_nvtx_clocks *clocks, int64_t ns);

void rf_nvtx_clocks_release(struct rf_nvtx_clocks *clocks);

#endif
