/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that are put on one timeline, the machines that they are of, and where these met. */
#ifndef RF_MODEL_CLOCKS_ALIGN_DATA_H
#define RF_MODEL_CLOCKS_ALIGN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/clocks.h"

/* Times and distances beyond this, about 36 years, are damage. */
#define RF_ALIGN_MAX_NS ((int64_t)1 << 60)

struct rf_align_input {
    struct rf_clock clock;
    struct rf_anchor *anchor;
    size_t n_anchors;
    uint32_t machine;       /* index into machine[] */
    int64_t offset_ns;      /* the machine's time at time 0 of the recording */
    int64_t uncertainty_ns; /* of that; -1: unknown */
    int method;             /* by which it was put on the machine's clock */
    struct rf_alignment result;
};

/* What has one clock. Its time is that of its first recording. A time t of it is on the timeline
 * offset_ns + drift * t behind t. */
struct rf_machine {
    uint32_t first; /* recording */
    bool is_placed;
    int method;    /* of enum rf_align_method */
    uint32_t root; /* the machine from which anchors lead to this one */
    int64_t offset_ns;
    double drift;
    int64_t uncertainty_ns, residual_ns, moved_ns, violation_ns;
    uint64_t n_anchors, n_violations, n_left;
    bool is_bent;
};

/* What the processes of a machine saw of one operation, in the machine's time. */
struct rf_align_meeting {
    uint64_t key;
    uint32_t machine;
    int64_t last_start_ns, first_end_ns;
    int64_t end_ns; /* the median of their ends */
};

struct rf_align {
    struct rf_align_input *input;
    size_t n, room;
    struct rf_machine *machine;
    size_t n_machines, machine_room;
    struct rf_align_meeting *meeting; /* by key, then machine; of keys that two machines have */
    size_t n_meetings;
    bool trusts_anchors; /* somebody named them */
    bool is_solved;
};

/* Where a time of a machine is on the timeline. */
static inline int64_t rf_machine_ns(const struct rf_machine *machine, int64_t at_ns)
{
    const double more = machine->drift * (double)at_ns;
    const bool is_sane = more > -(double)RF_ALIGN_MAX_NS && more < (double)RF_ALIGN_MAX_NS;
    return at_ns + machine->offset_ns + (is_sane ? (int64_t)more : 0);
}

/* Makes machine[], and puts each recording on the clock of one. RF_OK or RF_ERR_NO_MEMORY. */
int rf_align_find_machines(struct rf_align *align);

/* Makes meeting[]. RF_OK or RF_ERR_NO_MEMORY. */
int rf_align_find_meetings(struct rf_align *align);

/* The first meeting behind i that has another key. */
size_t rf_align_next_key(const struct rf_align *align, size_t i);

/* Places the machines: by their meetings, else by the time of day. RF_OK or RF_ERR_NO_MEMORY. */
int rf_align_place(struct rf_align *align);

/* Counts meetings that ended on a machine before the last one had begun on another, and moves
 * machines so that there are none, where that is sound. RF_OK or RF_ERR_NO_MEMORY. */
int rf_align_keep_order(struct rf_align *align);

/* Sets uncertainty_ns of machines that met their root to how far meetings let them be from where
 * they were placed. RF_OK or RF_ERR_NO_MEMORY. */
int rf_align_bound(struct rf_align *align);

/* What anchors lead to from another machine than the first is as exact as that one is placed. */
void rf_align_add_roots(struct rf_align *align);

#endif
