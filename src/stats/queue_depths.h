/* SPDX-License-Identifier: Apache-2.0 */
/* How much work of a stream had been asked for and had not ended, at any time. */
#ifndef RF_STATS_QUEUE_DEPTHS_H
#define RF_STATS_QUEUE_DEPTHS_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_queue_depths {
    const rf_recording *rec;
    int64_t *called_ns; /* per piece of work: when it was asked for; sorted in each track */
    int64_t *ended_ns;  /* likewise: when it had ended, after it was asked for */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_queue_depths_init(struct rf_queue_depths *depths, const rf_recording *rec);
void rf_queue_depths_release(struct rf_queue_depths *depths);

/* The pieces of work of a track that were asked for before a time and had not ended by then. Work
 * whose call is not known was asked for when it began. */
uint64_t rf_queue_depth_at(const struct rf_queue_depths *depths, uint32_t track, int64_t ns);

#endif
