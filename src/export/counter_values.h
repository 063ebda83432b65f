/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as viewers draw them: in the unit, differences summed up, each at the time from which on
 * its value holds. */
#ifndef RF_EXPORT_COUNTER_VALUES_H
#define RF_EXPORT_COUNTER_VALUES_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

/* All zero but counter: before the first sample. */
struct rf_drawn {
    const struct rf_counter *counter;
    size_t next;
    double sum; /* of differences */
    int64_t ns;
    double value;
};

/* Gives the next sample in ns and value; returns false at the end. What is no finite number is left
 * out. first_ns: where the first sample is drawn whose value holds up to it. */
bool rf_drawn_next(struct rf_drawn *drawn, int64_t first_ns);

/* Whether a value holds for the time up to its sample, and not from there on. */
static inline bool rf_looks_backwards(const struct rf_counter *counter)
{
    return counter->nvtx == NULL || counter->nvtx->interpolation == RF_COUNTER_SINCE_LAST;
}

#endif
