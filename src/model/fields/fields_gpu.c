/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of calls and of GPU work, in the order in which texts and viewers show them. */
#include <stddef.h>

#include "model/fields/fields.h"
#include "model/fields/gpu_names.h"
#include "model/recording.h"

#define SIZE_OF(type, member) sizeof(((const type *)0)->member)
#define AT(in, of, member)    .part = (in), .offset = offsetof(of, member), .size = SIZE_OF(of, member)
#define TRIPLE_AT(in, of, member)                                                                  \
    .part = (in), .offset = offsetof(of, member), .size = SIZE_OF(of, member[0]),                  \
    .type = RF_FIELD_TRIPLE
#define COLUMN(at, called) .column = (called), .position = (at)
#define OWN(called)        .own_column = (called)
#define NOT_NULL           .is_not_null = 1
#define IN_NO_VIEWER       .perfetto = "", .chrome = ""
#define BESIDE             .is_beside = 1
#define SLICES_FROM(least) .slices_from = (least)

/* ---- Calls ---- */

#define CUDA            (1u << RF_CALL_CUDA_RUNTIME | 1u << RF_CALL_CUDA_DRIVER)
#define OS              (1u << RF_CALL_OS)
#define IN_CALL(member) AT(RF_PART_ROW, struct rf_call, member)

/* clang-format off */
static const struct rf_field call_fields[] = {
    {.name = "name", .kinds = CUDA | OS, IN_CALL(name), .type = RF_FIELD_STRING,
     COLUMN(1, "nameId"), IN_NO_VIEWER, BESIDE, .about = "the function"},
    {.name = "correlation", .kinds = CUDA, IN_CALL(correlation), .absent = RF_ABSENT_0,
     COLUMN(0, "correlationId"), .about = "names the call in its process"},
    {.name = "result", .kinds = CUDA, IN_CALL(result), .type = RF_FIELD_SIGNED,
     .absent = RF_ABSENT_0_IN_VIEWERS, COLUMN(2, "returnValue"), NOT_NULL,
     .about = "what the call returned"},
    {.name = "result", .kinds = OS, IN_CALL(result), .type = RF_FIELD_SIGNED,
     .absent = RF_ABSENT_0_SHOWN, COLUMN(2, "returnValue"), NOT_NULL,
     .about = "what the call returned"},
    {.name = "nesting_level", .kinds = OS, .type = RF_FIELD_EMPTY, COLUMN(3, "nestingLevel")},
    {.name = "call_chain", .kinds = CUDA | OS, .type = RF_FIELD_EMPTY, COLUMN(4, "callchainId")},
};
/* clang-format on */

static const struct rf_row_kind call_kinds[] = {
    [0] = {.name = "unknown"},
    [RF_CALL_CUDA_RUNTIME] = {.name = "cuda_runtime", .table = "CUPTI_ACTIVITY_KIND_RUNTIME"},
    [RF_CALL_CUDA_DRIVER] = {.name = "cuda_driver", .table = "CUPTI_ACTIVITY_KIND_RUNTIME"},
    [RF_CALL_OS] = {.name = "osrt", .table = "OSRT_API"},
};
_Static_assert(sizeof(call_kinds) / sizeof(call_kinds[0]) <= RF_MAX_KINDS, "arrays by kind");

const struct rf_fields rf_call_fields = {
    .field = call_fields,
    .n = sizeof(call_fields) / sizeof(call_fields[0]),
    .kind = call_kinds,
    .n_kinds = sizeof(call_kinds) / sizeof(call_kinds[0]),
};

/* ---- GPU work ---- */

/* Where Perfetto's GPU views look for a word, .perfetto is theirs.
 *
 * In viewers a kernel's short name is the name of its range. The mangled name is the full name once
 * more, in the words of the linker: viewers show text to people, and where Perfetto has a place for
 * both (--gpu-events) it gets both. Chrome's traces have the full name where it differs. */
#define KERNEL (1u << RF_OP_KERNEL)
#define MEMCPY (1u << RF_OP_MEMCPY)
#define MEMSET (1u << RF_OP_MEMSET)
#define GRAPH  (1u << RF_OP_GRAPH)
#define SYNC   (1u << RF_OP_SYNC)
#define ALL    (~0u)

