/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "model/fields/event_names.h"
#include "model/payload/payload_cells.h"
#include "model/payload/payload_from_json.h"
#include "model/recording.h"

#define MOST_COLUMNS 1000u
#define MOST_NAMED   10000u   /* paths that are no columns */
#define MOST_STEPS   1000000u /* of all schemas together */

/* What values a column has. */
enum {
    HAS_SIGNED = 1,
    HAS_SMALL = 2, /* unsigned, and an int64 holds it */
    HAS_LARGE = 4, /* unsigned, and perhaps no int64 holds it */
    HAS_REAL = 8,
    HAS_TEXT = 16,
    HAS_JSON = 32,
    HAS_INTEGER = HAS_SIGNED | HAS_SMALL | HAS_LARGE,
};

struct finder {
    rf_payload_columns *columns;
    struct rf_payload_leaves leaves;
};

/* ---- Paths ---- */

static int add_column(rf_payload_columns *columns, uint32_t id)
{
    uint32_t room = columns->n < 16 ? 16 : 2 * columns->n;
    if (columns->n < 16 ? columns->n == 0 : (columns->n & (columns->n - 1)) == 0) {
        void *column = realloc(columns->column, room * sizeof(*columns->column));
        if (column == NULL)
            return RF_ERR_NO_MEMORY;
        columns->column = column;
        uint8_t *kinds = realloc(columns->kinds, room);
        if (kinds == NULL)
            return RF_ERR_NO_MEMORY;
        columns->kinds = kinds;
    }
    columns->column[columns->n] = (struct rf_payload_column){.path = columns->paths.entry[id].text};
    columns->kinds[columns->n++] = 0;
    return RF_OK;
}

/* The column of a path, which is added if it is new. */
static uint32_t find_column(rf_payload_columns *columns, const char *path, size_t size, int *status)
{
    bool is_full = columns->paths.n >= columns->most;
    bool is_long = size > RF_PAYLOAD_PATH_MAX;
    uint32_t id = is_long ? RF_NO_STRING : rf_strings_find(&columns->paths, path, size);
    if (id != RF_NO_STRING)
        return id < columns->n ? id : RF_NO_INDEX;
    if (is_long || (is_full && columns->paths.n - columns->most >= MOST_NAMED)) {
        columns->has_more = true;
        return RF_NO_INDEX;
    }
    id = rf_strings_add(&columns->paths, path, size);
    if (id == RF_NO_STRING)
        *status = RF_ERR_NO_MEMORY;
    else if (!is_full)
        *status = add_column(columns, id);
    return *status == RF_OK && !is_full ? id : RF_NO_INDEX;
}

uint32_t rf_payload_column_of(const rf_payload_columns *columns, const char *path, size_t size)
{
    uint32_t id = rf_strings_find(&columns->paths, path, size);
    return id < columns->n ? id : RF_NO_INDEX;
}

/* ---- Schemas ---- */

static uint8_t kinds_of_entry(const struct rf_payload_entry *entry)
{
    bool is_array = (entry->flags & RF_ENTRY_ARRAY) != RF_ARRAY_NONE;
    switch (entry->form) {
    case RF_ENTRY_CHAR:
    case RF_ENTRY_STRING:
    case RF_ENTRY_BYTE:
        return HAS_TEXT;
    case RF_ENTRY_UNSIGNED:
        if (!is_array)
            return entry->size < 8 ? HAS_SMALL : entry->size == 8 ? HAS_LARGE : HAS_TEXT;
        break;
    case RF_ENTRY_SIGNED:
        if (!is_array)
            return entry->size <= 8 ? HAS_SIGNED : HAS_TEXT;
        break;
    case RF_ENTRY_FLOAT:
    case RF_ENTRY_EXTENDED:
    case RF_ENTRY_BFLOAT:
        if (!is_array)
            return HAS_REAL;
        break;
    default:
        if (!is_array)
            return HAS_TEXT;
    }
    return HAS_JSON;
}

static uint32_t column_of_entry(void *context, const struct rf_payload_path *path,
                                const struct rf_payload_entry *entry, int *status)
{
    rf_payload_columns *columns = context;
    if (entry == NULL)
        return RF_NO_INDEX;
    uint32_t column =
        find_column(columns, path->text != NULL ? path->text : "", path->size, status);
    if (column != RF_NO_INDEX)
        columns->kinds[column] |= kinds_of_entry(entry);
    return column;
}

