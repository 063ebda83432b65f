/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of rows apart from what makes them: kinds.c completes the table. */
#include "kind.h"

#include <string.h>

#include "python_text.h"
#include "rangefinder/rangefinder.h"

struct kind kinds[N_KINDS];

const struct column *kind_find_column(const struct kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_columns; i++)
        if (strcmp(kind->column[i]->name, name) == 0)
            return kind->column[i];
    return NULL;
}

/* "a, b, c" */
static PyObject *list_names(const struct kind *kind)
{
    PyObject *list = PyUnicode_FromString("");
    for (size_t i = 0; list != NULL && i < kind->n_columns; i++)
        Py_SETREF(list,
                  PyUnicode_FromFormat("%U%s%s", list, i > 0 ? ", " : "", kind->column[i]->name));
    return list;
}

PyObject *kind_raise_no_column(const struct kind *kind, PyObject *exception, PyObject *name)
{
    PyObject *list = list_names(kind);
    if (list != NULL)
        PyErr_Format(exception, "%s have no column %R; there are: %U", kind->name, name, list);
    Py_XDECREF(list);
    return NULL;
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

static uint32_t field_u32(const struct column *column, const struct row *row)
{
    uint32_t value;
    memcpy(&value, (const char *)row->at + column->field, sizeof(value));
    return value;
}

static int field_get(const struct column *column, const struct row *row, union value *value)
{
    switch (column->type) {
    case TIME:
    case COUNT:
    case INTEGER:
    case REAL:
        memcpy(value, (const char *)row->at + column->field, 8);
        return column->type != TIME || value->i != RF_NO_TIME;
    case INDEX:
        value->i = field_u32(column, row);
        return value->i != RF_NO_INDEX;
    case FLAG: { /* an int */
        value->u = field_u32(column, row) != 0;
        return 1;
    }
    default:
        value->u = field_u32(column, row);
        return 1;
    }
}

/* Whether a string has text. */
static int has_text(const struct column *column, const struct held *held, uint64_t id)
{
    size_t size;
    return column_text(column, held, id, &size) != NULL;
}

int column_get(const struct column *column, const struct row *row, union value *value)
{
    int is_there =
        column->get != NULL ? column->get(column, row, value) : field_get(column, row, value);
    return is_there && (column->type != TEXT || has_text(column, row->held, value->u));
}

const char *column_text(const struct column *column, const struct held *held, uint64_t id,
                        size_t *size)
{
    int is_none_text =
        column->type == TEXT && column->none_text != NULL && id == rf_n_strings(held->rec);
    if (column->type == TEXT && !is_none_text)
        return rf_string(held->rec, (uint32_t)id, size);
    const char *word = is_none_text ? column->none_text : column->word((int)id);
    *size = word != NULL ? strlen(word) : 0;
    return word;
}

size_t column_n_ids(const struct column *column, const struct held *held)
{
    if (column->type != TEXT)
        return UINT8_MAX + 1;
    return rf_n_strings(held->rec) + (column->none_text != NULL);
}

static PyObject *text_of_id(const struct column *column, const struct row *row, uint64_t id)
{
    size_t size = 0;
    const char *text = column_text(column, row->held, id, &size);
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

/* ---- What several kinds have ---- */

int value_set_thread(const struct row *row, uint32_t thread, union value *value)
{
    value->i = thread;
    return rf_thread_at(row->held->rec, thread) != NULL;
}

int value_set_tid(const struct row *row, uint32_t thread, union value *value)
{
    const struct rf_thread *found = rf_thread_at(row->held->rec, thread);
    value->u = found != NULL ? found->tid : 0;
    return found != NULL;
}

int value_set_pid(const struct row *row, uint32_t process, union value *value)
{
    const struct rf_process *found = rf_process_at(row->held->rec, process);
    value->u = found != NULL ? found->pid : 0;
    return found != NULL;
}

/* The default domain has no name of its own. */
int value_set_domain(const struct row *row, uint32_t domain, union value *value)
{
    const struct rf_domain *found = rf_domain_at(row->held->rec, domain);
    if (found != NULL)
        value->u = found->id == 0 ? rf_n_strings(row->held->rec) : found->name;
    return found != NULL;
}

uint32_t row_process_of(const struct row *row, uint32_t thread)
{
    const struct rf_thread *found = rf_thread_at(row->held->rec, thread);
    return found != NULL ? found->process : RF_NO_INDEX;
}

void value_set_duration(union value *value, int64_t start_ns, int64_t end_ns)
{
    value->i = (int64_t)((uint64_t)end_ns - (uint64_t)start_ns);
}

int value_set_id(union value *value, uint32_t id, uint32_t none)
{
    value->u = id;
    return id != none;
}

size_t value_size(enum value_type type)
{
    switch (type) {
    case NUMBER:
    case TEXT:
    case WORD:
        return 4;
    case FLAG:
        return 1;
    case PLAIN:
        return 0;
    default:
        return 8;
    }
}

size_t kind_count_runs(const struct held *held, const struct kind *kind)
{
    struct run run;
    uint32_t n = 0;
    while (kind->run(held, n, &run))
        n++;
    return n;
}
