/* SPDX-License-Identifier: Apache-2.0 */
/* The session's clock, while it runs. */
#ifndef RF_CLI_RING_RING_CLOCK_H
#define RF_CLI_RING_RING_CLOCK_H

#include "log/layout.h"

/* Of now, and how long its ticks are. */
struct ring_clock {
    struct rf_clock_pair now;
    double ns_per_tick;
};

struct ring_clock ring_clock_read(const struct rf_control *control);

#endif