#define IN_OP(member)       AT(RF_PART_ROW, struct rf_gpu_op, member)
#define IN_TRACK(member)    AT(RF_PART_TRACK, struct rf_gpu_track, member)
#define IN_KERNEL(member)   .kinds = KERNEL, AT(RF_PART_DETAIL, struct rf_kernel, member)
#define KERNEL_XYZ(member)  .kinds = KERNEL, TRIPLE_AT(RF_PART_DETAIL, struct rf_kernel, member)
#define IN_TRANSFER(member) AT(RF_PART_DETAIL, struct rf_transfer, member)
#define IN_WAIT(member)     .kinds = SYNC, AT(RF_PART_DETAIL, struct rf_wait, member)
#define IN_END(member)      .kinds = GRAPH, AT(RF_PART_DETAIL, struct rf_graph_end, member)

/* clang-format off */
static const struct rf_field op_fields[] = {
    {.name = "device", .kinds = ALL, IN_TRACK(device), COLUMN(0, "deviceId"), NOT_NULL,
     BESIDE, .about = "the GPU as the process numbers it"},
    {.name = "context", .kinds = ALL, IN_TRACK(context), COLUMN(1, "contextId"), NOT_NULL,
     .about = "the CUDA context"},
    {.name = "green_context", .kinds = ALL, IN_TRACK(green_context), .absent = RF_ABSENT_0,
     COLUMN(2, "greenContextId"), .about = "the green context"},
    {.name = "stream", .kinds = ALL, IN_TRACK(stream), COLUMN(3, "streamId"), NOT_NULL,
     BESIDE, .about = "the stream"},
    {.name = "correlation", .kinds = ALL, IN_OP(correlation), .absent = RF_ABSENT_0,
     COLUMN(4, "correlationId"), .about = "of the call that caused it"},
    {.name = "process", .kinds = ALL, IN_TRACK(process), .type = RF_FIELD_PROCESS,
     COLUMN(5, "globalPid"), .about = "the process that it was done for"},
    {.name = "graph", .kinds = KERNEL, IN_OP(graph), .absent = RF_ABSENT_0, COLUMN(27, "graphId"),
     .about = "the CUDA graph that it belongs to"},
    {.name = "graph", .kinds = GRAPH, IN_OP(graph), COLUMN(6, "graphId"),
     .absent = RF_ABSENT_0_SHOWN, BESIDE, .about = "the CUDA graph"},
    {.name = "graph", .kinds = MEMCPY | MEMSET, IN_OP(graph), .absent = RF_ABSENT_0,
     OWN("graphId"), .about = "the CUDA graph that it belongs to"},
    {.name = "name", .kinds = KERNEL, IN_OP(name), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX,
     COLUMN(7, "shortName"), IN_NO_VIEWER, BESIDE, .about = "the kernel's short name"},
    {.name = "graph_exec", .kinds = GRAPH, IN_OP(detail), .absent = RF_ABSENT_MAX,
     COLUMN(7, "graphExecId"), .about = "the executable graph"},
    {.name = "full_name", IN_KERNEL(demangled), .type = RF_FIELD_STRING, COLUMN(6, "demangledName"),
     .perfetto = "kernel", .chrome = "", BESIDE, .about = "the kernel's name with its types"},
    {.name = "mangled_name", IN_KERNEL(mangled), .type = RF_FIELD_STRING, .absent = RF_ABSENT_MAX,
     COLUMN(8, "mangledName"), IN_NO_VIEWER, BESIDE, .about = "the kernel's name as the linker knows it"},
    {.name = "grid", KERNEL_XYZ(grid), COLUMN(12, "grid"), NOT_NULL, .about = "blocks"},
    {.name = "block", KERNEL_XYZ(block), COLUMN(15, "block"), NOT_NULL, .about = "threads"},
    {.name = "registers", IN_KERNEL(registers), COLUMN(11, "registersPerThread"), NOT_NULL,
     .perfetto = "registers_per_thread", .chrome = "registers per thread", .about = "per thread"},
    {.name = "static_shared_bytes", IN_KERNEL(static_shared_bytes), SLICES_FROM(1),
     COLUMN(18, "staticSharedMemory"), NOT_NULL, .perfetto = "shared_mem_static",
     .chrome = "static shared memory", .about = "bytes per block"},
    {.name = "dynamic_shared_bytes", IN_KERNEL(dynamic_shared_bytes), SLICES_FROM(1),
     COLUMN(19, "dynamicSharedMemory"), NOT_NULL, .perfetto = "shared_mem_dynamic",
     .chrome = "dynamic shared memory", .about = "bytes per block"},
    {.name = "local_bytes_per_thread", IN_KERNEL(local_bytes_per_thread),
     .absent = RF_ABSENT_0_IN_VIEWERS, COLUMN(20, "localMemoryPerThread"), NOT_NULL, .perfetto = "local_mem_per_thread",
     .chrome = "local memory per thread", .about = "bytes"},
    {.name = "graph_node", IN_KERNEL(graph_node), .type = RF_FIELD_NODE, .absent = RF_ABSENT_0,
     COLUMN(25, "graphNodeId"), .about = "the node of the CUDA graph"},
    {.name = "local_bytes", IN_KERNEL(local_bytes), .absent = RF_ABSENT_0_SHOWN,
     COLUMN(21, "localMemoryTotal"), NOT_NULL, .perfetto = "local_mem_total",
     .chrome = "local memory", .about = "bytes across all threads"},
    {.name = "shared_executed_bytes", IN_KERNEL(shared_executed_bytes), .absent = RF_ABSENT_0_SHOWN,
     COLUMN(24, "sharedMemoryExecuted"), .perfetto = "shared_mem_executed",
     .chrome = "executed shared memory",
     .about = "bytes of shared memory that the driver set aside"},
    {.name = "shared_requested_percent", IN_KERNEL(shared_requested_percent), .absent = RF_ABSENT_0,
     COLUMN(34, "sharedMemoryRequestedPercentage"), .perfetto = "shared_mem_requested_percent",
     .chrome = "requested shared memory (%)",
     .about = "percent of the L1 cache that was asked for as shared memory"},
    {.name = "shared_limit_config", IN_KERNEL(shared_limit_config), .absent = RF_ABSENT_0_SHOWN,
     COLUMN(26, "sharedMemoryLimitConfig"), .perfetto = "shared_mem_config_size",
     .about = "how the limit of shared memory is set, as CUPTI numbers it"},
    {.name = "cache_config", IN_KERNEL(cache_config), .absent = RF_ABSENT_0_SHOWN,
     COLUMN(10, "cacheConfig"), .perfetto = "func_cache_config",
     .about = "preference between L1 and shared memory, as CUPTI numbers it"},
    {.name = "launch_type", IN_KERNEL(launch_type), .absent = RF_ABSENT_0_SHOWN, SLICES_FROM(2),
     COLUMN(9, "launchType"),
     .about = "1 regular, 2 cooperative on one device, 3 on several; 0 unknown"},
    {.name = "grid_id", .kinds = KERNEL, .part = RF_PART_LAUNCH,
     .size = SIZE_OF(struct rf_kernel, grid_id), .type = RF_FIELD_NODE, .absent = RF_ABSENT_0,
     COLUMN(23, "gridId"), .perfetto = "", .about = "of the launch, as the driver numbers it"},
    {.name = "cluster", KERNEL_XYZ(cluster), .absent = RF_ABSENT_0, COLUMN(28, "cluster"),
     .about = "blocks per cluster"},
    {.name = "cluster_policy", IN_KERNEL(cluster_policy), .absent = RF_ABSENT_0,
     COLUMN(31, "clusterSchedulingPolicy"),
     .about = "how clusters are scheduled, as CUPTI numbers it"},
    {.name = "max_potential_cluster_size", IN_KERNEL(max_potential_cluster_size),
     .absent = RF_ABSENT_0, COLUMN(32, "maxPotentialClusterSize"), .about = "blocks"},
    {.name = "max_active_clusters", IN_KERNEL(max_active_clusters), .absent = RF_ABSENT_0,
     COLUMN(33, "maxActiveClusters"), .about = "clusters that can run at once"},
    {.name = "bytes", .kinds = MEMCPY, IN_TRANSFER(bytes), COLUMN(6, "bytes"), NOT_NULL,
     .about = "bytes copied or set"},
    {.name = "bytes", .kinds = MEMSET, IN_TRANSFER(bytes), COLUMN(7, "bytes"), NOT_NULL,
     .about = "bytes copied or set"},
    {.name = "copy_kind", .kinds = MEMCPY, IN_TRANSFER(copy_kind), .type = RF_FIELD_WORD,
     .word = rf_copy_kind_name, COLUMN(7, "copyKind"), NOT_NULL, .csv = "operation", BESIDE, .about = "from where to where"},
    {.name = "source_memory", .kinds = MEMCPY, IN_TRANSFER(source_memory), .type = RF_FIELD_WORD,
     .word = rf_memory_kind_name, COLUMN(9, "srcKind"), BESIDE, .about = "the kind of memory"},
    {.name = "target_memory", .kinds = MEMCPY, IN_TRANSFER(target_memory), .type = RF_FIELD_WORD,
     .word = rf_memory_kind_name, COLUMN(10, "dstKind"), BESIDE, .about = "the kind of memory"},
    {.name = "target_memory", .kinds = MEMSET, IN_TRANSFER(target_memory), .type = RF_FIELD_WORD,
     .word = rf_memory_kind_name, COLUMN(9, "memKind"), .perfetto = "memory", .chrome = "memory",
     BESIDE, .about = "the kind of memory"},
    {.name = "value", .kinds = MEMSET, IN_TRANSFER(value), COLUMN(6, "value"), NOT_NULL,
     .about = "what the memory was set to"},
    {.name = "peer_device", .kinds = MEMCPY, IN_TRANSFER(peer_device), .absent = RF_ABSENT_MAX,
     .about = "the other GPU of a copy between GPUs"},
    {.name = "graph_node", .kinds = MEMCPY, IN_TRANSFER(graph_node), .type = RF_FIELD_NODE,
     .absent = RF_ABSENT_0, COLUMN(16, "graphNodeId"), .about = "the node of the CUDA graph"},
    {.name = "graph_node", .kinds = MEMSET, IN_TRANSFER(graph_node), .type = RF_FIELD_NODE,
     .absent = RF_ABSENT_0, COLUMN(8, "graphNodeId"), .about = "the node of the CUDA graph"},
    {.name = "source_device", .kinds = MEMCPY, IN_TRANSFER(source_device), .absent = RF_ABSENT_MAX,
     COLUMN(11, "srcDeviceId"), .about = "the GPU copied from"},
    {.name = "source_context", .kinds = MEMCPY, IN_TRANSFER(source_context),
     .absent = RF_ABSENT_MAX, COLUMN(12, "srcContextId"), .about = "its context"},
    {.name = "target_device", .kinds = MEMCPY, IN_TRANSFER(target_device), .absent = RF_ABSENT_MAX,
     COLUMN(13, "dstDeviceId"), .about = "the GPU copied to"},
    {.name = "target_context", .kinds = MEMCPY, IN_TRANSFER(target_context),
     .absent = RF_ABSENT_MAX, COLUMN(14, "dstContextId"), .about = "its context"},
    {.name = "migration_cause", .kinds = MEMCPY, IN_TRANSFER(migration_cause),
     .absent = RF_ABSENT_0, COLUMN(15, "migrationCause"),
     .about = "why managed memory moved: 1 user, 2 coherence, 3 prefetch, 4 eviction"},
    {.name = "address", .kinds = MEMCPY, IN_TRANSFER(address), .type = RF_FIELD_NODE,
     .absent = RF_ABSENT_0, COLUMN(17, "virtualAddress"), .about = "of the memory that moved"},
    {.name = "copies", .kinds = MEMCPY, IN_TRANSFER(n_copies), .absent = RF_ABSENT_0,
     COLUMN(18, "copyCount"), .about = "how many copies the record stands for"},
    {.name = "deprecated_source", .kinds = MEMCPY, .type = RF_FIELD_EMPTY,
     COLUMN(8, "deprecatedSrcId")},
    {.name = "sync_type", .kinds = SYNC, IN_OP(sync_type), .type = RF_FIELD_WORD,
     .word = rf_sync_type_name, COLUMN(6, "syncType"), NOT_NULL, .csv = "operation", BESIDE, .about = "what was waited for"},
    {.name = "event", IN_WAIT(event), .absent = RF_ABSENT_MAX_SHOWN, COLUMN(7, "eventId"),
     .about = "the CUDA event"},
    {.name = "event_sync", IN_WAIT(event_sync), .absent = RF_ABSENT_0, COLUMN(8, "eventSyncId"),
     .about = "which record of the CUDA event"},
    /* What nsys's databases have no columns for. */
    {.name = "channel", IN_KERNEL(channel), .absent = RF_ABSENT_0_SHOWN, OWN("channel"),
     .about = "of the hardware, that it was launched through"},
    {.name = "channel_type", IN_KERNEL(channel_type), .absent = RF_ABSENT_0, OWN("channelType"),
     .about = "1 compute, 2 asynchronous copy, 3 decompression"},
    {.name = "activity_flags", .kinds = MEMCPY | MEMSET, IN_TRANSFER(activity_flags),
     .absent = RF_ABSENT_0_SHOWN, OWN("flags"), .about = "as CUPTI numbers them: 1 asynchronous"},
    {.name = "end_device", IN_END(device), OWN("endDeviceId"),
     .about = "the GPU where the graph ended, if not where it began"},
    {.name = "end_context", IN_END(context), OWN("endContextId"), .about = "its context"},
    {.name = "result", IN_WAIT(result), .type = RF_FIELD_SIGNED, .absent = RF_ABSENT_0_SHOWN,
     OWN("result"), .about = "what the wait returned"},
};
/* clang-format on */

