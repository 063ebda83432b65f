/* SPDX-License-Identifier: Apache-2.0 */
/* Where samples of a GPU are missing: its counters are sampled at equal intervals, so that a much
 * longer one is a gap, between captures or where sampling was started anew. */
#ifndef RF_EXPORT_COUNTER_GAPS_H
#define RF_EXPORT_COUNTER_GAPS_H

#include <stdbool.h>

#include "rangefinder/rangefinder.h"

/* The usual time between two samples; 0: it is not known, or there is none. */
int64_t rf_sample_interval_ns(const struct rf_counter *counter);

/* Whether samples are missing between two that follow each other. */
bool rf_is_sample_gap(int64_t interval_ns, int64_t before_ns, int64_t at_ns);

#endif
