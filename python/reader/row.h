/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_ROW_H
#define RF_READER_ROW_H

#include "with_python.h"

#include "kind.h"

struct row_object {
    PyObject ob_base;
    const struct kind *kind;
    struct row row; /* owns row.recording */
};

PyObject *row_new(const struct kind *kind, const struct row *row);

/* Row i of a kind that has one run; None past the last. */
PyObject *row_new_at(const struct recording *recording, enum kind_id kind, uint32_t run,
                     uint64_t i);
PyTypeObject *row_base_type(void); /* of all rows */
PyTypeObject *row_type_new(const struct kind *kind);
bool is_row(PyObject *object);

/* The row that an object stands for. */
const struct row *row_of_object(PyObject *self);

#endif
