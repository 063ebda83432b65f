/* SPDX-License-Identifier: Apache-2.0 */
/* One table of several recordings. Each adds its rows, behind columns that say whose they are. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "stats/quantile_columns.h"
#include "stats/report_arguments.h"
#include "stats/report_list.h"
#include "stats/stats.h"
#include "stats/tally_needs.h"
#include "stats/summary_rows.h"

enum { INPUT, HOST, RANK, N_OWN };

struct rf_joined_report {
    struct rf_report_options options;
    struct rf_column columns[RF_TABLE_MAX_COLUMNS];
    struct rf_table table;
    size_t n_own; /* columns that say whose a row is: N_OWN, or 0 where it is of all inputs */
    char **title; /* of the columns that a table had more than its report says */
    size_t n_titles;
};

static const struct rf_column own_columns[N_OWN] = {
    {"Input", RF_COLUMN_TEXT, "path of the recording"},
    {"Host", RF_COLUMN_TEXT, "name of the machine"},
    {"Rank", RF_COLUMN_ID, "rank of the process in its job, or what --rank-from says; None: none"}};

int rf_joined_report_new(const struct rf_report_options *options, rf_joined_report **out,
                         struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (options == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_joined_report_new: options or out is NULL");
    rf_joined_report *joined = calloc(1, sizeof(*joined));
    if (joined == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    int status = rf_sized_options(&joined->options, sizeof(joined->options), options,
                                  "rf_report_options", err);
    if (status == RF_OK)
        status = rf_report_check(&joined->options, err);
    if (status != RF_OK) {
        free(joined);
        return status;
    }
    struct rf_table *table = &joined->table;
    const struct rf_report *report = rf_report_list_find(joined->options.report);
    table->group_by = joined->options.group_by;
    table->marks_cut = joined->options.marks_cut != 0;
    status = rf_quantiles_parse(&table->quantiles, joined->options.quantiles, err);
    if (status == RF_OK)
        status = rf_report_begin(report, table, err);
    if (status == RF_OK && !rf_quantile_columns_place(table, report))
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status != RF_OK) {
        rf_joined_report_free(joined);
        return status;
    }
    joined->n_own = report->compute_job == NULL ? N_OWN : 0;
    memcpy(joined->columns, own_columns, joined->n_own * sizeof(*own_columns));
    memcpy(joined->columns + joined->n_own, table->columns,
           table->n_columns * sizeof(*table->columns));
    table->columns = joined->columns;
    table->n_columns += joined->n_own;
    for (size_t i = joined->n_own; i < table->n_columns;
         i++) /* the words of a recording go with it */
        if (joined->columns[i].type == RF_COLUMN_WORD)
            joined->columns[i].type = RF_COLUMN_TEXT;
    *out = joined;
    return RF_OK;
}

/* Takes the columns of the first table: a report may make some for what it finds. n: those behind
 * our own. */
static int adopt_columns(struct rf_joined_report *joined, const struct rf_column *columns, size_t n)
{
    struct rf_table *table = &joined->table;
    const size_t n_own = joined->n_own;
    if (n_own + n == table->n_columns)
        return RF_OK;
    if (table->n_rows > 0 || joined->title != NULL || n_own + n > RF_TABLE_MAX_COLUMNS)
        return RF_ERR_UNSUPPORTED;
    joined->title = calloc(n, sizeof(*joined->title));
    for (size_t i = table->n_columns - n_own; i < n && joined->title != NULL; i++) {
        joined->title[joined->n_titles] = strdup(columns[i].title);
        if (joined->title[joined->n_titles] == NULL)
            return RF_ERR_NO_MEMORY;
        joined->columns[n_own + i] = columns[i];
        joined->columns[n_own + i].title = joined->title[joined->n_titles++];
        table->n_columns++;
    }
    return joined->title != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* A row that says whose it is; NULL: out of memory. */
static struct rf_cell *add_row(rf_joined_report *joined, const char *input, const char *host,
                               int64_t rank)
{
    struct rf_cell *row = rf_table_add_row(&joined->table);
    if (row == NULL || joined->n_own == 0)
        return row;
    if (!rf_cell_set_text(&row[INPUT], input, strlen(input)) ||
        !rf_cell_set_text(&row[HOST], host, strlen(host)))
        return NULL;
    row[RANK].count = rank < 0 ? RF_NO_ID : (uint64_t)rank;
    return row;
}

static int fail_columns(int status, const struct rf_joined_report *joined, struct rf_err *err)
{
    if (status == RF_ERR_UNSUPPORTED)
        return rf_fail(err, status, "%s: the inputs have different columns: add them up to one",
                       joined->table.name);
    return status == RF_OK ? RF_OK : rf_fail(err, status, "out of memory");
}

static bool copy_row(const rf_joined_report *joined, struct rf_cell *to, const struct rf_cell *from)
{
    const struct rf_table *table = &joined->table;
    for (size_t i = joined->n_own; i < table->n_columns; i++, from++) {
        to[i] = *from;
        if (rf_column_is_text(table->columns[i].type) &&
            !rf_cell_set_text(&to[i], from->text, from->size))
            return false;
    }
    return true;
}

static int copy_rows(rf_joined_report *joined, const struct rf_table *table, const char *input,
                     const char *host, int64_t rank)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct rf_row_origin of =
            table->origin != NULL ? table->origin[i] : (struct rf_row_origin){host, rank};
        struct rf_cell *row = add_row(joined, input, of.host, of.rank);
        if (row == NULL || !copy_row(joined, row, rf_table_row(table, i)))
            return RF_ERR_NO_MEMORY;
    }
    joined->table.is_approximate |= table->is_approximate;
    for (size_t i = 0; i < table->n_notes; i++)
        if (joined->n_own > 0)
            rf_table_add_note(&joined->table, "%s: %s", input, table->notes[i]);
        else
            rf_table_add_note(&joined->table, "%s", table->notes[i]);
    return RF_OK;
}

