/* SPDX-License-Identifier: Apache-2.0 */
/* What the payload of a range says about the operation that it is of. Fields are known by the names
 * that NCCL gives them, and by plain ones. */
#ifndef RF_MODEL_COLLECTIVES_COLLECTIVE_PAYLOAD_H
#define RF_MODEL_COLLECTIVES_COLLECTIVE_PAYLOAD_H

#include "model/payload/payload_lookup.h"

enum rf_collective_field {
    RF_COLLECTIVE_COMMUNICATOR,
    RF_COLLECTIVE_BYTES,
    RF_COLLECTIVE_RANK,
    RF_COLLECTIVE_N_FIELDS
};

#define RF_COLLECTIVE_N_NAMES 3 /* that a field may have */

/* All zero: nothing yet. */
struct rf_collective_payload {
    struct rf_payload_lookup lookup[RF_COLLECTIVE_N_FIELDS][RF_COLLECTIVE_N_NAMES];
    bool is_ready;
};

/* The fields of an event that are there and not negative; has: by field. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_collective_payload_of(struct rf_collective_payload *payload, const rf_recording *rec,
                             const struct rf_event *event, bool has[RF_COLLECTIVE_N_FIELDS],
                             uint64_t value[RF_COLLECTIVE_N_FIELDS]);

void rf_collective_payload_release(struct rf_collective_payload *payload);

#endif
