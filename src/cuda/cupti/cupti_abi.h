/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUPTI's binary interface that is used, in our own words: building needs no header of
 * NVIDIA's, and one build serves CUDA 11.8 and all later versions.
 *
 * Records only ever grow at their end. The structures here are what every version since 11.8
 * has; a field with the comment "since" may be read only from that version of the library on
 * (cuptiGetVersion). The sizes of these structures are not used to step over records:
 * cuptiActivityGetNextRecord() does that. tests/cuda/abi_check.c compares all of this with
 * NVIDIA's headers where they are installed. */
#ifndef RF_CUDA_CUPTI_CUPTI_ABI_H
#define RF_CUDA_CUPTI_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* cuptiGetVersion() of the versions that fields begin with. 12.0 and 12.1 may say 18, as 11.8
 * does. */
#define RF_CUPTI_11_8 18u
#define RF_CUPTI_12_2 20u
#define RF_CUPTI_12_3 21u
#define RF_CUPTI_12_8 26u
#define RF_CUPTI_13_0 130000u /* and no update of it, which has 130001 */

enum rf_cupti_result {
    RF_CUPTI_SUCCESS = 0,
    RF_CUPTI_ERROR_INVALID_PARAMETER = 1,
    RF_CUPTI_ERROR_INVALID_OPERATION = 7,
    RF_CUPTI_ERROR_OUT_OF_MEMORY = 8,
    RF_CUPTI_ERROR_MAX_LIMIT_REACHED = 12, /* the end of a buffer's records */
    RF_CUPTI_ERROR_NOT_COMPATIBLE = 14,
    RF_CUPTI_ERROR_NOT_INITIALIZED = 15,
    RF_CUPTI_ERROR_INVALID_HANDLE = 19,
    RF_CUPTI_ERROR_INVALID_STREAM = 20,
    RF_CUPTI_ERROR_INVALID_KIND = 21,
    RF_CUPTI_ERROR_NOT_SUPPORTED = 27,
    RF_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
    RF_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
    RF_CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED = 36,
    RF_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
    RF_CUPTI_ERROR_UNKNOWN = 999,
};

enum rf_cupti_kind {
    RF_CUPTI_KIND_MEMCPY = 1,
    RF_CUPTI_KIND_MEMSET = 2,
    RF_CUPTI_KIND_DRIVER = 4,
    RF_CUPTI_KIND_RUNTIME = 5,
    RF_CUPTI_KIND_DEVICE = 8,
    RF_CUPTI_KIND_CONTEXT = 9,
    RF_CUPTI_KIND_CONCURRENT_KERNEL = 10,
    RF_CUPTI_KIND_OVERHEAD = 17,
    RF_CUPTI_KIND_MEMCPY2 = 22,
    RF_CUPTI_KIND_CUDA_EVENT = 36,
    RF_CUPTI_KIND_STREAM = 37,
    RF_CUPTI_KIND_SYNCHRONIZATION = 38,
    RF_CUPTI_KIND_MEMORY2 = 49,
    RF_CUPTI_KIND_GRAPH_TRACE = 51,
};

#define RF_CUPTI_FLUSH_FORCED     1u
#define RF_CUPTI_THREAD_ID_SYSTEM 1

/* cuptiActivitySetAttribute() */
enum rf_cupti_attribute {
    RF_CUPTI_ATTRIBUTE_DEVICE_BUFFER_SIZE = 0,
    RF_CUPTI_ATTRIBUTE_DEVICE_BUFFER_POOL_LIMIT = 2,
    RF_CUPTI_ATTRIBUTE_ZEROED_OUT_BUFFER = 5,
    RF_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER = 9, /* since 12.3; since 13.0 on by default */
};

/* ---- Activity records ---- */

#define RF_CUPTI_LONGEST_RECORD 248u /* bytes */

/* Every record begins with this. */
struct rf_cupti_record {
    uint32_t kind; /* enum rf_cupti_kind, and others */
};

struct rf_cupti_api_record {
    uint32_t kind; /* DRIVER, RUNTIME */
    uint32_t cbid;
    uint64_t start, end;
    uint32_t process, thread;
    uint32_t correlation, result;
};

