/* SPDX-License-Identifier: Apache-2.0 */
/* Which range is part of which: what the program said (docs/format.md, 4.3), as rangefinder.nvtx
 * does of asynchronous tasks; else the shortest range around it on its thread (docs/projection.md).
 */
#include "nesting.h"

#include <stdlib.h>

#include "shared_recording.h"
#include "kind.h"
#include "places.h"
#include "raise.h"
#include "row.h"

/* Ranges above each other; more are a damaged recording's. */
#define MAX_DEPTH 100000

/* Sets the place of a link; those between that are not shown have RF_NO_INDEX. Returns 0, or -1
 * where memory is short. */
static int put_start_end(struct places *all, uint32_t link, struct place place)
{
    while (all->n <= link)
        if (places_add(all, RF_NO_INDEX, RF_NO_INDEX) != 0)
            return -1;
    all->at[link] = place;
    return 0;
}

static struct places *find_start_ends(const struct recording *recording)
{
    struct places *all = places_new();
    struct run run;
    int status = all != NULL ? 0 : -1;
    for (uint32_t i = 0; status == 0 && kinds[EVENTS].run(recording, i, &run); i++) {
        const struct rf_event *event = run.base;
        for (size_t k = 0; k < run.n && status == 0; k++)
            if (event[k].kind == RF_EVENT_START_END &&
                rf_start_end_at(recording->rec, event[k].link))
                status = put_start_end(all, event[k].link, (struct place){i, (uint32_t)k});
    }
    if (status == 0)
        return all;
    places_release(all);
    return NULL;
}

/* What parents are asked of. Returns 0, or -1 with an exception. */
static int prepare_nesting(const struct recording *recording)
{
    struct recording *mine =
        (struct recording *)recording; /* what is computed belongs to what it is of */
    struct places *all, *none = NULL;
    if (recording_project(recording) != 0)
        return -1;
    if (recording->start_ends != NULL)
        return 0;
    Py_BEGIN_ALLOW_THREADS;
    all = find_start_ends(recording);
    Py_END_ALLOW_THREADS;
    if (all == NULL)
        return raise_no_memory_status();
    if (!atomic_compare_exchange_strong(&mine->start_ends, &none, all))
        places_release(all); /* another thread was first */
    return 0;
}

/* ---- Parents ---- */

static const struct rf_event *event_at(const struct recording *recording, const struct place *place)
{
    struct run run;
    (void)kinds[EVENTS].run(recording, place->run, &run);
    return (const struct rf_event *)run.base + place->index;
}

enum named { NOTHING_NAMED, NO_PARENT_NAMED, PARENT_NAMED };

/* The parent that the program named for a start/end range. One that had ended already, or is not
 * shown, gives way to its own parent. */
static enum named find_named(const struct recording *recording, const struct rf_event *event,
                             struct place *parent)
{
    const struct rf_start_end *at =
        event->kind == RF_EVENT_START_END ? rf_start_end_at(recording->rec, event->link) : NULL;
    if (at == NULL || at->parent == 0)
        return NOTHING_NAMED;
    const struct places *start_ends = recording->start_ends;
    while (at->parent != 0) {
        const struct rf_start_end *above = rf_start_end_at(recording->rec, at->parent - 1);
        if (above == NULL || above->number >= at->number) /* itself; or a damaged recording */
            return NO_PARENT_NAMED;
        *parent = at->parent - 1 < start_ends->n ? start_ends->at[at->parent - 1]
                                                 : (struct place){RF_NO_INDEX, RF_NO_INDEX};
        if (parent->run != RF_NO_INDEX && event_at(recording, parent)->end_ns >= event->start_ns)
            return PARENT_NAMED;
        at = above;
    }
    return NO_PARENT_NAMED;
}

