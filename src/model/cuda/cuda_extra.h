/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_EXTRA_H
#define RF_MODEL_CUDA_CUDA_EXTRA_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cuda/cuda_records.h"

/* When a row was, and of which thread it is. */
struct rf_cuda_row {
    int64_t start_ns; /* RF_NO_TIME: it is said by its call */
    uint32_t tid;
    bool has_thread; /* tid is that of one */
    uint8_t kind;    /* enum rf_extra_kind */
};

/* Returns false if a record is of something else. written_ns: see cuda_records.h. */
bool rf_cuda_row_of(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                    int64_t written_ns, struct rf_cuda_row *out);

int rf_cuda_add_extra(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                      int64_t written_ns);

#endif
