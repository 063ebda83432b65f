/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

#include <stdlib.h>

#include "kind.h"

static void put_value(char *values, size_t i, size_t size, const union value *value)
{
    if (size == sizeof(uint64_t))
        ((uint64_t *)(void *)values)[i] = value->u;
    else if (size == sizeof(uint32_t))
        ((uint32_t *)(void *)values)[i] = (uint32_t)value->u;
    else if (size == 1)
        values[i] = (char)value->u;
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

int cells_note_none(struct cells *cells, size_t i, const union value *none)
{
    if (cells->texts.offsets == NULL)
        put_value(cells->values->data, i, sizeof(none->u), none);
    return note_null(cells, i);
}

static int copy_values(struct cells *cells, const struct view *view, const struct column *column,
                       const struct dictionary *dictionary, size_t first)
{
    const struct value_format *format = value_format(column->type);
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    for (size_t i = 0; i < cells->n; i++) {
        view_get(view, (Py_ssize_t)(first + i), &row);
        bool is_there = column_get(column, &row, &value);
        if (!is_there && note_null(cells, i) != 0)
            return -1;
        if (!is_there)
            value = format->none;
        else if (dictionary != NULL)
            value.i = dictionary->code[value.u];
        put_value(cells->values->data, i, format->size, &value);
    }
    return 0;
}

/* ---- Text without codes ---- */

struct plain {
    const struct view *view;
    const struct column *column;
    size_t first;
};

static const char *plain_text(const void *context, size_t i, size_t *size)
{
    const struct plain *plain = context;
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    view_get(plain->view, (Py_ssize_t)(plain->first + i), &row);
    if (!column_get(plain->column, &row, &value))
        return NULL;
    *size = value.size;
    return value.text;
}

int cells_init(struct cells *cells, const struct view *view, const struct column *column,
               const struct dictionary *dictionary, size_t first, size_t n)
{
    const struct plain plain = {view, column, first};
    int status;
    *cells = (struct cells){.n = n};
    if (column->gather != NULL) {
        status = column->gather(&column, 1, view, first, &cells);
    } else {
        cells->values = buffer_new(n * value_format(column->type)->size);
        status = cells->values != NULL ? copy_values(cells, view, column, dictionary, first) : -1;
        if (status == 0 && column->type == PLAIN)
            status = texts_init(&cells->texts, n, plain_text, &plain);
    }
    if (status != 0)
        cells_release(cells);
    return status;
}

int cells_gather(struct cells *cells, const struct view *view, const struct column *const *columns,
                 size_t n_columns, size_t first, size_t n)
{
    const struct column **gathered = calloc(n_columns + 1, sizeof(const struct column *));
    struct cells **to = calloc(n_columns + 1, sizeof(struct cells *));
    size_t n_gathered = 0;
    int status = gathered != NULL && to != NULL ? 0 : -1;
    for (size_t i = 0; i < n_columns; i++) {
        cells[i] = (struct cells){.values = NULL};
        if (status != 0 || columns[i]->gather == NULL)
            continue;
        cells[i].n = n;
        gathered[n_gathered] = columns[i];
        to[n_gathered++] = &cells[i];
    }
    if (n_gathered > 0)
        status = gathered[0]->gather(gathered, n_gathered, view, first, to);
    for (size_t i = 0; i < n_columns && status != 0; i++)
        cells_release(&cells[i]);
    free(gathered);
    free(to);
    return status;
}

void cells_release(struct cells *cells)
{
    buffer_release(cells->values);
    buffer_release(cells->nulls);
    texts_release(&cells->texts);
    *cells = (struct cells){.values = NULL};
}
