/* SPDX-License-Identifier: Apache-2.0 */
/* Start/end ranges when all are known. */
#ifndef RF_MODEL_LOAD_START_ENDS_H
#define RF_MODEL_LOAD_START_ENDS_H

#include <stdint.h>

struct rf_load;

/* Makes an event of a thread, which begins no range of its stream, a start/end range. id: see
 * struct rf_start_end. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_load_make_start_end(struct rf_load *load, uint32_t thread, uint32_t event, uint64_t id);

/* The step that leaves out what no capture has, and numbers the ranges. */
int rf_load_number(struct rf_load *load);

#endif
