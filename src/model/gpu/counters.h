/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that a recording reckons itself, and the order of all. */
#ifndef RF_MODEL_GPU_COUNTERS_H
#define RF_MODEL_GPU_COUNTERS_H

#include "rangefinder/rangefinder.h"

/* Adds a counter of the memory in use for each process, device and kind of memory that has rows of
 * RF_EXTRA_MEMORY, then sorts all counters. Processes have their final places. Returns 0 or
 * RF_ERR_NO_MEMORY. */
int rf_recording_finish_counters(rf_recording *rec);

#endif
