/* SPDX-License-Identifier: Apache-2.0 */
/* One CUDA record to a call or a piece of GPU work. Numbers that CUPTI and nsys's databases count
 * differently are those of the databases from here on, as they are in an import. */
#include "model/cuda/cuda_records.h"

#include "base/grow.h"
#include "base/map.h"
#include "model/arrays.h"
#include "model/cuda/cuda_callers.h"
#include "model/cuda/cuda_clock.h"
#include "model/cuda/cuda_extra.h"
#include "model/cuda/cuda_names.h"
#include "model/gpu/call_index.h"
#include "model/gpu/gpu_order.h"
#include "model/load/load.h"

/* ---- Times ---- */

uint8_t rf_cuda_set_times(struct rf_load *load, uint32_t process, uint64_t start, uint64_t end,
                          int64_t written_ns, int64_t *start_ns, int64_t *end_ns)
{
    uint8_t flags =
        (uint8_t)((start == 0 ? RF_TIME_NO_START : 0) | (end == 0 ? RF_TIME_NO_END : 0));
    *start_ns = start != 0 ? rf_cuda_ns(load, process, start) : written_ns;
    *end_ns = end != 0 ? rf_cuda_ns(load, process, end) : *start_ns;
    if (start == 0 && end != 0)
        *start_ns = *end_ns;
    if (flags == 0 && end < start)
        flags = RF_TIME_CLAMPED;
    if (*end_ns < *start_ns)
        *end_ns = *start_ns;
    return flags;
}

/* ---- Calls ---- */

