/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_fields.h"

#include <assert.h>
#include <stdlib.h>

/* ---- Tables ---- */

/* Of tables of our own: the row of the table of nsys. */
static const struct rf_table_head own_head = {"eventId INTEGER NOT NULL PRIMARY KEY", 1};

static const char *column_name(const struct rf_field_table *table, const struct rf_field *field)
{
    return table->head == &own_head ? field->own_column : field->column;
}

static int compare_positions(const void *a, const void *b)
{
    const struct rf_field_column *left = a, *right = b;
    int difference = left->field->position - right->field->position;
    return difference != 0 ? difference : left->member - right->member;
}

static void add_columns(struct rf_field_table *table, const struct rf_fields *fields, unsigned kind)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct rf_field *field = &fields->field[i];
        int n = field->type == RF_FIELD_TRIPLE ? 3 : 1;
        for (int m = 0; m < n && column_name(table, field) != NULL && rf_field_is_of(field, kind);
             m++) {
            assert(table->n_columns < RF_SQLITE_MAX_FIELDS);
            table->column[table->n_columns++] =
                (struct rf_field_column){.field = field, .member = (uint8_t)m};
        }
    }
}

void rf_field_table_init(struct rf_field_table *table, const struct rf_table_head *head,
                         const struct rf_fields *fields, unsigned kind)
{
    *table = (struct rf_field_table){.base.name = rf_row_kind(fields, kind)->table, .head = head};
    add_columns(table, fields, kind);
    qsort(table->column, (size_t)table->n_columns, sizeof(table->column[0]), compare_positions);
}

void rf_field_table_add_own(struct rf_field_table *table, const struct rf_fields *fields,
                            unsigned kind)
{
    table->base.name = rf_row_kind(fields, kind)->own_table;
    table->head = &own_head;
    add_columns(table, fields, kind);
    assert(table->n_columns == 0 || table->base.name != NULL);
}

/* In a table of our own a row has one value at least, but may lack the others. */
static bool is_not_null(const struct rf_field_table *table, const struct rf_field_column *column)
{
    return column->field->is_not_null && (table->head != &own_head || table->n_columns == 1);
}

static void make_table(struct rf_sqlite *out, struct rf_field_table *table)
{
    sqlite3_str *columns = sqlite3_str_new(out->db);
    sqlite3_str_appendall(columns, table->head->columns);
    for (int i = 0; i < table->n_columns; i++) {
        const struct rf_field_column *column = &table->column[i];
        sqlite3_str_appendf(columns, ", %s", column_name(table, column->field));
        if (column->field->type == RF_FIELD_TRIPLE)
            sqlite3_str_appendchar(columns, 1, "XYZ"[column->member]);
        sqlite3_str_appendall(columns,
                              is_not_null(table, column) ? " INTEGER NOT NULL" : " INTEGER");
    }
    rf_sqlite_create_with(out, &table->base, columns);
    rf_sqlite_prepare(out, &table->base, (size_t)(table->head->n + table->n_columns));
}

/* ---- A row ---- */

/* Whether 0, not NULL, is written for a field of a part that the row lacks. */
static bool is_missing_zero(const struct rf_field *field)
{
    return field->part < RF_PART_REGISTERED &&
           (field->absent == RF_ABSENT_NEVER || field->absent == RF_ABSENT_0_SHOWN ||
            field->absent == RF_ABSENT_0_IN_VIEWERS) &&
           field->type != RF_FIELD_STRING && field->type != RF_FIELD_EMPTY;
}

/* Returns false for NULL. */
static bool find_value(struct rf_sqlite *out, const struct rf_field_column *column,
                       const struct rf_row *row, int64_t *value)
{
    const struct rf_field *field = column->field;
    const char *at = rf_field_at(field, row);
    *value = 0;
    if (at == NULL || field->type == RF_FIELD_EMPTY)
        return is_missing_zero(field);
    uint64_t number = rf_field_number(field, at + column->member * sizeof(uint32_t));
    if (rf_field_is_unknown(field, number) ||
        (field->type == RF_FIELD_STRING && number == RF_NO_STRING))
        return false;
    *value = field->type == RF_FIELD_STRING    ? rf_sqlite_string(out, (uint32_t)number)
             : field->type == RF_FIELD_PROCESS ? out->global_pids[number]
                                               : (int64_t)number;
    return true;
}

/* SQLite keeps what is bound from row to row, and most values are those of the row before. */
static int bind_column(struct rf_sqlite *out, sqlite3_stmt *insert, int index,
                       struct rf_field_column *column, const struct rf_row *row)
{
    int64_t value;
    bool is_given = find_value(out, column, row, &value);
    if (is_given == column->is_bound && value == column->bound)
        return SQLITE_OK;
    column->is_bound = is_given;
    column->bound = value;
    return is_given ? sqlite3_bind_int64(insert, index, value) : sqlite3_bind_null(insert, index);
}

void rf_field_table_insert(struct rf_sqlite *out, struct rf_field_table *table, const int64_t *head,
                           const struct rf_row *row)
{
    if (table->base.insert == NULL)
        make_table(out, table);
    if (out->status != RF_OK)
        return;
    sqlite3_stmt *insert = table->base.insert;
    int code = SQLITE_OK;
    for (int i = 0; i < table->head->n && code == SQLITE_OK; i++)
        code = sqlite3_bind_int64(insert, i + 1, head[i]);
    for (int i = 0; i < table->n_columns && code == SQLITE_OK; i++)
        code = bind_column(out, insert, table->head->n + i + 1, &table->column[i], row);
    if (code != SQLITE_OK || sqlite3_step(insert) != SQLITE_DONE)
        rf_sqlite_fail(out);
    else
        (void)sqlite3_reset(insert);
}

bool rf_field_table_has_value(const struct rf_field_table *table, const struct rf_row *row)
{
    for (int i = 0; i < table->n_columns; i++) {
        const struct rf_field *field = table->column[i].field;
        const void *at = rf_field_at(field, row);
        if (at != NULL && !rf_field_is_hidden(field, rf_field_number(field, at)))
            return true;
    }
    return false;
}
