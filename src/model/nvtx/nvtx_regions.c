/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to regions, by time: each process for itself. Nothing is trusted: a region may be
 * named that is not there, and a heap that never was. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "model/arrays.h"
#include "model/load/handles.h"
#include "model/load/load.h"
#include "model/nvtx/nvtx_memory.h"
#include "model/nvtx/nvtx_tracks.h"
#include "model/payload/nvtx_definitions.h"
#include "model/strings.h"

enum { REF_POINTER = 1, REF_HANDLE = 2 };

/* Handles are unique in a process, addresses in a domain, which is one of a process. */
#define OF_HANDLE  (UINT64_C(1) << 62)
#define OF_ADDRESS (UINT64_C(1) << 63)

struct walk {
    struct rf_load *load;
    struct rf_nvtx_memory *memory;
    struct rf_map region_of;  /* (place, handle or address) to the last such region */
    struct rf_map heap_of;    /* (process << 32, definition) to heap[]; of the others, by domain */
    struct rf_map address_of; /* (process, address) to the definition of a heap */
    uint32_t n_unnamed;
    int status;
};

static void note(struct walk *w, enum rf_cuda_note what)
{
    w->load->cuda.n_notes[what]++;
}

static uint32_t string_of(struct walk *w, const char *text)
{
    const uint32_t string = rf_strings_add(&w->load->rec->strings, text, strlen(text));
    if (string == RF_NO_STRING)
        w->status = RF_ERR_NO_MEMORY;
    return string;
}

/* ---- Heaps ---- */

static struct rf_memory_heap *add_heap(struct walk *w, const struct rf_memory_heap *heap)
{
    struct rf_nvtx_memory *memory = w->memory;
    if (w->status == RF_OK)
        w->status = rf_grow_array(&memory->heap, memory->n_heaps, &memory->heap_room,
                                  sizeof(*memory->heap));
    if (w->status != RF_OK)
        return NULL;
    memory->heap[memory->n_heaps] = *heap;
    return &memory->heap[memory->n_heaps++];
}

/* Gives a heap its counter. */
static void add_counter(struct walk *w, struct rf_memory_heap *heap)
{
    char text[320];
    size_t size = 0;
    const char *name = rf_string(w->load->rec, heap->name, &size);
    (void)snprintf(text, sizeof(text), "memory in use: %.*s", size < 256 ? (int)size : 256,
                   name != NULL ? name : "");
    const uint32_t string = string_of(w, text);
    if (w->status == RF_OK)
        heap->track = rf_nvtx_add_memory_track(w->load, heap->domain, string, &w->status);
}

static uint32_t name_of_heap(struct walk *w, uint32_t process,
                             const struct rf_nvtx_definition *definition,
                             const struct rf_heap_def *head)
{
    char text[48];
    uint64_t gone_ticks;
    const char *name = rf_nvtx_text(definition, head->name);
    const struct rf_load_handle *string =
        head->string != 0 ? rf_load_find_string(w->load, process, head->string, &gone_ticks) : NULL;
    if (string != NULL && string->value != RF_NO_STRING)
        return string->value;
    (void)snprintf(text, sizeof(text), "heap %u", ++w->n_unnamed);
    return string_of(w, name != NULL ? name : text);
}

static uint32_t add_known_heap(struct walk *w, uint32_t process, uint32_t domain, uint32_t index)
{
    const struct rf_nvtx_definition *definition = rf_nvtx_definition_at(w->load->rec, index);
    struct rf_heap_def head;
    if (!rf_nvtx_read(definition, 0, &head, sizeof(head)))
        return RF_NO_INDEX;
    const struct rf_memory_heap heap = {.start_ns = definition->ns,
                                        .end_ns = RF_NO_TIME,
                                        .address = head.address,
                                        .size = head.size,
                                        .process = process,
                                        .domain = domain,
                                        .domain_name = w->load->rec->domain[domain].name,
                                        .name = name_of_heap(w, process, definition, &head),
                                        .track = RF_NO_INDEX,
                                        .first = RF_NO_INDEX,
                                        .category = head.category,
                                        .usage = head.usage,
                                        .is_registered = true};
    if (add_heap(w, &heap) == NULL)
        return RF_NO_INDEX;
    w->status = rf_map_set(&w->heap_of, (uint64_t)process << 32, index, w->memory->n_heaps - 1);
    return w->memory->n_heaps - 1;
}