#define DETAIL(kind, type) .detail_of = (kind), .detail_size = sizeof(type)

/* In Chrome's traces PyTorch's profiler has the same categories. */
static const struct rf_row_kind op_kinds[] = {
    [0] = {"unknown", .chrome = "gpu", .perfetto = "gpu", .label = "(unknown)"},
    [RF_OP_KERNEL] = {.name = "kernel",
                      .table = "CUPTI_ACTIVITY_KIND_KERNEL",
                      .own_table = "RANGEFINDER_KERNELS",
                      .perfetto = "gpu_kernel",
                      .label = "(kernel)",
                      DETAIL(RF_OP_KERNEL, struct rf_kernel)},
    [RF_OP_MEMCPY] = {.name = "memcpy",
                      .table = "CUPTI_ACTIVITY_KIND_MEMCPY",
                      .own_table = "RANGEFINDER_COPIES",
                      .chrome = "gpu_memcpy",
                      .perfetto = "gpu_memcpy",
                      .label = "Memcpy",
                      DETAIL(RF_OP_MEMCPY, struct rf_transfer)},
    [RF_OP_MEMSET] = {.name = "memset",
                      .table = "CUPTI_ACTIVITY_KIND_MEMSET",
                      .own_table = "RANGEFINDER_SETS",
                      .chrome = "gpu_memset",
                      .perfetto = "gpu_memset",
                      .label = "Memset",
                      DETAIL(RF_OP_MEMCPY, struct rf_transfer)},
    [RF_OP_GRAPH] = {.name = "graph",
                     .table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                     .own_table = "RANGEFINDER_GRAPHS",
                     .chrome = "cuda_graph",
                     .perfetto = "gpu_graph",
                     .label = "Graph",
                     DETAIL(RF_OP_GRAPH, struct rf_graph_end)},
    [RF_OP_SYNC] = {.name = "sync",
                    .table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                    .own_table = "RANGEFINDER_WAITS",
                    .chrome = "cuda_sync",
                    .perfetto = "gpu_sync",
                    DETAIL(RF_OP_SYNC, struct rf_wait)},
};
_Static_assert(sizeof(op_kinds) / sizeof(op_kinds[0]) < RF_MAX_KINDS, "arrays by kind");

