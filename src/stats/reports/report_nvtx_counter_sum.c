/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx_counter_sum: what the counters of NVTX amount to over the whole recording. */
#include <math.h>

#include "stats/column_meanings.h"
#include "stats/counter_figures.h"
#include "stats/counter_means.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "stats/summary_cells.h"

static const struct rf_column columns[] = {
    {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    {"TID", RF_COLUMN_ID,
     "id of the thread whose counter it is; None: the scope of the counter is not a thread"},
    {"Counter", RF_COLUMN_TEXT, RF_MEANS_COUNTER},
    {"Unit", RF_COLUMN_WORD, RF_MEANS_COUNTER_UNIT},
    {"Samples", RF_COLUMN_COUNT, "number of samples, with those that have no finite value"},
    {"Min", RF_COLUMN_VALUE,
     "smallest value, exact where it is whole and the unit has no scale; None: no value is finite"},
    {"Mean", RF_COLUMN_VALUE,
     "mean of the values, weighed as the column Mean Over says; None: no value is finite"},
    {"Max", RF_COLUMN_VALUE, "largest value, likewise; None: no value is finite"},
    {"Last", RF_COLUMN_VALUE,
     "last value, and of differences (delta) their sum, likewise; None: no value is finite"},
    {"Mean Over", RF_COLUMN_WORD,
     "what the mean is weighed by: time (how long each value stood) or samples (all alike)"},
};

/* Min, Max and Last. */
static void set_figures(struct rf_cell *row, const struct rf_sample_figures *figures,
                        const struct rf_exact_sum *total, double factor, uint32_t value_type)
{
    row[5].real = row[7].real = row[8].real = (double)NAN;
    row[4].count = figures->n_samples;
    if (figures->n == 0)
        return;
    const struct rf_exact_number last = rf_counter_last(figures, total, value_type);
    rf_cell_set_number(&row[5], &figures->min, factor);
    rf_cell_set_number(&row[7], &figures->max, factor);
    rf_cell_set_number(&row[8], &last, factor);
}

/* ---- Of a recording ---- */

/* All of it; a counter that has only samples at one time has no time to weigh by. */
static double mean_of(const struct rf_counter_integral *integral, double otherwise)
{
    const struct rf_weighed *all = &integral->until[integral->counter->n_samples];
    return all->weight > 0 ? all->sum / all->weight : otherwise;
}

static bool add_row(struct rf_table *table, const rf_recording *rec, uint32_t i)
{
    const struct rf_counter *counter = rf_counter_at(rec, i);
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    struct rf_sample_sum sum;
    struct rf_counter_integral integral;
    struct rf_cell *row = NULL;
    rf_sample_sum_of(rec, i, &sum);
    if (rf_counter_integrate(&integral, rec, counter) == RF_OK)
        row = rf_table_add_row(table);
    if (row != NULL) {
        row[0].count = rf_process_at(rec, counter->process)->pid;
        row[1].count =
            nvtx->thread != RF_NO_INDEX ? rf_thread_at(rec, nvtx->thread)->tid : RF_NO_ID;
        rf_cell_set_word(&row[3], "");
        if (nvtx->unit != RF_NO_STRING)
            rf_cell_set_model_string(&row[3], rec, nvtx->unit);
        set_figures(row, &sum.figures, &sum.total, nvtx->factor, nvtx->value_type);
        row[6].real = mean_of(&integral, row[8].real);
        rf_cell_set_word(&row[9], rf_counter_is_weighed_by_time(counter) ? "time" : "samples");
    }
    rf_counter_integral_release(&integral);
    return row != NULL && rf_cell_set_range(&row[2], rec, nvtx->domain, counter->name);
}

static int sum_counters(const struct rf_report *report, const rf_recording *rec,
                        struct rf_table *table, struct rf_err *err)
{
    bool is_done = true;
    (void)report;
    (void)err;
    for (uint32_t i = 0; i < rf_n_counters(rec) && is_done; i++)
        if (rf_is_nvtx_counter(rf_counter_at(rec, i)))
            is_done = add_row(table, rec, i);
    if (is_done && table->n_rows == 0)
        rf_table_add_note(table, "no program sampled a counter of NVTX");
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Of a summary ---- */

static uint64_t id_of(int64_t id)
{
    return id >= 0 ? (uint64_t)id : RF_NO_ID;
}

static bool add_summary_row(struct rf_table *table, const struct rf_summary *summary,
                            const struct rf_summary_counter *counter)
{
    const struct rf_summary_path path = {.domain = counter->domain, .name = counter->name};
    struct rf_exact_sum total;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_summary_counter_total(summary, counter, &total);
    row[0].count = id_of(counter->pid);
    row[1].count = id_of(counter->tid);
    rf_cell_set_word(&row[3], "");
    if (counter->unit != RF_NO_STRING)
        row[3].text = rf_summary_text(summary, counter->unit, &row[3].size);
    set_figures(row, &counter->figures, &total, counter->factor, counter->value_type);
    row[6].real = rf_counter_mean(&counter->figures, &total) * counter->factor;
    rf_cell_set_word(&row[9], "samples");
    return rf_cell_set_path(&row[2], summary, &path, 0);
}

static int show_input(const struct rf_report *report, const struct rf_summary *summary,
                      uint32_t input, struct rf_table *table, struct rf_err *err)
{
    (void)report;
    int status =
        rf_each_summary_counter(table, summary, input, RF_SUMMARY_NVTX_COUNTER, add_summary_row);
    if (table->n_rows > 0)
        rf_table_add_note(table, "means of summaries weigh all samples alike");
    return rf_summary_fail(status, summary->input[input].path, err);
}

const struct rf_report rf_report_nvtx_counter_sum = {
    .name = "nvtx_counter_sum",
    .description = "what the counters amount to that programs sampled with NVTX",
    .is_default = true,
    .needs = RF_NEEDS_NVTX_COUNTERS,
    .title = "NVTX Counter Summary",
    RF_REPORT_COLUMNS(columns),
    .compute = sum_counters,
    .compute_summary = show_input,
};