static int add_call(struct rf_load *load, uint32_t process, const struct rf_cuda_api *api,
                    int64_t written_ns)
{
    struct rf_cuda_load *cuda = &load->cuda;
    uint32_t i = rf_cuda_find_caller(cuda, process, api->tid);
    struct rf_call call = {.correlation = api->head.correlation,
                           .first_op = RF_NO_INDEX,
                           .result = (int32_t)api->result,
                           .kind = api->function & RF_CUDA_DRIVER_FUNCTION ? RF_CALL_CUDA_DRIVER
                                                                           : RF_CALL_CUDA_RUNTIME};
    call.name = rf_cuda_function_name(&cuda->names, &load->rec->strings, process, api->function);
    if (i == RF_NO_INDEX || call.name == RF_NO_STRING)
        return RF_ERR_NO_MEMORY;
    call.flags = rf_cuda_set_times(load, process, api->start, api->end, written_ns, &call.start_ns,
                                   &call.end_ns);
    struct rf_cuda_caller *caller = &cuda->caller[i];
    if (rf_grow_array(&caller->call, caller->n, &caller->room, sizeof(call)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    caller->is_unsorted |=
        caller->n > 0 && rf_compare_calls(&call, &caller->call[caller->n - 1]) < 0;
    caller->call[caller->n++] = call;
    return RF_OK;
}

/* ---- GPU work ---- */

/* Waits name their context, whose device the definitions know. */
static uint32_t device_of_wait(const struct rf_load *load, uint32_t process,
                               const struct rf_cuda_sync *from)
{
    const uint32_t device = rf_map_find(&load->cuda.names.device_of, process, from->context);
    return device != RF_MAP_NONE ? device : 0;
}

static struct rf_gpu_track track_of(uint32_t process, uint32_t device, uint32_t context,
                                    uint32_t stream)
{
    return (struct rf_gpu_track){
        .process = process, .device = device, .context = context, .stream = stream};
}

bool rf_cuda_work_of(const struct rf_load *load, uint32_t process,
                     const union rf_cuda_record *record, struct rf_cuda_work *out)
{
    const struct rf_cuda_kernel *kernel = &record->kernel;
    const struct rf_cuda_memcpy *copy = &record->memcpy;
    const struct rf_cuda_memset *set = &record->memset;
    const struct rf_cuda_graph *graph = &record->graph;
    const struct rf_cuda_sync *wait = &record->sync;
    switch (record->head.kind) {
    case RF_CUDA_KERNEL:
        *out = (struct rf_cuda_work){
            track_of(process, kernel->device, kernel->context, kernel->stream), kernel->start,
            kernel->end, kernel->graph, RF_OP_KERNEL};
        return true;
    case RF_CUDA_MEMCPY:
        *out = (struct rf_cuda_work){track_of(process, copy->device, copy->context, copy->stream),
                                     copy->start, copy->end, copy->graph, RF_OP_MEMCPY};
        return true;
    case RF_CUDA_MEMSET:
        *out = (struct rf_cuda_work){track_of(process, set->device, set->context, set->stream),
                                     set->start, set->end, set->graph, RF_OP_MEMSET};
        return true;
    case RF_CUDA_GRAPH:
        *out =
            (struct rf_cuda_work){track_of(process, graph->device, graph->context, graph->stream),
                                  graph->start, graph->end, graph->graph, RF_OP_GRAPH};
        return true;
    case RF_CUDA_SYNC:
        *out = (struct rf_cuda_work){
            track_of(process, device_of_wait(load, process, wait), wait->context, wait->stream),
            wait->start, wait->end, 0, RF_OP_SYNC};
        return true;
    default:
        return false;
    }
}

/* Adds a piece of work; NULL: out of memory. */
static struct rf_gpu_op *add_op(struct rf_load *load, uint32_t correlation,
                                const struct rf_cuda_work *work, int64_t written_ns)
{
    struct rf_cuda_load *cuda = &load->cuda;
    rf_recording *rec = load->rec;
    if (rf_grow_array(&rec->op, rec->n_ops, &cuda->op_room, sizeof(*rec->op)) != RF_OK)
        return NULL;
    struct rf_gpu_op *op = &rec->op[rec->n_ops];
    *op = (struct rf_gpu_op){.track = rf_find_track(&cuda->tracks, rec, &work->track),
                             .name = RF_NO_STRING,
                             .correlation = correlation,
                             .thread = RF_NO_INDEX,
                             .call = RF_NO_INDEX,
                             .next_op = RF_NO_INDEX,
                             .detail = RF_NO_INDEX,
                             .graph = work->graph,
                             .kind = work->kind};
    if (op->track == RF_NO_INDEX)
        return NULL;
    op->flags = rf_cuda_set_times(load, work->track.process, work->start, work->end, written_ns,
                                  &op->start_ns, &op->end_ns);
    rec->n_ops++;
    return op;
}

/* detail: of rf_row_kind.detail_size, zeros in its padding. */
static int add_detail(struct rf_load *load, struct rf_gpu_op *op, const void *detail)
{
    if (load->has_no_details)
        return RF_OK;
    op->detail = rf_op_details_add(&load->cuda.details, op->kind, detail);
    return op->detail != RF_NO_INDEX ? RF_OK : RF_ERR_NO_MEMORY;
}

/* What the cache was, not what was asked for: CUPTI has both in one byte. */
static uint8_t cache_config(uint8_t both)
{
    return both >> 4 != 0 ? both >> 4 : both & 15;
}

/* RF_OPEN_GRID_IDS_APART: details without it are those of all kernels that are launched alike. */
static int set_grid_id(struct rf_load *load, struct rf_gpu_op *op, struct rf_kernel *kernel,
                       uint64_t grid_id)
{
    rf_recording *rec = load->rec;
    if (!load->grid_ids_apart || load->has_no_details) {
        kernel->grid_id = grid_id;
        return RF_OK;
    }
    if (grid_id == 0)
        return RF_OK;
    if (rf_grow_array(&rec->grid_id, rec->n_grid_ids, &load->cuda.grid_id_room,
                      sizeof(*rec->grid_id)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rec->grid_id[rec->n_grid_ids++] = grid_id;
    op->graph_end = (uint32_t)rec->n_grid_ids;
    return RF_OK;
}

static int add_kernel(struct rf_load *load, uint32_t process, const struct rf_cuda_kernel *from,
                      struct rf_gpu_op *op)
{
    const struct rf_cuda_name *name =
        rf_cuda_names_of(&load->cuda.names, &load->rec->strings, process, from->name);
    struct rf_kernel kernel;
    if (name == NULL)
        return RF_ERR_NO_MEMORY;
    op->name = name->short_name;
    memset(&kernel, 0, sizeof(kernel)); /* padding too: records are compared as bytes */
    kernel.demangled = name->demangled;
    kernel.mangled = name->mangled;
    memcpy(kernel.grid, from->grid, sizeof(kernel.grid));
    memcpy(kernel.block, from->block, sizeof(kernel.block));
    memcpy(kernel.cluster, from->cluster, sizeof(kernel.cluster));
    kernel.registers = from->registers;
    kernel.static_shared_bytes = from->static_shared;
    kernel.dynamic_shared_bytes = from->dynamic_shared;
    kernel.local_bytes_per_thread = from->local_per_thread;
    kernel.local_bytes = from->local_total;
    kernel.graph_node = from->graph_node;
    kernel.launch_type = from->launch_type < 3 ? (uint8_t)(from->launch_type + 1) : 0;
    kernel.cache_config = cache_config(from->cache_config);
    kernel.shared_limit_config = (uint8_t)from->shared_limit_config;
    kernel.shared_executed_bytes = from->shared_executed;
    kernel.max_potential_cluster_size = from->max_potential_cluster;
    kernel.max_active_clusters = from->max_active_clusters;
    kernel.channel = from->channel;
    kernel.channel_type = (uint8_t)from->channel_type;
    int status = set_grid_id(load, op, &kernel, (uint64_t)from->grid_id);
    return status == RF_OK ? add_detail(load, op, &kernel) : status;
}

/* Kinds of memory: 7 is unknown in databases, 0 for CUPTI. */
static uint8_t memory_kind(uint32_t of_cupti)
{
    return of_cupti >= 1 && of_cupti <= 7 ? (uint8_t)(of_cupti - 1) : 7;
}

static void set_peers(const struct rf_cuda_memcpy *from, struct rf_transfer *transfer)
{
    transfer->source_device = from->source_device;
    transfer->source_context = from->source_context;
    transfer->target_device = from->target_device;
    transfer->target_context = from->target_context;
    if (from->source_device != from->target_device)
        transfer->peer_device =
            from->source_device == from->device ? from->target_device : from->source_device;
}

static int add_memcpy(struct rf_load *load, const struct rf_cuda_memcpy *from, struct rf_gpu_op *op)
{
    struct rf_transfer transfer;
    memset(&transfer, 0, sizeof(transfer));
    transfer.bytes = from->bytes;
    transfer.graph_node = from->graph_node;
    transfer.copy_kind = from->copy_kind;
    transfer.source_memory = memory_kind(from->source_memory);
    transfer.target_memory = memory_kind(from->target_memory);
    transfer.n_copies = from->n_copies;
    transfer.activity_flags = from->flags;
    transfer.peer_device = RF_NO_INDEX;
    transfer.source_device = transfer.source_context = RF_NO_INDEX;
    transfer.target_device = transfer.target_context = RF_NO_INDEX;
    if (from->head.flags & RF_CUDA_IS_PEER)
        set_peers(from, &transfer);
    return add_detail(load, op, &transfer);
}

static int add_memset(struct rf_load *load, const struct rf_cuda_memset *from, struct rf_gpu_op *op)
{
    struct rf_transfer transfer;
    memset(&transfer, 0, sizeof(transfer));
    transfer.bytes = from->bytes;
    transfer.graph_node = from->graph_node;
    transfer.value = from->value;
    transfer.activity_flags = from->flags;
    transfer.source_memory = transfer.target_memory = memory_kind(from->memory);
    transfer.peer_device = RF_NO_INDEX;
    transfer.source_device = transfer.source_context = RF_NO_INDEX;
    transfer.target_device = transfer.target_context = RF_NO_INDEX;
    return add_detail(load, op, &transfer);
}

static int add_wait(struct rf_load *load, const struct rf_cuda_sync *from, struct rf_gpu_op *op)
{
    const struct rf_wait wait = {
        .event = from->event, .result = from->result, .event_sync = from->event_sync};
    op->sync_type = (uint8_t)from->type;
    if (wait.event == UINT32_MAX && wait.event_sync == 0 && wait.result == 0)
        return RF_OK;
    return add_detail(load, op, &wait);
}

/* Few graphs end on another device than they began. */
static int add_graph_end(struct rf_load *load, const struct rf_cuda_graph *from,
                         struct rf_gpu_op *op)
{
    const struct rf_graph_end end = {.device = from->end_device, .context = from->end_context};
    if (end.context == 0 || (end.device == from->device && end.context == from->context))
        return RF_OK; /* CUDA counts contexts from 1 */
    uint32_t i = rf_op_details_add(&load->cuda.details, op->kind, &end);
    op->graph_end = i + 1; /* RF_NO_INDEX becomes 0 */
    return i != RF_NO_INDEX ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_graph(struct rf_load *load, const struct rf_cuda_graph *from, struct rf_gpu_op *op)
{
    if (load->has_no_details)
        return RF_OK;
    op->detail = from->graph;
    return add_graph_end(load, from, op);
}

/* ---- Records ---- */

static int add_work(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                    struct rf_gpu_op *op)
{
    switch (op->kind) {
    case RF_OP_KERNEL:
        return add_kernel(load, process, &record->kernel, op);
    case RF_OP_MEMCPY:
        return add_memcpy(load, &record->memcpy, op);
    case RF_OP_MEMSET:
        return add_memset(load, &record->memset, op);
    case RF_OP_SYNC:
        return add_wait(load, &record->sync, op);
    default:
        return add_graph(load, &record->graph, op);
    }
}

int rf_cuda_add_record(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                       int64_t written_ns)
{
    struct rf_cuda_work work;
    if (rf_cuda_work_of(load, process, record, &work)) {
        struct rf_gpu_op *op = add_op(load, record->head.correlation, &work, written_ns);
        return op != NULL ? add_work(load, process, record, op) : RF_ERR_NO_MEMORY;
    }
    switch (record->head.kind) {
    case RF_CUDA_API:
        return add_call(load, process, &record->api, written_ns);
    case RF_CUDA_DROPPED:
        load->rec->info.n_cuda_dropped += record->dropped.n;
        return RF_OK;
    default:
        return rf_cuda_add_extra(load, process, record, written_ns);
    }
}
