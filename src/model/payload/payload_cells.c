/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/fields/event_names.h"
#include "model/payload/payload_columns.h"
#include "model/payload/payload_from_json.h"
#include "model/recording.h"

struct rf_payload_cells {
    const rf_payload_columns *columns;
    struct rf_payload_leaves leaves;
    struct rf_json_text json; /* of what was converted */
    char *text;               /* of the values of an event */
    size_t used, room;
    uint32_t column;       /* that is asked for */
    struct rf_value found; /* in it */
    struct rf_value *all;  /* per column, once all were asked for */
    uint32_t *filled;      /* columns of all that have a value */
    uint32_t n_filled;
};

#define FOUND 1 /* the walk need not go on */

int rf_payload_cells_new(const rf_payload_columns *columns, rf_payload_cells **out,
                         struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (columns == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "no columns");
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    (*out)->columns = columns;
    (*out)->leaves.whole = columns->has_structs ? &columns->paths.entry[0] : NULL;
    return RF_OK;
}

void rf_payload_cells_free(rf_payload_cells *cells)
{
    if (cells == NULL)
        return;
    rf_payload_leaves_release(&cells->leaves);
    rf_json_text_release(&cells->json);
    free(cells->text);
    free(cells->all);
    free(cells->filled);
    free(cells);
}

/* ---- Text is copied: it is valid during the walk only ---- */

static bool has_text(const struct rf_value *value)
{
    return value->kind == RF_VALUE_TEXT || value->kind == RF_VALUE_DIGITS ||
           value->kind == RF_VALUE_BYTES;
}

/* The text of *value becomes the place of its copy in cells->text, since that can move. */
static int copy_text(rf_payload_cells *cells, struct rf_value *value)
{
    if (cells->room - cells->used <= value->count) {
        size_t room = 2 * (cells->used + value->count) + 256;
        char *text = realloc(cells->text, room);
        if (text == NULL)
            return RF_ERR_NO_MEMORY;
        cells->text = text;
        cells->room = room;
    }
    memcpy(cells->text + cells->used, value->text, value->count);
    cells->text[cells->used + value->count] = '\0';
    value->text = (const char *)(uintptr_t)cells->used;
    cells->used += value->count + 1;
    return RF_OK;
}

static void place_text(const rf_payload_cells *cells, struct rf_value *value)
{
    if (has_text(value))
        value->text = cells->text + (uintptr_t)value->text;
}

static int keep(rf_payload_cells *cells, const struct rf_value *from, struct rf_value *to)
{
    *to = *from;
    to->name = NULL;
    return has_text(to) ? copy_text(cells, to) : RF_OK;
}

/* ---- One column ---- */

/* The value of an entry. */
static int keep_entry(void *context, const char *path, size_t size, const struct rf_value *value)
{
    rf_payload_cells *cells = context;
    (void)path;
    (void)size;
    return keep(cells, value, &cells->found);
}

static int read_step(rf_payload_cells *cells, uint32_t process,
                     const struct rf_payload_group *group, const struct rf_payload_item *item,
                     const struct rf_flat_step *step)
{
    if (step->is_number) {
        rf_flat_number(step, item->bytes, &cells->found);
        return RF_OK;
    }
    return rf_payload_leaf_of_entry(&cells->leaves, cells->columns->rec, process, group, item,
                                    step->entry, step->at, keep_entry, cells);
}

static int find_in_flat(rf_payload_cells *cells, uint32_t process,
                        const struct rf_payload_group *group)
{
    for (uint32_t i = 0; i < group->n; i++) {
        const struct rf_payload_item *item = &group->item[i];
        if (!rf_payload_is_shown(item))
            continue;
        const struct rf_flat_step *step =
            rf_payload_flat_find(&cells->columns->flat[item->definition], cells->column);
        if (step == NULL)
            continue;
        int status = read_step(cells, process, group, item, step);
        return status != RF_OK ? status : FOUND;
    }
    return RF_OK;
}

static int find_leaf(void *context, const char *path, size_t size, const struct rf_value *value)
{
    rf_payload_cells *cells = context;
    const struct rf_string_entry *wanted = &cells->columns->paths.entry[cells->column];
    if (size != wanted->size || memcmp(path, wanted->text, size) != 0)
        return 0;
    int status = keep(cells, value, &cells->found);
    return status != RF_OK ? status : FOUND;
}

