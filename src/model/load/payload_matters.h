/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads in a recording that is summed up as it is read: most say nothing that sums need, and are
 * not kept. */
#ifndef RF_MODEL_LOAD_PAYLOAD_MATTERS_H
#define RF_MODEL_LOAD_PAYLOAD_MATTERS_H

#include "model/load/decode.h"

/* rf_decode_data() of a record of a domain, RF_NO_INDEX: of any domain of the process. Where ranges
 * are summed up, payloads that cannot change the name, the times or the place of an event, and have
 * no counters, are left out: 0. */
uint64_t rf_decode_needed_data(struct rf_decoder *d, struct rf_stream_cursor *cursor,
                               uint32_t domain);

/* The definition of a schema of a domain; RF_NO_INDEX: a predefined type, or unknown. */
uint32_t rf_decode_definition(struct rf_decoder *d, uint32_t domain, uint64_t id);

/* Whether a group that was read last says such things of an event. */
bool rf_decode_group_matters(struct rf_decoder *d, uint32_t domain, uint64_t group);

#endif
