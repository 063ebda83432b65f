/* SPDX-License-Identifier: Apache-2.0 */
/* EXT records of events (docs/format.md, section 11.3), when their streams are read. */
#ifndef RF_MODEL_NVTX_NVTX_SUBMITTED_H
#define RF_MODEL_NVTX_NVTX_SUBMITTED_H

#include "model/load/decode.h"
#include "model/nvtx/nvtx_data.h"
#include "model/nvtx/nvtx_tracks.h"

/* Of EVENTS, from word 2 on. */
#define RF_NVTX_BATCH_WORDS 5u

/* Takes the event whose payloads follow at the cursor. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_nvtx_take_event(struct rf_decoder *d, const struct rf_nvtx_source *from,
                       struct rf_stream_cursor *cursor, int64_t ns);

/* Takes the events of a batch. word: RF_NVTX_BATCH_WORDS. Returns as above. */
int rf_nvtx_take_events(struct rf_decoder *d, const struct rf_nvtx_source *from,
                        const struct rf_nvtx_data *data, const uint64_t *word, int64_t ns);

#endif
