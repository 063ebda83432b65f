/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda/cuda_state.h"

struct rf_cuda rf_cuda;
