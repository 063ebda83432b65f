/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "model/fields/event_names.h"
#include "model/payload/payload_cells.h"
#include "model/payload/payload_columns.h"
#include "model/recording.h"

#define MOST_STEPS  1000000u /* entries of schemas that are looked at */
#define MOST_LISTED 12u      /* names in a message */

/* ---- The path ---- */

static bool has_prefix(const char *name, size_t size, const char *prefix)
{
    return size >= strlen(prefix) && memcmp(name, prefix, strlen(prefix)) == 0;
}

/* Columns of one path, without looking at any event. */
static rf_payload_columns *columns_of_path(const rf_recording *rec, const char *path, size_t size)
{
    const struct rf_nvtx_definitions *all = rec->nvtx;
    rf_payload_columns *columns = calloc(1, sizeof(*columns));
    if (columns == NULL)
        return NULL;
    columns->rec = rec;
    columns->most = 1;
    columns->n_definitions = all != NULL && all->schema != NULL ? all->n : 0;
    columns->flat = calloc((size_t)columns->n_definitions + 1, sizeof(*columns->flat));
    columns->flat_state = calloc((size_t)columns->n_definitions + 1, 1);
    columns->column = calloc(1, sizeof(*columns->column));
    columns->kinds = calloc(1, 1);
    rf_strings_init(&columns->paths, rf_hash_seed());
    if (columns->flat != NULL && columns->flat_state != NULL && columns->column != NULL &&
        columns->kinds != NULL && rf_strings_add(&columns->paths, path, size) == 0) {
        columns->column[0].path = columns->paths.entry[0].text;
        columns->n = 1;
        columns->has_structs = true;
        return columns;
    }
    rf_payload_columns_free(columns);
    return NULL;
}

int rf_payload_lookup_init(struct rf_payload_lookup *lookup, const rf_recording *rec,
                           const char *name, size_t size)
{
    static const char itself[] = "payload", prefix[] = "payload.";
    *lookup = (struct rf_payload_lookup){.columns = NULL};
    if (size == sizeof(itself) - 1 && has_prefix(name, size, itself)) {
        name += size;
        size = 0;
    } else if (size > sizeof(prefix) - 1 && has_prefix(name, size, prefix)) {
        name += sizeof(prefix) - 1;
        size -= sizeof(prefix) - 1;
    }
    lookup->label_of.seed = rf_hash_seed();
    lookup->columns = columns_of_path(rec, name, size);
    if (lookup->columns == NULL)
        return RF_ERR_NO_MEMORY;
    return rf_payload_cells_new(lookup->columns, &lookup->cells, NULL);
}

void rf_payload_lookup_release(struct rf_payload_lookup *lookup)
{
    rf_payload_cells_free(lookup->cells);
    rf_payload_columns_free(lookup->columns);
    rf_map_release(&lookup->label_of);
    rf_json_text_release(&lookup->json);
    free(lookup->path.text);
    *lookup = (struct rf_payload_lookup){.columns = NULL};
}

/* ---- Values ---- */

static uint32_t column_of(void *context, const struct rf_payload_path *path,
                          const struct rf_payload_entry *entry, int *status)
{
    struct rf_payload_lookup *lookup = context;
    const struct rf_string_entry *wanted = &lookup->columns->paths.entry[0];
    bool is_it = path->size == wanted->size &&
                 (path->size == 0 || memcmp(path->text, wanted->text, path->size) == 0);
    if (lookup->n_steps++ >= MOST_STEPS || (is_it && entry == NULL))
        *status = RF_ERR_UNSUPPORTED; /* payloads are walked through instead */
    return is_it ? 0 : RF_NO_INDEX;
}

/* Lays out the schemas of payloads that come for the first time. */
static int see_schemas(struct rf_payload_lookup *lookup, const struct rf_payload_group *group)
{
    rf_payload_columns *columns = lookup->columns;
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t definition = group->item[i].definition;
        if (definition >= columns->n_definitions ||
            columns->flat_state[definition] != RF_FLAT_UNKNOWN)
            continue;
        int status = rf_payload_flat_init(&columns->flat[definition], columns->rec,
                                          rf_payload_schema_at(columns->rec, definition),
                                          &lookup->path, column_of, lookup);
        columns->flat_state[definition] = status == RF_OK ? RF_FLAT_YES : RF_FLAT_NO;
        if (status == RF_ERR_NO_MEMORY)
            return status;
    }
    return RF_OK;
}

static int find(struct rf_payload_lookup *lookup, const struct rf_event *event,
                struct rf_value *value)
{
    const struct rf_payload_set *set = rf_payload_set_of(lookup->columns->rec, event);
    int status = RF_OK;
    if (set != NULL) {
        status = see_schemas(lookup, &set->begin);
        if (status == RF_OK)
            status = see_schemas(lookup, &set->end);
    } else if (lookup->columns->paths.entry[0].size == 0 && rf_payload_number(event, value)) {
        return RF_OK;
    }
    if (status == RF_OK)
        status = rf_payload_cell_as_it_is(lookup->cells, event, 0, value);
    return status;
}

int rf_payload_lookup_value(struct rf_payload_lookup *lookup, const struct rf_event *event,
                            struct rf_value *value)
{
    int status = RF_OK;
    value->kind = RF_VALUE_NULL;
    if (event->payload_type != RF_TYPE_NONE && event->kind <= RF_EVENT_MARK)
        status = find(lookup, event, value);
    lookup->has_found |= value->kind != RF_VALUE_NULL;
    return status;
}

