/* SPDX-License-Identifier: Apache-2.0 */
/* RF_OPEN_SUMS, RF_OPEN_PATHS: ranges are added to sums as they end and are not kept, so that
 * memory does not grow with the recording. */
#ifndef RF_MODEL_LOAD_SUMMING_H
#define RF_MODEL_LOAD_SUMMING_H

#include <stdbool.h>

#include "model/load/decode.h"

/* Takes what has ended out of a thread's events, when there are many: ranges go into the decoder's
 * sums. What another step still needs stays: open ranges, and events with payloads. */
void rf_sum_ended(struct rf_decoder *d, struct rf_load_thread *thread,
                  struct rf_load_stream *stream);

#define RF_SUM_MANY_EVENTS 256u /* more than fit into a fast cache cost more */

/* How many events make it time to; whether there are. */
static inline size_t rf_sum_many(const struct rf_load_thread *thread)
{
    return thread->enough > RF_SUM_MANY_EVENTS ? thread->enough : RF_SUM_MANY_EVENTS;
}

static inline bool rf_sum_has_many(const struct rf_load_thread *thread)
{
    return thread->n >= rf_sum_many(thread);
}

/* Counts ranges and marks of a domain that were not decoded (counting.h). */
void rf_sum_counted(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain,
                    uint64_t n_ranges, uint64_t n_marks);

/* Says that ranges cannot be added up by those around them; whether some thread said so. */
void rf_sum_no_paths(struct rf_load *load);
bool rf_sum_has_no_paths(const struct rf_load *load);

/* Adds a decoder's sums to those of all. remap: its strings in the recording, from name_base on;
 * NULL: they are the recording's. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_sums_join(struct rf_load *load, struct rf_decoder *d, const uint32_t *remap);

/* With RF_OPEN_PATHS, the step that adds what was kept, now that all has ended. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_load_paths(struct rf_load *load);

/* Whether ranges cannot be added up by those around them, or a thread turned out to stand in
 * several streams, or to have push/pop ranges with times of their own, after some of its events
 * were taken out: all has to be read again, and kept. */
bool rf_sums_are_wrong(const struct rf_load *load);

/* The last step: adds what was kept, and gives the sums to the recording. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_load_sums(struct rf_load *load);

#endif
