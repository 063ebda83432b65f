/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's records become ours (src/log/cuda.h), in the stream of the thread that reads the buffer.
 * Times stay CUPTI's: the reader converts them. */
#include "cuda/records/convert.h"

#include <string.h>

#include "cuda/cuda_state.h"
#include "cuda/cupti/cupti_names.h"
#include "cuda/records/cuda_definitions.h"
#include "cuda/records/pending_work.h"
#include "log/cuda.h"
#include "record/clock.h"
#include "record/focus/kept.h"
#include "record/stream/prepare.h"

const struct rf_cuda_wanted_kind rf_cuda_kinds[] = {
    {RF_CUPTI_KIND_RUNTIME, 0},
    {RF_CUPTI_KIND_DRIVER, 0},
    {RF_CUPTI_KIND_CONCURRENT_KERNEL, 0},
    {RF_CUPTI_KIND_MEMCPY, 0},
    {RF_CUPTI_KIND_MEMCPY2, 0},
    {RF_CUPTI_KIND_MEMSET, 0},
    {RF_CUPTI_KIND_SYNCHRONIZATION, 0},
    {RF_CUPTI_KIND_OVERHEAD, 0},
    {RF_CUPTI_KIND_GRAPH_TRACE, -(int8_t)RF_CUDA_GRAPH_NODES},
    {RF_CUPTI_KIND_MEMORY2, RF_CUDA_MEMORY_USAGE},
    {RF_CUPTI_KIND_CUDA_EVENT, RF_CUDA_EVENT_TRACE},
};
const size_t rf_n_cuda_kinds = sizeof(rf_cuda_kinds) / sizeof(rf_cuda_kinds[0]);

/* A record's words, however its fields were stored. */
typedef uint64_t __attribute__((may_alias)) rf_any_word;

/* Writes a record that begins with a struct rf_cuda_head; words that are zero at its end are left
 * out. */
RF_INLINE void write_record(const void *record, size_t size)
{
    uint8_t *end;
    const rf_any_word *words = record;
    size_t n_words = size / 8;
    struct rf_writer *writer = rf_begin(&end);
    if (RF_UNLIKELY(writer == NULL))
        return;
    /* between captures: the records before this one are no longer removed */
    if (RF_UNLIKELY(writer->focus != NULL && writer->focus->phase != RF_NO_PHASE))
        rf_kept_reset(writer);
    while (n_words > 2 && words[n_words - 1] == 0)
        n_words--;
    memcpy(writer->cursor + 8, words + 1, size - 8);
    rf_publish(writer, end, rf_head(rf_now(), RF_REC_CUDA, n_words), n_words);
}

RF_INLINE struct rf_cuda_head head_of(enum rf_cuda_kind kind, uint32_t correlation)
{
    return (struct rf_cuda_head){.kind = (uint8_t)kind, .correlation = correlation};
}

static bool is_since(uint32_t version)
{
    return rf_cuda.version >= version;
}

/* Notes work that has come. A record that was forced while its work ran has no end; but when
 * CUPTI has no memory on the GPU for times, no record has one. */
static void note_work(const struct rf_cuda_head *head, uint64_t start, uint64_t end)
{
    rf_cuda_note_work(head->correlation);
    __atomic_store_n(&rf_cuda.has_work, 1, __ATOMIC_RELAXED);
    if (RF_UNLIKELY(start == 0 && end == 0))
        (void)__atomic_fetch_add(&rf_cuda.n_timeless, 1, __ATOMIC_RELAXED);
}

/* ---- By kind ---- */

