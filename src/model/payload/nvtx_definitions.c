/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/nvtx_definitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/payload/schemas.h"
#include "model/recording.h"

#define MAX_FORK_DEPTH 256
#define PROCESS_PLACE                                                                              \
    (1ULL << 63) /* what is unique in a process, or belongs to its default domain */
#define SHARED_PLACE (1ULL << 62) /* what belongs to a domain of this number, of any process */

static struct rf_map *map_of(struct rf_nvtx_definitions *all, uint32_t kind)
{
    switch (kind) {
    case RF_NVTX_DEF_SCHEMA:
    case RF_NVTX_DEF_ENUM:
        return &all->schema_of;
    case RF_NVTX_DEF_SCOPE:
        return &all->scope_of;
    case RF_NVTX_DEF_COUNTER:
        return &all->counter_of;
    case RF_NVTX_DEF_TYPE_SIZES:
        return &all->sizes_of;
    case RF_NVTX_DEF_TIME_DOMAIN:
        return &all->time_domain_of;
    case RF_NVTX_DEF_STREAM:
        return &all->stream_of;
    case RF_NVTX_DEF_HEAP:
        return &all->heap_of;
    default: /* of a later version */
        return NULL;
    }
}

static bool is_default(const struct rf_domain *domain)
{
    return domain->name == RF_NO_STRING && domain->is_valid;
}

/* In what an id is unique: a process or a domain. Domains without a name count as the default
 * domain, which a forked process has without inheriting it. */
static uint64_t place_of(const rf_recording *rec, uint32_t process, uint32_t domain, uint64_t id)
{
    if (id >= RF_NVTX_DYNAMIC_IDS || domain >= rec->n_domains || is_default(&rec->domain[domain]))
        return PROCESS_PLACE | process;
    return domain;
}

static uint64_t shared_place_of(uint32_t number, uint64_t id)
{
    return SHARED_PLACE | (id >= RF_NVTX_DYNAMIC_IDS ? 0 : number);
}

static struct rf_nvtx_definitions *all_of(rf_recording *rec)
{
    if (rec->nvtx == NULL)
        rec->nvtx = calloc(1, sizeof(*rec->nvtx));
    return rec->nvtx;
}

/* In what the id of a definition is unique. */
static uint64_t place_of_definition(const rf_recording *rec,
                                    const struct rf_nvtx_definition *definition)
{
    if (definition->kind == RF_NVTX_DEF_TYPE_SIZES || definition->kind == RF_NVTX_DEF_STREAM)
        return definition->process;
    return definition->process == RF_NO_INDEX
               ? shared_place_of(definition->domain, definition->id)
               : place_of(rec, definition->process, definition->domain, definition->id);
}

int rf_nvtx_define(rf_recording *rec, const struct rf_nvtx_definition *definition)
{
    struct rf_nvtx_definitions *all = all_of(rec);
    struct rf_map *map = all != NULL ? map_of(all, definition->kind) : NULL;
    const bool is_relation = definition->kind == RF_NVTX_DEF_TIME_RELATION; /* it has no id */
    if (all == NULL)
        return RF_ERR_NO_MEMORY;
    if (map == NULL && !is_relation)
        return RF_OK;
    uint8_t *bytes = malloc((size_t)definition->size + 1);
    if (bytes == NULL ||
        rf_grow_array(&all->definition, all->n, &all->room, sizeof(*all->definition)) != RF_OK) {
        free(bytes);
        return RF_ERR_NO_MEMORY;
    }
    if (definition->size > 0)
        memcpy(bytes, definition->bytes, definition->size);
    bytes[definition->size] = 0;
    all->definition[all->n] = *definition;
    all->definition[all->n].bytes = bytes;
    all->n++;
    all->n_relations += is_relation;
    return is_relation ? RF_OK
                       : rf_map_set(map, place_of_definition(rec, definition),
                                    definition->kind == RF_NVTX_DEF_TYPE_SIZES ? 0 : definition->id,
                                    all->n - 1);
}

/* In a process, and in those that it was forked from. */
static uint32_t find_in_process(const rf_recording *rec, const struct rf_map *map, uint64_t base,
                                uint32_t process, uint64_t id)
{
    for (int i = 0; i < MAX_FORK_DEPTH && process < rec->n_processes; i++) {
        uint32_t found = rf_map_find(map, base | process, id);
        if (found != RF_MAP_NONE)
            return found;
        process = rec->process[process].parent;
    }
    return RF_NO_INDEX;
}

