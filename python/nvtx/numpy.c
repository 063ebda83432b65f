/* SPDX-License-Identifier: Apache-2.0 */
#include "numpy.h"

static PyTypeObject *ndarray;
static PyObject *as_contiguous_array;
static PyObject *as_array;

/* Whether the program has NumPy; looked for again until it does. Leaves no exception. */
static bool find_numpy(void)
{
    if (ndarray != NULL)
        return true;
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *numpy = modules != NULL ? PyDict_GetItemString(modules, "numpy") : NULL;
    if (numpy == NULL || numpy == Py_None)
        return false;
    PyObject *type = PyObject_GetAttrString(numpy, "ndarray");
    as_contiguous_array = PyObject_GetAttrString(numpy, "ascontiguousarray");
    as_array = PyObject_GetAttrString(numpy, "array");
    PyErr_Clear(); /* it is being imported */
    if (type != NULL && PyType_Check(type) && as_contiguous_array != NULL && as_array != NULL)
        ndarray = (PyTypeObject *)type; /* kept, as what begins with it is */
    return ndarray != NULL;
}

bool nvtx_is_ndarray(PyObject *value)
{
    if (ndarray == NULL && strcmp(Py_TYPE(value)->tp_name, "numpy.ndarray") != 0)
        return false;
    return find_numpy() && PyObject_TypeCheck(value, ndarray);
}

PyObject *nvtx_as_array(PyObject *value, PyObject *dtype)
{
    if (!find_numpy())
        return NULL;
    return PyObject_CallFunctionObjArgs(dtype != NULL ? as_contiguous_array : as_array, value,
                                        dtype, NULL);
}
