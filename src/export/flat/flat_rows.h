/* SPDX-License-Identifier: Apache-2.0 */
/* What the forms with a line per event know of each line: what it is, when it was, who did it, and
 * where its fields (model/fields/fields.h) lie. */
#ifndef RF_EXPORT_FLAT_FLAT_ROWS_H
#define RF_EXPORT_FLAT_FLAT_ROWS_H

#include "export/export.h"
#include "model/fields/event_names.h"
#include "model/fields/fields.h"

enum rf_flat_set {
    RF_FLAT_EVENT,
    RF_FLAT_CALL,
    RF_FLAT_OP,
    RF_FLAT_EXTRA,  /* a row of another table */
    RF_FLAT_SAMPLE, /* of a counter */
    RF_N_FLAT_SETS
};

/* The fields of a set. Those of ranges stand apart: rf_range_fields. */
extern const struct rf_fields *const rf_flat_fields[RF_N_FLAT_SETS];

struct rf_flat_row {
    const rf_recording *rec;
    enum rf_flat_set set;
    unsigned kind; /* in the tables of fields, below RF_MAX_KINDS; 0: of an event no field is there;
                    * extras and samples have one table for all */
    const char *type;
    int64_t start_ns;                    /* or RF_NO_TIME */
    int64_t end_ns;                      /* or RF_NO_TIME */
    uint32_t thread;                     /* index, or RF_NO_INDEX */
    const struct rf_thread *of_thread;   /* NULL: only the process is known, */
    const struct rf_process *of_process; /* or NULL */
    uint8_t time_flags;                  /* of calls and GPU work */
    bool is_plain;                       /* an event of which no field is there */
    const struct rf_event *event;
    const struct rf_work_at *work; /* else */
    struct rf_sample_at sample;    /* of a sample */
    struct rf_row *parts;
};

static inline int64_t rf_flat_duration_ns(const struct rf_flat_row *row)
{
    return (int64_t)((uint64_t)row->end_ns - (uint64_t)row->start_ns);
}

static inline bool rf_flat_has_flags(const struct rf_flat_row *row)
{
    return row->event != NULL ? rf_has_flags(row->rec, row->event) : row->time_flags != 0;
}

/* The flags of the row as words. */
void rf_sink_flat_flags(struct rf_sink *sink, const struct rf_flat_row *row);

/* Calls write for everything in the recording in the order of time; see rf_export_each(). */
typedef void rf_flat_write_fn(void *context, struct rf_sink *sink, const struct rf_flat_row *row);
int rf_flat_export(struct rf_export_job *job, struct rf_sink *sink, rf_flat_write_fn *write,
                   void *context);

#endif
