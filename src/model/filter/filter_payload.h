/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_FILTER_PAYLOAD_H
#define RF_MODEL_FILTER_FILTER_PAYLOAD_H

#include <stdbool.h>

#include "model/payload/payload_lookup.h"
#include "rangefinder/rangefinder.h"

/* What --filter-payload asks of a value. */
struct rf_payload_test {
    struct rf_payload_lookup lookup;
    const char *text;        /* that the value is to be; NULL: any */
    bool is_number;          /* or the value is a number in: */
    long double least, most; /* holds every integer of 64 bits */
    int status;              /* RF_ERR_NO_MEMORY: no value fits */
};

/* Reads NAME=VALUE, NAME=MIN..MAX, NAME, VALUE or MIN..MAX. text lives as long as the test, which
 * is to be released even if this fails. Returns RF_OK, RF_ERR_USAGE, RF_ERR_NOT_FOUND
 * or RF_ERR_NO_MEMORY. */
int rf_payload_test_init(struct rf_payload_test *test, const rf_recording *rec, const char *text,
                         struct rf_err *err);

bool rf_payload_fits(struct rf_payload_test *test, const struct rf_event *event);

/* Once all events are looked at: the error if this failed, or no payload has the name. */
int rf_payload_test_check(const struct rf_payload_test *test, struct rf_err *err);

void rf_payload_test_release(struct rf_payload_test *test);

#endif