/* Lays out a schema when a payload first has it. */
static int see_schema(struct finder *finder, uint32_t definition)
{
    rf_payload_columns *columns = finder->columns;
    struct rf_payload_flat *flat = &columns->flat[definition];
    int status = RF_ERR_UNSUPPORTED;
    if (columns->n_steps < MOST_STEPS)
        status =
            rf_payload_flat_init(flat, columns->rec, rf_payload_schema_at(columns->rec, definition),
                                 &finder->leaves.path, column_of_entry, columns);
    columns->n_steps += flat->n;
    columns->flat_state[definition] = status == RF_OK ? RF_FLAT_YES : RF_FLAT_NO;
    return status == RF_ERR_UNSUPPORTED ? RF_OK : status;
}

static bool is_flat(const rf_payload_columns *columns, const struct rf_payload_item *item)
{
    return item->definition < columns->n_definitions && item->schema >= RF_NVTX_STATIC_IDS &&
           columns->flat_state[item->definition] == RF_FLAT_YES &&
           item->n_bytes >= columns->flat[item->definition].size;
}

bool rf_payload_group_is_flat(const rf_payload_columns *columns,
                              const struct rf_payload_group *group)
{
    for (uint32_t i = 0; i < group->n; i++)
        if (!is_flat(columns, &group->item[i]) && rf_payload_is_shown(&group->item[i]))
            return false;
    return true;
}

/* ---- Values ---- */

static uint8_t kinds_of_value(const struct rf_value *value)
{
    switch (value->kind) {
    case RF_VALUE_SIGNED:
        return HAS_SIGNED;
    case RF_VALUE_UNSIGNED:
        return value->flags & RF_VALUE_ENUM ? HAS_TEXT
               : value->number <= INT64_MAX ? HAS_SMALL
                                            : HAS_LARGE;
    case RF_VALUE_REAL:
        return HAS_REAL;
    case RF_VALUE_NULL:
        return 0;
    case RF_VALUE_TEXT:
        return (value->flags & RF_VALUE_JSON) != 0 && value->text[0] == '[' ? HAS_JSON : HAS_TEXT;
    default:
        return HAS_TEXT;
    }
}

static int see_leaf(void *context, const char *path, size_t size, const struct rf_value *value)
{
    struct finder *finder = context;
    int status = RF_OK;
    uint32_t column = find_column(finder->columns, path, size, &status);
    if (column != RF_NO_INDEX)
        finder->columns->kinds[column] |= kinds_of_value(value);
    return status;
}

/* ---- Events ---- */

static int see_group(struct finder *finder, uint32_t process, const struct rf_payload_group *group)
{
    rf_payload_columns *columns = finder->columns;
    for (uint32_t i = 0; i < group->n; i++) {
        const struct rf_payload_item *item = &group->item[i];
        if (item->definition >= columns->n_definitions ||
            columns->flat_state[item->definition] != RF_FLAT_UNKNOWN || !rf_payload_is_shown(item))
            continue;
        const struct rf_payload_schema *schema =
            rf_payload_schema_at(columns->rec, item->definition);
        if (schema == NULL || item->n_bytes < schema->size)
            continue; /* columns are of what occurs */
        int status = see_schema(finder, item->definition);
        if (status != RF_OK)
            return status;
    }
    if (group->n == 0 || rf_payload_group_is_flat(columns, group))
        return RF_OK;
    return rf_payload_leaves_of_group(&finder->leaves, columns->rec, process, group, see_leaf,
                                      finder);
}

static int see_event(struct finder *finder, const struct rf_event *event)
{
    const rf_recording *rec = finder->columns->rec;
    const struct rf_payload_set *set = rf_payload_set_of(rec, event);
    size_t size;
    if (set != NULL) {
        int status = see_group(finder, set->process, &set->begin);
        return status == RF_OK ? see_group(finder, set->process, &set->end) : status;
    }
    if (event->payload_type != RF_TYPE_JSON || event->kind > RF_EVENT_MARK)
        return RF_OK;
    const char *text = rf_string(rec, rf_payload_string(event), &size);
    return text != NULL ? rf_payload_leaves_of_json(&finder->leaves, text, size, see_leaf, finder)
                        : RF_OK;
}

static int see_all(struct finder *finder)
{
    const rf_recording *rec = finder->columns->rec;
    int status = RF_OK;
    for (uint32_t thread = 0; thread < rec->n_threads; thread++) {
        const struct rf_thread_events *events = &rec->events[thread];
        for (size_t i = 0; i < events->n && status == RF_OK; i++)
            if (events->event[i].payload_type >= RF_TYPE_JSON)
                status = see_event(finder, &events->event[i]);
    }
    return status;
}

/* ---- Types ---- */

/* What integers a column has that signed and unsigned ones share. */
enum { IS_SHARED = 1, HAS_NEGATIVE = 2, HAS_TOP_BIT = 4 };

