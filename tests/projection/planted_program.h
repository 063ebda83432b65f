/* SPDX-License-Identifier: Apache-2.0 */
/* A program of 200 steps, of which one in 20 is slow for a cause that was planted. */
#ifndef TESTS_PLANTED_PROGRAM_H
#define TESTS_PLANTED_PROGRAM_H

#include "rangefinder/rangefinder.h"

#define PLANTED_STEPS 200

enum planted_cause {
    PLANTED_NOTHING,
    PLANTED_SLOW_CHILD,
    PLANTED_LAUNCH_GAP,
    PLANTED_LATE_COPY,
    PLANTED_LOCK,
    PLANTED_MORE_LAYERS,
    PLANTED_PREEMPTED, /* no cause: the core is taken away at any moment */
    PLANTED_GPU_BOUND, /* no cause: most of a step waits for a copy, whose time varies */
    PLANTED_GPU_SLOW   /* the same, and the copy takes three times as long */
};

struct planted_program {
    uint64_t seed;
    enum planted_cause cause;
    rf_recording *rec; /* to be freed with built_free() */
    uint32_t thread;
    int64_t at;   /* its end */
    double noise; /* relative standard deviation of each piece of work */
};

struct planted_program planted_run(enum planted_cause cause, uint64_t seed, double how_noisy);

#endif
