/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/sized.h"
#include "stats/gpu_counters.h"
#include "stats/counter_means.h"
#include "stats/quantile_columns.h"
#include "stats/report_list.h"
#include "stats/forms/table_forms.h"

#define MAX_NAMES 64 /* that a message lists */

/* ---- What a recording has ---- */

static bool has_gpu_metrics(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)))
            return true;
    return false;
}

static bool has_nvtx_counters(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_nvtx_counter(rf_counter_at(rec, i)))
            return true;
    return false;
}

static bool has_calls(const rf_recording *rec, bool of_os)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if ((call[i].kind == RF_CALL_OS) == of_os)
                return true;
    }
    return false;
}

static bool has_work(const rf_recording *rec, int kind, int or_kind)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (op[i].kind == kind || op[i].kind == or_kind)
            return true;
    return false;
}

static bool has_all(const rf_recording *rec, unsigned needs)
{
    size_t n_ops = 0;
    (void)rf_gpu_ops(rec, &n_ops);
    return !((needs & RF_NEEDS_RANGES) != 0 && rf_get_info(rec)->n_ranges == 0) &&
           !((needs & RF_NEEDS_GPU_WORK) != 0 && n_ops == 0) &&
           !((needs & RF_NEEDS_CUDA_CALLS) != 0 && !has_calls(rec, false)) &&
           !((needs & RF_NEEDS_OS_CALLS) != 0 && !has_calls(rec, true)) &&
           !((needs & RF_NEEDS_KERNELS) != 0 && !has_work(rec, RF_OP_KERNEL, RF_OP_KERNEL)) &&
           !((needs & RF_NEEDS_MEMORY) != 0 && !has_work(rec, RF_OP_MEMCPY, RF_OP_MEMSET)) &&
           !((needs & RF_NEEDS_SAMPLES) != 0 && !has_gpu_metrics(rec)) &&
           !((needs & RF_NEEDS_NVTX_COUNTERS) != 0 && !has_nvtx_counters(rec));
}

int rf_report_is_default(const rf_recording *rec, size_t i)
{
    const struct rf_report *report = rf_report_list_at(i);
    if (report == NULL || !report->is_default)
        return 0;
    return rec == NULL || has_all(rec, report->needs) ? 1 : -1;
}

unsigned rf_report_open_flags(const char *name)
{
    const struct rf_report *report = rf_report_list_find(name);
    unsigned flags = 0;
    if (report != NULL && (report->needs & (RF_NEEDS_SAMPLES | RF_NEEDS_NVTX_COUNTERS)) == 0)
        flags |= RF_OPEN_NO_SAMPLES;
    if (report != NULL && report->is_of_sums)
        flags |= RF_OPEN_SUMS;
    return flags;
}

/* ---- Choosing ---- */

/* Fails with the unknown name, the nearest known one and a list of all. */
static int fail_unknown(const char *what, const char *name, const char *const *names, size_t n,
                        struct rf_err *err)
{
    char list[512] = "";
    for (size_t i = 0; i < n; i++) {
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, names[i], sizeof(list) - strlen(list) - 1);
    }
    const char *nearest = rf_nearest_name(name, names, n);
    return rf_fail(err, RF_ERR_USAGE, "unknown %s '%.100s': %s%s%sthere is %s", what, name,
                   nearest != NULL ? "did you mean '" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "'? " : "", list);
}

static int fail_report(const char *name, struct rf_err *err)
{
    const char *names[MAX_NAMES];
    size_t n = 0;
    while (n < MAX_NAMES && (names[n] = rf_report_at(n, NULL)) != NULL)
        n++;
    return fail_unknown("report", name != NULL ? name : "", names, n, err);
}

/* ---- Computing and writing ---- */

static int fail_group(const struct rf_report *report, struct rf_err *err)
{
    char list[256] = "";
    const struct rf_report *other;
    for (size_t i = 0; (other = rf_report_list_at(i)) != NULL; i++)
        if (other->can_group) {
            (void)strncat(list, list[0] != '\0' ? ", " : "", sizeof(list) - strlen(list) - 1);
            (void)strncat(list, other->name, sizeof(list) - strlen(list) - 1);
        }
    return rf_fail(err, RF_ERR_USAGE,
                   "the report %s has no rows by values in payloads; these have: %s", report->name,
                   list);
}

/* "payload.rank", also where the path alone was given. */
static char *make_group_title(const char *group_by)
{
    char *title;
    bool is_path = strcmp(group_by, "payload") != 0 && strncmp(group_by, "payload.", 8) != 0;
    return asprintf(&title, "%s%s", is_path ? "payload." : "", group_by) < 0 ? NULL : title;
}

