/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

static size_t place_of(const struct top_map *map, uint64_t key)
{
    return (size_t)rf_hash_mix(key, map->seed) & (map->room - 1);
}

/* Where the key is, or the free place where it would be. There is a free one. */
static size_t find_place(const struct top_map *map, uint64_t key)
{
    size_t i = place_of(map, key);
    while (map->entry[i].value != TOP_NONE && map->entry[i].key != key)
        i = (i + 1) & (map->room - 1);
    return i;
}

uint32_t top_map_find(const struct top_map *map, uint64_t key)
{
    return map->n == 0 ? TOP_NONE : map->entry[find_place(map, key)].value;
}

static bool grow(struct top_map *map)
{
    struct top_map larger = {.room = map->room != 0 ? 2 * map->room : 64, .seed = map->seed};
    if (larger.seed == 0)
        larger.seed = rf_hash_seed();
    larger.entry = malloc(larger.room * sizeof(*larger.entry));
    if (larger.entry == NULL)
        return false;
    memset(larger.entry, 0xff, larger.room * sizeof(*larger.entry)); /* TOP_NONE */
    for (size_t i = 0; i < map->room; i++)
        if (map->entry[i].value != TOP_NONE)
            larger.entry[find_place(&larger, map->entry[i].key)] = map->entry[i];
    larger.n = map->n;
    free(map->entry);
    *map = larger;
    return true;
}

bool top_map_set(struct top_map *map, uint64_t key, uint32_t value)
{
    if (2 * (map->n + 1) > map->room && !grow(map))
        return false;
    struct top_map_entry *entry = &map->entry[find_place(map, key)];
    map->n += entry->value == TOP_NONE;
    *entry = (struct top_map_entry){key, value};
    return true;
}

uint32_t top_map_remove(struct top_map *map, uint64_t key)
{
    const size_t mask = map->room - 1;
    if (map->n == 0)
        return TOP_NONE;
    size_t hole = find_place(map, key);
    const uint32_t value = map->entry[hole].value;
    if (value == TOP_NONE)
        return TOP_NONE;
    map->n--;
    /* those behind it that could not stand in their own places move up */
    for (size_t i = (hole + 1) & mask; map->entry[i].value != TOP_NONE; i = (i + 1) & mask)
        if (((i - place_of(map, map->entry[i].key)) & mask) >= ((i - hole) & mask)) {
            map->entry[hole] = map->entry[i];
            hole = i;
        }
    map->entry[hole].value = TOP_NONE;
    return value;
}

void top_map_release(struct top_map *map)
{
    free(map->entry);
    *map = (struct top_map){0};
}
