/* SPDX-License-Identifier: Apache-2.0 */
/* The events that become rows of NVTX_EVENTS, in the order of the rows. The n-th has rowid n. */
#ifndef RF_EXPORT_SQLITE_SQLITE_ROWS_H
#define RF_EXPORT_SQLITE_SQLITE_ROWS_H

#include "rangefinder/rangefinder.h"

/* A domain that a process has and never created itself: it was there at the fork. */
struct rf_inherited_domain {
    int64_t start_ns;
    uint32_t domain;
};

struct rf_nvtx_rows {
    const rf_recording *rec;
    struct rf_cursor *cursor;
    struct rf_event_at at; /* the event of this row, or the next event where the row is inherited */
    int has_event;         /* at is valid */
    int is_inherited;      /* the row is inherited[next_inherited - 1] */
    unsigned char *is_domain_seen; /* per domain: its row 75 is written */
    struct rf_inherited_domain *inherited;
    size_t n_inherited;
    size_t next_inherited;
};

int rf_nvtx_rows_init(struct rf_nvtx_rows *rows, const rf_recording *rec, struct rf_err *err);

/* Goes to the next row, at first to the first; returns 0 past the last. */
int rf_nvtx_rows_next(struct rf_nvtx_rows *rows);

void rf_nvtx_rows_release(struct rf_nvtx_rows *rows);

#endif
