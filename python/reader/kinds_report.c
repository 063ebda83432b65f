/* SPDX-License-Identifier: Apache-2.0 */
/* A report is a kind of rows of its own: its columns are what the library says they are. */
#include "kinds_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "shared_recording.h"
#include "kind.h"
#include "raise.h"
#include "rows.h"
#include "stats/stats.h"

_Static_assert(MAX_COLUMNS >= RF_TABLE_MAX_COLUMNS, "a report has a column for each of a table");

struct report {
    struct kind kind;
    struct column column[RF_TABLE_MAX_COLUMNS];
    struct rf_table table;
};

static bool get_text(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_cell *cell = (const struct rf_cell *)((const char *)row->at + column->offset);
    value->text = cell->text;
    value->size = cell->size;
    return cell->text != NULL;
}

static bool get_id(const struct column *column, const struct row *row, union value *value)
{
    memcpy(&value->u, (const char *)row->at + column->offset, sizeof(value->u));
    return value->u != RF_NO_ID;
}

/* Millions, as the table has them. */
static bool get_mega(const struct column *column, const struct row *row, union value *value)
{
    memcpy(&value->d, (const char *)row->at + column->offset, sizeof(value->d));
    value->d /= 1e6;
    return !isnan(value->d);
}

static bool run_of_report(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, recording->report->table.cells, recording->report->table.n_rows);
}

/* Each report has its own columns. */
const struct kind report_kind = {
    .name = "report",
    .type_name = "rangefinder.recording.ReportRow",
    .doc = "A row of a report. Its values are had by their titles: row[\"Range\"].",
    .run = run_of_report};

static void describe(struct report *report)
{
    static const struct column types[] = {
        [RF_COLUMN_COUNT] = {.type = COUNT, .size = sizeof(uint64_t)},
        [RF_COLUMN_ID] = {.type = COUNT, .get = get_id},
        [RF_COLUMN_TIME] = {.type = TIME, .size = sizeof(int64_t)},
        [RF_COLUMN_SIGNED] = {.type = TIME, .size = sizeof(int64_t)},
        [RF_COLUMN_SPAN] = {.type = TIME, .size = sizeof(int64_t)},
        [RF_COLUMN_FOLDED] = {.type = COUNT, .size = sizeof(uint64_t)},
        [RF_COLUMN_REAL] = {.type = REAL, .size = sizeof(double)},
        [RF_COLUMN_SHARE] = {.type = REAL, .size = sizeof(double)},
        [RF_COLUMN_VALUE] = {.type = REAL, .size = sizeof(double)},
        [RF_COLUMN_MEGA] = {.type = REAL, .get = get_mega},
        [RF_COLUMN_TEXT] = {.type = PLAIN, .get = get_text},
        [RF_COLUMN_LABEL] = {.type = PLAIN, .get = get_text},
        [RF_COLUMN_TREE] = {.type = PLAIN, .get = get_text},
        [RF_COLUMN_WORD] = {.type = PLAIN, .get = get_text},
    };
    const struct rf_table *table = &report->table;
    report->kind = kinds[REPORT];
    report->kind.name = table->name;
    report->kind.size = table->n_columns * sizeof(struct rf_cell);
    report->kind.n_columns = table->n_columns;
    for (size_t i = 0; i < table->n_columns; i++) {
        report->column[i] = types[table->columns[i].type];
        report->column[i].name = table->columns[i].title;
        report->column[i].offset = (uint16_t)(i * sizeof(struct rf_cell));
        report->kind.column[i] = &report->column[i];
    }
}

static void report_free(struct report *report)
{
    rf_table_release(&report->table);
    free(report);
}

PyObject *report_rows_new(const struct recording *recording,
                          const struct rf_report_options *options)
{
    struct rf_quantiles parsed;
    struct rf_err wrong;
    if (rf_quantiles_parse(&parsed, options->quantiles, &wrong) != RF_OK) {
        raise_error(&wrong);
        return NULL;
    }
    struct report *report = calloc(1, sizeof(*report));
    struct recording *made = report != NULL ? recording_new(recording->rec, recording, true) : NULL;
    struct rf_err err;
    int status;
    if (made == NULL) {
        free(report);
        return raise_no_memory();
    }
    made->report = report;
    made->free_report = report_free;
    report->table.by_process = options->by_process != 0;
    report->table.group_by = options->group_by;
    report->table.quantiles = parsed;
    report->table.fold_numbers = options->fold_numbers != 0 ? 1 : -1;
    report->table.step = options->step;
    report->table.collective = options->collective;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_report_compute(made->rec, options->report, &report->table, &err);
    Py_END_ALLOW_THREADS;
    PyObject *rows = NULL;
    if (status == RF_OK) {
        describe(report);
        rows = rows_new(made, &report->kind, -1);
    } else {
        raise_error(&err);
    }
    recording_release(made);
    return rows;
}
