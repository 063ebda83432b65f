/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a row as SQLite stores it (section 2.1 of the format). */
#ifndef RF_IMPORT_PAGED_RECORD_H
#define RF_IMPORT_PAGED_RECORD_H

#include "import/nsys_rows.h"
#include "import/paged_tree.h"

enum paged_how {
    PAGE_VALUE,
    PAGE_REAL,   /* of a column of real numbers: whole ones are stored as integers */
    PAGE_ID,     /* the number of the row, whatever is stored */
    PAGE_TEST,   /* 1 if the value is not NULL, else 0 */
    PAGE_ID_TEST /* 1 */
};

/* A column that is read. */
struct paged_use {
    uint16_t column; /* of the table; PAGE_NO_COLUMN: behind all */
    uint16_t cell;   /* where the value goes */
    uint8_t how;     /* enum paged_how */
};

#define PAGE_NO_COLUMN UINT16_MAX

/* Reads the columns of `use`, which are in order and end with PAGE_NO_COLUMN, into cell[].
 * n_columns: that the table has; a row that has fewer values was written before the last ones were
 * added, which are NULL then. Text and bytes stay in the row, and no NUL need end them. Returns
 * NULL, or what is wrong with the row. */
const char *paged_record_read(const struct paged_row *row, const struct paged_use *use,
                              uint32_t n_columns, struct nsys_value *cell);

#endif
