/* SPDX-License-Identifier: Apache-2.0 */
#include "model/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "log/chunks.h"
#include "rangefinder/rangefinder.h"

#define BLOCK_SIZE ((size_t)256 << 10)

void rf_strings_init(struct rf_strings *strings, uint64_t seed)
{
    memset(strings, 0, sizeof(*strings));
    strings->seed = seed | 1;
}

void rf_strings_release(struct rf_strings *strings)
{
    while (strings->block != NULL) {
        struct rf_string_block *next = strings->block->next;
        free(strings->block);
        strings->block = next;
    }
    free(strings->entry);
    free(strings->slot);
    memset(strings, 0, sizeof(*strings));
}

static char *arena_take(struct rf_strings *strings, size_t size)
{
    if (strings->block == NULL || size > strings->block_room - strings->block_used) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        struct rf_string_block *block = malloc(sizeof(*block) + room);
        if (block == NULL)
            return NULL;
        block->next = strings->block;
        strings->block = block;
        strings->block_room = room;
        strings->block_used = 0;
    }
    char *bytes = strings->block->bytes + strings->block_used;
    strings->block_used += size;
    return bytes;
}

static int grow_slots(struct rf_strings *strings)
{
    uint32_t n_slots = strings->n_slots == 0 ? 256 : 2 * strings->n_slots;
    uint32_t *slot = n_slots != 0 ? malloc((size_t)n_slots * sizeof(*slot)) : NULL;
    if (slot == NULL)
        return RF_ERR_NO_MEMORY;
    memset(slot, 0xff, (size_t)n_slots * sizeof(*slot));
    for (uint32_t id = 0; id < strings->n; id++) {
        uint32_t i = strings->entry[id].hash & (n_slots - 1);
        while (slot[i] != RF_NO_STRING)
            i = (i + 1) & (n_slots - 1);
        slot[i] = id;
    }
    free(strings->slot);
    strings->slot = slot;
    strings->n_slots = n_slots;
    return RF_OK;
}

static int make_room(struct rf_strings *strings)
{
    if (rf_grow_array(&strings->entry, strings->n, &strings->room, sizeof(*strings->entry)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    return 2 * (uint64_t)strings->n >= strings->n_slots ? grow_slots(strings) : RF_OK;
}

static inline uint32_t find(const struct rf_strings *strings, const char *text, size_t size,
                            uint32_t hash)
{
    if (strings->n_slots == 0)
        return RF_NO_STRING;
    for (uint32_t i = hash;; i++) {
        uint32_t id = strings->slot[i & (strings->n_slots - 1)];
        if (id == RF_NO_STRING)
            return id;
        const struct rf_string_entry *entry = &strings->entry[id];
        if (entry->hash == hash && entry->size == size && memcmp(entry->text, text, size) == 0)
            return id;
    }
}

static uint32_t intern(struct rf_strings *strings, const char *text, size_t size, uint32_t hash)
{
    uint32_t i = find(strings, text, size, hash);
    if (i != RF_NO_STRING)
        return i;
    if (make_room(strings) != RF_OK)
        return RF_NO_STRING;
    char *copy = arena_take(strings, size + 1);
    if (copy == NULL)
        return RF_NO_STRING;
    memcpy(copy, text, size);
    copy[size] = 0;
    for (i = hash; strings->slot[i & (strings->n_slots - 1)] != RF_NO_STRING; i++) {
    }
    strings->slot[i & (strings->n_slots - 1)] = strings->n;
    strings->entry[strings->n] = (struct rf_string_entry){copy, (uint32_t)size, hash};
    return strings->n++;
}

/* Both ways of adding hash the text in words, the last one filled up with zeros. */
static uint32_t finish_hash(uint64_t hash, size_t size, uint64_t seed)
{
    hash = rf_hash_mix(hash + size, seed);
    return (uint32_t)(hash ^ hash >> 32);
}

uint32_t rf_strings_hash(const struct rf_strings *strings, const char *text, size_t size)
{
    uint64_t hash = strings->seed;
    size_t at = 0;
    uint64_t word = 0;
    for (; size - at >= 8; at += 8)
        hash = rf_hash_mix(hash ^ rf_load64((const uint8_t *)text + at), strings->seed);
    if (at < size) {
        memcpy(&word, text + at, size - at);
        hash = rf_hash_mix(hash ^ word, strings->seed);
    }
    return finish_hash(hash, size, strings->seed);
}

uint32_t rf_strings_add(struct rf_strings *strings, const char *text, size_t size)
{
    if (size > UINT32_MAX - 1)
        size = UINT32_MAX - 1;
    return intern(strings, text, size, rf_strings_hash(strings, text, size));
}

uint32_t rf_strings_add_hashed(struct rf_strings *strings, const char *text, size_t size,
                               uint32_t hash)
{
    return intern(strings, text, size, hash);
}

uint32_t rf_strings_find(const struct rf_strings *strings, const char *text, size_t size)
{
    return size < UINT32_MAX ? find(strings, text, size, rf_strings_hash(strings, text, size))
                             : RF_NO_STRING;
}

uint32_t rf_strings_add_words(struct rf_strings *strings, const uint8_t *words, size_t n_words)
{
    uint64_t hash = strings->seed;
    size_t size = 8 * n_words;
    if (size > UINT32_MAX - 8)
        return rf_strings_add(strings, (const char *)words, strnlen((const char *)words, size));
    for (size_t i = 0; i < n_words; i++) {
        uint64_t word = rf_load64(words + 8 * i);
        /* the high bit of the lowest zero byte is set, and none below it */
        uint64_t zeros = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;
        if (zeros != 0) {
            int n_bits = __builtin_ctzll(zeros) & ~7;
            size = 8 * i + (size_t)n_bits / 8;
            word &= (1ULL << n_bits) - 1;
            if (n_bits != 0)
                hash = rf_hash_mix(hash ^ word, strings->seed);
            break;
        }
        hash = rf_hash_mix(hash ^ word, strings->seed);
    }
    return intern(strings, (const char *)words, size, finish_hash(hash, size, strings->seed));
}