struct rf_cupti_kernel {
    uint32_t kind; /* CONCURRENT_KERNEL */
    uint8_t cache_config;
    uint8_t shared_memory_config;
    uint16_t registers;
    uint32_t partitioned_cache[2]; /* requested, executed */
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_per_thread;
    uint32_t local_total; /* 32 bits of local_total_wide */
    uint32_t correlation;
    int64_t grid_id;
    const char *name; /* mangled; the library's */
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, is_carveout_requested, carveout_requested, padding;
    uint32_t shared_executed;
    uint64_t graph_node;
    uint32_t shared_limit_config;
    uint32_t graph;
    void *access_policy_window;
    uint32_t channel, channel_type;
    uint32_t cluster[3];
    uint32_t cluster_scheduling_policy;
    uint64_t local_total_wide;
    /* since 12.2, as far as the version tells */
    uint32_t max_potential_cluster, max_active_clusters;
};
#define RF_CUPTI_KERNEL_SIZE_11_8 200u

struct rf_cupti_memcpy {
    uint32_t kind; /* MEMCPY */
    uint8_t copy_kind, source_kind, target_kind, flags;
    uint64_t bytes;
    uint64_t start, end;
    uint32_t device, context, stream;
    uint32_t correlation, runtime_correlation, padding;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
    uint32_t channel, channel_type, padding2;
    /* since 12.8 */
    uint64_t n_copies;
};
#define RF_CUPTI_MEMCPY_SIZE_11_8 88u

struct rf_cupti_memcpy2 {
    uint32_t kind; /* MEMCPY2: from one device to another */
    uint8_t copy_kind, source_kind, target_kind, flags;
    uint64_t bytes;
    uint64_t start, end;
    uint32_t device, context, stream;
    uint32_t source_device, source_context;
    uint32_t target_device, target_context;
    uint32_t correlation;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
    uint32_t channel, channel_type, padding;
};

struct rf_cupti_memset {
    uint32_t kind; /* MEMSET */
    uint32_t value;
    uint64_t bytes;
    uint64_t start, end;
    uint32_t device, context, stream;
    uint32_t correlation;
    uint16_t flags, memory_kind;
    uint32_t padding;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph;
    uint32_t channel, channel_type, padding2;
};

struct rf_cupti_synchronization {
    uint32_t kind; /* SYNCHRONIZATION */
    uint32_t type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    /* since 12.8 */
    uint64_t event_sync;
    uint32_t result, padding;
};
#define RF_CUPTI_SYNCHRONIZATION_SIZE_11_8 40u

struct rf_cupti_graph_trace {
    uint32_t kind; /* GRAPH_TRACE */
    uint32_t correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
    void *reserved;
    /* since 12.3 */
    uint32_t end_device, end_context;
};
#define RF_CUPTI_GRAPH_TRACE_SIZE_11_8 48u

struct rf_cupti_memory2 {
    uint32_t kind; /* MEMORY2 */
    uint32_t operation;
    uint32_t memory_kind;
    uint32_t correlation;
    uint64_t address, bytes;
    uint64_t time;
    uint64_t pc;
    uint32_t process, device, context, stream;
    const char *name; /* of a variable; NULL: none */
    uint32_t is_async, padding;
    uint32_t pool_type, padding2;
    uint64_t pool_address, pool_threshold;
    uint64_t pool_size; /* of an imported pool: its process */
    uint64_t pool_used;
};

struct rf_cupti_event {
    uint32_t kind; /* CUDA_EVENT */
    uint32_t correlation;
    uint32_t context, stream, event, padding;
    /* since 12.8 */
    uint32_t device, padding2;
    void *reserved;
    uint64_t device_time;
    uint64_t event_sync;
};
#define RF_CUPTI_EVENT_SIZE_11_8 24u

struct rf_cupti_overhead {
    uint32_t kind; /* OVERHEAD */
    uint32_t overhead_kind;
    uint32_t object_kind;
    uint32_t object[3]; /* process, thread; or device, context, stream */
    uint64_t start, end;
    /* since 12.3 */
    uint32_t correlation, reserved;
};
#define RF_CUPTI_OVERHEAD_SIZE_11_8 40u

struct rf_cupti_context {
    uint32_t kind; /* CONTEXT */
    uint32_t context, device;
    uint16_t api, null_stream;
};

struct rf_cupti_stream {
    uint32_t kind; /* STREAM */
    uint32_t context, stream, priority, flag;
    uint32_t correlation;
};

