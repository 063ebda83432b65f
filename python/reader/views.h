/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_VIEWS_H
#define RF_READER_VIEWS_H

#include "kind.h"
#include "places.h"
#include "shared_recording.h"

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

/* Makes a view, which has a recording and a kind, show the rows of another one of the same. */
void view_show(struct view *view, const struct view *from);

/* Makes *row the row at a place of another run. */
void view_enter_run(const struct view *view, struct place place, struct row *row);

/* The i-th row, 0 <= i < n. *row is zero, or the one before: most rows stand in the same run. */
static inline void view_get(const struct view *view, Py_ssize_t i, struct row *row)
{
    const int64_t size = (int64_t)view->kind->size;
    const Py_ssize_t at = view->first + i * view->step;
    row->recording = view->recording;
    if (view->places == NULL) {
        row->at = view->base + at * size;
        row->run = view->run;
        row->index = view->index + (uint32_t)at;
        return;
    }
    const struct place place = view->places->at[at];
    if (row->at == NULL || row->run != place.run) {
        view_enter_run(view, place, row);
        return;
    }
    row->at = (const char *)row->at + ((int64_t)place.index - row->index) * size;
    row->index = place.index;
}

/* Where the values of a column stand in the rows, and how far from each other; NULL: they have to
 * be copied. */
const char *view_field(const struct view *view, const struct column *column, Py_ssize_t *stride);

#endif
