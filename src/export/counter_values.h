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

/* Calls put with each point of a counter as viewers draw it, from its time on: a sample of a GPU
 * stands for the time up to it, and where samples are missing 0 is drawn, up to one interval before
 * the next one. first_ns: the trace has nothing before. Returns RF_OK, or what put did to stop. */
typedef int rf_point_fn(void *context, int64_t ns, double value);
int rf_each_point(const rf_recording *rec, const struct rf_counter *counter, int64_t first_ns,
                  rf_point_fn *put, void *context);

#endif
