/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the Python module rangefinder._frames. */
#ifndef RF_READER_FRAMES_H
#define RF_READER_FRAMES_H

#include "with_python.h"

/* Methods of Rows and Table; the first one of Row, too. */
PyObject *frames_repr_html(PyObject *self, PyObject *ignored);
PyObject *frames_to_arrow(PyObject *self, PyObject *ignored);
PyObject *frames_to_pandas(PyObject *self, PyObject *ignored);

/* __array__ raises TypeError: numpy would take the names of columns, or rows, as the values. */
PyObject *frames_array(PyObject *self, PyObject *args, PyObject *names);

#endif
