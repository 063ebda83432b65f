/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite_work_schema.h"

#define COMMON                                                                                     \
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,"                     \
    " contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL,"              \
    " correlationId INTEGER, globalPid INTEGER, "

const struct rf_work_table rf_work_tables[RF_N_WORK_TABLES] = {
    [RF_WORK_CUDA_CALLS] =
        {"CUPTI_ACTIVITY_KIND_RUNTIME", 8,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL,"
         " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,"
         " returnValue INTEGER NOT NULL, callchainId INTEGER)"},
    [RF_WORK_OS_CALLS] =
        {"OSRT_API", 8,
         "CREATE TABLE OSRT_API(start INTEGER NOT NULL, end INTEGER NOT NULL,"
         " eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER,"
         " returnValue INTEGER NOT NULL, nestingLevel INTEGER, callchainId INTEGER)"},
    [RF_WORK_KERNELS] =
        {"CUPTI_ACTIVITY_KIND_KERNEL", 36,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" COMMON
         "demangledName INTEGER, shortName INTEGER, mangledName INTEGER, launchType INTEGER,"
         " cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,"
         " gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,"
         " blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,"
         " dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL,"
         " localMemoryTotal INTEGER NOT NULL, gridId INTEGER, sharedMemoryExecuted INTEGER,"
         " graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER, graphId INTEGER,"
         " clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER, clusterSchedulingPolicy INTEGER,"
         " maxPotentialClusterSize INTEGER, maxActiveClusters INTEGER,"
         " sharedMemoryRequestedPercentage INTEGER)"},
    [RF_WORK_COPIES] =
        {"CUPTI_ACTIVITY_KIND_MEMCPY", 21,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" COMMON
         "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER,"
         " srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER,"
         " dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER,"
         " virtualAddress INTEGER, copyCount INTEGER)"},
    [RF_WORK_SETS] = {"CUPTI_ACTIVITY_KIND_MEMSET", 12,
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" COMMON
                      "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER,"
                      " memKind INTEGER)"},
    [RF_WORK_GRAPHS] = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 10,
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(" COMMON
                        "graphId INTEGER, graphExecId INTEGER)"},
    [RF_WORK_WAITS] = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 11,
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(" COMMON
                       "syncType INTEGER NOT NULL, eventId INTEGER,"
                       " eventSyncId INTEGER)"},
    [RF_WORK_GPUS] =
        {"TARGET_INFO_GPU", RF_N_GPU_COLUMNS,
         "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,"
         " busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER,"
         " memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT,"
         " luid INTEGER, chipName TEXT, cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT,"
         " revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, maxIPC INTEGER,"
         " maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER,"
         " maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER,"
         " asyncEngines INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER,"
         " maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER, maxBlockDimY INTEGER,"
         " maxBlockDimZ INTEGER, maxGridDimX INTEGER, maxGridDimY INTEGER, maxGridDimZ INTEGER,"
         " computeMajor INTEGER, computeMinor INTEGER, smMajor INTEGER, smMinor INTEGER)"},
    [RF_WORK_CONTEXTS] =
        {"TARGET_INFO_CUDA_CONTEXT_INFO", 11,
         "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO(nullStreamId INTEGER, hwId INTEGER NOT NULL,"
         " vmId INTEGER NOT NULL, processId INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
         " contextId INTEGER NOT NULL, parentContextId INTEGER, isGreenContext INTEGER,"
         " numMultiprocessors INTEGER, numTpcs INTEGER, tpcMask TEXT)"},
    [RF_WORK_STREAMS] =
        {"TARGET_INFO_CUDA_STREAM", 7,
         "CREATE TABLE TARGET_INFO_CUDA_STREAM(streamId INTEGER NOT NULL, hwId INTEGER NOT NULL,"
         " vmId INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
         " priority INTEGER, flag INTEGER)"},
};
