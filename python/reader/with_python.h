/* SPDX-License-Identifier: Apache-2.0 */
/* Python.h as all of the module includes it, and objects. */
#ifndef RF_READER_WITH_PYTHON_H
#define RF_READER_WITH_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A function that takes keywords, for a PyMethodDef. */
#define WITH_NAMES(function) ((PyCFunction)(void (*)(void))(function))

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

/* Text as str: what is no UTF-8 becomes U+FFFD. NULL: None. */
static inline PyObject *text_object(const char *text, size_t size)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
}

/* These add what is new, and own it. Where it is NULL, or cannot be added, *to becomes NULL, with
 * an exception. */
static inline void list_add(PyObject **to, PyObject *item)
{
    if (item == NULL || PyList_Append(*to, item) != 0)
        Py_CLEAR(*to);
    Py_XDECREF(item);
}

/* A list that is complete as a tuple; NULL: NULL. */
static inline PyObject *list_to_tuple(PyObject *list)
{
    PyObject *tuple = list != NULL ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static inline void dict_add(PyObject **to, const char *name, PyObject *value)
{
    if (value == NULL || PyDict_SetItemString(*to, name, value) != 0)
        Py_CLEAR(*to);
    Py_XDECREF(value);
}

#endif
