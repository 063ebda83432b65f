/* SPDX-License-Identifier: Apache-2.0 */
/* How much the logs of a ring hold: who appends a part or lets go of one says so on the control
 * page. Header-only, because the recorder and the command line both do. */
#ifndef RF_LOG_RING_HELD_H
#define RF_LOG_RING_HELD_H

#include <stdbool.h>

#include "log/layout.h"

#define RF_RING_READER_ROOM ((uint64_t)64 << 20) /* more that may stay while somebody reads */

/* Bytes of parts that came, or went. */
static inline void rf_ring_add(struct rf_control *control, int64_t n_bytes)
{
    (void)__atomic_fetch_add(&control->ring.n_held, (uint64_t)n_bytes, __ATOMIC_RELAXED);
}

static inline uint64_t rf_ring_held(const struct rf_control *control)
{
    const uint64_t held = __atomic_load_n(&control->ring.n_held, __ATOMIC_RELAXED);
    return held <= INT64_MAX ? held : 0;
}

/* Whether they hold far more than they should, because parts are appended faster than the oldest
 * can go: then nobody appends. */
static inline bool rf_ring_is_over(const struct rf_control *control)
{
    const uint64_t size = control->ring.size;
    return size != 0 && rf_ring_held(control) > 2 * size &&
           __atomic_load_n(&control->ring.is_stuck, __ATOMIC_RELAXED) == 0;
}

/* Whether they hold so much more that nobody lets go of the oldest: the command line has died, or
 * gets no processor. One that lives recycles earlier, even while somebody reads. */
static inline bool rf_ring_is_abandoned(const struct rf_control *control)
{
    const uint64_t size = control->ring.size;
    return size != 0 && rf_ring_held(control) > 4 * size + RF_RING_READER_ROOM;
}

#endif
