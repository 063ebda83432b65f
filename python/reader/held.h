/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings and what belongs to them, kept while anything uses them. */
#ifndef RF_READER_HELD_H
#define RF_READER_HELD_H

#include <stdatomic.h>

#include "kind.h"
#include "rangefinder/rangefinder.h"

struct prepared;
struct start_ends;
struct report;

/* A recording, or what was computed of one. The last reference frees it, on any thread. */
struct held {
    atomic_size_t n_references;
    struct held *base; /* that it uses; NULL: none */
    int is_part;       /* rec is base's */
    rf_recording *rec;
    rf_projections *projections;   /* of a recording: what parents are asked of; may be NULL */
    struct start_ends *start_ends; /* for the same purpose */
    struct report *report;         /* or NULL */
    void (*free_report)(struct report *report);
    struct prepared *prepared[N_KINDS]; /* of all rows, then of each run; guarded by the GIL */
};

/* Takes over rec, unless it is base's; NULL: out of memory, and nothing was taken. */
struct held *held_new(rf_recording *rec, struct held *base, int is_part);
struct held *held_retain(const struct held *held); /* adds a reference */
void held_release(struct held *held);              /* NULL is accepted */

/* The recording that something belongs to. */
const struct held *held_recording(const struct held *held);

/* Makes the projections of a recording that parents are asked of. Releases the GIL meanwhile.
 * Returns 0, or -1 with an exception. */
int held_project(const struct held *held);

#endif