/* The range whose part a range is; returns false where there is none. */
static bool find_parent(const struct recording *recording, const struct place *place,
                        struct place *parent)
{
    enum named named = find_named(recording, event_at(recording, place), parent);
    if (named == PARENT_NAMED)
        return true;
    *parent = *place;
    do /* around a range of no other one stands what was pushed before the tasks ran */
        parent->index = rf_range_parent(recording->projections, parent->run, parent->index);
    while (named == NO_PARENT_NAMED && parent->index != RF_NO_INDEX &&
           event_at(recording, parent)->kind != RF_EVENT_PUSH_POP);
    return parent->index != RF_NO_INDEX;
}

static bool is_same(const struct place *a, const struct place *b)
{
    return a->run == b->run && a->index == b->index;
}

/* ---- Children ---- */

static int add_child(const struct row *row, const struct place *child, struct places *found)
{
    const struct place own = {row->run, row->index};
    struct place parent;
    if (!find_parent(row->recording, child, &parent) || !is_same(&parent, &own))
        return 0;
    return places_add(found, child->run, child->index);
}

/* Those on its thread stand behind it, and begin before it ends; the program can name it as the
 * parent of others. Returns 0, or -1 where memory is short. */
static int find_children(const struct row *row, struct places *found)
{
    struct run run;
    const struct places *all = row->recording->start_ends;
    const struct rf_event *parent = row->at;
    int status = 0;
    (void)kinds[EVENTS].run(row->recording, row->run, &run);
    for (uint32_t i = row->index + 1; i < run.n && status == 0; i++) {
        const struct rf_event *event = (const struct rf_event *)run.base + i;
        if (event->start_ns > parent->end_ns)
            break;
        if (kinds[RANGES].keeps(event))
            status = add_child(row, &(struct place){row->run, i}, found);
    }
    for (size_t i = 0; i < all->n && parent->kind == RF_EVENT_START_END && status == 0; i++)
        if (all->at[i].run != RF_NO_INDEX && all->at[i].run != row->run)
            status = add_child(row, &all->at[i], found);
    return status;
}

static PyObject *list_children(const struct row *row, const struct places *found)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < found->n; i++)
        list_add(&list, row_new_at(row->recording, RANGES, found->at[i].run, found->at[i].index));
    return list;
}

/* By start; few are out of order: those of other threads. */
static void sort_children(const struct recording *recording, struct places *found)
{
    for (size_t i = 1; i < found->n; i++) {
        struct place one = found->at[i];
        int64_t start_ns = event_at(recording, &one)->start_ns;
        size_t k = i;
        for (; k > 0 && event_at(recording, &found->at[k - 1])->start_ns > start_ns; k--)
            found->at[k] = found->at[k - 1];
        found->at[k] = one;
    }
}

/* ---- As attributes of Range ---- */

PyObject *range_parent_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    struct place parent;
    (void)ignored;
    if (prepare_nesting(row->recording) != 0)
        return NULL;
    if (!find_parent(row->recording, &(struct place){row->run, row->index}, &parent))
        Py_RETURN_NONE;
    return row_new_at(row->recording, RANGES, parent.run, parent.index);
}

PyObject *range_depth_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    struct place at = {row->run, row->index}, parent;
    long depth = 0;
    (void)ignored;
    if (prepare_nesting(row->recording) != 0)
        return NULL;
    for (; depth < MAX_DEPTH && find_parent(row->recording, &at, &parent); depth++)
        at = parent;
    return PyLong_FromLong(depth);
}

PyObject *range_children_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    PyObject *list = NULL;
    int status = -1;
    (void)ignored;
    if (prepare_nesting(row->recording) != 0)
        return NULL;
    struct places *found = places_new();
    if (found != NULL) {
        Py_BEGIN_ALLOW_THREADS;
        status = find_children(row, found);
        if (status == 0)
            sort_children(row->recording, found);
        Py_END_ALLOW_THREADS;
    }
    list = status == 0 ? list_children(row, found) : raise_no_memory();
    places_release(found);
    return list;
}
