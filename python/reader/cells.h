/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_CELLS_H
#define RF_READER_CELLS_H

#include <stddef.h>

#include "buffer.h"
#include "dictionary.h"
#include "texts.h"
#include "views.h"

/* Values one behind the other. */
struct cells {
    struct buffer *values;
    struct buffer *nulls; /* a byte per row: 1 where there is none; NULL: no such row */
    struct texts texts;   /* PLAIN: the values */
    size_t n, n_nulls;
};

/* Copies the values of rows first .. first + n - 1. Without the GIL. Returns 0, or -1 where memory
 * is short. */
int cells_init(struct cells *cells, const struct view *view, const struct column *column,
               const struct dictionary *dictionary, size_t first, size_t n);
void cells_release(struct cells *cells);

/* The same for all those of n_columns columns that have a gather, in one pass over the rows: into
 * cells[i]; the others become zeros. */
int cells_gather(struct cells *cells, const struct view *view, const struct column *const *columns,
                 size_t n_columns, size_t first, size_t n);

/* For column.gather: row i has no value; none: what stands in its place, unless it is text. Returns
 * 0, or -1 where memory is short. */
int cells_note_none(struct cells *cells, size_t i, const union value *none);

#endif
