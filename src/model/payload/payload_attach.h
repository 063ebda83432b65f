/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_ATTACH_H
#define RF_MODEL_PAYLOAD_PAYLOAD_ATTACH_H

#include "model/payload/payload_sets.h"

/* What one call was given; n 0: nothing. */
struct rf_payload_items {
    struct rf_payload_item *item;
    uint32_t n;
};

/* Makes the payloads of an event: finds their schemas, which are laid out, and gives the event what
 * payloads say of it (its message, category, color), RF_EVENT_BAD_PAYLOAD, or none where nothing is
 * to be shown. The items stay where they are, and live as long as the recording, whose `payloads`
 * is there. process: index, before any filter. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_attach(rf_recording *rec, struct rf_event *event, uint32_t process,
                      struct rf_payload_items begin, struct rf_payload_items end);

#endif
