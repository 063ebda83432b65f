/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_CAPTURES_H
#define RF_MODEL_CUDA_CUDA_CAPTURES_H

struct rf_load;

/* Of a focused recording: removes what lies in no capture. The calls are sorted. */
int rf_cuda_remove_left_out(struct rf_load *load);

#endif
