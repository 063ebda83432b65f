/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <string.h>

PyObject *frames_function(const char *name)
{
    PyObject *module = PyImport_ImportModule("rangefinder._frames");
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return function;
}

PyObject *frames_call(const char *name, PyObject *argument)
{
    PyObject *function = frames_function(name);
    PyObject *result =
        function != NULL ? PyObject_CallFunctionObjArgs(function, argument, NULL) : NULL;
    Py_XDECREF(function);
    return result;
}

PyObject *frames_raise_no_array(PyObject *self)
{
    const char *name = strrchr(Py_TYPE(self)->tp_name, '.') + 1;
    return PyErr_Format(PyExc_TypeError,
                        "%s has columns of several types: to_pandas() makes a DataFrame of them, "
                        "to_arrow() a pyarrow.Table, and columns()[\"name\"] is one column",
                        name);
}
