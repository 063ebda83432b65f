/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of functions, and lists of names as results. What fails sets an exception. */
#ifndef PYTHON_SAMPLING_ARGUMENTS_H
#define PYTHON_SAMPLING_ARGUMENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The strings of a sequence, alive as long as it is. A str is refused, although it is a sequence of
 * strings too. */
struct names {
    PyObject *items; /* a tuple */
    const char **name;
    size_t n;
};

int names_init(struct names *names, PyObject *sequence, const char *what);
void names_release(struct names *names);

/* The bytes of a str without NUL, borrowed; NULL on failure. */
const char *name_argument(PyObject *text, const char *what);

/* An integer of 0 to max. Another number is a ValueError. */
int number_argument(PyObject *number, const char *what, uint64_t max, uint64_t *out);

/* Appends a name to a list. The list is NULL after a failure, and may be NULL before. */
void list_add_name(PyObject **list, const char *name);

PyObject *list_of_names(const char *const *names, size_t n);

#endif
