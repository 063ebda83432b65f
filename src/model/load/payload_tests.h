/* SPDX-License-Identifier: Apache-2.0 */
/* --filter-payload of a recording that is summed up as it is read: the payloads of an event are
 * looked at when its record is decoded, and not kept. Those that can be read only when all is
 * decoded, for names or times that they say or strings that they name, are looked at then. */
#ifndef RF_MODEL_LOAD_PAYLOAD_TESTS_H
#define RF_MODEL_LOAD_PAYLOAD_TESTS_H

#include <stdbool.h>

#include "model/load/decode.h"

struct rf_payload_tests;

/* What rf_event.flags says instead while events are summed up: the payloads fit. */
#define RF_EVENT_PAYLOADS_FIT RF_EVENT_BAD_PAYLOAD

/* Those of a filter; is_final: of events whose payloads are the recording's. NULL: out of memory.
 */
struct rf_payload_tests *rf_payload_tests_new(struct rf_load *load, bool is_final);
void rf_payload_tests_free(struct rf_payload_tests *tests); /* or NULL */

/* Reads the payloads that follow the record of an event, and looks at all that it has. */
void rf_decode_tested_payloads(struct rf_decoder *d, struct rf_stream_cursor *cursor,
                               struct rf_event *event);

/* Whether the payloads of an event fit: as it was decoded, or of those that are the recording's. */
bool rf_payload_tests_fit(struct rf_payload_tests *tests, const struct rf_event *event);

/* Notes in the filter what was found. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_tests_join(const struct rf_payload_tests *tests, struct rf_filter *filter);

#endif
