/* SPDX-License-Identifier: Apache-2.0 */
/* Seven bits in a byte, the lowest first; bit 7: there are more. */
#include "model/sums/value_list.h"

#include <stdlib.h>
#include <string.h>

#define MOST        10u /* bytes of a value */
#define FIRST_SIZE  64u
#define LATER_SIZES 4096u

struct rf_value_chunk {
    struct rf_value_chunk *next;
    uint32_t size, used;
    uint8_t byte[];
};

static bool add_chunk(struct rf_value_list *list)
{
    const uint32_t size = list->last == NULL ? FIRST_SIZE : LATER_SIZES;
    struct rf_value_chunk *chunk = malloc(sizeof(*chunk) + size);
    if (chunk == NULL)
        return false;
    *chunk = (struct rf_value_chunk){.size = size};
    *(list->last != NULL ? &list->last->next : &list->first) = chunk;
    list->last = chunk;
    return true;
}

bool rf_value_list_add(struct rf_value_list *list, uint64_t value)
{
    if ((list->last == NULL || list->last->size - list->last->used < MOST) && !add_chunk(list))
        return false;
    struct rf_value_chunk *chunk = list->last;
    for (; value >= 128; value >>= 7)
        chunk->byte[chunk->used++] = (uint8_t)(value | 128);
    chunk->byte[chunk->used++] = (uint8_t)value;
    list->n++;
    return true;
}

static uint64_t read_value(const uint8_t *byte, uint32_t *i)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (; byte[*i] >= 128; shift += 7)
        value |= (uint64_t)(byte[(*i)++] & 127) << shift;
    return value | (uint64_t)byte[(*i)++] << shift;
}

bool rf_value_list_each(const struct rf_value_list *list,
                        bool (*take)(void *context, uint64_t value), void *context)
{
    for (const struct rf_value_chunk *chunk = list->first; chunk != NULL; chunk = chunk->next)
        for (uint32_t i = 0; i < chunk->used;)
            if (!take(context, read_value(chunk->byte, &i)))
                return false;
    return true;
}

void rf_value_list_release(struct rf_value_list *list)
{
    for (struct rf_value_chunk *chunk = list->first; chunk != NULL;) {
        struct rf_value_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    memset(list, 0, sizeof(*list));
}
