/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion between Python's values and the library's. */
#include "sampling_arguments.h"

#include <stdbool.h>
#include <string.h>

const char *name_argument(PyObject *text, const char *what)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s must be str, not %.200s", what, Py_TYPE(text)->tp_name);
        return NULL;
    }
    const char *name = PyUnicode_AsUTF8AndSize(text, &size);
    if (name != NULL && strlen(name) != (size_t)size) {
        PyErr_Format(PyExc_ValueError, "%s: a null character in %R", what, text);
        return NULL;
    }
    return name;
}

int names_init(struct names *names, PyObject *sequence, const char *what)
{
    *names = (struct names){.items = NULL};
    if (PyUnicode_Check(sequence)) {
        PyErr_Format(PyExc_TypeError, "%s must be a list of str, not one str", what);
        return -1;
    }
    names->items = PySequence_Tuple(sequence);
    if (names->items == NULL)
        return -1;
    names->n = (size_t)PyTuple_GET_SIZE(names->items);
    names->name = PyMem_Calloc(names->n + 1, sizeof(*names->name));
    if (names->name == NULL)
        (void)PyErr_NoMemory();
    for (size_t i = 0; names->name != NULL && i < names->n; i++) {
        names->name[i] = name_argument(PyTuple_GET_ITEM(names->items, (Py_ssize_t)i), what);
        if (names->name[i] == NULL)
            break;
    }
    if (!PyErr_Occurred())
        return 0;
    names_release(names);
    return -1;
}

void names_release(struct names *names)
{
    PyMem_Free(names->name);
    Py_CLEAR(names->items);
    names->name = NULL;
}

int number_argument(PyObject *number, const char *what, uint64_t max, uint64_t *out)
{
    PyObject *integer = PyNumber_Index(number);
    if (integer == NULL)
        return -1;
    unsigned long long value = PyLong_AsUnsignedLongLong(integer);
    bool is_error = value == (unsigned long long)-1 && PyErr_Occurred() != NULL;
    Py_DECREF(integer);
    if (is_error && !PyErr_ExceptionMatches(PyExc_OverflowError))
        return -1;
    if (!is_error && value <= max) {
        *out = value;
        return 0;
    }
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s is %S: 0 to %llu are valid", what, number,
                 (unsigned long long)max);
    return -1;
}

void list_add_name(PyObject **list, const char *name)
{
    PyObject *item =
        *list != NULL ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace") : NULL;
    if (item == NULL || PyList_Append(*list, item) != 0)
        Py_CLEAR(*list);
    Py_XDECREF(item);
}

PyObject *list_of_names(const char *const *names, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < n; i++)
        list_add_name(&list, names[i]);
    return list;
}
