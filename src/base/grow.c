/* SPDX-License-Identifier: Apache-2.0 */
#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/large_pages.h"
#include "rangefinder/rangefinder.h"

static int set_room(void *array, size_t more, size_t *room, size_t size)
{
    void *memory;
    memcpy(&memory, array, sizeof(memory)); /* a pointer of any type */
    memory = more <= SIZE_MAX / size ? realloc(memory, more * size) : NULL;
    if (memory == NULL)
        return RF_ERR_NO_MEMORY;
    rf_prefer_large_pages(memory, more * size);
    memcpy(array, &memory, sizeof(memory));
    *room = more;
    return RF_OK;
}

/* A large array grows by half: realloc() moves its pages without touching them. */
int rf_grow_array_now(void *array, size_t *room, size_t size)
{
    const size_t more = *room < 8 ? 8 : *room < 1024 ? 2 * *room : *room + *room / 2;
    if (*room >= UINT32_MAX)
        return RF_ERR_NO_MEMORY;
    return set_room(array, more > UINT32_MAX ? UINT32_MAX : more, room, size);
}

int rf_reserve_array(void *array, size_t n, size_t *room, size_t size)
{
    const size_t half_more = *room + *room / 2; /* it may come many times */
    if (n > UINT32_MAX)
        return RF_ERR_NO_MEMORY;
    return n <= *room ? RF_OK : set_room(array, n > half_more ? n : half_more, room, size);
}
