/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_VIEWS_H
#define RF_READER_VIEWS_H

#include "shared_recording.h"
#include "places.h"

/* Some rows: every step-th from first on of those that there are. */
struct view {
    struct recording *recording; /* owned */
    const struct kind *kind;
    struct places *places; /* owned; NULL: they stand behind base */
    const char *base;
    uint32_t run, index; /* of base */
    Py_ssize_t first, step, n;
};

/* Some of the rows of a view, of a recording that has them. */
void view_init_part(struct view *view, const struct recording *recording, const struct view *from,
                    Py_ssize_t first, Py_ssize_t step, Py_ssize_t n);
void view_release(struct view *view);

/* The i-th row, 0 <= i < n. *row is zero, or the one before: most rows stand in the same run. */
void view_get(const struct view *view, Py_ssize_t i, struct row *row);

/* Where the values of a column stand in the rows, and how far from each other; NULL: they have to
 * be copied. */
const char *view_field(const struct view *view, const struct column *column, Py_ssize_t *stride);

#endif
