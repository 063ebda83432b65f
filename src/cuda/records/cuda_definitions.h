/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of devices, contexts, streams and libraries. */
#ifndef RF_CUDA_RECORDS_CUDA_DEFINITIONS_H
#define RF_CUDA_RECORDS_CUDA_DEFINITIONS_H

#include "cuda/cupti/cupti_abi.h"

void rf_cuda_define_device(const struct rf_cupti_device *record);
void rf_cuda_define_context(const struct rf_cupti_context *record);
void rf_cuda_define_stream(const struct rf_cupti_stream *record);

/* driver: its version, or 0. */
void rf_cuda_define_library(int driver);

/* Adds to the definitions of devices what only the driver knows. On our thread. */
void rf_cuda_complete_devices(void);

#endif
