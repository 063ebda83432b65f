/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/load/load.h"
#include "model/strings.h"

enum { SEMANTICS_SCOPE = 1, SEMANTICS_TIME = 2 };
#define MAX_DEPTH 8
#define MAX_SIZE  ((size_t)1 << 30) /* of a sample */
#define NAME_ROOM 512
#define MAX_READ  65536u

/* A group while it is laid out. */
struct group {
    struct rf_load *load;
    struct rf_nvtx_layout *to;
    int status;
    uint32_t n_left; /* numbers that may still be looked at: schemas may hold each other often */
    bool has_marks;  /* entries that are marked so are counters, and others are not */
};

static void add_number(struct group *g, uint32_t schema, const struct rf_payload_entry *entry,
                       size_t at, const char *name)
{
    struct rf_nvtx_layout *to = g->to;
    struct rf_semantics scope = {.value = 0};
    const struct rf_number_type type = rf_number_type_of(entry);
    if (type.form == RF_ENTRY_INVALID || to->n >= RF_NVTX_MAX_ENTRIES || at >= to->size ||
        type.size > to->size - at)
        return;
    uint32_t string = rf_strings_add(&g->load->rec->strings, name, strlen(name));
    if (string == RF_NO_STRING ||
        rf_grow_array(&to->entry, to->n, &to->room, sizeof(*to->entry)) != RF_OK) {
        g->status = RF_ERR_NO_MEMORY;
        return;
    }
    (void)rf_nvtx_semantics(rf_nvtx_definition_at(g->load->rec, schema), entry->semantics,
                            SEMANTICS_SCOPE, &scope);
    to->entry[to->n++] = (struct rf_nvtx_entry){.offset = at,
                                                .scope = scope.value,
                                                .type = type,
                                                .name = string,
                                                .description = entry->description,
                                                .schema = schema,
                                                .semantics = entry->semantics};
}

static void add_time(struct group *g, uint32_t schema, const struct rf_payload_entry *entry,
                     size_t at)
{
    struct rf_semantics time;
    const struct rf_number_type type = rf_number_type_of(entry);
    if (g->to->has_time || type.size != 8 || !rf_is_whole_number(&type) || at >= g->to->size ||
        type.size > g->to->size - at)
        return;
    g->to->has_time = true;
    g->to->time_offset = at;
    if (rf_nvtx_semantics(rf_nvtx_definition_at(g->load->rec, schema), entry->semantics,
                          SEMANTICS_TIME, &time))
        g->to->time_domain = time.value;
}

/* No numbers, also where they are marked: nvtx for Python marks all fields of a group. */
static bool is_text(const struct rf_payload_entry *entry)
{
    return (entry->flags & RF_ENTRY_ARRAY) != 0 &&
           (entry->form == RF_ENTRY_CHAR || entry->form == RF_ENTRY_BYTE);
}

static bool is_counter(const struct group *g, const struct rf_payload_entry *entry)
{
    if (g->has_marks)
        return (entry->flags & RF_ENTRY_ROLE) == RF_ENTRY_COUNTER;
    return (entry->flags & (RF_ENTRY_HIDE | RF_ENTRY_MESSAGE)) == 0;
}

/* "PREFIX.NAME", or "PREFIX.NAME[i]" of an array. */
static void name_entry(char name[NAME_ROOM], const char *prefix,
                       const struct rf_payload_entry *entry, uint32_t index, uint64_t i)
{
    char number[32], element[32] = "";
    (void)snprintf(number, sizeof(number), "%u", index);
    if ((entry->flags & RF_ENTRY_ARRAY) != 0)
        (void)snprintf(element, sizeof(element), "[%llu]", (unsigned long long)i);
    (void)snprintf(name, NAME_ROOM, "%s%s%s%s", prefix, prefix[0] != '\0' ? "." : "",
                   entry->name != NULL ? entry->name : number, element);
}

static void add_schema(struct group *g, uint32_t index, size_t base, const char *prefix, int depth);

