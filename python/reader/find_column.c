/* SPDX-License-Identifier: Apache-2.0 */
#include "find_column.h"

#include <string.h>

#include "raise.h"
#include "shared_recording.h"

#define MOST_NAMED 20u

/* ---- What payloads have ---- */

/* Values that would have been too many columns. */
static int warn(const struct payload_columns *columns)
{
    const char *path;
    int has_more, status = 0;
    PyObject *list = PyUnicode_FromString("");
    for (uint32_t i = 0; list != NULL && i < MOST_NAMED &&
                         (path = rf_payload_path_left_out(columns->plan, i, &has_more)) != NULL;
         i++)
        Py_SETREF(list,
                  PyUnicode_FromFormat("%U%s" PAYLOAD_PREFIX "%s", list, i > 0 ? ", " : "", path));
    if (list == NULL)
        return -1;
    bool is_whole = rf_payload_path_left_out(columns->plan, MOST_NAMED, &has_more) == NULL;
    if (PyUnicode_GetLength(list) > 0 || has_more)
        status = PyErr_WarnFormat(PyExc_RuntimeWarning, 2,
                                  "payloads have too many values for a column each; left out: %U%s",
                                  list, is_whole && !has_more ? "" : ", ...");
    Py_DECREF(list);
    return status;
}

static int make(struct recording *recording)
{
    struct payload_columns *columns, *none = NULL;
    struct rf_err err = {.code = RF_ERR_NO_MEMORY, .text = "out of memory"};
    Py_BEGIN_ALLOW_THREADS;
    columns = payload_columns_new(recording->rec, &err);
    Py_END_ALLOW_THREADS;
    if (columns == NULL) {
        (void)raise_error(&err);
        return -1;
    }
    recording->free_payloads = payload_columns_free;
    if (!atomic_compare_exchange_strong(&recording->payloads, &none, columns)) {
        payload_columns_free(columns); /* another thread was first */
        return 0;
    }
    return warn(columns);
}

int find_payload_columns(const struct recording *recording, const struct kind *kind,
                         const struct payload_columns **columns)
{
    bool has_payloads = kind->id == EVENTS || kind->id == RANGES || kind->id == MARKS;
    *columns = NULL;
    if (!has_payloads)
        return 0;
    if (recording->payloads == NULL && make((struct recording *)recording) != 0)
        return -1;
    *columns = recording->payloads;
    return 0;
}

/* ---- All ---- */

const struct column *find_column(const struct recording *recording, const struct kind *kind,
                                 const char *name)
{
    const struct payload_columns *payloads = NULL;
    const struct column *column = kind_find_column(kind, name);
    if (column != NULL || strncmp(name, PAYLOAD_PREFIX, sizeof(PAYLOAD_PREFIX) - 1) != 0 ||
        find_payload_columns(recording, kind, &payloads) != 0 || payloads == NULL)
        return column;
    for (size_t i = 0; i < payloads->n; i++)
        if (strcmp(payloads->column[i].column.name, name) == 0)
            return &payloads->column[i].column;
    return NULL;
}

PyObject *find_column_raise(const struct recording *recording, const struct kind *kind,
                            PyObject *exception, PyObject *name)
{
    const struct payload_columns *payloads = NULL;
    if (PyErr_Occurred() || find_payload_columns(recording, kind, &payloads) != 0)
        return NULL;
    PyObject *list = columns_list_names(kind->column, kind->n_columns);
    for (size_t i = 0; payloads != NULL && list != NULL && i < payloads->n; i++)
        Py_SETREF(list, PyUnicode_FromFormat("%U, %s", list, payloads->column[i].column.name));
    if (list != NULL)
        PyErr_Format(exception, "%s have no column %R; there are: %U", kind->name, name, list);
    Py_XDECREF(list);
    return NULL;
}
