/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from a 64-bit number to a 32-bit one, from which entries can be removed. Keys come
 * from the program that is watched, so that the hash is seeded. */
#ifndef RF_CLI_TOP_TOP_MAP_H
#define RF_CLI_TOP_TOP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_NONE UINT32_MAX /* never a value */

struct top_map_entry {
    uint64_t key;
    uint32_t value; /* TOP_NONE: free */
};

/* All zero: empty. */
struct top_map {
    struct top_map_entry *entry;
    size_t n, room; /* room is 0 or a power of two */
    uint64_t seed;
};

uint32_t top_map_find(const struct top_map *map, uint64_t key);

/* Adds or replaces. false: out of memory. */
bool top_map_set(struct top_map *map, uint64_t key, uint32_t value);

/* Returns the value, or TOP_NONE. */
uint32_t top_map_remove(struct top_map *map, uint64_t key);

void top_map_release(struct top_map *map);

#endif
