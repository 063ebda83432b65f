/* SPDX-License-Identifier: Apache-2.0 */
/* An annotation never raises because of its values: a value that cannot be recorded is left out,
 * with one warning. */
#include "forgive.h"

#include "arguments.h"
#include "tool.h"

/* Most places in the program that are warned; warnings with text made at run time must not grow the
 * set without limit. */
#define MAX_TOLD 1000

PyObject *nvtx_warning;
static PyObject *told; /* set of (file, line, text) */

int nvtx_init_warning(void)
{
    nvtx_warning = PyErr_NewExceptionWithDoc(
        "rangefinder.nvtx.NvtxWarning",
        "What an annotation was given cannot be recorded: the event is, without it.",
        PyExc_UserWarning, NULL);
    told = PySet_New(NULL);
    return nvtx_warning != NULL && told != NULL ? 0 : -1;
}

int nvtx_forgive(void)
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    PyErr_Clear();
    return 0;
}

/* The place of the call in the program and the warning's text; NULL with an exception. */
static PyObject *place_of(PyObject *text)
{
    PyFrameObject *frame = PyEval_GetFrame();
    if (frame == NULL)
        return PyTuple_Pack(1, text);
    PyObject *code = (PyObject *)PyFrame_GetCode(frame);
    PyObject *file = PyObject_GetAttrString(code, "co_filename");
    Py_DECREF(code);
    return file != NULL ? Py_BuildValue("NiO", file, PyFrame_GetLineNumber(frame), text) : NULL;
}

/* Warns, unless this text was used at this place before. Returns 0, or -1 with an exception. */
static int warn_once(PyObject *text)
{
    PyObject *place = place_of(text);
    int status = place != NULL ? PySet_Contains(told, place) : -1;
    if (status == 0 && PySet_GET_SIZE(told) < MAX_TOLD) {
        status = PyErr_WarnFormat(nvtx_warning, 1, "%U", text);
        if (status == 0)
            status = PySet_Add(told, place);
    }
    Py_XDECREF(place);
    return status < 0 ? -1 : 0;
}

int nvtx_warn(const char *format, ...)
{
    va_list arguments;
    if (!nvtx_is_heard())
        return 0;
    va_start(arguments, format);
    PyObject *text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    int status = text != NULL ? warn_once(text) : -1;
    Py_XDECREF(text);
    if (status == 0 ||
        PyErr_ExceptionMatches(nvtx_warning)) /* with -W error, warnings are exceptions */
        return status;
    return nvtx_forgive();
}

int nvtx_warn_type(const char *argument, const char *wanted, PyObject *value, const char *instead)
{
    return nvtx_warn("%s must be %s, not %.200s: %s", argument, wanted, Py_TYPE(value)->tp_name,
                     instead);
}
