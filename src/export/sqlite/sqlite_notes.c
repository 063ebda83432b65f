/* SPDX-License-Identifier: Apache-2.0 */
/* What NVTX_EVENTS has no column for: why a range was cut, what was unusual about a row, and
 * further fields. A second pass over the rows, which is made only if a row has any of it. */
#include "export/sqlite/sqlite_notes.h"

#include <math.h>

#include "export/sqlite/sqlite_rows.h"
#include "model/fields/event_names.h"

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

static bool is_odd(const rf_recording *rec, const struct rf_event *event)
{
    const uint8_t unusual = RF_EVENT_BAD_HANDLE | RF_EVENT_FOREIGN_END | RF_EVENT_CLAMPED |
                            RF_EVENT_CUT_AT_START | RF_EVENT_BAD_PAYLOAD;
    return event->cut != RF_CUT_NONE || (event->flags & unusual) != 0 ||
           event->payload_type == RF_TYPE_OTHER || is_nan_payload(event) ||
           rf_is_placed(rec, event) || !rf_domain_at(rec, event->domain)->is_valid;
}

/* Finds what the table of its kind has columns for. Returns whether there is any. */
static bool has_own(const struct rf_field_table *table, const rf_recording *rec,
                    const struct rf_event_at *at, struct rf_row *row)
{
    for (int i = 0; i < table->n_columns; i++) {
        unsigned part = table->column[i].field->part;
        row->part[part] = rf_part_of_event(rec, at, part, row);
    }
    return rf_field_table_has_value(table, row);
}

bool rf_nvtx_has_note(struct rf_nvtx_notes *tables, const rf_recording *rec,
                      const struct rf_event_at *at)
{
    return is_odd(rec, at->event) || has_own(&tables->own[at->event->kind], rec, at, &tables->row);
}

void rf_nvtx_notes_init(struct rf_nvtx_notes *tables)
{
    *tables = (struct rf_nvtx_notes){.cuts.name = "RANGEFINDER_NVTX_CUTS",
                                     .notes.name = "RANGEFINDER_NVTX_NOTES"};
    for (unsigned kind = 1; kind < rf_event_fields.n_kinds; kind++) {
        rf_field_table_add_own(&tables->own[kind], &rf_event_fields, kind);
        rf_field_table_add_own(&tables->own[kind], &rf_range_fields, kind);
    }
}

static void write_note(struct rf_sqlite *out, struct rf_nvtx_notes *tables, int64_t row,
                       const char *note, struct rf_sqlite_value value)
{
    RF_SQLITE_INSERT(out, &tables->notes, rf_sqlite_int(row), rf_sqlite_text(note), value);
}

static void write_flags(struct rf_sqlite *out, struct rf_nvtx_notes *tables, int64_t row,
                        uint8_t flags)
{
    const char *note;
    uint8_t flag;
    for (size_t i = 0; (note = rf_event_flag_note(i, &flag)) != NULL; i++)
        if ((flags & flag) != 0)
            write_note(out, tables, row, note, rf_sqlite_null());
}

static void write_notes_of(struct rf_sqlite *out, struct rf_nvtx_notes *tables, int64_t row,
                           const struct rf_event *event)
{
    char hex[20];
    const struct rf_domain *domain = rf_domain_at(out->rec, event->domain);
    if (event->cut != RF_CUT_NONE)
        RF_SQLITE_INSERT(out, &tables->cuts, rf_sqlite_int(row), rf_sqlite_int(event->cut),
                         rf_sqlite_text(rf_cut_name(event->cut)));
    write_flags(out, tables, row, event->flags);
    if (!domain->is_valid)
        write_note(out, tables, row, "unknown domain handle", rf_sqlite_hex(hex, domain->handle));
    if (event->payload_type == RF_TYPE_OTHER)
        write_note(out, tables, row, "payload of an unknown type",
                   rf_sqlite_hex(hex, event->payload));
    if (rf_is_placed(out->rec, event))
        write_note(out, tables, row, RF_PLACED_NOTE, rf_sqlite_null());
    if (is_nan_payload(event))
        write_note(out, tables, row, "payload is not a number", rf_sqlite_null());
}

void rf_nvtx_notes_write(struct rf_nvtx_notes *tables, struct rf_sqlite *out)
{
    struct rf_nvtx_rows rows;
    rf_nvtx_rows_init(&rows, out);
    for (int64_t row = 1; out->status == RF_OK && rf_nvtx_rows_next(&rows); row++) {
        struct rf_field_table *own = &tables->own[rows.at.event->kind];
        if (is_odd(out->rec, rows.at.event))
            write_notes_of(out, tables, row, rows.at.event);
        if (has_own(own, out->rec, &rows.at, &tables->row))
            rf_field_table_insert(out, own, &row, &tables->row);
    }
    rf_nvtx_rows_release(&rows);
}
