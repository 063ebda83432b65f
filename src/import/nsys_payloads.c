/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_payloads.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_layouts.h"
#include "model/payload/payload_attach.h"
#include "model/payload/nvtx_definitions.h"
#include "model/payload/payload_binary.h"

/* The payloads of one event. */
struct taken_set {
    uint32_t first, n_begin, n_end; /* items */
    uint32_t json;
    uint32_t scope; /* string, or RF_NO_STRING */
    bool is_placed;
};

/* While rows are read, `bytes` of an item is an offset in `bytes` here. */
struct nsys_payloads {
    struct rf_payload_item *item;
    uint32_t n_items;
    size_t item_room;
    struct taken_set *set;
    uint32_t n_sets;
    size_t set_room;
    uint8_t *bytes;
    size_t used, room;
    bool is_item_kept; /* the items are the recording's */
};

/* ---- Reading ---- */

/* Copies bytes. Returns where they stand, aligned as the program's were; SIZE_MAX: out of memory.
 */
static size_t copy_bytes(struct nsys_payloads *to, const char *bytes, size_t size)
{
    size_t at = (to->used + 7) & ~(size_t)7;
    if (to->room < at || to->room - at < size) {
        size_t room = to->room + to->room / 2 + size + 4096;
        uint8_t *more = realloc(to->bytes, room);
        if (more == NULL)
            return SIZE_MAX;
        to->bytes = more;
        to->room = room;
    }
    memcpy(to->bytes + at, bytes, size);
    to->used = at + size;
    return at;
}

/* Adds those that the begin, or the end, was given; *n: how many. */
static int add_items(struct nsys_payloads *to, struct rf_payload_binary_cursor cursor, size_t at,
                     const char *bytes, bool of_end, uint32_t *n)
{
    struct rf_payload_item item;
    bool is_end;
    *n = 0;
    while (rf_payload_binary_next(&cursor, &item, &is_end)) {
        if (is_end != of_end)
            continue;
        if (rf_grow_array(&to->item, to->n_items, &to->item_room, sizeof(*to->item)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        size_t offset = (size_t)(item.bytes - (const uint8_t *)bytes);
        item.bytes = (const uint8_t *)(uintptr_t)(at + offset);
        item.definition = RF_NO_INDEX;
        to->item[to->n_items++] = item;
        (*n)++;
    }
    return RF_OK;
}

int nsys_add_payloads(struct nsys_load *load, const char *bytes, size_t size, uint32_t json,
                      struct rf_event *event, bool *is_taken)
{
    struct rf_payload_binary_cursor cursor;
    *is_taken = rf_payload_binary_begin(&cursor, bytes, size);
    if (!*is_taken)
        return RF_OK;
    if (load->payloads == NULL)
        load->payloads = calloc(1, sizeof(*load->payloads));
    struct nsys_payloads *to = load->payloads;
    size_t at = to != NULL ? copy_bytes(to, bytes, size) : SIZE_MAX;
    if (at == SIZE_MAX ||
        rf_grow_array(&to->set, to->n_sets, &to->set_room, sizeof(*to->set)) != RF_OK)
        return nsys_no_memory(load);
    struct taken_set set = {
        .first = to->n_items, .json = cursor.has_list ? RF_NO_STRING : json, .scope = RF_NO_STRING};
    int status = add_items(to, cursor, at, bytes, false, &set.n_begin);
    if (status == RF_OK)
        status = add_items(to, cursor, at, bytes, true, &set.n_end);
    event->payload = to->n_sets;
    event->payload_type = RF_TYPE_EXTENDED;
    event->flags |= cursor.is_bad ? RF_EVENT_BAD_PAYLOAD : 0;
    to->set[to->n_sets++] = set;
    return nsys_memory_status(load, status == RF_OK);
}

void nsys_set_place(struct nsys_load *load, const struct rf_event *event, uint32_t scope,
                    bool is_placed)
{
    load->payloads->set[event->payload].scope = scope;
    load->payloads->set[event->payload].is_placed = is_placed;
}

/* ---- Events ---- */

/* The items and their bytes become the recording's. */
static int keep_memory(struct nsys_load *load)
{
    struct nsys_payloads *from = load->payloads;
    rf_recording *rec = load->rec;
    if (rec->payloads == NULL)
        rec->payloads = calloc(1, sizeof(*rec->payloads));
    struct rf_payloads *all = rec->payloads;
    if (all == NULL)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < from->n_items; i++)
        from->item[i].bytes = from->bytes + (uintptr_t)from->item[i].bytes;
    all->memory = calloc(2, sizeof(*all->memory));
    if (all->memory == NULL)
        return nsys_no_memory(load);
    all->memory_room = 2;
    all->memory[all->n_memory++] = from->item;
    all->memory[all->n_memory++] = from->bytes;
    from->bytes = NULL;
    from->is_item_kept = true;
    return RF_OK;
}

/* Text is better than bytes of which nothing is known. */
static bool is_text_better(const struct nsys_load *load, const struct taken_set *set,
                           const struct rf_event *event)
{
    const struct rf_payload_item *item = &load->payloads->item[set->first];
    return set->json != RF_NO_STRING && item->schema >= RF_NVTX_STATIC_IDS &&
           rf_nvtx_find(load->rec, RF_NVTX_DEF_SCHEMA, event->domain, item->schema) == RF_NO_INDEX;
}

static int attach(struct nsys_load *load, uint32_t process, struct rf_event *event)
{
    struct nsys_payloads *from = load->payloads;
    const struct taken_set *set = &from->set[event->payload];
    if (is_text_better(load, set, event)) {
        event->payload_type = RF_TYPE_JSON;
        event->payload = set->json;
        return RF_OK;
    }
    struct rf_payload_item *item = &from->item[set->first];
    const uint32_t scope = set->scope;
    const bool is_placed = set->is_placed;
    int status =
        rf_payload_attach(load->rec, event, process, (struct rf_payload_items){item, set->n_begin},
                          (struct rf_payload_items){item + set->n_begin, set->n_end});
    const struct rf_payloads *all = load->rec->payloads;
    if (status == RF_OK && event->payload_type == RF_TYPE_EXTENDED && event->payload < all->n) {
        all->set[event->payload].scope = scope;
        all->set[event->payload].is_placed = is_placed;
    }
    return status;
}

int nsys_finish_payloads(struct nsys_load *load)
{
    const rf_recording *rec = load->rec;
    int status = nsys_finish_layouts(load);
    if (status != RF_OK || load->payloads == NULL)
        return status;
    status = keep_memory(load);
    for (uint32_t t = 0; t < rec->n_threads && status == RF_OK; t++)
        for (size_t i = 0; i < rec->events[t].n && status == RF_OK; i++)
            if (rec->events[t].event[i].payload_type == RF_TYPE_EXTENDED)
                status = attach(load, rec->thread[t].process, &rec->events[t].event[i]);
    return nsys_memory_status(load, status == RF_OK);
}

void nsys_payloads_free(struct nsys_payloads *payloads)
{
    if (payloads == NULL)
        return;
    if (!payloads->is_item_kept)
        free(payloads->item);
    free(payloads->bytes);
    free(payloads->set);
    free(payloads);
}
