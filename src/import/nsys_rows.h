/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table, and the values of their columns. */
#ifndef RF_IMPORT_NSYS_ROWS_H
#define RF_IMPORT_NSYS_ROWS_H

#include "import/nsys_db.h"

#define NSYS_NUMBER_SIZE 32

/* A value of a row. */
struct nsys_value {
    uint8_t type;  /* SQLITE_INTEGER, _FLOAT, _TEXT, _BLOB or _NULL */
    uint32_t size; /* of text, in bytes */
    union {
        int64_t integer;
        double real;
        const char *text; /* or the bytes of a BLOB; they live as long as the row */
    };
};

/* A row while it is read. */
struct nsys_row {
    struct nsys_db *db;
    const char *table;                 /* its name in the file */
    const struct nsys_value *cells;    /* what the columns hold */
    char (*numbers)[NSYS_NUMBER_SIZE]; /* room for numbers as text */
};

#define NSYS_ROW_ID "rowid"

/* A table and what reads its rows. */
struct nsys_reader {
    const char *table;
    /* Reads a row. context: of nsys_db_read(). Returns 0, or a negative error: nothing more is read
     * then. */
    int (*read_row)(void *context, struct nsys_row *row);
    /* Their names; NULL ends them. Value i of a row is that of column i, NULL if the table lacks
     * it. NSYS_ROW_ID is the number of the row.
     * '?' in front of a name asks whether it is not NULL, in place of the value. */
    const char *const *columns;
};

#define NSYS_COLUMNS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Reads one table after the other; a reader without a table ends them. A table that the file lacks
 * has no rows. Returns 0 or a negative error. */
int nsys_db_read(struct nsys_db *db, const struct nsys_reader *readers, void *context);

/* Calls add() for every column of a table: info is a row of name, type, notnull and pk. add()
 * returns 0, or a negative error, which ends the list. */
typedef int (*nsys_column_fn)(void *context, sqlite3_stmt *info);
int nsys_db_list_columns(struct nsys_db *db, const char *table, nsys_column_fn add, void *context);

/* Counts the row under a reason: what is odd about it, and what is done. Returns RF_OK. */
int nsys_row_skip(const struct nsys_row *row, const char *reason);

/* Whether a column is not NULL. */
static inline bool nsys_row_has(const struct nsys_row *row, int column)
{
    return row->cells[column].type != SQLITE_NULL;
}

/* What nsys_row_int() does with other types than integers. */
bool nsys_row_other_int(struct nsys_row *row, int column, int64_t *value);

/* The number in a column; false: it is NULL or no number, and *value is 0. */
static inline bool nsys_row_int(struct nsys_row *row, int column, int64_t *value)
{
    const struct nsys_value *cell = &row->cells[column];
    *value = cell->type == SQLITE_INTEGER ? cell->integer : 0;
    return cell->type == SQLITE_INTEGER ||
           (cell->type != SQLITE_NULL && nsys_row_other_int(row, column, value));
}

/* See nsys_row_int(). */
bool nsys_row_double(struct nsys_row *row, int column, double *value);

/* What nsys_row_u32() does with other numbers. */
uint32_t nsys_row_other_u32(struct nsys_row *row, int column);

/* A number that fits 32 bits; otherwise, or where there is none, 0. */
static inline uint32_t nsys_row_u32(struct nsys_row *row, int column)
{
    const struct nsys_value *cell = &row->cells[column];
    if (cell->type == SQLITE_INTEGER && (uint64_t)cell->integer <= UINT32_MAX)
        return (uint32_t)cell->integer;
    return cell->type != SQLITE_NULL ? nsys_row_other_u32(row, column) : 0;
}

/* The bytes of a text; NULL: it is NULL. They live as long as the row. */
const char *nsys_row_text(struct nsys_row *row, int column, size_t *size);

#endif
