/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_RECORDING_CLOSE_H
#define RF_MODEL_RECORDING_CLOSE_H

#include "rangefinder/rangefinder.h"

/* Frees the calls, the GPU work and the counters of a recording that is no filtered one. */
void rf_recording_release_work(rf_recording *rec);

#endif
