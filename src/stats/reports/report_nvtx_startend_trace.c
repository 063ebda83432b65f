/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_startend_trace: every start/end range. Such ranges overlap as they like and may end on
 * another thread: they have no level, parent or children. The columns are those of
 * nvtx_pushpop_trace as far as they apply, and say where the range ended. */
#include "stats/column_meanings.h"
#include "stats/range_labels.h"
#include "stats/report.h"

enum { START, END, DURATION, NAME, PID, TID, END_TID, RANGE_ID };

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the range"},
    [END] = {"End (ns)", RF_COLUMN_TIME, "end of the range, or where it was cut"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "End less Start"},
    [NAME] = {"Name", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    [PID] = {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"TID", RF_COLUMN_ID, RF_MEANS_TID},
    [END_TID] = {"EndTID", RF_COLUMN_ID,
                 "the thread that ended the range; that of TID if it was cut"},
    [RANGE_ID] = {"RangeId", RF_COLUMN_ID, RF_MEANS_RANGE_ID},
};

static bool set_row(struct rf_cell *row, const rf_recording *rec, const struct rf_event_at *at,
                    uint64_t id)
{
    const struct rf_event *event = at->event;
    const struct rf_thread *thread = rf_thread_at(rec, at->thread);
    const struct rf_start_end *pair = rf_start_end_at(rec, event->link);
    const struct rf_thread *end = pair != NULL ? rf_thread_at(rec, pair->end_thread) : NULL;
    row[START].time = event->start_ns;
    row[END].time = event->end_ns;
    row[DURATION].count = (uint64_t)event->end_ns - (uint64_t)event->start_ns;
    row[PID].count = rf_process_at(rec, thread->process)->pid;
    row[TID].count = thread->tid;
    row[END_TID].count = end != NULL ? end->tid : thread->tid;
    row[RANGE_ID].count = id;
    return rf_cell_set_range(&row[NAME], rec, event->domain, event->name);
}

/* In the order of time; ids count all events, as in nvtx_pushpop_trace. */
static int list_ranges(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct rf_err *err)
{
    struct rf_cursor *cursor;
    struct rf_event_at at;
    (void)report;
    int status = rf_cursor_new(rec, &cursor, err);
    if (status != RF_OK)
        return status;
    for (uint64_t id = 1; status == RF_OK && rf_cursor_next(cursor, &at); id++) {
        if (at.event->kind != RF_EVENT_START_END)
            continue;
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !set_row(row, rec, &at, id))
            status = RF_ERR_NO_MEMORY;
    }
    rf_cursor_free(cursor);
    return status;
}

const struct rf_report rf_report_nvtx_startend_trace = {
    .name = "nvtx_startend_trace",
    .description = "every NVTX start/end range, and the threads where it began and ended",
    .needs = RF_NEEDS_RANGES,
    .not_summed = "it lists single ranges; 'nvtx_startend_sum' has their sums",
    .title = "NVTX Start/End Range Trace",
    RF_REPORT_COLUMNS(columns),
    .compute = list_ranges,
};
