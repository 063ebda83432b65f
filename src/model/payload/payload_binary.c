/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_binary.h"

#include <stdlib.h>
#include <string.h>

#include "log/chunks.h"

#define HEAD_SIZE 32u
#define ITEM_SIZE 40u
#define KIND_MASK 0xffu
#define MOST_FLEX 4096u  /* bytes of a batch that each of its events repeats */
#define OF_END    0x100u /* in kind: the end of a range was given it */

/* ---- Writing ---- */

static int make_room(struct rf_payload_binary *to, size_t size)
{
    if (to->room - to->n >= size)
        return RF_OK;
    size_t room = 2 * to->room + size + 256;
    uint8_t *bytes = realloc(to->bytes, room);
    if (bytes == NULL)
        return RF_ERR_NO_MEMORY;
    to->bytes = bytes;
    to->room = room;
    return RF_OK;
}

/* Adds numbers and then bytes. */
static int put(struct rf_payload_binary *to, const uint64_t *word, size_t n_words,
               const struct rf_payload_item *item)
{
    const size_t n_bytes = (size_t)item->n_bytes;
    if (make_room(to, 8 * n_words + n_bytes) != RF_OK)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n_words; i++, to->n += 8)
        memcpy(to->bytes + to->n, &word[i], 8);
    if (n_bytes > 0)
        memcpy(to->bytes + to->n, item->bytes, n_bytes);
    to->n += n_bytes;
    return RF_OK;
}

static int put_list(struct rf_payload_binary *to, const struct rf_payload_group *group,
                    uint64_t flags)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < group->n && status == RF_OK; i++) {
        const struct rf_payload_item *item = &group->item[i];
        const uint64_t word[] = {item->kind | flags, item->schema, item->size, item->n_bytes,
                                 item->address};
        status = put(to, word, ITEM_SIZE / 8, item);
    }
    return status;
}

/* The payload that readers are shown which know of one only. */
static const struct rf_payload_item *first_shown(const struct rf_payload_set *set)
{
    for (uint32_t i = 0; i < set->begin.n; i++)
        if (rf_payload_is_shown(&set->begin.item[i]))
            return &set->begin.item[i];
    for (uint32_t i = 0; i < set->end.n; i++)
        if (rf_payload_is_shown(&set->end.item[i]))
            return &set->end.item[i];
    return NULL;
}

/* Whether the first payload says everything. */
static bool is_simple(const struct rf_payload_set *set, const struct rf_event *event)
{
    const struct rf_payload_item *item = set->begin.item;
    return set->begin.n == 1 && set->end.n == 0 && rf_payload_is_shown(item) &&
           item->size == item->n_bytes && item->address == 0 &&
           (event->flags & RF_EVENT_BAD_PAYLOAD) == 0;
}

static bool has_large_flex(const struct rf_payload_group *group)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (group->item[i].kind == RF_PAYLOAD_FLEX && group->item[i].n_bytes > MOST_FLEX)
            return true;
    return false;
}

int rf_payload_binary_write(struct rf_payload_binary *to, const rf_recording *rec,
                            const struct rf_event *event, uint64_t domain)
{
    const struct rf_payload_set *set = rf_payload_set_of(rec, event);
    const struct rf_payload_item *first = set != NULL ? first_shown(set) : NULL;
    to->n = 0;
    if (first == NULL || has_large_flex(&set->begin) || has_large_flex(&set->end))
        return RF_OK;
    const uint64_t head[] = {domain, first->schema, first->n_bytes, HEAD_SIZE + first->n_bytes};
    int status = put(to, head, HEAD_SIZE / 8, first);
    if (status == RF_OK && !is_simple(set, event)) {
        status = put_list(to, &set->begin, 0);
        if (status == RF_OK)
            status = put_list(to, &set->end, OF_END);
    }
    return status;
}

void rf_payload_binary_release(struct rf_payload_binary *binary)
{
    free(binary->bytes);
    *binary = (struct rf_payload_binary){.bytes = NULL};
}

/* ---- Reading ---- */

static size_t bytes_left(const struct rf_payload_binary_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* Reads an item of the list, and moves behind it. */
static bool read_item(struct rf_payload_binary_cursor *cursor, struct rf_payload_item *item,
                      bool *is_end)
{
    if (bytes_left(cursor) < ITEM_SIZE)
        return false;
    uint64_t kind = rf_load64(cursor->at);
    *item = (struct rf_payload_item){.kind = (uint32_t)(kind & KIND_MASK),
                                     .schema = rf_load64(cursor->at + 8),
                                     .size = rf_load64(cursor->at + 16),
                                     .n_bytes = rf_load64(cursor->at + 24),
                                     .address = rf_load64(cursor->at + 32),
                                     .bytes = cursor->at + ITEM_SIZE};
    *is_end = (kind & OF_END) != 0;
    if (kind > (KIND_MASK | OF_END) ||
        (item->kind != RF_DATA_PAYLOAD && item->kind != RF_DATA_REFERENCE &&
         item->kind != RF_PAYLOAD_FLEX) ||
        item->n_bytes > item->size || item->n_bytes > bytes_left(cursor) - ITEM_SIZE)
        return false;
    cursor->at += ITEM_SIZE + (size_t)item->n_bytes;
    return true;
}

/* Whether a list of items fills the bytes that are left. */
static bool is_list(struct rf_payload_binary_cursor cursor)
{
    struct rf_payload_item item;
    bool is_end;
    while (cursor.at < cursor.end)
        if (!read_item(&cursor, &item, &is_end))
            return false;
    return true;
}

bool rf_payload_binary_begin(struct rf_payload_binary_cursor *cursor, const void *bytes,
                             size_t size)
{
    *cursor = (struct rf_payload_binary_cursor){.at = bytes};
    if (size < HEAD_SIZE)
        return false;
    cursor->end = cursor->at + size;
    const uint64_t n_bytes = rf_load64(cursor->at + 16);
    if (n_bytes > size - HEAD_SIZE || rf_load64(cursor->at + 24) != HEAD_SIZE + n_bytes)
        return false;
    if (n_bytes == size - HEAD_SIZE)
        return true;
    struct rf_payload_binary_cursor list = *cursor;
    list.at += HEAD_SIZE + n_bytes;
    list.has_list = is_list(list);
    if (list.has_list)
        *cursor = list;
    else
        cursor->is_bad = true;
    return true;
}

bool rf_payload_binary_next(struct rf_payload_binary_cursor *cursor, struct rf_payload_item *item,
                            bool *is_end)
{
    if (cursor->at == cursor->end)
        return false;
    if (cursor->has_list)
        return read_item(cursor, item, is_end);
    *is_end = false;
    *item = (struct rf_payload_item){.kind = RF_DATA_PAYLOAD,
                                     .schema = rf_load64(cursor->at + 8),
                                     .size = rf_load64(cursor->at + 16),
                                     .n_bytes = rf_load64(cursor->at + 16),
                                     .bytes = cursor->at + HEAD_SIZE};
    cursor->at = cursor->end;
    return true;
}
