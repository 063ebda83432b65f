/* SPDX-License-Identifier: Apache-2.0 */
/* Times of parts whose thread was silent for long. Records have the low 53 bits of their time,
 * which begin anew after some weeks: so the command line notes from time to time what a silent part
 * held then (docs/format.md, section 4.1). */
#ifndef RF_LOG_MOMENTS_H
#define RF_LOG_MOMENTS_H

#include <stdbool.h>

#include "log/reader.h"

/* A MOMENT chunk. */
struct rf_moment_chunk {
    struct rf_chunk_header header;
    struct rf_moment moment;
};

/* Makes the chunk for a part in a pool that its thread may write to. now: taken before. Returns
 * false if none is needed: its last record is not old. */
bool rf_moment_of(struct rf_moment_chunk *out, const uint8_t *part, uint64_t now_ticks,
                  int64_t now_ns);

/* What a log's MOMENT chunks say, in any order. */
struct rf_log_moment {
    uint64_t seq, ticks;
    uint64_t size;
    uint32_t process, slot;
};

/* Puts the moments into the parts of a log that is in order, as records of nothing with their
 * times. Returns RF_ERR_NO_MEMORY, or 0. */
int rf_log_apply_moments(struct rf_log *log, struct rf_log_moment *moment, size_t n);

#endif
