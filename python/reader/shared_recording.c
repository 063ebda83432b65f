/* SPDX-License-Identifier: Apache-2.0 */
#include "shared_recording.h"

#include <stdlib.h>
#include <string.h>

#include "kind.h"
#include "places.h"
#include "raise.h"
#include "references.h"
#include "views.h"

/* Each report has its own kind, with one run. */
static size_t count_runs(const struct recording *recording, const struct kind *kind)
{
    return kind->id == REPORT ? 1 : kind_count_runs(recording, kind);
}

struct recording *recording_new(rf_recording *rec, const struct recording *base, bool is_part)
{
    struct recording *recording = calloc(1, sizeof(*recording));
    if (recording == NULL)
        return NULL;
    atomic_init(&recording->n_references, 1);
    recording->rec = rec;
    recording->base = base != NULL ? recording_retain(base) : NULL;
    recording->is_part = is_part;
    return recording;
}

struct recording *recording_retain(const struct recording *recording)
{
    struct recording *retained = (struct recording *)recording; /* only its count changes */
    add_reference(&retained->n_references);
    return retained;
}

static void view_free(struct view *view)
{
    if (view != NULL)
        places_release(view->places);
    free(view);
}

static void release_views(struct recording *recording)
{
    for (int id = 0; id < N_KINDS; id++) {
        _Atomic(struct view *) *views = recording->views[id];
        const size_t n = views != NULL ? count_runs(recording, &kinds[id]) + 1 : 0;
        for (size_t i = 0; i < n; i++)
            view_free(views[i]);
        free(views);
    }
}

void recording_release(struct recording *recording)
{
    while (recording != NULL && drop_reference(&recording->n_references)) {
        struct recording *base = recording->base;
        release_views(recording);
        rf_projections_free(recording->projections);
        places_release(recording->start_ends);
        if (recording->payloads != NULL)
            recording->free_payloads(recording->payloads);
        if (recording->report != NULL)
            recording->free_report(recording->report);
        if (!recording->is_part)
            rf_close(recording->rec);
        free(recording);
        recording = base; /* a filtered recording goes before the one that it was made of */
    }
}

PyObject *recording_string(const struct recording *recording, uint32_t id)
{
    size_t size;
    const char *text = rf_string(recording->rec, id, &size);
    return text_object(text, size);
}

/* ---- What is computed once ---- */

int recording_project(const struct recording *recording)
{
    struct recording *mine =
        (struct recording *)recording; /* what is computed belongs to what it is of */
    rf_projections *projections, *none = NULL;
    struct rf_err err;
    int status;
    if (recording->projections != NULL)
        return 0;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_project(recording->rec, NULL, &projections, &err);
    Py_END_ALLOW_THREADS;
    if (status != RF_OK) {
        raise_error(&err);
        return -1;
    }
    if (!atomic_compare_exchange_strong(&mine->projections, &none, projections))
        rf_projections_free(projections); /* another thread was first */
    return 0;
}

/* Where the rows of a run belong; NULL: out of memory. */
static _Atomic(struct view *) *place_of_view(struct recording *recording, const struct kind *kind,
                                             int64_t run)
{
    _Atomic(_Atomic(struct view *) *) *place = &recording->views[kind->id];
    _Atomic(struct view *) *views = *place, *none = NULL;
    if (views == NULL) {
        views = calloc(count_runs(recording, kind) + 1, sizeof(*views));
        if (!atomic_compare_exchange_strong(place, &none, views)) {
            free(views); /* another thread was first */
            views = none;
        }
    }
    return views != NULL ? views + run + 1 : NULL;
}

/* Finds the rows. NULL: out of memory. */
static struct view *view_new(const struct recording *recording, const struct kind *kind,
                             int64_t run)
{
    struct view *view = malloc(sizeof(*view));
    if (view == NULL || places_find(recording, kind, run, view) == 0)
        return view;
    view_free(view);
    return NULL;
}

const struct view *recording_view(const struct recording *recording, const struct kind *kind,
                                  int64_t run)
{
    struct view *view, *before = NULL;
    if (kind->id == PROJECTIONS && recording_project(recording) != 0)
        return NULL;
    _Atomic(struct view *) *place = place_of_view((struct recording *)recording, kind, run);
    if (place == NULL)
        return (void *)raise_no_memory();
    if (*place != NULL)
        return *place;
    Py_BEGIN_ALLOW_THREADS;
    view = view_new(recording, kind, run);
    Py_END_ALLOW_THREADS;
    if (view == NULL)
        return (void *)raise_no_memory();
    if (atomic_compare_exchange_strong(place, &before, view))
        return view;
    view_free(view); /* another thread was first */
    return before;
}
