/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_tracks.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/load/handles.h"
#include "model/load/load.h"
#include "model/nvtx/nvtx_columns.h"
#include "model/nvtx/nvtx_layout.h"
#include "model/nvtx/nvtx_scope.h"
#include "model/payload/nvtx_definitions.h"
#include "model/sums/sample_sums.h"

enum { SEMANTICS_TIME = 2, SCOPE_PROCESS = 21, TYPE_UINT64 = 18 };

/* Takes its layout; NULL there is a lack of memory, too. */
static int keep_counter(struct rf_nvtx_load *nvtx, const struct rf_nvtx_use *use)
{
    if (use->layout == NULL || rf_grow_array(&nvtx->counter, nvtx->n_counters, &nvtx->counter_room,
                                             sizeof(*nvtx->counter)) != RF_OK) {
        rf_nvtx_layout_free(use->layout);
        return RF_ERR_NO_MEMORY;
    }
    nvtx->counter[nvtx->n_counters++] = *use;
    return RF_OK;
}

static int add_counter(struct rf_load *load, uint32_t domain, uint32_t definition,
                       const struct rf_counter_def *head)
{
    struct rf_semantics time;
    struct rf_nvtx_use use = {.definition = definition, .domain = domain, .scope = head->scope};
    if (rf_nvtx_semantics(rf_nvtx_definition_at(load->rec, definition), head->semantics,
                          SEMANTICS_TIME, &time))
        use.time_domain = time.value;
    use.layout = rf_nvtx_layout_new(load, domain, head->schema);
    return keep_counter(&load->nvtx, &use);
}

uint32_t rf_nvtx_find_counter(struct rf_load *load, const struct rf_nvtx_source *from, uint64_t id,
                              int *status)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    const uint64_t key = (uint64_t)from->process << 32 | (from->domain & UINT32_MAX);
    uint32_t i = rf_map_find(&nvtx->counter_of, key, id);
    if (i != RF_MAP_NONE)
        return i;
    struct rf_counter_def head;
    uint32_t domain = rf_load_domain(load, from->process, from->domain);
    uint32_t definition = rf_nvtx_find(load->rec, RF_NVTX_DEF_COUNTER, domain, id);
    if (domain == RF_NO_INDEX)
        *status = RF_ERR_NO_MEMORY;
    if (definition == RF_NO_INDEX ||
        !rf_nvtx_read(rf_nvtx_definition_at(load->rec, definition), 0, &head, sizeof(head)))
        return RF_NO_INDEX;
    if (head.scope == 0)
        head.scope = from->scope;
    *status = add_counter(load, domain, definition, &head);
    if (*status == RF_OK)
        *status = rf_map_set(&nvtx->counter_of, key, id, nvtx->n_counters - 1);
    return *status == RF_OK ? nvtx->n_counters - 1 : RF_NO_INDEX;
}

uint32_t rf_nvtx_find_entry(struct rf_load *load, uint32_t domain,
                            const struct rf_payload_entry *entry, uint32_t name, int *status)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    const uint64_t key = (uint64_t)domain << 32 | entry->schema;
    uint32_t found = rf_map_find(&nvtx->entry_of, key, name);
    if (found == RF_MAP_NONE) {
        found = nvtx->n_counters;
        const struct rf_nvtx_use use = {.definition = entry->schema,
                                        .domain = domain,
                                        .is_entry = true,
                                        .layout = rf_nvtx_entry_layout(load, entry, name)};
        *status = keep_counter(nvtx, &use);
        if (*status == RF_OK)
            *status = rf_map_set(&nvtx->entry_of, key, name, found);
    }
    return *status == RF_OK && nvtx->counter[found].layout->n > 0 ? found : RF_NO_INDEX;
}

/* The scope of an entry goes before that of its counter. */
static bool is_of_thread(const struct rf_nvtx_use *use, uint32_t entry)
{
    const uint64_t own = use->layout->entry[entry].scope;
    return rf_nvtx_is_thread_scope(own != 0 ? own : use->scope);
}

static uint32_t count_of_thread(const struct rf_nvtx_use *use)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < use->layout->n; i++)
        n += is_of_thread(use, i);
    return n;
}

/* The track of one entry. shared: the first of the tracks that are of no thread, or RF_NO_INDEX. */
static int add_track(struct rf_nvtx_load *nvtx, uint32_t counter, uint32_t entry, uint32_t thread,
                     uint32_t shared)
{
    if (rf_grow_array(&nvtx->track, nvtx->n_tracks, &nvtx->track_room, sizeof(*nvtx->track)) !=
        RF_OK)
        return RF_ERR_NO_MEMORY;
    const bool is_own = shared == RF_NO_INDEX || is_of_thread(&nvtx->counter[counter], entry);
    nvtx->track[nvtx->n_tracks] =
        (struct rf_nvtx_track){.counter = counter,
                               .entry = entry,
                               .thread = thread,
                               .shared = is_own ? nvtx->n_tracks : shared + entry};
    nvtx->n_tracks++;
    return RF_OK;
}

