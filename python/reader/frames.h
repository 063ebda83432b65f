/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the Python module rangefinder._frames. */
#ifndef RF_READER_FRAMES_H
#define RF_READER_FRAMES_H

#include "with_python.h"

/* A new reference to a function of rangefinder._frames. */
PyObject *frames_function(const char *name);

/* Calls one. */
PyObject *frames_call(const char *name, PyObject *argument);

/* numpy would take the names of columns, or rows, as the values. */
PyObject *frames_raise_no_array(PyObject *self);

#endif
