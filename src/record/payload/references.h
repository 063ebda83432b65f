/* SPDX-License-Identifier: Apache-2.0 */
/* What the pointers of payloads point to, as REFERENCE records (docs/format.md, section 11.2). */
#ifndef RF_RECORD_PAYLOAD_REFERENCES_H
#define RF_RECORD_PAYLOAD_REFERENCES_H

#include "record/payload/payload.h"
#include "record/payload/schema_layout.h"
#include "record/platform.h"

/* Bounds of one reference and of an event; how deep schemas and pointers are followed. */
#define RF_REFERENCE_SIZE  65536u
#define RF_REFERENCES_SIZE (1u << 20)
#define RF_MOST_REFERENCES 4096u
#define RF_DEEPEST         8u

/* How much is looked at of an event, or of all events of a batch: bytes that are searched for a
 * zero, and entries. Of what lies beyond, one event is counted as lost. */
#define RF_LOOK_LEAST    (2u << 20)
#define RF_LOOK_PER_BYTE 16u

/* bytes: of the payloads, or of events and flexData. */
RF_INLINE uint64_t rf_look_limit(uint64_t bytes)
{
    return RF_LOOK_LEAST + RF_LOOK_PER_BYTE * bytes;
}

/* Where schemas are found, and references go. */
struct rf_reference_host {
    rf_schema_finder *find;
    const void *where;  /* for find */
    uint64_t *may_look; /* at so much more: it becomes less */
    /* size: what the program's array has; copied: of these, from address on */
    void (*add)(struct rf_reference_host *host, const void *address, uint64_t size, size_t copied);
    void (*count_lost)(struct rf_reference_host *host, uint64_t n, uint64_t bytes);
};

/* Where offsets of a batch's events count from, in memory. bytes NULL: from each payload. */
struct rf_flex {
    const uint8_t *bytes; /* the first usable byte */
    size_t size;
    size_t skipped; /* before the first usable byte */
};

/* May pointers of these payloads point to something, so that their addresses are wanted? */
bool rf_references_are_possible(const struct rf_reference_host *host, struct rf_payloads payloads);

/* How much may be looked at of one event that has these. */
uint64_t rf_payloads_look_limit(struct rf_payloads payloads);

/* Adds what their pointers point to, where the schema says that it is to be copied. */
void rf_references_add(struct rf_reference_host *host, struct rf_payloads payloads);

/* The size of each event of a batch; 0: they may differ. */
size_t rf_references_event_size(struct rf_reference_host *host, uint64_t domain, uint64_t schema);

/* Likewise for an event of a batch, which begins where the only payload does. Returns where its
 * entries end; SIZE_MAX: not known. */
size_t rf_references_add_of_batch(struct rf_reference_host *host, struct rf_payloads payloads,
                                  struct rf_flex flex);

#endif
