/* SPDX-License-Identifier: Apache-2.0 */
/* What the handles in records stand for: strings, domains, objects. A forked process knows those of
 * its parent too. */
#include "model/load/handles.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"

#define MAX_FORK_DEPTH 256 /* a lookup passes through that many processes at most */
#define NULL_NAME      (1ULL << 32)

int rf_load_add_handle(struct rf_load *load, struct rf_map *map, uint32_t process, uint64_t handle,
                       uint64_t ticks, uint32_t value)
{
    if (rf_grow_array(&load->handle, load->n_handles, &load->handle_room, sizeof(*load->handle)) !=
            RF_OK ||
        rf_map_set(map, process, handle, load->n_handles) != RF_OK)
        return RF_ERR_NO_MEMORY;
    load->handle[load->n_handles++] = (struct rf_load_handle){.ticks = ticks, .value = value};
    return RF_OK;
}

int rf_load_add_string(struct rf_load *load, uint32_t process, uint64_t handle, uint64_t domain,
                       uint64_t ticks, uint32_t text)
{
    int status = rf_load_add_handle(load, &load->string_of, process, handle, ticks, text);
    if (status == RF_OK)
        load->handle[load->n_handles - 1].domain = domain;
    return status;
}

int rf_load_add_gone(struct rf_load *load, uint32_t process, uint64_t handle, uint32_t domain,
                     uint64_t ticks)
{
    if (load->domain_gone[domain] == UINT64_MAX)
        load->domain_gone[domain] = ticks;
    return rf_map_find(&load->gone, process, handle) != RF_MAP_NONE
               ? RF_OK
               : rf_load_add_handle(load, &load->gone, process, handle, ticks, domain);
}

static const struct rf_load_handle *
find_handle(const struct rf_load *load, const struct rf_map *map, uint32_t process, uint64_t handle)
{
    uint64_t limit = UINT64_MAX;
    for (int i = 0; i < MAX_FORK_DEPTH && process != RF_NO_INDEX; i++) {
        uint32_t found = rf_map_find(map, process, handle);
        if (found != RF_MAP_NONE && load->handle[found].ticks <= limit)
            return &load->handle[found];
        if (load->process[process].fork_ticks < limit)
            limit = load->process[process].fork_ticks;
        process = load->process[process].fork_of;
    }
    return NULL;
}

/* When the domain of a string was destroyed: in the process, or before the forks in its ancestors,
 * up to the one that registered the string. */
static uint64_t find_gone(const struct rf_load *load, uint32_t process,
                          const struct rf_load_handle *string, uint64_t handle)
{
    uint64_t limit = UINT64_MAX, first = UINT64_MAX;
    for (int i = 0; i < MAX_FORK_DEPTH && process != RF_NO_INDEX; i++) {
        uint32_t gone = rf_map_find(&load->gone, process, string->domain);
        uint32_t own = rf_map_find(&load->string_of, process, handle);
        if (gone != RF_MAP_NONE && load->handle[gone].ticks <= limit &&
            load->handle[gone].ticks < first)
            first = load->handle[gone].ticks;
        if (own != RF_MAP_NONE && &load->handle[own] == string)
            break;
        if (load->process[process].fork_ticks < limit)
            limit = load->process[process].fork_ticks;
        process = load->process[process].fork_of;
    }
    return first;
}

const struct rf_load_handle *rf_load_find_string(const struct rf_load *load, uint32_t process,
                                                 uint64_t handle, uint64_t *gone_ticks)
{
    const struct rf_load_handle *found = find_handle(load, &load->string_of, process, handle);
    *gone_ticks = UINT64_MAX;
    if (found != NULL && load->n_destroys > 0 && found->domain != 0)
        *gone_ticks = find_gone(load, process, found, handle);
    return found;
}

uint32_t rf_load_add_domain(struct rf_load *load, const struct rf_domain *domain, uint64_t ticks,
                            uint32_t parent)
{
    rf_recording *rec = load->rec;
    size_t room = rec->domain_room, room2 = room, room3 = room, room4 = room;
    if (rf_grow_array(&rec->domain, rec->n_domains, &room, sizeof(*rec->domain)) != RF_OK ||
        rf_grow_array(&rec->domain_parent, rec->n_domains, &room2, sizeof(*rec->domain_parent)) !=
            RF_OK ||
        rf_grow_array(&load->domain_ticks, rec->n_domains, &room3, sizeof(*load->domain_ticks)) !=
            RF_OK ||
        rf_grow_array(&load->domain_gone, rec->n_domains, &room4, sizeof(*load->domain_gone)) !=
            RF_OK)
        return RF_NO_INDEX;
    rec->domain_room = room;
    rec->domain[rec->n_domains] = *domain;
    rec->domain_parent[rec->n_domains] = parent;
    load->domain_ticks[rec->n_domains] = ticks;
    load->domain_gone[rec->n_domains] = UINT64_MAX;
    return rec->n_domains++;
}

