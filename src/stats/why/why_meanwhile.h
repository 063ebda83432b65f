/* SPDX-License-Identifier: Apache-2.0 */
/* What the other threads of a process did during the instances of a range: the innermost push/pop
 * range of each. */
#ifndef RF_STATS_WHY_MEANWHILE_H
#define RF_STATS_WHY_MEANWHILE_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Threads that are looked at: those of the process with most events. */
#define RF_WHY_MAX_LANES 16

struct rf_why_open_range {
    int64_t end_ns;
    uint32_t event;
};

/* A thread, up to a time. */
struct rf_why_lane {
    uint32_t thread;
    size_t next; /* event */
    int64_t at_ns;
    struct rf_why_open_range
        *open; /* those that have ended stay below others until these end too */
    size_t n_open, room;
};

struct rf_why_meanwhile {
    const rf_recording *rec;
    uint32_t process;                    /* whose threads these are; RF_NO_INDEX: none yet */
    uint32_t most[RF_WHY_MAX_LANES + 1]; /* those with most events */
    size_t n_most;
    struct rf_why_lane lane[RF_WHY_MAX_LANES];
    size_t n_lanes;
    int64_t at_ns;     /* the lanes are here */
    uint64_t n_visits; /* events that may still be looked at, over all threads with instances */
};

void rf_why_meanwhile_init(struct rf_why_meanwhile *meanwhile, const rf_recording *rec);
void rf_why_meanwhile_release(struct rf_why_meanwhile *meanwhile);

/* Begins with the instances of a thread. */
void rf_why_meanwhile_begin(struct rf_why_meanwhile *meanwhile, uint32_t thread);

/* Gives add() the time that other threads were directly in a range, in pieces. Times come in their
 * order; nothing is said of one that begins before the last one ended. Returns RF_OK,
 * RF_ERR_NO_MEMORY, or what add() returned. */
int rf_why_meanwhile_between(struct rf_why_meanwhile *meanwhile, int64_t start_ns, int64_t end_ns,
                             int (*add)(void *context, uint32_t thread,
                                        const struct rf_event *range, uint64_t ns),
                             void *context);

#endif
