/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas and enums as their definitions have them, for payloads whose pointers are followed. */
#ifndef RF_RECORD_PAYLOAD_SCHEMA_LAYOUT_H
#define RF_RECORD_PAYLOAD_SCHEMA_LAYOUT_H

#include <stdbool.h>

#include "log/layout.h"
#include "log/nvtx_ext.h"

/* A definition in memory, behind which its text is. */
struct rf_schema {
    const struct rf_def *def;           /* NULL: not known */
    const struct rf_schema_def *schema; /* NULL: an enum */
    const struct rf_schema_entry *entry;
    uint32_t n_entries;
    bool has_pointers;
};

/* Finds what an id of a domain stands for; def NULL: nothing. */
typedef struct rf_schema rf_schema_finder(const void *where, uint64_t domain, uint64_t id);

/* As many entries as the definition has room for; has_pointers is false. */
struct rf_schema rf_schema_of(const struct rf_def *def);

/* May a payload of it have pointers? What it refers to is looked for; what is not found may have
 * some. */
bool rf_schema_finds_pointers(const struct rf_schema *s, rf_schema_finder *find, const void *where);

#endif
