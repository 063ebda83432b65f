/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's clock to the recording's, by the pairs that a process took (docs/format.md, section 9):
 * straight lines between them. */
#ifndef RF_MODEL_CUDA_CUDA_CLOCK_H
#define RF_MODEL_CUDA_CUDA_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "log/layout.h"

struct rf_load;

#define RF_CUDA_RATE_SHIFT 40

struct rf_cuda_pair {
    uint64_t cupti_ns, ticks;
    uint32_t error_ns; /* how far it may be off */
};

/* From cupti_ns on: ticks + ((t - cupti_ns) * rate >> RF_CUDA_RATE_SHIFT). */
struct rf_cuda_line {
    uint64_t cupti_ns, ticks, rate;
};

/* Of one process. All zero: no pair was taken. */
struct rf_cuda_clock {
    struct rf_cuda_pair *pair; /* as they were read */
    uint32_t n_pairs;
    size_t pair_room;
    struct rf_cuda_line *line; /* by cupti_ns; the first one also holds before its start */
    uint32_t n_lines;
    uint32_t last; /* line, found last */
};

int rf_cuda_clock_add(struct rf_cuda_clock *clock, const struct rf_cuda_pair *pair);

/* Makes the lines. Without pairs, those of CLOCK_REALTIME on the control page stand in: CUPTI's
 * clock is that one on Linux. ticks_hz: of the recording's clock, where there is only one pair.
 * Returns 0 or RF_ERR_NO_MEMORY. */
int rf_cuda_clock_finish(struct rf_cuda_clock *clock, const struct rf_control *control,
                         double ticks_hz);

void rf_cuda_clock_release(struct rf_cuda_clock *clock);

/* A time of CUPTI's clock in ticks of the recording's. */
uint64_t rf_cuda_ticks(struct rf_cuda_clock *clock, uint64_t cupti_ns);

/* A time of CUPTI's clock in a process, in the recording's nanoseconds. */
int64_t rf_cuda_ns(struct rf_load *load, uint32_t process, uint64_t cupti_ns);

/* Makes n clocks, unless there are some. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_cuda_make_clocks(struct rf_cuda_clock **clock, size_t n);

#endif
