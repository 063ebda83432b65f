/* SPDX-License-Identifier: Apache-2.0 */
/* RANGEFINDER_NVTX_CUTS and RANGEFINDER_NVTX_NOTES, for the events that have a note. */
#ifndef RF_EXPORT_SQLITE_SQLITE_NOTES_H
#define RF_EXPORT_SQLITE_SQLITE_NOTES_H

#include "export/sqlite/sqlite_db.h"

bool rf_sqlite_has_note(const rf_recording *rec, const struct rf_event *event);
void rf_sqlite_write_notes(struct rf_sqlite *out);

#endif
