/* SPDX-License-Identifier: Apache-2.0 */
/* Columns and tables as Arrow's C data interface has them. */
#ifndef RF_READER_ARROW_H
#define RF_READER_ARROW_H

#include "with_python.h"

#include "views.h"

/* The methods __arrow_c_schema__ and __arrow_c_array__ of Column. */
PyObject *arrow_column_schema(PyObject *self, PyObject *ignored);
PyObject *arrow_column_array(PyObject *self, PyObject *args, PyObject *names);

/* The schema and the stream of columns of rows. */
PyObject *arrow_table_schema(const struct column *const *columns, size_t n_columns);
PyObject *arrow_table_stream(const struct view *view, const struct column *const *columns,
                             size_t n_columns);

#endif
