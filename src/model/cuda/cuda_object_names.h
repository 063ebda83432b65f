/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_OBJECT_NAMES_H
#define RF_MODEL_CUDA_CUDA_OBJECT_NAMES_H

#include <stdint.h>

struct rf_load;

/* nvtxNameCuStream and nvtxNameCudaStream name the same objects; of events and devices likewise:
 * one enum rf_object for both. */
uint32_t rf_cuda_object_kind(uint32_t kind);

/* Names what load->naming names, as rf_cuda_places_finish() promises. */
int rf_cuda_name_objects(struct rf_load *load);

#endif
