/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables that can be large from the pages of the file, many times as fast as by stepping
 * through them with SQLite's library. It stands beside an open connection, which holds a read
 * transaction, so that the pages do not change, and says which tables there are. Whether the pages
 * can be read is known before the first row is: if anything is unusual, the library reads all. If a
 * page turns out to be odd later, everything that was read is thrown away, and the library begins
 * from the start: rows of the two are never mixed. */
#ifndef RF_IMPORT_NSYS_PAGES_H
#define RF_IMPORT_NSYS_PAGES_H

#include "import/nsys_pass.h"
#include "import/paged_tree.h"

struct nsys_paged_column {
    char *name;
    bool is_real; /* see PAGE_REAL */
    bool is_id;   /* see PAGE_ID */
};

/* A table whose pages are read. Texts of its rows are not NUL-ended. */
struct nsys_paged_table {
    const char *name; /* of the database's list */
    uint32_t root;
    struct nsys_paged_column *column;
    uint32_t n_columns;
    size_t column_room;
};

struct nsys_pages {
    struct paged_file file;
    bool is_open;
    const char *why; /* the pages are not read: text that lives for ever; NULL: they are */
    struct nsys_paged_table *table;
    uint32_t n_tables;
    size_t table_room;
    bool is_odd; /* a page was: set by any thread */
};

/* Opens the file, before SQLite does. */
void nsys_pages_open(struct nsys_pages *pages, const char *path, unsigned flags);

/* Looks at the tables. db->pages is set if they can be read, else pages->why. Returns 0 or a
 * negative error. */
int nsys_pages_plan(struct nsys_pages *pages, struct nsys_db *db);

/* Closes the file, after SQLite has closed it. */
void nsys_pages_close(struct nsys_pages *pages);

/* A table that is read from its pages; NULL: SQLite reads it. pages may be NULL. */
const struct nsys_paged_table *nsys_pages_find(const struct nsys_pages *pages, const char *name);

/* The leaves of a table, which several threads read some of each. */
struct nsys_walk {
    const struct nsys_paged_table *table;
    struct paged_tree tree;
};

/* Finds the leaves. Returns 0 or a negative error; to be released in any case. */
int nsys_walk_init(struct nsys_walk *walk, struct nsys_db *db,
                   const struct nsys_paged_table *table);
void nsys_walk_release(struct nsys_walk *walk);

/* Reads the rows of the leaves from first to before end, as nsys_db_read() does. db needs no
 * connection: only what is read is counted there. */
int nsys_walk_read(struct nsys_walk *walk, struct nsys_db *db, const struct nsys_reader *reader,
                   void *context, size_t first, size_t end);

/* Reads all rows of a table. Returns 0 or a negative error; pages->is_odd is set if it is for a
 * page. */
int nsys_pages_read(struct nsys_pass *pass, const struct nsys_paged_table *table);

#endif
