/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a session that are about to be recycled, condensed: what they leave open is found in
 * a fraction of the time. */
#ifndef RF_LOG_OLD_PARTS_H
#define RF_LOG_OLD_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "log/reader.h"

/* The parts of a stream. */
struct rf_old_stream {
    size_t first, n; /* in the log */
    size_t n_in_log; /* the first ones: the others are copies of what stands in a pool, or follow
                        one */
    size_t n_old;    /* that go: the first ones */
    bool is_mixed;   /* a thread of it writes to another stream too */
};

/* Makes *old a log that has nothing but the parts that go, of which part[] alone is its own; their
 * copies are the log's. Those that are condensed look carried, for their records are counted in
 * *n_records. Returns RF_OK or RF_ERR_NO_MEMORY; part[] is to be freed in any case. */
int rf_old_parts(struct rf_log *old, struct rf_log *log, struct rf_old_stream *stream,
                 uint32_t n_streams, uint64_t *n_records);

#endif
