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

int nsys_db_open(struct nsys_db *db, const char *path, unsigned flags, struct rf_err *err);
void nsys_db_close(struct nsys_db *db);

/* Fails with what SQLite says. */
int nsys_db_fail(struct nsys_db *db, const char *what);

/* Finds the table NAME, or NAME_V2 and the like; NULL: there is none. */
struct nsys_table *nsys_db_find_table(struct nsys_db *db, const char *name);

/* Whether it has tables that only exports of nsys have. */
int nsys_is_export(struct nsys_db *db);

/* How many rows a table has. */
int nsys_db_count(struct nsys_db *db, const char *table, uint64_t *n);

/* Counts a row that was left out, or changed. */
void nsys_db_skip(struct nsys_db *db, const char *table, const char *reason, uint64_t n_rows);

#endif
