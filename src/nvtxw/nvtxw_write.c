/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvtxw/nvtxw_defs.h"
#include "nvtxw/nvtxw_error.h"
#include "nvtxw/nvtxw_extents.h"
#include "nvtxw/nvtxw_pointers.h"
#include "nvtxw/nvtxw_records.h"
#include "record/payload/batch.h"
#include "record/payload/entry_types.h"

#define MOST_PAYLOADS     RF_MOST_PAYLOADS
#define MOST_PAYLOAD_SIZE RF_MOST_PAYLOAD_SIZE /* what a reader takes of one */
#define FEW_PAYLOADS      8u
#define BATCH_SIZE        ((size_t)32 << 10) /* of a record, where a batch can be divided */

enum { REASON_LAST = NVTX_COUNTER_SAMPLE_UNAVAILABLE };

static int enter(struct nvtxw_stream *stream)
{
    if (nvtxw_is_ours(stream->session)) {
        (void)pthread_mutex_lock(&stream->lock);
        if (nvtxw_stream_is_open(stream) && nvtxw_is_ours(stream->session))
            return NVTXW_SUCCESS;
        (void)pthread_mutex_unlock(&stream->lock);
    }
    return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the stream is closed");
}

static int leave(struct nvtxw_stream *stream, int result)
{
    (void)pthread_mutex_unlock(&stream->lock);
    return result;
}

/* ---- What ids stand for ---- */

static size_t place_of(uint64_t id)
{
    return (id ^ id >> 24) & (NVTXW_CACHED - 1);
}

static const struct nvtxw_schema *schema_of(struct nvtxw_stream *stream, uint64_t id)
{
    const struct nvtxw_schema **cached = &stream->schema[place_of(id)];
    if (*cached != NULL && (*cached)->id == id)
        return *cached;
    (void)pthread_mutex_lock(&stream->session->lock);
    const struct nvtxw_schema *found = nvtxw_schema_of(stream->domain, id);
    (void)pthread_mutex_unlock(&stream->session->lock);
    if (found != NULL)
        *cached = found;
    return found;
}

static const struct nvtxw_counter *counter_of(struct nvtxw_stream *stream, uint64_t id)
{
    const struct nvtxw_counter **cached = &stream->counter[place_of(id)];
    if (*cached != NULL && (*cached)->id == id)
        return *cached;
    (void)pthread_mutex_lock(&stream->session->lock);
    const struct nvtxw_counter *found = nvtxw_counter_of(stream->domain, id);
    (void)pthread_mutex_unlock(&stream->session->lock);
    if (found != NULL)
        *cached = found;
    return found;
}

static bool has_scope(struct nvtxw_stream *stream, uint64_t id)
{
    (void)pthread_mutex_lock(&stream->session->lock);
    const bool has = nvtxw_has_any_scope(stream->domain, id);
    (void)pthread_mutex_unlock(&stream->session->lock);
    return has;
}

static int unknown(const char *what, uint64_t id)
{
    return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "%s %llu is not registered in the stream's domain",
                      what, (unsigned long long)id);
}

/* ---- Times ---- */

/* Streams promise an order of one time of each event; times of different clocks are not compared.
 */
static void check_order(struct nvtxw_stream *stream, uint64_t role, int64_t time)
{
    struct nvtxw_order *order = &stream->order;
    struct nvtxw_extent *extent = stream->extent; /* of the time domain that was noted last */
    const bool is_range =
        role == NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN || role == NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END;
    if ((is_range && role != order->role) || extent == NULL || !extent->is_ordered)
        return;
    if (extent->has_latest && time < extent->latest) {
        const uint64_t earlier = (uint64_t)extent->latest - (uint64_t)time;
        order->n_broken += earlier > extent->skid;
        return;
    }
    extent->latest = time;
    extent->has_latest = true;
}

/* Unlike a length it may be negative. */
static int64_t read_time(uint64_t type, const uint8_t *bytes)
{
    const size_t size = rf_type_size(type);
    const bool is_signed = type % 2 == 1; /* NVTX_PAYLOAD_ENTRY_TYPE_SIZE is not */
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    const unsigned unused = 64 - 8 * (unsigned)size;
    return is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

static void note_event(struct nvtxw_stream *stream, const struct nvtxw_schema *schema,
                       const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < schema->n_stamps; i++) {
        const struct nvtxw_stamp *stamp = &schema->stamp[i];
        if (stamp->offset > size || size - stamp->offset < rf_type_size(stamp->type))
            continue;
        const int64_t time = read_time(stamp->type, bytes + stamp->offset);
        nvtxw_extents_note(stream, stamp->time_domain, time);
        if (stream->order.is_promised)
            check_order(stream, schema->n_stamps > 1 ? stamp->role : 0, time);
    }
}

