/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work: kernels, copies, sets, whole graphs, waits. */
#include <string.h>

#include "base/grow.h"
#include "import/nsys_load.h"

/* Columns that every kind of work has, at the front. */
enum column {
    START,
    END,
    DEVICE,
    CONTEXT,
    GREEN_CONTEXT,
    STREAM,
    CORRELATION,
    GLOBAL_PID,
    GRAPH,
    N_COMMON
};

#define COMMON                                                                                     \
    "start", "end", "deviceId", "contextId", "greenContextId", "streamId", "correlationId",        \
        "globalPid", "graphId"

/* ---- A row ---- */

/* Keys of processes have 40 bits. */
static uint64_t key_of_unknown(size_t table)
{
    return UINT64_MAX - table;
}

static uint32_t row_process(struct nsys_load *load, struct nsys_row *row, size_t table)
{
    int64_t global_pid;
    return nsys_find_process(load, nsys_row_int(row, GLOBAL_PID, &global_pid)
                                       ? (uint64_t)global_pid >> NSYS_TID_BITS
                                       : key_of_unknown(table));
}

/* Streams and contexts are numbers of 32 bits; those of waits can be -1 for "any". */
static uint32_t number(struct nsys_row *row, int column)
{
    int64_t value;
    return nsys_row_int(row, column, &value) ? (uint32_t)value : 0;
}

/* What every kind has. Returns 1, 0 where the row is left out, or a negative error. */
static int read_common(struct nsys_load *load, struct nsys_row *row, size_t table,
                       struct rf_gpu_op *op)
{
    int is_clamped;
    if (!nsys_row_times(load, row, START, END, &op->start_ns, &op->end_ns, &is_clamped))
        return 0;
    if (op->end_ns == RF_NO_TIME) {
        nsys_db_skip(&load->db, row->table, "no end: taken as empty", 1);
        op->end_ns = op->start_ns;
    }
    op->correlation = nsys_row_u32(row, CORRELATION);
    op->graph = number(row, GRAPH);
    struct rf_gpu_track track = {.process = row_process(load, row, table),
                                 .device = number(row, DEVICE),
                                 .context = number(row, CONTEXT),
                                 .green_context = number(row, GREEN_CONTEXT),
                                 .stream = number(row, STREAM)};
    if (track.process == RF_NO_INDEX)
        return nsys_no_memory(load);
    op->track = rf_find_track(&load->tracks, load->rec, &track);
    return op->track != RF_NO_INDEX ? 1 : nsys_no_memory(load);
}

static int add_op(struct nsys_load *load, const struct rf_gpu_op *op)
{
    rf_recording *rec = load->rec;
    if (rf_grow_array(&rec->op, rec->n_ops, &load->op_room, sizeof(*rec->op)) != RF_OK)
        return nsys_no_memory(load);
    rec->op[rec->n_ops++] = *op;
    return RF_OK;
}

/* One kind of work: a table, its columns, and what it has beyond the common ones. */
struct work {
    const char *table;
    uint8_t kind;
    int n_columns;
    int n_plain; /* those that are read where no details are wanted */
    const char *const *column;
    int (*read)(struct nsys_load *load, struct nsys_row *row, struct rf_gpu_op *op);
};

/* What is being read, and by whom. */
struct work_pass {
    struct nsys_load *load;
    const struct work *work;
    size_t table; /* its number */
};

static int no_details(const struct nsys_load *load)
{
    return (load->db.flags & RF_OPEN_NO_DETAILS) != 0;
}

static int read_row(void *context, struct nsys_row *row)
{
    const struct work_pass *pass = context;
    struct rf_gpu_op op = {.name = RF_NO_STRING,
                           .thread = RF_NO_INDEX,
                           .call = RF_NO_INDEX,
                           .next_op = RF_NO_INDEX,
                           .detail = RF_NO_INDEX,
                           .kind = pass->work->kind};
    int status = read_common(pass->load, row, pass->table, &op);
    if (status <= 0)
        return status;
    status = pass->work->read != NULL ? pass->work->read(pass->load, row, &op) : RF_OK;
    return status == RF_OK ? add_op(pass->load, &op) : status;
}

