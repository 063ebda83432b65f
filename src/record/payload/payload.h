/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads as a program passes them. */
#ifndef RF_RECORD_PAYLOAD_PAYLOAD_H
#define RF_RECORD_PAYLOAD_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/* One payload (nvtxPayloadData_t). */
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

#endif
