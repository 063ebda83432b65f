/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_EXTRA_H
#define RF_MODEL_CUDA_CUDA_EXTRA_H

#include "model/cuda/cuda_records.h"

int rf_cuda_add_extra(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                      int64_t written_ns);

#endif
