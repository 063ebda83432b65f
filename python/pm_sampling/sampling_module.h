/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module rangefinder._pm_sampling: include/rangefinder/pm_sampling.h for Python.
 * rangefinder/pm_sampling.py, its only user, makes the public module of it. Whatever can take
 * longer than a microsecond or two runs without the GIL. */
#ifndef PYTHON_SAMPLING_MODULE_H
#define PYTHON_SAMPLING_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "rangefinder/pm_sampling.h"

extern PyTypeObject session_type; /* a rf_pm_collector */
extern PyTypeObject samples_type; /* a rf_pm_data */
extern PyMethodDef chip_functions[];

/* Raises what the error's status stands for. Returns NULL. */
PyObject *raise_pm_error(const struct rf_pm_error *err);

/* Takes over data. */
PyObject *samples_object(rf_pm_data *data);

/* ---- Arguments, sampling_arguments.c: on failure with an exception ---- */

/* The strings of a sequence, which stay alive as long as it does. Not a str: that is a sequence of
 * strings, too. */
struct names {
    PyObject *items; /* a tuple */
    const char **name;
    size_t n;
};

int names_init(struct names *names, PyObject *sequence, const char *what);
void names_release(struct names *names);

/* Borrowed from text; NULL on failure. No NUL is in it. */
const char *name_argument(PyObject *text, const char *what);

/* An integer of 0 to max. Another number is a ValueError. */
int number_argument(PyObject *number, const char *what, uint64_t max, uint64_t *out);

/* ---- Results ---- */

/* Appends a name to a list, which is NULL afterwards (and may be before) where that fails. */
void list_add_name(PyObject **list, const char *name);

PyObject *list_of_names(const char *const *names, size_t n);

#endif
