/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_COLUMN_H
#define RF_READER_COLUMN_H

#include "with_python.h"

#include "cells.h"
#include "dictionary.h"
#include "rows.h"

struct column_object {
    PyObject ob_base;
    struct rows *rows; /* owned */
    const struct column *column;
    int is_codes;                  /* it is the codes of a column of text */
    struct dictionary *dictionary; /* owned; NULL: not made yet */
    struct cells cells;            /* once has_cells */
    int has_cells;
    Py_ssize_t shape, stride; /* of the buffers that it handed out */
};

extern PyTypeObject column_type;

PyObject *column_new(struct rows *rows, const struct column *column);

/* Fills cells (and dictionary). Returns 0, or -1 with an exception. */
int column_gather(struct column_object *column);
int column_make_dictionary(struct column_object *column);

/* "int64", ... as numpy calls it; "text". */
const char *value_type_name(enum value_type type);

#endif