uint32_t rf_nvtx_find_tracks(struct rf_load *load, uint32_t counter, uint32_t thread, int *status)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    const uint32_t n = nvtx->counter[counter].layout->n;
    const uint32_t n_of_thread =
        thread != RF_NO_INDEX ? count_of_thread(&nvtx->counter[counter]) : 0;
    if (n_of_thread == 0)
        thread = RF_NO_INDEX;
    const uint32_t found = rf_map_find(&nvtx->track_of, counter, thread);
    if (found != RF_MAP_NONE)
        return found;
    const uint32_t shared = n_of_thread > 0 && n_of_thread < n
                                ? rf_nvtx_find_tracks(load, counter, RF_NO_INDEX, status)
                                : RF_NO_INDEX;
    const uint32_t first = nvtx->n_tracks;
    if (thread != RF_NO_INDEX)
        load->thread[thread]->is_needed = true;
    for (uint32_t i = 0; i < n && *status == RF_OK; i++)
        *status = add_track(nvtx, counter, i, thread, shared);
    if (*status == RF_OK)
        *status = rf_map_set(&nvtx->track_of, counter, thread, first);
    return first;
}

uint32_t rf_nvtx_add_memory_track(struct rf_load *load, uint32_t domain, uint32_t name, int *status)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    const struct rf_nvtx_use use = {.definition = RF_NO_INDEX,
                                    .domain = domain,
                                    .scope = SCOPE_PROCESS,
                                    .layout = rf_nvtx_layout_new(load, domain, TYPE_UINT64),
                                    .is_entry = true,
                                    .is_memory = true};
    if (use.layout != NULL && use.layout->n > 0)
        use.layout->entry[0].name = name;
    *status = keep_counter(nvtx, &use);
    if (*status == RF_OK)
        *status = add_track(nvtx, nvtx->n_counters - 1, 0, RF_NO_INDEX, RF_NO_INDEX);
    return *status == RF_OK ? nvtx->n_tracks - 1 : RF_NO_INDEX;
}

/* A sample without a change has the value of the one before it in time, which is known if none came
 * out of order. */
static int sum_sample(struct rf_load *load, struct rf_nvtx_track *to,
                      const struct rf_nvtx_sample *sample)
{
    const struct rf_nvtx_layout *layout = load->nvtx.counter[to->counter].layout;
    struct rf_nvtx_sample added = *sample;
    if (to->sum == NULL) {
        to->sum = calloc(1, sizeof(*to->sum));
        to->last_ns = sample->ns;
        to->kept.kind = RF_NVTX_SAMPLE_NONE;
    }
    if (to->sum == NULL)
        return RF_ERR_NO_MEMORY;
    to->n++;
    to->is_unsorted |= sample->ns < to->last_ns;
    to->has_unchanged |= sample->kind == RF_NVTX_SAMPLE_UNCHANGED;
    load->needs_samples |= to->is_unsorted && to->has_unchanged;
    to->last_ns = sample->ns;
    if (sample->kind == RF_NVTX_SAMPLE_UNCHANGED) {
        added.kind = to->kept.kind;
        added.bits = to->kept.bits;
    } else if (sample->kind != RF_NVTX_SAMPLE_NONE) {
        to->kept = *sample;
    }
    rf_nvtx_sum_sample(to->sum, &added, rf_counter_number_of(&layout->entry[to->entry].type));
    return RF_OK;
}

int rf_nvtx_add_sample(struct rf_load *load, uint32_t track, const struct rf_nvtx_sample *sample)
{
    struct rf_nvtx_load *nvtx = &load->nvtx;
    struct rf_nvtx_track *to = &nvtx->track[nvtx->track[track].shared];
    const struct rf_capture_windows *windows = &load->windows;
    if (windows->is_focused && !rf_windows_contain(windows, sample->ns))
        return RF_OK;
    nvtx->n_samples++;
    if (load->sums_samples)
        return sum_sample(load, to, sample);
    if (load->has_no_samples) {
        to->n++;
        return RF_OK;
    }
    if (rf_grow_array(&to->sample, to->n, &to->room, sizeof(*to->sample)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    to->sample[to->n++] = *sample;
    return RF_OK;
}

void rf_nvtx_load_release(struct rf_nvtx_load *nvtx)
{
    for (uint32_t i = 0; i < nvtx->n_counters; i++)
        rf_nvtx_layout_free(nvtx->counter[i].layout);
    for (uint32_t i = 0; i < nvtx->n_tracks; i++) {
        free(nvtx->track[i].sample);
        free(nvtx->track[i].sum);
    }
    free(nvtx->counter);
    free(nvtx->track);
    rf_nvtx_memory_release(&nvtx->memory);
    free(nvtx->submitted);
    free(nvtx->dated);
    rf_map_release(&nvtx->counter_of);
    rf_map_release(&nvtx->entry_of);
    rf_map_release(&nvtx->track_of);
}
