/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module rangefinder._reader: recordings in Python.
 *
 *     reader.c        the module
 *     opened.c        _reader.Recording: a recording that was opened, and what is made of it
 *     shared_recording.c  recordings and what belongs to them, kept while anything uses them
 *     kind.c          what kinds of rows and their columns have in common
 *     kinds.c         the table of kinds
 *     kinds_*.c       the columns of a few kinds, and their rows
 *     nesting.c       which range is part of which
 *     places.c        which rows there are, in which order
 *     views.c         some rows of a kind: a part of them, each of them
 *     select.c        the rows that have given values
 *     rows.c          Rows: a sequence of rows; its type is in rows_type.c
 *     each.c          iterates them, and columns
 *     row.c           one row: Range, Mark, Thread, ...
 *     cells.c         the values of a column, one behind the other; dictionary.c, texts.c its texts
 *     column.c        Column: a column with the buffer protocol
 *     table.c         Table: several columns
 *     arrow.c         columns and tables as Arrow's C data interface has them
 *     raise.c, frames.c, buffer.c, with_python.h, references.h: used by all of these
 *
 * What a Python object shows stays where the model has it. Rows are addresses in the model, and no
 * object here refers to another one but a column to its rows, so there are no cycles; everything
 * else is counted in C, since consumers of Arrow data release it on any thread, with or without the
 * interpreter. A recording does not change. What is found out about it later (which rows there are,
 * the values of a column) is put where it belongs once, complete, so that readers need no lock. */
#include <string.h>

#include "column.h"
#include "each.h"
#include "kinds.h"
#include "kinds_report.h"
#include "opened.h"
#include "python/threads/guard.h"
#include "raise.h"
#include "rangefinder/summary.h"
#include "rows.h"
#include "rows_type.h"
#include "table.h"

static PyObject *formats(PyObject *module, PyObject *ignored)
{
    const char *name;
    PyObject *list = PyList_New(0);
    (void)module;
    (void)ignored;
    for (size_t i = 0; list != NULL && (name = rf_export_format_at(i, NULL)) != NULL; i++)
        list_add(&list, PyUnicode_FromString(name));
    return list;
}

static PyObject *format_of(PyObject *module, PyObject *path)
{
    PyObject *bytes = NULL;
    (void)module;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    PyObject *name = Py_BuildValue("z", rf_export_format_of(PyBytes_AS_STRING(bytes)));
    Py_DECREF(bytes);
    return name;
}

static PyObject *report_columns(PyObject *module, PyObject *report)
{
    const char *name = PyUnicode_AsUTF8(report), *title;
    PyObject *list = name != NULL ? PyList_New(0) : NULL;
    (void)module;
    for (size_t i = 0; list != NULL && (title = rf_report_column_at(name, i, NULL)) != NULL; i++)
        list_add(&list, PyUnicode_FromString(title));
    return list_to_tuple(list);
}

static PyObject *reports(PyObject *module, PyObject *ignored)
{
    const char *name, *description;
    PyObject *list = PyList_New(0);
    (void)module;
    (void)ignored;
    for (size_t i = 0; list != NULL && (name = rf_report_at(i, &description)) != NULL; i++)
        list_add(&list, Py_BuildValue("(ssO)", name, description,
                                      rf_report_reads_summaries(name) ? Py_True : Py_False));
    return list;
}

static PyMethodDef functions[] = {
    {"formats", formats, METH_NOARGS,
     PyDoc_STR("formats()\n--\n\nReturns the names of the formats of Recording.export().")},
    {"format_of", format_of, METH_O,
     PyDoc_STR(
         "format_of(path, /)\n--\n\nReturns the format that a file's name asks for, or None.")},
    {"reports", reports, METH_NOARGS,
     PyDoc_STR(
         "reports()\n--\n\nReturns a list of (name, description, whether summaries have what it "
         "shows).")},
    {"report_columns", report_columns, METH_O,
     PyDoc_STR("report_columns(report, /)\n--\n\nReturns the titles of a report's columns.")},
    {"report_state", report_state, METH_O,
     PyDoc_STR(
         "The values of rows of a report, or of one row, which pickle: see report_of_state().")},
    {"report_of_state", report_of_state, METH_O, PyDoc_STR("Rows of what report_state() gave.")},
    {"export_several", opened_export_several, METH_VARARGS,
     PyDoc_STR("Writes several recordings to one file: see rangefinder.export().")},
    {"align_several", opened_align_several, METH_VARARGS,
     PyDoc_STR("Puts the clocks of several recordings side by side: see rangefinder.align().")},
    {NULL, NULL, 0, NULL}};

static int add_object(PyObject *module, const char *name, void *object)
{
    return PyModule_AddObject(module, name, new_reference(object));
}

static int add_type(PyObject *module, PyTypeObject *type)
{
    return PyType_Ready(type) == 0 ? add_object(module, strrchr(type->tp_name, '.') + 1, type) : -1;
}

/* What is made here is made once, and belongs to the main interpreter. That a module is initialised
 * in phases has it run in the interpreter that imports it: Python 3.13 runs what has one phase in
 * the main one, for all. */
static int init_module(PyObject *module)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(
            PyExc_ImportError,
            "recordings cannot be read in a sub-interpreter: open them in the main one, or use "
            "processes");
        return -1;
    }
    PyObject *format_error = raise_format_error_type();
    rows_set_type(&rows_type);
    if (format_error == NULL || add_object(module, "FormatError", format_error) != 0 ||
        add_type(module, &opened_type) != 0 || add_type(module, &rows_type) != 0 ||
        add_type(module, &column_type) != 0 || add_type(module, &table_type) != 0 ||
        PyType_Ready(&each_type) != 0 ||
        PyModule_AddStringConstant(module, "__version__", rf_version()) != 0)
        return -1;
    return kinds_init(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, init_module},
#ifdef Py_mod_gil
                                   {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "rangefinder._reader",
                                 .m_doc = "Recordings: see rangefinder.open().",
                                 .m_methods = functions, .m_slots = slots};

PyMODINIT_FUNC PyInit__reader(void);

PyMODINIT_FUNC PyInit__reader(void)
{
    return PyModuleDef_Init(&definition);
}
