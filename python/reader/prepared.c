/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are looked for once, when they are first needed. */
#include "prepared.h"

#include <stdlib.h>

#include "held.h"
#include "kind.h"
#include "places.h"
#include "raise.h"

static struct prepared *place_of(struct held *held, const struct kind *kind, int64_t run)
{
    struct prepared **of_kind = &held->prepared[kind->id];
    if (*of_kind == NULL)
        *of_kind =
            calloc(kind->id == REPORT ? 1 : kind_count_runs(held, kind) + 1, sizeof(**of_kind));
    return *of_kind != NULL ? *of_kind + run + 1 : NULL;
}

const struct prepared *held_prepare(const struct held *held, const struct kind *kind, int64_t run)
{
    struct held *mine = (struct held *)held;
    struct prepared *prepared, made = {.is_ready = 1};
    int status;
    if (kind->id == PROJECTIONS && held_project(held) != 0)
        return NULL;
    prepared = place_of(mine, kind, run);
    if (prepared != NULL && prepared->is_ready)
        return prepared;
    Py_BEGIN_ALLOW_THREADS;
    status = prepared != NULL ? places_prepare(held, kind, run, &made) : -1;
    Py_END_ALLOW_THREADS;
    if (status == 0 && !prepared->is_ready) {
        *prepared = made;
        return prepared;
    }
    places_release(made.places); /* another thread was first, or memory is short */
    if (status == 0)
        return prepared;
    (void)raise_no_memory();
    return NULL;
}
