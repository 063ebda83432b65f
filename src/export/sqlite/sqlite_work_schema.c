/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_work_schema.h"

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
    [RF_WORK_NOTES] = {"RANGEFINDER_TIME_NOTES", 3,
                       "CREATE TABLE RANGEFINDER_TIME_NOTES(tableName TEXT NOT NULL,"
                       " eventId INTEGER NOT NULL, note TEXT NOT NULL)"},
};
