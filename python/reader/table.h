/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_TABLE_H
#define RF_READER_TABLE_H

#include "with_python.h"

#include "rows.h"

extern PyTypeObject table_type;

/* names: a tuple; empty: all columns. */
PyObject *table_new(struct rows *rows, PyObject *names);

/* __arrow_c_schema__ and __arrow_c_stream__ of a Table, and of Rows: of all their columns. */
PyObject *table_arrow_schema(PyObject *self, PyObject *ignored);
PyObject *table_arrow_stream(PyObject *self, PyObject *args, PyObject *names);

#endif