int rf_joined_report_add(rf_joined_report *joined, const rf_recording *rec, const char *input,
                         int64_t rank, struct rf_err *err)
{
    if (joined == NULL || rec == NULL || input == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_joined_report_add: joined, rec or input is NULL");
    struct rf_table table = {.by_process = joined->options.by_process,
                             .marks_cut = joined->options.marks_cut != 0,
                             .group_by = joined->options.group_by,
                             .quantiles = joined->table.quantiles,
                             .fold_numbers = joined->options.fold_numbers,
                             .step = joined->options.step,
                             .collective = joined->options.collective,
                             .width = joined->options.width,
                             .is_ascii = joined->options.is_ascii != 0,
                             .is_joined = true};
    int status = rf_report_compute(rec, joined->options.report, &table, err);
    if (status == RF_OK && copy_rows(joined, &table, input, rf_get_info(rec)->host, rank) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    rf_table_release(&table);
    return status;
}

/* Summaries have one name for each kernel, and not what is around its launch. */
static bool is_of_sums(const struct rf_report_arguments *arguments)
{
    return rf_report_is_of_sums(arguments->report) &&
           arguments->kernel_naming == RF_NAME_DEMANGLED && !arguments->with_ranges;
}

int rf_report_reads_summaries(const char *report)
{
    struct rf_report_arguments arguments;
    return rf_report_arguments_read(report, &arguments, NULL) == RF_OK && is_of_sums(&arguments);
}

int rf_report_compares_inputs(const char *name)
{
    const struct rf_report *report = rf_report_list_find(name);
    if (report == NULL)
        return 0;
    return report->compute_job != NULL ? RF_COMPARES_JOB : report->compares_inputs;
}

static int compute_summary(const struct rf_joined_report *joined, const rf_summary *summary,
                           uint32_t input, struct rf_table *table, struct rf_err *err)
{
    struct rf_report_arguments arguments;
    char why[300];
    int status = rf_report_arguments_read(joined->options.report, &arguments, err);
    if (status == RF_OK &&
        rf_report_missing_in_summary(NULL, 0, joined->options.report, why, sizeof(why)))
        return rf_fail(err, RF_ERR_UNSUPPORTED, "%s", why);
    if (status == RF_OK)
        status = rf_report_begin(arguments.report, table, err);
    if (status == RF_OK)
        status = rf_check_tallies(arguments.report, summary, input, err);
    if (status == RF_OK)
        status = rf_report_of_summary(arguments.report, summary, input, table, err);
    if (status == RF_OK && !rf_quantile_columns_place(table, arguments.report))
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK && arguments.max_rows > 0)
        rf_table_keep_rows(table, arguments.max_rows);
    return status;
}

/* What the options say of the table of a summary. */
static struct rf_table table_for_summary(const struct rf_joined_report *joined)
{
    return (struct rf_table){.group_by = joined->options.group_by,
                             .quantiles = joined->table.quantiles,
                             .step = joined->options.step,
                             .width = joined->options.width,
                             .is_ascii = joined->options.is_ascii != 0,
                             .is_joined = true};
}

/* Moves a table to the joined one, if its columns fit. */
static int take_table(rf_joined_report *joined, struct rf_table *table, int status,
                      const struct rf_summary_input *of, struct rf_err *err)
{
    if (status == RF_OK)
        status = fail_columns(adopt_columns(joined, table->columns, table->n_columns), joined, err);
    if (status == RF_OK && copy_rows(joined, table, of->path, of->host, of->rank) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    rf_table_release(table);
    return status;
}

int rf_joined_report_add_summary(rf_joined_report *joined, const rf_summary *summary,
                                 uint32_t input, struct rf_err *err)
{
    if (joined == NULL || input >= rf_summary_n_inputs(summary))
        return rf_fail(err, RF_ERR_USAGE,
                       "rf_joined_report_add_summary: joined is NULL, or there is no such input");
    struct rf_table table = table_for_summary(joined);
    const int status = compute_summary(joined, summary, input, &table, err);
    return take_table(joined, &table, status, rf_summary_input_at(summary, input), err);
}

int rf_joined_report_add_job(rf_joined_report *joined, const rf_summary *summary,
                             struct rf_err *err)
{
    struct rf_report_arguments arguments;
    if (joined == NULL || rf_summary_n_inputs(summary) == 0)
        return rf_fail(err, RF_ERR_USAGE,
                       "rf_joined_report_add_job: joined is NULL, or there is no input");
    int status = rf_report_arguments_read(joined->options.report, &arguments, err);
    if (status == RF_OK && arguments.report->compute_job == NULL)
        return rf_fail(err, RF_ERR_UNSUPPORTED, "%s is of each input", joined->options.report);
    struct rf_table table = table_for_summary(joined);
    if (status == RF_OK)
        status = rf_report_begin(arguments.report, &table, err);
    if (status == RF_OK)
        status = arguments.report->compute_job(arguments.report, summary, &table, err);
    if (status == RF_OK && arguments.max_rows > 0)
        rf_table_keep_rows(&table, arguments.max_rows);
    return take_table(joined, &table, status, rf_summary_input_at(summary, 0), err);
}

int rf_joined_report_add_missing(rf_joined_report *joined, const char *input, const char *reason,
                                 struct rf_err *err)
{
    if (joined == NULL || input == NULL || reason == NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "rf_joined_report_add_missing: joined, input or reason is NULL");
    struct rf_table *table = &joined->table;
    if (joined->n_own == 0) {
        rf_table_add_note(table, "%s: not read: %s", input, reason);
        return RF_OK;
    }
    struct rf_cell *row = add_row(joined, input, "", -1);
    for (size_t i = N_OWN; row != NULL && i < table->n_columns; i++)
        if (rf_column_is_text(table->columns[i].type) && !rf_cell_set_text(&row[i], "", 0))
            row = NULL;
    if (row == NULL || !rf_table_mark_missing(table))
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    rf_table_add_note(table, "%s: not read: %s", input, reason);
    return RF_OK;
}

/* The texts of a row move with it. */
static bool move_row(struct rf_table *to, const struct rf_table *from, size_t i)
{
    struct rf_cell *row = rf_table_add_row(to);
    if (row == NULL)
        return false;
    memcpy(row, &from->cells[i * from->n_columns], from->n_columns * sizeof(*row));
    return i >= from->n_marked || !from->is_missing[i] || rf_table_mark_missing(to);
}

int rf_joined_report_append(rf_joined_report *joined, rf_joined_report *from, struct rf_err *err)
{
    if (joined == NULL || from == NULL || joined == from ||
        strcmp(joined->table.name, from->table.name) != 0)
        return rf_fail(err, RF_ERR_USAGE,
                       "rf_joined_report_append: joined and from are not two of one report");
    int status = fail_columns(adopt_columns(joined, from->table.columns + from->n_own,
                                            from->table.n_columns - from->n_own),
                              joined, err);
    if (status != RF_OK)
        return status;
    const size_t row_size = from->table.n_columns * sizeof(*from->table.cells);
    size_t n = 0;
    while (n < from->table.n_rows && move_row(&joined->table, &from->table, n))
        n++;
    const bool is_done = n == from->table.n_rows;
    if (n > 0)
        memmove(from->table.cells, from->table.cells + n * from->table.n_columns,
                (from->table.n_rows - n) * row_size);
    from->table.n_rows -= n;
    from->table.n_marked = 0;
    joined->table.is_approximate |= from->table.is_approximate;
    for (size_t i = 0; i < from->table.n_notes; i++)
        rf_table_add_note(&joined->table, "%s", from->table.notes[i]);
    return is_done ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

size_t rf_joined_report_n_rows(const rf_joined_report *joined)
{
    return joined != NULL ? joined->table.n_rows : 0;
}

int rf_joined_report_is_approximate(const rf_joined_report *joined)
{
    return joined != NULL && joined->table.is_approximate;
}

int rf_joined_report_write(rf_joined_report *joined, struct rf_err *err)
{
    if (joined == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_joined_report_write: joined is NULL");
    joined->table.width = joined->options.width;
    joined->table.is_ascii = joined->options.is_ascii != 0;
    return rf_report_write(&joined->table, &joined->options, err);
}

void rf_joined_report_free(rf_joined_report *joined)
{
    if (joined == NULL)
        return;
    rf_table_release(&joined->table);
    for (size_t i = 0; i < joined->n_titles; i++)
        free(joined->title[i]);
    free(joined->title);
    free(joined);
}
