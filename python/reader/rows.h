/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_ROWS_H
#define RF_READER_ROWS_H

#include "with_python.h"

#include <stdatomic.h>

#include "python/threads/guard.h"
#include "views.h"

struct rows {
    PyObject ob_base;
    struct view view;
    int64_t run;          /* that it is restricted to; -1 */
    struct guard guard;   /* of filling in the view, but for its recording and kind */
    atomic_bool is_ready; /* the view is complete, and stays as it is */
};

/* The type of the objects that are made here: rows_type.h. */
void rows_set_type(PyTypeObject *type);

/* The rows of a kind, run: of one run only, or -1. They are looked for when they are needed. */
PyObject *rows_new(const struct recording *recording, const struct kind *kind, int64_t run);
PyObject *rows_new_of_view(struct view *view); /* takes over what the view owns */

/* A getter of the rows of the run that a row stands for; kind: where they are in kinds[]. */
PyObject *rows_of_run_object(PyObject *self, void *kind);

/* The rows; NULL with an exception. */
const struct view *rows_view(struct rows *rows);

#endif