static uint32_t find_shared(const struct rf_map *map, uint32_t number, uint64_t id)
{
    uint32_t found = rf_map_find(map, shared_place_of(number, id), id);
    return found != RF_MAP_NONE ? found : RF_NO_INDEX;
}

/* In a domain, and in those that it was inherited from. */
static uint32_t find_in_domain(const rf_recording *rec, const struct rf_map *map, uint32_t domain,
                               uint64_t id)
{
    for (int i = 0; i < MAX_FORK_DEPTH && domain < rec->n_domains; i++) {
        uint32_t process = rec->domain[domain].process;
        if (place_of(rec, process, domain, id) != domain)
            return find_in_process(rec, map, PROCESS_PLACE, process, id);
        uint32_t found = rf_map_find(map, domain, id);
        if (found != RF_MAP_NONE)
            return found;
        domain = rec->domain_parent[domain];
    }
    return RF_NO_INDEX;
}

uint32_t rf_nvtx_find(const rf_recording *rec, enum rf_nvtx_def kind, uint32_t domain, uint64_t id)
{
    const struct rf_map *map = rec->nvtx != NULL ? map_of(rec->nvtx, kind) : NULL;
    if (map == NULL || map->n == 0 || domain >= rec->n_domains)
        return RF_NO_INDEX;
    uint32_t found = find_in_domain(rec, map, domain, id);
    return found != RF_NO_INDEX ? found : find_shared(map, rec->domain[domain].id, id);
}

uint32_t rf_nvtx_find_beside(const rf_recording *rec, const struct rf_nvtx_definition *definition,
                             uint64_t id)
{
    if (definition->process != RF_NO_INDEX)
        return rf_nvtx_find(rec, (enum rf_nvtx_def)definition->kind, definition->domain, id);
    return find_shared(map_of(rec->nvtx, definition->kind), definition->domain, id);
}

const struct rf_nvtx_definition *rf_nvtx_definition_at(const rf_recording *rec, uint32_t index)
{
    return rec->nvtx != NULL && index < rec->nvtx->n ? &rec->nvtx->definition[index] : NULL;
}

const struct rf_nvtx_definition *rf_nvtx_type_sizes(const rf_recording *rec, uint32_t process)
{
    if (rec->nvtx == NULL || rec->nvtx->sizes_of.n == 0)
        return NULL;
    return rf_nvtx_definition_at(rec, find_in_process(rec, &rec->nvtx->sizes_of, 0, process, 0));
}

bool rf_nvtx_stream_of(const rf_recording *rec, uint32_t process, uint32_t tid,
                       struct rf_stream_def *out)
{
    if (rec->nvtx == NULL || rec->nvtx->stream_of.n == 0)
        return false;
    const struct rf_nvtx_definition *definition =
        rf_nvtx_definition_at(rec, rf_map_find(&rec->nvtx->stream_of, process, tid));
    return definition != NULL && rf_nvtx_read(definition, 0, out, sizeof(*out));
}

bool rf_nvtx_read(const struct rf_nvtx_definition *definition, uint64_t offset, void *out,
                  size_t size)
{
    if (offset > definition->size || definition->size - offset < size)
        return false;
    memcpy(out, definition->bytes + offset, size);
    return true;
}

const char *rf_nvtx_text(const struct rf_nvtx_definition *definition, uint32_t offset)
{
    return offset != 0 && offset < definition->size ? (const char *)definition->bytes + offset
                                                    : NULL;
}

bool rf_nvtx_semantics(const struct rf_nvtx_definition *definition, uint32_t offset, uint16_t id,
                       struct rf_semantics *out)
{
    struct rf_semantics link;
    for (unsigned i = 0; i < RF_SEMANTICS_MOST && offset != 0; i++) {
        if (!rf_nvtx_read(definition, offset, &link, sizeof(link)))
            return false;
        if (link.id == id) {
            *out = link;
            return true;
        }
        offset = link.next;
    }
    return false;
}

void rf_nvtx_definitions_free(struct rf_nvtx_definitions *all)
{
    if (all == NULL)
        return;
    rf_payload_schemas_release(all);
    for (uint32_t i = 0; i < all->n; i++)
        free(all->definition[i].bytes);
    free(all->definition);
    rf_map_release(&all->schema_of);
    rf_map_release(&all->scope_of);
    rf_map_release(&all->counter_of);
    rf_map_release(&all->sizes_of);
    rf_map_release(&all->time_domain_of);
    rf_map_release(&all->stream_of);
    rf_map_release(&all->heap_of);
    free(all);
}
