/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_submitted.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/load/handles.h"
#include "model/load/payload_records.h"
#include "model/payload/payload_visit.h"

#define VALUES_PER_BYTE                                                                            \
    16 /* that events of a dynamic schema may consist of, to find where they end */
#define FEW_VALUES 4096

static void note(struct rf_load *load, enum rf_cuda_note what)
{
    load->cuda.n_notes[what]++;
}

static int add(struct rf_load *load, const struct rf_nvtx_submitted *event)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    if (event->group == 0 || rf_grow_array(&nvtx->submitted, nvtx->n_submitted,
                                           &nvtx->submitted_room, sizeof(*event)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    nvtx->submitted[nvtx->n_submitted++] = *event;
    return RF_OK;
}

/* Sets all but the payloads. */
static int begin(struct rf_load *load, const struct rf_nvtx_source *from, int64_t ns,
                 struct rf_nvtx_submitted *event)
{
    *event =
        (struct rf_nvtx_submitted){.ns = ns,
                                   .process = from->process,
                                   .thread = from->thread,
                                   .domain = rf_load_domain(load, from->process, from->domain)};
    return event->domain != RF_NO_INDEX ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_nvtx_take_event(struct rf_decoder *d, const struct rf_nvtx_source *from,
                       struct rf_stream_cursor *cursor, int64_t ns)
{
    struct rf_nvtx_submitted event;
    int status = begin(d->load, from, ns, &event);
    if (status != RF_OK)
        return status;
    event.group = rf_decode_data(d, cursor);
    if (d->is_out_of_memory)
        return RF_ERR_NO_MEMORY;
    if (event.group != 0 && from->thread != RF_NO_INDEX)
        return add(d->load, &event);
    note(d->load, RF_NOTE_EVENT_LEFT_OUT);
    return RF_OK;
}

/* ---- Batches ---- */

struct batch {
    struct rf_decoder *d;
    struct rf_nvtx_submitted event;
    struct rf_payload_item *item; /* an event; flexData; what the only event points to */
    uint32_t n_items;
    uint64_t size;        /* of an event; 0: it varies */
    uint64_t n_left;      /* values that may be decoded to find where events end */
    const uint8_t *bytes; /* of the events */
};

static int add_flex(struct batch *b, const struct rf_nvtx_data *data, const uint64_t *word)
{
    const struct rf_nvtx_array *array = &data->array[1];
    uint64_t at = 0;
    if (array->size == 0)
        return RF_OK;
    int status = rf_decode_bytes(b->d, rf_nvtx_bytes(data, 1), array->size, &at);
    b->n_items = 2;
    b->item[1] = (struct rf_payload_item){.schema = word[3],
                                          .size = array->size,
                                          .n_bytes = array->size,
                                          .address = word[4] != 0 ? word[4] + word[3] : 0,
                                          .bytes = (const uint8_t *)(uintptr_t)at,
                                          .definition = RF_NO_INDEX,
                                          .kind = RF_PAYLOAD_FLEX};
    return status;
}

/* The size of the event at an offset; 0: there is no whole one. */
static uint64_t size_at(struct batch *b, uint64_t at, uint64_t n_bytes)
{
    if (b->size != 0)
        return b->size <= n_bytes - at ? b->size : 0;
    struct rf_payload_item item = b->item[0];
    item.bytes = b->bytes + at;
    item.n_bytes = item.size = n_bytes - at;
    return rf_payload_measure(b->d->load->rec, b->event.process, &item, &b->n_left);
}

/* What pointers of the event lead to: of several events it is not said whose they are. */
static int add_references(struct batch *b, const struct rf_nvtx_data *data)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < data->n_references && status == RF_OK; i++) {
        const struct rf_nvtx_array *reference = &data->reference[i];
        uint64_t at = 0;
        status = rf_decode_bytes(b->d, data->byte + reference->first, reference->size, &at);
        b->item[b->n_items++] = (struct rf_payload_item){.size = reference->declared,
                                                         .n_bytes = reference->size,
                                                         .address = reference->address,
                                                         .bytes = (const uint8_t *)(uintptr_t)at,
                                                         .definition = RF_NO_INDEX,
                                                         .kind = RF_DATA_REFERENCE};
    }
    return status;
}

static int add_events(struct batch *b, const struct rf_nvtx_array *array)
{
    uint64_t kept = 0, at = 0, size;
    int status = rf_decode_bytes(b->d, b->bytes, array->size, &kept);
    while (status == RF_OK && at < array->size && (size = size_at(b, at, array->size)) != 0) {
        b->item[0].size = b->item[0].n_bytes = size;
        b->item[0].bytes = (const uint8_t *)(uintptr_t)(kept + at);
        b->event.group = rf_decode_items(b->d, b->item, b->n_items);
        status = add(b->d->load, &b->event);
        at += size;
    }
    if (at < array->declared)
        note(b->d->load, RF_NOTE_EVENT_SIZE);
    return status;
}

/* item: room for an event, flexData and the references. */
static int take_events(struct rf_payload_item *item, struct rf_decoder *d,
                       const struct rf_nvtx_source *from, const struct rf_nvtx_data *data,
                       const uint64_t *word, int64_t ns)
{
    const struct rf_nvtx_array *array = &data->array[0];
    struct batch b = {
        .d = d, .item = item, .n_items = 1, .n_left = FEW_VALUES + VALUES_PER_BYTE * array->size};
    int status = begin(d->load, from, ns, &b.event);
    if (status != RF_OK)
        return status;
    const uint32_t definition =
        rf_nvtx_find(d->load->rec, RF_NVTX_DEF_SCHEMA, b.event.domain, word[0]);
    const struct rf_payload_schema *schema = rf_payload_schema_at(d->load->rec, definition);
    if (schema == NULL || schema->type == 0 || from->thread == RF_NO_INDEX) {
        note(d->load, RF_NOTE_EVENT_LEFT_OUT);
        return RF_OK;
    }
    b.size = schema->type != RF_SCHEMA_DYNAMIC ? schema->size : 0;
    b.event.scope = word[1];
    b.bytes = rf_nvtx_bytes(data, 0);
    b.item[0] = (struct rf_payload_item){
        .schema = word[0], .definition = definition, .kind = RF_DATA_PAYLOAD};
    status = add_flex(&b, data, word);
    if (status == RF_OK && data->n_references > 0 && size_at(&b, 0, array->size) == array->size)
        status = add_references(&b, data);
    return status == RF_OK ? add_events(&b, array) : status;
}

int rf_nvtx_take_events(struct rf_decoder *d, const struct rf_nvtx_source *from,
                        const struct rf_nvtx_data *data, const uint64_t *word, int64_t ns)
{
    struct rf_payload_item few[2];
    struct rf_payload_item *item =
        data->n_references == 0 ? few : calloc(2 + (size_t)data->n_references, sizeof(*item));
    const int status = item != NULL ? take_events(item, d, from, data, word, ns) : RF_ERR_NO_MEMORY;
    if (item != few)
        free(item);
    return status;
}
