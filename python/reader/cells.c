/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"
#include "reader_module.h"

size_t value_size(enum value_type type)
{
    switch (type) {
    case NUMBER:
    case TEXT:
    case WORD:
        return 4;
    case FLAG:
        return 1;
    case PLAIN:
        return 0;
    default:
        return 8;
    }
}

/* ---- Texts by code ---- */

/* Gives the ids that occur their codes, in the order in which they come. */
static int number_ids(struct dictionary *dictionary, const struct view *view,
                      const struct column *column, size_t n_ids)
{
    size_t room = 0;
    struct row row = {NULL, NULL, 0, 0};
    union value value;
    for (Py_ssize_t i = 0; i < view->n; i++) {
        view_get(view, i, &row);
        if (!column_get(column, &row, &value) || value.u >= n_ids || dictionary->code[value.u] >= 0)
            continue;
        if (dictionary->n >= INT32_MAX || /* codes are int32_t */
            rf_grow_array(&dictionary->id, dictionary->n, &room, sizeof(*dictionary->id)) != RF_OK)
            return -1;
        dictionary->code[value.u] = (int32_t)dictionary->n;
        dictionary->id[dictionary->n++] = (uint32_t)value.u;
    }
    return 0;
}

struct dictionary *dictionary_new(const struct view *view, const struct column *column)
{
    size_t n_ids = column_n_ids(column, view->held);
    struct dictionary *dictionary = calloc(1, sizeof(*dictionary));
    if (dictionary == NULL)
        return NULL;
    atomic_init(&dictionary->n_references, 1);
    dictionary->code = malloc((n_ids + 1) * sizeof(*dictionary->code));
    if (dictionary->code != NULL) {
        memset(dictionary->code, 0xff, (n_ids + 1) * sizeof(*dictionary->code)); /* -1 */
        if (number_ids(dictionary, view, column, n_ids) == 0)
            return dictionary;
    }
    dictionary_release(dictionary);
    return NULL;
}

/* Each byte that is no UTF-8 may become three. */
static size_t room_for_texts(const struct dictionary *dictionary, const struct held *held,
                             const struct column *column)
{
    size_t room = 0, size;
    for (size_t i = 0; i < dictionary->n; i++) {
        const char *text = column_text(column, held, dictionary->id[i], &size);
        room += rf_is_utf8(text, size) ? size : 3 * size;
    }
    return room;
}

static size_t put_text(char *out, const char *text, size_t size)
{
    if (!rf_is_utf8(text, size))
        return rf_utf8_replace(out, text, size);
    memcpy(out, text, size);
    return size;
}

int dictionary_fill(struct dictionary *dictionary, const struct view *view,
                    const struct column *column)
{
    if (dictionary->text != NULL)
        return 0;
    struct buffer *text = buffer_new(room_for_texts(dictionary, view->held, column));
    struct buffer *offsets = buffer_new((dictionary->n + 1) * sizeof(int64_t));
    if (text == NULL || offsets == NULL) {
        buffer_release(text);
        buffer_release(offsets);
        return -1;
    }
    int64_t *offset = (int64_t *)(void *)offsets->data;
    for (size_t i = 0; i < dictionary->n; i++) {
        size_t size;
        const char *from = column_text(column, view->held, dictionary->id[i], &size);
        offset[i + 1] = offset[i] + (int64_t)put_text(text->data + offset[i], from, size);
    }
    dictionary->n_bytes = (size_t)offset[dictionary->n];
    dictionary->offsets = offsets;
    dictionary->text = text;
    return 0;
}

/* ---- Values ---- */

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
            is_there ? put_text(cells->values->data + offset[i], value.text, value.size) : 0;
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
