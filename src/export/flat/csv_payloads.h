/* SPDX-License-Identifier: Apache-2.0 */
/* The last columns of CSV: payload.PATH for each value that payloads have. */
#ifndef RF_EXPORT_FLAT_CSV_PAYLOADS_H
#define RF_EXPORT_FLAT_CSV_PAYLOADS_H

#include "base/sink.h"
#include "rangefinder/rangefinder.h"

/* All zero: no columns. */
struct rf_csv_payloads {
    rf_payload_columns *columns;
    rf_payload_cells *cells;
    uint32_t n;
    uint32_t none; /* the column of what is a payload as a whole, which `payload` shows; or
                      RF_NO_INDEX */
};

/* Returns RF_OK, or RF_ERR_NO_MEMORY; it is to be released either way. */
int rf_csv_payloads_init(struct rf_csv_payloads *payloads, const rf_recording *rec,
                         struct rf_err *err);

/* Each name, with a comma before it. */
void rf_csv_payloads_put_names(const struct rf_csv_payloads *payloads, struct rf_sink *sink);

/* The values of an event, each with a comma before it; NULL: of a row that is none. */
void rf_csv_payloads_put(const struct rf_csv_payloads *payloads, struct rf_sink *sink,
                         const struct rf_event *event);

void rf_csv_payloads_release(struct rf_csv_payloads *payloads);

#endif
