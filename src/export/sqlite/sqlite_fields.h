/* SPDX-License-Identifier: Apache-2.0 */
/* Tables whose columns are the fields of model/fields/fields.h, behind some that are written by
 * hand. A table is created with its first row. */
#ifndef RF_EXPORT_SQLITE_SQLITE_FIELDS_H
#define RF_EXPORT_SQLITE_SQLITE_FIELDS_H

#include "export/sqlite/sqlite_db.h"
#include "model/fields/fields.h"

#define RF_SQLITE_MAX_FIELDS 48

/* The columns in front, which are written by hand. */
struct rf_table_head {
    const char *columns;
    int n;
};

struct rf_field_column {
    const struct rf_field *field;
    uint8_t member; /* of a triple: 0 x, 1 y, 2 z */
    bool is_bound;  /* the value in the last row; false: NULL */
    int64_t bound;
};

struct rf_field_table {
    struct rf_sqlite_table base;
    const struct rf_table_head *head;
    int n_columns; /* without the head */
    struct rf_field_column column[RF_SQLITE_MAX_FIELDS];
};

/* nsys's table of a kind, with the fields that it has columns for. */
void rf_field_table_init(struct rf_field_table *table, const struct rf_table_head *head,
                         const struct rf_fields *fields, unsigned kind);

/* Adds the fields that nsys has no columns for to the table of our own of a kind; at first it is
 * zero. Its head is the id of the row in nsys's table. */
void rf_field_table_add_own(struct rf_field_table *table, const struct rf_fields *fields,
                            unsigned kind);

/* head: the values of the columns in front. */
void rf_field_table_insert(struct rf_sqlite *out, struct rf_field_table *table, const int64_t *head,
                           const struct rf_row *row);

/* Whether a row of a table of our own would have a value. */
bool rf_field_table_has_value(const struct rf_field_table *table, const struct rf_row *row);

#endif