static uint64_t name_key(uint32_t name)
{
    return name == RF_NO_STRING ? NULL_NAME : name;
}

/* The domain of this name in the nearest process that this one was forked from. */
static uint32_t find_inherited(const struct rf_load *load, uint32_t process, uint32_t name)
{
    uint64_t limit = load->process[process].fork_ticks;
    process = load->process[process].fork_of;
    for (int i = 0; i < MAX_FORK_DEPTH && process != RF_NO_INDEX; i++) {
        uint32_t found = rf_map_find(&load->domain_by_name, process, name_key(name));
        if (found != RF_MAP_NONE && load->domain_ticks[found] <= limit)
            return load->domain_gone[found] <= limit ? RF_NO_INDEX : found;
        if (load->process[process].fork_ticks < limit)
            limit = load->process[process].fork_ticks;
        process = load->process[process].fork_of;
    }
    return RF_NO_INDEX;
}

uint32_t rf_load_named_domain(struct rf_load *load, uint32_t process, uint32_t name, uint64_t ticks,
                              bool *is_new)
{
    uint32_t found = rf_map_find(&load->domain_by_name, process, name_key(name));
    *is_new = found == RF_MAP_NONE || load->domain_gone[found] != UINT64_MAX;
    if (!*is_new)
        return found;
    struct rf_domain domain = {.process = process, .name = name, .is_valid = true};
    uint32_t parent =
        found == RF_MAP_NONE ? find_inherited(load, process, name) : RF_NO_INDEX; /* another life */
    uint32_t index = rf_load_add_domain(load, &domain, ticks, parent);
    if (index != RF_NO_INDEX &&
        rf_map_set(&load->domain_by_name, process, name_key(name), index) != RF_OK)
        return RF_NO_INDEX;
    return index;
}

static uint32_t bad_domain(struct rf_load *load, uint32_t process, uint64_t handle)
{
    uint32_t index = rf_map_find(&load->bad_domain, process, handle);
    if (index != RF_MAP_NONE)
        return index;
    struct rf_domain domain = {.process = process,
                               .id = handle < UINT32_MAX ? (uint32_t)handle : UINT32_MAX,
                               .name = RF_NO_STRING,
                               .handle = handle};
    index = rf_load_add_domain(load, &domain, UINT64_MAX, RF_NO_INDEX);
    if (index != RF_NO_INDEX && rf_map_set(&load->bad_domain, process, handle, index) != RF_OK)
        return RF_NO_INDEX;
    return index;
}

uint32_t rf_load_domain(struct rf_load *load, uint32_t process, uint64_t handle)
{
    bool is_new;
    if (handle == 0)
        return load->process[process].default_domain;
    const struct rf_load_handle *found = find_handle(load, &load->domain_of, process, handle);
    if (found == NULL)
        return bad_domain(load, process, handle);
    const struct rf_domain *domain = &load->rec->domain[found->value];
    if (domain->process == process)
        return found->value;
    uint32_t own = rf_map_find(&load->own_domain, process, found->value);
    if (own != RF_MAP_NONE)
        return own;
    own = rf_load_named_domain(load, process, domain->name, load->domain_ticks[found->value],
                               &is_new);
    if (own == RF_NO_INDEX || rf_map_set(&load->own_domain, process, found->value, own) != RF_OK)
        return RF_NO_INDEX;
    if (is_new) {
        if (rf_grow_array(&load->inherited, load->n_inherited, &load->inherited_room,
                          sizeof(*load->inherited)) != RF_OK)
            return RF_NO_INDEX;
        load->inherited[load->n_inherited++] = own;
    }
    return own;
}

uint32_t rf_load_object_domain(const struct rf_load *load, uint32_t process,
                               enum rf_load_object kind, uint64_t handle)
{
    uint32_t owner = process;
    for (int i = 0; i < MAX_FORK_DEPTH && owner != RF_NO_INDEX; i++) {
        uint32_t domain =
            rf_map_find(&load->object, (uint64_t)owner | (uint64_t)kind << 32, handle);
        if (domain != RF_MAP_NONE && owner == process)
            return domain;
        if (domain != RF_MAP_NONE)
            break; /* a parent's object: the domain is the parent's too, named by default here */
        owner = load->process[owner].fork_of;
    }
    return load->process[process].default_domain;
}

/* ---- The order of domains ---- */