static int find_in_group(rf_payload_cells *cells, uint32_t process,
                         const struct rf_payload_group *group)
{
    if (rf_payload_group_is_flat(cells->columns, group))
        return find_in_flat(cells, process, group);
    return rf_payload_leaves_of_group(&cells->leaves, cells->columns->rec, process, group,
                                      find_leaf, cells);
}

/* Calls leaf() for the values of a payload that is JSON. */
static int visit_json(rf_payload_cells *cells, const struct rf_event *event,
                      rf_payload_leaf_fn *leaf)
{
    size_t size;
    bool is_json = event->payload_type == RF_TYPE_JSON && event->kind <= RF_EVENT_MARK;
    const char *text =
        is_json ? rf_string(cells->columns->rec, rf_payload_string(event), &size) : NULL;
    return text != NULL ? rf_payload_leaves_of_json(&cells->leaves, text, size, leaf, cells)
                        : RF_OK;
}

int rf_payload_cell_as_it_is(rf_payload_cells *cells, const struct rf_event *event, uint32_t column,
                             struct rf_value *value)
{
    const struct rf_payload_set *set = rf_payload_set_of(cells->columns->rec, event);
    int status;
    cells->column = column;
    cells->used = 0;
    cells->found.kind = RF_VALUE_NULL;
    if (set != NULL) {
        status = find_in_group(cells, set->process, &set->begin);
        if (status == RF_OK && set->end.n > 0)
            status = find_in_group(cells, set->process, &set->end);
    } else {
        status = visit_json(cells, event, find_leaf);
    }
    if (status < 0)
        cells->found.kind = RF_VALUE_NULL;
    place_text(cells, &cells->found);
    *value = cells->found;
    return status < 0 ? status : RF_OK;
}

/* ---- All columns ---- */

/* Keeps the first value that a column has. */
static int keep_first(rf_payload_cells *cells, uint32_t column, const struct rf_value *value)
{
    struct rf_value *to = &cells->all[column];
    if (to->kind != RF_VALUE_END)
        return RF_OK;
    cells->filled[cells->n_filled++] = column;
    return keep(cells, value, to);
}

static int keep_leaf(void *context, const char *path, size_t size, const struct rf_value *value)
{
    rf_payload_cells *cells = context;
    uint32_t column = rf_payload_column_of(cells->columns, path, size);
    return column != RF_NO_INDEX ? keep_first(cells, column, value) : RF_OK;
}

static int keep_flat(rf_payload_cells *cells, uint32_t process,
                     const struct rf_payload_group *group, const struct rf_payload_item *item)
{
    const struct rf_payload_flat *flat = &cells->columns->flat[item->definition];
    int status = RF_OK;
    for (uint32_t i = 0; i < flat->n && status == RF_OK; i++) {
        uint32_t column = flat->step[i].column;
        if (cells->all[column].kind != RF_VALUE_END)
            continue;
        cells->filled[cells->n_filled++] = column;
        cells->found = (struct rf_value){.kind = RF_VALUE_NULL};
        status = read_step(cells, process, group, item, &flat->step[i]);
        cells->all[column] = cells->found;
    }
    return status;
}

static int keep_group(rf_payload_cells *cells, uint32_t process,
                      const struct rf_payload_group *group)
{
    int status = RF_OK;
    if (!rf_payload_group_is_flat(cells->columns, group))
        return rf_payload_leaves_of_group(&cells->leaves, cells->columns->rec, process, group,
                                          keep_leaf, cells);
    for (uint32_t i = 0; i < group->n && status == RF_OK; i++)
        if (rf_payload_is_shown(&group->item[i]))
            status = keep_flat(cells, process, group, &group->item[i]);
    return status;
}

/* All values become END, which no value has. */
static int empty(rf_payload_cells *cells)
{
    uint32_t n = cells->columns->n;
    if (cells->all == NULL)
        cells->all = calloc((size_t)n + 1, sizeof(*cells->all));
    if (cells->filled == NULL)
        cells->filled = calloc((size_t)n + 1, sizeof(*cells->filled));
    if (cells->all == NULL || cells->filled == NULL)
        return RF_ERR_NO_MEMORY;
    while (cells->n_filled > 0)
        cells->all[cells->filled[--cells->n_filled]].kind = RF_VALUE_END;
    cells->used = 0;
    return RF_OK;
}

