/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include <stdlib.h>
#include <string.h>

#include "kind.h"
#include "places.h"
#include "raise.h"
#include "references.h"
#include "start_ends.h"

struct held *held_new(rf_recording *rec, struct held *base, int is_part)
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

static void release_prepared(struct held *held)
{
    for (int id = 0; id < N_KINDS; id++) {
        struct prepared *prepared = held->prepared[id];
        if (prepared == NULL)
            continue;
        for (size_t i = id == REPORT ? 0 : kind_count_runs(held, &kinds[id]);; i--) {
            places_release(prepared[i].places);
            if (i == 0)
                break;
        }
        free(prepared);
    }
}

void held_release(struct held *held)
{
    while (held != NULL && drop_reference(&held->n_references)) {
        struct held *base = held->base;
        release_prepared(held);
        rf_projections_free(held->projections);
        start_ends_free(held->start_ends);
        if (held->report != NULL)
            held->free_report(held->report);
        if (!held->is_part)
            rf_close(held->rec);
        free(held);
        held = base; /* a filtered recording goes before the one that it was made of */
    }
}

const struct held *held_recording(const struct held *held)
{
    return held->is_part ? held->base : held;
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