static void put_api(const struct rf_cupti_api_record *from, int domain)
{
    if (RF_UNLIKELY(from->thread == __atomic_load_n(&rf_cuda.thread_tid, __ATOMIC_RELAXED))) {
        if (domain == RF_CUPTI_DOMAIN_DRIVER && from->cbid == RF_CUPTI_CBID_CU_DRIVER_GET_VERSION)
            (void)__atomic_fetch_add(&rf_cuda.n_probes, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!rf_cuda_define_function(domain, from->cbid))
        return;
    if (from->result == 0 && rf_cuda_is_launch(domain, from->cbid))
        rf_cuda_note_launch(from->correlation, from->start);
    const struct rf_cuda_api record = {
        .head = head_of(RF_CUDA_API, from->correlation),
        .start = from->start,
        .end = from->end,
        .tid = from->thread,
        .function = from->cbid | (domain == RF_CUPTI_DOMAIN_DRIVER ? RF_CUDA_DRIVER_FUNCTION : 0),
        .result = from->result};
    write_record(&record, sizeof(record));
}

static void put_kernel(const struct rf_cupti_kernel *from, struct rf_cuda_name_cache *cache)
{
    bool has_clusters = is_since(RF_CUPTI_12_2);
    uint32_t name = rf_cuda_kernel_handle(cache, from->name);
    const struct rf_cuda_kernel record = {
        .head = head_of(RF_CUDA_KERNEL, from->correlation),
        .start = from->start,
        .end = from->end,
        .device = from->device,
        .context = from->context,
        .stream = from->stream,
        .name = name,
        .grid = {(uint32_t)from->grid[0], (uint32_t)from->grid[1], (uint32_t)from->grid[2]},
        .block = {(uint32_t)from->block[0], (uint32_t)from->block[1], (uint32_t)from->block[2]},
        .registers = from->registers,
        .launch_type = from->launch_type,
        .cache_config = from->cache_config,
        .static_shared = (uint32_t)from->static_shared,
        .dynamic_shared = (uint32_t)from->dynamic_shared,
        .shared_executed = from->shared_executed,
        .local_per_thread = from->local_per_thread,
        .shared_limit_config = from->shared_limit_config,
        .local_total = from->local_total_wide,
        .grid_id = from->grid_id,
        .graph_node = from->graph_node,
        .graph = from->graph,
        .cluster = {from->cluster[0], from->cluster[1], from->cluster[2]},
        .max_potential_cluster = has_clusters ? from->max_potential_cluster : 0,
        .max_active_clusters = has_clusters ? from->max_active_clusters : 0,
        .channel = from->channel,
        .channel_type = from->channel_type};
    note_work(&record.head, record.start, record.end);
    write_record(&record, sizeof(record));
}

static void put_memcpy(const struct rf_cupti_memcpy *from)
{
    uint64_t n_copies = is_since(RF_CUPTI_12_8) ? from->n_copies : 0;
    const struct rf_cuda_memcpy record = {.head = head_of(RF_CUDA_MEMCPY, from->correlation),
                                          .start = from->start,
                                          .end = from->end,
                                          .bytes = from->bytes,
                                          .device = from->device,
                                          .context = from->context,
                                          .stream = from->stream,
                                          .copy_kind = from->copy_kind,
                                          .source_memory = from->source_kind,
                                          .target_memory = from->target_kind,
                                          .flags = from->flags,
                                          .graph_node = from->graph_node,
                                          .graph = from->graph,
                                          .n_copies = n_copies < UINT32_MAX ? (uint32_t)n_copies
                                                                            : UINT32_MAX};
    note_work(&record.head, record.start, record.end);
    write_record(&record, sizeof(record));
}

static void put_memcpy2(const struct rf_cupti_memcpy2 *from)
{
    struct rf_cuda_head head = head_of(RF_CUDA_MEMCPY, from->correlation);
    head.flags = RF_CUDA_IS_PEER;
    const struct rf_cuda_memcpy record = {.head = head,
                                          .start = from->start,
                                          .end = from->end,
                                          .bytes = from->bytes,
                                          .device = from->device,
                                          .context = from->context,
                                          .stream = from->stream,
                                          .copy_kind = from->copy_kind,
                                          .source_memory = from->source_kind,
                                          .target_memory = from->target_kind,
                                          .flags = from->flags,
                                          .graph_node = from->graph_node,
                                          .graph = from->graph,
                                          .source_device = from->source_device,
                                          .source_context = from->source_context,
                                          .target_device = from->target_device,
                                          .target_context = from->target_context};
    note_work(&record.head, record.start, record.end);
    write_record(&record, sizeof(record));
}

static void put_memset(const struct rf_cupti_memset *from)
{
    const struct rf_cuda_memset record = {.head = head_of(RF_CUDA_MEMSET, from->correlation),
                                          .start = from->start,
                                          .end = from->end,
                                          .bytes = from->bytes,
                                          .device = from->device,
                                          .context = from->context,
                                          .stream = from->stream,
                                          .value = from->value,
                                          .memory = from->memory_kind,
                                          .flags = from->flags,
                                          .graph = from->graph,
                                          .graph_node = from->graph_node};
    note_work(&record.head, record.start, record.end);
    write_record(&record, sizeof(record));
}

static void put_synchronization(const struct rf_cupti_synchronization *from)
{
    bool has_result = is_since(RF_CUPTI_12_8);
    const struct rf_cuda_sync record = {.head = head_of(RF_CUDA_SYNC, from->correlation),
                                        .start = from->start,
                                        .end = from->end,
                                        .type = from->type,
                                        .context = from->context,
                                        .stream = from->stream,
                                        .event = from->event,
                                        .event_sync = has_result ? from->event_sync : 0,
                                        .result = has_result ? from->result : 0};
    write_record(&record, sizeof(record));
}

static void put_graph(const struct rf_cupti_graph_trace *from)
{
    bool has_end = is_since(RF_CUPTI_12_3);
    const struct rf_cuda_graph record = {.head = head_of(RF_CUDA_GRAPH, from->correlation),
                                         .start = from->start,
                                         .end = from->end,
                                         .device = from->device,
                                         .context = from->context,
                                         .stream = from->stream,
                                         .graph = from->graph,
                                         .end_device = has_end ? from->end_device : from->device,
                                         .end_context =
                                             has_end ? from->end_context : from->context};
    note_work(&record.head, record.start, record.end);
    write_record(&record, sizeof(record));
}

static void put_memory(const struct rf_cupti_memory2 *from, struct rf_cuda_name_cache *cache)
{
    uint32_t name = rf_cuda_kernel_handle(cache, from->name);
    const struct rf_cuda_memory record = {.head = head_of(RF_CUDA_MEMORY, from->correlation),
                                          .time = from->time,
                                          .address = from->address,
                                          .bytes = from->bytes,
                                          .pc = from->pc,
                                          .device = from->device,
                                          .context = from->context,
                                          .stream = from->stream,
                                          .operation = (uint8_t)from->operation,
                                          .memory = (uint8_t)from->memory_kind,
                                          .is_async = from->is_async != 0,
                                          .pool_type = (uint8_t)from->pool_type,
                                          .pool_address = from->pool_address,
                                          .pool_threshold = from->pool_threshold,
                                          .pool_size = from->pool_size,
                                          .pool_used = from->pool_used,
                                          .name = name};
    write_record(&record, sizeof(record));
}

static void put_event(const struct rf_cupti_event *from)
{
    bool has_time = is_since(RF_CUPTI_12_8);
    const struct rf_cuda_event record = {.head = head_of(RF_CUDA_EVENT, from->correlation),
                                         .event = from->event,
                                         .context = from->context,
                                         .stream = from->stream,
                                         .device = has_time ? from->device : 0,
                                         .device_time = has_time ? from->device_time : 0,
                                         .event_sync = has_time ? from->event_sync : 0};
    write_record(&record, sizeof(record));
}

static void put_overhead(const struct rf_cupti_overhead *from)
{
    uint32_t correlation = is_since(RF_CUPTI_12_3) ? from->correlation : 0;
    const struct rf_cuda_overhead record = {
        .head = head_of(RF_CUDA_OVERHEAD, correlation),
        .start = from->start,
        .end = from->end,
        .overhead_kind = from->overhead_kind,
        .object_kind = from->object_kind,
        .object = {from->object[0], from->object[1], from->object[2]}};
    write_record(&record, sizeof(record));
}

void rf_cuda_record_dropped(uint64_t n)
{
    const struct rf_cuda_dropped record = {.head = head_of(RF_CUDA_DROPPED, 0), .n = n};
    write_record(&record, sizeof(record));
}

/* Unknown kinds are skipped: later versions may add some. */
static void put(const struct rf_cupti_record *record, struct rf_cuda_name_cache *cache)
{
    const void *from = record;
    switch (record->kind) {
    case RF_CUPTI_KIND_RUNTIME:
        put_api(from, RF_CUPTI_DOMAIN_RUNTIME);
        break;
    case RF_CUPTI_KIND_DRIVER:
        put_api(from, RF_CUPTI_DOMAIN_DRIVER);
        break;
    case RF_CUPTI_KIND_CONCURRENT_KERNEL:
        put_kernel(from, cache);
        break;
    case RF_CUPTI_KIND_MEMCPY:
        put_memcpy(from);
        break;
    case RF_CUPTI_KIND_MEMCPY2:
        put_memcpy2(from);
        break;
    case RF_CUPTI_KIND_MEMSET:
        put_memset(from);
        break;
    case RF_CUPTI_KIND_SYNCHRONIZATION:
        put_synchronization(from);
        break;
    case RF_CUPTI_KIND_GRAPH_TRACE:
        put_graph(from);
        break;
    case RF_CUPTI_KIND_MEMORY2:
        put_memory(from, cache);
        break;
    case RF_CUPTI_KIND_CUDA_EVENT:
        put_event(from);
        break;
    case RF_CUPTI_KIND_OVERHEAD:
        put_overhead(from);
        break;
    case RF_CUPTI_KIND_DEVICE:
        rf_cuda_define_device(from);
        break;
    case RF_CUPTI_KIND_CONTEXT:
        rf_cuda_define_context(from);
        break;
    case RF_CUPTI_KIND_STREAM:
        rf_cuda_define_stream(from);
        break;
    default:
        break;
    }
}

/* CUPTI does not read beyond a record that is not complete, which a forced flush may give. Counts
 * what is behind the last one that it read, in size bytes with that: at least so many. */
static void count_unread(size_t size)
{
    size_t n = (size - 1) / RF_CUPTI_LONGEST_RECORD;
    rf_cuda_record_dropped(n > 0 ? n : 1);
}

uint64_t rf_cuda_convert(uint8_t *buffer, size_t size)
{
    struct rf_cuda_name_cache cache;
    struct rf_cupti_record *record = NULL;
    const uint8_t *last = buffer;
    uint64_t n = 0;
    int result;
    memset(cache.name, 0, sizeof(cache.name));
    while ((result = rf_cuda.cupti.get_next_record(buffer, size, &record)) == RF_CUPTI_SUCCESS) {
        put(record, &cache);
        last = (const uint8_t *)record;
        n++;
    }
    if (result != RF_CUPTI_ERROR_MAX_LIMIT_REACHED)
        count_unread((size_t)(buffer + size - last));
    return n;
}