/* ---- Kernels ---- */

enum kernel_column {
    SHORT_NAME = N_COMMON,
    DEMANGLED_NAME,
    MANGLED_NAME,
    N_NAMES,
    LAUNCH_TYPE = N_NAMES,
    CACHE_CONFIG,
    REGISTERS,
    GRID_X,
    BLOCK_X = GRID_X + 3,
    STATIC_SHARED = BLOCK_X + 3,
    DYNAMIC_SHARED,
    LOCAL_PER_THREAD,
    LOCAL_TOTAL,
    SHARED_EXECUTED,
    KERNEL_NODE,
    LIMIT_CONFIG,
    CLUSTER_X,
    CLUSTER_POLICY = CLUSTER_X + 3,
    MAX_CLUSTER,
    ACTIVE_CLUSTERS,
    SHARED_REQUESTED,
    N_KERNEL
};

static const char *const kernel_columns[N_KERNEL] = {COMMON,
                                                     "shortName",
                                                     "demangledName",
                                                     "mangledName",
                                                     "launchType",
                                                     "cacheConfig",
                                                     "registersPerThread",
                                                     "gridX",
                                                     "gridY",
                                                     "gridZ",
                                                     "blockX",
                                                     "blockY",
                                                     "blockZ",
                                                     "staticSharedMemory",
                                                     "dynamicSharedMemory",
                                                     "localMemoryPerThread",
                                                     "localMemoryTotal",
                                                     "sharedMemoryExecuted",
                                                     "graphNodeId",
                                                     "sharedMemoryLimitConfig",
                                                     "clusterX",
                                                     "clusterY",
                                                     "clusterZ",
                                                     "clusterSchedulingPolicy",
                                                     "maxPotentialClusterSize",
                                                     "maxActiveClusters",
                                                     "sharedMemoryRequestedPercentage"};

/* *string: RF_NO_STRING where there is no name. */
static int take_name(struct nsys_load *load, struct nsys_row *row, int column, uint32_t *string)
{
    int64_t id;
    *string = RF_NO_STRING;
    if (!nsys_row_int(row, column, &id))
        return RF_OK;
    *string = nsys_string(load, row, id, NULL);
    return *string != RF_NO_STRING ? RF_OK : nsys_no_memory(load);
}

static uint64_t number64(struct nsys_row *row, int column)
{
    int64_t value;
    (void)nsys_row_int(row, column, &value);
    return (uint64_t)value;
}

