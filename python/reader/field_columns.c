/* SPDX-License-Identifier: Apache-2.0 */
#include "field_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared_recording.h"
#include "model/fields/fields.h"

/* The fields of one name: kinds of rows can have it in different places. */
struct field_column {
    struct column column;                         /* column.offset: where rows have their kind */
    const struct rf_field *by_kind[RF_MAX_KINDS]; /* NULL: rows of the kind do not have it */
    const void *(*part_of)(const struct row *row, unsigned part, struct rf_row *room);
    int axis; /* of a triple */
    char name[48];
    char doc[192];
};

/* ---- Values ---- */

static const char *place_of(const struct field_column *self, const struct rf_field *field,
                            const struct row *row, struct rf_row *room)
{
    const char *part = field->part == RF_PART_ROW ? row->at : self->part_of(row, field->part, room);
    return part != NULL ? part + field->offset : NULL;
}

/* 0 is None among what a row itself has, and a number among its details. */
static bool has_none(const struct rf_field *field)
{
    return field->absent != RF_ABSENT_NEVER && field->absent != RF_ABSENT_0_IN_VIEWERS &&
           !(field->part == RF_PART_DETAIL && field->absent == RF_ABSENT_0_SHOWN);
}

/* Waits for whole contexts have RF_NO_INDEX as their stream. */
static bool is_none(const struct rf_field *field, uint64_t number)
{
    return (has_none(field) && rf_field_is_hidden(field, number)) ||
           (field->part == RF_PART_TRACK && number == RF_NO_INDEX);
}

static bool get_triple(const struct rf_field *field, const void *at, int axis, union value *value)
{
    uint32_t triple[3];
    rf_field_triple(at, triple);
    value->u = triple[axis];
    return field->absent == RF_ABSENT_NEVER || (triple[0] | triple[1] | triple[2]) != 0;
}

static bool get_field(const struct column *column, const struct row *row, union value *value)
{
    const struct field_column *self = (const struct field_column *)column;
    uint8_t kind = *((const uint8_t *)row->at + column->offset);
    const struct rf_field *field = kind < RF_MAX_KINDS ? self->by_kind[kind] : NULL;
    struct rf_row room;
    const void *at = field != NULL ? place_of(self, field, row, &room) : NULL;
    if (at == NULL)
        return false;
    if (field->type == RF_FIELD_TRIPLE)
        return get_triple(field, at, self->axis, value);
    value->u = rf_field_number(field, at);
    return !is_none(field, value->u);
}

/* ---- Columns ---- */

static enum value_type type_of(const struct rf_field *field)
{
    switch (field->type) {
    case RF_FIELD_STRING:
        return TEXT;
    case RF_FIELD_WORD:
        return WORD;
    case RF_FIELD_SIGNED:
        return INDEX;
    default:
        return field->size == 8 ? COUNT : NUMBER;
    }
}

static bool is_column(const struct rf_field *field)
{
    switch (field->type) {
    case RF_FIELD_EMPTY:
    case RF_FIELD_PROCESS: /* these are columns by hand */
    case RF_FIELD_TRUE:
    case RF_FIELD_PAYLOAD:
    case RF_FIELD_SAMPLE:
    case RF_FIELD_LIMIT:
        return false;
    default:
        return field->name[0] != '\0' && !field->is_not_in_python;
    }
}

static bool has_axes(const struct rf_field *field)
{
    return field->type == RF_FIELD_TRIPLE;
}

/* "int: blocks; or None." */
static void describe(struct field_column *self, const struct rf_field *field, bool or_none)
{
    const char *none = or_none ? "; or None" : "";
    if (field->type == RF_FIELD_WORD)
        (void)snprintf(self->doc, sizeof(self->doc), "str: %s, '%s', '%s', ...%s.", field->about,
                       field->word(1), field->word(2), none);
    else
        (void)snprintf(self->doc, sizeof(self->doc), "%s: %s%s.",
                       field->type == RF_FIELD_STRING ? "str" : "int", field->about, none);
}

static void find_fields(struct field_column *self, const struct rf_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->n; i++)
        for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
            if (rf_field_is_of(&fields->field[i], kind) && strcmp(fields->field[i].name, name) == 0)
                self->by_kind[kind] = &fields->field[i];
}

static bool can_be_none(const struct field_column *self, const struct rf_fields *fields,
                        uint32_t kinds_of_rows)
{
    for (unsigned kind = 1; kind < fields->n_kinds; kind++)
        if ((kinds_of_rows >> kind & 1) != 0 &&
            (self->by_kind[kind] == NULL || self->by_kind[kind]->part >= RF_PART_REGISTERED ||
             has_none(self->by_kind[kind])))
            return true;
    return false;
}

static const struct column *new_column(const struct kind *kind, const struct rf_fields *fields,
                                       const struct rf_field *field, int axis)
{
    struct field_column *self = calloc(1, sizeof(*self));
    if (self == NULL)
        return NULL;
    find_fields(self, fields, field->name);
    self->part_of = kind->part_of;
    self->axis = axis;
    (void)snprintf(self->name, sizeof(self->name), has_axes(field) ? "%s_%c" : "%s", field->name,
                   "xyz"[axis]);
    describe(self, field, can_be_none(self, fields, kind->field_kinds));
    self->column = (struct column){.name = self->name,
                                   .type = type_of(field),
                                   .offset = kind->kind_at,
                                   .get = get_field,
                                   .word = field->word,
                                   .refers = N_KINDS,
                                   .doc = self->doc};
    return &self->column;
}

static int add(struct kind *kind, const struct rf_fields *fields, const struct rf_field *field,
               int axis)
{
    const struct column *column =
        kind->n_columns < MAX_COLUMNS ? new_column(kind, fields, field, axis) : NULL;
    if (column == NULL)
        return -1;
    kind->column[kind->n_columns++] = column;
    return 0;
}

static bool is_there(const struct kind *kind, const struct rf_field *field)
{
    char name[48];
    (void)snprintf(name, sizeof(name), has_axes(field) ? "%s_x" : "%s", field->name);
    return kind_find_column(kind, name) != NULL;
}

static int add_of(struct kind *kind, const struct rf_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct rf_field *field = &fields->field[i];
        bool is_meant = name != NULL ? strcmp(field->name, name) == 0
                                     : is_column(field) && (field->kinds & kind->field_kinds) != 0;
        if (!is_meant || is_there(kind, field))
            continue;
        for (int axis = 0; axis < (has_axes(field) ? 3 : 1); axis++)
            if (add(kind, fields, field, axis) != 0)
                return -1;
    }
    return 0;
}

int field_columns_add(struct kind *kind, const char *name)
{
    for (size_t i = 0; i < sizeof(kind->fields) / sizeof(kind->fields[0]); i++)
        if (kind->fields[i] != NULL && add_of(kind, kind->fields[i], name) != 0)
            return -1;
    return 0;
}
