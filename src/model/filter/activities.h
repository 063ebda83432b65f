/* SPDX-License-Identifier: Apache-2.0 */
/* The activities that filters choose from. */
#ifndef RF_MODEL_FILTER_ACTIVITIES_H
#define RF_MODEL_FILTER_ACTIVITIES_H

#include "model/fields/fields.h"

#define RF_FIRST_WORK_BIT 15 /* of the bits for GPU work, by enum rf_gpu_op_kind */

enum rf_activity {
    RF_ACTIVITY_NVTX = 1,
    RF_ACTIVITY_RUNTIME = 2,
    RF_ACTIVITY_DRIVER = 4,
    RF_ACTIVITY_OS = 8,
    RF_ACTIVITY_METRICS = 16,
    RF_ACTIVITY_CUDA_EVENT = 32,
    RF_ACTIVITY_MEMORY = 64,
    RF_ACTIVITY_OVERHEAD = 128,
    RF_ACTIVITY_LIBRARY = 256,
    RF_ACTIVITY_WORK = ((1 << (RF_MAX_KINDS - 1)) - 1) << (RF_FIRST_WORK_BIT + 1),
    RF_ACTIVITY_ALL = RF_ACTIVITY_WORK | 511,
};

#define RF_ACTIVITY_OF_WORK(kind) (1u << (RF_FIRST_WORK_BIT + (kind)))

#endif
