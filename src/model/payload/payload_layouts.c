/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_layouts.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/payload/payload_sets.h"
#include "model/payload/schemas.h"
#include "model/recording.h"

#define REGISTERED_STRING 80u /* NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE */

static int add(struct rf_payload_layouts *to, const rf_recording *rec,
               const struct rf_payload_layout *layout)
{
    const uint64_t key = (uint64_t)layout->process << 32 | layout->domain;
    const struct rf_payload_schema *schema = rf_payload_schema_at(rec, layout->index);
    if (rf_map_find(&to->is_listed, key, layout->index) != RF_MAP_NONE)
        return RF_OK;
    if (rf_map_set(&to->is_listed, key, layout->index, 1) != RF_OK ||
        rf_grow_array(&to->layout, to->n, &to->room, sizeof(*to->layout)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; schema != NULL && i < schema->n_entries; i++)
        to->has_strings |= schema->entry[i].form == RF_ENTRY_REGISTERED;
    to->layout[to->n] = *layout;
    to->layout[to->n++].definition = rf_nvtx_definition_at(rec, layout->index);
    return RF_OK;
}

static const rf_recording *unfiltered(const rf_recording *rec)
{
    while (rec->source != NULL)
        rec = rec->source;
    return rec;
}

/* ---- What processes defined ---- */

/* Whether a definition is the valid one of its id. */
static bool is_valid(const rf_recording *whole, uint32_t index)
{
    const struct rf_nvtx_definition *definition = rf_nvtx_definition_at(whole, index);
    return rf_nvtx_find_beside(whole, definition, definition->id) == index;
}

static int add_defined(struct rf_payload_layouts *to, const rf_recording *rec,
                       const uint32_t *process_of)
{
    const rf_recording *whole = unfiltered(rec);
    const struct rf_nvtx_definition *definition;
    int status = RF_OK;
    for (uint32_t i = 0; (definition = rf_nvtx_definition_at(whole, i)) != NULL && status == RF_OK;
         i++) {
        struct rf_payload_layout layout = {.index = i, .process = RF_NO_INDEX};
        bool is_shared = definition->process == RF_NO_INDEX;
        if ((definition->kind != RF_NVTX_DEF_SCHEMA && definition->kind != RF_NVTX_DEF_ENUM) ||
            !is_valid(whole, i))
            continue;
        layout.domain = is_shared ? definition->domain : whole->domain[definition->domain].id;
        if (!is_shared)
            layout.process = process_of[definition->process];
        if (is_shared || layout.process != RF_NO_INDEX)
            status = add(to, rec, &layout);
    }
    return status;
}

/* ---- What events use ---- */

/* The schemas and enums that one names, and those that these name: they stand behind it. */
static int add_nested(struct rf_payload_layouts *to, const rf_recording *rec, uint32_t first)
{
    int status = RF_OK;
    for (uint32_t k = first; k < to->n && status == RF_OK; k++) {
        struct rf_payload_layout layout = to->layout[k];
        const struct rf_payload_schema *schema = rf_payload_schema_at(rec, layout.index);
        for (uint32_t i = 0; schema != NULL && i < schema->n_entries && status == RF_OK; i++) {
            layout.index = schema->entry[i].target;
            if (layout.index != RF_NO_INDEX)
                status = add(to, rec, &layout);
        }
    }
    return status;
}

static int add_used(struct rf_payload_layouts *to, const rf_recording *rec, uint32_t process,
                    uint32_t domain, const struct rf_payload_group *group)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < group->n && status == RF_OK; i++) {
        const struct rf_payload_layout layout = {.index = group->item[i].definition,
                                                 .process = process,
                                                 .domain = rf_domain_at(rec, domain)->id};
        const struct rf_nvtx_definition *definition = rf_nvtx_definition_at(rec, layout.index);
        const uint32_t first = to->n;
        to->has_strings |= group->item[i].schema == REGISTERED_STRING;
        if (definition == NULL || definition->process == to->source[process] ||
            definition->process == RF_NO_INDEX)
            continue;
        status = add(to, rec, &layout);
        if (status == RF_OK)
            status = add_nested(to, rec, first);
    }
    return status;
}

static int add_used_by(struct rf_payload_layouts *to, const rf_recording *rec, uint32_t thread)
{
    const struct rf_thread_events *events = &rec->events[thread];
    const uint32_t process = rec->thread[thread].process;
    int status = RF_OK;
    for (size_t i = 0; i < events->n && status == RF_OK; i++) {
        const struct rf_event *event = &events->event[i];
        const struct rf_payload_set *set = rf_payload_set_of(rec, event);
        if (set == NULL)
            continue;
        status = add_used(to, rec, process, event->domain, &set->begin);
        if (status == RF_OK)
            status = add_used(to, rec, process, event->domain, &set->end);
    }
    return status;
}

