/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the library as exceptions. */
#include "raise.h"

#include <string.h>

static PyObject *format_error; /* rangefinder.FormatError */

PyObject *raise_format_error_type(void)
{
    if (format_error == NULL)
        format_error = PyErr_NewExceptionWithDoc(
            "rangefinder.FormatError",
            "A file is no recording, or a damaged one.\n\n"
            "code: str, 'RF_ERR_FORMAT' or 'RF_ERR_DAMAGED'.\n"
            "offset: int, the byte in the file, where it is known; otherwise 0.",
            PyExc_ValueError, NULL);
    return format_error;
}

PyObject *raise_no_memory(void)
{
    return PyErr_NoMemory();
}

int raise_no_memory_status(void)
{
    (void)PyErr_NoMemory();
    return -1;
}

static PyObject *exception_of(int code)
{
    switch (code) {
    case RF_ERR_IO:
        return PyExc_OSError;
    case RF_ERR_NO_MEMORY:
        return PyExc_MemoryError;
    case RF_ERR_FORMAT:
    case RF_ERR_DAMAGED:
        return format_error;
    case RF_ERR_EXISTS:
        return PyExc_FileExistsError;
    case RF_ERR_USAGE:
    case RF_ERR_NOT_FOUND:
        return PyExc_ValueError;
    default:
        return PyExc_RuntimeError;
    }
}

static int set_attribute(PyObject *object, const char *name, PyObject *value)
{
    int status = value != NULL ? PyObject_SetAttrString(object, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

/* The text of an error, with Python's names for what the command line calls otherwise. */
static PyObject *text_of_error(const struct rf_err *err)
{
    static const char *const names[][2] = {
        {"use -f to overwrite it", "overwrite=True replaces it"},
        {"--filter-name or --filter-time", "Recording.filter(name=...) or filter(time=...)"}};
    PyObject *text = text_object(err->text, strlen(err->text));
    for (size_t i = 0; text != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        PyObject *from = PyUnicode_FromString(names[i][0]), *to = PyUnicode_FromString(names[i][1]);
        Py_SETREF(text, from != NULL && to != NULL ? PyUnicode_Replace(text, from, to, 1) : NULL);
        Py_XDECREF(from);
        Py_XDECREF(to);
    }
    return text;
}

PyObject *raise_error(const struct rf_err *err)
{
    PyObject *type = exception_of(err->code);
    PyObject *text = text_of_error(err);
    PyObject *error = text != NULL ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;
    Py_XDECREF(text);
    if (error == NULL)
        return NULL;
    if (type != format_error ||
        (set_attribute(error, "code", PyUnicode_FromString(rf_error_name(err->code))) == 0 &&
         set_attribute(error, "offset", PyLong_FromUnsignedLongLong(err->offset)) == 0))
        PyErr_SetObject(type, error);
    Py_DECREF(error);
    return NULL;
}
