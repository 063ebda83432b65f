/* SPDX-License-Identifier: Apache-2.0 */
/* Names of CUDA and OpenCL objects. */
#ifndef RF_RECORD_NVTX_NVTX_OBJECTS_H
#define RF_RECORD_NVTX_NVTX_OBJECTS_H

#include "record/nvtx/nvtx.h"

struct rf_callbacks rf_nvtx_cuda_callbacks(void);
struct rf_callbacks rf_nvtx_cudart_callbacks(void);
struct rf_callbacks rf_nvtx_opencl_callbacks(void);

#endif
