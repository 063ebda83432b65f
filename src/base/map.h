/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from a pair of 64-bit numbers to a 32-bit one. Keys come from files, so that the hash
 * is seeded: nobody can write a file whose keys all collide. */
#ifndef RF_BASE_MAP_H
#define RF_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define RF_MAP_NONE UINT32_MAX /* never a value */

struct rf_map_entry {
    uint64_t a, b;
    uint32_t value; /* RF_MAP_NONE: free */
};

/* All zero: empty. */
struct rf_map {
    struct rf_map_entry *entry;
    size_t n, room; /* room is 0 or a power of two */
    uint64_t seed;
};

/* A seed for this run; differs from run to run. */
uint64_t rf_hash_seed(void);

/* Mixes two words into a hash. */
static inline uint64_t rf_hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128)(a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xd1b54a32d192ed03ULL);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The value of (a, b), or RF_MAP_NONE. */
uint32_t rf_map_find(const struct rf_map *map, uint64_t a, uint64_t b);

/* Adds or replaces. Returns 0, or RF_ERR_NO_MEMORY. */
int rf_map_set(struct rf_map *map, uint64_t a, uint64_t b, uint32_t value);

/* Empties it and frees its memory. */
void rf_map_release(struct rf_map *map);

#endif