const struct rf_fields rf_op_fields = {
    .field = op_fields,
    .n = sizeof(op_fields) / sizeof(op_fields[0]),
    .kind = op_kinds,
    .n_kinds = sizeof(op_kinds) / sizeof(op_kinds[0]),
};

const void *rf_gpu_op_detail(const rf_recording *rec, const struct rf_gpu_op *op)
{
    if (rec == NULL || op == NULL)
        return NULL;
    const struct rf_row_kind *kind = rf_row_kind(&rf_op_fields, op->kind);
    const struct rf_detail_array *details = &rec->detail[kind->detail_of];
    uint32_t i = op->kind == RF_OP_GRAPH ? op->graph_end - 1 : op->detail;
    return i < details->n ? (const char *)details->detail + (size_t)i * kind->detail_size : NULL;
}

static const uint64_t *launch_of(const rf_recording *rec, const struct rf_gpu_op *op,
                                 const struct rf_kernel *kernel)
{
    if (op->kind != RF_OP_KERNEL)
        return NULL;
    if (rec != NULL && rec->grid_id != NULL && op->graph_end > 0 &&
        op->graph_end <= rec->n_grid_ids)
        return &rec->grid_id[op->graph_end - 1];
    return kernel != NULL ? &kernel->grid_id : NULL;
}

void rf_row_of_op(const rf_recording *rec, const struct rf_gpu_op *op, struct rf_row *row)
{
    row->part[RF_PART_ROW] = op;
    row->part[RF_PART_TRACK] = rf_gpu_track_at(rec, op->track);
    row->part[RF_PART_DETAIL] = rf_gpu_op_detail(rec, op);
    row->part[RF_PART_LAUNCH] = launch_of(rec, op, row->part[RF_PART_DETAIL]);
}