static void add_entry(struct group *g, uint32_t schema, uint32_t index, size_t base,
                      const char *prefix, int depth)
{
    char name[NAME_ROOM];
    const struct rf_payload_entry *entry =
        &rf_payload_schema_at(g->load->rec, schema)->entry[index];
    const uint64_t array = entry->flags & RF_ENTRY_ARRAY;
    const uint64_t n = array == RF_ARRAY_NONE ? 1 : array == RF_ARRAY_FIXED ? entry->detail : 0;
    if (!entry->has_place || (entry->flags & RF_ENTRY_INDIRECT) != 0 || entry->size == 0 ||
        entry->at >= MAX_SIZE)
        return;
    if ((entry->flags & (RF_ENTRY_MESSAGE | RF_ENTRY_TIMESTAMP)) == RF_ENTRY_TIMESTAMP) {
        add_time(g, schema, entry, base + (size_t)entry->at);
        return;
    }
    const bool is_struct = entry->form == RF_ENTRY_STRUCT;
    for (uint64_t i = 0; i < n && g->n_left > 0 && g->status == RF_OK; i++) {
        const size_t at = base + (size_t)entry->at + (size_t)i * entry->size;
        g->n_left--;
        name_entry(name, prefix, entry, index, i);
        if (is_struct)
            add_schema(g, entry->target, at, name, depth + 1);
        else if (is_counter(g, entry) && !is_text(entry))
            add_number(g, schema, entry, at, name);
    }
}

static void add_schema(struct group *g, uint32_t index, size_t base, const char *prefix, int depth)
{
    const struct rf_payload_schema *schema = rf_payload_schema_at(g->load->rec, index);
    if (schema == NULL || schema->type != RF_SCHEMA_STATIC || depth > MAX_DEPTH)
        return;
    for (uint32_t i = 0; i < schema->n_entries && g->n_left > 0 && g->status == RF_OK; i++)
        add_entry(g, index, i, base, prefix, depth);
}

static void lay_out_group(struct group *g, uint32_t index)
{
    const struct rf_payload_schema *schema = rf_payload_schema_at(g->load->rec, index);
    if (schema == NULL || schema->size > MAX_SIZE)
        return;
    g->to->size = (size_t)schema->size;
    for (uint32_t i = 0; i < schema->n_entries; i++)
        g->has_marks |= (schema->entry[i].flags & RF_ENTRY_ROLE) == RF_ENTRY_COUNTER;
    add_schema(g, index, 0, "", 0);
}

static int lay_out_number(struct rf_nvtx_layout *layout, struct rf_number_type type)
{
    if (type.form == RF_ENTRY_INVALID)
        return RF_OK;
    if (rf_grow_array(&layout->entry, 0, &layout->room, sizeof(*layout->entry)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    layout->entry[0] =
        (struct rf_nvtx_entry){.type = type, .name = RF_NO_STRING, .schema = RF_NO_INDEX};
    layout->n = 1;
    layout->size = type.size;
    return RF_OK;
}

struct rf_nvtx_layout *rf_nvtx_layout_new(struct rf_load *load, uint32_t domain, uint64_t schema)
{
    const rf_recording *rec = load->rec;
    struct rf_nvtx_layout *layout = calloc(1, sizeof(*layout));
    struct group g = {.load = load, .to = layout, .n_left = MAX_READ};
    if (layout == NULL)
        return NULL;
    if (schema < RF_NVTX_STATIC_IDS) {
        const struct rf_payload_entry entry =
            rf_payload_predefined(rec, rec->domain[domain].process, schema);
        g.status = lay_out_number(layout, rf_number_type_of(&entry));
    } else {
        lay_out_group(&g, rf_nvtx_find(rec, RF_NVTX_DEF_SCHEMA, domain, schema));
    }
    if (g.status == RF_OK)
        return layout;
    rf_nvtx_layout_free(layout);
    return NULL;
}

struct rf_nvtx_layout *rf_nvtx_entry_layout(struct rf_load *load,
                                            const struct rf_payload_entry *entry, uint32_t name)
{
    struct rf_nvtx_layout *layout = calloc(1, sizeof(*layout));
    struct group g = {.load = load, .to = layout};
    if (layout == NULL)
        return NULL;
    layout->size = entry->size;
    add_number(&g, entry->schema, entry, 0, "");
    if (layout->n > 0)
        layout->entry[0].name = name;
    if (g.status == RF_OK)
        return layout;
    rf_nvtx_layout_free(layout);
    return NULL;
}

void rf_nvtx_layout_free(struct rf_nvtx_layout *layout)
{
    if (layout != NULL)
        free(layout->entry);
    free(layout);
}
