/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as their type and what uses them need them; the type is in rows_type.c. */
#include "rows.h"

#include <string.h>

#include "shared_recording.h"
#include "row.h"
#include "views.h"
#include "with_python.h"

static PyTypeObject *rows_type_set;

void rows_set_type(PyTypeObject *type)
{
    rows_type_set = type;
}

static struct rows *new_rows(void)
{
    struct rows *rows = object_new(rows_type_set);
    if (rows != NULL)
        memset((char *)rows + sizeof(PyObject), 0, sizeof(*rows) - sizeof(PyObject));
    return rows;
}

PyObject *rows_new(const struct recording *recording, const struct kind *kind, int64_t run)
{
    struct rows *rows = new_rows();
    if (rows == NULL)
        return NULL;
    rows->view.recording = recording_retain(recording);
    rows->view.kind = kind;
    rows->run = run;
    return (PyObject *)rows;
}

PyObject *rows_of_run_object(PyObject *self, void *kind)
{
    const struct row *row = row_of_object(self);
    return rows_new(row->recording, kind, row->index);
}

PyObject *rows_new_of_view(struct view *view)
{
    struct rows *rows = new_rows();
    if (rows == NULL) {
        view_release(view);
        return NULL;
    }
    rows->view = *view;
    rows->run = -1;
    rows->is_ready = true;
    return (PyObject *)rows;
}

const struct view *rows_view(struct rows *rows)
{
    if (rows->is_ready)
        return &rows->view;
    struct recording *recording = rows->view.recording;
    const struct view *view = recording_view(recording, rows->view.kind, rows->run);
    if (view == NULL)
        return NULL;
    guard_lock(&rows->guard);
    if (!rows->is_ready) { /* another thread may have been here meanwhile */
        view_show(&rows->view, view);
        rows->is_ready = true;
    }
    guard_unlock(&rows->guard);
    return &rows->view;
}
