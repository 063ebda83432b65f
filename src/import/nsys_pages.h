/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a table, taken from the pages of a SQLite database without SQLite's virtual machine,
 * which costs several times what the rows themselves do. SQLite opens the file, knows its schema,
 * and reads every table that is out of the ordinary; what is read here are ordinary tables of a
 * file that nobody writes to.
 *
 * The format is that of "Database File Format" in SQLite's documentation; the sections are named
 * where they matter. Whatever a page says is checked against the file: pages are read into memory
 * of our own, a pass looks at no more of them than there are, and what a row refers to on other
 * pages is bounded over all rows. */
#ifndef RF_IMPORT_NSYS_PAGES_H
#define RF_IMPORT_NSYS_PAGES_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

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

/* Where value to of a row comes from. */
struct nsys_field {
    uint32_t from; /* which column of the table */
    uint32_t to;
    uint8_t is_test; /* 1 or 0 is wanted: whether it is not NULL */
};

struct nsys_pages {
    sqlite3_file *file; /* SQLite's own, which is read through its own functions */
    uint32_t page_size, usable_size, n_pages;
    uint8_t *window; /* pages that follow each other */
    uint32_t first, n_window, n_ahead;
    uint8_t *scratch; /* a row that lies on several pages */
    size_t scratch_room;
    uint64_t overflow_left; /* bytes that rows may have there */
    uint32_t n_visited;     /* pages in this pass */
    uint32_t page;          /* the one at hand, for messages */
};

enum nsys_pages_status {
    NSYS_PAGES_OK = 0,
    NSYS_PAGES_STOPPED = 1, /* take() returned something else than 0 */
    NSYS_PAGES_OTHER = 2,   /* the table is of another kind: nothing was read */
    NSYS_PAGES_DAMAGED = 3,
    NSYS_PAGES_TOO_MUCH = 4, /* rows have more than the file can hold */
    NSYS_PAGES_NO_MEMORY = 5,
    NSYS_PAGES_IO = 6,
};

/* Whether the pages of a database can be read here: then 1, and the caller releases pages. */
int nsys_pages_init(struct nsys_pages *pages, sqlite3 *db);

/* Harmless on a zeroed struct. */
void nsys_pages_release(struct nsys_pages *pages);

struct nsys_pages_pass {
    uint32_t root;
    const struct nsys_field *field; /* by from, no two of one; n_fields of them */
    uint32_t n_fields;
    struct nsys_value *value; /* what take() finds; those of no field stay as they are */
    int (*take)(void *context);
    void *context;
};

/* Reads a table, whose rows have ids of SQLite's, in their order. */
int nsys_pages_read(struct nsys_pages *pages, const struct nsys_pages_pass *pass);

#endif
