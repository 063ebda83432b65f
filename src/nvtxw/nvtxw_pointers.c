/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_pointers.h"

#include "nvtxw/nvtxw_defs.h"

struct host {
    struct rf_reference_host host; /* first */
    struct nvtxw_record *record;
};

struct rf_schema nvtxw_pointers_find(const void *where, uint64_t domain, uint64_t id)
{
    const struct nvtxw_stream *stream = where;
    (void)domain; /* that of the stream */
    (void)pthread_mutex_lock(&stream->session->lock);
    const struct rf_schema found = nvtxw_layout_of(stream->domain, id);
    (void)pthread_mutex_unlock(&stream->session->lock);
    return found;
}

static void add(struct rf_reference_host *host, const void *address, uint64_t size, size_t copied)
{
    nvtxw_record_add_cut(((struct host *)host)->record, RF_DATA_REFERENCE,
                         (uint64_t)(uintptr_t)address, address, size, copied);
}

static void lose(struct nvtxw_stream *stream, uint64_t n, uint64_t bytes)
{
    struct rf_control *control = stream->session->dir.control;
    (void)__atomic_fetch_add(&control->lost_records, n, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&control->lost_bytes, bytes, __ATOMIC_RELAXED);
}

static void count_lost(struct rf_reference_host *host, uint64_t n, uint64_t bytes)
{
    lose(((const struct host *)host)->record->stream, n, bytes);
}

void nvtxw_pointers_count_lost(struct nvtxw_stream *stream, uint64_t n)
{
    lose(stream, n, 0);
}

static struct host host_of(struct nvtxw_record *record, uint64_t *may_look)
{
    return (struct host){{nvtxw_pointers_find, record->stream, may_look, add, count_lost}, record};
}

void nvtxw_pointers_add(struct nvtxw_record *record, struct rf_payloads payloads)
{
    uint64_t may_look = rf_payloads_look_limit(payloads);
    struct host host = host_of(record, &may_look);
    for (size_t i = 0; i < payloads.n; i++)
        nvtxw_record_add_addressed(record, payloads.first[i].schema, payloads.first[i].bytes,
                                   payloads.first[i].size);
    rf_references_add(&host.host, payloads);
}

void nvtxw_pointers_add_of_batch(struct nvtxw_record *record, const struct rf_batch *batch,
                                 const uint8_t *event, size_t size)
{
    uint64_t may_look = rf_look_limit(size + batch->flex.size);
    struct host host = host_of(record, &may_look);
    const struct rf_payload payload = {batch->schema, size, event};
    (void)rf_references_add_of_batch(&host.host, (struct rf_payloads){&payload, 1, 0}, batch->flex);
}
