/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "reader_module.h"

/* ---- References ---- */

/* Who drops the last reference sees what others did before they dropped theirs. */
static int drop(atomic_size_t *n_references)
{
    return atomic_fetch_sub_explicit(n_references, 1, memory_order_acq_rel) == 1;
}

static void take(atomic_size_t *n_references)
{
    atomic_fetch_add_explicit(n_references, 1, memory_order_relaxed);
}

/* calloc() has large memory from the system zeroed, page by page when it is first used. */
struct buffer *buffer_new(size_t size)
{
    const size_t extra = sizeof(struct buffer) + 63;
    char *memory = size <= SIZE_MAX - extra ? calloc(1, size + extra) : NULL;
    if (memory == NULL)
        return NULL;
    struct buffer *buffer = (struct buffer *)(void *)(memory + (-(uintptr_t)memory & 63));
    atomic_init(&buffer->n_references, 1);
    buffer->memory = memory;
    return buffer;
}

struct buffer *buffer_take(struct buffer *buffer)
{
    if (buffer != NULL)
        take(&buffer->n_references);
    return buffer;
}

void buffer_release(struct buffer *buffer)
{
    if (buffer != NULL && drop(&buffer->n_references))
        free(buffer->memory);
}

struct places *places_new(void)
{
    struct places *places = calloc(1, sizeof(*places));
    if (places != NULL)
        atomic_init(&places->n_references, 1);
    return places;
}

struct places *places_take(struct places *places)
{
    if (places != NULL)
        take(&places->n_references);
    return places;
}

void places_release(struct places *places)
{
    if (places == NULL || !drop(&places->n_references))
        return;
    free(places->at);
    free(places);
}

struct dictionary *dictionary_take(struct dictionary *dictionary)
{
    take(&dictionary->n_references);
    return dictionary;
}

void dictionary_release(struct dictionary *dictionary)
{
    if (dictionary == NULL || !drop(&dictionary->n_references))
        return;
    free(dictionary->code);
    free(dictionary->id);
    buffer_release(dictionary->offsets);
    buffer_release(dictionary->text);
    free(dictionary);
}

/* ---- Recordings ---- */

struct held *held_new(rf_recording *rec, struct held *base, int is_part)
{
    struct held *held = calloc(1, sizeof(*held));
    if (held == NULL)
        return NULL;
    atomic_init(&held->n_references, 1);
    held->rec = rec;
    held->base = base != NULL ? held_take(base) : NULL;
    held->is_part = is_part;
    return held;
}

struct held *held_take(const struct held *held)
{
    struct held *taken = (struct held *)held; /* only its count changes */
    take(&taken->n_references);
    return taken;
}

static size_t n_runs(const struct held *held, const struct kind *kind)
{
    struct run run;
    uint32_t n = 0;
    while (kind->run(held, n, &run))
        n++;
    return n;
}

static void release_prepared(struct held *held)
{
    for (int id = 0; id < N_KINDS; id++) {
        struct prepared *prepared = held->prepared[id];
        if (prepared == NULL)
            continue;
        for (size_t i = id == REPORT ? 0 : n_runs(held, &kinds[id]);; i--) {
            places_release(prepared[i].places);
            if (i == 0)
                break;
        }
        free(prepared);
    }
}

void held_release(struct held *held)
{
    while (held != NULL && drop(&held->n_references)) {
        struct held *base = held->base;
        release_prepared(held);
        rf_projections_free(held->projections);
        start_ends_free(held->start_ends);
        report_free(held->report);
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

static struct prepared *place_of(struct held *held, const struct kind *kind, int64_t run)
{
    struct prepared **of_kind = &held->prepared[kind->id];
    if (*of_kind == NULL)
        *of_kind = calloc(kind->id == REPORT ? 1 : n_runs(held, kind) + 1, sizeof(**of_kind));
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
    status = prepared != NULL ? prepare(held, kind, run, &made) : -1;
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
