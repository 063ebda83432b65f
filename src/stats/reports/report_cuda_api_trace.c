/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_api_trace: every call of CUDA. Columns are those of Nsight Systems; the priorities of
 * threads are those of its exports. */
#include "stats/column_meanings.h"
#include "stats/report.h"
#include "stats/work_labels.h"

enum { START, DURATION, NAME, RESULT, CORRELATION, PID, TID, PRIORITY, THREAD };

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the call"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "duration of the call"},
    [NAME] = {"Name", RF_COLUMN_WORD, RF_MEANS_FUNCTION},
    [RESULT] = {"Result", RF_COLUMN_SIGNED,
                "what the call returned: 0 is success, any other number an error of CUDA"},
    [CORRELATION] = {"CorrID", RF_COLUMN_ID,
                     "number that the call shares with the GPU work that it caused"},
    [PID] = {"Pid", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"Tid", RF_COLUMN_ID, RF_MEANS_TID},
    [PRIORITY] =
        {"T-Pri", RF_COLUMN_SIGNED,
         "priority of the thread; None: not known, as in all recordings that nsys did not make"},
    [THREAD] = {"Thread Name", RF_COLUMN_WORD, "name of the thread; None: it has none"},
};

static void set_row(struct rf_cell *row, const rf_recording *rec, const struct rf_thread *thread,
                    const struct rf_call *call)
{
    row[START].time = call->start_ns;
    row[DURATION].count = (uint64_t)call->end_ns - (uint64_t)call->start_ns;
    rf_cell_set_function(&row[NAME], rec, call->name);
    row[RESULT].time = call->result;
    row[CORRELATION].count = call->correlation;
    row[PID].count = rf_process_at(rec, thread->process)->pid;
    row[TID].count = thread->tid;
    row[PRIORITY].time = thread->has_priority ? thread->priority : RF_NO_TIME;
    if (thread->name != RF_NO_STRING)
        rf_cell_set_model_string(&row[THREAD], rec, thread->name);
    else
        rf_cell_set_word(&row[THREAD], "None");
}

static int list_calls(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {START, CORRELATION, PID, TID, ~DURATION};
    (void)report;
    (void)err;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            if (call[i].kind == RF_CALL_OS)
                continue;
            struct rf_cell *row = rf_table_add_row(table);
            if (row == NULL)
                return RF_ERR_NO_MEMORY;
            set_row(row, rec, rf_thread_at(rec, t), &call[i]);
        }
    }
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    return RF_OK;
}

const struct rf_report rf_report_cuda_api_trace = {
    .name = "cuda_api_trace",
    .description = "every call of CUDA",
    .needs = RF_NEEDS_CUDA_CALLS,
    .not_summed = "it lists single calls; 'cuda_api_sum' has their sums",
    .title = "CUDA API Trace",
    RF_REPORT_COLUMNS(columns),
    .compute = list_calls,
};
