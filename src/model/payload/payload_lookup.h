/* SPDX-License-Identifier: Apache-2.0 */
/* The value that events have at one path of their payloads, in any of the forms that payloads have:
 * NVTX's own numbers, payloads of its extension, JSON of databases of nsys. payload_leaves.h says
 * what a path is. The payload itself has the empty path. What has a path is a number or a text;
 * arrays and structs are JSON text. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_LOOKUP_H
#define RF_MODEL_PAYLOAD_PAYLOAD_LOOKUP_H

#include "base/map.h"
#include "model/payload/payload_leaves.h"
#include "model/strings.h"
#include "rangefinder/rangefinder.h"

/* All zero: nothing yet. */
struct rf_payload_lookup {
    rf_payload_columns *columns; /* one: of the path */
    rf_payload_cells *cells;
    struct rf_payload_path path; /* of the schema that is being laid out */
    uint32_t n_steps;            /* of all schemas so far */
    bool has_found;              /* some event has the path */
    struct rf_map label_of;      /* (kind, number) to label */
    struct rf_json_text json;
};

/* name: "payload" is the payload itself, "payload.PATH" or "PATH" a value in it. It is `size` bytes
 * and not empty. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_lookup_init(struct rf_payload_lookup *lookup, const rf_recording *rec,
                           const char *name, size_t size);

/* The value of an event; kind NULL: it has none. Text is valid until the next call. Returns RF_OK
 * or RF_ERR_NO_MEMORY. */
int rf_payload_lookup_value(struct rf_payload_lookup *lookup, const struct rf_event *event,
                            struct rf_value *value);

/* The text that stands for an event's value, among strings that are always the same ones: numbers
 * are as JSON has them. RF_NO_STRING: it has no value. */
int rf_payload_lookup_label(struct rf_payload_lookup *lookup, struct rf_strings *labels,
                            const struct rf_event *event, uint32_t *label);

/* Fails with RF_ERR_NOT_FOUND and the names that there are if no payload of the recording has the
 * path. It searches where no event was found. */
int rf_payload_lookup_check(const struct rf_payload_lookup *lookup, struct rf_err *err);

void rf_payload_lookup_release(struct rf_payload_lookup *lookup);

#endif
