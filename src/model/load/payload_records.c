/* SPDX-License-Identifier: Apache-2.0 */
/* Each decoder collects items, and groups of them, in arrays of its own. When all are decoded, the
 * arrays become the recording's, and each event that has payloads gets a set. */
#include "model/load/payload_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/nvtx/nvtx_dated.h"
#include "model/payload/payload_attach.h"
#include "model/payload/schemas.h"

#define GROUP_BITS 40
#define NO_GROUP   0u /* groups count from 1 */

/* ---- Records ---- */

static struct rf_load_payloads *add_decoder(struct rf_load *load)
{
    struct rf_load_payloads *payloads = calloc(1, sizeof(*payloads));
    if (payloads == NULL || rf_grow_array(&load->payloads, load->n_payloads, &load->payloads_room,
                                          sizeof(*load->payloads)) != RF_OK) {
        free(payloads);
        return NULL;
    }
    payloads->index = (uint64_t)load->n_payloads << GROUP_BITS;
    load->payloads[load->n_payloads++] = payloads;
    return payloads;
}

static struct rf_load_payloads *payloads_of(struct rf_decoder *d)
{
    if (d->payloads == NULL) {
        (void)pthread_mutex_lock(&d->load->mutex);
        d->payloads = add_decoder(d->load);
        (void)pthread_mutex_unlock(&d->load->mutex);
        d->is_out_of_memory |= d->payloads == NULL;
    }
    return d->payloads;
}

static int append(struct rf_load_payloads *to, const uint8_t *bytes, size_t size)
{
    if (to->room - to->used < size) {
        size_t room = to->room + to->room / 2 + size + 4096;
        uint8_t *more = realloc(to->bytes, room);
        if (more == NULL)
            return RF_ERR_NO_MEMORY;
        to->bytes = more;
        to->room = room;
    }
    if (size > 0)
        memcpy(to->bytes + to->used, bytes, size);
    to->used += size;
    return RF_OK;
}

/* Adds bytes to the last item. */
static int add_bytes(struct rf_load_payloads *to, const uint8_t *bytes, size_t size)
{
    int status = append(to, bytes, size);
    if (status == RF_OK)
        to->item[to->n_items - 1].n_bytes += size;
    return status;
}