/* ---- Events ---- */

/* The size of a text with the zero that ends it. */
static size_t text_size(const uint8_t *text, size_t unit)
{
    static const uint8_t zero[4];
    size_t size = 0;
    while (size < MOST_PAYLOAD_SIZE && memcmp(text + size, zero, unit) != 0)
        size += unit;
    return size + unit;
}

/* Checks a payload and finds out its size, where the program leaves that to the tool. may_point: is
 * set if pointers in it, or to it, are wanted. */
static int take_payload(struct nvtxw_stream *stream, const nvtxPayloadData_t *p,
                        struct rf_payload *to, bool *may_point)
{
    const struct nvtxw_schema *schema =
        p->schemaId >= NVTXW_STATIC_IDS ? schema_of(stream, p->schemaId) : NULL;
    const size_t fixed = schema != NULL ? schema->size : rf_type_size(p->schemaId);
    const bool is_free = p->schemaId == NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED ||
                         p->schemaId == NVTX_TYPE_PAYLOAD_SCHEMA_RAW;
    if (schema == NULL && rf_type_size(p->schemaId) == 0 && !is_free)
        return unknown("schema", p->schemaId);
    size_t size = p->payload == NULL ? 0 : p->size;
    if (size == SIZE_MAX && rf_type_is_text(p->schemaId))
        size = text_size(p->payload, fixed);
    else if (size == SIZE_MAX && fixed != 0)
        size = fixed;
    if (size > MOST_PAYLOAD_SIZE)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a payload has no size, or more than 256 MiB");
    if (schema == NULL && !is_free &&
        (size % fixed != 0 || (size == 0 && !rf_type_is_text(p->schemaId))))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a payload has %zu bytes, its type %llu has %zu",
                          size, (unsigned long long)p->schemaId, fixed);
    if (schema != NULL && size < schema->size)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT,
                          "a payload has %zu bytes, its schema %llu has %llu", size,
                          (unsigned long long)schema->id, (unsigned long long)schema->size);
    *to = (struct rf_payload){p->schemaId, size, p->payload};
    *may_point |= schema != NULL ? schema->layout.has_pointers : p->schemaId == RF_TYPE_REFERENCED;
    return NVTXW_SUCCESS;
}

static int write_payloads(struct nvtxw_stream *stream, const nvtxPayloadData_t *given, size_t n,
                          struct rf_payload *payload)
{
    struct nvtxw_record record;
    bool may_point = false;
    size_t whole = 0;
    for (size_t i = 0; i < n; i++) {
        int result = take_payload(stream, &given[i], &payload[i], &may_point);
        if (result != NVTXW_SUCCESS)
            return result;
        whole += payload[i].size + 48;
    }
    for (size_t i = 0; i < n; i++)
        if (payload[i].schema >= NVTXW_STATIC_IDS)
            note_event(stream, schema_of(stream, payload[i].schema), payload[i].bytes,
                       payload[i].size);
    nvtxw_record_begin(&record, stream, RF_EXT_EVENT, NULL, 0, whole);
    if (may_point)
        nvtxw_pointers_add(&record, (struct rf_payloads){payload, n, 0});
    for (size_t i = 0; i < n && !may_point; i++)
        nvtxw_record_add(&record, RF_DATA_PAYLOAD, payload[i].schema, payload[i].bytes,
                         payload[i].size);
    return nvtxw_record_end(&record);
}

static int write_event(struct nvtxw_stream *stream, const nvtxPayloadData_t *given, size_t n)
{
    struct rf_payload few[FEW_PAYLOADS];
    struct rf_payload *payload = n <= FEW_PAYLOADS ? few : calloc(n, sizeof(*payload));
    if (payload == NULL)
        return nvtxw_fail(NVTXW_FAILED, "out of memory");
    const int result = write_payloads(stream, given, n, payload);
    if (payload != few)
        free(payload);
    return result;
}

