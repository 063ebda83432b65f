/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of what payloads have: payload.PATH. Each recording has its own. */
#ifndef RF_READER_PAYLOAD_COLUMNS_H
#define RF_READER_PAYLOAD_COLUMNS_H

#include "kind.h"

/* A column of a recording; the values are those of column `index` of the plan. */
struct payload_column {
    struct column column;
    struct payload_columns *all;
    uint32_t index;
};

struct payload_columns {
    rf_payload_columns *plan;
    struct payload_column *column; /* but for the one of payloads that are one value */
    size_t n;
    char *names;
    struct payload_cache *cache;
};

/* Without the GIL. NULL with *err filled. */
struct payload_columns *payload_columns_new(const rf_recording *rec, struct rf_err *err);
void payload_columns_free(struct payload_columns *columns); /* NULL is accepted */

#endif