static int read_kernel(struct nsys_load *load, struct nsys_row *row, struct rf_gpu_op *op)
{
    struct rf_kernel kernel;
    memset(&kernel, 0, sizeof(kernel)); /* padding too: records are compared as bytes */
    int status = take_name(load, row, SHORT_NAME, &op->name);
    if (status == RF_OK)
        status = take_name(load, row, DEMANGLED_NAME, &kernel.demangled);
    if (status == RF_OK)
        status = take_name(load, row, MANGLED_NAME, &kernel.mangled);
    if (status != RF_OK)
        return status;
    if (op->name == RF_NO_STRING)
        op->name = kernel.demangled != RF_NO_STRING ? kernel.demangled : kernel.mangled;
    if (no_details(load))
        return RF_OK;
    for (int i = 0; i < 3; i++) {
        kernel.grid[i] = nsys_row_u32(row, GRID_X + i);
        kernel.block[i] = nsys_row_u32(row, BLOCK_X + i);
        kernel.cluster[i] = nsys_row_u32(row, CLUSTER_X + i);
    }
    kernel.registers = nsys_row_u32(row, REGISTERS);
    kernel.static_shared_bytes = nsys_row_u32(row, STATIC_SHARED);
    kernel.dynamic_shared_bytes = nsys_row_u32(row, DYNAMIC_SHARED);
    kernel.local_bytes_per_thread = nsys_row_u32(row, LOCAL_PER_THREAD);
    kernel.local_bytes = number64(row, LOCAL_TOTAL);
    kernel.graph_node = number64(row, KERNEL_NODE);
    kernel.launch_type = (uint8_t)nsys_row_u32(row, LAUNCH_TYPE);
    kernel.cache_config = (uint8_t)nsys_row_u32(row, CACHE_CONFIG);
    kernel.shared_limit_config = (uint8_t)nsys_row_u32(row, LIMIT_CONFIG);
    kernel.shared_executed_bytes = nsys_row_u32(row, SHARED_EXECUTED);
    kernel.cluster_policy = nsys_row_u32(row, CLUSTER_POLICY);
    kernel.max_potential_cluster_size = nsys_row_u32(row, MAX_CLUSTER);
    kernel.max_active_clusters = nsys_row_u32(row, ACTIVE_CLUSTERS);
    kernel.shared_requested_percent = nsys_row_u32(row, SHARED_REQUESTED);
    op->detail = rf_record_pool_add(&load->kernels, &kernel);
    return op->detail != RF_NO_INDEX ? RF_OK : nsys_no_memory(load);
}

/* ---- Copies and sets ---- */

enum copy_column {
    BYTES = N_COMMON,
    NODE,
    COPY_KIND,
    SOURCE,
    TARGET,
    SOURCE_DEVICE,
    TARGET_DEVICE,
    SOURCE_CONTEXT,
    TARGET_CONTEXT,
    CAUSE,
    ADDRESS,
    COPY_COUNT,
    N_COPY
};

static const char *const copy_columns[N_COPY] = {
    COMMON,           "bytes",          "graphNodeId", "copyKind",     "srcKind",
    "dstKind",        "srcDeviceId",    "dstDeviceId", "srcContextId", "dstContextId",
    "migrationCause", "virtualAddress", "copyCount"};

enum set_column { MEMORY = NODE + 1, VALUE, N_SET };

static const char *const set_columns[N_SET] = {COMMON, "bytes", "graphNodeId", "memKind", "value"};

static int add_transfer(struct nsys_load *load, const struct rf_transfer *transfer,
                        struct rf_gpu_op *op)
{
    op->detail = rf_record_pool_add(&load->transfers, transfer);
    return op->detail != RF_NO_INDEX ? RF_OK : nsys_no_memory(load);
}

static uint32_t number_or_none(struct nsys_row *row, int column)
{
    int64_t value;
    return nsys_row_int(row, column, &value) ? (uint32_t)value : RF_NO_INDEX;
}

static int read_copy(struct nsys_load *load, struct nsys_row *row, struct rf_gpu_op *op)
{
    uint32_t device = number_or_none(row, DEVICE);
    struct rf_transfer transfer;
    if (no_details(load))
        return RF_OK;
    memset(&transfer, 0, sizeof(transfer));
    transfer.bytes = number64(row, BYTES);
    transfer.graph_node = number64(row, NODE);
    transfer.copy_kind = (uint8_t)nsys_row_u32(row, COPY_KIND);
    transfer.source_memory = (uint8_t)nsys_row_u32(row, SOURCE);
    transfer.target_memory = (uint8_t)nsys_row_u32(row, TARGET);
    transfer.peer_device = RF_NO_INDEX;
    transfer.source_device = number_or_none(row, SOURCE_DEVICE);
    transfer.target_device = number_or_none(row, TARGET_DEVICE);
    transfer.source_context = number_or_none(row, SOURCE_CONTEXT);
    transfer.target_context = number_or_none(row, TARGET_CONTEXT);
    transfer.migration_cause = (uint8_t)nsys_row_u32(row, CAUSE);
    transfer.address = number64(row, ADDRESS);
    transfer.n_copies = nsys_row_u32(row, COPY_COUNT);
    if (transfer.source_device != RF_NO_INDEX && transfer.target_device != RF_NO_INDEX &&
        transfer.source_device != transfer.target_device)
        transfer.peer_device =
            transfer.source_device == device ? transfer.target_device : transfer.source_device;
    return add_transfer(load, &transfer, op);
}

