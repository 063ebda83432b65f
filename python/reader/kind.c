/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of rows apart from what makes them: kinds.c completes the table. */
#include "kind.h"

#include <math.h>
#include <string.h>

#include "rangefinder/rangefinder.h"
#include "shared_recording.h"

struct kind kinds[N_KINDS];

const struct column *kind_find_column(const struct kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_columns; i++)
        if (strcmp(kind->column[i]->name, name) == 0)
            return kind->column[i];
    return NULL;
}

PyObject *columns_list_names(const struct column *const *columns, size_t n_columns)
{
    PyObject *list = PyUnicode_FromString("");
    for (size_t i = 0; list != NULL && i < n_columns; i++)
        Py_SETREF(list, PyUnicode_FromFormat("%U%s%s", list, i > 0 ? ", " : "", columns[i]->name));
    return list;
}

PyObject *kinds_raise_no_rows(PyObject *name)
{
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; list != NULL && i < N_KINDS; i++)
        if (i != REPORT && i != PROJECTIONS)
            Py_SETREF(list, PyUnicode_FromFormat("%U%s%s", list, i > 0 ? ", " : "", kinds[i].name));
    if (list != NULL)
        PyErr_Format(PyExc_KeyError, "there are no rows %R, but: %U", name, list);
    Py_XDECREF(list);
    return NULL;
}

const struct column *column_narrow(const struct column *column, const struct view *view)
{
    const struct column *narrow = column;
    if (column->narrow == NULL)
        return column;
    Py_BEGIN_ALLOW_THREADS;
    narrow = column->narrow(view);
    Py_END_ALLOW_THREADS;
    return narrow;
}

/* ---- Values ---- */

/* Where the member stands. */
static const char *find_member(const struct column *column, const struct row *row)
{
    const char *of = column->of != NULL ? column->of(row) : row->at;
    return of != NULL ? of + column->offset : NULL;
}