static void see_integers(uint8_t *seen, const struct rf_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (seen[i] != 0 && values[i].kind == RF_VALUE_SIGNED && values[i].integer < 0)
            seen[i] |= HAS_NEGATIVE;
        else if (seen[i] != 0 && values[i].kind == RF_VALUE_UNSIGNED &&
                 values[i].number > INT64_MAX)
            seen[i] |= HAS_TOP_BIT;
}

static int see_all_integers(const rf_payload_columns *columns, uint8_t *seen)
{
    const rf_recording *rec = columns->rec;
    rf_payload_cells *cells;
    int status = rf_payload_cells_new(columns, &cells, NULL);
    for (uint32_t thread = 0; thread < rec->n_threads && status == RF_OK; thread++) {
        const struct rf_thread_events *events = &rec->events[thread];
        for (size_t i = 0; i < events->n && status == RF_OK; i++) {
            if (events->event[i].payload_type < RF_TYPE_JSON)
                continue;
            const struct rf_value *values = rf_payload_cells_of(cells, &events->event[i]);
            if (values != NULL)
                see_integers(seen, values, columns->n);
            else
                status = RF_ERR_NO_MEMORY;
        }
    }
    rf_payload_cells_free(cells);
    return status;
}

/* 0: integers that only their values tell the type of. */
static uint32_t type_of(uint8_t kinds)
{
    if ((kinds & HAS_JSON) != 0)
        return RF_VALUES_JSON;
    if ((kinds & HAS_TEXT) != 0 || kinds == 0)
        return RF_VALUES_TEXT;
    if ((kinds & HAS_REAL) != 0)
        return RF_VALUES_DOUBLE;
    if ((kinds & HAS_SIGNED) == 0)
        return RF_VALUES_UINT64;
    return (kinds & HAS_LARGE) == 0 ? RF_VALUES_INT64 : 0;
}

static int set_types(rf_payload_columns *columns)
{
    uint8_t *seen = calloc((size_t)columns->n + 1, 1);
    bool is_any_shared = false;
    int status = seen != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < columns->n && status == RF_OK; i++) {
        columns->column[i].type = type_of(columns->kinds[i]);
        seen[i] = columns->column[i].type == 0 ? IS_SHARED : 0;
        is_any_shared |= seen[i] != 0;
    }
    if (is_any_shared)
        status = see_all_integers(columns, seen);
    for (uint32_t i = 0; i < columns->n && status == RF_OK; i++)
        if (seen[i] != 0)
            columns->column[i].type = (seen[i] & HAS_TOP_BIT) == 0    ? RF_VALUES_INT64
                                      : (seen[i] & HAS_NEGATIVE) == 0 ? RF_VALUES_UINT64
                                                                      : RF_VALUES_TEXT;
    free(seen);
    return status;
}

/* ---- The interface ---- */

static int find_all(rf_payload_columns *columns)
{
    struct finder finder = {.columns = columns};
    const struct rf_nvtx_definitions *all = columns->rec->nvtx;
    columns->n_definitions = all != NULL && all->schema != NULL ? all->n : 0;
    columns->flat = calloc((size_t)columns->n_definitions + 1, sizeof(*columns->flat));
    columns->flat_state = calloc((size_t)columns->n_definitions + 1, 1);
    int status =
        columns->flat != NULL && columns->flat_state != NULL ? see_all(&finder) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = set_types(columns);
    rf_payload_leaves_release(&finder.leaves);
    return status;
}

int rf_payload_columns_new(const rf_recording *rec, uint32_t most, rf_payload_columns **out,
                           struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (rec == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "no recording");
    rf_payload_columns *columns = calloc(1, sizeof(*columns));
    if (columns == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    columns->rec = rec;
    columns->most = most != 0 ? most : MOST_COLUMNS;
    rf_strings_init(&columns->paths, rf_hash_seed());
    if (find_all(columns) != RF_OK) {
        rf_payload_columns_free(columns);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    *out = columns;
    return RF_OK;
}

const struct rf_payload_column *rf_payload_column_at(const rf_payload_columns *columns, uint32_t i)
{
    return columns != NULL && i < columns->n ? &columns->column[i] : NULL;
}

const char *rf_payload_path_left_out(const rf_payload_columns *columns, uint32_t i, int *has_more)
{
    if (has_more != NULL)
        *has_more = columns != NULL && columns->has_more;
    bool is_there = columns != NULL && i < columns->paths.n - columns->n;
    return is_there ? columns->paths.entry[columns->n + i].text : NULL;
}

void rf_payload_columns_free(rf_payload_columns *columns)
{
    if (columns == NULL)
        return;
    for (uint32_t i = 0; i < columns->n_definitions && columns->flat != NULL; i++)
        rf_payload_flat_release(&columns->flat[i]);
    free(columns->flat);
    free(columns->flat_state);
    free(columns->column);
    free(columns->kinds);
    rf_strings_release(&columns->paths);
    free(columns);
}
