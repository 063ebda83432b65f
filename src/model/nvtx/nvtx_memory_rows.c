/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "model/load/extra_row.h"
#include "model/load/load.h"
#include "model/nvtx/nvtx_memory.h"
#include "model/strings.h"

static void set_string(struct rf_extra_row *row, unsigned i, uint32_t string)
{
    if (string != RF_NO_STRING)
        rf_extra_row_set(row, i, string);
}

static struct rf_extra_row new_row(const struct rf_load *load, enum rf_extra_kind kind,
                                   uint32_t process, int64_t start_ns, int64_t end_ns)
{
    struct rf_extra_row row = rf_extra_row_new(kind, process);
    if (end_ns == RF_NO_TIME) /* it was there to the end */
        end_ns = load->process[process].end_ns;
    row.extra.start_ns = start_ns;
    row.extra.end_ns = end_ns > start_ns ? end_ns : start_ns;
    return row;
}

/* One that was registered. */
static int add_heap(struct rf_load *load, const struct rf_memory_heap *heap)
{
    struct rf_extra_row row =
        new_row(load, RF_EXTRA_NVTX_HEAP, heap->process, heap->start_ns, heap->end_ns);
    const struct rf_capture_windows *windows = &load->windows;
    if (windows->is_focused && !rf_windows_overlap(windows, row.extra.start_ns, row.extra.end_ns))
        return RF_OK;
    row.extra.name = heap->name;
    set_string(&row, RF_HEAP_DOMAIN, heap->domain_name);
    if (heap->address != 0 || heap->size != 0) {
        rf_extra_row_set(&row, RF_HEAP_ADDRESS, heap->address);
        rf_extra_row_set(&row, RF_HEAP_BYTES, heap->size);
    }
    rf_extra_row_set(&row, RF_HEAP_MOST_BYTES, heap->most);
    rf_extra_row_set(&row, RF_HEAP_REGIONS, heap->n_regions);
    rf_extra_row_set(&row, RF_HEAP_USAGE, heap->usage);
    if (heap->category != 0)
        rf_extra_row_set(&row, RF_HEAP_CATEGORY, heap->category);
    return rf_extra_row_add(load, &row);
}

static int add_region(struct rf_load *load, const struct rf_memory_region *region,
                      const uint32_t ended_by[RF_N_REGION_ENDS])
{
    struct rf_extra_row row =
        new_row(load, RF_EXTRA_NVTX_REGION, region->process, region->start_ns, region->end_ns);
    row.extra.name = region->name;
    row.extra.thread = region->thread;
    set_string(&row, RF_REGION_DOMAIN, region->domain);
    set_string(&row, RF_REGION_HEAP, load->nvtx.memory.heap[region->heap].name);
    rf_extra_row_set(&row, RF_REGION_ADDRESS, region->address);
    rf_extra_row_set(&row, RF_REGION_BYTES, region->size);
    rf_extra_row_set(&row, RF_REGION_MOST_BYTES, region->most);
    rf_extra_row_set(&row, RF_REGION_TYPE, region->type);
    if (region->category != 0)
        rf_extra_row_set(&row, RF_REGION_CATEGORY, region->category);
    if (region->end != RF_REGION_OPEN)
        set_string(&row, RF_REGION_ENDED_BY, ended_by[region->end]);
    return rf_extra_row_add(load, &row);
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
