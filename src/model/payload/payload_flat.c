/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_flat.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/payload/payload_cells.h"
#include "model/payload/payload_reader.h"

#define MAX_DEPTH 32

struct builder {
    const rf_recording *rec;
    struct rf_payload_flat *flat;
    struct rf_payload_path *path;
    rf_flat_column_fn *column_of;
    void *context;
    size_t room;
    uint32_t n_values;
    unsigned depth;
};

static int add_struct(struct builder *b, const struct rf_payload_schema *schema, uint64_t at,
                      uint64_t to);

static bool is_number(const struct rf_payload_entry *entry)
{
    if ((entry->flags & RF_ENTRY_ARRAY) != RF_ARRAY_NONE)
        return false;
    return ((entry->form == RF_ENTRY_UNSIGNED || entry->form == RF_ENTRY_SIGNED) &&
            entry->size <= 8) ||
           (entry->form == RF_ENTRY_FLOAT && (entry->size == 4 || entry->size == 8));
}

static int add_step(struct builder *b, const struct rf_payload_entry *entry, uint64_t at)
{
    struct rf_payload_flat *flat = b->flat;
    int status = RF_OK;
    uint32_t column = b->column_of(b->context, b->path, entry, &status);
    if (status != RF_OK || column == RF_NO_INDEX)
        return status;
    if (rf_grow_array(&flat->step, flat->n, &b->room, sizeof(*flat->step)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    flat->step[flat->n] = (struct rf_flat_step){.entry = entry,
                                                .at = at,
                                                .column = column,
                                                .order = flat->n,
                                                .is_number = is_number(entry)};
    flat->n++;
    return RF_OK;
}

/* How many values decoding an entry counts, texts as many as their bytes. */
static uint64_t n_values(const struct rf_payload_entry *entry)
{
    bool is_array = (entry->flags & RF_ENTRY_ARRAY) != RF_ARRAY_NONE;
    return 1 + (is_array ? entry->detail * (entry->form == RF_ENTRY_STRUCT ? 16 : 1) : 0);
}

static int add_entry(struct builder *b, const struct rf_payload_entry *entry, uint64_t base,
                     uint64_t to)
{
    bool is_array = (entry->flags & RF_ENTRY_ARRAY) != RF_ARRAY_NONE;
    uint64_t at = base + entry->at, size = entry->size;
    if (is_array && __builtin_mul_overflow(size, entry->detail, &size))
        return RF_ERR_UNSUPPORTED;
    if (entry->at > to - base || size > to - at || n_values(entry) > RF_FLAT_MOST - b->n_values)
        return RF_ERR_UNSUPPORTED;
    b->n_values += (uint32_t)n_values(entry);
    if (entry->form != RF_ENTRY_STRUCT || is_array)
        return add_step(b, entry, at);
    return add_struct(b, rf_payload_schema_at(b->rec, entry->target), at, at + size);
}

/* In the order and by the rules of payload_visit.c. */
static int add_struct(struct builder *b, const struct rf_payload_schema *schema, uint64_t at,
                      uint64_t to)
{
    if (schema == NULL || !schema->is_plain || schema->size > to - at || b->depth >= MAX_DEPTH)
        return RF_ERR_UNSUPPORTED;
    uint32_t only = b->depth > 0 && schema->is_wrapper ? 0 : schema->only;
    int status = RF_OK;
    if (only == RF_NO_INDEX)
        (void)b->column_of(b->context, b->path, NULL, &status);
    to = at + schema->size;
    b->depth++;
    if (status == RF_OK && only != RF_NO_INDEX)
        status = only == 0 ? add_entry(b, &schema->entry[0], at, to) : RF_ERR_UNSUPPORTED;
    for (uint32_t i = 0; only == RF_NO_INDEX && i < schema->n_entries && status == RF_OK; i++) {
        const struct rf_payload_entry *entry = &schema->entry[i];
        size_t size = b->path->size;
        status = rf_payload_path_push(b->path, entry->name,
                                      strnlen(entry->name, RF_PAYLOAD_PATH_MAX + 1));
        if (status != RF_OK)
            return status;
        status = add_entry(b, entry, at, to);
        rf_payload_path_pop(b->path, size);
    }
    b->depth--;
    return status;
}

static int compare_steps(const void *a, const void *b)
{
    const struct rf_flat_step *left = a, *right = b;
    if (left->column != right->column)
        return left->column < right->column ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Of a path that several entries have the first one is it. */
static void sort(struct rf_payload_flat *flat)
{
    uint32_t n = 0;
    if (flat->n > 1)
        qsort(flat->step, flat->n, sizeof(*flat->step), compare_steps);
    for (uint32_t i = 0; i < flat->n; i++)
        if (n == 0 || flat->step[n - 1].column != flat->step[i].column)
            flat->step[n++] = flat->step[i];
    flat->n = n;
}

int rf_payload_flat_init(struct rf_payload_flat *flat, const rf_recording *rec,
                         const struct rf_payload_schema *schema, struct rf_payload_path *path,
                         rf_flat_column_fn *column_of, void *context)
{
    struct builder b = {
        .rec = rec, .flat = flat, .path = path, .column_of = column_of, .context = context};
    *flat = (struct rf_payload_flat){.size = schema != NULL ? schema->size : 0};
    path->size = path->n_names = 0;
    int status = schema != NULL ? add_struct(&b, schema, 0, schema->size) : RF_ERR_UNSUPPORTED;
    if (status == RF_OK)
        sort(flat);
    else
        rf_payload_flat_release(flat);
    return status;
}

const struct rf_flat_step *rf_payload_flat_find(const struct rf_payload_flat *flat, uint32_t column)
{
    uint32_t from = 0, to = flat->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (flat->step[middle].column < column)
            from = middle + 1;
        else
            to = middle;
    }
    return from < flat->n && flat->step[from].column == column ? &flat->step[from] : NULL;
}

void rf_flat_number(const struct rf_flat_step *step, const uint8_t *payload, struct rf_value *value)
{
    const struct rf_payload_entry *entry = step->entry;
    const uint8_t *at = payload + step->at;
    float narrow;
    value->flags = 0;
    if (entry->form != RF_ENTRY_FLOAT) {
        bool is_signed = entry->form == RF_ENTRY_SIGNED;
        value->kind = is_signed ? RF_VALUE_SIGNED : RF_VALUE_UNSIGNED;
        value->number = rf_payload_integer(at, entry->size, is_signed);
        return;
    }
    value->kind = RF_VALUE_REAL;
    if (entry->size == sizeof(value->real)) {
        memcpy(&value->real, at, sizeof(value->real));
        return;
    }
    memcpy(&narrow, at, sizeof(narrow));
    value->real = (double)narrow;
    value->flags = RF_VALUE_FLOAT;
}

void rf_payload_flat_release(struct rf_payload_flat *flat)
{
    free(flat->step);
    *flat = (struct rf_payload_flat){.step = NULL};
}
