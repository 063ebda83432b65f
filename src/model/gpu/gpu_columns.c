/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/gpu_columns.h"

#include <stddef.h>

#include "rangefinder/rangefinder.h"

#define FACT           0, 0
#define IN_GPU(member) offsetof(struct rf_gpu, member), sizeof(((const struct rf_gpu *)0)->member)

const struct rf_gpu_column rf_gpu_columns[RF_N_GPU_COLUMNS] = {
    {"vmId", FACT, false, false},
    {"id", IN_GPU(id), false, false},
    {"name", IN_GPU(name), true, false},
    {"busLocation", IN_GPU(bus), true, false},
    {"isDiscrete", FACT, false, false},
    {"l2CacheSize", FACT, false, false},
    {"totalMemory", IN_GPU(memory_bytes), false, false},
    {"memoryBandwidth", FACT, false, false},
    {"clockRate", FACT, false, false},
    {"smCount", IN_GPU(n_multiprocessors), false, false},
    {"pwGpuId", FACT, false, false},
    {"uuid", IN_GPU(uuid), true, false},
    {"luid", FACT, false, false},
    {"chipName", IN_GPU(chip), true, false},
    {"cuDevice", FACT, false, false},
    {"ctxswDevPath", FACT, true, false},
    {"ctrlDevPath", FACT, true, false},
    {"revision", FACT, false, false},
    {"nodeMask", FACT, false, false},
    {"constantMemory", FACT, false, false},
    {"maxIPC", FACT, false, false},
    {"maxRegistersPerBlock", FACT, false, false},
    {"maxShmemPerBlock", FACT, false, false},
    {"maxShmemPerBlockOptin", FACT, false, false},
    {"maxShmemPerSm", FACT, false, false},
    {"maxRegistersPerSm", FACT, false, false},
    {"threadsPerWarp", FACT, false, false},
    {"asyncEngines", FACT, false, false},
    {"maxWarpsPerSm", FACT, false, false},
    {"maxBlocksPerSm", FACT, false, false},
    {"maxThreadsPerBlock", FACT, false, false},
    {"maxBlockDimX", FACT, false, false},
    {"maxBlockDimY", FACT, false, false},
    {"maxBlockDimZ", FACT, false, false},
    {"maxGridDimX", FACT, false, false},
    {"maxGridDimY", FACT, false, false},
    {"maxGridDimZ", FACT, false, false},
    {"computeMajor", IN_GPU(capability_major), false, false},
    {"computeMinor", IN_GPU(capability_minor), false, false},
    {"smMajor", FACT, false, false},
    {"smMinor", FACT, false, false},
    {"numaNodeId", FACT, false, true},
};
