/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/range_keys.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/same_domains.h"

#define MAX_ATTEMPTS 64 /* names whose hashes collide; what comes after them folds to nothing */

int rf_range_keys_init(struct rf_range_keys *keys, const rf_recording *rec)
{
    *keys = (struct rf_range_keys){.rec = rec, .n_strings = rf_n_strings(rec)};
    keys->same_domain = rf_same_domains(rec);
    keys->memo = calloc((size_t)keys->n_strings + 1, sizeof(*keys->memo));
    return keys->same_domain != NULL && keys->memo != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_range_keys_release(struct rf_range_keys *keys)
{
    free(keys->same_domain);
    free(keys->memo);
    free(keys->key);
    rf_map_release(&keys->of_name);
    rf_map_release(&keys->of_fold);
}

/* ---- Folding ---- */

/* The bytes of a name with one # for each number. */
struct folded {
    const char *at, *end;
};

static struct folded fold(const rf_recording *rec, uint32_t name)
{
    size_t size = 0;
    const char *text = rf_string(rec, name, &size);
    return (struct folded){text, text != NULL ? text + size : NULL};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next byte, or -1 at the end. */
static int next_byte(struct folded *text)
{
    if (text->at == text->end)
        return -1;
    if (!is_digit(*text->at))
        return (unsigned char)*text->at++;
    while (text->at != text->end && is_digit(*text->at))
        text->at++;
    return '#';
}

static uint64_t hash_of(struct folded text)
{
    uint64_t hash = 0;
    for (int c = next_byte(&text); c >= 0; c = next_byte(&text))
        hash = rf_hash_mix(hash, (uint64_t)c + 1);
    return hash;
}

static bool is_same(struct folded a, struct folded b)
{
    int c;
    do {
        c = next_byte(&a);
        if (c != next_byte(&b))
            return false;
    } while (c >= 0);
    return true;
}

/* The first key whose name folds to the same text; `key` itself, which is added then, if there is
 * none. */
static int find_folded(struct rf_range_keys *keys, uint32_t key, uint64_t tag)
{
    struct folded text = fold(keys->rec, keys->key[key].name);
    uint64_t hash = hash_of(text);
    for (uint64_t i = 0; i < MAX_ATTEMPTS; i++) {
        uint32_t found = rf_map_find(&keys->of_fold, hash + i, tag);
        if (found == RF_MAP_NONE)
            return rf_map_set(&keys->of_fold, hash + i, tag, key);
        if (is_same(fold(keys->rec, keys->key[found].name), text)) {
            keys->key[key].folded = found;
            return RF_OK;
        }
    }
    return RF_OK;
}

/* ---- Keys ---- */

static uint32_t add_key(struct rf_range_keys *keys, uint32_t domain, uint32_t name, uint64_t tag)
{
    if (rf_grow_array(&keys->key, keys->n, &keys->room, sizeof(*keys->key)) != RF_OK)
        return RF_NO_INDEX;
    uint32_t key = (uint32_t)keys->n++;
    keys->key[key] = (struct rf_range_key){domain, name, key};
    if (rf_map_set(&keys->of_name, name, tag, key) != RF_OK)
        return RF_NO_INDEX;
    return name == RF_NO_STRING || find_folded(keys, key, tag) == RF_OK ? key : RF_NO_INDEX;
}

uint32_t rf_range_keys_look_up(struct rf_range_keys *keys, const struct rf_event *range)
{
    uint64_t tag = rf_range_keys_tag(keys, range);
    uint32_t key = rf_map_find(&keys->of_name, range->name, tag);
    if (key == RF_MAP_NONE)
        key = add_key(keys, keys->same_domain[range->domain], range->name, tag);
    if (range->name < keys->n_strings && key != RF_NO_INDEX)
        keys->memo[range->name] = (struct rf_range_key_memo){tag, key};
    return key;
}