static int read_set(struct nsys_load *load, struct nsys_row *row, struct rf_gpu_op *op)
{
    struct rf_transfer transfer;
    if (no_details(load))
        return RF_OK;
    memset(&transfer, 0, sizeof(transfer));
    transfer.bytes = number64(row, BYTES);
    transfer.graph_node = number64(row, NODE);
    transfer.value = number(row, VALUE);
    transfer.source_memory = transfer.target_memory = (uint8_t)nsys_row_u32(row, MEMORY);
    transfer.peer_device = RF_NO_INDEX;
    transfer.source_device = transfer.target_device = RF_NO_INDEX;
    transfer.source_context = transfer.target_context = RF_NO_INDEX;
    return add_transfer(load, &transfer, op);
}

/* ---- Waits and graphs ---- */

enum sync_column { SYNC_TYPE = N_COMMON, EVENT, EVENT_SYNC, N_SYNC };
enum graph_column { GRAPH_EXEC = N_COMMON, N_GRAPH };

static const char *const sync_columns[N_SYNC] = {COMMON, "syncType", "eventId", "eventSyncId"};
static const char *const graph_columns[N_GRAPH] = {COMMON, "graphExecId"};

static int read_sync(struct nsys_load *load, struct nsys_row *row, struct rf_gpu_op *op)
{
    op->sync_type = (uint8_t)nsys_row_u32(row, SYNC_TYPE);
    if (no_details(load))
        return RF_OK;
    struct rf_wait wait = {.event = number_or_none(row, EVENT),
                           .event_sync = number64(row, EVENT_SYNC)};
    if (!nsys_row_has(row, EVENT) && wait.event_sync == 0)
        return RF_OK;
    op->detail = rf_record_pool_add(&load->waits, &wait);
    return op->detail != RF_NO_INDEX ? RF_OK : nsys_no_memory(load);
}

static int read_graph(struct nsys_load *load, struct nsys_row *row, struct rf_gpu_op *op)
{
    if (!no_details(load))
        op->detail = number_or_none(row, GRAPH_EXEC);
    return RF_OK;
}

/* ---- The tables ---- */

static const struct work works[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", RF_OP_KERNEL, N_KERNEL, N_NAMES, kernel_columns, read_kernel},
    {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", RF_OP_KERNEL, N_KERNEL, N_NAMES, kernel_columns,
     read_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", RF_OP_MEMCPY, N_COPY, N_COMMON, copy_columns, read_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET", RF_OP_MEMSET, N_SET, N_COMMON, set_columns, read_set},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", RF_OP_GRAPH, N_GRAPH, N_COMMON, graph_columns, read_graph},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", RF_OP_SYNC, N_SYNC, EVENT, sync_columns, read_sync},
};

#define N_WORKS (sizeof(works) / sizeof(works[0]))

const char *nsys_table_of_unknown(uint64_t key)
{
    return UINT64_MAX - key < N_WORKS ? works[UINT64_MAX - key].table : NULL;
}

int nsys_load_gpu(struct nsys_load *load)
{
    int status = RF_OK;
    for (size_t i = 0; i < N_WORKS && status == RF_OK; i++) {
        const struct work *work = &works[i];
        struct work_pass pass = {load, work, i};
        status = nsys_db_read(&load->db, work->table, work->column,
                              no_details(load) ? work->n_plain : work->n_columns, read_row, &pass);
    }
    return status == RF_OK ? nsys_place_waits(load) : status;
}
