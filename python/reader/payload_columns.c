/* SPDX-License-Identifier: Apache-2.0 */
#include "payload_columns.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/map.h"
#include "cells.h"
#include "model/payload/payload_cells.h"
#include "model/strings.h"
#include "views.h"

/* What reads single values, which several threads may do at once. */
struct payload_cache {
    _Atomic(rf_payload_cells *) spare;
    pthread_mutex_t mutex;
    struct rf_strings texts; /* guarded by mutex: texts that were given out stay where they are */
};

static const struct payload_column *of_column(const struct column *column)
{
    return (const struct payload_column *)(const void *)column;
}

/* ---- Single values ---- */

static const char *keep_text(struct payload_cache *cache, const struct rf_value *value)
{
    const char *text = NULL;
    (void)pthread_mutex_lock(&cache->mutex);
    uint32_t id = rf_strings_add(&cache->texts, value->text, value->count);
    if (id != RF_NO_STRING)
        text = cache->texts.entry[id].text;
    (void)pthread_mutex_unlock(&cache->mutex);
    return text;
}

static bool put_value(struct payload_cache *cache, const struct rf_value *from, union value *to)
{
    switch (from->kind) {
    case RF_VALUE_SIGNED:
        to->i = from->integer;
        return true;
    case RF_VALUE_UNSIGNED:
        to->u = from->number;
        return true;
    case RF_VALUE_REAL:
        to->d = from->real;
        return true;
    case RF_VALUE_TEXT:
        to->size = from->count;
        to->text = keep_text(cache, from);
        return to->text != NULL;
    default:
        return false;
    }
}

static bool get_value(const struct column *column, const struct row *row, union value *value)
{
    const struct payload_column *self = of_column(column);
    struct payload_cache *cache = self->all->cache;
    rf_payload_cells *cells = atomic_exchange(&cache->spare, NULL);
    struct rf_value found;
    if (cells == NULL && rf_payload_cells_new(self->all->plan, &cells, NULL) != RF_OK)
        return false;
    bool is_there = rf_payload_cell(cells, row->at, self->index, &found) == RF_OK &&
                    put_value(cache, &found, value);
    rf_payload_cells_free(atomic_exchange(&cache->spare, cells));
    return is_there;
}

/* ---- Many values ---- */

/* One column. */
struct gathering {
    const struct payload_column *column;
    struct cells *to;
    char *bytes; /* of text */
    size_t used, room;
};

static int add_text(struct gathering *g, const struct rf_value *value)
{
    size_t most = 3 * value->count;
    if (g->room - g->used < most) {
        size_t room = 2 * (g->used + most);
        char *bytes = realloc(g->bytes, room);
        if (bytes == NULL)
            return -1;
        g->bytes = bytes;
        g->room = room;
    }
    char *to = g->bytes + g->used;
    if (value->count > 0 && rf_is_utf8(value->text, value->count)) {
        memcpy(to, value->text, value->count);
        g->used += value->count;
    } else if (value->count > 0) {
        g->used += rf_utf8_replace(to, value->text, value->count);
    }
    return 0;
}

/* Takes the value of row i. */
static int add_value(struct gathering *g, size_t i, const struct rf_value *value)
{
    bool is_text = g->column->column.type == PLAIN;
    int status = 0;
    if (value->kind == RF_VALUE_NULL)
        status = cells_note_none(g->to, i, &value_format(g->column->column.type)->none);
    else if (is_text)
        status = add_text(g, value);
    else
        ((uint64_t *)(void *)g->to->values->data)[i] = value->number; /* the bits of any number */
    if (is_text)
        ((int64_t *)(void *)g->to->texts.offsets->data)[i + 1] = (int64_t)g->used;
    return status;
}

/* An event is looked through once for all columns. */
static int add_row(struct gathering *g, size_t n_columns, rf_payload_cells *reader,
                   const struct row *row, size_t i)
{
    struct rf_value value;
    if (n_columns == 1)
        return rf_payload_cell(reader, row->at, g->column->index, &value) == RF_OK
                   ? add_value(g, i, &value)
                   : -1;
    const struct rf_value *all = rf_payload_cells_of(reader, row->at);
    int status = all != NULL ? 0 : -1;
    for (size_t k = 0; k < n_columns && status == 0; k++) {
        value = all[g[k].column->index];
        status = rf_payload_cell_convert(reader, g[k].column->index, &value) == RF_OK
                     ? add_value(&g[k], i, &value)
                     : -1;
    }
    return status;
}

static int make_buffers(struct cells *cells, bool is_text)
{
    cells->values = buffer_new(is_text ? 0 : cells->n * sizeof(uint64_t));
    if (is_text)
        cells->texts.offsets = buffer_new((cells->n + 1) * sizeof(int64_t));
    return cells->values != NULL && (!is_text || cells->texts.offsets != NULL) ? 0 : -1;
}

