/* SPDX-License-Identifier: Apache-2.0 */
/* A SQLite database that is not trusted. It is opened read-only. Its views, triggers and virtual
 * tables are not used, and of its texts only names, in quotes, become part of a statement. Reading
 * stops when more comes out than a file of this size can hold: pages that point at each other in a
 * circle would never end. */
#ifndef RF_IMPORT_NSYS_DB_H
#define RF_IMPORT_NSYS_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "rangefinder/rangefinder.h"

struct nsys_table {
    char *name;
    bool is_known;    /* something reads it */
    bool is_left_out; /* nothing does, and it is not looked for */
};

/* Rows that were left out or changed, and why. */
struct nsys_skip {
    const char *table;
    const char *reason; /* text that lives as long as the database: compared by address */
    uint64_t n_rows;
};

struct nsys_pages;

struct nsys_db {
    sqlite3 *db;
    const char *path;
    struct rf_err *err;
    unsigned flags; /* of rf_open() */
    uint64_t size_bytes;
    bool is_unlocked;         /* writers are not kept away: see nsys_db_is_unchanged() */
    bool has_log;             /* another connection may see a later state */
    struct stat stat;         /* when it was opened */
    struct nsys_pages *pages; /* see nsys_pages.h; NULL: SQLite reads all tables */
    uint64_t n_rows;          /* read so far */
    uint64_t text_bytes;      /* read so far */
    uint64_t n_ticks;         /* calls of the progress handler */
    struct nsys_table *table;
    uint32_t n_tables;
    size_t table_room;
    struct nsys_skip *skip;
    uint32_t n_skips;
    size_t skip_room;
};

/* Opens an export of nsys; fails where it is another database. A read transaction is held until it
 * is closed, so that all is read as it was at one moment. open_beside: once more, for another
 * thread; it sees the same unless of->has_log. */
int nsys_db_open(struct nsys_db *db, const char *path, unsigned flags, struct rf_err *err);
int nsys_db_open_beside(struct nsys_db *db, const struct nsys_db *of, struct rf_err *err);
void nsys_db_close(struct nsys_db *db);

/* Moves an open database, so that others can read by its connection; from is closed then. */
void nsys_db_move(struct nsys_db *to, struct nsys_db *from);

/* Whether the file is what it was when it was opened. A lock cannot be had everywhere, and is lost
 * if another part of the program closes the same file. With a log SQLite sees to it. */
bool nsys_db_is_unchanged(const struct nsys_db *db);

/* Fails with what SQLite says. what: the part of the file that cannot be read. */
int nsys_db_fail(struct nsys_db *db, const char *what);

/* Fails with "out of memory". */
int nsys_db_no_memory(const struct nsys_db *db);

/* The N of a name that is base_VN; 0: it is base itself; -1: it is another name. */
long nsys_table_version(const char *name, const char *base);

/* Finds the table NAME, or else NAME_VN of the highest version; NULL: there is none. */
struct nsys_table *nsys_db_find_table(struct nsys_db *db, const char *name);

/* How many rows a table has. */
int nsys_db_count(struct nsys_db *db, const char *table, uint64_t *n);

/* Counts a row that was left out, or changed. */
void nsys_db_skip(struct nsys_db *db, const char *table, const char *reason, uint64_t n_rows);

#endif
