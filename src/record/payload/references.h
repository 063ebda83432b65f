/* SPDX-License-Identifier: Apache-2.0 */
/* What the pointers of payloads point to, as REFERENCE records (docs/format.md, section 11.2). */
#ifndef RF_RECORD_PAYLOAD_REFERENCES_H
#define RF_RECORD_PAYLOAD_REFERENCES_H

#include "record/payload/payloads.h"

/* Bounds of one reference and of an event; how deep schemas and pointers are followed. */
#define RF_REFERENCE_SIZE  65536u
#define RF_REFERENCES_SIZE (1u << 20)
#define RF_MOST_REFERENCES 4096u
#define RF_DEEPEST         8u

/* May pointers of these payloads point to something, so that their addresses are wanted? */
bool rf_references_are_possible(struct rf_payloads payloads);

/* Adds what their pointers point to, where the schema says that it is to be copied. */
void rf_references_add(struct rf_bundle *b, struct rf_payloads payloads);

#endif
