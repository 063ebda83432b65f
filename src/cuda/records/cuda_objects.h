/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_CUDA_RECORDS_CUDA_OBJECTS_H
#define RF_CUDA_RECORDS_CUDA_OBJECTS_H

#include <stdint.h>

#include "log/layout.h"

/* Hook: the program named an object. */
void rf_cuda_object_named(enum rf_object kind, uint64_t handle);

#endif
