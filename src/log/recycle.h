/* SPDX-License-Identifier: Apache-2.0 */
/* Recycling the oldest parts of a session that is a ring. Their place in the logs becomes a hole;
 * what they leave open is written behind the others first, so that ranges keep their true start.
 * Whoever kills us at any moment leaves a session that reads the same, or has parts that were about
 * to go. */
#ifndef RF_LOG_RECYCLE_H
#define RF_LOG_RECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_recycled {
    uint64_t n_parts; /* of events that went, likewise below */
    uint64_t n_records;
    uint64_t n_bytes;
    int64_t n_less; /* bytes of parts and samples that the logs hold less now */
};

/* Recycles the oldest parts of all streams, and samples of GPU metrics, until the logs hold at most
 * keep_bytes of both, and those that ended before before_ticks (0: none for their age); the newest
 * part of a stream stays, and the newest samples of a GPU.
 * The program may record meanwhile. While somebody reads the session nothing goes, but with
 * must_go: then the reader finds damage. On failure the session is as readable as it was. *recycled
 * is filled in any case. */
int rf_recycle(const char *session_dir, uint64_t keep_bytes, uint64_t before_ticks, bool must_go,
               struct rf_recycled *recycled, struct rf_err *err);

#endif
