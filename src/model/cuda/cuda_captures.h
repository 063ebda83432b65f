/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_CAPTURES_H
#define RF_MODEL_CUDA_CUDA_CAPTURES_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_load;

/* Of a focused recording: removes what lies in no capture. The calls are sorted. */
int rf_cuda_remove_left_out(struct rf_load *load);

/* Removes tracks whose place is RF_NO_INDEX, and gives the others theirs. */
void rf_cuda_drop_tracks(rf_recording *rec, uint32_t *place);

#endif
