/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "rangefinder/rangefinder.h"

uint64_t rf_hash_seed(void)
{
    uint64_t seed = 0;
    if (!rf_random_bytes(&seed, sizeof(seed), GRND_NONBLOCK)) {
        struct timespec ts;
        (void)clock_gettime(CLOCK_MONOTONIC, &ts);
        seed ^= (uint64_t)ts.tv_nsec << 32 ^ (uint64_t)ts.tv_sec ^ (uint64_t)(uintptr_t)&seed;
    }
    return seed;
}

static size_t slot_of(const struct rf_map *map, uint64_t a, uint64_t b)
{
    size_t i = (size_t)rf_hash_mix(rf_hash_mix(a, map->seed) + b, map->seed) & (map->room - 1);
    while (map->entry[i].value != RF_MAP_NONE && (map->entry[i].a != a || map->entry[i].b != b))
        i = (i + 1) & (map->room - 1);
    return i;
}

uint32_t rf_map_find(const struct rf_map *map, uint64_t a, uint64_t b)
{
    return map->room == 0 ? RF_MAP_NONE : map->entry[slot_of(map, a, b)].value;
}

static int grow(struct rf_map *map)
{
    struct rf_map old = *map;
    size_t room = old.room == 0 ? 16 : 2 * old.room;
    struct rf_map_entry *entry = malloc(room * sizeof(*entry));
    if (entry == NULL)
        return RF_ERR_NO_MEMORY;
    memset(entry, 0xff, room * sizeof(*entry));
    if (map->seed == 0)
        map->seed = rf_hash_seed() | 1;
    map->entry = entry;
    map->room = room;
    for (size_t i = 0; i < old.room; i++)
        if (old.entry[i].value != RF_MAP_NONE)
            entry[slot_of(map, old.entry[i].a, old.entry[i].b)] = old.entry[i];
    free(old.entry);
    return RF_OK;
}

int rf_map_set(struct rf_map *map, uint64_t a, uint64_t b, uint32_t value)
{
    if (4 * map->n >= 3 * map->room && grow(map) != RF_OK)
        return RF_ERR_NO_MEMORY;
    size_t i = slot_of(map, a, b);
    map->n += map->entry[i].value == RF_MAP_NONE;
    map->entry[i] = (struct rf_map_entry){a, b, value};
    return RF_OK;
}

void rf_map_release(struct rf_map *map)
{
    free(map->entry);
    memset(map, 0, sizeof(*map));
}
