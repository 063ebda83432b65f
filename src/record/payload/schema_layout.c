/* SPDX-License-Identifier: Apache-2.0 */
#include "record/payload/schema_layout.h"

#include "record/payload/entry_types.h"

struct rf_schema rf_schema_of(const struct rf_def *def)
{
    struct rf_schema s = {.def = def};
    uint64_t size = (uint64_t)def->n_words * 8;
    if (def->index != RF_NVTX_DEF_SCHEMA || size < sizeof(*def) + sizeof(*s.schema))
        return s;
    uint64_t room = (size - sizeof(*def) - sizeof(*s.schema)) / sizeof(*s.entry);
    s.schema = (const void *)(def + 1);
    s.entry = (const void *)(s.schema + 1);
    s.n_entries = s.schema->n_entries < room ? s.schema->n_entries : (uint32_t)room;
    return s;
}

bool rf_schema_finds_pointers(const struct rf_schema *s, rf_schema_finder *find, const void *where)
{
    for (uint32_t i = 0; i < s->n_entries; i++) {
        if (rf_entry_is_pointer(&s->entry[i]))
            return true;
        if (s->entry[i].type < RF_STATIC_IDS)
            continue;
        const struct rf_schema other = find(where, s->def->domain, s->entry[i].type);
        if (other.def == NULL || other.has_pointers)
            return true;
    }
    return false;
}
