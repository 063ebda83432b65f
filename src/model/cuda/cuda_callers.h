/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that called CUDA, with their calls, while CUDA records are read. */
#ifndef RF_MODEL_CUDA_CUDA_CALLERS_H
#define RF_MODEL_CUDA_CUDA_CALLERS_H

#include "model/cuda/cuda_load.h"

/* The index of a caller, which is added if it is new; RF_NO_INDEX: out of memory. */
uint32_t rf_cuda_find_caller(struct rf_cuda_load *cuda, uint32_t process, uint32_t tid);

/* Sorts the calls of every caller. */
int rf_cuda_sort_calls(struct rf_cuda_load *cuda);

#endif
