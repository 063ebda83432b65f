/* SPDX-License-Identifier: Apache-2.0 */
/* The events that become rows of NVTX_EVENTS, in the order of the rows. The n-th has rowid n. */
#ifndef RF_EXPORT_SQLITE_SQLITE_ROWS_H
#define RF_EXPORT_SQLITE_SQLITE_ROWS_H

#include "export/sqlite/sqlite_db.h"

struct rf_nvtx_rows {
    const rf_recording *rec;
    struct rf_cursor *cursor;
    struct rf_event_at at; /* of this row; a row of inherited has no thread: RF_NO_INDEX */
    struct rf_event_at next;
    bool has_next;
    bool *is_domain_seen; /* per domain: its row 75 is written */
    /* The creations of domains that a process has and never created itself: they were there at the
     * fork. Sorted by time. */
    struct rf_event *inherited;
    size_t n_inherited;
    size_t n_inherited_done;
};

/* NVTX_EVENTS.eventType by enum rf_event_kind; 0: the table has no such rows. */
extern const uint8_t rf_nvtx_event_types[UINT8_MAX + 1];

void rf_nvtx_rows_init(struct rf_nvtx_rows *rows, struct rf_sqlite *out);

/* Goes to the next row, at first to the first; false past the last. */
bool rf_nvtx_rows_next(struct rf_nvtx_rows *rows);

void rf_nvtx_rows_release(struct rf_nvtx_rows *rows);

#endif
