/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/ext_records.h"

#include "record/payload/schema_table.h"
#include "record/process/session_page.h"

void rf_count_uncaptured(void)
{
    (void)__atomic_fetch_add(&rf_recorder.control->n_uncaptured, 1, __ATOMIC_RELAXED);
}

void rf_count_memory_call(void)
{
    (void)__atomic_fetch_add(&rf_recorder.control->n_memory_calls, 1, __ATOMIC_RELAXED);
}

void rf_emit_ext_value_slow(uint64_t word1, uint64_t counter, uint64_t value)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer != NULL)
        rf_write_ext_value(writer, end, rf_now(), word1, counter, value);
}

/* Begins the thread's writer and adds the record. False: it is not recorded. */
static bool begin(struct rf_bundle *b, enum rf_ext_kind kind, uint64_t domain,
                  const uint64_t *words, size_t n_words)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return false;
    rf_bundle_begin(b, writer, end, rf_now());
    b->at[1] = rf_ext_word1(kind, domain);
    for (size_t i = 0; i < n_words; i++)
        b->at[2 + i] = words[i];
    rf_bundle_add(b, rf_head(b->ticks, RF_REC_EXT, 2 + n_words), 2 + n_words);
    return true;
}

static void add_array(struct rf_bundle *b, uint64_t which, const struct rf_array *array)
{
    size_t size = array->bytes != NULL ? array->size : 0;
    if (RF_UNLIKELY(size > RF_MOST_PAYLOAD_SIZE)) {
        rf_count_lost(1, size);
        size = 0;
    }
    const uint64_t words[] = {which, size};
    rf_bundle_add_data(b, RF_DATA_ARRAY, words, 2, array->bytes, size);
}

void rf_emit_ext_arrays(enum rf_ext_kind kind, uint64_t domain, const uint64_t *words,
                        size_t n_words, const struct rf_array *arrays, size_t n_arrays)
{
    struct rf_bundle b;
    if (!begin(&b, kind, domain, words, n_words))
        return;
    for (size_t i = 0; i < n_arrays; i++)
        add_array(&b, i, &arrays[i]);
    rf_bundle_end(&b);
}

/* ---- Batches of events ---- */

struct batch_host {
    struct rf_batch_host host; /* first */
    const struct rf_batch *batch;
    const uint64_t *words;
};

static struct rf_schema find_schema(const void *where, uint64_t domain, uint64_t id)
{
    (void)where;
    return rf_schemas_find(domain, id);
}

/* What is not recorded is counted, as any other record. */
static bool write_events(struct rf_batch_host *host, const uint8_t *events, size_t size,
                         bool points)
{
    const struct batch_host *h = (const struct batch_host *)host;
    const struct rf_array all = {events, size}, flex = {h->batch->flex.bytes, h->batch->flex.size};
    struct rf_bundle b;
    if (!begin(&b, RF_EXT_EVENTS, h->batch->domain, h->words, RF_EVENTS_WORDS))
        return true;
    add_array(&b, 0, &all);
    add_array(&b, 1, &flex);
    if (points)
        rf_payloads_add_of_batch(&b, h->batch, events, size);
    rf_bundle_end(&b);
    return true;
}

static void count_lost(struct rf_batch_host *host, uint64_t n)
{
    (void)host;
    rf_count_lost(n, 0);
}

/* False: no event of it can point to something. */
RF_COLD static bool emit_pointing(const struct rf_batch *batch,
                                  const uint64_t words[RF_EVENTS_WORDS])
{
    struct batch_host host = {{find_schema, NULL, write_events, count_lost}, batch, words};
    if (batch->events == NULL || batch->size > RF_MOST_PAYLOAD_SIZE ||
        !rf_schemas_find(batch->domain, batch->schema).has_pointers)
        return false;
    (void)rf_batch_divide(&host.host, batch);
    return true;
}

void rf_emit_ext_events(const struct rf_batch *given, const uint64_t words[RF_EVENTS_WORDS])
{
    struct rf_batch batch = *given;
    if (RF_UNLIKELY(batch.flex.size > RF_MOST_PAYLOAD_SIZE)) {
        if (batch.flex.bytes != NULL)
            rf_count_lost(1, batch.flex.size);
        batch.flex.size = 0;
    }
    if (RF_UNLIKELY(rf_schemas_may_have_pointers(batch.schema)) && batch.size != 0 &&
        emit_pointing(&batch, words))
        return;
    struct batch_host host = {{.write = write_events}, &batch, words};
    (void)write_events(&host.host, batch.events, batch.size, false);
}

void rf_emit_ext_event(uint64_t domain, struct rf_payloads payloads)
{
    struct rf_bundle b;
    if (!begin(&b, RF_EXT_EVENT, domain, NULL, 0))
        return;
    rf_payloads_add(&b, payloads);
    rf_bundle_end(&b);
}
