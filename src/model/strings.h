/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, each kept once: ids 0, 1, 2, ... in the order of first occurrence. The bytes lie in an
 * arena of large blocks and never move. */
#ifndef RF_MODEL_STRINGS_H
#define RF_MODEL_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct rf_string_entry {
    const char *text; /* NUL-ended */
    uint32_t size;    /* without the NUL */
    uint32_t hash;
};

struct rf_string_block {
    struct rf_string_block *next;
    char bytes[];
};

struct rf_strings {
    struct rf_string_entry *entry;
    uint32_t n;
    size_t room;
    uint32_t *slot; /* ids by hash, or RF_NO_STRING; n_slots is a power of two */
    uint32_t n_slots;
    uint64_t seed;
    struct rf_string_block *block; /* the newest one */
    size_t block_used, block_room;
};

/* seed: from rf_hash_seed(). */
void rf_strings_init(struct rf_strings *strings, uint64_t seed);
void rf_strings_release(struct rf_strings *strings);

/* The id of a string, which is added if it is new; RF_NO_STRING when out of memory. Beyond 4 GiB
 * text is cut. */
uint32_t rf_strings_add(struct rf_strings *strings, const char *text, size_t size);

/* The hash that these strings have for a text of at most UINT32_MAX - 1 bytes; other threads may
 * add strings meanwhile. rf_strings_add_hashed() is rf_strings_add() with it. */
uint32_t rf_strings_hash(const struct rf_strings *strings, const char *text, size_t size);
uint32_t rf_strings_add_hashed(struct rf_strings *strings, const char *text, size_t size,
                               uint32_t hash);

/* The id of a string; RF_NO_STRING: there is none. */
uint32_t rf_strings_find(const struct rf_strings *strings, const char *text, size_t size);

/* The same as rf_strings_add() for text in whole words: it ends at its first zero byte, at the
 * latest after n_words. The text of most records comes this way. */
uint32_t rf_strings_add_words(struct rf_strings *strings, const uint8_t *words, size_t n_words);

#endif
