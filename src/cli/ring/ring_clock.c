/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/ring_clock.h"

#include "log/clock_reading.h"

struct ring_clock ring_clock_read(const struct rf_control *control)
{
    const struct rf_clock_pair *first = &control->clock[0];
    struct ring_clock clock = {rf_clock_reading_take(control->clock_kind).pair, 1};
    if (control->clock_kind != RF_CLOCK_MONO && clock.now.ticks > first->ticks &&
        clock.now.mono_ns > first->mono_ns)
        clock.ns_per_tick =
            (double)(clock.now.mono_ns - first->mono_ns) / (double)(clock.now.ticks - first->ticks);
    return clock;
}
