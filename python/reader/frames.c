/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <string.h>

static PyObject *call(const char *function, PyObject *argument)
{
    PyObject *module = PyImport_ImportModule("rangefinder._frames");
    PyObject *result = module != NULL ? PyObject_CallMethod(module, function, "O", argument) : NULL;
    Py_XDECREF(module);
    return result;
}

PyObject *frames_repr_html(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call("to_html", self);
}

PyObject *frames_to_arrow(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call("to_arrow", self);
}

PyObject *frames_to_pandas(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return call("to_pandas", self);
}

PyObject *frames_array(PyObject *self, PyObject *args, PyObject *names)
{
    const char *name = strrchr(Py_TYPE(self)->tp_name, '.') + 1;
    (void)args;
    (void)names;
    return PyErr_Format(PyExc_TypeError,
                        "%s has columns of several types: to_pandas() makes a DataFrame of them, "
                        "to_arrow() a pyarrow.Table, and columns()[\"name\"] is one column",
                        name);
}
