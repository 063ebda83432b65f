/* SPDX-License-Identifier: Apache-2.0 */

#include "import/nsys_fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "import/nsys_names.h"

/* ---- Which columns ---- */

static enum nsys_store store_of(const struct rf_field *field)
{
    if (field->type == RF_FIELD_STRING)
        return NSYS_STRING;
    if (field->size != sizeof(uint32_t))
        return field->size == sizeof(uint64_t) ? NSYS_U64 : NSYS_U8;
    if (field->absent == RF_ABSENT_MAX || field->absent == RF_ABSENT_MAX_SHOWN)
        return NSYS_OR_NONE;
    /* what memory is set to is a pattern of bits, which some versions write as a signed number */
    bool is_signed = field->type == RF_FIELD_SIGNED || strcmp(field->column, "value") == 0;
    return is_signed ? NSYS_LOW_32 : NSYS_U32;
}

static bool is_wanted(const struct nsys_wanted *wanted, const struct rf_field *field,
                      enum nsys_store store)
{
    if (field->column == NULL || field->type == RF_FIELD_EMPTY ||
        !rf_field_is_of(field, wanted->kind))
        return false;
    for (const char *const *column = wanted->by_hand; *column != NULL; column++)
        if (strcmp(*column, field->column) == 0)
            return false;
    /* a row's own number that can be RF_NO_INDEX says where its details are */
    bool is_detail =
        field->part == RF_PART_DETAIL || field->part == RF_PART_LAUNCH || store == NSYS_OR_NONE;
    return store_of(field) == store && (!wanted->no_details || !is_detail || store == NSYS_STRING);
}

static void add_columns(struct nsys_fields *fields, const struct nsys_wanted *wanted,
                        const struct rf_field *field)
{
    int n = field->type == RF_FIELD_TRIPLE ? 3 : 1;
    for (int i = 0; i < n; i++) {
        int at = fields->n_columns++;
        assert(at < NSYS_MAX_COLUMNS);
        (void)snprintf(fields->name[at], NSYS_COLUMN_SIZE, n == 3 ? "%s%c" : "%s", field->column,
                       "XYZ"[i]);
        fields->columns[at] = fields->name[at];
        fields->offset[at] =
            (uint16_t)(wanted->part_at[field->part] + field->offset + i * field->size);
    }
}

void nsys_fields_init(struct nsys_fields *fields, const struct nsys_wanted *wanted)
{
    memset(fields, 0, sizeof(*fields));
    for (const char *const *column = wanted->by_hand; *column != NULL; column++)
        fields->columns[fields->n_columns++] = *column;
    for (int store = 0; store < NSYS_N_STORES; store++) {
        fields->first[store] = fields->n_columns;
        for (size_t i = 0; i < wanted->fields->n; i++)
            if (is_wanted(wanted, &wanted->fields->field[i], (enum nsys_store)store))
                add_columns(fields, wanted, &wanted->fields->field[i]);
    }
    fields->first[NSYS_N_STORES] = fields->n_columns;
}

/* ---- A row ---- */

static void put_u32(char *at, uint32_t number)
{
    memcpy(at, &number, sizeof(number));
}

static void put_u64(char *at, struct nsys_row *row, int column)
{
    int64_t number;
    (void)nsys_row_int(row, column, &number);
    memcpy(at, &number, sizeof(number));
}

/* restrict: the compiler need not read offsets and cells again after each value. */
int nsys_fields_read(struct nsys_load *load, struct nsys_row *restrict row,
                     const struct nsys_fields *restrict fields, void *restrict to)
{
    char *restrict base = to;
    const uint16_t *offset = fields->offset;
    const int *end = fields->first + 1;
    int i = fields->first[0];
    for (uint32_t string; i < end[NSYS_STRING]; i++) {
        if (nsys_read_string_id(load, row, i, &string) != RF_OK)
            return RF_ERR_NO_MEMORY;
        put_u32(base + offset[i], string);
    }
    for (const int n = end[NSYS_OR_NONE]; i < n; i++)
        put_u32(base + offset[i], nsys_row_or_none(row, i));
    /* these are most columns of most rows */
    const struct nsys_value *cell = row->cells + i;
    for (const int n = end[NSYS_U32]; i < n; i++, cell++) {
        bool is_u32 = cell->type == SQLITE_INTEGER && (uint64_t)cell->integer <= UINT32_MAX;
        put_u32(base + offset[i], is_u32                      ? (uint32_t)cell->integer
                                  : cell->type == SQLITE_NULL ? 0
                                                              : nsys_row_other_u32(row, i));
    }
    for (const int n = end[NSYS_LOW_32]; i < n; i++)
        put_u32(base + offset[i], nsys_row_low_32(row, i));
    for (const int n = end[NSYS_U64]; i < n; i++)
        put_u64(base + offset[i], row, i);
    for (const int n = end[NSYS_U8]; i < n; i++)
        base[offset[i]] = (char)nsys_row_u32(row, i);
    return RF_OK;
}
