/* SPDX-License-Identifier: Apache-2.0 */
#include "raise_pm_error.h"

#include <string.h>

static PyObject *exception_of(const struct rf_pm_error *err)
{
    switch (err->status) {
    case RF_PM_ERR_NO_MEMORY:
    case RF_PM_ERR_OVERFLOW:
        return PyExc_MemoryError;
    case RF_PM_ERR_ARGUMENT:
    case RF_PM_ERR_DEVICE:
    case RF_PM_ERR_CHIP:
    case RF_PM_ERR_METRIC:
    case RF_PM_ERR_PASSES:
    case RF_PM_ERR_UNSUPPORTED:
    case RF_PM_ERR_DATA:
        return PyExc_ValueError;
    case RF_PM_ERR_PRIVILEGES:
        return PyExc_PermissionError;
    case RF_PM_ERR_REFUSED:
    case RF_PM_ERR_CUPTI:
        return err->cupti != 0 ? NULL : PyExc_RuntimeError; /* NULL: CuptiError */
    default:
        return PyExc_RuntimeError;
    }
}

static void raise_cupti_error(const struct rf_pm_error *err, PyObject *text)
{
    PyObject *module = PyImport_ImportModule("rangefinder.pm_sampling");
    PyObject *error = module != NULL ? PyObject_CallMethod(module, "_error", "iOs", err->cupti,
                                                           text, err->function)
                                     : NULL;
    if (error != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(module);
    Py_XDECREF(error);
}

PyObject *raise_pm_error(const struct rf_pm_error *err)
{
    PyObject *type = exception_of(err);
    PyObject *text = PyUnicode_DecodeUTF8(err->text, (Py_ssize_t)strlen(err->text), "replace");
    if (text == NULL)
        return NULL;
    if (type != NULL)
        PyErr_SetObject(type, text);
    else
        raise_cupti_error(err, text);
    Py_DECREF(text);
    return NULL;
}
