/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges added up by the names around them while a thread is decoded: which range lies in which, as
 * rf_range_parent() has it (docs/projection.md), for ranges that have ended. What follows cannot
 * change that: it begins where the thread is now, or later. Ranges that begin behind a start/end
 * range that is still open wait: it may be around them, or belong to no thread. Ranges of stacks
 * that are open, and start/end ranges that are RF_PATH_OWN, are taken to end from the innermost
 * outwards. Where they do not, or times go backwards, a walk says so, and all has to be read with
 * its events. */
#ifndef RF_MODEL_LOAD_PATH_WALK_H
#define RF_MODEL_LOAD_PATH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/projection/projection_sweep.h"
#include "model/sums/range_sums.h"
#include "rangefinder/rangefinder.h"

/* Room that is used again from walk to walk. All zero: none. */
struct rf_path_walk {
    uint32_t *order;  /* ranges by start: events */
    uint32_t *open;   /* those around the next one, from the outermost */
    uint32_t *around; /* by event: the range around it, RF_NO_INDEX: none */
    uint32_t *path;   /* by event: index of the sum; RF_NO_INDEX: not yet known */
    size_t room;
    struct rf_span *span; /* where ranges cross: those in order */
    struct rf_work *work;
    size_t span_room;
    bool has_crossing; /* sticky: ranges cross */
};

/* The ranges of a thread. */
struct rf_path_thread {
    struct rf_event *event;
    const uint8_t *is_out; /* by event: it is as if it were not there; NULL: all are */
    size_t n, n_kept;      /* the first ones were there when the last walk ended */
    int64_t settled_ns;    /* until_ns of the last walk; RF_NO_TIME: it is the first */
    int64_t until_ns; /* ranges that ended before are added; INT64_MAX: all. A walk makes it less */
    struct rf_sum_first first; /* of each range, but for the number */
    struct rf_sum_owner owner;
    bool goes_on; /* ranges that are still open are counted elsewhere: where they end */
};

enum rf_path_step { RF_PATHS_ADDED, RF_PATHS_NO_MEMORY, RF_PATHS_CROSS };

/* What rf_event.payload_type says instead: another thread ended a start/end range; things inside a
 * range were added before it ended; its own thread is taken to end a start/end range. */
enum { RF_PATH_ELSEWHERE = 0xff, RF_PATH_ASSUMED = 0xfe, RF_PATH_OWN = 0xfd };

/* A range begins: its payload becomes the time that ranges inside it cover, as far as they have
 * been added, and color and category the time up to which they do. Payloads of an extension stay,
 * which walks refuse. */
static inline void rf_path_walk_begin(struct rf_event *range)
{
    if (range->payload_type == RF_TYPE_EXTENDED)
        return;
    range->payload = 0;
    range->payload_type = RF_TYPE_NONE;
    range->category = (uint32_t)1 << 31; /* the first time there is */
    range->color = 0;
}

/* Whether an open range is taken to end behind all that begins in it. */
static inline bool rf_path_walk_assumes(const struct rf_event *range)
{
    return range->kind == RF_EVENT_PUSH_POP || range->payload_type == RF_PATH_ASSUMED ||
           range->payload_type == RF_PATH_OWN;
}

/* Another thread ended a start/end range: it lies in none, and none in it. Returns false where a
 * walk may have taken it for one that its own thread ends. */
static inline bool rf_path_walk_elsewhere(struct rf_event *range)
{
    if (rf_path_walk_assumes(range))
        return false;
    if (range->payload_type != RF_TYPE_EXTENDED)
        range->payload_type = RF_PATH_ELSEWHERE;
    return true;
}

/* Whether a walk until then adds a range. */
static inline bool rf_path_walk_adds(const struct rf_event *range, int64_t until_ns)
{
    return range->end_ns != RF_NO_TIME && (range->end_ns < until_ns || until_ns == INT64_MAX ||
                                           range->payload_type == RF_PATH_ELSEWHERE);
}

/* Adds the ranges that rf_path_walk_adds(). They stay where they are. */
enum rf_path_step rf_path_walk(struct rf_path_walk *walk, struct rf_path_thread *thread,
                               struct rf_sums *sums);

void rf_path_walk_release(struct rf_path_walk *walk);

#endif
