/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include "forgive.h"

static int say(const char *argument, const char *wanted, PyObject *object)
{
    return nvtx_forgive() == 0 ? nvtx_warn_type(argument, wanted, object, "left out") : -1;
}

int nvtx_int64(PyObject *object, const char *argument, int64_t *value)
{
    int overflow = 0;
    if (PyLong_CheckExact(object)) {
        *value = PyLong_AsLongLongAndOverflow(object, &overflow);
    } else {
        PyObject *number = PyNumber_Index(object);
        if (number == NULL)
            return say(argument, "an int", object);
        *value = PyLong_AsLongLongAndOverflow(number, &overflow);
        Py_DECREF(number);
    }
    return overflow == 0 ? 1 : nvtx_warn("%s as an int must be of 64 bits: left out", argument);
}

int nvtx_float64(PyObject *object, const char *argument, double *value)
{
    const PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;
    if (PyFloat_CheckExact(object)) {
        *value = PyFloat_AS_DOUBLE(object);
        return 1;
    }
    if (methods == NULL || (methods->nb_float == NULL && methods->nb_index == NULL))
        return say(argument, "a float", object);
    *value = PyFloat_AsDouble(object);
    return *value == -1.0 && PyErr_Occurred() ? say(argument, "a float", object) : 1;
}
