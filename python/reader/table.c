/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "arrow.h"
#include "column.h"
#include "find_column.h"
#include "frames.h"
#include "kind.h"
#include "raise.h"
#include "rows.h"
#include "with_python.h"

struct table {
    PyObject ob_base;
    struct rows *rows; /* owned */
    size_t n;
    const struct column **column;
};

/* Memory for n columns, which is never empty. NULL with an exception. */
static const struct column **new_columns(size_t n)
{
    const struct column **column = PyMem_Calloc(n + 1, sizeof(const struct column *));
    return column != NULL ? column : (const struct column **)(void *)PyErr_NoMemory();
}

static int add_names(struct table *table, PyObject *names)
{
    const struct view *view = &table->rows->view;
    table->column = new_columns((size_t)PyTuple_GET_SIZE(names));
    if (table->column == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (!PyUnicode_Check(name)) {
            PyErr_Format(PyExc_TypeError, "the name of a column must be a str, not %.100s",
                         Py_TYPE(name)->tp_name);
            return -1;
        }
        const char *text = PyUnicode_AsUTF8(name);
        const struct column *column =
            text != NULL ? find_column(view->recording, view->kind, text) : NULL;
        if (text != NULL && column == NULL)
            (void)find_column_raise(view->recording, view->kind, PyExc_KeyError, name);
        if (column == NULL)
            return -1;
        table->column[table->n++] = column;
    }
    return 0;
}

static int add_all(struct table *table)
{
    const struct view *view = &table->rows->view;
    const struct payload_columns *payloads;
    if (find_payload_columns(view->recording, view->kind, &payloads) != 0)
        return -1;
    size_t n = payloads != NULL ? payloads->n : 0;
    table->column = new_columns(view->kind->n_columns + n);
    if (table->column == NULL)
        return -1;
    for (size_t i = 0; i < view->kind->n_columns; i++)
        table->column[table->n++] = view->kind->column[i];
    for (size_t i = 0; i < n; i++)
        table->column[table->n++] = &payloads->column[i].column;
    return 0;
}

PyObject *table_new(struct rows *rows, PyObject *names)
{
    struct table *table = object_new(&table_type);
    if (table == NULL)
        return NULL;
    table->rows = (struct rows *)new_reference(rows);
    table->n = 0;
    table->column = NULL;
    if ((PyTuple_GET_SIZE(names) == 0 ? add_all(table) : add_names(table, names)) != 0)
        Py_CLEAR(table);
    return (PyObject *)table;
}

static void table_free(PyObject *self)
{
    Py_DECREF((PyObject *)((struct table *)self)->rows);
    PyMem_Free(((struct table *)self)->column);
    PyObject_Free(self);
}

/* ---- As a mapping ---- */

static PyObject *raise_no_column(const struct table *table, PyObject *name)
{
    PyObject *list = columns_list_names(table->column, table->n);
    if (list != NULL)
        PyErr_Format(PyExc_KeyError, "no column %R in this table; there are: %U", name, list);
    Py_XDECREF(list);
    return NULL;
}

static PyObject *table_subscript(PyObject *self, PyObject *key)
{
    struct table *table = (struct table *)self;
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
    for (size_t i = 0; name != NULL && i < table->n; i++)
        if (strcmp(table->column[i]->name, name) == 0)
            return column_new(table->rows, table->column[i]);
    return PyErr_Occurred() ? NULL : raise_no_column(table, key);
}

static Py_ssize_t table_length(PyObject *self)
{
    return (Py_ssize_t)((struct table *)self)->n;
}

static PyObject *table_keys(PyObject *self, PyObject *ignored)
{
    const struct table *table = (struct table *)self;
    PyObject *list = PyList_New(0);
    (void)ignored;
    for (size_t i = 0; list != NULL && i < table->n; i++)
        list_add(&list, PyUnicode_FromString(table->column[i]->name));
    return list_to_tuple(list);
}

static PyObject *table_iterate(PyObject *self)
{
    PyObject *names = table_keys(self, NULL);
    PyObject *iterator = names != NULL ? PyObject_GetIter(names) : NULL;
    Py_XDECREF(names);
    return iterator;
}

static PyObject *get_n_rows(PyObject *self, void *ignored)
{
    (void)ignored;
    Py_ssize_t n = PyObject_Size((PyObject *)((struct table *)self)->rows);
    return n >= 0 ? PyLong_FromSsize_t(n) : NULL;
}

static PyObject *table_repr(PyObject *self)
{
    const struct table *table = (struct table *)self;
    Py_ssize_t n = PyObject_Size((PyObject *)table->rows);
    return n >= 0
               ? PyUnicode_FromFormat("<Table of %zd columns, %zd rows>", (Py_ssize_t)table->n, n)
               : NULL;
}

/* Copies what is read in one pass over the rows for all columns of a list. Returns 0, or -1 with an
 * exception. */
static int gather(PyObject *list, const struct view *view, const struct table *table,
                  struct cells *cells)
{
    int status;
    Py_BEGIN_ALLOW_THREADS;
    status = cells_gather(cells, view, table->column, table->n, 0, (size_t)view->n);
    Py_END_ALLOW_THREADS;
    if (status != 0)
        return raise_no_memory_status();
    for (size_t i = 0; i < table->n; i++) {
        struct column_object *column = (struct column_object *)PyList_GET_ITEM(list, (Py_ssize_t)i);
        if (table->column[i]->gather == NULL)
            continue;
        column->cells = cells[i];
        column->has_cells = true;
    }
    return 0;
}

