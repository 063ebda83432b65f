/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

PyObject *nvtx_fill_once(PyObject **place, PyObject *object)
{
    PyObject *before = NULL;
    if (object == NULL || __atomic_compare_exchange_n(place, &before, object, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return object;
    Py_DECREF(object);
    return before;
}

PyObject *nvtx_steady(PyObject *sequence)
{
    if (PYTHON_HAS_GIL || !PyList_Check(sequence))
        return Py_NewRef(sequence);
    return PyList_AsTuple(sequence);
}
