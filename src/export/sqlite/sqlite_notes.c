/* SPDX-License-Identifier: Apache-2.0 */
/* What NVTX_EVENTS has no column for: why a range was cut, and what was odd about a row. A second
 * walk over the rows, taken only where there is something to write. */
#include "export/sqlite/sqlite_notes.h"

#include <math.h>
#include <stdio.h>

#include "export/sqlite/sqlite_rows.h"

/* SQLite has no NaN: it stores NULL. */
static int is_nan_payload(const struct rf_event *event)
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

struct note_writer {
    struct rf_sqlite *out;
    sqlite3_stmt *cuts;
    sqlite3_stmt *notes;
    sqlite3_stmt *parents; /* NULL: the table is not made yet */
};

static int write_parent(struct note_writer *to, int64_t row, uint32_t parent)
{
    const struct rf_sqlite_value values[] = {rf_sqlite_int(row), rf_sqlite_int(parent)};
    int status = RF_OK;
    if (to->parents == NULL) {
        status = rf_sqlite_run(to->out, "CREATE TABLE RANGEFINDER_NVTX_PARENTS(eventId INTEGER NOT"
                                        " NULL PRIMARY KEY, parentRangeId INTEGER NOT NULL)");
        if (status == RF_OK)
            status = rf_sqlite_prepare_insert(to->out, "RANGEFINDER_NVTX_PARENTS", 2, &to->parents);
    }
    return status == RF_OK ? rf_sqlite_insert(to->out, to->parents, 2, values) : status;
}

static int write_note(struct note_writer *to, int64_t row, const char *note, const char *value)
{
    struct rf_sqlite_value values[] = {rf_sqlite_int(row), rf_sqlite_text(note),
                                       rf_sqlite_text(value)};
    return rf_sqlite_insert(to->out, to->notes, 3, values);
}

static int write_notes_of(struct note_writer *to, int64_t row, const struct rf_event *event)
{
    int status = RF_OK;
    char value[32];
    const struct rf_domain *domain = rf_domain_at(to->out->rec, event->domain);
    if (event->cut != RF_CUT_NONE) {
        struct rf_sqlite_value values[] = {rf_sqlite_int(row), rf_sqlite_int(event->cut),
                                           rf_sqlite_text(rf_cut_name(event->cut))};
        status = rf_sqlite_insert(to->out, to->cuts, 3, values);
    }
    if (status == RF_OK && (event->flags & RF_EVENT_BAD_HANDLE) != 0)
        status = write_note(to, row, "unknown string handle", NULL);
    if (status == RF_OK && (event->flags & RF_EVENT_FOREIGN_END) != 0)
        status = write_note(to, row, "another process tried to end it", NULL);
    if (status == RF_OK && (event->flags & RF_EVENT_CLAMPED) != 0)
        status = write_note(to, row, "end was before start", NULL);
    if (status == RF_OK && (event->flags & RF_EVENT_CUT_AT_START) != 0)
        status = write_note(to, row, "open when the capture began", NULL);
    if (status == RF_OK && !domain->is_valid) {
        (void)snprintf(value, sizeof(value), "0x%llx", (unsigned long long)domain->handle);
        status = write_note(to, row, "unknown domain handle", value);
    }
    if (status == RF_OK && event->payload_type == RF_TYPE_OTHER) {
        (void)snprintf(value, sizeof(value), "0x%llx", (unsigned long long)event->payload);
        status = write_note(to, row, "payload of an unknown type", value);
    }
    if (status == RF_OK && is_nan_payload(event))
        status = write_note(to, row, "payload is not a number", NULL);
    if (status == RF_OK && parent_of(to->out->rec, event) != 0)
        status = write_parent(to, row, parent_of(to->out->rec, event));
    return status;
}

int rf_sqlite_write_notes(struct rf_sqlite *out)
{
    struct note_writer to = {.out = out};
    struct rf_nvtx_rows rows;
    int status = rf_nvtx_rows_init(&rows, out->rec, out->job->err);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, "RANGEFINDER_NVTX_CUTS", 3, &to.cuts);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, "RANGEFINDER_NVTX_NOTES", 3, &to.notes);
    for (int64_t row = 1; status == RF_OK && rf_nvtx_rows_next(&rows); row++)
        if (!rows.is_inherited && rf_sqlite_has_note(out->rec, rows.at.event))
            status = write_notes_of(&to, row, rows.at.event);
    (void)sqlite3_finalize(to.cuts);
    (void)sqlite3_finalize(to.notes);
    (void)sqlite3_finalize(to.parents);
    rf_nvtx_rows_release(&rows);
    return status;
}
