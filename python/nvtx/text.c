/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include "arguments.h"
#include "forgive.h"

int nvtx_text(const char *argument, PyObject *value, PyObject **text)
{
    *text = NULL;
    if (PyUnicode_Check(value)) {
        *text = PyUnicode_FromObject(value); /* a plain str, without what a subclass overrides */
        return *text != NULL ? 0 : -1;
    }
    if (PyBytes_Check(value)) {
        *text = PyUnicode_DecodeUTF8(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), "replace");
        return *text != NULL ? 0 : -1;
    }
    if (nvtx_warn_type(argument, "a str", value, "recorded as its str()") != 0)
        return -1;
    PyObject *string = PyObject_Str(value);
    *text = string != NULL ? PyUnicode_FromObject(string) : NULL;
    Py_XDECREF(string);
    return *text != NULL ? 0 : nvtx_forgive();
}

PyObject *nvtx_encode(PyObject *text)
{
    return PyUnicode_AsEncodedString(text, "utf-8", "replace");
}
