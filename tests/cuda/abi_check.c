/* SPDX-License-Identifier: Apache-2.0 */
/* src/cuda/cupti/cupti_abi.h against NVIDIA's headers: does not compile where they differ.
 * abi_check.sh compiles it with each version that it finds, and says by
 * -DNEWEST_KERNEL=CUpti_ActivityKernel10 and the like which structure of a kind is the last one
 * that the headers have. */
#include <cuda.h>
#include <cupti_version.h>
#include <cupti_result.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <stdint.h>

#include "cuda/cupti/cupti_abi.h"

#define FIELD(type, field) ((type *)0)->field
#define SAME(ours, field, theirs, member)                                                          \
    _Static_assert(offsetof(struct rf_cupti_##ours, field) == offsetof(theirs, member) &&          \
                       sizeof(FIELD(struct rf_cupti_##ours, field)) ==                             \
                           sizeof(FIELD(theirs, member)),                                          \
                   #theirs "." #member " lies elsewhere or has another size")
#define VALUE(ours, theirs)                                                                        \
    _Static_assert((long)(ours) == (long)(theirs), #theirs " has another value")

/* ---- Records: the structures of 11.8, and the last ones that these headers have ---- */

#define CHECK_KERNEL(theirs)                                                                       \
    SAME(kernel, kind, theirs, kind);                                                              \
    SAME(kernel, cache_config, theirs, cacheConfig);                                               \
    SAME(kernel, shared_memory_config, theirs, sharedMemoryConfig);                                \
    SAME(kernel, registers, theirs, registersPerThread);                                           \
    SAME(kernel, partitioned_cache[0], theirs, partitionedGlobalCacheRequested);                   \
    SAME(kernel, partitioned_cache[1], theirs, partitionedGlobalCacheExecuted);                    \
    SAME(kernel, start, theirs, start);                                                            \
    SAME(kernel, end, theirs, end);                                                                \
    SAME(kernel, completed, theirs, completed);                                                    \
    SAME(kernel, device, theirs, deviceId);                                                        \
    SAME(kernel, context, theirs, contextId);                                                      \
    SAME(kernel, stream, theirs, streamId);                                                        \
    SAME(kernel, grid[0], theirs, gridX);                                                          \
    SAME(kernel, grid[1], theirs, gridY);                                                          \
    SAME(kernel, grid[2], theirs, gridZ);                                                          \
    SAME(kernel, block[0], theirs, blockX);                                                        \
    SAME(kernel, block[1], theirs, blockY);                                                        \
    SAME(kernel, block[2], theirs, blockZ);                                                        \
    SAME(kernel, static_shared, theirs, staticSharedMemory);                                       \
    SAME(kernel, dynamic_shared, theirs, dynamicSharedMemory);                                     \
    SAME(kernel, local_per_thread, theirs, localMemoryPerThread);                                  \
    SAME(kernel, local_total, theirs, localMemoryTotal);                                           \
    SAME(kernel, correlation, theirs, correlationId);                                              \
    SAME(kernel, grid_id, theirs, gridId);                                                         \
    SAME(kernel, name, theirs, name);                                                              \
    SAME(kernel, queued, theirs, queued);                                                          \
    SAME(kernel, submitted, theirs, submitted);                                                    \
    SAME(kernel, launch_type, theirs, launchType);                                                 \
    SAME(kernel, is_carveout_requested, theirs, isSharedMemoryCarveoutRequested);                  \
    SAME(kernel, carveout_requested, theirs, sharedMemoryCarveoutRequested);                       \
    SAME(kernel, shared_executed, theirs, sharedMemoryExecuted);                                   \
    SAME(kernel, graph_node, theirs, graphNodeId);                                                 \
    SAME(kernel, shared_limit_config, theirs, shmemLimitConfig);                                   \
    SAME(kernel, graph, theirs, graphId);                                                          \
    SAME(kernel, access_policy_window, theirs, pAccessPolicyWindow);                               \
    SAME(kernel, channel, theirs, channelID);                                                      \
    SAME(kernel, channel_type, theirs, channelType);                                               \
    SAME(kernel, cluster[0], theirs, clusterX);                                                    \
    SAME(kernel, cluster[1], theirs, clusterY);                                                    \
    SAME(kernel, cluster[2], theirs, clusterZ);                                                    \
    SAME(kernel, cluster_scheduling_policy, theirs, clusterSchedulingPolicy);                      \
    SAME(kernel, local_total_wide, theirs, localMemoryTotal_v2)

#define CHECK_MEMCPY(theirs)                                                                       \
    SAME(memcpy, kind, theirs, kind);                                                              \
    SAME(memcpy, copy_kind, theirs, copyKind);                                                     \
    SAME(memcpy, source_kind, theirs, srcKind);                                                    \
    SAME(memcpy, target_kind, theirs, dstKind);                                                    \
    SAME(memcpy, flags, theirs, flags);                                                            \
    SAME(memcpy, bytes, theirs, bytes);                                                            \
    SAME(memcpy, start, theirs, start);                                                            \
    SAME(memcpy, end, theirs, end);                                                                \
    SAME(memcpy, device, theirs, deviceId);                                                        \
    SAME(memcpy, context, theirs, contextId);                                                      \
    SAME(memcpy, stream, theirs, streamId);                                                        \
    SAME(memcpy, correlation, theirs, correlationId);                                              \
    SAME(memcpy, runtime_correlation, theirs, runtimeCorrelationId);                               \
    SAME(memcpy, graph_node, theirs, graphNodeId);                                                 \
    SAME(memcpy, graph, theirs, graphId);                                                          \
    SAME(memcpy, channel, theirs, channelID);                                                      \
    SAME(memcpy, channel_type, theirs, channelType)

#define CHECK_MEMCPY2(theirs)                                                                      \
    SAME(memcpy2, kind, theirs, kind);                                                             \
    SAME(memcpy2, copy_kind, theirs, copyKind);                                                    \
    SAME(memcpy2, source_kind, theirs, srcKind);                                                   \
    SAME(memcpy2, target_kind, theirs, dstKind);                                                   \
    SAME(memcpy2, flags, theirs, flags);                                                           \
    SAME(memcpy2, bytes, theirs, bytes);                                                           \
    SAME(memcpy2, start, theirs, start);                                                           \
    SAME(memcpy2, end, theirs, end);                                                               \
    SAME(memcpy2, device, theirs, deviceId);                                                       \
    SAME(memcpy2, context, theirs, contextId);                                                     \
    SAME(memcpy2, stream, theirs, streamId);                                                       \
    SAME(memcpy2, source_device, theirs, srcDeviceId);                                             \
    SAME(memcpy2, source_context, theirs, srcContextId);                                           \
    SAME(memcpy2, target_device, theirs, dstDeviceId);                                             \
    SAME(memcpy2, target_context, theirs, dstContextId);                                           \
    SAME(memcpy2, correlation, theirs, correlationId);                                             \
    SAME(memcpy2, graph_node, theirs, graphNodeId);                                                \
    SAME(memcpy2, graph, theirs, graphId);                                                         \
    SAME(memcpy2, channel, theirs, channelID);                                                     \
    SAME(memcpy2, channel_type, theirs, channelType)

#define CHECK_MEMSET(theirs)                                                                       \
    SAME(memset, kind, theirs, kind);                                                              \
    SAME(memset, value, theirs, value);                                                            \
    SAME(memset, bytes, theirs, bytes);                                                            \
    SAME(memset, start, theirs, start);                                                            \
    SAME(memset, end, theirs, end);                                                                \
    SAME(memset, device, theirs, deviceId);                                                        \
    SAME(memset, context, theirs, contextId);                                                      \
    SAME(memset, stream, theirs, streamId);                                                        \
    SAME(memset, correlation, theirs, correlationId);                                              \
    SAME(memset, flags, theirs, flags);                                                            \
    SAME(memset, memory_kind, theirs, memoryKind);                                                 \
    SAME(memset, graph_node, theirs, graphNodeId);                                                 \
    SAME(memset, graph, theirs, graphId);                                                          \
    SAME(memset, channel, theirs, channelID);                                                      \
    SAME(memset, channel_type, theirs, channelType)

#define CHECK_SYNCHRONIZATION(theirs)                                                              \
    SAME(synchronization, kind, theirs, kind);                                                     \
    SAME(synchronization, type, theirs, type);                                                     \
    SAME(synchronization, start, theirs, start);                                                   \
    SAME(synchronization, end, theirs, end);                                                       \
    SAME(synchronization, correlation, theirs, correlationId);                                     \
    SAME(synchronization, context, theirs, contextId);                                             \
    SAME(synchronization, stream, theirs, streamId);                                               \
    SAME(synchronization, event, theirs, cudaEventId)

#define CHECK_GRAPH_TRACE(theirs)                                                                  \
    SAME(graph_trace, kind, theirs, kind);                                                         \
    SAME(graph_trace, correlation, theirs, correlationId);                                         \
    SAME(graph_trace, start, theirs, start);                                                       \
    SAME(graph_trace, end, theirs, end);                                                           \
    SAME(graph_trace, device, theirs, deviceId);                                                   \
    SAME(graph_trace, graph, theirs, graphId);                                                     \
    SAME(graph_trace, context, theirs, contextId);                                                 \
    SAME(graph_trace, stream, theirs, streamId)

#define CHECK_MEMORY(theirs)                                                                       \
    SAME(memory2, kind, theirs, kind);                                                             \
    SAME(memory2, operation, theirs, memoryOperationType);                                         \
    SAME(memory2, memory_kind, theirs, memoryKind);                                                \
    SAME(memory2, correlation, theirs, correlationId);                                             \
    SAME(memory2, address, theirs, address);                                                       \
    SAME(memory2, bytes, theirs, bytes);                                                           \
    SAME(memory2, time, theirs, timestamp);                                                        \
    SAME(memory2, pc, theirs, PC);                                                                 \
    SAME(memory2, process, theirs, processId);                                                     \
    SAME(memory2, device, theirs, deviceId);                                                       \
    SAME(memory2, context, theirs, contextId);                                                     \
    SAME(memory2, stream, theirs, streamId);                                                       \
    SAME(memory2, name, theirs, name);                                                             \
    SAME(memory2, is_async, theirs, isAsync);                                                      \
    SAME(memory2, pool_type, theirs, memoryPoolConfig.memoryPoolType);                             \
    SAME(memory2, pool_address, theirs, memoryPoolConfig.address);                                 \
    SAME(memory2, pool_threshold, theirs, memoryPoolConfig.releaseThreshold);                      \
    SAME(memory2, pool_size, theirs, memoryPoolConfig.pool.size);                                  \
    SAME(memory2, pool_used, theirs, memoryPoolConfig.utilizedSize)

#define CHECK_EVENT(theirs)                                                                        \
    SAME(event, kind, theirs, kind);                                                               \
    SAME(event, correlation, theirs, correlationId);                                               \
    SAME(event, context, theirs, contextId);                                                       \
    SAME(event, stream, theirs, streamId);                                                         \
    SAME(event, event, theirs, eventId)

#define CHECK_OVERHEAD(theirs)                                                                     \
    SAME(overhead, kind, theirs, kind);                                                            \
    SAME(overhead, overhead_kind, theirs, overheadKind);                                           \
    SAME(overhead, object_kind, theirs, objectKind);                                               \
    SAME(overhead, object, theirs, objectId);                                                      \
    SAME(overhead, object[0], theirs, objectId.pt.processId);                                      \
    SAME(overhead, object[1], theirs, objectId.pt.threadId);                                       \
    SAME(overhead, object[0], theirs, objectId.dcs.deviceId);                                      \
    SAME(overhead, object[1], theirs, objectId.dcs.contextId);                                     \
    SAME(overhead, object[2], theirs, objectId.dcs.streamId);                                      \
    SAME(overhead, start, theirs, start);                                                          \
    SAME(overhead, end, theirs, end)

#define CHECK_CONTEXT(theirs)                                                                      \
    SAME(context, kind, theirs, kind);                                                             \
    SAME(context, context, theirs, contextId);                                                     \
    SAME(context, device, theirs, deviceId);                                                       \
    SAME(context, api, theirs, computeApiKind);                                                    \
    SAME(context, null_stream, theirs, nullStreamId)

#define CHECK_DEVICE(theirs)                                                                       \
    SAME(device, kind, theirs, kind);                                                              \
    SAME(device, flags, theirs, flags);                                                            \
    SAME(device, memory_bandwidth, theirs, globalMemoryBandwidth);                                 \
    SAME(device, memory_size, theirs, globalMemorySize);                                           \
    SAME(device, constant_memory, theirs, constantMemorySize);                                     \
    SAME(device, l2_cache, theirs, l2CacheSize);                                                   \
    SAME(device, warp_size, theirs, numThreadsPerWarp);                                            \
    SAME(device, clock_rate, theirs, coreClockRate);                                               \
    SAME(device, n_memcpy_engines, theirs, numMemcpyEngines);                                      \
    SAME(device, n_multiprocessors, theirs, numMultiprocessors);                                   \
    SAME(device, max_ipc, theirs, maxIPC);                                                         \
    SAME(device, max_warps, theirs, maxWarpsPerMultiprocessor);                                    \
    SAME(device, max_blocks, theirs, maxBlocksPerMultiprocessor);                                  \
    SAME(device, max_shared_multiprocessor, theirs, maxSharedMemoryPerMultiprocessor);             \
    SAME(device, max_registers_multiprocessor, theirs, maxRegistersPerMultiprocessor);             \
    SAME(device, max_registers, theirs, maxRegistersPerBlock);                                     \
    SAME(device, max_shared, theirs, maxSharedMemoryPerBlock);                                     \
    SAME(device, max_threads, theirs, maxThreadsPerBlock);                                         \
    SAME(device, max_block[0], theirs, maxBlockDimX);                                              \
    SAME(device, max_block[2], theirs, maxBlockDimZ);                                              \
    SAME(device, max_grid[0], theirs, maxGridDimX);                                                \
    SAME(device, max_grid[2], theirs, maxGridDimZ);                                                \
    SAME(device, capability_major, theirs, computeCapabilityMajor);                                \
    SAME(device, capability_minor, theirs, computeCapabilityMinor);                                \
    SAME(device, device, theirs, id);                                                              \
    SAME(device, is_ecc_enabled, theirs, eccEnabled);                                              \
    SAME(device, uuid, theirs, uuid);                                                              \
    SAME(device, name, theirs, name);                                                              \
    SAME(device, is_visible, theirs, isCudaVisible);                                               \
    SAME(device, is_mig_enabled, theirs, isMigEnabled);                                            \
    SAME(device, gpu_instance, theirs, gpuInstanceId);                                             \
    SAME(device, compute_instance, theirs, computeInstanceId);                                     \
    SAME(device, mig_uuid, theirs, migUuid)

CHECK_KERNEL(CUpti_ActivityKernel8);
CHECK_KERNEL(NEWEST_KERNEL);
CHECK_MEMCPY(CUpti_ActivityMemcpy5);
CHECK_MEMCPY(NEWEST_MEMCPY);
CHECK_MEMCPY2(CUpti_ActivityMemcpyPtoP4);
CHECK_MEMCPY2(NEWEST_MEMCPYPTOP);
CHECK_MEMSET(CUpti_ActivityMemset4);
CHECK_MEMSET(NEWEST_MEMSET);
CHECK_SYNCHRONIZATION(CUpti_ActivitySynchronization);
CHECK_SYNCHRONIZATION(NEWEST_SYNCHRONIZATION);
CHECK_GRAPH_TRACE(CUpti_ActivityGraphTrace);
CHECK_GRAPH_TRACE(NEWEST_GRAPHTRACE);
CHECK_MEMORY(CUpti_ActivityMemory3);
CHECK_MEMORY(NEWEST_MEMORY);
CHECK_EVENT(CUpti_ActivityCudaEvent);
CHECK_EVENT(NEWEST_CUDAEVENT);
CHECK_OVERHEAD(CUpti_ActivityOverhead);
CHECK_OVERHEAD(NEWEST_OVERHEAD);
CHECK_CONTEXT(CUpti_ActivityContext);
CHECK_CONTEXT(NEWEST_CONTEXT);
CHECK_DEVICE(CUpti_ActivityDevice4);
CHECK_DEVICE(NEWEST_DEVICE);

SAME(record, kind, CUpti_Activity, kind);
SAME(api_record, kind, CUpti_ActivityAPI, kind);
SAME(api_record, cbid, CUpti_ActivityAPI, cbid);
SAME(api_record, start, CUpti_ActivityAPI, start);
SAME(api_record, end, CUpti_ActivityAPI, end);
SAME(api_record, process, CUpti_ActivityAPI, processId);
SAME(api_record, thread, CUpti_ActivityAPI, threadId);
SAME(api_record, correlation, CUpti_ActivityAPI, correlationId);
SAME(api_record, result, CUpti_ActivityAPI, returnValue);
SAME(stream, kind, CUpti_ActivityStream, kind);
SAME(stream, context, CUpti_ActivityStream, contextId);
SAME(stream, stream, CUpti_ActivityStream, streamId);
SAME(stream, priority, CUpti_ActivityStream, priority);
SAME(stream, flag, CUpti_ActivityStream, flag);
SAME(stream, correlation, CUpti_ActivityStream, correlationId);

/* What a record of 11.8 has, and not a byte more, may be read whatever the version is. */
VALUE(RF_CUPTI_KERNEL_SIZE_11_8, sizeof(CUpti_ActivityKernel8));
VALUE(RF_CUPTI_MEMCPY_SIZE_11_8, sizeof(CUpti_ActivityMemcpy5));
VALUE(sizeof(struct rf_cupti_memcpy2), sizeof(CUpti_ActivityMemcpyPtoP4));
VALUE(sizeof(struct rf_cupti_memset), sizeof(CUpti_ActivityMemset4));
VALUE(RF_CUPTI_SYNCHRONIZATION_SIZE_11_8, sizeof(CUpti_ActivitySynchronization));
VALUE(RF_CUPTI_GRAPH_TRACE_SIZE_11_8, sizeof(CUpti_ActivityGraphTrace));
VALUE(sizeof(struct rf_cupti_memory2), sizeof(CUpti_ActivityMemory3));
VALUE(RF_CUPTI_EVENT_SIZE_11_8, sizeof(CUpti_ActivityCudaEvent));
VALUE(RF_CUPTI_OVERHEAD_SIZE_11_8, sizeof(CUpti_ActivityOverhead));
VALUE(sizeof(struct rf_cupti_context), sizeof(CUpti_ActivityContext));
VALUE(sizeof(struct rf_cupti_stream), sizeof(CUpti_ActivityStream));
VALUE(sizeof(struct rf_cupti_device), sizeof(CUpti_ActivityDevice4));
VALUE(sizeof(struct rf_cupti_api_record), sizeof(CUpti_ActivityAPI));

/* Fields that came later are there from the version on that we believe. */
#if CUPTI_API_VERSION >= 20 /* RF_CUPTI_12_2 */
SAME(kernel, max_potential_cluster, NEWEST_KERNEL, maxPotentialClusterSize);
SAME(kernel, max_active_clusters, NEWEST_KERNEL, maxActiveClusters);
#endif
#if CUPTI_API_VERSION >= 21 /* RF_CUPTI_12_3 */
SAME(graph_trace, end_device, NEWEST_GRAPHTRACE, endDeviceId);
SAME(graph_trace, end_context, NEWEST_GRAPHTRACE, endContextId);
SAME(overhead, correlation, NEWEST_OVERHEAD, correlationId);
#endif
#if CUPTI_API_VERSION >= 26 /* RF_CUPTI_12_8 */
SAME(memcpy, n_copies, NEWEST_MEMCPY, copyCount);
SAME(synchronization, event_sync, NEWEST_SYNCHRONIZATION, cudaEventSyncId);
SAME(synchronization, result, NEWEST_SYNCHRONIZATION, returnValue);
SAME(event, device, NEWEST_CUDAEVENT, deviceId);
SAME(event, device_time, NEWEST_CUDAEVENT, deviceTimestamp);
SAME(event, event_sync, NEWEST_CUDAEVENT, cudaEventSyncId);
#endif

/* ---- Values ---- */

VALUE(RF_CUPTI_12_2, 20);
VALUE(RF_CUPTI_12_3, 21);
VALUE(RF_CUPTI_12_8, 26);
VALUE(RF_CUPTI_SUCCESS, CUPTI_SUCCESS);
VALUE(RF_CUPTI_ERROR_INVALID_PARAMETER, CUPTI_ERROR_INVALID_PARAMETER);
VALUE(RF_CUPTI_ERROR_INVALID_OPERATION, CUPTI_ERROR_INVALID_OPERATION);
VALUE(RF_CUPTI_ERROR_OUT_OF_MEMORY, CUPTI_ERROR_OUT_OF_MEMORY);
VALUE(RF_CUPTI_ERROR_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
VALUE(RF_CUPTI_ERROR_NOT_COMPATIBLE, CUPTI_ERROR_NOT_COMPATIBLE);
VALUE(RF_CUPTI_ERROR_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
VALUE(RF_CUPTI_ERROR_INVALID_HANDLE, CUPTI_ERROR_INVALID_HANDLE);
VALUE(RF_CUPTI_ERROR_INVALID_STREAM, CUPTI_ERROR_INVALID_STREAM);
VALUE(RF_CUPTI_ERROR_INVALID_KIND, CUPTI_ERROR_INVALID_KIND);
VALUE(RF_CUPTI_ERROR_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED);
VALUE(RF_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED,
      CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
VALUE(RF_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
VALUE(RF_CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED);
VALUE(RF_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
      CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
VALUE(RF_CUPTI_ERROR_UNKNOWN, CUPTI_ERROR_UNKNOWN);
VALUE(RF_CUPTI_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
VALUE(RF_CUPTI_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
VALUE(RF_CUPTI_KIND_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
VALUE(RF_CUPTI_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
VALUE(RF_CUPTI_KIND_DEVICE, CUPTI_ACTIVITY_KIND_DEVICE);
VALUE(RF_CUPTI_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT);
VALUE(RF_CUPTI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
VALUE(RF_CUPTI_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
VALUE(RF_CUPTI_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
VALUE(RF_CUPTI_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
VALUE(RF_CUPTI_KIND_STREAM, CUPTI_ACTIVITY_KIND_STREAM);
VALUE(RF_CUPTI_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
VALUE(RF_CUPTI_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MEMORY2);
VALUE(RF_CUPTI_KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
VALUE(RF_CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
VALUE(RF_CUPTI_THREAD_ID_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
VALUE(RF_CUPTI_ATTRIBUTE_DEVICE_BUFFER_SIZE, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE);
VALUE(RF_CUPTI_ATTRIBUTE_DEVICE_BUFFER_POOL_LIMIT, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT);
VALUE(RF_CUPTI_ATTRIBUTE_ZEROED_OUT_BUFFER, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
#if CUPTI_API_VERSION >= 21 /* RF_CUPTI_12_3 */
VALUE(RF_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
#endif
VALUE(RF_CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
VALUE(RF_CUPTI_DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
VALUE(RF_CUPTI_API_ENTER, CUPTI_API_ENTER);
VALUE(RF_CUPTI_API_EXIT, CUPTI_API_EXIT);
VALUE(RF_CUPTI_CBID_CU_PROFILER_START, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
VALUE(RF_CUPTI_CBID_CU_PROFILER_STOP, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
VALUE(RF_CUPTI_CBID_CU_DRIVER_GET_VERSION, CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion);
VALUE(RF_CUPTI_CBID_CU_CTX_DESTROY, CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2);
VALUE(RF_CUPTI_CBID_CU_PRIMARY_CTX_RESET, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset);
VALUE(RF_CUPTI_CBID_CU_PRIMARY_CTX_RESET_V2, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2);
VALUE(RF_CUPTI_CBID_CUDA_DEVICE_RESET, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);

/* ---- Callbacks and functions ---- */

SAME(callback_data, site, CUpti_CallbackData, callbackSite);
SAME(callback_data, function, CUpti_CallbackData, functionName);
SAME(callback_data, parameters, CUpti_CallbackData, functionParams);
SAME(callback_data, return_value, CUpti_CallbackData, functionReturnValue);
SAME(callback_data, symbol, CUpti_CallbackData, symbolName);
SAME(callback_data, context, CUpti_CallbackData, context);
SAME(callback_data, context_id, CUpti_CallbackData, contextUid);
SAME(callback_data, correlation_data, CUpti_CallbackData, correlationData);
SAME(callback_data, correlation, CUpti_CallbackData, correlationId);

/* Enums and handles are passed as what we declare. */
VALUE(sizeof(CUptiResult), sizeof(int));
VALUE(sizeof(CUpti_ActivityKind), sizeof(int));
VALUE(sizeof(CUpti_ActivityAttribute), sizeof(int));
VALUE(sizeof(CUpti_ActivityThreadIdType), sizeof(int));
VALUE(sizeof(CUpti_CallbackDomain), sizeof(int));
VALUE(sizeof(CUpti_CallbackId), sizeof(uint32_t));
VALUE(sizeof(CUpti_SubscriberHandle), sizeof(void *));
VALUE(sizeof(CUcontext), sizeof(void *));
VALUE(sizeof(CUstream), sizeof(void *));
VALUE(sizeof(CUevent), sizeof(void *));

/* Each function that we call, called with what we pass. Never run. */
int main(void)
{
    void *p = 0;
    const char *text = 0;
    uint8_t byte = 0, *bytes = 0; /* byte: of what not all versions have */
    uint32_t word = 0;
    uint64_t time = 0;
    size_t size = byte;
    int number = 0;
    CUpti_Activity *record = 0;
    CUpti_SubscriberHandle subscriber = 0;
    CUpti_CallbackFunc callback = (CUpti_CallbackFunc)(rf_cupti_callback *)0;
    void (*request)(uint8_t **, size_t *, size_t *) = (rf_cupti_request *)0;
    void (*complete)(CUcontext, uint32_t, uint8_t *, size_t, size_t) = 0;
    return cuptiGetVersion(&word) + cuptiGetTimestamp(&time) +
           cuptiGetResultString((CUptiResult)number, &text) +
           cuptiGetCallbackName((CUpti_CallbackDomain)number, word, &text) +
           cuptiSubscribe(&subscriber, callback, p) + cuptiUnsubscribe(subscriber) +
           cuptiEnableCallback(word, subscriber, (CUpti_CallbackDomain)number, word) +
           cuptiSetThreadIdType((CUpti_ActivityThreadIdType)number) +
           cuptiActivitySetAttribute((CUpti_ActivityAttribute)number, &size, p) +
           cuptiActivityRegisterCallbacks(request, complete) +
           cuptiActivityEnable((CUpti_ActivityKind)number) +
           cuptiActivityEnableAndDump((CUpti_ActivityKind)number) +
           cuptiActivityDisable((CUpti_ActivityKind)number) +
#if CUPTI_API_VERSION >= 24 /* 12.6 has them; the recorder filters where they are not */
           cuptiActivityEnableDriverApi(word, byte) + cuptiActivityEnableRuntimeApi(word, byte) +
#endif
#if CUPTI_API_VERSION >= 130500
           cuptiGetCudaEventId((CUevent)p, &word) +
#endif
           cuptiActivityFlushAll(word) + cuptiActivityGetNextRecord(bytes, size, &record) +
           cuptiActivityGetNumDroppedRecords((CUcontext)p, word, &size) +
           cuptiGetContextId((CUcontext)p, &word) + cuptiGetDeviceId((CUcontext)p, &word) +
           cuptiGetStreamIdEx((CUcontext)p, (CUstream)p, byte, &word);
}
