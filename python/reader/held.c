/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include <stdlib.h>
#include <string.h>

#include "kind.h"
#include "places.h"
#include "raise.h"
#include "references.h"
#include "views.h"

/* Each report has its own kind, with one run. */
static size_t count_runs(const struct held *held, const struct kind *kind)
{
    return kind->id == REPORT ? 1 : kind_count_runs(held, kind);
}

struct held *held_new(rf_recording *rec, const struct held *base, bool is_part)
{
    struct held *held = calloc(1, sizeof(*held));
    if (held == NULL)
        return NULL;
    atomic_init(&held->n_references, 1);
    held->rec = rec;
    held->base = base != NULL ? held_retain(base) : NULL;
    held->is_part = is_part;
    return held;
}

struct held *held_retain(const struct held *held)
{
    struct held *retained = (struct held *)held; /* only its count changes */
    add_reference(&retained->n_references);
    return retained;
}

static void release_views(struct held *held)
{
    for (int id = 0; id < N_KINDS; id++) {
        struct view *views = held->views[id];
        for (size_t i = 0; views != NULL && i <= count_runs(held, &kinds[id]); i++)
            places_release(views[i].places);
        free(views);
    }
}

void held_release(struct held *held)
{
    while (held != NULL && drop_reference(&held->n_references)) {
        struct held *base = held->base;
        release_views(held);
        rf_projections_free(held->projections);
        places_release(held->start_ends);
        if (held->report != NULL)
            held->free_report(held->report);
        if (!held->is_part)
            rf_close(held->rec);
        free(held);
        held = base; /* a filtered recording goes before the one that it was made of */
    }
}

/* ---- What is computed once ---- */

int held_project(const struct held *held)
{
    struct held *mine = (struct held *)held; /* what is computed belongs to what it is of */
    rf_projections *projections;
    struct rf_err err;
    int status;
    if (held->projections != NULL)
        return 0;
    Py_BEGIN_ALLOW_THREADS;
    status = rf_project(held->rec, NULL, &projections, &err);
    Py_END_ALLOW_THREADS;
    if (status != RF_OK) {
        raise_error(&err);
        return -1;
    }
    if (mine->projections == NULL)
        mine->projections = projections;
    else
        rf_projections_free(projections); /* another thread was first */
    return 0;
}

static struct view *view_of_run(struct held *held, const struct kind *kind, int64_t run)
{
    struct view **views = &held->views[kind->id];
    if (*views == NULL)
        *views = calloc(count_runs(held, kind) + 1, sizeof(**views));
    return *views != NULL ? *views + run + 1 : NULL;
}

const struct view *held_view(const struct held *held, const struct kind *kind, int64_t run)
{
    struct view found = {.kind = NULL};
    int status;
    if (kind->id == PROJECTIONS && held_project(held) != 0)
        return NULL;
    struct view *view = view_of_run((struct held *)held, kind, run);
    if (view != NULL && view->kind != NULL)
        return view;
    Py_BEGIN_ALLOW_THREADS;
    status = view != NULL ? places_find(held, kind, run, &found) : -1;
    Py_END_ALLOW_THREADS;
    if (status == 0 && view->kind == NULL) {
        *view = found;
        return view;
    }
    places_release(found.places); /* another thread was first, or memory is short */
    if (status == 0)
        return view;
    (void)raise_no_memory();
    return NULL;
}
