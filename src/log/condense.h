/* SPDX-License-Identifier: Apache-2.0 */
/* A part without what leaves nothing open: ranges that begin and end in it, marks, and all else
 * that a walk over its records (open_ranges.h) passes over. That walk finds the same in both. */
#ifndef RF_LOG_CONDENSE_H
#define RF_LOG_CONDENSE_H

#include "log/layout.h"
#include "log/part_reader.h"

struct rf_condenser;

/* NULL: out of memory. */
struct rf_condenser *rf_condenser_new(void);
void rf_condenser_free(struct rf_condenser *condenser);

struct rf_condensed {
    const uint8_t *data; /* chunk header, part header, records; valid until the next call */
    uint32_t size;
    uint64_t n_records; /* of the part itself, but for DATA */
};

/* What a thread's number in a part is called. It may be called several times for one. */
typedef void rf_condense_thread(void *context, uint32_t tid, uint32_t serial);

/* Condenses a part. Returns false where it is to be taken as it is: it is not whole, or hardly
 * anything would go. on_thread: told of the threads whose records are in it, in any case. Not for
 * parts of a thread that writes to several streams: what a pop ends there is decided by time. */
bool rf_condense(struct rf_condenser *condenser, struct rf_part_reader *reader,
                 const struct rf_log_part *part, rf_condense_thread *on_thread, void *context,
                 struct rf_condensed *condensed);

#endif