/* The heap of a process and domain that is none of those registered: all memory of the process, or
 * one that is not known. */
static uint32_t other_heap(struct walk *w, uint32_t process, uint32_t domain, bool is_known)
{
    const uint64_t place = (uint64_t)process << 32 | (is_known ? 1 : 2);
    uint32_t found = rf_map_find(&w->heap_of, place, domain);
    if (found != RF_MAP_NONE)
        return found;
    const struct rf_memory_heap heap = {.start_ns = RF_NO_TIME,
                                        .end_ns = RF_NO_TIME,
                                        .process = process,
                                        .domain = domain,
                                        .domain_name = w->load->rec->domain[domain].name,
                                        .name = string_of(w, is_known ? "process" : "unknown heap"),
                                        .track = RF_NO_INDEX,
                                        .first = RF_NO_INDEX};
    if (add_heap(w, &heap) == NULL)
        return RF_NO_INDEX;
    w->status = rf_map_set(&w->heap_of, place, domain, w->memory->n_heaps - 1);
    return w->memory->n_heaps - 1;
}

/* The definition of a heap, by its handle, or by its address, which may stand for it. */
static uint32_t definition_of(struct walk *w, uint32_t process, uint32_t domain, uint64_t heap)
{
    const uint32_t found = rf_nvtx_find(w->load->rec, RF_NVTX_DEF_HEAP, domain, heap);
    if (found != RF_NO_INDEX)
        return found;
    const uint32_t at = rf_map_find(&w->address_of, process, heap);
    return at != RF_MAP_NONE ? at : RF_NO_INDEX;
}

/* The heap that an event names; RF_NO_INDEX: out of memory. */
static uint32_t heap_of(struct walk *w, const struct rf_memory_event *event)
{
    if (event->a == 0)
        return other_heap(w, event->process, event->domain, true);
    const uint32_t definition = definition_of(w, event->process, event->domain, event->a);
    if (definition == RF_NO_INDEX) {
        note(w, RF_NOTE_HEAP_UNKNOWN);
        return other_heap(w, event->process, event->domain, false);
    }
    const uint32_t found = rf_map_find(&w->heap_of, (uint64_t)event->process << 32, definition);
    const uint32_t heap =
        found != RF_MAP_NONE ? found : add_known_heap(w, event->process, event->domain, definition);
    if (heap == RF_NO_INDEX)
        return w->status == RF_OK ? other_heap(w, event->process, event->domain, false) : heap;
    if (w->memory->heap[heap].end != RF_REGION_OPEN)
        note(w, RF_NOTE_HEAP_GONE);
    return heap;
}

/* All heaps that were registered, whether or not they have regions. */
static void add_known_heaps(struct walk *w)
{
    const struct rf_nvtx_definitions *all = w->load->rec->nvtx;
    for (uint32_t i = 0; all != NULL && i < all->n && w->status == RF_OK; i++) {
        const struct rf_nvtx_definition *definition = &all->definition[i];
        struct rf_heap_def head;
        if (definition->kind != RF_NVTX_DEF_HEAP || definition->process == RF_NO_INDEX ||
            !rf_nvtx_read(definition, 0, &head, sizeof(head)))
            continue;
        if (head.address != 0)
            w->status = rf_map_set(&w->address_of, definition->process, head.address, i);
        if (w->status == RF_OK)
            (void)add_known_heap(w, definition->process, definition->domain, i);
    }
}

/* ---- Bytes in use ---- */

static void add_sample(struct walk *w, const struct rf_memory_heap *heap, uint64_t in_use)
{
    const struct rf_nvtx_sample sample = {
        .ns = heap->sample_ns, .bits = in_use, .kind = RF_NVTX_SAMPLE_INTEGER};
    if (w->status == RF_OK && heap->track != RF_NO_INDEX)
        w->status = rf_nvtx_add_sample(w->load, heap->track, &sample);
}

/* A sample for each time at which they changed, and before it one of more bytes, if these were in
 * use at that time: samples tell of the most that there was at once. */