/* All columns; frames need the values of all. */
static PyObject *table_filled(PyObject *self, PyObject *ignored)
{
    struct table *table = (struct table *)self;
    const struct view *view = rows_view(table->rows);
    PyObject *list = view != NULL ? PyList_New(0) : NULL;
    (void)ignored;
    for (size_t i = 0; list != NULL && i < table->n; i++)
        list_add(&list, column_new(table->rows, table->column[i]));
    if (list == NULL)
        return NULL;
    struct cells *cells = calloc(table->n + 1, sizeof(*cells));
    if (cells == NULL || gather(list, view, table, cells) != 0)
        Py_CLEAR(list);
    free(cells);
    return list != NULL ? list : raise_no_memory();
}

/* ---- Other forms ---- */

/* A new reference. */
static struct table *table_of(PyObject *self)
{
    if (Py_TYPE(self) == &table_type)
        return (struct table *)new_reference(self);
    PyObject *names = PyTuple_New(0);
    PyObject *table = names != NULL ? table_new((struct rows *)self, names) : NULL;
    Py_XDECREF(names);
    return (struct table *)table;
}

/* The columns as these rows have them, in memory that the caller frees. NULL with an exception. */
static const struct column **narrow_all(const struct table *table)
{
    const struct view *view = table != NULL ? rows_view(table->rows) : NULL;
    const struct column **column = view != NULL ? new_columns(table->n) : NULL;
    for (size_t i = 0; column != NULL && i < table->n; i++)
        column[i] = column_narrow(table->column[i], view);
    return column;
}

PyObject *table_arrow_schema(PyObject *self, PyObject *ignored)
{
    struct table *table = table_of(self);
    const struct column **column = narrow_all(table);
    PyObject *schema = column != NULL ? arrow_table_schema(column, table->n) : NULL;
    (void)ignored;
    PyMem_Free(column);
    Py_XDECREF((PyObject *)table);
    return schema;
}

PyObject *table_arrow_stream(PyObject *self, PyObject *args, PyObject *names)
{
    static char *name_of[] = {"requested_schema", NULL};
    PyObject *requested = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, names, "|O:__arrow_c_stream__", name_of, &requested))
        return NULL;
    struct table *table = table_of(self);
    const struct column **column = narrow_all(table);
    PyObject *stream =
        column != NULL ? arrow_table_stream(&table->rows->view, column, table->n) : NULL;
    PyMem_Free(column);
    Py_XDECREF((PyObject *)table);
    return stream;
}

static PyMethodDef table_methods[] = {
    {"keys", table_keys, METH_NOARGS,
     PyDoc_STR("keys($self, /)\n--\n\nReturns the names of the columns, a tuple of str.")},
    {"to_pandas", frames_to_pandas, METH_NOARGS,
     PyDoc_STR("to_pandas($self, /)\n--\n\n"
               "Returns a pandas.DataFrame: text as categories, numbers that are missing in some\n"
               "rows as pandas' nullable integers. Raises ImportError where there is no pandas.")},
    {"to_arrow", frames_to_arrow, METH_NOARGS,
     PyDoc_STR("to_arrow($self, /)\n--\n\n"
               "Returns a pyarrow.Table: text as dictionaries, what is missing as null. Raises\n"
               "ImportError where there is no pyarrow.")},
    {"_filled", table_filled, METH_NOARGS,
     PyDoc_STR("_filled($self, /)\n--\n\nReturns the columns as a list, for to_pandas().")},
    {"_repr_html_", frames_repr_html, METH_NOARGS,
     PyDoc_STR("_repr_html_($self, /)\n--\n\nReturns the first rows as a table of HTML.")},
    {"__array__", WITH_NAMES(frames_array), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__array__($self, /, dtype=None, copy=None)\n--\n\n"
               "Raises TypeError: the columns of a Table are of several types.")},
    {"__arrow_c_schema__", table_arrow_schema, METH_NOARGS,
     PyDoc_STR("__arrow_c_schema__($self, /)\n--\n\n"
               "Returns the types as a capsule of Arrow's C data interface.")},
    {"__arrow_c_stream__", WITH_NAMES(table_arrow_stream), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
               "Returns a capsule of Arrow's C stream interface, which gives batches of a\n"
               "million rows. The types are the columns' own, whatever was requested.")},
    {NULL, NULL, 0, NULL}};

static PyObject *get_rows(PyObject *self, void *ignored)
{
    (void)ignored;
    return new_reference(((struct table *)self)->rows);
}

static PyGetSetDef table_values[] = {
    {"_rows", get_rows, NULL, PyDoc_STR("Rows: what the columns are of."), NULL},
    {"n_rows", get_n_rows, NULL, PyDoc_STR("int: how many rows the columns have."), NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMappingMethods table_as_mapping = {.mp_length = table_length,
                                            .mp_subscript = table_subscript};

PyTypeObject table_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.recording.Table",
    .tp_doc = PyDoc_STR("Columns by name, of some rows: table['start_ns'], keys(), len(table).\n"
                        "What takes Arrow's C stream interface takes a Table."),
    .tp_basicsize = sizeof(struct table),
    .tp_dealloc = table_free,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = table_repr,
    .tp_iter = table_iterate,
    .tp_as_mapping = &table_as_mapping,
    .tp_methods = table_methods,
    .tp_getset = table_values};
