/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of NVTX's extension behind a record: docs/format.md, section 11.2. */
#ifndef RF_RECORD_PAYLOAD_PAYLOADS_H
#define RF_RECORD_PAYLOAD_PAYLOADS_H

#include "record/payload/batch.h"
#include "record/payload/payload.h"
#include "record/stream/bundle.h"

/* Adds the DATA of an event's payloads. */
void rf_payloads_add(struct rf_bundle *b, struct rf_payloads payloads);

/* Adds what an event of a batch points to. */
void rf_payloads_add_of_batch(struct rf_bundle *b, const struct rf_batch *batch,
                              const uint8_t *event, size_t size);

#endif
