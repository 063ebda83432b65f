/* SPDX-License-Identifier: Apache-2.0 */
/* A counter is one of a domain, a schema and a name: "ENTRY", "STRUCT.ENTRY" or "ENTRY[0]". */
#include "model/nvtx/nvtx_entries.h"

#include <stdio.h>
#include <string.h>

#include "model/load/load.h"
#include "model/nvtx/nvtx_layout.h"
#include "model/nvtx/nvtx_tracks.h"
#include "model/payload/payload_visit.h"
#include "model/strings.h"

#define MAX_DEPTH 64u
#define NAME_ROOM 512u

/* The values that are visited lie in structs and arrays of which the names are known. */
struct sampling {
    struct rf_load *load;
    const struct rf_nvtx_moment *at;
    const struct rf_payload_entry *entry; /* of the value that is visited */
    char name[NAME_ROOM];
    size_t size[MAX_DEPTH];    /* of the name, before each of them */
    uint64_t index[MAX_DEPTH]; /* of the next value of an array */
    unsigned depth;
};

static void extend_name(struct sampling *s, const struct rf_value *value, size_t *size)
{
    const unsigned in = s->depth < MAX_DEPTH ? s->depth : MAX_DEPTH - 1;
    const size_t room = NAME_ROOM - *size;
    int n = 0;
    if (s->entry == NULL)
        return;
    if (value->name != NULL)
        n = snprintf(s->name + *size, room, "%s%s", *size > 0 ? "." : "", value->name);
    else
        n = snprintf(s->name + *size, room, "[%llu]", (unsigned long long)s->index[in]++);
    *size = n < 0 || (size_t)n >= room ? NAME_ROOM - 1 : *size + (size_t)n;
}

static void enter(struct sampling *s, size_t before)
{
    if (++s->depth >= MAX_DEPTH)
        return;
    s->size[s->depth] = before;
    s->index[s->depth] = 0;
}

static bool is_number(const struct rf_value *value)
{
    return (value->kind == RF_VALUE_UNSIGNED || value->kind == RF_VALUE_SIGNED ||
            value->kind == RF_VALUE_REAL) &&
           (value->flags & RF_VALUE_BAD) == 0;
}

static struct rf_nvtx_sample sample_of(const struct rf_value *value, int64_t ns)
{
    struct rf_nvtx_sample sample = {
        .ns = ns, .bits = value->number, .kind = RF_NVTX_SAMPLE_INTEGER};
    if (value->kind != RF_VALUE_REAL)
        return sample;
    sample.kind = RF_NVTX_SAMPLE_REAL;
    memcpy(&sample.bits, &value->real, sizeof(sample.bits));
    return sample;
}

static int add_sample(struct sampling *s, const struct rf_value *value, size_t size)
{
    struct rf_load *load = s->load;
    int status = RF_OK;
    const uint32_t name = rf_strings_add(&load->rec->strings, s->name, size);
    if (name == RF_NO_STRING)
        return RF_ERR_NO_MEMORY;
    const uint32_t counter = rf_nvtx_find_entry(load, s->at->domain, s->entry, name, &status);
    if (counter == RF_NO_INDEX)
        return status;
    const uint32_t track = rf_nvtx_find_tracks(load, counter, s->at->thread, &status);
    const struct rf_nvtx_sample sample = sample_of(value, s->at->ns);
    return status == RF_OK ? rf_nvtx_add_sample(load, track, &sample) : status;
}

static int take_value(void *context, const struct rf_value *value)
{
    struct sampling *s = context;
    size_t before = s->depth > 0 && s->depth < MAX_DEPTH ? strlen(s->name) : 0, size = before;
    int status = RF_OK;
    if (value->kind == RF_VALUE_END) {
        if (s->depth > 0 && s->depth < MAX_DEPTH)
            s->name[s->size[s->depth]] = '\0';
        s->depth -= s->depth > 0;
        return RF_OK;
    }
    extend_name(s, value, &size);
    if (value->kind == RF_VALUE_OBJECT || value->kind == RF_VALUE_ARRAY) {
        enter(s, before);
        return RF_OK;
    }
    if (s->entry != NULL && (s->entry->flags & RF_ENTRY_ROLE) == RF_ENTRY_COUNTER &&
        is_number(value))
        status = add_sample(s, value, size);
    s->name[before] = '\0';
    return status;
}

int rf_nvtx_sample_payloads(struct rf_load *load, const struct rf_nvtx_moment *at,
                            const struct rf_payload_group *group)
{
    struct sampling s = {.load = load, .at = at};
    bool has_counters = false;
    for (uint32_t i = 0; i < group->n && !has_counters; i++) {
        const struct rf_payload_schema *schema =
            rf_payload_schema_at(load->rec, group->item[i].definition);
        has_counters = schema != NULL && schema->has_counters;
    }
    return has_counters
               ? rf_payload_visit_entries(load->rec, at->process, group, take_value, &s, &s.entry)
               : RF_OK;
}
