/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown: what each GPU did from its first work to its last, every moment once. */
#include <stdlib.h>

#include "stats/column_meanings.h"
#include "stats/gpu_busy.h"
#include "stats/report.h"

static const struct rf_column columns[] = {
    {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    {"Time (%)", RF_COLUMN_SHARE, "share of the time from the first work of the GPU to its last"},
    {"Time (ns)", RF_COLUMN_COUNT, "this time; of all rows of a GPU it is that time"},
    {"What", RF_COLUMN_WORD,
     "compute, communication (of NCCL and RCCL) beside it or without it, copies alone, or idle: "
     "the "
     "call of the next work had not begun, had begun, or had returned before"},
};

static const char *const what[RF_N_GPU_MOMENTS] = {
    [RF_GPU_COMPUTES] = "compute",
    [RF_GPU_HIDES] = "communication hidden",
    [RF_GPU_COMMUNICATES] = "communication exposed",
    [RF_GPU_COPIES] = "copies",
    [RF_GPU_WAITS_FOR_HOST] = "idle, waiting for the host",
    [RF_GPU_LAUNCHES] = "idle, launching",
    [RF_GPU_IDLES] = "idle, other",
};

static bool add_gpu(struct rf_table *table, const struct rf_gpu_busy *busy)
{
    const double all = (double)((uint64_t)busy->end_ns - (uint64_t)busy->start_ns);
    for (int i = 0; i < RF_N_GPU_MOMENTS; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL)
            return false;
        row[0].count = busy->gpu;
        row[1].real = all > 0 ? 100 * (double)busy->ns[i] / all : 0;
        row[2].count = busy->ns[i];
        rf_cell_set_word(&row[3], what[i]);
    }
    return true;
}

static int show(const struct rf_report *report, const rf_recording *rec, struct rf_table *table,
                struct rf_err *err)
{
    struct rf_gpu_busy *busy;
    size_t n;
    (void)report;
    (void)err;
    int status = rf_gpu_busy_find(rec, &busy, &n);
    for (size_t i = 0; i < n && status == RF_OK; i++)
        if (!add_gpu(table, &busy[i]))
            status = RF_ERR_NO_MEMORY;
    free(busy);
    if (table->step != NULL)
        rf_table_add_note(table,
                          "this is the whole run: 'breakdown_steps' has a row for each step");
    return status;
}

const struct rf_report rf_report_breakdown = {
    .name = "breakdown",
    .description = "what each GPU did: compute, communication, copies, and why it was idle",
    .needs = RF_NEEDS_GPU_WORK,
    .title = "GPU Time Breakdown",
    RF_REPORT_COLUMNS(columns),
    .compute = show,
};
