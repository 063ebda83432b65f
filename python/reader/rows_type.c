/* SPDX-License-Identifier: Apache-2.0 */
#include "rows_type.h"

#include <string.h>

#include "each.h"
#include "frames.h"
#include "row.h"
#include "rows.h"
#include "select.h"
#include "table.h"
#include "views.h"

static void rows_free(PyObject *self)
{
    view_release(&((struct rows *)self)->view);
    PyObject_Free(self);
}

/* ---- The sequence ---- */

/* What counting does not need to look for. */
static Py_ssize_t known_length(const struct rows *rows)
{
    const struct rf_info *info = rf_get_info(rows->view.recording->rec);
    if (rows->is_ready || rows->run >= 0)
        return -1;
    switch (rows->view.kind->id) {
    case EVENTS:
        return (Py_ssize_t)info->n_events;
    case RANGES:
        return (Py_ssize_t)info->n_ranges;
    case MARKS:
        return (Py_ssize_t)info->n_marks;
    default:
        return -1;
    }
}

static Py_ssize_t rows_length(PyObject *self)
{
    Py_ssize_t known = known_length((struct rows *)self);
    if (known >= 0)
        return known;
    const struct view *view = rows_view((struct rows *)self);
    return view != NULL ? view->n : -1;
}

static PyObject *rows_item(PyObject *self, Py_ssize_t i)
{
    const struct view *view = rows_view((struct rows *)self);
    struct row row = {NULL, NULL, 0, 0};
    if (view == NULL)
        return NULL;
    if (i < 0 || i >= view->n) {
        PyErr_Format(PyExc_IndexError, "row %zd: there are %zd", i, view->n);
        return NULL;
    }
    view_get(view, i, &row);
    return row_new(view->kind, &row);
}

static PyObject *rows_slice(PyObject *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    const struct view *view = rows_view((struct rows *)self);
    struct view part;
    if (view == NULL || PySlice_Unpack(slice, &start, &stop, &step) != 0)
        return NULL;
    Py_ssize_t n = PySlice_AdjustIndices(view->n, &start, &stop, step);
    view_init_part(&part, view->recording, view, start, step, n);
    return rows_new_of_view(&part);
}

static PyObject *rows_subscript(PyObject *self, PyObject *key)
{
    if (PySlice_Check(key))
        return rows_slice(self, key);
    if (!PyIndex_Check(key)) {
        PyErr_Format(PyExc_TypeError, "an index of rows must be an int or a slice, not %.100s",
                     Py_TYPE(key)->tp_name);
        return NULL;
    }
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    const struct view *view = rows_view((struct rows *)self);
    return view != NULL ? rows_item(self, i < 0 ? i + view->n : i) : NULL;
}

static PyObject *rows_repr(PyObject *self)
{
    Py_ssize_t n = rows_length(self);
    const struct kind *kind = ((struct rows *)self)->view.kind;
    return n >= 0 ? PyUnicode_FromFormat("<%zd %s>", n, kind->name) : NULL;
}

static PyObject *rows_columns(PyObject *self, PyObject *names)
{
    return table_new((struct rows *)self, names);
}

static PyMethodDef rows_methods[] = {
    {"filter", WITH_NAMES(rows_select), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("filter($self, /, **columns)\n--\n\n"
               "Returns the rows in which columns have the given values, as Rows, in the same\n"
               "order: `recording.ranges.filter(name='forward', domain=None, tid=[1, 2])`.\n"
               "\n"
               "A value is what the column holds: a str, an int, a float, a bool, or None for\n"
               "none; a compiled regular expression, of which a part of the text is to match; a\n"
               "row (a Thread, a Process), where the column refers to one; or a list, tuple or\n"
               "set of these, of which one is to fit. In columns of times a tuple (from, to) is\n"
               "from <= value < to, and either may be None. None as a domain is the default\n"
               "domain. Behind the name of a column stand comparisons: `duration_ns__gt=1e6`,\n"
               "__ge, __lt, __le for numbers, where a row without a value does not fit, and __ne\n"
               "for all: what does not fit the value. It takes one pass over the rows.\n"
               "\n"
               "Raises TypeError where there is no such column or comparison, or the value is of\n"
               "another type.")},
    {"columns", rows_columns, METH_VARARGS,
     PyDoc_STR("columns($self, /, *names)\n--\n\n"
               "Returns the columns of these names, or all of them, as a Table. No value is\n"
               "copied before it is asked for. Raises KeyError for a name that there is not.")},
    {"to_pandas", frames_to_pandas, METH_NOARGS,
     PyDoc_STR("to_pandas($self, /)\n--\n\nThe same as columns().to_pandas().")},
    {"to_arrow", frames_to_arrow, METH_NOARGS,
     PyDoc_STR("to_arrow($self, /)\n--\n\nThe same as columns().to_arrow().")},
    {"_repr_html_", frames_repr_html, METH_NOARGS,
     PyDoc_STR("_repr_html_($self, /)\n--\n\nReturns the first rows as a table of HTML.")},
    {"__array__", WITH_NAMES(frames_array), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__array__($self, /, dtype=None, copy=None)\n--\n\n"
               "Raises TypeError: the columns of rows are of several types.")},
    {"__arrow_c_schema__", table_arrow_schema, METH_NOARGS,
     PyDoc_STR("__arrow_c_schema__($self, /)\n--\n\nThe same as that of columns().")},
    {"__arrow_c_stream__", WITH_NAMES(table_arrow_stream), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
               "The same as that of columns().")},
    {NULL, NULL, 0, NULL}};

static PySequenceMethods rows_as_sequence = {.sq_length = rows_length, .sq_item = rows_item};
static PyMappingMethods rows_as_mapping = {.mp_length = rows_length,
                                           .mp_subscript = rows_subscript};

PyTypeObject rows_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rangefinder.recording.Rows",
    .tp_doc = PyDoc_STR(
        "Rows of a recording, in the order of their start: a sequence. A slice of it is one, too.\n"
        "Rows are looked for when they are first needed, and made into objects one at a time."),
    .tp_basicsize = sizeof(struct rows),
    .tp_dealloc = rows_free,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_repr = rows_repr,
    .tp_iter = each_new,
    .tp_as_sequence = &rows_as_sequence,
    .tp_as_mapping = &rows_as_mapping,
    .tp_methods = rows_methods};
