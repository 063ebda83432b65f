/* SPDX-License-Identifier: Apache-2.0 */
/* RANGEFINDER_NVTX_*, for the events that have a note or a field that NVTX_EVENTS has no column
 * for. */
#ifndef RF_EXPORT_SQLITE_SQLITE_NOTES_H
#define RF_EXPORT_SQLITE_SQLITE_NOTES_H

#include "export/sqlite/sqlite_fields.h"

struct rf_nvtx_notes {
    struct rf_sqlite_table cuts;
    struct rf_sqlite_table notes;
    struct rf_field_table own[RF_MAX_KINDS]; /* by enum rf_event_kind */
    struct rf_row row;                       /* of the event that is looked at */
};

void rf_nvtx_notes_init(struct rf_nvtx_notes *tables);

/* Whether an event has a row in one of the tables. */
bool rf_nvtx_has_note(struct rf_nvtx_notes *tables, const rf_recording *rec,
                      const struct rf_event_at *at);

void rf_nvtx_notes_write(struct rf_nvtx_notes *tables, struct rf_sqlite *out);

#endif