static void write_samples(struct walk *w, struct rf_memory_heap *heap)
{
    if (heap->has_sample && heap->peak > heap->before && heap->peak > heap->in_use)
        add_sample(w, heap, heap->peak);
    if (heap->has_sample)
        add_sample(w, heap, heap->in_use);
    heap->has_sample = false;
}

static void change(struct walk *w, uint32_t index, int64_t ns, uint64_t more, uint64_t less)
{
    struct rf_memory_heap *heap = &w->memory->heap[index];
    if (heap->track == RF_NO_INDEX)
        add_counter(w, heap);
    if (heap->has_sample && heap->sample_ns != ns)
        write_samples(w, heap);
    if (!heap->has_sample) {
        heap->before = heap->in_use;
        heap->peak = 0;
    }
    heap->in_use += more - less;
    heap->peak = heap->in_use > heap->peak ? heap->in_use : heap->peak;
    heap->most = heap->in_use > heap->most ? heap->in_use : heap->most;
    heap->sample_ns = ns;
    heap->has_sample = true;
}

/* ---- Regions ---- */

static void end_region(struct walk *w, uint32_t index, int64_t ns, enum rf_region_end why)
{
    struct rf_memory_region *region = &w->memory->region[index];
    struct rf_memory_heap *heap = &w->memory->heap[region->heap];
    region->end = (uint8_t)why;
    region->end_ns = ns;
    if (region->prev != RF_NO_INDEX)
        w->memory->region[region->prev].next = region->next;
    else
        heap->first = region->next;
    if (region->next != RF_NO_INDEX)
        w->memory->region[region->next].prev = region->prev;
    change(w, region->heap, ns, 0, region->size);
}

/* The last region under a key that is still there. Those before it that are gone are forgotten. */
static uint32_t find_live(struct walk *w, uint64_t place, uint64_t key)
{
    const uint32_t found = rf_map_find(&w->region_of, place, key);
    if (found == RF_MAP_NONE)
        return RF_NO_INDEX;
    struct rf_memory_region *first = &w->memory->region[found];
    if (first->end == RF_REGION_OPEN)
        return found;
    while (first->shadowed != RF_NO_INDEX &&
           w->memory->region[first->shadowed].end != RF_REGION_OPEN)
        first->shadowed = w->memory->region[first->shadowed].shadowed;
    return first->shadowed;
}

static uint64_t place_of(const struct rf_memory_event *event, bool is_address)
{
    return is_address ? OF_ADDRESS | event->domain : OF_HANDLE | event->process;
}

/* The region that an event names. A handle that was not given may be an address, which NVTX allows.
 */
static uint32_t region_of(struct walk *w, const struct rf_memory_event *event)
{
    uint32_t found = RF_NO_INDEX;
    if (event->type == REF_HANDLE) {
        const uint32_t at = rf_map_find(&w->region_of, place_of(event, false), event->c);
        if (at != RF_MAP_NONE && w->memory->region[at].end == RF_REGION_OPEN)
            found = at;
    }
    if (found == RF_NO_INDEX)
        found = find_live(w, place_of(event, true), event->c);
    if (found == RF_NO_INDEX)
        note(w, RF_NOTE_REGION_UNKNOWN);
    return found;
}

static void link_region(struct walk *w, uint32_t index)
{
    struct rf_memory_region *region = &w->memory->region[index];
    struct rf_memory_heap *heap = &w->memory->heap[region->heap];
    region->next = heap->first;
    region->prev = RF_NO_INDEX;
    if (heap->first != RF_NO_INDEX)
        w->memory->region[heap->first].prev = index;
    heap->first = index;
    heap->n_regions++;
}

/* A region at the address of one of the same heap replaces it; at that of another heap's it lies in
 * front of it, as pieces of memory that an allocator got from another one do. */
