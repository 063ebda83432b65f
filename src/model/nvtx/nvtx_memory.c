/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_memory.h"

#include <stdlib.h>

#include "base/grow.h"
#include "log/nvtx_ext.h"
#include "model/load/handles.h"
#include "model/load/load.h"
#include "model/nvtx/nvtx_data.h"
#include "model/nvtx/nvtx_tracks.h"
#include "model/strings.h"

/* Numbers of functions: NVTX3EXT_CBID_nvtxMem... */
enum { FIRST_COUNTED = 7, LAST_COUNTED = 16, N_REASONS = RF_MEMORY_TYPE + 1 };

_Static_assert(RF_NOTE_MEMORY_LAST - RF_NOTE_MEMORY_FIRST == LAST_COUNTED - FIRST_COUNTED,
               "a note for each function that is counted only");

bool rf_nvtx_is_memory(uint64_t ext_kind)
{
    return ext_kind >= RF_EXT_REGIONS && ext_kind <= RF_EXT_MEMORY_CALL;
}

void rf_nvtx_memory_release(struct rf_nvtx_memory *memory)
{
    free(memory->event);
    free(memory->region);
    free(memory->heap);
}

static int add(struct rf_load *load, const struct rf_memory_event *event)
{
    struct rf_nvtx_memory *memory = &load->nvtx.memory;
    if (rf_grow_array(&memory->event, memory->n_events, &memory->event_room,
                      sizeof(*memory->event)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    memory->event[memory->n_events++] = *event;
    if (event->thread != RF_NO_INDEX && load->windows.is_focused) /* else another entry stands in */
        load->thread[event->thread]->is_needed = true;
    return RF_OK;
}

static uint64_t word_of(const struct rf_record *record, uint32_t i)
{
    return i < record->n_words ? rf_load64(record->words + 8 * (size_t)i) : 0;
}

static uint8_t type_of(uint64_t word)
{
    return word < UINT8_MAX ? (uint8_t)word : UINT8_MAX;
}

/* REGIONS and RESIZE: pairs of an address and a size from word `first` on. */
static int take_pairs(struct rf_load *load, struct rf_memory_event *event,
                      const struct rf_record *record, uint32_t first)
{
    int status = RF_OK;
    event->type = type_of(word_of(record, first - 1));
    for (uint32_t i = first; i + 2 <= record->n_words && status == RF_OK; i += 2) {
        event->c = word_of(record, i);
        event->d = word_of(record, i + 1);
        status = add(load, event);
        event->b += event->b != 0;
    }
    return status;
}

static int take_refs(struct rf_load *load, struct rf_memory_event *event,
                     const struct rf_record *record)
{
    int status = RF_OK;
    event->type = type_of(word_of(record, 2));
    for (uint32_t i = 3; i < record->n_words && status == RF_OK; i++) {
        event->c = word_of(record, i);
        status = add(load, event);
    }
    return status;
}

static int take_name(struct rf_load *load, struct rf_memory_event *event,
                     const struct rf_record *record, struct rf_nvtx_data *data,
                     struct rf_stream_cursor *cursor)
{
    uint64_t gone_ticks;
    const uint64_t string = word_of(record, 4);
    const struct rf_load_handle *handle =
        string != 0 ? rf_load_find_string(load, event->process, string, &gone_ticks) : NULL;
    int status = rf_nvtx_read_data(data, cursor);
    event->type = type_of(word_of(record, 2) & UINT32_MAX);
    event->category = (uint32_t)(word_of(record, 2) >> 32);
    event->c = word_of(record, 3);
    if (handle != NULL)
        event->name = handle->value;
    if (status == RF_OK && data->array[0].is_there) {
        const uint8_t *bytes = rf_nvtx_bytes(data, 0);
        event->name = rf_strings_add(&load->rec->strings, bytes != NULL ? (const char *)bytes : "",
                                     data->array[0].size);
        status = event->name != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
    }
    return status == RF_OK ? add(load, event) : status;
}

/* A call that was counted only, or refused. */
static void note_call(struct rf_load *load, uint64_t function, uint64_t what)
{
    uint64_t *notes = load->cuda.n_notes;
    if (what > RF_MEMORY_TAKEN && what < N_REASONS)
        notes[RF_NOTE_MEMORY_NULL + what - RF_MEMORY_NULL]++;
    else if (what == RF_MEMORY_TAKEN && function >= FIRST_COUNTED && function <= LAST_COUNTED)
        notes[RF_NOTE_MEMORY_FIRST + function - FIRST_COUNTED]++;
    else
        notes[RF_NOTE_MEMORY_OTHER]++;
}

int rf_nvtx_take_memory(struct rf_load *load, const struct rf_nvtx_source *from,
                        const struct rf_record *record, struct rf_nvtx_data *data,
                        struct rf_stream_cursor *cursor, int64_t ns)
{
    struct rf_memory_event event = {.ns = ns,
                                    .process = from->process,
                                    .thread = from->thread,
                                    .domain = rf_load_domain(load, from->process, from->domain),
                                    .name = RF_NO_STRING};
    const struct rf_capture_windows *windows = &load->windows;
    if (event.domain == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    if (windows->is_focused && !rf_windows_contain(windows, ns))
        return RF_OK; /* of another capture */
    switch (word_of(record, 1) & 0xff) {
    case RF_EXT_REGIONS:
        event.kind = RF_MEMORY_REGISTER;
        event.a = word_of(record, 2);
        event.b = word_of(record, 3);
        return take_pairs(load, &event, record, 5);
    case RF_EXT_RESIZE:
        event.kind = RF_MEMORY_RESIZE;
        return take_pairs(load, &event, record, 3);
    case RF_EXT_UNREGISTER:
        event.kind = RF_MEMORY_UNREGISTER;
        return take_refs(load, &event, record);
    case RF_EXT_REGION_NAME:
        event.kind = RF_MEMORY_NAME;
        return take_name(load, &event, record, data, cursor);
    case RF_EXT_HEAP_END:
        event.kind = RF_MEMORY_HEAP_END;
        event.a = word_of(record, 2);
        event.d = word_of(record, 3);
        return add(load, &event);
    default:
        note_call(load, word_of(record, 2), word_of(record, 3));
        return RF_OK;
    }
}
