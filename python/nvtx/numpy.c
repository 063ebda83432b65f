/* SPDX-License-Identifier: Apache-2.0 */
#include "numpy.h"

#include "threads.h"

static PyObject *ndarray; /* a type; the others are there before it */
static PyObject *as_contiguous_array;
static PyObject *as_array;

/* Whether the program has NumPy; looked for again until it does. Leaves no exception. */
static bool find_numpy(void)
{
    if (nvtx_read_object(&ndarray) != NULL)
        return true;
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *numpy = modules != NULL ? PyDict_GetItemString(modules, "numpy") : NULL;
    if (numpy == NULL || numpy == Py_None)
        return false;
    PyObject *type = PyObject_GetAttrString(numpy, "ndarray");
    PyObject *contiguous =
        nvtx_fill_once(&as_contiguous_array, PyObject_GetAttrString(numpy, "ascontiguousarray"));
    PyObject *array = nvtx_fill_once(&as_array, PyObject_GetAttrString(numpy, "array"));
    PyErr_Clear(); /* it is being imported */
    if (type != NULL && PyType_Check(type) && contiguous != NULL && array != NULL)
        type = nvtx_fill_once(&ndarray, type); /* kept, as what begins with it is */
    return nvtx_read_object(&ndarray) != NULL;
}

bool nvtx_is_ndarray(PyObject *value)
{
    if (nvtx_read_object(&ndarray) == NULL && strcmp(Py_TYPE(value)->tp_name, "numpy.ndarray") != 0)
        return false;
    return find_numpy() && PyObject_TypeCheck(value, (PyTypeObject *)ndarray);
}

PyObject *nvtx_as_array(PyObject *value, PyObject *dtype)
{
    if (!find_numpy())
        return NULL;
    return PyObject_CallFunctionObjArgs(dtype != NULL ? as_contiguous_array : as_array, value,
                                        dtype, NULL);
}