int nvtxw_event_write(struct nvtxw_stream *stream, const nvtxPayloadData_t *payloads, size_t n)
{
    if (n > MOST_PAYLOADS)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "an event has more than %u payloads",
                          MOST_PAYLOADS);
    int result = enter(stream);
    return result == NVTXW_SUCCESS ? leave(stream, write_event(stream, payloads, n)) : result;
}

/* ---- Batches ---- */

static struct rf_flex flex_of(const nvtxEventBatch_t *batch)
{
    const uint8_t *flex = batch->flexData;
    if (flex == NULL)
        return (struct rf_flex){.bytes = NULL};
    return (struct rf_flex){flex + batch->flexDataOffset, batch->flexDataSize,
                            batch->flexDataOffset};
}

/* A batch on its way into a stream. */
struct writer {
    struct rf_batch_host host; /* first */
    struct rf_batch batch;
    struct nvtxw_stream *stream;
    const nvtxEventBatch_t *given;
    int result;
};

static bool write_events(struct rf_batch_host *host, const uint8_t *events, size_t size,
                         bool points)
{
    struct writer *w = (struct writer *)host;
    const nvtxEventBatch_t *given = w->given;
    const struct rf_flex *flex = &w->batch.flex;
    const uint64_t words[] = {given->eventSchemaId, given->scope, given->flags,
                              given->flexDataOffset, (uint64_t)(uintptr_t)given->flexData};
    struct nvtxw_record record;
    nvtxw_record_begin(&record, w->stream, RF_EXT_EVENTS, words, 5, size + flex->size + 80);
    nvtxw_record_add(&record, RF_DATA_ARRAY, 0, events, size);
    if (flex->size > 0)
        nvtxw_record_add(&record, RF_DATA_ARRAY, 1, flex->bytes, flex->size);
    if (points)
        nvtxw_pointers_add_of_batch(&record, &w->batch, events, size);
    w->result = nvtxw_record_end(&record);
    return w->result == NVTXW_SUCCESS;
}

static void count_lost(struct rf_batch_host *host, uint64_t n)
{
    nvtxw_pointers_count_lost(((struct writer *)host)->stream, n);
}

static void note_events(const struct writer *w, const struct nvtxw_schema *schema)
{
    const struct rf_batch *batch = &w->batch;
    const size_t size =
        schema->size != 0 ? (size_t)schema->size : rf_batch_event_size(&w->host, batch);
    uint64_t may_look = rf_batch_look_limit(batch);
    for (size_t at = 0, n; schema->n_stamps > 0 && at < batch->size; at += n) {
        const size_t left = batch->size - at;
        bool points;
        n = size != 0 ? size : rf_batch_measure(&w->host, batch, 0, at, &may_look, &points, NULL);
        n = n == 0 || n > left ? left : n; /* what lies behind it is not known */
        note_event(w->stream, schema, batch->events + at, n);
    }
}

/* Events of one size are divided over as many records as they need, unless they share bytes. */
static int write_batch(struct nvtxw_stream *stream, const nvtxEventBatch_t *given,
                       const struct nvtxw_schema *schema)
{
    const size_t size = schema->size;
    struct writer w = {{nvtxw_pointers_find, stream, write_events, count_lost},
                       {schema->id, 0, given->events, given->size, flex_of(given)},
                       stream,
                       given,
                       NVTXW_SUCCESS};
    note_events(&w, schema);
    if (schema->layout.has_pointers) {
        (void)rf_batch_divide(&w.host, &w.batch);
        return w.result;
    }
    const bool is_divided = size != 0 && given->flexData == NULL && size <= BATCH_SIZE;
    const size_t most = is_divided ? BATCH_SIZE / size * size : given->size;
    if (given->size == 0 && size == 0)
        (void)write_events(&w.host, w.batch.events, 0, false);
    for (size_t at = 0; at < given->size && w.result == NVTXW_SUCCESS; at += most)
        (void)write_events(&w.host, w.batch.events + at,
                           given->size - at < most ? given->size - at : most, false);
    return w.result;
}

