/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_TABLE_H
#define RF_READER_TABLE_H

#include "with_python.h"

#include "rows.h"

extern PyTypeObject table_type;

/* names: a tuple; empty: all columns. */
PyObject *table_new(struct rows *rows, PyObject *names);

#endif