static void register_region(struct walk *w, const struct rf_memory_event *event)
{
    struct rf_nvtx_memory *memory = w->memory;
    const uint32_t heap = heap_of(w, event);
    const uint32_t before = find_live(w, place_of(event, true), event->c);
    if (heap == RF_NO_INDEX || w->status != RF_OK)
        return;
    if (before != RF_NO_INDEX && memory->region[before].heap == heap) {
        note(w, RF_NOTE_REGION_TWICE);
        end_region(w, before, event->ns, RF_REGION_REPLACED);
    }
    w->status = rf_grow_array(&memory->region, memory->n_regions, &memory->region_room,
                              sizeof(*memory->region));
    if (w->status != RF_OK)
        return;
    const uint32_t index = (uint32_t)memory->n_regions++;
    memory->region[index] =
        (struct rf_memory_region){.start_ns = event->ns,
                                  .end_ns = RF_NO_TIME,
                                  .address = event->c,
                                  .size = event->d,
                                  .most = event->d,
                                  .process = event->process,
                                  .thread = event->thread,
                                  .heap = heap,
                                  .name = RF_NO_STRING,
                                  .domain = w->load->rec->domain[event->domain].name,
                                  .shadowed = before,
                                  .type = event->type};
    link_region(w, index);
    w->status = rf_map_set(&w->region_of, place_of(event, true), event->c, index);
    if (w->status == RF_OK && event->b != 0)
        w->status = rf_map_set(&w->region_of, place_of(event, false), event->b, index);
    change(w, heap, event->ns, event->d, 0);
}

static void resize_region(struct walk *w, const struct rf_memory_event *event)
{
    const struct rf_memory_event by_address = {
        .process = event->process, .domain = event->domain, .c = event->c, .type = REF_POINTER};
    const uint32_t index = region_of(w, &by_address);
    if (index == RF_NO_INDEX)
        return;
    struct rf_memory_region *region = &w->memory->region[index];
    change(w, region->heap, event->ns, event->d, region->size);
    region->size = event->d;
    region->most = event->d > region->most ? event->d : region->most;
}

static void name_region(struct walk *w, const struct rf_memory_event *event)
{
    const uint32_t index = region_of(w, event);
    if (index == RF_NO_INDEX)
        return;
    w->memory->region[index].name = event->name;
    w->memory->region[index].category = event->category;
}

static void end_heap(struct walk *w, const struct rf_memory_event *event)
{
    const bool is_gone = event->d != 0 && event->a != 0;
    const uint32_t index = heap_of(w, event);
    if (index == RF_NO_INDEX || w->status != RF_OK)
        return;
    struct rf_memory_heap *heap = &w->memory->heap[index];
    while (heap->first != RF_NO_INDEX && w->status == RF_OK)
        end_region(w, heap->first, event->ns, is_gone ? RF_REGION_HEAP_GONE : RF_REGION_RESET);
    if (is_gone && heap->is_registered && heap->end == RF_REGION_OPEN) {
        heap->end = RF_REGION_UNREGISTERED;
        heap->end_ns = event->ns;
    }
}

static void take(struct walk *w, const struct rf_memory_event *event)
{
    uint32_t index;
    switch (event->kind) {
    case RF_MEMORY_REGISTER:
        register_region(w, event);
        break;
    case RF_MEMORY_RESIZE:
        resize_region(w, event);
        break;
    case RF_MEMORY_UNREGISTER:
        index = region_of(w, event);
        if (index != RF_NO_INDEX)
            end_region(w, index, event->ns, RF_REGION_UNREGISTERED);
        break;
    case RF_MEMORY_NAME:
        name_region(w, event);
        break;
    default:
        end_heap(w, event);
        break;
    }
}

static int compare_events(const void *left, const void *right)
{
    const struct rf_memory_event *a = left, *b = right;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

int rf_nvtx_find_regions(struct rf_load *load)
{
    struct rf_nvtx_memory *memory = &load->nvtx.memory;
    struct walk w = {.load = load, .memory = memory};
    add_known_heaps(&w);
    if (w.status == RF_OK)
        w.status = rf_sort_records(memory->event, memory->n_events, sizeof(*memory->event),
                                   compare_events);
    for (size_t i = 0; i < memory->n_events && w.status == RF_OK; i++)
        take(&w, &memory->event[i]);
    for (uint32_t i = 0; i < memory->n_heaps && w.status == RF_OK; i++)
        write_samples(&w, &memory->heap[i]);
    rf_map_release(&w.region_of);
    rf_map_release(&w.heap_of);
    rf_map_release(&w.address_of);
    return w.status;
}
