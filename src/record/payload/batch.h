/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of events whose pointers lead elsewhere: such an event has a record of its own, with what
 * it points to (docs/format.md, section 11.3). */
#ifndef RF_RECORD_PAYLOAD_BATCH_H
#define RF_RECORD_PAYLOAD_BATCH_H

#include "record/payload/references.h"

/* Bytes of flexData that are copied for such events of one batch, each of which needs it. */
#define RF_MOST_FLEX_COPIED (16u << 20)

struct rf_batch {
    uint64_t schema;
    uint64_t domain;
    const uint8_t *events;
    size_t size; /* of all events */
    struct rf_flex flex;
};

/* Where schemas are found, and records go. */
struct rf_batch_host {
    rf_schema_finder *find;
    const void *where; /* for find */
    /* Writes a record of events. points: it is one event, and what it points to is to be added.
     * False: no more records are wanted. */
    bool (*write)(struct rf_batch_host *host, const uint8_t *events, size_t size, bool points);
    /* Of n events something is left out that they point to. */
    void (*count_lost)(struct rf_batch_host *host, uint64_t n);
};

/* The size of each event, which the schema says; 0: they may differ. */
size_t rf_batch_event_size(const struct rf_batch_host *host, const struct rf_batch *batch);

/* How much may be looked at of all events, whatever their arrays are: what their bytes take many
 * times over, so that the time grows with them. */
uint64_t rf_batch_look_limit(const struct rf_batch *batch);

/* The size of the event at an offset; SIZE_MAX: not known. fixed: what rf_batch_event_size() says.
 * may_look: at first what rf_batch_look_limit() says; it becomes less. n_copied: NULL, or how many
 * bytes are to be copied that it points to. *points: whether there are any, or some that are lost.
 */
size_t rf_batch_measure(const struct rf_batch_host *host, const struct rf_batch *batch,
                        size_t fixed, size_t at, uint64_t *may_look, bool *points,
                        uint64_t *n_copied);

/* Divides the batch into records. What lies behind an event of an unknown size is written as it
 * is. Where no more may be looked at, what events point to is counted as lost, and not copied.
 * Returns what the last write() did. */
bool rf_batch_divide(struct rf_batch_host *host, const struct rf_batch *batch);

#endif