static int check_batch(struct nvtxw_stream *stream, const nvtxEventBatch_t *batch,
                       const struct nvtxw_schema **schema)
{
    *schema = schema_of(stream, batch->eventSchemaId);
    if (*schema == NULL)
        return unknown("schema", batch->eventSchemaId);
    if (batch->scope != 0 && !has_scope(stream, batch->scope))
        return unknown("scope", batch->scope);
    if (batch->events == NULL || batch->size > MOST_PAYLOAD_SIZE ||
        batch->flexDataSize > MOST_PAYLOAD_SIZE)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a batch has no events, or more than 256 MiB");
    if (!(*schema)->is_dynamic && (*schema)->size != 0 && batch->size % (*schema)->size != 0)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT,
                          "a batch of %zu bytes is no whole number of events of %llu bytes",
                          batch->size, (unsigned long long)(*schema)->size);
    return NVTXW_SUCCESS;
}

int nvtxw_event_batch_write(struct nvtxw_stream *stream, const nvtxEventBatch_t *batch)
{
    const struct nvtxw_schema *schema;
    int result = enter(stream);
    if (result != NVTXW_SUCCESS)
        return result;
    result = check_batch(stream, batch, &schema);
    if (result == NVTXW_SUCCESS)
        result = write_batch(stream, batch, schema);
    return leave(stream, result);
}

/* ---- Counters ---- */

static void note_sample(struct nvtxw_stream *stream, const struct nvtxw_counter *counter,
                        int64_t time)
{
    nvtxw_extents_note(stream, counter->time_domain, time);
    if (stream->order.is_promised)
        check_order(stream, 0, time);
}

/* A sample with its time: in three words, or as the bytes of its schema. */
static int write_sample(struct nvtxw_stream *stream, const struct nvtxw_counter *counter,
                        int64_t time, const void *data, size_t size)
{
    struct nvtxw_record record;
    const uint64_t schema = counter->schema;
    const bool is_real =
        schema == NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64 || schema == NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
    if (counter->size != 0 && size != counter->size)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a sample has %zu bytes, its counter %llu", size,
                          (unsigned long long)counter->size);
    note_sample(stream, counter, time);
    if (size == 8 && (is_real || schema == NVTX_PAYLOAD_ENTRY_TYPE_INT64)) {
        uint64_t words[3] = {counter->id, 0, (uint64_t)time};
        memcpy(&words[1], data, sizeof(words[1]));
        nvtxw_record_begin(&record, stream, is_real ? RF_EXT_FLOAT64 : RF_EXT_INT64, words, 3, 0);
        return nvtxw_record_end(&record);
    }
    const uint64_t words[2] = {counter->id, (uint64_t)time};
    nvtxw_record_begin(&record, stream, RF_EXT_SAMPLE, words, 2, size + 40);
    nvtxw_record_add(&record, RF_DATA_ARRAY, 0, data, size);
    return nvtxw_record_end(&record);
}

int nvtxw_counter_write(struct nvtxw_stream *stream, int64_t time, uint64_t id, const void *data,
                        size_t size)
{
    if (size > MOST_PAYLOAD_SIZE)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a sample has more than 256 MiB");
    int result = enter(stream);
    if (result != NVTXW_SUCCESS)
        return result;
    const struct nvtxw_counter *counter = counter_of(stream, id);
    return leave(stream, counter != NULL ? write_sample(stream, counter, time, data, size)
                                         : unknown("counter", id));
}

int nvtxw_counter_no_value_write(struct nvtxw_stream *stream, int64_t time, uint64_t id,
                                 uint8_t reason)
{
    const uint64_t words[3] = {id, reason, (uint64_t)time};
    struct nvtxw_record record;
    if (reason > REASON_LAST)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT,
                          "a sample has no value for no reason that is known");
    int result = enter(stream);
    if (result != NVTXW_SUCCESS)
        return result;
    const struct nvtxw_counter *counter = counter_of(stream, id);
    if (counter == NULL)
        return leave(stream, unknown("counter", id));
    note_sample(stream, counter, time);
    nvtxw_record_begin(&record, stream, RF_EXT_NO_VALUE, words, 3, 0);
    return leave(stream, nvtxw_record_end(&record));
}

