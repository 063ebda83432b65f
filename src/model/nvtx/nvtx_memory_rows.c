/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/grow.h"
#include "model/extra.h"
#include "model/load/load.h"
#include "model/nvtx/nvtx_memory.h"
#include "model/strings.h"

#define MOST_VALUES 8u

struct row {
    struct rf_extra extra;
    int64_t value[MOST_VALUES];
};

static void set_value(struct row *row, unsigned i, uint64_t value)
{
    row->extra.has |= UINT32_C(1) << i;
    row->value[i] = (int64_t)value;
}

static void set_string(struct row *row, unsigned i, uint32_t string)
{
    if (string != RF_NO_STRING)
        set_value(row, i, string);
}

static int add_row(struct rf_load *load, struct row *row)
{
    struct rf_cuda_load *room = &load->cuda; /* rows of CUDA stand in the same arrays */
    rf_recording *rec = load->rec;
    row->extra.first_value = room->n_extra_values;
    for (unsigned i = 0; i < MOST_VALUES; i++) {
        if ((row->extra.has >> i & 1) == 0)
            continue;
        if (rf_grow_array(&rec->extra_value, room->n_extra_values, &room->extra_value_room,
                          sizeof(*rec->extra_value)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        rec->extra_value[room->n_extra_values++] = row->value[i];
    }
    if (rf_grow_array(&rec->extra, rec->n_extras, &room->extra_room, sizeof(*rec->extra)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rec->extra[rec->n_extras++] = row->extra;
    return RF_OK;
}

static struct row new_row(const struct rf_load *load, enum rf_extra_kind kind, uint32_t process,
                          int64_t start_ns, int64_t end_ns)
{
    if (end_ns == RF_NO_TIME) /* it was there to the end */
        end_ns = load->process[process].end_ns;
    return (struct row){.extra = {.start_ns = start_ns,
                                  .end_ns = end_ns > start_ns ? end_ns : start_ns,
                                  .name = RF_NO_STRING,
                                  .process = process,
                                  .thread = RF_NO_INDEX,
                                  .device = RF_NO_INDEX,
                                  .context = RF_NO_INDEX,
                                  .stream = RF_NO_INDEX,
                                  .kind = (uint8_t)kind}};
}

/* One that was registered. */
static int add_heap(struct rf_load *load, const struct rf_memory_heap *heap)
{
    struct row row = new_row(load, RF_EXTRA_NVTX_HEAP, heap->process, heap->start_ns, heap->end_ns);
    const struct rf_capture_windows *windows = &load->windows;
    if (windows->is_focused && !rf_windows_overlap(windows, row.extra.start_ns, row.extra.end_ns))
        return RF_OK;
    row.extra.name = heap->name;
    set_string(&row, RF_HEAP_DOMAIN, heap->domain_name);
    if (heap->address != 0 || heap->size != 0) {
        set_value(&row, RF_HEAP_ADDRESS, heap->address);
        set_value(&row, RF_HEAP_BYTES, heap->size);
    }
    set_value(&row, RF_HEAP_MOST_BYTES, heap->most);
    set_value(&row, RF_HEAP_REGIONS, heap->n_regions);
    set_value(&row, RF_HEAP_USAGE, heap->usage);
    if (heap->category != 0)
        set_value(&row, RF_HEAP_CATEGORY, heap->category);
    return add_row(load, &row);
}

static int add_region(struct rf_load *load, const struct rf_memory_region *region,
                      const uint32_t ended_by[RF_N_REGION_ENDS])
{
    struct row row =
        new_row(load, RF_EXTRA_NVTX_REGION, region->process, region->start_ns, region->end_ns);
    row.extra.name = region->name;
    row.extra.thread = region->thread;
    set_string(&row, RF_REGION_DOMAIN, region->domain);
    set_string(&row, RF_REGION_HEAP, load->nvtx.memory.heap[region->heap].name);
    set_value(&row, RF_REGION_ADDRESS, region->address);
    set_value(&row, RF_REGION_BYTES, region->size);
    set_value(&row, RF_REGION_MOST_BYTES, region->most);
    set_value(&row, RF_REGION_TYPE, region->type);
    if (region->category != 0)
        set_value(&row, RF_REGION_CATEGORY, region->category);
    if (region->end != RF_REGION_OPEN)
        set_string(&row, RF_REGION_ENDED_BY, ended_by[region->end]);
    return add_row(load, &row);
}

/* The words of RF_REGION_ENDED_BY as strings. */
static int add_words(struct rf_load *load, uint32_t string[RF_N_REGION_ENDS])
{
    static const char *const words[RF_N_REGION_ENDS] = {[RF_REGION_OPEN] = "",
                                                        [RF_REGION_UNREGISTERED] = "unregister",
                                                        [RF_REGION_RESET] = "heap reset",
                                                        [RF_REGION_HEAP_GONE] = "heap unregister",
                                                        [RF_REGION_REPLACED] = "register"};
    for (unsigned i = RF_REGION_OPEN + 1; i < RF_N_REGION_ENDS; i++) {
        string[i] = rf_strings_add(&load->rec->strings, words[i], strlen(words[i]));
        if (string[i] == RF_NO_STRING)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

int rf_nvtx_list_memory(struct rf_load *load)
{
    const struct rf_nvtx_memory *memory = &load->nvtx.memory;
    uint32_t ended_by[RF_N_REGION_ENDS];
    int status = memory->n_regions > 0 ? add_words(load, ended_by) : RF_OK;
    for (uint32_t i = 0; i < memory->n_heaps && status == RF_OK; i++)
        if (memory->heap[i].is_registered)
            status = add_heap(load, &memory->heap[i]);
    for (size_t i = 0; i < memory->n_regions && status == RF_OK; i++)
        status = add_region(load, &memory->region[i], ended_by);
    return status;
}
