/* SPDX-License-Identifier: Apache-2.0 */
/* The ids of start/end ranges: a process, a stream, and a number there (docs/format.md, 4.3). */
#ifndef RF_MODEL_LOAD_RANGE_IDS_H
#define RF_MODEL_LOAD_RANGE_IDS_H

#include "log/layout.h"
#include "model/load/load.h"

static inline uint64_t rf_counter_of_id(uint64_t id)
{
    return id & ((1ULL << RF_ID_COUNTER_BITS) - 1);
}

/* The process of a number: its index, or RF_NO_INDEX. */
uint32_t rf_load_find_process(const struct rf_load *load, uint64_t number);

/* The stream in which a process would have begun the range of this id; NULL: there is none. */
const struct rf_load_stream *rf_load_stream_of_id(const struct rf_load *load, uint32_t process,
                                                  uint64_t id);

/* The range of a number in a stream, or NULL. */
struct rf_load_start *rf_load_start_at(const struct rf_load_stream *stream, uint64_t counter);

/* The range that a process began under this id, or NULL. */
const struct rf_load_start *rf_load_find_start(const struct rf_load *load, uint32_t process,
                                               uint64_t id);

#endif