/* n: SIZE_MAX if their size is not known. */
static void note_samples(struct nvtxw_stream *stream, const struct nvtxw_counter *counter,
                         const nvtxCounterBatch_t *batch, size_t n)
{
    const struct nvtxw_schema *schema =
        batch->timestamps == NULL && counter->schema >= NVTXW_STATIC_IDS
            ? schema_of(stream, counter->schema)
            : NULL;
    for (size_t i = 0; schema != NULL && counter->size != 0 && i < n; i++)
        note_event(stream, schema, (const uint8_t *)batch->counters + i * counter->size,
                   counter->size); /* samples that have their times */
    const size_t n_times = batch->timestamps != NULL ? batch->timestampsSize / 8 : 0;
    const int64_t *time = batch->timestamps;
    const bool is_begin = (batch->flags & NVTX_COUNTER_BATCH_FLAG_BEGINTIME_INTERVAL_PAIR) != 0;
    const bool is_end = (batch->flags & NVTX_COUNTER_BATCH_FLAG_ENDTIME_INTERVAL_PAIR) != 0;
    if ((is_begin || is_end) && n_times >= 2 && n > 0 && n != SIZE_MAX) {
        const uint64_t span = (uint64_t)time[1] * (n - 1);
        const uint64_t other = is_end ? (uint64_t)time[0] - span : (uint64_t)time[0] + span;
        nvtxw_extents_note(stream, counter->time_domain, time[0]);
        nvtxw_extents_note(stream, counter->time_domain, (int64_t)other);
        return;
    }
    for (size_t i = 0; i < n_times && i < n; i++)
        note_sample(stream, counter, time[i]);
}

static int write_samples(struct nvtxw_stream *stream, const nvtxCounterBatch_t *batch)
{
    const struct nvtxw_counter *counter = counter_of(stream, batch->counterId);
    const uint64_t words[2] = {batch->counterId, batch->flags};
    const size_t size = batch->countersSize;
    const size_t times_size = batch->timestamps != NULL ? batch->timestampsSize : 0;
    struct nvtxw_record record;
    if (counter == NULL)
        return unknown("counter", batch->counterId);
    if (batch->counters == NULL || size > MOST_PAYLOAD_SIZE || times_size > MOST_PAYLOAD_SIZE)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a batch has no samples, or more than 256 MiB");
    if (counter->size != 0 && size % counter->size != 0)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT,
                          "a batch of %zu bytes is no whole number of samples of %llu bytes", size,
                          (unsigned long long)counter->size);
    if (times_size % 8 != 0)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a batch has %zu bytes of timestamps",
                          times_size);
    note_samples(stream, counter, batch, counter->size != 0 ? size / counter->size : SIZE_MAX);
    nvtxw_record_begin(&record, stream, RF_EXT_BATCH, words, 2, size + times_size + 80);
    nvtxw_record_add(&record, RF_DATA_ARRAY, 0, batch->counters, size);
    if (batch->timestamps != NULL)
        nvtxw_record_add(&record, RF_DATA_ARRAY, 1, batch->timestamps, times_size);
    return nvtxw_record_end(&record);
}

int nvtxw_counter_batch_write(struct nvtxw_stream *stream, const nvtxCounterBatch_t *batch)
{
    int result = enter(stream);
    return result == NVTXW_SUCCESS ? leave(stream, write_samples(stream, batch)) : result;
}

/* ---- Clocks ---- */

static int relate(struct nvtxw_stream *stream, struct rf_time_relation *relation, size_t n)
{
    struct nvtxw_session *session = stream->session;
    int result = enter(stream);
    if (result != NVTXW_SUCCESS)
        return result;
    (void)pthread_mutex_lock(&session->lock);
    if (!nvtxw_has_time_domain(stream->domain, relation->from))
        result = unknown("time domain", relation->from);
    else if (!nvtxw_has_time_domain(stream->domain, relation->to))
        result = unknown("time domain", relation->to);
    while (n > 0 && result == NVTXW_SUCCESS) {
        relation->n_points = n < RF_MOST_SYNC_POINTS ? (uint32_t)n : RF_MOST_SYNC_POINTS;
        result = nvtxw_relate(stream->domain, relation);
        relation->point += relation->n_points;
        n -= relation->n_points;
    }
    (void)pthread_mutex_unlock(&session->lock);
    return leave(stream, result);
}

int nvtxw_time_sync_point_table_write(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                      const nvtxSyncPoint_t *points, size_t n)
{
    struct rf_time_relation relation = {.from = from, .to = to, .point = points};
    return relate(stream, &relation, n);
}

int nvtxw_timestamp_conversion_factor_write(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                            double slope, int64_t from_time, int64_t to_time)
{
    const nvtxSyncPoint_t point = {from_time, to_time};
    struct rf_time_relation relation = {.from = from, .to = to, .slope = slope, .point = &point};
    if (!isfinite(slope) || slope <= 0)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "a conversion factor is not above 0");
    return relate(stream, &relation, 1);
}
