/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the report and its form, and writing it.
 *
 * To add a report:
 *   1. src/stats/report_NAME.c with a const struct rf_report;
 *   2. its declaration in stats.h and a row in the table below;
 *   3. a section in docs/exports.md;
 *   4. the expected output in tests/export/expected (tests/export/golden.sh -u makes it). */
#include "stats/stats.h"

#include <stdio.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/sized.h"
#include "stats/gpu_counters.h"

/* First what is shown where none is asked for: as nsys has it, then ours. */
static const struct rf_report *const reports[] = {
    &rf_report_nvtx_sum,
    &rf_report_osrt_sum,
    &rf_report_cuda_api_sum,
    &rf_report_cuda_gpu_kern_sum,
    &rf_report_cuda_gpu_mem_time_sum,
    &rf_report_cuda_gpu_mem_size_sum,
    &rf_report_nvtx_gpu_proj_sum,
    &rf_report_nvtx_kern_sum,
    &rf_report_gpu_metrics_sum,
    &rf_report_nvtx_gpu_metrics_sum,
    &rf_report_nvtx_pushpop_sum,
    &rf_report_nvtx_startend_sum,
    &rf_report_nvtx_pushpop_trace,
    &rf_report_nvtx_gpu_proj_trace,
    &rf_report_cuda_api_trace,
    &rf_report_cuda_api_gpu_sum,
    &rf_report_cuda_gpu_sum,
    &rf_report_cuda_gpu_kern_gb_sum,
    &rf_report_cuda_gpu_trace,
    &rf_report_cuda_kern_exec_sum,
    &rf_report_cuda_kern_exec_trace,
};

#define N_REPORTS (sizeof(reports) / sizeof(reports[0]))
#define MAX_NAMES 16

const char *rf_report_at(size_t i, const char **description)
{
    if (i >= N_REPORTS)
        return NULL;
    if (description != NULL)
        *description = reports[i]->description;
    return reports[i]->name;
}

static int has_gpu_metrics(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_is_gpu_metric(rf_counter_at(rec, i)))
            return 1;
    return 0;
}

static int has_calls(const rf_recording *rec, int of_os)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if ((call[i].kind == RF_CALL_OS) == of_os)
                return 1;
    }
    return 0;
}

static int has_work(const rf_recording *rec, int kind, int or_kind)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (op[i].kind == kind || op[i].kind == or_kind)
            return 1;
    return 0;
}

/* Whether a recording has what a report is about. */
static int has_rows(const rf_recording *rec, enum rf_report_shown shown)
{
    size_t n_ops = 0;
    (void)rf_gpu_ops(rec, &n_ops);
    switch (shown) {
    case RF_REPORT_OF_RANGES:
        return rf_get_info(rec)->n_ranges > 0;
    case RF_REPORT_OF_RANGES_ON_GPU:
        return rf_get_info(rec)->n_ranges > 0 && n_ops > 0;
    case RF_REPORT_OF_CUDA_CALLS:
        return has_calls(rec, 0);
    case RF_REPORT_OF_OS_CALLS:
        return has_calls(rec, 1);
    case RF_REPORT_OF_KERNELS:
        return has_work(rec, RF_OP_KERNEL, RF_OP_KERNEL);
    case RF_REPORT_OF_MEMORY:
        return has_work(rec, RF_OP_MEMCPY, RF_OP_MEMSET);
    default:
        return has_gpu_metrics(rec);
    }
}

int rf_report_is_default(const rf_recording *rec, size_t i)
{
    if (rec == NULL || i >= N_REPORTS || reports[i]->shown == RF_REPORT_ON_REQUEST)
        return 0;
    return has_rows(rec, reports[i]->shown) ? 1 : -1;
}

static const struct rf_report *report_of(const char *name)
{
    for (size_t i = 0; i < N_REPORTS; i++)
        if (strcmp(name, reports[i]->name) == 0 ||
            (reports[i]->alias != NULL && strcmp(name, reports[i]->alias) == 0))
            return reports[i];
    return NULL;
}

unsigned rf_report_open_flags(const char *name)
{
    const struct rf_report *report = name != NULL ? report_of(name) : NULL;
    return report != NULL && !report->needs_samples ? RF_OPEN_NO_SAMPLES : 0;
}

/* Says which name is not known and which ones are. */
static void fail_unknown(const char *what, const char *name, const char *const *names, size_t n,
                         struct rf_err *err)
{
    char list[512] = "";
    for (size_t i = 0; i < n; i++) {
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, names[i], sizeof(list) - strlen(list) - 1);
    }
    const char *nearest = rf_nearest_name(name, names, n);
    (void)rf_fail(err, RF_ERR_USAGE, "unknown %s '%.100s': %s%s%sthere is %s", what, name,
                  nearest != NULL ? "did you mean '" : "", nearest != NULL ? nearest : "",
                  nearest != NULL ? "'? " : "", list);
}

static const struct rf_report *find_report(const char *name, struct rf_err *err)
{
    const char *names[N_REPORTS];
    name = name != NULL ? name : "";
    const struct rf_report *report = report_of(name);
    if (report != NULL)
        return report;
    for (size_t i = 0; i < N_REPORTS; i++)
        names[i] = reports[i]->name;
    fail_unknown("report", name, names, N_REPORTS, err);
    return NULL;
}

/* The console's form where none was asked for; nsys calls it "column" too. */
static const struct rf_table_form *find_form(const char *name, struct rf_err *err)
{
    const char *names[MAX_NAMES];
    size_t n = 0;
    const struct rf_table_form *form;
    if (name == NULL || strcmp(name, "column") == 0)
        name = "table";
    for (; n < MAX_NAMES && (form = rf_table_form_at(n)) != NULL; n++) {
        names[n] = form->name;
        if (strcmp(name, form->name) == 0)
            return form;
    }
    fail_unknown("output format", name, names, n, err);
    return NULL;
}

static int flush_to_output(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

static int write_report(const struct rf_table *table, const struct rf_table_form *form,
                        const struct rf_report_options *options, struct rf_err *err)
{
    struct rf_output output = {0};
    struct rf_sink sink = {0};
    const char *path = options->output != NULL ? options->output : "-";
    int status = RF_OK;
    if (options->output == NULL && options->write != NULL)
        rf_output_open_function(&output, options->write, options->write_context);
    else
        status = rf_output_open(&output, path, options->can_overwrite, err);
    if (status != RF_OK)
        return status;
    status = rf_sink_init(&sink, flush_to_output, &output, err);
    if (status == RF_OK) {
        sink.is_raw = options->is_raw;
        form->write(table, &sink);
        status = rf_sink_finish(&sink);
    }
    rf_sink_release(&sink);
    if (status == RF_OK)
        return rf_output_commit(&output, err);
    rf_output_abandon(&output);
    return status;
}

int rf_report_fill(const rf_recording *rec, const char *name, struct rf_table *table,
                   struct rf_err *err)
{
    const struct rf_report *report = find_report(name, err);
    if (report == NULL)
        return RF_ERR_USAGE;
    int status = report->fill(rec, table, err);
    table->name = report->name;
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
    struct rf_table table = {.by_process = options->by_process};
    const struct rf_table_form *form = find_form(options->format, err);
    if (form == NULL)
        return RF_ERR_USAGE;
    if (options->progress != NULL)
        (void)options->progress(options->progress_context, 0);
    status = rf_report_fill(rec, options->report, &table, err);
    table.width = options->width;
    if (options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    if (status == RF_OK)
        status = write_report(&table, form, options, err);
    rf_table_release(&table);
    return status;
}
