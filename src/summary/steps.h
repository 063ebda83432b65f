/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a recording: the instances of the range that a thread repeats. Of each thread that
 * is the outermost range with at least RF_MIN_STEPS instances, and among several the one with the
 * most time. Instances inside another one of the same name are not steps of their own. */
#ifndef RF_SUMMARY_STEPS_H
#define RF_SUMMARY_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "summary/range_keys.h"

#define RF_MIN_STEPS 3

/* Beside enum rf_cut: the step began before the capture that it is in, and what was inside it until
 * then is not recorded. */
#define RF_STEP_BEGAN_BEFORE (RF_CUT_REASONS - 1)

struct rf_step {
    uint32_t thread, event; /* the range */
    uint32_t key;           /* of its name: index into rf_steps.keys.key */
    uint32_t number;        /* among the steps of its thread by start, from 1 */
    uint32_t first_child, n_children;
    uint8_t cut;       /* enum rf_cut of the range, or RF_STEP_BEGAN_BEFORE */
    bool has_children; /* they were looked for: see rf_steps.n_without_children */
    uint64_t duration_ns;
    uint64_t self_ns; /* no child covers it */
    uint64_t busy_ns; /* sum of the durations of its GPU work */
    uint64_t wait_ns; /* in calls of its thread that wait for a GPU */
};

/* The ranges of one name directly inside a step. */
struct rf_step_child {
    uint32_t key;   /* index into rf_steps.keys.key */
    uint32_t first; /* event of the first one */
    uint32_t count;
    uint64_t total_ns;
};

struct rf_steps {
    struct rf_range_keys keys;
    struct rf_step *step; /* by thread, then start */
    size_t n, room;
    struct rf_step_child *child;
    size_t n_children, children_room;
    size_t n_without_children; /* steps that overlap too many others */
};

struct rf_steps_options {
    const char *range; /* the steps are the ranges of this text (range_search.h), and those whose
                        * names differ only by numbers, however many; NULL: see above */
    const rf_projections *projections; /* of the recording; NULL: made where they are needed */
    bool folds_numbers; /* children whose names differ only by numbers are one, and keys of steps
                         * and children are those of folded names */
};

/* Finds them all. options may be NULL. Returns RF_OK, RF_ERR_NO_MEMORY, RF_ERR_NOT_FOUND where
 * there is no such range, or an error of rf_project(); to be released either way. */
int rf_steps_init(struct rf_steps *steps, const rf_recording *rec,
                  const struct rf_steps_options *options, struct rf_err *err);
/* "killed", "capture began"; "" where nothing is cut. */
const char *rf_step_cut_name(uint32_t cut);

void rf_steps_release(struct rf_steps *steps);

#endif
