/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_COLUMN_H
#define RF_READER_COLUMN_H

#include "with_python.h"

#include <stdatomic.h>

#include "cells.h"
#include "dictionary.h"
#include "python/threads/guard.h"
#include "rows.h"

struct column_object {
    PyObject ob_base;
    struct rows *rows; /* owned */
    const struct column *column;
    bool is_codes;                           /* it is the codes of a column of text */
    _Atomic(struct dictionary *) dictionary; /* owned; NULL: not made yet */
    struct guard guard;                      /* of filling in cells */
    struct cells cells;                      /* once has_cells */
    atomic_bool has_cells;
    Py_ssize_t shape; /* of the buffers that it hands out */
};

extern PyTypeObject column_type;

PyObject *column_new(struct rows *rows, const struct column *column);

/* Copies the values into cells, texts into dictionary. Returns 0, or -1 with an exception. */
int column_gather(struct column_object *column);

#endif
