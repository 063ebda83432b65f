/* SPDX-License-Identifier: Apache-2.0 */
/* --filter-payload and --group-by of a recording that is summed up as it is read: the payloads of
 * an event are looked at when its record is decoded, and not kept. Those that can be read only when
 * all is decoded, for names or times that they say or strings that they name, are looked at then.
 */
#ifndef RF_MODEL_LOAD_PAYLOAD_TESTS_H
#define RF_MODEL_LOAD_PAYLOAD_TESTS_H

#include <stdbool.h>

#include "model/load/decode.h"

struct rf_payload_tests;

/* Whether payloads are looked at. */
static inline bool rf_load_reads_payloads(const struct rf_load *load)
{
    return load->selection.filter.n_payloads > 0 || load->group_by != NULL;
}

/* What rf_event.flags says instead while events are summed up: the payloads fit. */
#define RF_EVENT_PAYLOADS_FIT RF_EVENT_BAD_PAYLOAD

/* Those of a filter; is_final: of events whose payloads are the recording's. strings: of the values
 * by which ranges are grouped, which are numbered from name_base on. NULL: out of memory. */
struct rf_payload_tests *rf_payload_tests_new(struct rf_load *load, struct rf_strings *strings,
                                              uint32_t name_base, bool is_final);
void rf_payload_tests_free(struct rf_payload_tests *tests); /* or NULL */

/* Reads the payloads that follow the record of an event, and looks at all that it has. */
void rf_decode_tested_payloads(struct rf_decoder *d, struct rf_stream_cursor *cursor,
                               struct rf_event *event);

/* Whether the payloads of an event fit: as it was decoded, or of those that are the recording's. */
bool rf_payload_tests_fit(struct rf_payload_tests *tests, const struct rf_event *event);

/* The value by which an event is grouped, likewise: 1 + its string; 0: it has none. Returns RF_OK
 * or RF_ERR_NO_MEMORY. */
int rf_payload_tests_value(struct rf_payload_tests *tests, const struct rf_event *event,
                           uint32_t *value);

/* Notes in the filter what was found. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_tests_join(const struct rf_payload_tests *tests, struct rf_filter *filter);

#endif
