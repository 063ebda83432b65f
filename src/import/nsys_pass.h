/* SPDX-License-Identifier: Apache-2.0 */
/* A pass over a table: whoever reads its rows fills the cells, and hands each row to the table's
 * reader. */
#ifndef RF_IMPORT_NSYS_PASS_H
#define RF_IMPORT_NSYS_PASS_H

#include "import/nsys_rows.h"

#define NSYS_MAX_TEXT ((size_t)16 << 20) /* longer texts are cut */

struct nsys_pass {
    struct nsys_row row;
    const struct nsys_reader *reader;
    void *context;
    int status;
    int n_columns, n_cells; /* that are asked for, that the table has */
    sqlite3_str *sql;
    int *cell_of; /* by the values of the statement, which has only columns of the table */
    struct nsys_value *cell; /* of the row that is being read */
};

/* table: the name in the file; it is to live as long as the pass. Returns 0 or RF_ERR_NO_MEMORY. To
 * be released in any case. */
int nsys_pass_init(struct nsys_pass *pass, struct nsys_db *db, const char *table,
                   const struct nsys_reader *reader, void *context);
void nsys_pass_release(struct nsys_pass *pass);

/* Hands the row in the cells to the reader. Returns 0 or a negative error, after which no row is
 * read. */
int nsys_pass_row(struct nsys_pass *pass);

/* Whether a column that is asked for is a test: see nsys_reader.columns. */
static inline bool nsys_is_test(const char *column)
{
    return column[0] == '?';
}

#endif
