/* SPDX-License-Identifier: Apache-2.0 */
/* Ids and lanes for viewers of Chrome traces. There a process is its pid and a thread its tid, a
 * tid of 0 means something else, and the ranges of one tid must nest: so an id that occurs twice
 * (exec, a tid that was used again) and every lane but the first get ids that no kernel gives. */
#ifndef RF_EXPORT_CHROME_JSON_LANES_H
#define RF_EXPORT_CHROME_JSON_LANES_H

#include "rangefinder/rangefinder.h"

/* Ranges cross where domains do, and programs have a handful of them: what crosses more is not
 * worth more lanes, nor the search through them. */
#define RF_MAX_LANES 64

/* The ends of the ranges that are open in a lane, the innermost last. */
struct rf_lane {
    int64_t *ends;
    size_t n;
    size_t capacity;
    uint32_t tid;        /* 0: not given yet */
    uint32_t place_size; /* of place: what every event of the lane has, as it is written */
    char place[48];
};

struct rf_lanes {
    uint32_t *pids; /* by process */
    uint32_t *tids; /* by thread: of its first lane */
    uint32_t next_id;
    struct rf_lane lanes[RF_MAX_LANES]; /* of the thread that is being written */
    int n_lanes;
};

/* An id that is wanted, and where the one that is given goes. */
struct rf_wanted_id {
    uint32_t group; /* ids differ within it */
    uint32_t id;
    uint32_t index;
};

/* Gives processes and threads their ids; pids below first_pid stand for something else. */
int rf_lanes_init(struct rf_lanes *lanes, const rf_recording *rec, uint32_t first_pid,
                  struct rf_err *err);

/* Gives ids[wanted.index]: what is wanted where it is free and at least first_id, which is not 0;
 * the first by index has it. Sorts wanted by group and id. */
void rf_lanes_give_ids(struct rf_lanes *lanes, struct rf_wanted_id *wanted, size_t n,
                       uint32_t first_id, uint32_t *ids);

/* Begins a thread: it has one lane, which is empty. */
void rf_lanes_begin_thread(struct rf_lanes *lanes);

/* The first lane in which the range nests. Ranges come by start, enclosing before enclosed.
 * Returns the lane's number, RF_MAX_LANES where it nests in none, or a negative error. */
int rf_lanes_place(struct rf_lanes *lanes, int64_t start_ns, int64_t end_ns, struct rf_err *err);

void rf_lanes_release(struct rf_lanes *lanes);

#endif
