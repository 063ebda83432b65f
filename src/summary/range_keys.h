/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for the names of ranges. Names of one domain and style that differ only by numbers, such
 * as "step 17" and "step 18", fold to one. */
#ifndef RF_SUMMARY_RANGE_KEYS_H
#define RF_SUMMARY_RANGE_KEYS_H

#include "base/map.h"
#include "rangefinder/rangefinder.h"

struct rf_range_key {
    uint32_t domain, name; /* the first domain of its name; string */
    uint32_t folded;       /* the first key whose name folds to the same text; may be itself */
};

struct rf_range_key_memo {
    uint64_t tag; /* domain and style; 0: none */
    uint32_t key;
};

struct rf_range_keys {
    const rf_recording *rec;
    uint32_t *same_domain;
    struct rf_map of_name;          /* (name, tag) to key */
    struct rf_map of_fold;          /* (hash of the folded name, tag and attempt) to key */
    struct rf_range_key_memo *memo; /* per string: the last key that was asked for */
    uint32_t n_strings;
    struct rf_range_key *key;
    size_t n, room;
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_range_keys_init(struct rf_range_keys *keys, const rf_recording *rec);
void rf_range_keys_release(struct rf_range_keys *keys);

/* Domain and style of a range; never 0. */
static inline uint64_t rf_range_keys_tag(const struct rf_range_keys *keys,
                                         const struct rf_event *range)
{
    return ((uint64_t)keys->same_domain[range->domain] << 8 | range->kind) + 1;
}

/* See rf_range_keys_find(). */
uint32_t rf_range_keys_look_up(struct rf_range_keys *keys, const struct rf_event *range);

/* The key of a range; RF_NO_INDEX: out of memory. */
static inline uint32_t rf_range_keys_find(struct rf_range_keys *keys, const struct rf_event *range)
{
    if (range->name < keys->n_strings &&
        keys->memo[range->name].tag == rf_range_keys_tag(keys, range))
        return keys->memo[range->name].key;
    return rf_range_keys_look_up(keys, range);
}

#endif
