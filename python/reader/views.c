/* SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

#include "shared_recording.h"
#include "kind.h"
#include "places.h"

void view_init_part(struct view *view, const struct recording *recording, const struct view *from,
                    Py_ssize_t first, Py_ssize_t step, Py_ssize_t n)
{
    *view = *from;
    view->recording = recording_retain(recording);
    view->places = places_retain(from->places);
    view->first = from->first + first * from->step;
    view->step = from->step * step;
    view->n = n;
}

void view_show(struct view *view, const struct view *from)
{
    view->places = places_retain(from->places);
    view->base = from->base;
    view->run = from->run;
    view->index = from->index;
    view->first = from->first;
    view->step = from->step;
    view->n = from->n;
}

void view_release(struct view *view)
{
    recording_release(view->recording);
    places_release(view->places);
    *view = (struct view){.recording = NULL};
}

void view_enter_run(const struct view *view, struct place place, struct row *row)
{
    struct run run = {NULL, 0};
    (void)view->kind->run(view->recording, place.run, &run);
    row->at = (const char *)run.base + place.index * view->kind->size;
    row->run = place.run;
    row->index = place.index;
}

const char *view_field(const struct view *view, const struct column *column, Py_ssize_t *stride)
{
    Py_ssize_t size = (Py_ssize_t)value_format(column->type)->size;
    bool is_as_it_is = column->type == TIME || column->type == COUNT || column->type == NUMBER ||
                       column->type == REAL;
    if (view->places != NULL || !is_as_it_is || view->n == 0)
        return NULL;
    if (column->is_array) {
        struct row row = {NULL, NULL, 0, 0};
        view_get(view, 0, &row);
        *stride = view->step * size;
        return column->of(&row);
    }
    if (column->get != NULL || column->of != NULL || column->size != size ||
        column->absent != RF_ABSENT_NEVER)
        return NULL;
    *stride = view->step * (Py_ssize_t)view->kind->size;
    return view->base + view->first * (Py_ssize_t)view->kind->size + column->offset;
}
