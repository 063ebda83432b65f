/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_RECORDS_H
#define RF_MODEL_CUDA_CUDA_RECORDS_H

#include <stdbool.h>

#include "model/cuda/cuda_load.h"

/* What CUPTI says of two times: 0 is none. Returns the flags of what is not right. */
uint8_t rf_cuda_set_times(struct rf_load *load, uint32_t process, uint64_t start, uint64_t end,
                          int64_t written_ns, int64_t *start_ns, int64_t *end_ns);

/* What all kinds of GPU work have. */
struct rf_cuda_work {
    struct rf_gpu_track track;
    uint64_t start, end;
    uint32_t graph;
    uint8_t kind; /* enum rf_gpu_op_kind */
};

/* Returns false if a record is of something else. */
bool rf_cuda_work_of(const struct rf_load *load, uint32_t process,
                     const union rf_cuda_record *record, struct rf_cuda_work *out);

/* written_ns: when it was written, which is after what it tells of. */
int rf_cuda_add_record(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                       int64_t written_ns);

#endif
