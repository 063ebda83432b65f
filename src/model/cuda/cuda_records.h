/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_RECORDS_H
#define RF_MODEL_CUDA_CUDA_RECORDS_H

#include "model/cuda/cuda_load.h"

/* written_ns: when it was written, which is after what it tells of. */
int rf_cuda_add_record(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                       int64_t written_ns);

#endif
