/* SPDX-License-Identifier: Apache-2.0 */
/* Where the values of a counter lie in the bytes of a sample: one number, or those entries of a
 * schema that are counters. */
#ifndef RF_MODEL_NVTX_NVTX_LAYOUT_H
#define RF_MODEL_NVTX_NVTX_LAYOUT_H

#include "model/nvtx/nvtx_number.h"

#define RF_NVTX_MAX_ENTRIES 1024u

struct rf_nvtx_layout {
    size_t size; /* of a sample */
    bool is_group;
    bool has_time; /* a sample has its time in it */
    size_t time_offset;
    uint64_t time_domain; /* of the entry; 0: that of the counter */
    uint32_t n;
    size_t room;
    struct rf_nvtx_entry {
        size_t offset;
        struct rf_number_type type;
        uint32_t name;           /* string; RF_NO_STRING: of no group */
        const char *description; /* NULL: none */
        uint32_t schema;         /* definition; RF_NO_INDEX: of no group */
        uint32_t semantics;      /* in it */
        uint64_t scope;          /* that they say; 0: that of the counter */
    } * entry;
};

struct rf_load;

/* The layout of a counter of a domain. n is 0 where its schema is not known or has no numbers.
 * Returns NULL when out of memory; the caller frees it by rf_nvtx_layout_free(). */
struct rf_nvtx_layout *rf_nvtx_layout_new(struct rf_load *load, uint32_t domain, uint64_t schema);
/* That of a number alone, with the name of an entry of payloads. Returns as above. */
struct rf_nvtx_layout *rf_nvtx_entry_layout(struct rf_load *load,
                                            const struct rf_payload_entry *entry, uint32_t name);
void rf_nvtx_layout_free(struct rf_nvtx_layout *layout);

#endif