static int add_item(struct rf_load_payloads *to, const struct rf_payload_item *item)
{
    size_t at = (to->used + 7) & ~(size_t)7;
    if (rf_grow_array(&to->item, to->n_items, &to->item_room, sizeof(*to->item)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    to->item[to->n_items] = *item;
    to->item[to->n_items].definition = RF_NO_INDEX;
    if (to->room < at) /* nothing follows so far */
        at = to->used;
    to->item[to->n_items].bytes = (const uint8_t *)(uintptr_t)at;
    to->used = at;
    to->n_items++;
    return RF_OK;
}

static uint64_t add_group(struct rf_load_payloads *to, uint32_t first)
{
    if (rf_grow_array(&to->group, to->n_groups, &to->group_room, sizeof(*to->group)) != RF_OK)
        return NO_GROUP;
    to->group[to->n_groups++] = (struct rf_load_group){first, to->n_items - first, NO_GROUP};
    return to->index | to->n_groups;
}

/* One DATA record; those that make no sense are left out. */
static int take_record(struct rf_load_payloads *to, uint32_t first, const struct rf_record *record)
{
    uint64_t head = rf_load64(record->words + 8);
    struct rf_payload_item item = {.kind = (uint32_t)(head & 0xff)};
    uint32_t n_words = item.kind == RF_DATA_MORE                                  ? 2
                       : item.kind == RF_DATA_PAYLOAD && (head & RF_DATA_ADDRESS) ? 5
                                                                                  : 4;
    int status = RF_OK;
    if (record->n_words < n_words || item.kind < RF_DATA_PAYLOAD || item.kind > RF_DATA_MORE)
        return RF_OK;
    if (item.kind != RF_DATA_MORE) {
        uint64_t word = rf_load64(record->words + 16);
        item.size = rf_load64(record->words + 24);
        if (item.kind == RF_DATA_REFERENCE)
            item.address = word;
        else
            item.schema = word;
        if (n_words == 5)
            item.address = rf_load64(record->words + 32);
        status = add_item(to, &item);
    }
    if (status != RF_OK || to->n_items == first)
        return status;
    const struct rf_payload_item *last = &to->item[to->n_items - 1];
    uint64_t room = 8 * ((uint64_t)record->n_words - n_words);
    uint64_t size = last->size - last->n_bytes;
    return add_bytes(to, record->words + 8 * (size_t)n_words, (size_t)(size < room ? size : room));
}

uint64_t rf_decode_data(struct rf_decoder *d, struct rf_stream_cursor *cursor)
{
    struct rf_load_payloads *to = d->payloads;
    uint32_t first = to != NULL ? to->n_items : 0;
    bool has_any = false;
    for (;;) {
        struct rf_stream_cursor ahead = *cursor;
        struct rf_stream_part part = {.is_gap = false};
        struct rf_record record;
        enum rf_stream_step step = rf_stream_next(&ahead, &record, &part);
        if (step == RF_STREAM_PART && !part.is_gap)
            step = rf_stream_next(&ahead, &record, &part);
        if (step != RF_STREAM_RECORD || record.type != RF_REC_DATA || record.n_words < 2)
            break;
        to = payloads_of(d);
        if (to == NULL || take_record(to, first, &record) != RF_OK) {
            d->is_out_of_memory = true;
            return NO_GROUP;
        }
        has_any = true;
        *cursor = ahead;
    }
    uint64_t group = has_any ? add_group(to, first) : NO_GROUP;
    d->is_out_of_memory |= has_any && group == NO_GROUP;
    return group;
}

/* Other workers may add decoders to load->payloads: these are the decoder's own. */
const struct rf_payload_item *rf_decoding_items(const struct rf_decoder *d, uint64_t group,
                                                uint32_t *n)
{
    const struct rf_load_group *last =
        &d->payloads->group[(group & ((1ULL << GROUP_BITS) - 1)) - 1];
    *n = last->n;
    return *n > 0 ? &d->payloads->item[last->first] : NULL;
}

void rf_decode_forget(struct rf_decoder *d, uint64_t group)
{
    struct rf_load_payloads *from = d->payloads;
    uint32_t n;
    const struct rf_payload_item *first = rf_decoding_items(d, group, &n);
    if (n > 0)
        from->used = (size_t)(uintptr_t)first->bytes;
    from->n_items -= n;
    from->n_groups--;
}

int rf_decode_bytes(struct rf_decoder *d, const uint8_t *bytes, size_t size, uint64_t *at)
{
    struct rf_load_payloads *to = payloads_of(d);
    if (to == NULL)
        return RF_ERR_NO_MEMORY;
    to->used = to->room - to->used > 7 ? (to->used + 7) & ~(size_t)7 : to->used;
    *at = to->used;
    return append(to, bytes, size);
}

uint64_t rf_decode_items(struct rf_decoder *d, const struct rf_payload_item *item, uint32_t n)
{
    struct rf_load_payloads *to = payloads_of(d);
    uint32_t first = to != NULL ? to->n_items : 0;
    for (uint32_t i = 0; i < n && to != NULL; i++) {
        if (rf_grow_array(&to->item, to->n_items, &to->item_room, sizeof(*to->item)) != RF_OK)
            return NO_GROUP;
        to->item[to->n_items++] = item[i];
    }
    return to != NULL ? add_group(to, first) : NO_GROUP;
}

/* ---- Events ---- */

static struct rf_load_group *group_at(const struct rf_load *load, uint64_t group)
{
    uint64_t i = (group & ((1ULL << GROUP_BITS) - 1)) - 1;
    return &load->payloads[group >> GROUP_BITS]->group[i];
}

const struct rf_payload_item *rf_decoded_items(const struct rf_load *load, uint64_t group,
                                               uint32_t *n)
{
    *n = group != NO_GROUP ? group_at(load, group)->n : 0;
    return *n > 0 ? &load->payloads[group >> GROUP_BITS]->item[group_at(load, group)->first] : NULL;
}

/* A number that the event has as its payload, as the first item of a group. */
static int add_number(struct rf_load_payloads *to, const struct rf_event *event)
{
    static const struct {
        uint8_t type, size; /* NVTX_PAYLOAD_ENTRY_TYPE_ */
    } types[] = {[RF_TYPE_UINT64] = {18, 8}, [RF_TYPE_INT64] = {17, 8}, [RF_TYPE_DOUBLE] = {44, 8},
                 [RF_TYPE_UINT32] = {16, 4}, [RF_TYPE_INT32] = {15, 4}, [RF_TYPE_FLOAT] = {43, 4}};
    if (event->payload_type == RF_TYPE_NONE || event->payload_type > RF_TYPE_FLOAT)
        return RF_OK; /* of an unknown type: the pointer that NVTX passes beside payloads */
    struct rf_payload_item item = {.schema = types[event->payload_type].type,
                                   .size = types[event->payload_type].size,
                                   .kind = RF_DATA_PAYLOAD};
    int status = add_item(to, &item);
    return status == RF_OK ? add_bytes(to, (const uint8_t *)&event->payload, item.size) : status;
}

static void set_group(struct rf_event *event, uint64_t group)
{
    event->payload = group;
    event->payload_type = RF_TYPE_EXTENDED;
}

void rf_decode_payloads(struct rf_event *event, uint64_t group)
{
    if (group != NO_GROUP)
        set_group(event, group);
}

/* Several workers decode at once: `to` is the calling one's, and so is the group of its event. */
static int end_payloads(struct rf_load_payloads *to, struct rf_load_group *begin,
                        struct rf_event *event, uint64_t group)
{
    if (begin != NULL) {
        begin->end = group;
        return RF_OK;
    }
    uint32_t first = to->n_items;
    uint64_t own = add_number(to, event) == RF_OK ? add_group(to, first) : NO_GROUP;
    if (own == NO_GROUP)
        return RF_ERR_NO_MEMORY;
    to->group[to->n_groups - 1].end = group;
    set_group(event, own);
    return RF_OK;
}

void rf_decode_end_payloads(struct rf_decoder *d, struct rf_event *event, uint64_t group)
{
    struct rf_load_payloads *to = d->payloads;
    bool has_begin = event->payload_type == RF_TYPE_EXTENDED;
    if (group == NO_GROUP)
        return;
    uint64_t i = (event->payload & ((1ULL << GROUP_BITS) - 1)) - 1;
    if (end_payloads(to, has_begin ? &to->group[i] : NULL, event, group) != RF_OK)
        d->is_out_of_memory = true;
}

int rf_load_end_payloads(struct rf_load *load, struct rf_event *event, uint64_t group)
{
    bool has_begin = event->payload_type == RF_TYPE_EXTENDED;
    return end_payloads(load->payloads[group >> GROUP_BITS],
                        has_begin ? group_at(load, event->payload) : NULL, event, group);
}

/* ---- Sets ---- */

static struct rf_payload_items items_of(const struct rf_load *load, uint64_t group)
{
    struct rf_payload_items items = {.n = 0};
    if (group == NO_GROUP)
        return items;
    const struct rf_load_group *loaded = group_at(load, group);
    if (loaded->n == 0)
        return items;
    items.n = loaded->n;
    items.item = &load->payloads[group >> GROUP_BITS]->item[loaded->first];
    return items;
}

struct rf_payload_group rf_load_group(struct rf_load *load, uint32_t domain, uint64_t group)
{
    const struct rf_payload_items items = items_of(load, group);
    for (uint32_t i = 0; i < items.n; i++)
        if (items.item[i].schema >= RF_NVTX_STATIC_IDS && rf_payload_is_shown(&items.item[i]))
            items.item[i].definition =
                rf_nvtx_find(load->rec, RF_NVTX_DEF_SCHEMA, domain, items.item[i].schema);
    return (struct rf_payload_group){.item = items.item, .n = items.n};
}

void rf_load_join_groups(struct rf_load *load, uint64_t begin, uint64_t end)
{
    group_at(load, begin)->end = end;
}

int rf_load_attach(struct rf_load *load, uint32_t process, struct rf_event *event)
{
    return rf_payload_attach(load->rec, event, process, items_of(load, event->payload),
                             items_of(load, group_at(load, event->payload)->end));
}

/* The items and their bytes become the recording's. */
static int take_memory(struct rf_load *load)
{
    struct rf_payloads *all = load->rec->payloads;
    for (uint32_t i = 0; i < load->n_payloads; i++) {
        struct rf_load_payloads *from = load->payloads[i];
        for (uint32_t k = 0; k < from->n_items; k++)
            from->item[k].bytes = rf_decoding_bytes(from, &from->item[k]);
        void *memory[] = {from->item, from->bytes};
        for (size_t k = 0; k < 2; k++) {
            if (rf_grow_array(&all->memory, all->n_memory, &all->memory_room,
                              sizeof(*all->memory)) != RF_OK)
                return RF_ERR_NO_MEMORY;
            all->memory[all->n_memory++] = memory[k];
            if (k == 0)
                from->is_item_taken = true;
            else
                from->bytes = NULL;
        }
    }
    return RF_OK;
}

int rf_load_payloads(struct rf_load *load)
{
    struct rf_nvtx_clocks clocks = {.load = load};
    int status = RF_OK;
    if (load->n_payloads == 0)
        return RF_OK;
    if (load->rec->payloads == NULL)
        load->rec->payloads = calloc(1, sizeof(*load->rec->payloads));
    if (load->rec->payloads == NULL)
        return RF_ERR_NO_MEMORY;
    status = take_memory(load);
    for (uint32_t i = 0; i < load->n_threads && status == RF_OK; i++) {
        struct rf_load_thread *thread = load->thread[i];
        for (size_t k = 0; k < thread->n && status == RF_OK; k++) {
            if (thread->event[k].payload_type != RF_TYPE_EXTENDED)
                continue;
            status = rf_load_attach(load, thread->process, &thread->event[k]);
            if (status == RF_OK)
                status = rf_nvtx_date_event(&clocks, i, (uint32_t)k);
        }
    }
    rf_nvtx_clocks_release(&clocks);
    return status;
}

int rf_load_payload_strings(struct rf_load *load)
{
    int status = RF_OK;
    if (load->n_payloads == 0)
        return RF_OK;
    load->rec->payloads = calloc(1, sizeof(*load->rec->payloads));
    if (load->rec->payloads == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < load->string_of.room && status == RF_OK; i++) {
        const struct rf_map_entry *entry = &load->string_of.entry[i];
        if (entry->value != RF_MAP_NONE && load->handle[entry->value].value != RF_NO_STRING)
            status = rf_map_set(&load->rec->payloads->string_of, entry->a, entry->b,
                                load->handle[entry->value].value);
    }
    return status;
}

void rf_load_payloads_release(struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_payloads; i++) {
        struct rf_load_payloads *payloads = load->payloads[i];
        if (!payloads->is_item_taken)
            free(payloads->item);
        free(payloads->bytes);
        free(payloads->group);
        free(payloads);
    }
    free(load->payloads);
}