struct rf_cupti_device {
    uint32_t kind; /* DEVICE */
    uint32_t flags;
    uint64_t memory_bandwidth, memory_size; /* KiB/s; bytes */
    uint32_t constant_memory, l2_cache;
    uint32_t warp_size;
    uint32_t clock_rate; /* kHz */
    uint32_t n_memcpy_engines, n_multiprocessors;
    uint32_t max_ipc, max_warps, max_blocks; /* per multiprocessor */
    uint32_t max_shared_multiprocessor, max_registers_multiprocessor;
    uint32_t max_registers, max_shared, max_threads; /* per block */
    uint32_t max_block[3], max_grid[3];
    uint32_t capability_major, capability_minor;
    uint32_t device;
    uint32_t is_ecc_enabled;
    uint8_t uuid[16];
    const char *name;
    uint8_t is_visible, is_mig_enabled, reserved[6];
    uint32_t gpu_instance, compute_instance;
    uint8_t mig_uuid[16];
};

/* ---- Callbacks ---- */

#define RF_CUPTI_DOMAIN_DRIVER   1
#define RF_CUPTI_DOMAIN_RUNTIME  2
#define RF_CUPTI_DOMAIN_RESOURCE 3

#define RF_CUPTI_CONTEXT_CREATED 1u /* of the resources */

#define RF_CUPTI_API_ENTER 0
#define RF_CUPTI_API_EXIT  1

/* Numbers of functions, for callbacks and API records. */
enum rf_cupti_driver_cbid {
    RF_CUPTI_CBID_CU_DRIVER_GET_VERSION = 2,
    RF_CUPTI_CBID_CU_PROFILER_START = 308,
    RF_CUPTI_CBID_CU_PROFILER_STOP = 309,
    RF_CUPTI_CBID_CU_CTX_DESTROY = 322,
    RF_CUPTI_CBID_CU_PRIMARY_CTX_RESET = 389,
    RF_CUPTI_CBID_CU_PRIMARY_CTX_RESET_V2 = 545,
};
enum rf_cupti_runtime_cbid {
    RF_CUPTI_CBID_CUDA_DEVICE_RESET = 164,
};

struct rf_cupti_callback_data {
    uint32_t site; /* RF_CUPTI_API_ */
    const char *function;
    const void *parameters;
    void *return_value;
    const char *symbol;
    void *context; /* CUcontext; may be NULL */
    uint32_t context_id;
    uint64_t *correlation_data;
    uint32_t correlation;
};

typedef void rf_cupti_callback(void *user, int domain, uint32_t cbid, const void *data);
typedef void rf_cupti_request(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void rf_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                               size_t valid_size);

_Static_assert(sizeof(struct rf_cupti_device) == 176, "CUPTI's layout");

/* ---- Functions ----
 *
 * member, symbol, is it needed, parameters. All return enum rf_cupti_result. Those that are not
 * needed are NULL where the library has none. */