static uint64_t read_number(const char *at, size_t size)
{
    uint32_t u32;
    uint64_t u64;
    if (size == sizeof(u64)) {
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
    if (size == 1)
        return *(const uint8_t *)at;
    memcpy(&u32, at, sizeof(u32));
    return u32;
}

static bool get_member(const struct column *column, const struct row *row, union value *value)
{
    const char *at = find_member(column, row);
    if (at == NULL)
        return false;
    value->u = read_number(at, column->size);
    switch (column->type) {
    case TIME:
        return value->i != RF_NO_TIME;
    case INDEX:
        return value->u != RF_NO_INDEX;
    case INTEGER:
        value->i = column->size == sizeof(int32_t) ? (int32_t)value->u : value->i;
        return true;
    case PLAIN:
        value->text = (const char *)(uintptr_t)value->u;
        value->size = value->text != NULL ? strlen(value->text) : 0;
        return value->text != NULL;
    case FLAG:
        value->u = (column->mask != 0 ? value->u & column->mask : value->u) != 0;
        return true;
    default:
        return column->absent == RF_ABSENT_NEVER ||
               value->u != (column->absent == RF_ABSENT_0 ? 0 : UINT32_MAX);
    }
}

bool column_has_ids(const struct column *column)
{
    return column->type == TEXT || column->type == WORD;
}

/* Whether a string has text. */
static bool has_text(const struct column *column, const struct recording *recording, uint64_t id)
{
    size_t size;
    return column_text(column, recording, id, &size) != NULL;
}

bool column_get(const struct column *column, const struct row *row, union value *value)
{
    bool is_there =
        column->get != NULL ? column->get(column, row, value) : get_member(column, row, value);
    return is_there && (column->type != TEXT || has_text(column, row->recording, value->u));
}

const char *column_text(const struct column *column, const struct recording *recording, uint64_t id,
                        size_t *size)
{
    bool is_none_text =
        column->type == TEXT && column->none_text != NULL && id == rf_n_strings(recording->rec);
    if (column->type == TEXT && !is_none_text)
        return rf_string(recording->rec, (uint32_t)id, size);
    const char *word = is_none_text ? column->none_text : column->word((int)id);
    *size = word != NULL ? strlen(word) : 0;
    return word;
}

size_t column_n_ids(const struct column *column, const struct recording *recording)
{
    if (column->type != TEXT)
        return UINT8_MAX + 1;
    return rf_n_strings(recording->rec) + (column->none_text != NULL);
}

static PyObject *text_of_id(const struct column *column, const struct row *row, uint64_t id)
{
    size_t size = 0;
    const char *text = column_text(column, row->recording, id, &size);
    return text_object(text, size);
}

PyObject *column_get_object(const struct column *column, const struct row *row)
{
    union value value;
    if (!column_get(column, row, &value))
        Py_RETURN_NONE;
    if (column->object != NULL)
        return column->object(row);
    switch (column->type) {
    case TIME:
    case INDEX:
    case INTEGER:
        return PyLong_FromLongLong(value.i);
    case COUNT:
    case NUMBER:
        return PyLong_FromUnsignedLongLong(value.u);
    case REAL:
        return PyFloat_FromDouble(value.d);
    case FLAG:
        return PyBool_FromLong(value.u != 0);
    case PLAIN:
        return text_object(value.text, value.size);
    default:
        return text_of_id(column, row, value.u);
    }
}

const struct value_format *value_format(enum value_type type)
{
    static const struct value_format formats[] = {
        [TIME] = {"int64", "q", "l", 8, {.i = RF_NO_TIME}},
        [COUNT] = {"uint64", "Q", "L", 8, {.u = 0}},
        [NUMBER] = {"uint32", "I", "I", 4, {.u = 0}},
        [INDEX] = {"int64", "q", "l", 8, {.i = -1}},
        [INTEGER] = {"int64", "q", "l", 8, {.i = 0}},
        [REAL] = {"float64", "d", "g", 8, {.d = (double)NAN}},
        [FLAG] = {"bool", "?", "b", 1, {.u = 0}},
        [TEXT] = {"text", "i", "i", 4, {.i = -1}},
        [WORD] = {"text", "i", "i", 4, {.i = -1}},
        [PLAIN] = {"text", NULL, "U", 0, {.u = 0}},
    };
    return &formats[type];
}

/* ---- What several kinds have ---- */

bool run_of_array(uint32_t i, struct run *run, const void *base, size_t n)
{
    *run = (struct run){base, n};
    return i == 0;
}

const void *thread_of_run(const struct row *row)
{
    return rf_thread_at(row->recording->rec, row->run);
}

const void *process_of_thread(const struct row *row, uint32_t thread)
{
    const struct rf_thread *found = rf_thread_at(row->recording->rec, thread);
    return found != NULL ? rf_process_at(row->recording->rec, found->process) : NULL;
}

const void *process_of_run(const struct row *row)
{
    return process_of_thread(row, row->run);
}

bool get_run(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->i = row->run;
    return true;
}

bool get_duration(const struct column *column, const struct row *row, union value *value)
{
    const char *at = find_member(column, row);
    int64_t start_end[2] = {RF_NO_TIME, RF_NO_TIME};
    if (at != NULL)
        memcpy(start_end, at, sizeof(start_end));
    value->u = (uint64_t)start_end[1] - (uint64_t)start_end[0];
    return start_end[0] != RF_NO_TIME && start_end[1] != RF_NO_TIME;
}

/* The default domain has no name of its own. */
bool get_domain_name(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_domain *domain = (const void *)find_member(column, row);
    if (domain != NULL)
        value->u = domain->id == 0 ? rf_n_strings(row->recording->rec) : domain->name;
    return domain != NULL;
}

size_t kind_count_runs(const struct recording *recording, const struct kind *kind)
{
    struct run run;
    uint32_t n = 0;
    while (kind->run(recording, n, &run))
        n++;
    return n;
}
