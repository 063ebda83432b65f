/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_own_events.h"

#include <stdlib.h>
#include <string.h>

#include "import/nsys_names.h"
#include "model/fields/event_names.h"

enum fact { CUT, FLAGS, SCOPE, PLACED };

struct nsys_own_events {
    struct rf_map value_of; /* (row, enum fact) */
};

static int set(struct nsys_load *load, int64_t row, enum fact fact, uint32_t value)
{
    int status = rf_map_set(&load->own_events->value_of, (uint64_t)row, fact, value);
    return nsys_memory_status(load, status == RF_OK);
}

static uint32_t get(const struct nsys_load *load, int64_t row, enum fact fact)
{
    return rf_map_find(&load->own_events->value_of, (uint64_t)row, fact);
}

/* ---- Tables ---- */

static int read_cut(void *context, struct nsys_row *row)
{
    int64_t event, reason;
    if (!nsys_row_int(row, 0, &event) || !nsys_row_int(row, 1, &reason) || reason < 0 ||
        rf_cut_name((int)(reason & INT32_MAX))[0] == '\0' || reason > INT32_MAX)
        return nsys_row_skip(row, "no eventId, or a reason that is not known: left out");
    return set(context, event, CUT, (uint32_t)reason);
}

/* Notes that are no flags are made anew from the events. */
static int read_note(void *context, struct nsys_row *row)
{
    int64_t event;
    size_t size;
    const char *text = nsys_row_text(row, 1, &size);
    if (text == NULL || !nsys_row_int(row, 0, &event))
        return RF_OK;
    if (size == strlen(RF_PLACED_NOTE) && memcmp(text, RF_PLACED_NOTE, size) == 0)
        return set(context, event, PLACED, 1);
    const uint8_t flag = rf_event_flag_of_note(text, size);
    const uint32_t flags = get(context, event, FLAGS);
    return flag != 0 ? set(context, event, FLAGS, (flags != RF_MAP_NONE ? flags : 0) | flag)
                     : RF_OK;
}

static int read_scope(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    int64_t event, id;
    bool is_bad = false;
    if (!nsys_row_int(row, 0, &event) || !nsys_row_int(row, 1, &id))
        return RF_OK;
    uint32_t scope = nsys_string(load, row, id, &is_bad);
    if (is_bad)
        return RF_OK;
    return scope != RF_NO_STRING ? set(load, event, SCOPE, scope) : nsys_no_memory(load);
}

int nsys_load_own_events(struct nsys_load *load)
{
    static const char *const scope[] = {"eventId", "scope", NULL};
    const struct nsys_reader readers[] = {
        {"RANGEFINDER_NVTX_CUTS", read_cut, NSYS_COLUMNS("eventId", "reasonId")},
        {"RANGEFINDER_NVTX_NOTES", read_note, NSYS_COLUMNS("eventId", "note")},
        {"RANGEFINDER_NVTX_PUSH_POP", read_scope, scope},
        {"RANGEFINDER_NVTX_PARENTS", read_scope, scope},
        {"RANGEFINDER_NVTX_MARKS", read_scope, scope},
        {.table = NULL}};
    if (nsys_db_find_table(&load->db, readers[0].table) == NULL)
        return RF_OK;
    load->own_events = calloc(1, sizeof(*load->own_events));
    return load->own_events != NULL ? nsys_db_read(&load->db, readers, load) : nsys_no_memory(load);
}

/* ---- Events ---- */

struct nsys_own_event nsys_own_event(const struct nsys_load *load, int64_t row, bool is_range)
{
    struct nsys_own_event event = {.scope = RF_NO_STRING};
    if (load->own_events == NULL)
        return event;
    const uint32_t cut = is_range ? get(load, row, CUT) : RF_MAP_NONE;
    const uint32_t flags = get(load, row, FLAGS), scope = get(load, row, SCOPE);
    event.cut = cut != RF_MAP_NONE ? (uint8_t)cut : RF_CUT_NONE;
    event.flags = flags != RF_MAP_NONE ? (uint8_t)flags : 0;
    event.scope = scope != RF_MAP_NONE ? scope : RF_NO_STRING;
    event.is_placed = get(load, row, PLACED) != RF_MAP_NONE;
    return event;
}

void nsys_own_events_free(struct nsys_own_events *own)
{
    if (own == NULL)
        return;
    rf_map_release(&own->value_of);
    free(own);
}
