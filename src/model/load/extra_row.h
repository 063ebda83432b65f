/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of kinds that are no events and no work of a GPU (model/extra.c), as they are read. */
#ifndef RF_MODEL_LOAD_EXTRA_ROW_H
#define RF_MODEL_LOAD_EXTRA_ROW_H

#include "model/extra.h"

struct rf_load;

/* The values of a row, by their places in model/extra.c. */
struct rf_extra_row {
    struct rf_extra extra;
    int64_t value[32];
};

/* One that has neither times, names, values nor places but its process. */
struct rf_extra_row rf_extra_row_new(enum rf_extra_kind kind, uint32_t process);

void rf_extra_row_set(struct rf_extra_row *row, unsigned i, uint64_t value);

/* Adds it to the recording. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_extra_row_add(struct rf_load *load, struct rf_extra_row *row);

#endif
