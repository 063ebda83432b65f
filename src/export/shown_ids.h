/* SPDX-License-Identifier: Apache-2.0 */
/* Ids for viewers of traces. There a process is its pid and a thread its tid, and a tid of 0 means
 * something else: so an id that occurs twice (exec, a tid that was used again), and what is
 * neither, get ids that no kernel gives. */
#ifndef RF_EXPORT_SHOWN_IDS_H
#define RF_EXPORT_SHOWN_IDS_H

#include "base/map.h"
#include "rangefinder/rangefinder.h"

struct rf_shown_ids {
    uint32_t *pids; /* by process */
    uint32_t *tids; /* by thread */
    uint32_t next_id;
    struct rf_used_ids *used; /* NULL: the trace has one recording */
};

/* The ids that the earlier recordings of a trace have. All zero: there are none. */
struct rf_used_ids {
    struct rf_map pids;
    uint32_t next_id;
};

void rf_used_ids_release(struct rf_used_ids *used);

/* An id that is wanted, and where the one that is given goes. */
struct rf_wanted_id {
    uint32_t group; /* ids differ within it */
    uint32_t id;
    uint32_t index;
};

/* Gives processes and threads their ids; pids below first_pid stand for something else, and those
 * that are used (NULL: none) are not given again. used has to outlive it. */
int rf_shown_ids_init(struct rf_shown_ids *shown, const rf_recording *rec, uint32_t first_pid,
                      struct rf_used_ids *used, struct rf_err *err);
/* Then all ids that were given are used. */
void rf_shown_ids_release(struct rf_shown_ids *shown);

/* Gives ids[wanted.index]: what is wanted where it is free and at least first_id, which is not 0;
 * the first by index has it. Sorts wanted by group and id. */
void rf_shown_ids_give(struct rf_shown_ids *shown, struct rf_wanted_id *wanted, size_t n,
                       uint32_t first_id, uint32_t *ids);

#endif
