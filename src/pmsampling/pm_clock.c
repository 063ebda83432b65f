/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "rangefinder/pm_sampling.h"

#define N_TRIES 20

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void rf_pm_clock_read(struct rf_pm_clock *out)
{
    for (int i = 0; out != NULL && i < N_TRIES; i++) {
        int64_t before = read_clock(CLOCK_MONOTONIC);
        int64_t realtime = read_clock(CLOCK_REALTIME);
        int64_t after = read_clock(CLOCK_MONOTONIC);
        int64_t error = (after - before + 1) / 2;
        if (i == 0 || error < out->error_ns)
            *out = (struct rf_pm_clock){realtime, before + (after - before) / 2, error};
    }
}
