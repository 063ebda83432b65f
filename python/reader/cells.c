/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "buffer.h"
#include "kind.h"
#include "python_text.h"
#include "views.h"

/* Puts value i, or what stands for none. */
static void put_value(void *values, size_t i, const struct column *column,
                      const struct dictionary *dictionary, const union value *value)
{
    switch (column->type) {
    case TIME:
        ((int64_t *)values)[i] = value != NULL ? value->i : RF_NO_TIME;
        break;
    case INDEX:
        ((int64_t *)values)[i] = value != NULL ? value->i : -1;
        break;
    case INTEGER:
        ((int64_t *)values)[i] = value != NULL ? value->i : 0;
        break;
    case COUNT:
        ((uint64_t *)values)[i] = value != NULL ? value->u : 0;
        break;
    case NUMBER:
        ((uint32_t *)values)[i] = value != NULL ? (uint32_t)value->u : 0;
        break;
    case REAL:
        ((double *)values)[i] = value != NULL ? value->d : (double)NAN;
        break;
    case FLAG:
        ((char *)values)[i] = value != NULL && value->u != 0;
        break;
    default:
        ((int32_t *)values)[i] = value != NULL ? dictionary->code[value->u] : -1;
        break;
    }
}

static int note_null(struct cells *cells, size_t i)
{
    if (cells->nulls == NULL)
        cells->nulls = buffer_new(cells->n);
    if (cells->nulls == NULL)
        return -1;
    cells->nulls->data[i] = 1;
    cells->n_nulls++;
    return 0;
}

int cells_init(struct cells *cells, const struct view *view, const struct column *column,
               const struct dictionary *dictionary, size_t first, size_t n)
{
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    *cells = (struct cells){.n = n, .values = buffer_new(n * value_size(column->type))};
    if (cells->values == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        view_get(view, (Py_ssize_t)(first + i), &row);
        int is_there = column_get(column, &row, &value);
        put_value(cells->values->data, i, column, dictionary, is_there ? &value : NULL);
        if (!is_there && note_null(cells, i) != 0) {
            cells_release(cells);
            return -1;
        }
    }
    return 0;
}

void cells_release(struct cells *cells)
{
    buffer_release(cells->values);
    buffer_release(cells->nulls);
    *cells = (struct cells){.values = NULL};
}

/* ---- Text without codes ---- */

static size_t room_for_plain(const struct view *view, const struct column *column, size_t first,
                             size_t n)
{
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    size_t room = 0;
    for (size_t i = 0; i < n; i++) {
        view_get(view, (Py_ssize_t)(first + i), &row);
        if (column_get(column, &row, &value))
            room += 3 * value.size;
    }
    return room;
}

int cells_init_plain(struct cells *cells, struct buffer **offsets, const struct view *view,
                     const struct column *column, size_t first, size_t n)
{
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    *cells = (struct cells){.n = n, .values = buffer_new(room_for_plain(view, column, first, n))};
    *offsets = buffer_new((n + 1) * sizeof(int64_t));
    int status = cells->values != NULL && *offsets != NULL ? 0 : -1;
    int64_t *offset = status == 0 ? (int64_t *)(void *)(*offsets)->data : NULL;
    for (size_t i = 0; i < n && status == 0; i++) {
        view_get(view, (Py_ssize_t)(first + i), &row);
        int is_there = column_get(column, &row, &value);
        size_t size =
            is_there ? text_put_utf8(cells->values->data + offset[i], value.text, value.size) : 0;
        offset[i + 1] = offset[i] + (int64_t)size;
        status = is_there ? 0 : note_null(cells, i);
    }
    if (status != 0) {
        cells_release(cells);
        buffer_release(*offsets);
        *offsets = NULL;
    }
    return status;
}
