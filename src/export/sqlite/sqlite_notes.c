/* SPDX-License-Identifier: Apache-2.0 */
/* What NVTX_EVENTS has no column for: why a range was cut, and what was unusual about a row. A
 * second pass over the rows, which is made only if a row has a note. */
#include "export/sqlite/sqlite_notes.h"

#include <math.h>

#include "export/sqlite/sqlite_rows.h"

/* SQLite has no NaN: it stores NULL. */
static bool is_nan_payload(const struct rf_event *event)
{
    double real;
    float single;
    uint32_t low = (uint32_t)event->payload;
    memcpy(&real, &event->payload, sizeof(real));
    memcpy(&single, &low, sizeof(single));
    return (event->payload_type == RF_TYPE_DOUBLE && isnan(real)) ||
           (event->payload_type == RF_TYPE_FLOAT && isnan(single));
}

/* The number of the range that it is part of; 0: the program did not say. */
static uint32_t parent_of(const rf_recording *rec, const struct rf_event *event)
{
    return event->kind == RF_EVENT_START_END ? rf_start_end_at(rec, event->link)->parent_number : 0;
}

bool rf_sqlite_has_note(const rf_recording *rec, const struct rf_event *event)
{
    const uint8_t unusual =
        RF_EVENT_BAD_HANDLE | RF_EVENT_FOREIGN_END | RF_EVENT_CLAMPED | RF_EVENT_CUT_AT_START;
    return event->cut != RF_CUT_NONE || (event->flags & unusual) != 0 ||
           event->payload_type == RF_TYPE_OTHER || is_nan_payload(event) ||
           parent_of(rec, event) != 0 || !rf_domain_at(rec, event->domain)->is_valid;
}

struct note_tables {
    struct rf_sqlite_table cuts;
    struct rf_sqlite_table notes;
    struct rf_sqlite_table parents;
};

static void write_note(struct rf_sqlite *out, struct note_tables *tables, int64_t row,
                       const char *note, struct rf_sqlite_value value)
{
    RF_SQLITE_INSERT(out, &tables->notes, rf_sqlite_int(row), rf_sqlite_text(note), value);
}

static void write_flags(struct rf_sqlite *out, struct note_tables *tables, int64_t row,
                        uint8_t flags)
{
    static const struct {
        uint8_t flag;
        const char *note;
    } notes[] = {
        {RF_EVENT_BAD_HANDLE, "unknown string handle"},
        {RF_EVENT_FOREIGN_END, "another process tried to end it"},
        {RF_EVENT_CLAMPED, "end was before start"},
        {RF_EVENT_CUT_AT_START, "open when the capture began"},
    };
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
        if ((flags & notes[i].flag) != 0)
            write_note(out, tables, row, notes[i].note, rf_sqlite_null());
}

static void write_notes_of(struct rf_sqlite *out, struct note_tables *tables, int64_t row,
                           const struct rf_event *event)
{
    char hex[20];
    const struct rf_domain *domain = rf_domain_at(out->rec, event->domain);
    uint32_t parent = parent_of(out->rec, event);
    if (event->cut != RF_CUT_NONE)
        RF_SQLITE_INSERT(out, &tables->cuts, rf_sqlite_int(row), rf_sqlite_int(event->cut),
                         rf_sqlite_text(rf_cut_name(event->cut)));
    write_flags(out, tables, row, event->flags);
    if (!domain->is_valid)
        write_note(out, tables, row, "unknown domain handle", rf_sqlite_hex(hex, domain->handle));
    if (event->payload_type == RF_TYPE_OTHER)
        write_note(out, tables, row, "payload of an unknown type",
                   rf_sqlite_hex(hex, event->payload));
    if (is_nan_payload(event))
        write_note(out, tables, row, "payload is not a number", rf_sqlite_null());
    if (parent != 0)
        RF_SQLITE_INSERT(out, &tables->parents, rf_sqlite_int(row), rf_sqlite_int(parent));
}

void rf_sqlite_write_notes(struct rf_sqlite *out)
{
    struct note_tables tables = {
        {.name = "RANGEFINDER_NVTX_CUTS"},
        {.name = "RANGEFINDER_NVTX_NOTES"},
        {.name = "RANGEFINDER_NVTX_PARENTS",
         .columns = "eventId INTEGER NOT NULL PRIMARY KEY, parentRangeId INTEGER NOT NULL"},
    };
    struct rf_nvtx_rows rows;
    rf_nvtx_rows_init(&rows, out);
    for (int64_t row = 1; out->status == RF_OK && rf_nvtx_rows_next(&rows); row++)
        if (rf_sqlite_has_note(out->rec, rows.at.event))
            write_notes_of(out, &tables, row, rows.at.event);
    rf_nvtx_rows_release(&rows);
}
