/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_pointers.h"

#include "nvtxw/nvtxw_defs.h"

struct host {
    struct rf_reference_host host; /* first */
    struct nvtxw_stream *stream;
    struct nvtxw_record *record; /* NULL: it is only counted */
    size_t n;
};

static struct rf_schema find(const void *where, uint64_t domain, uint64_t id)
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
    struct host *h = (struct host *)host;
    h->n++;
    if (h->record != NULL)
        nvtxw_record_add_cut(h->record, RF_DATA_REFERENCE, (uint64_t)(uintptr_t)address, address,
                             size, copied);
}

static void lose(struct nvtxw_stream *stream, uint64_t n, uint64_t bytes)
{
    struct rf_control *control = stream->session->dir.control;
    (void)__atomic_fetch_add(&control->lost_records, n, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&control->lost_bytes, bytes, __ATOMIC_RELAXED);
}

static void count_lost(struct rf_reference_host *host, uint64_t n, uint64_t bytes)
{
    const struct host *h = (const struct host *)host;
    if (h->record != NULL)
        lose(h->stream, n, bytes);
}

void nvtxw_pointers_count_lost(struct nvtxw_stream *stream, uint64_t n)
{
    lose(stream, n, 0);
}

static struct host host_of(struct nvtxw_stream *stream, struct nvtxw_record *record)
{
    return (struct host){{find, stream, add, count_lost}, stream, record, 0};
}

void nvtxw_pointers_add(struct nvtxw_record *record, struct rf_payloads payloads)
{
    struct host host = host_of(record->stream, record);
    for (size_t i = 0; i < payloads.n; i++)
        nvtxw_record_add_addressed(record, payloads.first[i].schema, payloads.first[i].bytes,
                                   payloads.first[i].size);
    rf_references_add(&host.host, payloads);
}

static size_t walk(struct host *host, uint64_t schema, const uint8_t *bytes, size_t size,
                   struct rf_flex flex)
{
    const struct rf_payload event = {schema, size, bytes};
    return rf_references_add_of_batch(&host->host, (struct rf_payloads){&event, 1, 0}, flex);
}

size_t nvtxw_pointers_measure(struct nvtxw_stream *stream, uint64_t schema, const uint8_t *bytes,
                              size_t left, struct rf_flex flex, bool *points)
{
    struct host host = host_of(stream, NULL);
    const size_t size = walk(&host, schema, bytes, left, flex);
    if (size < left) { /* what lies behind it is not in it */
        host.n = 0;
        (void)walk(&host, schema, bytes, size, flex);
    }
    *points = host.n > 0;
    return size;
}

void nvtxw_pointers_add_of_batch(struct nvtxw_record *record, uint64_t schema, const uint8_t *bytes,
                                 size_t size, struct rf_flex flex)
{
    struct host host = host_of(record->stream, record);
    (void)walk(&host, schema, bytes, size, flex);
}
