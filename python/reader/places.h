/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows there are, in which order. */
#ifndef RF_READER_PLACES_H
#define RF_READER_PLACES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "kind.h"

struct place {
    uint32_t run, index;
};

struct places {
    atomic_size_t n_references;
    size_t n, room;
    struct place *at;
};

struct places *places_new(void);
struct places *places_retain(struct places *places);
void places_release(struct places *places); /* NULL is accepted */

/* Returns 0, or -1 where memory is short. */
int places_add(struct places *places, uint32_t run, uint32_t index);

struct view;

/* Finds the rows of a kind, or of one run of it. *out has no reference to recording. Without the
 * GIL. Returns 0, or -1 where memory is short. */
int places_find(const struct recording *recording, const struct kind *kind, int64_t run,
                struct view *out);

#endif
