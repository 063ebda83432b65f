/* SPDX-License-Identifier: Apache-2.0 */
/* A SQLite database from outside, read with distrust: opened read-only, nothing that it defines
 * (views, triggers, virtual tables) takes part, no text of it becomes part of a statement but
 * quoted names, and reading stops where it holds more than its size can: pages that point at each
 * other in circles would otherwise never end. */
#ifndef RF_IMPORT_NSYS_DB_H
#define RF_IMPORT_NSYS_DB_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct nsys_table {
    char *name;
    int is_known; /* it is read, or holds nothing that could be shown */
};

/* Rows that were left out or changed, and why. */
struct nsys_skip {
    const char *table;
    const char *reason; /* text that lives as long as the database: compared by address */
    uint64_t n_rows;
};

struct pass;

struct nsys_db {
    sqlite3 *db;
    const char *path;
    struct rf_err *err;
    unsigned flags; /* of rf_open() */
    uint64_t size_bytes;
    uint64_t n_rows;     /* read so far */
    uint64_t text_bytes; /* the same */
    struct pass *pass;   /* the one that is going on */
    uint64_t n_ticks;    /* calls of the progress handler */
    struct nsys_table *table;
    uint32_t n_tables;
    size_t table_room;
    struct nsys_skip *skip;
    uint32_t n_skips;
    size_t skip_room;
};

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

/* Takes a row. context: of nsys_db_read(). Returns 0, or a negative error, which ends the pass. */
typedef int (*nsys_row_fn)(void *context, struct nsys_row *row);

int nsys_db_open(struct nsys_db *db, const char *path, unsigned flags, struct rf_err *err);
void nsys_db_close(struct nsys_db *db);

/* Registers what passes need; part of opening. */
void nsys_rows_register(struct nsys_db *db);

/* Fails with what SQLite says. */
int nsys_db_fail(struct nsys_db *db, const char *what);

/* Finds the table NAME, or NAME_V2 and the like; NULL: there is none. */
struct nsys_table *nsys_db_find_table(struct nsys_db *db, const char *name);

/* Whether it has tables that only exports of nsys have; in nsys_sqlite.c. */
int nsys_is_export(struct nsys_db *db);

/* How many rows a table has. */
int nsys_db_count(struct nsys_db *db, const char *table, uint64_t *n);

/* Counts a row that was left out, or changed. */
void nsys_db_skip(struct nsys_db *db, const char *table, const char *reason, uint64_t n_rows);

/* Calls take() for every row of a table: value i is column[i]; one that is not there is NULL. The
 * first sign '?' stands for "is not NULL" in place of the value. A table that is not there has no
 * rows. */
int nsys_db_read(struct nsys_db *db, const char *table, const char *const *column, int n_columns,
                 nsys_row_fn take, void *context);

/* Whether a column is not NULL. */
static inline int nsys_row_has(const struct nsys_row *row, int column)
{
    return row->cells[column].type != SQLITE_NULL;
}

/* What nsys_row_int() does with other types than integers. */
int nsys_row_other_int(struct nsys_row *row, int column, int64_t *value);

/* The number in a column: 1, or 0 where it is NULL or no number; *value is 0 then. */
static inline int nsys_row_int(struct nsys_row *row, int column, int64_t *value)
{
    if (row->cells[column].type != SQLITE_INTEGER)
        return nsys_row_other_int(row, column, value);
    *value = row->cells[column].integer;
    return 1;
}

/* The same for reals. */
int nsys_row_double(struct nsys_row *row, int column, double *value);

/* What nsys_row_u32() does with other numbers. */
uint32_t nsys_row_other_u32(struct nsys_row *row, int column);

/* A number that fits 32 bits; otherwise, or where there is none, 0. */
static inline uint32_t nsys_row_u32(struct nsys_row *row, int column)
{
    const struct nsys_value *cell = &row->cells[column];
    return cell->type == SQLITE_INTEGER && (uint64_t)cell->integer <= UINT32_MAX
               ? (uint32_t)cell->integer
               : nsys_row_other_u32(row, column);
}

/* The bytes of a text; NULL: it is NULL. They live as long as the row. */
const char *nsys_row_text(struct nsys_row *row, int column, size_t *size);

#endif
