/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_CUDA_CUDA_RECORDS_H
#define RF_MODEL_CUDA_CUDA_RECORDS_H

#include "model/cuda/cuda_load.h"

/* A record whole: the words that it lacks are zero. */
union rf_cuda_record {
    struct rf_cuda_head head;
    struct rf_cuda_api api;
    struct rf_cuda_kernel kernel;
    struct rf_cuda_memcpy memcpy;
    struct rf_cuda_memset memset;
    struct rf_cuda_sync sync;
    struct rf_cuda_graph graph;
    struct rf_cuda_memory memory;
    struct rf_cuda_event event;
    struct rf_cuda_overhead overhead;
    struct rf_cuda_dropped dropped;
};

/* written_ns: when it was written, which is after what it tells of. */
int rf_cuda_add_record(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                       int64_t written_ns);

#endif