const struct rf_value *rf_payload_cells_of(rf_payload_cells *cells, const struct rf_event *event)
{
    const struct rf_payload_set *set = rf_payload_set_of(cells->columns->rec, event);
    int status = empty(cells);
    if (status == RF_OK && set != NULL) {
        status = keep_group(cells, set->process, &set->begin);
        if (status == RF_OK && set->end.n > 0)
            status = keep_group(cells, set->process, &set->end);
    } else if (status == RF_OK) {
        status = visit_json(cells, event, keep_leaf);
    }
    for (uint32_t i = 0; i < cells->n_filled; i++)
        place_text(cells, &cells->all[cells->filled[i]]);
    return status == RF_OK ? cells->all : NULL;
}

/* ---- Types ---- */

/* As JSON, or as the text that JSON has for it. */
static int to_text(rf_payload_cells *cells, struct rf_value *value, bool is_json)
{
    struct rf_json_writer writer = {.sink = &cells->json.sink, .is_first = true};
    if (rf_json_text_begin(&cells->json) != RF_OK)
        return RF_ERR_NO_MEMORY;
    (void)rf_json_put_value(&writer, value);
    value->text = rf_json_text_end(&cells->json, &value->count);
    value->kind = RF_VALUE_TEXT;
    value->flags = is_json ? RF_VALUE_JSON : 0;
    if (value->text != NULL && !is_json && value->text[0] == '"') {
        value->text++;
        value->count -= 2;
        ((char *)(uintptr_t)value->text)[value->count] = '\0'; /* it is cells->json's */
    }
    return value->text != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static int to_integer(struct rf_value *value, uint32_t kind)
{
    bool is_integer = value->kind == RF_VALUE_SIGNED || value->kind == RF_VALUE_UNSIGNED;
    bool fits = value->kind == kind || value->integer >= 0;
    value->kind = is_integer && fits ? kind : RF_VALUE_NULL;
    return RF_OK;
}

static int to_real(struct rf_value *value)
{
    if (value->kind == RF_VALUE_SIGNED)
        value->real = (double)value->integer;
    else if (value->kind == RF_VALUE_UNSIGNED)
        value->real = (double)value->number;
    else if (value->kind != RF_VALUE_REAL)
        value->kind = RF_VALUE_NULL;
    if (value->kind != RF_VALUE_NULL)
        value->kind = RF_VALUE_REAL;
    return RF_OK;
}

int rf_payload_cell_convert(rf_payload_cells *cells, uint32_t column, struct rf_value *value)
{
    bool is_json = value->kind == RF_VALUE_TEXT && (value->flags & RF_VALUE_JSON) != 0;
    if (value->kind == RF_VALUE_NULL || value->kind == RF_VALUE_END) {
        value->kind = RF_VALUE_NULL;
        return RF_OK;
    }
    switch (cells->columns->column[column].type) {
    case RF_VALUES_INT64:
        return to_integer(value, RF_VALUE_SIGNED);
    case RF_VALUES_UINT64:
        return to_integer(value, RF_VALUE_UNSIGNED);
    case RF_VALUES_DOUBLE:
        return to_real(value);
    case RF_VALUES_JSON:
        return is_json ? RF_OK : to_text(cells, value, true);
    default:
        value->flags &= ~(uint32_t)RF_VALUE_JSON;
        return value->kind == RF_VALUE_TEXT ? RF_OK : to_text(cells, value, false);
    }
}

int rf_payload_cell(rf_payload_cells *cells, const struct rf_event *event, uint32_t column,
                    struct rf_value *value)
{
    if (value != NULL)
        *value = (struct rf_value){.kind = RF_VALUE_NULL};
    if (cells == NULL || event == NULL || value == NULL || column >= cells->columns->n)
        return RF_ERR_USAGE;
    int status = rf_payload_cell_as_it_is(cells, event, column, value);
    return status == RF_OK ? rf_payload_cell_convert(cells, column, value) : status;
}
