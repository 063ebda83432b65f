/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads as JSON: objects, lists, numbers, strings. Bytes are strings of hexadecimal digits,
 * addresses strings "0x...", numbers that are not finite "nan", "inf", "-inf". */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_JSON_H
#define RF_MODEL_PAYLOAD_PAYLOAD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"
#include "rangefinder/rangefinder.h"

enum rf_json_flags {
    RF_JSON_SHOWN = RF_VISIT_SHOWN,
    RF_JSON_EXACT = 2, /* integers that a double does not hold are strings */
};

/* Writes values in the order in which visitors receive them. */
struct rf_json_writer {
    struct rf_sink *sink;
    unsigned flags;
    unsigned depth;
    uint64_t objects; /* bit d: at depth d is an object */
    bool is_first;    /* of the values of an object or list; true at the beginning */
};

/* A rf_value_visitor; context: a struct rf_json_writer. Returns 0: errors are the sink's. */
int rf_json_put_value(void *context, const struct rf_value *value);

/* Writes the payloads of an event whose payload_type is RF_TYPE_EXTENDED. */
void rf_sink_payloads(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event,
                      unsigned flags);

/* The same as text in memory that is used again. All zero: nothing yet. */
struct rf_json_text {
    struct rf_sink sink;
    char *text; /* what was too long for the sink's buffer */
    size_t used, room;
    int status;
};

/* What is written to text->sink between these two. Returns RF_OK or RF_ERR_NO_MEMORY; NUL-ended
 * text that is valid until the next beginning, or NULL when out of memory. */
int rf_json_text_begin(struct rf_json_text *text);
const char *rf_json_text_end(struct rf_json_text *text, size_t *size);

/* The payloads of an event, likewise. */
const char *rf_json_text_of(struct rf_json_text *text, const rf_recording *rec,
                            const struct rf_event *event, unsigned flags, size_t *size);

void rf_json_text_release(struct rf_json_text *text);

#endif
