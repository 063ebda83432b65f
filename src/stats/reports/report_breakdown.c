/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown: what each GPU did from its first work to its last, every moment once. */
#include <stdlib.h>

#include "model/private_access.h"
#include "stats/column_meanings.h"
#include "stats/gpu_busy.h"
#include "stats/report.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"

static const struct rf_column columns[] = {
    {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    {"Time (%)", RF_COLUMN_SHARE, "share of the time from the first work of the GPU to its last"},
    {"Time (ns)", RF_COLUMN_COUNT, "this time; of all rows of a GPU it is that time"},
    {"What", RF_COLUMN_WORD,
     "compute, communication (of NCCL and RCCL) beside it or without it, copies alone, or idle: "
     "the "
     "call of the next work had not begun, had begun, or had returned before"},
};

static bool add_gpu(struct rf_table *table, uint64_t gpu, const uint64_t ns[RF_N_GPU_MOMENTS])
{
    double all = 0;
    for (int i = 0; i < RF_N_GPU_MOMENTS; i++)
        all += (double)ns[i];
    for (int i = 0; i < RF_N_GPU_MOMENTS; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL)
            return false;
        row[0].count = gpu;
        row[1].real = all > 0 ? 100 * (double)ns[i] / all : 0;
        row[2].count = ns[i];
        rf_cell_set_word(&row[3], rf_gpu_moment_name(i));
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
        if (!add_gpu(table, busy[i].gpu, busy[i].ns))
            status = RF_ERR_NO_MEMORY;
    free(busy);
    if (table->step != NULL)
        rf_table_add_note(table,
                          "this is the whole run: 'breakdown_steps' has a row for each step");
    return status;
}

/* ---- Of summaries ---- */

static void collect(const struct rf_report *report, struct rf_collecting *c)
{
    struct rf_gpu_busy *busy;
    size_t n;
    (void)report;
    if (rf_recording_named_work(c->rec) != NULL)
        return; /* it is not known what was when */
    rf_collect_searched(c, RF_TALLY_GPU_TIME);
    if (c->step_place != NULL)
        return; /* breakdown_steps finds it with that of the steps */
    (void)rf_collect_fail(c, rf_gpu_busy_find(c->rec, &busy, &n));
    for (size_t i = 0; i < n && c->status == RF_OK; i++)
        rf_collect_gpu_time(c, &busy[i]);
    free(busy);
}

/* The time of another kind of moments of the same GPU. */
static uint64_t sum_of(const rf_summary *summary, const struct rf_tally *of, const char *moment)
{
    const struct rf_tally *tally;
    for (size_t i = 0;
         (tally = rf_tally_next(summary, of->key.input, RF_TALLY_GPU_TIME, &i)) != NULL;)
        if (tally->key.device == of->key.device &&
            rf_is_summary_text(summary, tally->key.name, moment))
            return tally->sum[0];
    return 0;
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    const struct rf_tally *tally;
    (void)err;
    int status = RF_OK;
    for (size_t i = 0; status == RF_OK &&
                       (tally = rf_tally_next(summary, input, RF_TALLY_GPU_TIME, &i)) != NULL;) {
        uint64_t ns[RF_N_GPU_MOMENTS] = {0};
        if (!rf_is_summary_text(summary, tally->key.name, rf_gpu_moment_name(0)))
            continue; /* each GPU once: it has a tally for every moment */
        for (int m = 0; m < RF_N_GPU_MOMENTS; m++)
            ns[m] = sum_of(summary, tally, rf_gpu_moment_name(m));
        if (!add_gpu(table, rf_tally_id(tally->key.device), ns))
            status = RF_ERR_NO_MEMORY;
    }
    if (status == RF_OK)
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_GPU_TIME);
    return status;
}

const struct rf_report rf_report_breakdown = {
    .name = "breakdown",
    .description = "what each GPU did: compute, communication, copies, and why it was idle",
    .needs = RF_NEEDS_GPU_WORK,
    .title = "GPU Time Breakdown",
    RF_REPORT_COLUMNS(columns),
    .compute = show,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_GPU_TIME,
    .collect = collect,
};