/* ---- Labels ---- */

static uint32_t add_label(struct rf_payload_lookup *lookup, struct rf_strings *labels,
                          const struct rf_value *value)
{
    struct rf_json_writer writer = {.sink = &lookup->json.sink, .is_first = true};
    size_t size;
    if (value->kind == RF_VALUE_TEXT || value->kind == RF_VALUE_DIGITS)
        return rf_strings_add(labels, value->text, value->count);
    if (rf_json_text_begin(&lookup->json) != RF_OK)
        return RF_NO_STRING;
    (void)rf_json_put_value(&writer, value);
    const char *text = rf_json_text_end(&lookup->json, &size);
    if (text == NULL)
        return RF_NO_STRING;
    bool is_quoted = text[0] == '"';
    return rf_strings_add(labels, text + is_quoted, size - 2 * (size_t)is_quoted);
}

/* Numbers are written once each. */
static uint32_t label_of_number(struct rf_payload_lookup *lookup, struct rf_strings *labels,
                                const struct rf_value *value)
{
    uint64_t kind = (uint64_t)value->kind << 32 | (value->flags & RF_VALUE_FLOAT);
    uint32_t label = rf_map_find(&lookup->label_of, kind, value->number);
    if (label != RF_MAP_NONE)
        return label;
    label = add_label(lookup, labels, value);
    if (label != RF_NO_STRING && rf_map_set(&lookup->label_of, kind, value->number, label) != RF_OK)
        label = RF_NO_STRING;
    return label;
}

int rf_payload_lookup_label(struct rf_payload_lookup *lookup, struct rf_strings *labels,
                            const struct rf_event *event, uint32_t *label)
{
    struct rf_value value;
    int status = rf_payload_lookup_value(lookup, event, &value);
    *label = RF_NO_STRING;
    if (status != RF_OK || value.kind == RF_VALUE_NULL)
        return status;
    bool is_number = value.kind == RF_VALUE_UNSIGNED || value.kind == RF_VALUE_SIGNED ||
                     value.kind == RF_VALUE_REAL;
    *label =
        is_number ? label_of_number(lookup, labels, &value) : add_label(lookup, labels, &value);
    return *label != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Names that there are not ---- */

static bool has_own_numbers(const rf_recording *rec)
{
    struct rf_value value;
    for (uint32_t thread = 0; thread < rec->n_threads; thread++)
        for (size_t i = 0; i < rec->events[thread].n; i++)
            if (rec->events[thread].event[i].kind <= RF_EVENT_MARK &&
                rf_payload_number(&rec->events[thread].event[i], &value))
                return true;
    return false;
}

static int fail_unknown(const char *path, const char *const *names, size_t n, struct rf_err *err)
{
    char list[600] = "";
    for (size_t i = 0, used = 0; i < n && i < MOST_LISTED; i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s'%.40s'", i > 0 ? ", " : "",
                                 names[i]);
    if (n == 0)
        return rf_fail(err, RF_ERR_NOT_FOUND,
                       "no event of this recording has a payload with values");
    const char *near = rf_nearest_name(path, names, n);
    return rf_fail(
        err, RF_ERR_NOT_FOUND, "no payload of this recording has '%.100s': %s%s%sthere is %s%s",
        path[0] != '\0' ? path : "payload", near != NULL ? "did you mean '" : "",
        near != NULL ? near : "", near != NULL ? "'? " : "", list, n > MOST_LISTED ? ", ..." : "");
}

/* Whether a path is that of a column, or of a struct around it. */
static bool is_path_of(const char *path, const char *column)
{
    size_t size = strlen(path);
    if (size == 0 || strcmp(column, path) == 0)
        return true;
    return strncmp(column, path, size) == 0 && column[size] == '.';
}

/* names[]: of all columns, and "payload"; *has_it: the path leads to one of them. */
static size_t list_names(const rf_payload_columns *all, const char *path, bool has_own,
                         const char **names, bool *has_it)
{
    size_t n = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        *has_it |= is_path_of(path, all->column[i].path);
        has_own |= all->column[i].path[0] == '\0';
        if (all->column[i].path[0] != '\0')
            names[n++] = all->column[i].path;
    }
    if (has_own)
        names[n++] = "payload";
    *has_it |= has_own && path[0] == '\0';
    return n;
}

int rf_payload_lookup_check(const struct rf_payload_lookup *lookup, struct rf_err *err)
{
    const rf_recording *rec = lookup->columns->rec;
    const char *path = lookup->columns->column[0].path;
    rf_payload_columns *all;
    bool has_it = false;
    if (lookup->has_found)
        return RF_OK;
    int status = rf_payload_columns_new(rec, 0, &all, err);
    if (status != RF_OK)
        return status;
    const char **names = calloc((size_t)all->n + 1, sizeof(*names));
    if (names == NULL) {
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    } else {
        size_t n = list_names(all, path, has_own_numbers(rec), names, &has_it);
        if (!has_it && rf_payload_path_left_out(all, 0, NULL) == NULL)
            status = fail_unknown(path, names, n, err);
    }
    free((void *)(uintptr_t)names);
    rf_payload_columns_free(all);
    return status;
}
