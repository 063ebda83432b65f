/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings and what belongs to them, kept while anything uses them. */
#ifndef RF_READER_SHARED_RECORDING_H
#define RF_READER_SHARED_RECORDING_H

#include <stdatomic.h>

#include "kind.h"
#include "rangefinder/rangefinder.h"

struct payload_columns;
struct places;
struct report;

/* A recording, or what was computed of one. The last reference frees it, on any thread. What is
 * looked for later is put there once, complete, by whichever thread has it first. */
struct recording {
    atomic_size_t n_references;
    struct recording *base; /* that it uses; NULL: none */
    bool is_part;           /* rec is base's */
    rf_recording *rec;
    /* Of a recording: what parents are asked of; may be NULL. */
    _Atomic(rf_projections *) projections;
    _Atomic(struct places *) start_ends; /* of start/end ranges by their link; likewise */
    struct report *report;               /* or NULL */
    void (*free_report)(struct report *report);
    _Atomic(struct payload_columns *) payloads; /* or NULL */
    void (*_Atomic free_payloads)(struct payload_columns *payloads);
    /* All rows of a kind, then those of each run, once they were asked for. */
    _Atomic(_Atomic(struct view *) *) views[N_KINDS];
};

/* Takes over rec, unless it is base's; NULL: out of memory, and nothing was taken. */
struct recording *recording_new(rf_recording *rec, const struct recording *base, bool is_part);
struct recording *recording_retain(const struct recording *recording); /* adds a reference */
void recording_release(struct recording *recording);                   /* NULL is accepted */

/* The string of an id as str; None where there is none. */
PyObject *recording_string(const struct recording *recording, uint32_t id);

/* Makes the projections of a recording that parents are asked of. Releases the GIL meanwhile.
 * Returns 0, or -1 with an exception. */
int recording_project(const struct recording *recording);

/* The rows of a kind, run: of one run only, or -1. They are looked for once, when they are first
 * needed; the view has no reference to recording. Releases the GIL meanwhile. NULL with an
 * exception. */
const struct view *recording_view(const struct recording *recording, const struct kind *kind,
                                  int64_t run);

#endif
