/* SPDX-License-Identifier: Apache-2.0 */
/* The unit of GPU metrics: nsys's label of a clock says MHz, and its values, like ours, are in Hz.
 * Facts stay as they are; tables and traces show what the label says. */
#ifndef RF_MODEL_SHOWN_METRIC_H
#define RF_MODEL_SHOWN_METRIC_H

#include "rangefinder/rangefinder.h"

/* What a value is multiplied by to be in the unit of the metric's label; largest: of its values. */
double rf_shown_factor(const char *label, size_t size, double largest);

/* The same of a counter; 1 for those that are no GPU metrics. */
double rf_counter_shown_factor(const rf_recording *rec, const struct rf_counter *counter);

#endif
