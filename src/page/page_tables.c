/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_tables.h"

#include "page/page_html.h"
#include "stats/forms/form_html.h"
#include "stats/forms/table_forms.h"
#include "stats/report_list.h"
#include "stats/report_needs.h"
#include "stats/stats.h"
#include "stats/summary_rows.h"

#define MAX_ROWS 30

/* In the order of the page. */
static const char *const names[] = {
    "self_time",
    "breakdown",
    "gpu_gaps",
    "critical",
    "launch_latency",
    "cuda_gpu_kern_sum",
    "cuda_gpu_mem_time_sum",
    "nvtx_gpu_proj_sum",
    "collectives",
    "cuda_api_sum",
    "osrt_sum",
    "nvtx_counter_sum",
};

/* A page is small, whatever names are like. */
static void cut_names(struct rf_table *table)
{
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++) {
        struct rf_cell *cell = &table->cells[i];
        if (!rf_column_is_text(table->columns[i % table->n_columns].type))
            continue;
        cell->size = rf_html_cut(cell->text, cell->size);
    }
}

static int put_table(const struct rf_table *table, const struct rf_report *report,
                     struct rf_sink *sink, struct rf_err *err)
{
    const struct rf_table_form *form;
    struct rf_table_format format;
    struct rf_view view;
    int status = rf_table_form_find("htable:dur=us", &form, &format, err);
    if (status != RF_OK || table->n_rows == 0)
        return status;
    rf_sink_format(sink, "<section id=\"%s\"><h2>", report->name);
    rf_html_put_text(sink, report->title);
    rf_sink_text(sink, "</h2>\n<p>");
    rf_html_put_text(sink, report->description);
    rf_sink_format(sink, " (<code>rangefinder stats -r %s</code>)</p>\n<div class=\"table\">\n",
                   report->name);
    rf_view_init(&view, table, &format);
    form->write(&view, sink);
    rf_sink_text(sink, "</div>\n");
    for (size_t i = 0; i < table->n_notes; i++) {
        rf_sink_text(sink, "<p class=\"note\">");
        rf_html_put_text(sink, table->notes[i]);
        rf_sink_text(sink, "</p>\n");
    }
    rf_sink_text(sink, "</section>\n");
    return rf_sink_status(sink);
}

static int compute(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                   const rf_recording *rec, struct rf_table *table, struct rf_err *err)
{
    if (rf_report_is_of_sums(report) && (rec == NULL || report->tallies == 0)) {
        int status = rf_report_begin(report, table, err);
        if (rec != NULL)
            rf_table_set_captures(table, rec);
        return status == RF_OK ? rf_report_of_summary(report, summary, input, table, err) : status;
    }
    if (rec == NULL || rf_report_missing(rec, report->name, NULL, 0))
        return RF_OK;
    return rf_report_compute(rec, report->name, table, err);
}

/* The rows that there is room for. */
static int put_first_rows(struct rf_table *table, const struct rf_report *report,
                          struct rf_sink *sink, struct rf_err *err)
{
    rf_table_keep_rows(table, MAX_ROWS);
    cut_names(table);
    return put_table(table, report, sink, err);
}

int rf_page_table_put(const char *name, const rf_summary *summary, struct rf_sink *sink,
                      struct rf_err *err)
{
    const struct rf_report *report = rf_report_list_find(name);
    struct rf_table table = {.fold_numbers = 1};
    if (report == NULL || report->compute_job == NULL)
        return RF_OK;
    int status = rf_report_begin(report, &table, err);
    if (status == RF_OK)
        status = report->compute_job(report, summary, &table, err);
    if (status == RF_OK)
        status = put_first_rows(&table, report, sink, err);
    rf_table_release(&table);
    return status;
}

int rf_page_tables_put(const rf_summary *summary, uint32_t input, const rf_recording *rec,
                       struct rf_sink *sink, struct rf_err *err)
{
    int status = RF_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && status == RF_OK; i++) {
        const struct rf_report *report = rf_report_list_find(names[i]);
        struct rf_table table = {.fold_numbers = 1};
        if (report == NULL)
            continue;
        status = compute(report, summary, input, rec, &table, err);
        if (status == RF_ERR_UNSUPPORTED) /* it would take too long, or sums are too large */
            status = RF_OK;
        else if (status == RF_OK && table.columns != NULL)
            status = put_first_rows(&table, report, sink, err);
        rf_table_release(&table);
    }
    return status;
}
