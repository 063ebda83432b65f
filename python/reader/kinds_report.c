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
#include "row.h"
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

/* ---- As values, which can be sent to other processes ---- */

/* The values of rows as (name, titles, types, cells, texts): a byte for the type of each column,
 * the cells of all rows with zeros for texts, and these in their order, bytes or None. */

/* Copies the cells of a row, and adds its texts to a list. */
static void take_row(const struct rf_table *table, const struct rf_cell *from,
                     struct rf_cell *cells, PyObject **texts)
{
    for (size_t i = 0; i < table->n_columns && *texts != NULL; i++) {
        if (!rf_column_is_text(table->columns[i].type))
            cells[i] = from[i];
        else if (from[i].text == NULL)
            list_add(texts, new_reference(Py_None));
        else
            list_add(texts, PyBytes_FromStringAndSize(from[i].text, (Py_ssize_t)from[i].size));
    }
}

static PyObject *state_of(const struct rf_table *table, PyObject *cells, PyObject *texts)
{
    PyObject *titles = PyList_New(0);
    char types[RF_TABLE_MAX_COLUMNS];
    for (size_t i = 0; i < table->n_columns && titles != NULL; i++) {
        enum rf_column_type type = table->columns[i].type;
        types[i] = (char)(rf_column_is_text(type) ? RF_COLUMN_TEXT : type);
        list_add(&titles, PyUnicode_FromString(table->columns[i].title));
    }
    titles = list_to_tuple(titles);
    texts = list_to_tuple(texts);
    /* takes over all, and is NULL where one of them is */
    return Py_BuildValue("(sNy#NN)", table->name, titles, types, (Py_ssize_t)table->n_columns,
                         cells, texts);
}

/* Rows, or one row that is given as it is. */
static PyObject *take_state(const struct view *view, struct row row)
{
    const struct recording *recording = view != NULL ? view->recording : row.recording;
    const struct rf_table *table = &recording->report->table;
    const Py_ssize_t n = view != NULL ? view->n : 1;
    const size_t size = table->n_columns * sizeof(struct rf_cell);
    PyObject *cells = PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)size);
    PyObject *texts = cells != NULL ? PyList_New(0) : NULL;
    if (cells != NULL)
        memset(PyBytes_AS_STRING(cells), 0, (size_t)n * size);
    for (Py_ssize_t i = 0; i < n && texts != NULL; i++) {
        if (view != NULL)
            view_get(view, i, &row);
        take_row(table, row.at,
                 (struct rf_cell *)(void *)(PyBytes_AS_STRING(cells) + (size_t)i * size), &texts);
    }
    return state_of(table, cells, texts);
}

PyObject *report_state(PyObject *module, PyObject *object)
{
    const struct kind *kind =
        is_row(object) ? ((struct row_object *)object)->kind : ((struct rows *)object)->view.kind;
    (void)module;
    if (kind->id != REPORT) {
        PyErr_Format(PyExc_TypeError,
                     "%s belong to their recording and do not pickle: pickle the Recording and ask "
                     "it there, or send as_dict() or to_arrow()",
                     kind->name);
        return NULL;
    }
    if (is_row(object))
        return take_state(NULL, *row_of_object(object));
    const struct view *view = rows_view((struct rows *)object);
    return view != NULL ? take_state(view, (struct row){NULL, NULL, 0, 0}) : NULL;
}

/* Adds the rows. Returns 0, or -1 where they are not as report_state() makes them, or memory is
 * short. */
static int add_rows(struct rf_table *table, PyObject *texts, const char *cells, size_t n_rows)
{
    Py_ssize_t next = 0;
    for (size_t row = 0; row < n_rows; row++) {
        struct rf_cell *cell = rf_table_add_row(table);
        if (cell == NULL)
            return -1;
        for (size_t i = 0; i < table->n_columns; i++, cells += sizeof(*cell)) {
            if (table->columns[i].type != RF_COLUMN_TEXT) {
                memcpy(&cell[i], cells, sizeof(*cell));
                continue;
            }
            PyObject *text =
                next < PyTuple_GET_SIZE(texts) ? PyTuple_GET_ITEM(texts, next++) : NULL;
            if (text == NULL || (text != Py_None && !PyBytes_Check(text)))
                return -1;
            if (text != Py_None && !rf_cell_set_text(&cell[i], PyBytes_AS_STRING(text),
                                                     (size_t)PyBytes_GET_SIZE(text)))
                return -1;
        }
    }
    return 0;
}

/* The name of the table and the titles of its columns, one behind the other, which the table owns.
 * Returns 0, or -1. */
static int add_titles(struct rf_table *table, const char *name, PyObject *titles)
{
    PyObject *end = PyUnicode_FromStringAndSize("", 1);
    PyObject *all = end != NULL ? PyUnicode_Join(end, titles) : NULL;
    Py_XDECREF(end);
    PyObject *both = all != NULL ? PyUnicode_FromFormat("%U%c%s", all, 0, name) : NULL;
    Py_ssize_t size;
    const char *text = both != NULL ? PyUnicode_AsUTF8AndSize(both, &size) : NULL;
    char *copy = text != NULL ? malloc((size_t)size + 1) : NULL;
    if (copy != NULL)
        memcpy(copy, text, (size_t)size + 1);
    Py_XDECREF(all);
    Py_XDECREF(both);
    table->quantile_titles = copy;
    return copy != NULL ? 0 : -1;
}

/* Describes the columns. Returns 0, or -1. */
static int add_columns(struct rf_table *table, const char *types, size_t n)
{
    struct rf_column *columns = calloc(n + 1, sizeof(*columns));
    const char *title = table->quantile_titles;
    table->own_columns = columns;
    table->columns = columns;
    for (size_t i = 0; i < n && columns != NULL; i++, title += strlen(title) + 1) {
        columns[i].title = title;
        columns[i].type = (enum rf_column_type)(unsigned char)types[i];
        if (columns[i].type > RF_COLUMN_VALUE ||
            (columns[i].type != RF_COLUMN_TEXT && rf_column_is_text(columns[i].type)))
            return -1;
    }
    table->name = title;
    table->n_columns = n;
    return columns != NULL ? 0 : -1;
}

PyObject *report_of_state(PyObject *module, PyObject *state)
{
    const char *name, *types, *cells;
    Py_ssize_t n_columns, size;
    PyObject *titles, *texts, *rows = NULL;
    (void)module;
    if (!PyTuple_Check(state) ||
        !PyArg_ParseTuple(state, "sO!y#y#O!", &name, &PyTuple_Type, &titles, &types, &n_columns,
                          &cells, &size, &PyTuple_Type, &texts))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a state is a tuple");
    struct report *report = calloc(1, sizeof(*report));
    struct recording *made = report != NULL ? recording_new(NULL, NULL, false) : NULL;
    if (made == NULL) {
        free(report);
        return raise_no_memory();
    }
    made->report = report;
    made->free_report = report_free;
    const size_t row_size = (size_t)n_columns * sizeof(struct rf_cell);
    bool fits = n_columns > 0 && n_columns <= RF_TABLE_MAX_COLUMNS &&
                n_columns == PyTuple_GET_SIZE(titles) && (size_t)size % row_size == 0;
    if (fits && add_titles(&report->table, name, titles) == 0 &&
        add_columns(&report->table, types, (size_t)n_columns) == 0 &&
        add_rows(&report->table, texts, cells, (size_t)size / row_size) == 0) {
        describe(report);
        rows = rows_new(made, &report->kind, -1);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "these are no rows of a report");
    }
    recording_release(made);
    return rows;
}
