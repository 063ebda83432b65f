/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_SELECT_H
#define RF_READER_SELECT_H

#include "with_python.h"

/* Rows.filter(). */
PyObject *rows_select(PyObject *self, PyObject *args, PyObject *names);

#endif
