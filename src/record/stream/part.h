/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a stream: docs/format.md, section 6. A full part is appended to the log by the
 * drainer, or by this thread if it finds no free part. */
#ifndef RF_RECORD_STREAM_PART_H
#define RF_RECORD_STREAM_PART_H

#include "record/stream/writer.h"

/* The headers of the process's pool. */
struct rf_pool_header *rf_pool_header(void);
struct rf_pool_slot *rf_pool_slot_header(uint32_t slot);

/* Makes the pages of a part. */
bool rf_part_make(uint32_t slot, uint32_t index);

/* Fills the headers of a part, which has pages, and makes it the active one. */
void rf_part_begin(struct rf_writer *writer, uint32_t index);

/* Ends the active part and begins the next. The writer must be busy; parked_end is the new end. */
void rf_part_next(struct rf_writer *writer);

void rf_part_wake_drainer(void);

#endif
