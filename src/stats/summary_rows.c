/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/summary_rows.h"

#include <string.h>

#include "base/error.h"
#include "model/private_access.h"
#include "stats/summary_cells.h"
#include "summary/collect.h"

#define KIND(name) (1u << RF_SUMMARY_##name)

/* What a report shows. */
struct shown {
    const char *report;
    unsigned kinds; /* 1 << enum rf_summary_kind */
};

static const struct shown shown_by[] = {
    {"nvtx_sum", KIND(PUSH_POP) | KIND(START_END)},
    {"nvtx_pushpop_sum", KIND(PUSH_POP)},
    {"nvtx_startend_sum", KIND(START_END)},
    {"cuda_api_sum", KIND(CUDA_CALL)},
    {"osrt_sum", KIND(OS_CALL)},
    {"cuda_gpu_kern_sum", KIND(KERNEL)},
    {"cuda_gpu_mem_time_sum", KIND(MEMORY)},
    {"cuda_gpu_mem_size_sum", KIND(MEMORY_BYTES)},
    {"cuda_gpu_sum", KIND(KERNEL) | KIND(MEMORY)},
    {"cuda_api_gpu_sum", KIND(CUDA_CALL) | KIND(KERNEL) | KIND(MEMORY)},
};

static unsigned kinds_of(const char *report)
{
    for (size_t i = 0; i < sizeof(shown_by) / sizeof(shown_by[0]); i++)
        if (strcmp(shown_by[i].report, report) == 0)
            return shown_by[i].kinds;
    return 0;
}

bool rf_report_is_of_sums(const struct rf_report *report)
{
    return report->compute_summary != NULL || report->compute_job != NULL ||
           kinds_of(report->name) != 0;
}

/* Adds up the rows of a name, whatever is around it. The strings stay those of the summary. */
static int add_up(rf_summary *flat, const rf_summary *summary, uint32_t input, unsigned kinds)
{
    int status = RF_OK;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++) {
        const struct rf_summary_row *from = &summary->row[i];
        const struct rf_summary_path *path = &summary->path[from->path];
        if (from->input != input || (1u << from->kind & kinds) == 0)
            continue;
        uint32_t to = rf_summary_path(flat, RF_NO_INDEX, path->domain, path->name);
        struct rf_summary_row *row =
            to != RF_NO_INDEX ? rf_summary_row(flat, 0, to, from->kind) : NULL;
        status = row != NULL ? rf_summary_row_merge(row, from) : RF_ERR_NO_MEMORY;
    }
    return status;
}

static void set_sizes(struct rf_cell *row, const struct rf_durations *bytes, uint64_t n)
{
    row[0].real = (double)bytes->total_ns;
    row[1].count = n;
    row[2].real = bytes->mean_ns;
    row[3].real = bytes->median_ns;
    row[4].real = (double)bytes->min_ns;
    row[5].real = (double)bytes->max_ns;
    row[6].real = bytes->stddev_ns;
}

/* What a report of several kinds says of a row's. */
static const char *kind_label(uint32_t kind)
{
    switch (kind) {
    case RF_SUMMARY_PUSH_POP:
        return "PushPop";
    case RF_SUMMARY_START_END:
        return "StartEnd";
    case RF_SUMMARY_CUDA_CALL:
        return "CUDA_API";
    case RF_SUMMARY_KERNEL:
        return "CUDA_KERNEL";
    default:
        return "MEMORY_OPER";
    }
}

static bool add_row(const struct rf_report *report, struct rf_table *table,
                    const rf_summary *summary, const rf_summary *flat,
                    const struct rf_summary_row *from, double all)
{
    const struct rf_durations measured = rf_summary_measure(from);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    if (from->kind == RF_SUMMARY_MEMORY_BYTES)
        set_sizes(row, &measured, from->n);
    else
        rf_row_set_summary(row, &measured, from->n, all);
    rf_row_set_summary_quantiles(table, row, 0, from);
    if (report->n_columns > RF_SUMMARY_N + 1)
        rf_cell_set_word(&row[RF_SUMMARY_N], kind_label(from->kind));
    return rf_cell_set_path(&row[report->n_columns - 1], summary, &flat->path[from->path], 0);
}

/* The names are the table's: words of a recording are not. false: out of memory. */
static bool own_names(const struct rf_report *report, struct rf_table *table)
{
    if (!rf_table_own_columns(table, report))
        return false;
    table->own_columns[report->n_columns - 1].type = RF_COLUMN_TEXT;
    return true;
}

int rf_report_of_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                         struct rf_table *table, struct rf_err *err)
{
    const unsigned kinds = kinds_of(report->name);
    double all = 0;
    rf_summary flat;
    if (report->compute_summary != NULL)
        return report->compute_summary(report, summary, input, table, err);
    if (report->compute_job != NULL)
        return rf_fail(err, RF_ERR_USAGE, "%s is of all inputs together", report->name);
    if (kinds == 0 || table->group_by != NULL)
        return rf_fail(err, RF_ERR_UNSUPPORTED, "summaries have not what %s shows", report->name);
    rf_summary_init(&flat);
    int status = own_names(report, table) ? add_up(&flat, summary, input, kinds) : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < flat.n_rows; i++)
        all += (double)flat.row[i].total;
    for (size_t i = 0; i < flat.n_rows && status == RF_OK; i++)
        if (!add_row(report, table, summary, &flat, &flat.row[i], all))
            status = RF_ERR_NO_MEMORY;
    rf_summary_release(&flat);
    const int sum = (kinds & KIND(MEMORY_BYTES)) != 0 ? 0 : RF_SUMMARY_TOTAL;
    const int order[] = {~sum, ~RF_SUMMARY_NUMBER, (int)report->n_columns - 1, RF_SUMMARY_N};
    rf_table_sort(table, order, report->n_columns > RF_SUMMARY_N ? 4 : 3);
    if (table->n_rows > 0)
        rf_add_summary_notes(report, table, &summary->input[input], false);
    return rf_summary_fail(status, summary->input[input].path, err);
}

int rf_report_by_summary(const struct rf_report *report, const rf_recording *rec,
                         const struct rf_summary_options *options, struct rf_table *table,
                         struct rf_err *err)
{
    rf_summary *summary = NULL;
    int status = rf_summary_new(&summary, err);
    if (status == RF_OK)
        status = rf_summary_collect(summary, rec, options, NULL, err);
    if (status == RF_OK)
        status = report->compute_summary(report, summary, 0, table, err);
    rf_summary_free(summary);
    if (status == RF_OK && rf_get_info(rec)->is_live)
        rf_table_add_note(table, "the recording goes on: these are the figures so far");
    return status;
}

int rf_report_job_of_recording(const struct rf_report *report, const rf_recording *rec,
                               struct rf_table *table, struct rf_err *err)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    rf_summary *summary = NULL;
    if (!rf_has_rank(rec)) {
        rf_table_add_note(table, "it compares the ranks of a job, and the recording has no rank");
        return RF_OK;
    }
    options.step = table->step;
    options.collective = table->collective;
    int status = rf_summary_new(&summary, err);
    if (status == RF_OK)
        status = rf_summary_collect(summary, rec, &options, NULL, err);
    const bool has_events = status == RF_OK && summary->n_steps + summary->collectives.n > 0;
    if (status == RF_OK && rf_get_info(rec)->rank < 0 && !has_events)
        rf_table_add_note(table, "the recording is of several ranks, and has neither steps nor "
                                 "collectives, which say what each does");
    else if (status == RF_OK)
        status = report->compute_job(report, summary, table, err);
    rf_summary_free(summary);
    return status;
}
