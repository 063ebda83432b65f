/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/sized.h"
#include "stats/report_arguments.h"
#include "stats/quantile_columns.h"
#include "stats/report_list.h"
#include "stats/forms/table_forms.h"

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

static void add_cut_column(struct rf_table *table)
{
    table->own_columns[table->n_columns++] = (struct rf_column){
        "Cut", RF_COLUMN_COUNT, "ranges whose end, or whose begin in a capture, was not recorded"};
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
    table->marks_cut &= report->can_group;
    if (table->group_by == NULL && table->quantiles.n == 0 && !table->marks_cut)
        return RF_OK;
    table->own_columns = calloc(RF_TABLE_MAX_COLUMNS, sizeof(*table->own_columns));
    if (table->own_columns == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    memcpy(table->own_columns, report->columns, report->n_columns * sizeof(*report->columns));
    table->columns = table->own_columns;
    bool is_done = table->group_by == NULL || add_group_column(table);
    if (table->marks_cut)
        add_cut_column(table);
    is_done = is_done && rf_quantile_columns_add(table, report);
    return is_done ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

int rf_report_compute(const rf_recording *rec, const char *name, struct rf_table *table,
                      struct rf_err *err)
{
    struct rf_report_arguments arguments;
    int status = rf_report_arguments_read(name, &arguments, err);
    if (status != RF_OK)
        return status;
    table->kernel_naming = arguments.kernel_naming;
    table->with_ranges = arguments.with_ranges;
    table->threshold = arguments.threshold;
    status = rf_report_begin(arguments.report, table, err);
    if (status == RF_OK)
        status = arguments.report->compute(arguments.report, rec, table, err);
    if (status == RF_OK && !rf_quantile_columns_place(table, arguments.report))
        status = RF_ERR_NO_MEMORY;
    if (status == RF_OK && arguments.max_rows > 0)
        rf_table_keep_rows(table, arguments.max_rows);
    return status == RF_ERR_NO_MEMORY ? rf_fail(err, status, "out of memory") : status;
}

static int flush_to_output(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

int rf_report_check(const struct rf_report_options *options, struct rf_err *err)
{
    int status = rf_report_parse(options->report, err);
    if (status != RF_OK)
        return status;
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

int rf_report_write(struct rf_table *table, const struct rf_report_options *options,
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
    if (options->max_rows > 0 && table->n_rows > options->max_rows)
        rf_table_cut(table, options->max_rows);
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
    struct rf_table table = {.can_make_rows = true,
                             .by_process = options->by_process,
                             .marks_cut = options->marks_cut != 0,
                             .group_by = options->group_by,
                             .fold_numbers = options->fold_numbers,
                             .step = options->step,
                             .collective = options->collective,
                             .differing = options->differing,
                             .differing_size = options->differing_size,
                             .width = options->width,
                             .is_ascii = options->is_ascii != 0};
    status = rf_report_check(options, err);
    if (status == RF_OK)
        status = rf_quantiles_parse(&table.quantiles, options->quantiles, err);
    if (status != RF_OK)
        return status;
    if (options->progress != NULL)
        (void)options->progress(options->progress_context, 0);
    status = rf_report_compute(rec, options->report, &table, err);
    if (options->progress != NULL)
        (void)options->progress(options->progress_context, 1);
    if (status == RF_OK && options->n_rows != NULL)
        *options->n_rows = table.n_rows;
    if (status == RF_OK && options->is_approximate != NULL)
        *options->is_approximate = table.is_approximate;
    if (status == RF_OK)
        status = rf_report_write(&table, options, err);
    rf_table_release(&table);
    return status;
}
