/* SPDX-License-Identifier: Apache-2.0 */
/* Events whose payloads say when and where they were. */
#ifndef RF_MODEL_NVTX_NVTX_DATED_H
#define RF_MODEL_NVTX_NVTX_DATED_H

#include "model/nvtx/nvtx_dates.h"

struct rf_load;

/* Gives an event of a thread, whose payloads have become a set, the times and the scope that they
 * say. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_nvtx_date_event(struct rf_nvtx_clocks *clocks, uint32_t thread, uint32_t event);

/* Gives an event the scope that its payloads say, if that is not the thread. likewise. */
int rf_nvtx_set_scope(struct rf_load *load, const struct rf_event *event,
                      const struct rf_nvtx_dates *dates);

/* Makes samples of the counters in the payloads of an event, which are a set. Returns as above. */
int rf_nvtx_sample_event(struct rf_load *load, uint32_t thread, const struct rf_event *event);

/* Marks an event one of whose own times is not known, or not used. */
void rf_nvtx_mark_placed(struct rf_load *load, const struct rf_event *event);

/* Notes that the times of a push/pop range are not those of its calls. Returns as above. */
int rf_nvtx_add_dated(struct rf_load *load, uint32_t thread, uint32_t event);

/* Makes start/end ranges of dated push/pop ranges that cross others of their thread and domain.
 * Returns as above. */
int rf_nvtx_nest(struct rf_load *load);

#endif
