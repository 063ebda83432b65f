/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_event_trace: every event of MPI. Columns are those of Nsight Systems. */
#include "stats/column_meanings.h"
#include "stats/extra_values.h"
#include "stats/report.h"

enum {
    START,
    END,
    DURATION,
    EVENT,
    PID,
    TID,
    TAG,
    RANK,
    PEER_RANK,
    ROOT_RANK,
    SIZE,
    SEND_SIZE,
    RECV_SIZE
};

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the event"},
    [END] = {"End (ns)", RF_COLUMN_TIME, "end of the event; None: it is a moment"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "End less Start"},
    [EVENT] = {"Event", RF_COLUMN_WORD, "name of the function of MPI"},
    [PID] = {"Pid", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"Tid", RF_COLUMN_ID, RF_MEANS_TID},
    [TAG] = {"Tag", RF_COLUMN_SIGNED, "tag of the message; None: no message"},
    [RANK] = {"Rank", RF_COLUMN_SIGNED, "rank of the process; None: not known"},
    [PEER_RANK] = {"PeerRank", RF_COLUMN_SIGNED,
                   "rank that sent or receives the message; None: no message"},
    [ROOT_RANK] = {"RootRank", RF_COLUMN_SIGNED, "root of the collective; None: it has none"},
    [SIZE] = {"Size (B)", RF_COLUMN_SIGNED, "bytes of the message; None: no message"},
    [SEND_SIZE] = {"CollSendSize (B)", RF_COLUMN_SIGNED,
                   "bytes that the collective sent; None: no collective"},
    [RECV_SIZE] = {"CollRecvSize (B)", RF_COLUMN_SIGNED,
                   "bytes that the collective received; None: no collective"},
};

static void set_owner(struct rf_cell *row, const rf_recording *rec, const struct rf_extra *extra)
{
    row[PID].count = row[TID].count = RF_NO_ID;
    row[RANK].time = RF_NO_TIME;
    if (extra->process != RF_NO_INDEX) {
        const struct rf_process *process = rf_process_at(rec, extra->process);
        row[PID].count = process->pid;
        if (process->rank >= 0)
            row[RANK].time = process->rank;
    }
    if (extra->thread != RF_NO_INDEX)
        row[TID].count = rf_thread_at(rec, extra->thread)->tid;
}

static void set_row(struct rf_cell *row, const rf_recording *rec, const struct rf_extra *extra)
{
    bool is_message = extra->kind == RF_EXTRA_MPI_MESSAGE;
    row[START].time = extra->start_ns;
    row[END].time = extra->end_ns;
    row[DURATION].count = rf_extra_duration_ns(extra);
    rf_cell_set_model_string(&row[EVENT], rec, extra->name);
    set_owner(row, rec, extra);
    int64_t size = rf_extra_number(rec, extra, "size", RF_NO_TIME);
    row[TAG].time = rf_extra_number(rec, extra, "tag", RF_NO_TIME);
    row[PEER_RANK].time = rf_extra_number(rec, extra, "remoteRank", RF_NO_TIME);
    row[ROOT_RANK].time = rf_extra_number(rec, extra, "rootRank", RF_NO_TIME);
    row[SIZE].time = is_message ? size : RF_NO_TIME;
    row[SEND_SIZE].time = is_message ? RF_NO_TIME : size;
    row[RECV_SIZE].time = rf_extra_number(rec, extra, "recvSize", RF_NO_TIME);
}

static int list_events(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {START, PID, TID, END, EVENT, TAG};
    const struct rf_extra *extra;
    (void)report;
    (void)err;
    for (size_t i = 0; (extra = rf_extra_next(rec, RF_KINDS_OF_MPI, &i)) != NULL;) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL)
            return RF_ERR_NO_MEMORY;
        set_row(row, rec, extra);
    }
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    return RF_OK;
}

const struct rf_report rf_report_mpi_event_trace = {
    .name = "mpi_event_trace",
    .description = "every event of MPI",
    .needs = RF_NEEDS_MPI,
    .not_summed = "it lists single events; 'mpi_event_sum' has their sums",
    .title = "MPI Event Trace",
    RF_REPORT_COLUMNS(columns),
    .compute = list_events,
};
