/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_leaves.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "model/payload/payload_cells.h"
#include "model/payload/payload_visit.h"

/* ---- Paths ---- */

static int make_room(struct rf_payload_path *path, size_t size)
{
    if (path->room - path->size >= size)
        return RF_OK;
    size_t room = 2 * (path->size + size) + 64;
    char *text = realloc(path->text, room);
    if (text == NULL)
        return RF_ERR_NO_MEMORY;
    path->text = text;
    path->room = room;
    return RF_OK;
}

/* Of paths that are too long for a column nobody needs the end. */
static size_t shown_size(const struct rf_payload_path *path, size_t size)
{
    size_t most = RF_PAYLOAD_PATH_MAX + 1;
    most -= path->size < most ? path->size : most;
    return size < most ? size : most;
}

int rf_payload_path_push(struct rf_payload_path *path, const char *name, size_t size)
{
    size = shown_size(path, size);
    bool is_text = rf_is_utf8(name, size);
    if (make_room(path, 3 * size + 1) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (path->n_names++ > 0)
        path->text[path->size++] = '.';
    char *to = path->text + path->size;
    if (is_text)
        memcpy(to, name, size);
    else
        size = rf_utf8_replace(to, name, size);
    for (char *zero = to; (zero = memchr(zero, 0, (size_t)(to + size - zero))) != NULL;)
        *zero = ' ';
    path->size += size;
    return RF_OK;
}

/* ---- Values as visitors receive them ---- */

static int give(struct rf_payload_leaves *l, const struct rf_value *value)
{
    if ((value->flags & RF_VALUE_BAD) != 0)
        return 0; /* bytes where there should be a number */
    return l->leaf(l->context, l->path.text != NULL ? l->path.text : "", l->path.size, value);
}

bool rf_payload_leaf_is_whole(const struct rf_payload_leaves *l)
{
    return l->whole != NULL && l->path.size == l->whole->size &&
           (l->path.size == 0 || memcmp(l->path.text, l->whole->text, l->path.size) == 0);
}

/* The JSON of an array or struct is complete. */
static int give_json(struct rf_payload_leaves *l)
{
    struct rf_value value = {.kind = RF_VALUE_TEXT, .flags = RF_VALUE_JSON};
    value.text = rf_json_text_end(&l->json, &value.count);
    return value.text != NULL ? give(l, &value) : RF_ERR_NO_MEMORY;
}

/* Ends what see_value() began in a struct. */
static void end_name(struct rf_payload_leaves *l)
{
    if (l->depth > 0)
        rf_payload_path_pop(&l->path, l->mark[l->depth]);
}

/* A value in an array or struct, or its beginning or end. */
static int capture(struct rf_payload_leaves *l, const struct rf_value *value)
{
    bool is_begin = value->kind == RF_VALUE_ARRAY || value->kind == RF_VALUE_OBJECT;
    (void)rf_json_put_value(&l->writer, value);
    l->n_captured += is_begin;
    l->n_captured -= value->kind == RF_VALUE_END;
    if (l->n_captured > 0)
        return 0;
    int status = give_json(l);
    end_name(l);
    return status;
}

static int begin_capture(struct rf_payload_leaves *l, const struct rf_value *value)
{
    struct rf_value unnamed = *value;
    unnamed.name = NULL;
    if (rf_json_text_begin(&l->json) != RF_OK)
        return RF_ERR_NO_MEMORY;
    l->writer = (struct rf_json_writer){.sink = &l->json.sink, .is_first = true};
    return capture(l, &unnamed);
}

static int see_value(void *context, const struct rf_value *value)
{
    struct rf_payload_leaves *l = context;
    int status = 0;
    if (l->n_captured > 0)
        return capture(l, value);
    if (value->kind == RF_VALUE_END) {
        l->depth--;
        end_name(l);
        return 0;
    }
    l->mark[l->depth] = l->path.size;
    if (l->depth > 0)
        status = rf_payload_path_push(&l->path, value->name,
                                      strnlen(value->name, RF_PAYLOAD_PATH_MAX + 1));
    if (status != RF_OK)
        return status;
    if (value->kind == RF_VALUE_ARRAY ||
        (value->kind == RF_VALUE_OBJECT && rf_payload_leaf_is_whole(l)))
        return begin_capture(l, value);
    if (value->kind == RF_VALUE_OBJECT) {
        l->depth++;
        return 0;
    }
    status = give(l, value);
    end_name(l);
    return status;
}

static void begin(struct rf_payload_leaves *l, rf_payload_leaf_fn *leaf, void *context)
{
    l->path.size = l->path.n_names = 0;
    l->depth = l->n_captured = 0;
    l->leaf = leaf;
    l->context = context;
}

int rf_payload_leaves_of_group(struct rf_payload_leaves *leaves, const rf_recording *rec,
                               uint32_t process, const struct rf_payload_group *group,
                               rf_payload_leaf_fn *leaf, void *context)
{
    bool is_bad;
    begin(leaves, leaf, context);
    return rf_payload_visit_group(rec, process, group, 0, see_value, leaves, &is_bad);
}

int rf_payload_leaf_of_entry(struct rf_payload_leaves *leaves, const rf_recording *rec,
                             uint32_t process, const struct rf_payload_group *group,
                             const struct rf_payload_item *item,
                             const struct rf_payload_entry *entry, uint64_t at,
                             rf_payload_leaf_fn *leaf, void *context)
{
    begin(leaves, leaf, context);
    return rf_payload_visit_entry(rec, process, group, item, entry, at, see_value, leaves);
}

void rf_payload_leaves_release(struct rf_payload_leaves *leaves)
{
    free(leaves->path.text);
    rf_json_text_release(&leaves->json);
    *leaves = (struct rf_payload_leaves){.leaf = NULL};
}