static int finish_text(struct gathering *g)
{
    if (g->column->column.type != PLAIN)
        return 0;
    g->to->texts.bytes = buffer_new(g->used);
    if (g->to->texts.bytes == NULL)
        return -1;
    if (g->used > 0)
        memcpy(g->to->texts.bytes->data, g->bytes, g->used);
    return 0;
}

static int gather_all(struct gathering *g, size_t n_columns, const struct view *view, size_t first)
{
    struct row row = {NULL, NULL, 0, 0};
    rf_payload_cells *reader;
    if (rf_payload_cells_new(g->column->all->plan, &reader, NULL) != RF_OK)
        return -1;
    int status = 0;
    for (size_t k = 0; k < n_columns && status == 0; k++)
        status = make_buffers(g[k].to, g[k].column->column.type == PLAIN);
    for (size_t i = 0; i < g->to->n && status == 0; i++) {
        view_get(view, (Py_ssize_t)(first + i), &row);
        status = add_row(g, n_columns, reader, &row, i);
    }
    for (size_t k = 0; k < n_columns && status == 0; k++)
        status = finish_text(&g[k]);
    rf_payload_cells_free(reader);
    return status;
}

static int gather(const struct column *const *columns, size_t n_columns, const struct view *view,
                  size_t first, struct cells *const *cells)
{
    struct gathering *g = calloc(n_columns, sizeof(*g));
    if (g == NULL)
        return -1;
    for (size_t k = 0; k < n_columns; k++)
        g[k] = (struct gathering){.column = of_column(columns[k]), .to = cells[k]};
    int status = gather_all(g, n_columns, view, first);
    for (size_t k = 0; k < n_columns; k++)
        free(g[k].bytes);
    free(g);
    return status;
}

/* ---- Columns ---- */

static enum value_type type_of(const struct rf_payload_column *column)
{
    switch (column->type) {
    case RF_VALUES_INT64:
        return INTEGER;
    case RF_VALUES_UINT64:
        return COUNT;
    case RF_VALUES_DOUBLE:
        return REAL;
    default:
        return PLAIN;
    }
}

static void add_column(struct payload_columns *columns, uint32_t index, char **name)
{
    const struct rf_payload_column *planned = rf_payload_column_at(columns->plan, index);
    const size_t size = strlen(planned->path) + 1;
    if (size == 1)
        return; /* the column "payload" */
    memcpy(*name, "payload.", sizeof("payload.") - 1);
    memcpy(*name + sizeof("payload.") - 1, planned->path, size);
    columns->column[columns->n++] =
        (struct payload_column){.column = {.name = *name,
                                           .type = type_of(planned),
                                           .get = get_value,
                                           .gather = gather,
                                           .refers = N_KINDS,
                                           .doc = "A value in payloads."},
                                .all = columns,
                                .index = index};
    *name += sizeof("payload.") - 1 + size;
}

static int add_columns(struct payload_columns *columns)
{
    const struct rf_payload_column *planned;
    size_t room = 1;
    uint32_t n = 0;
    for (; (planned = rf_payload_column_at(columns->plan, n)) != NULL; n++)
        room += strlen(planned->path) + sizeof("payload.");
    columns->column = calloc((size_t)n + 1, sizeof(*columns->column));
    columns->names = malloc(room);
    if (columns->column == NULL || columns->names == NULL)
        return RF_ERR_NO_MEMORY;
    char *name = columns->names;
    for (uint32_t i = 0; i < n; i++)
        add_column(columns, i, &name);
    return RF_OK;
}

static int add_cache(struct payload_columns *columns)
{
    columns->cache = calloc(1, sizeof(*columns->cache));
    if (columns->cache == NULL)
        return RF_ERR_NO_MEMORY;
    atomic_init(&columns->cache->spare, NULL);
    rf_strings_init(&columns->cache->texts, rf_hash_seed());
    (void)pthread_mutex_init(&columns->cache->mutex, NULL);
    return RF_OK;
}

struct payload_columns *payload_columns_new(const rf_recording *rec, struct rf_err *err)
{
    struct payload_columns *columns = calloc(1, sizeof(*columns));
    int status =
        columns != NULL ? rf_payload_columns_new(rec, 0, &columns->plan, err) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = add_columns(columns);
    if (status == RF_OK)
        status = add_cache(columns);
    if (status == RF_OK)
        return columns;
    payload_columns_free(columns);
    return NULL;
}

void payload_columns_free(struct payload_columns *columns)
{
    if (columns == NULL)
        return;
    if (columns->cache != NULL) {
        rf_payload_cells_free(atomic_load(&columns->cache->spare));
        rf_strings_release(&columns->cache->texts);
        (void)pthread_mutex_destroy(&columns->cache->mutex);
    }
    free(columns->cache);
    rf_payload_columns_free(columns->plan);
    free(columns->column);
    free(columns->names);
    free(columns);
}
