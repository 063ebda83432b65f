/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_metrics_sum: figures of the sampled counters of each GPU over the whole recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu/shown_metric.h"
#include "stats/column_meanings.h"
#include "stats/counter_figures.h"
#include "stats/gpu_counters.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"
#include "stats/values.h"

static const struct rf_column columns[] = {
    {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    {"Metric", RF_COLUMN_WORD, RF_MEANS_METRIC},
    {"Samples", RF_COLUMN_COUNT, "number of samples"},
    {"Min", RF_COLUMN_REAL, "smallest sample"},
    {"Avg", RF_COLUMN_REAL, "mean of the samples"},
    {"Med", RF_COLUMN_REAL, "median of the samples"},
    {"P95", RF_COLUMN_REAL, "smallest sample that 95 % of the samples do not exceed"},
    {"Max", RF_COLUMN_REAL, "largest sample"},
};

static const struct rf_quantile_place quantile_places[] = {{7, "", "", RF_COLUMN_REAL}};

/* values: room for those of the counter. */
static bool add_row(struct rf_table *table, const rf_recording *rec,
                    const struct rf_counter *counter, double *values)
{
    struct rf_cell *row = rf_table_add_row(table);
    struct rf_values measured;
    if (row == NULL)
        return false;
    const double factor = rf_counter_shown_factor(rec, counter);
    for (size_t i = 0; i < counter->n_samples; i++)
        values[i] = counter->value[i] * factor;
    rf_values_measure(&measured, values, counter->n_samples);
    row[0].count = counter->device;
    rf_cell_set_model_string(&row[1], rec, counter->name);
    row[2].count = counter->n_samples;
    row[3].real = measured.min;
    row[4].real = measured.mean;
    row[5].real = measured.median;
    row[6].real = measured.p95;
    row[7].real = measured.max;
    for (size_t q = 0; q < table->quantiles.n; q++) {
        const uint64_t rank = rf_quantile_rank(&table->quantiles, q, counter->n_samples);
        rf_row_quantile(table, row, 0, q)->real =
            rf_values_rank(values, counter->n_samples, (size_t)rank);
    }
    return true;
}

static size_t most_samples(const rf_recording *rec)
{
    size_t most = 0;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_counter_at(rec, i)->n_samples > most)
            most = rf_counter_at(rec, i)->n_samples;
    return most;
}

static int sum_samples(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct rf_err *err)
{
    double *values = malloc((most_samples(rec) + 1) * sizeof(*values));
    (void)report;
    (void)err;
    bool is_done = values != NULL;
    for (uint32_t i = 0; i < rf_n_counters(rec) && is_done; i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)))
            is_done = add_row(table, rec, rf_counter_at(rec, i), values);
    free(values);
    if (table->n_rows == 0)
        rf_table_add_note(table,
                          "no GPU was sampled: rangefinder profile --gpu-metrics-devices=all");
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Summaries keep no distribution of samples. */
static bool add_summary_row(struct rf_table *table, const struct rf_summary *summary,
                            const struct rf_summary_counter *counter)
{
    const struct rf_sample_figures *figures = &counter->figures;
    struct rf_exact_sum total;
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_summary_counter_total(summary, counter, &total);
    row[0].count = counter->device >= 0 ? (uint64_t)counter->device : RF_NO_ID;
    rf_cell_set_word(&row[1], "(null)");
    if (counter->name != RF_NO_STRING)
        row[1].text = rf_summary_text(summary, counter->name, &row[1].size);
    const double factor =
        figures->n > 0 ? rf_shown_factor(row[1].text, row[1].size, figures->max.real) : 1;
    row[2].count = figures->n;
    row[3].real = figures->n > 0 ? figures->min.real * factor : (double)NAN;
    row[4].real = rf_counter_mean(figures, &total) * factor;
    row[5].real = row[6].real = (double)NAN;
    row[7].real = figures->n > 0 ? figures->max.real * factor : (double)NAN;
    for (size_t q = 0; q < table->quantiles.n; q++)
        rf_row_quantile(table, row, 0, q)->real = (double)NAN;
    return true;
}

static int show_input(const struct rf_report *report, const struct rf_summary *summary,
                      uint32_t input, struct rf_table *table, struct rf_err *err)
{
    (void)report;
    int status =
        rf_each_summary_counter(table, summary, input, RF_SUMMARY_GPU_METRIC, add_summary_row);
    return rf_summary_fail(status, summary->input[input].path, err);
}

const struct rf_report rf_report_gpu_metrics_sum = {
    .name = "gpu_metrics_sum",
    .description = "what the sampled hardware counters of each GPU amount to",
    .is_default = true,
    .needs = RF_NEEDS_SAMPLES,
    .title = "GPU Metrics Summary",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .compute = sum_samples,
    .compute_summary = show_input,
};