/* ---- Processes ---- */

static const struct rf_payload_set *first_set(const struct rf_thread_events *events,
                                              const rf_recording *rec)
{
    const struct rf_payload_set *set = NULL;
    for (size_t i = 0; i < events->n && set == NULL; i++)
        set = rf_payload_set_of(rec, &events->event[i]);
    return set;
}

/* Filters number processes anew; payloads know what their process was before. process_of: the
 * reverse. */
static void find_processes(struct rf_payload_layouts *to, const rf_recording *rec,
                           uint32_t *process_of)
{
    const uint32_t n_whole = unfiltered(rec)->n_processes;
    for (uint32_t i = 0; i < rec->n_processes; i++)
        to->source[i] = rec->source == NULL ? i : RF_NO_INDEX;
    for (uint32_t i = 0; i < n_whole; i++)
        process_of[i] = rec->source == NULL ? i : RF_NO_INDEX;
    for (uint32_t i = 0; rec->source != NULL && i < rec->n_threads; i++) {
        const uint32_t process = rec->thread[i].process;
        const struct rf_payload_set *set =
            to->source[process] == RF_NO_INDEX ? first_set(&rec->events[i], rec) : NULL;
        if (set == NULL || set->process >= n_whole)
            continue;
        to->source[process] = set->process;
        process_of[set->process] = process;
    }
}

int rf_payload_layouts_find(struct rf_payload_layouts *to, const rf_recording *rec)
{
    *to = (struct rf_payload_layouts){.n = 0};
    if (rec->nvtx == NULL && rec->payloads == NULL)
        return RF_OK;
    uint32_t *process_of = calloc((size_t)unfiltered(rec)->n_processes + 1, sizeof(*process_of));
    to->source = calloc((size_t)rec->n_processes + 1, sizeof(*to->source));
    int status = process_of != NULL && to->source != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        find_processes(to, rec, process_of);
        status = add_defined(to, rec, process_of);
    }
    for (uint32_t i = 0; i < rec->n_threads && rec->payloads != NULL && status == RF_OK; i++)
        status = add_used_by(to, rec, i);
    free(process_of);
    return status;
}

void rf_payload_layouts_release(struct rf_payload_layouts *layouts)
{
    free(layouts->layout);
    free(layouts->source);
    rf_map_release(&layouts->is_listed);
    *layouts = (struct rf_payload_layouts){.n = 0};
}

/* ---- Sizes, strings ---- */

bool rf_payload_other_size(const rf_recording *rec, uint32_t process, uint32_t type,
                           struct rf_type_size *size)
{
    const struct rf_nvtx_definition *sizes = rf_nvtx_type_sizes(unfiltered(rec), process);
    const struct rf_payload_entry usual = rf_payload_predefined(rec, RF_NO_INDEX, type);
    return sizes != NULL && rf_nvtx_read(sizes, type * sizeof(*size), size, sizeof(*size)) &&
           size->size != 0 && (size->size != usual.size || size->align != usual.align);
}

static int compare_strings(const void *left, const void *right)
{
    const struct rf_payload_string *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->handle < b->handle ? -1 : a->handle > b->handle;
}

int rf_payload_strings_list(struct rf_payload_strings *strings, const rf_recording *rec)
{
    static const struct rf_map none;
    const struct rf_map *map = rec->payloads != NULL ? &rec->payloads->string_of : &none;
    struct rf_payload_string *string = calloc(map->n + 1, sizeof(*string));
    size_t n = 0;
    *strings = (struct rf_payload_strings){string, 0};
    if (string == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < map->room && n < map->n; i++)
        if (map->entry[i].value != RF_MAP_NONE)
            string[n++] =
                (struct rf_payload_string){map->entry[i].a, map->entry[i].b, map->entry[i].value};
    qsort(string, n, sizeof(*string), compare_strings);
    strings->n = n;
    return RF_OK;
}

/* The first string of a process, or of one behind it. */
static size_t first_of(const struct rf_payload_strings *strings, uint64_t process)
{
    size_t first = 0, last = strings->n;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (strings->string[middle].process < process)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

const struct rf_payload_string *rf_payload_strings_of(const struct rf_payload_strings *strings,
                                                      uint32_t process, size_t *n)
{
    size_t first = first_of(strings, process);
    *n = first_of(strings, (uint64_t)process + 1) - first;
    return strings->string + first;
}

uint32_t rf_payload_line_of(const rf_recording *rec, uint32_t process,
                            uint32_t line[RF_PAYLOAD_FORK_DEPTH])
{
    const rf_recording *whole = unfiltered(rec);
    uint32_t n = 0;
    for (; process < whole->n_processes && n < RF_PAYLOAD_FORK_DEPTH; n++) {
        line[n] = process;
        process = whole->process[process].parent;
    }
    return n;
}