#define RF_CUPTI_FUNCTIONS(X)                                                                      \
    X(get_version, cuptiGetVersion, 1, (uint32_t * version))                                       \
    X(get_timestamp, cuptiGetTimestamp, 1, (uint64_t * timestamp))                                 \
    X(get_result_string, cuptiGetResultString, 0, (int result, const char **text))                 \
    X(get_callback_name, cuptiGetCallbackName, 1, (int domain, uint32_t cbid, const char **name))  \
    X(subscribe, cuptiSubscribe, 1, (void **subscriber, rf_cupti_callback *callback, void *user))  \
    X(unsubscribe, cuptiUnsubscribe, 0, (void *subscriber))                                        \
    X(enable_callback, cuptiEnableCallback, 1,                                                     \
      (uint32_t enable, void *subscriber, int domain, uint32_t cbid))                              \
    X(set_thread_id_type, cuptiSetThreadIdType, 1, (int type))                                     \
    X(set_attribute, cuptiActivitySetAttribute, 0, (int attribute, size_t *size, void *value))     \
    X(register_callbacks, cuptiActivityRegisterCallbacks, 1,                                       \
      (rf_cupti_request * request, rf_cupti_complete * complete))                                  \
    X(enable, cuptiActivityEnable, 1, (int kind))                                                  \
    X(enable_and_dump, cuptiActivityEnableAndDump, 0, (int kind))                                  \
    X(disable, cuptiActivityDisable, 1, (int kind))                                                \
    X(enable_driver_api, cuptiActivityEnableDriverApi, 0, (uint32_t cbid, uint8_t enable))         \
    X(enable_runtime_api, cuptiActivityEnableRuntimeApi, 0, (uint32_t cbid, uint8_t enable))       \
    X(flush_all, cuptiActivityFlushAll, 1, (uint32_t flag))                                        \
    X(get_next_record, cuptiActivityGetNextRecord, 1,                                              \
      (uint8_t * buffer, size_t valid_size, struct rf_cupti_record * *record))                     \
    X(get_n_dropped, cuptiActivityGetNumDroppedRecords, 0,                                         \
      (void *context, uint32_t stream, size_t *n_dropped))                                         \
    X(get_context_id, cuptiGetContextId, 0, (void *context, uint32_t *id))                         \
    X(get_device_id, cuptiGetDeviceId, 0, (void *context, uint32_t *id))                           \
    X(get_stream_id, cuptiGetStreamIdEx, 0,                                                        \
      (void *context, void *stream, uint8_t is_per_thread, uint32_t *id))                          \
    X(get_event_id, cuptiGetCudaEventId, 0, (void *event, uint32_t *id))

struct rf_cupti {
#define RF_MEMBER(member, symbol, is_needed, parameters) int(*member) parameters;
    RF_CUPTI_FUNCTIONS(RF_MEMBER)
#undef RF_MEMBER
};

#define RF_CUPTI_AT(type, field, offset)                                                           \
    _Static_assert(offsetof(struct rf_cupti_##type, field) == (offset), "CUPTI's layout")
RF_CUPTI_AT(api_record, result, 36);
RF_CUPTI_AT(kernel, start, 16);
RF_CUPTI_AT(kernel, grid, 52);
RF_CUPTI_AT(kernel, correlation, 92);
RF_CUPTI_AT(kernel, name, 104);
RF_CUPTI_AT(kernel, launch_type, 136);
RF_CUPTI_AT(kernel, graph_node, 144);
RF_CUPTI_AT(kernel, graph, 156);
RF_CUPTI_AT(kernel, channel, 168);
RF_CUPTI_AT(kernel, cluster, 176);
RF_CUPTI_AT(kernel, local_total_wide, 192);
RF_CUPTI_AT(kernel, max_potential_cluster, RF_CUPTI_KERNEL_SIZE_11_8);
RF_CUPTI_AT(memcpy, correlation, 44);
RF_CUPTI_AT(memcpy, graph_node, 64);
RF_CUPTI_AT(memcpy, n_copies, RF_CUPTI_MEMCPY_SIZE_11_8);
RF_CUPTI_AT(memcpy2, correlation, 60);
RF_CUPTI_AT(memcpy2, graph_node, 72);
RF_CUPTI_AT(memset, flags, 48);
RF_CUPTI_AT(memset, graph_node, 64);
RF_CUPTI_AT(synchronization, event_sync, RF_CUPTI_SYNCHRONIZATION_SIZE_11_8);
RF_CUPTI_AT(graph_trace, end_device, RF_CUPTI_GRAPH_TRACE_SIZE_11_8);
RF_CUPTI_AT(memory2, name, 64);
RF_CUPTI_AT(memory2, pool_address, 88);
RF_CUPTI_AT(memory2, pool_used, 112);
RF_CUPTI_AT(event, device, RF_CUPTI_EVENT_SIZE_11_8);
RF_CUPTI_AT(event, device_time, 40);
RF_CUPTI_AT(overhead, start, 24);
RF_CUPTI_AT(overhead, correlation, RF_CUPTI_OVERHEAD_SIZE_11_8);
RF_CUPTI_AT(context, null_stream, 14);
RF_CUPTI_AT(stream, correlation, 20);
RF_CUPTI_AT(device, device, 112);
RF_CUPTI_AT(device, uuid, 120);
RF_CUPTI_AT(device, name, 136);
RF_CUPTI_AT(device, mig_uuid, 160);
RF_CUPTI_AT(callback_data, context, 40);
RF_CUPTI_AT(callback_data, correlation, 64);
#undef RF_CUPTI_AT
#endif
