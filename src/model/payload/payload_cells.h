/* SPDX-License-Identifier: Apache-2.0 */
/* The values that an event has in the columns of payloads. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_CELLS_H
#define RF_MODEL_PAYLOAD_PAYLOAD_CELLS_H

#include "rangefinder/rangefinder.h"

#define RF_PAYLOAD_PATH_MAX 4096 /* bytes in the path of a column */

/* Like rf_payload_cell(), but not turned into the column's type. Of an array `text` is JSON. */
int rf_payload_cell_as_it_is(rf_payload_cells *cells, const struct rf_event *event, uint32_t column,
                             struct rf_value *value);

/* The same in all columns: an array that is valid until the next call; NULL: out of memory. */
const struct rf_value *rf_payload_cells_of(rf_payload_cells *cells, const struct rf_event *event);

/* Turns a value of rf_payload_cells_of() into the type of its column. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_payload_cell_convert(rf_payload_cells *cells, uint32_t column, struct rf_value *value);

#endif