struct met_domain {
    struct rf_domain domain;
    uint64_t ticks;
    uint32_t parent, index;
};

static int compare_met(const void *left, const void *right)
{
    const struct met_domain *a = left, *b = right;
    if (a->domain.process != b->domain.process)
        return a->domain.process < b->domain.process ? -1 : 1;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    if (a->domain.handle != b->domain.handle)
        return a->domain.handle < b->domain.handle ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void renumber_events(struct rf_load *load, const uint32_t *place)
{
    const uint32_t first = load->n_defined_domains;
    for (uint32_t i = 0; i < load->n_threads; i++) {
        struct rf_load_thread *thread = load->thread[i];
        for (size_t k = 0; k < thread->n; k++)
            if (thread->event[k].domain >= first)
                thread->event[k].domain = first + place[thread->event[k].domain - first];
    }
    for (uint32_t i = 0; i < load->n_inherited; i++)
        if (load->inherited[i] >= first)
            load->inherited[i] = first + place[load->inherited[i] - first];
    for (uint32_t i = 0; i < load->nvtx.n_counters; i++)
        if (load->nvtx.counter[i].domain >= first)
            load->nvtx.counter[i].domain = first + place[load->nvtx.counter[i].domain - first];
    for (uint32_t i = 0; i < load->nvtx.n_submitted; i++)
        if (load->nvtx.submitted[i].domain >= first)
            load->nvtx.submitted[i].domain = first + place[load->nvtx.submitted[i].domain - first];
}

static int renumber_counts(struct rf_load *load, struct rf_summed *summed, const uint32_t *place)
{
    const uint32_t first = load->n_defined_domains;
    uint64_t *of_domain = calloc((size_t)load->rec->n_domains + 1, sizeof(*of_domain));
    if (of_domain == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < load->rec->n_domains && i < summed->n_domains; i++)
        of_domain[i < first ? i : first + place[i - first]] = summed->of_domain[i];
    free(summed->of_domain);
    summed->of_domain = of_domain;
    summed->n_domains = load->rec->n_domains;
    return RF_OK;
}

/* The same of sums, in which nothing is looked up from here on. */
static int renumber_sums(struct rf_load *load, const uint32_t *place)
{
    const uint32_t first = load->n_defined_domains;
    int status = renumber_counts(load, &load->n_summed, place);
    if (status == RF_OK)
        status = renumber_counts(load, &load->n_selected, place);
    for (size_t i = 0; i < load->sums.n; i++) {
        uint32_t *domain = &load->sums.sum[i].key.domain;
        if (*domain >= first)
            *domain = first + place[*domain - first];
    }
    for (size_t i = 0; i < load->selection.n_found; i++) {
        uint32_t *domain = &load->selection.found[i].domain;
        if (*domain >= first)
            *domain = first + place[*domain - first];
    }
    return status;
}

static int compare_indices(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Domains that the decoders added stand in an order that depends on the workers; this sorts them
 * into one that depends on the recording only. There are few, and mostly none. */
int rf_load_order_domains(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    const uint32_t first = load->n_defined_domains, n = rec->n_domains - first;
    struct met_domain *met = n > 1 ? calloc(n, sizeof(*met)) : NULL;
    uint32_t *place = n > 1 ? calloc(n, sizeof(*place)) : NULL;
    bool is_ordered = true;
    int status = RF_OK;
    if (n > 1 && (met == NULL || place == NULL)) {
        free(met);
        free(place);
        return RF_ERR_NO_MEMORY;
    }
    for (uint32_t i = 0; i < n && n > 1; i++) {
        met[i] = (struct met_domain){rec->domain[first + i], load->domain_ticks[first + i],
                                     rec->domain_parent[first + i], i};
        is_ordered &= i == 0 || compare_met(&met[i - 1], &met[i]) < 0;
    }
    if (!is_ordered) {
        qsort(met, n, sizeof(*met), compare_met);
        for (uint32_t i = 0; i < n; i++) {
            rec->domain[first + i] = met[i].domain;
            load->domain_ticks[first + i] = met[i].ticks;
            rec->domain_parent[first + i] = met[i].parent;
            place[met[i].index] = i;
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t *parent = &rec->domain_parent[first + i];
            if (*parent != RF_NO_INDEX && *parent >= first)
                *parent = first + place[*parent - first];
        }
        renumber_events(load, place);
        status = renumber_sums(load, place);
    }
    if (load->n_inherited > 1)
        qsort(load->inherited, load->n_inherited, sizeof(*load->inherited), compare_indices);
    free(met);
    load->met_place = is_ordered ? NULL : place;
    if (is_ordered)
        free(place);
    return status;
}
