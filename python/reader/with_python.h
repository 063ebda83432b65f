/* SPDX-License-Identifier: Apache-2.0 */
/* Python.h as all of the module includes it, and objects. */
#ifndef RF_READER_WITH_PYTHON_H
#define RF_READER_WITH_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Memory for a new object of a type, without the garbage collector. */
static inline void *object_new(PyTypeObject *type)
{
    return PyObject_New(PyObject, type);
}

static inline PyObject *new_reference(void *object)
{
    Py_INCREF((PyObject *)object);
    return object;
}

#endif