static bool add_group_column(struct rf_table *table)
{
    table->group_title = make_group_title(table->group_by);
    if (table->group_title == NULL)
        return false;
    table->own_columns[table->n_columns++] = (struct rf_column){
        table->group_title, RF_COLUMN_LABEL, "value that payloads have there; empty: none"};
    return true;
}

int rf_report_begin(const struct rf_report *report, struct rf_table *table, struct rf_err *err)
{
    rf_table_init(table, report->title, report->columns, report->n_columns);
    table->name = report->name;
    if (table->group_by != NULL && !report->can_group)
        return fail_group(report, err);
    if (table->group_by != NULL && table->group_by[0] == '\0')
        return rf_fail(err, RF_ERR_USAGE,
                       "the path to group by is empty: name a value in payloads");
    if (table->group_by == NULL && table->quantiles.n == 0)
        return RF_OK;
    table->own_columns = calloc(RF_TABLE_MAX_COLUMNS, sizeof(*table->own_columns));
    if (table->own_columns == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    memcpy(table->own_columns, report->columns, report->n_columns * sizeof(*report->columns));
    table->columns = table->own_columns;
    if ((table->group_by != NULL && !add_group_column(table)) ||
        !rf_quantile_columns_add(table, report))
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return RF_OK;
}

int rf_report_compute(const rf_recording *rec, const char *name, struct rf_table *table,
                      struct rf_err *err)
{
    const struct rf_report *report = rf_report_list_find(name);
    if (report == NULL)
        return fail_report(name, err);
    int status = rf_report_begin(report, table, err);
    if (status == RF_OK)
        status = report->compute(report, rec, table, err);
    if (status == RF_OK && !rf_quantile_columns_place(table, report))
        status = RF_ERR_NO_MEMORY;
    return status == RF_ERR_NO_MEMORY ? rf_fail(err, status, "out of memory") : status;
}

static int flush_to_output(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

int rf_report_check(const struct rf_report_options *options, struct rf_err *err)
{
    if (rf_report_list_find(options->report) == NULL)
        return fail_report(options->report, err);
    return rf_report_extension(options->format, err) != NULL ? RF_OK : RF_ERR_USAGE;
}

static int write_view(const struct rf_view *view, const struct rf_table_form *form,
                      struct rf_output *output, bool is_raw, struct rf_err *err)
{
    struct rf_sink sink = {0};
    int status = rf_sink_init(&sink, flush_to_output, output, err);
    if (status == RF_OK) {
        sink.is_raw = is_raw;
        form->write(view, &sink);
        status = rf_sink_finish(&sink);
    }
    rf_sink_release(&sink);
    return status;
}

int rf_report_write(const struct rf_table *table, const struct rf_report_options *options,
                    struct rf_err *err)
{
    const struct rf_table_form *form;
    struct rf_table_format format;
    struct rf_output output = {0};
    const char *path = options->output != NULL ? options->output : "-";
    int status = rf_table_form_find(options->format, &form, &format, err);
    if (status != RF_OK)
        return status;
    if (options->output == NULL && options->write != NULL)
        rf_output_open_function(&output, options->write, options->write_context);
    else
        status = rf_output_open(&output, path, options->can_overwrite, err);
    if (status != RF_OK)
        return status;
    struct rf_view view;
    rf_view_init(&view, table, &format);
    status = write_view(&view, form, &output, options->is_raw != 0, err);
    if (status == RF_OK)
        return rf_output_commit(&output, err);
    rf_output_abandon(&output);
    return status;
}

int rf_report(const rf_recording *rec, const struct rf_report_options *options, struct rf_err *err)
{
    struct rf_report_options own;
    if (rec == NULL || options == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_report: rec or options is NULL");
    int status = rf_sized_options(&own, sizeof(own), options, "rf_report_options", err);
    if (status != RF_OK)
        return status;
    options = &own;
    struct rf_table table = {.by_process = options->by_process, .group_by = options->group_by};
    status = rf_report_check(options, err);
    if (status == RF_OK)
        status = rf_quantiles_parse(&table.quantiles, options->quantiles, err);
    if (status != RF_OK)
        return status;
    if (options->progress != NULL)
        (void)options->progress(options->progress_context, 0);
    status = rf_report_compute(rec, options->report, &table, err);
    table.width = options->width;
    if (options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    if (status == RF_OK)
        status = rf_report_write(&table, options, err);
    rf_table_release(&table);
    return status;
}
