/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of NVTX's extension behind a record: docs/format.md, section 11.2. */
#ifndef RF_RECORD_PAYLOAD_PAYLOADS_H
#define RF_RECORD_PAYLOAD_PAYLOADS_H

#include "record/stream/bundle.h"

/* One payload as the program passes it (nvtxPayloadData_t). */
struct rf_payload {
    uint64_t schema;
    size_t size; /* SIZE_MAX: of a text that ends with a zero */
    const void *bytes;
};

/* Those of one event. */
struct rf_payloads {
    const struct rf_payload *first; /* may be NULL */
    size_t n;
    uint64_t domain;
};

#define RF_MOST_PAYLOADS     4096u
#define RF_MOST_PAYLOAD_SIZE (1u << 28)

/* Adds the DATA of an event's payloads. */
void rf_payloads_add(struct rf_bundle *b, struct rf_payloads payloads);

#endif
