/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas all of whose values have a place that is the same in every payload: these values are read
 * without walking through the payload. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_FLAT_H
#define RF_MODEL_PAYLOAD_PAYLOAD_FLAT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/payload/payload_leaves.h"

#define RF_FLAT_MOST 4096u /* values of a schema; those of a payload are bounded, too */

/* Where the value of a column lies. */
struct rf_flat_step {
    const struct rf_payload_entry *entry;
    uint64_t at;
    uint32_t column;
    uint32_t order; /* of the values of the payload */
    bool is_number; /* rf_flat_number() reads it */
};

/* All zero: nothing yet. */
struct rf_payload_flat {
    struct rf_flat_step *step; /* by column, of which each is there once */
    uint32_t n;
    uint64_t size; /* bytes that a payload must have */
};

/* Gives the column of a path, RF_NO_INDEX: none; or sets *status, which ends it. entry: NULL for a
 * struct, which no step reads: RF_NO_INDEX, or a status, is all that can be said of it. */
typedef uint32_t rf_flat_column_fn(void *context, const struct rf_payload_path *path,
                                   const struct rf_payload_entry *entry, int *status);

/* Returns RF_OK; RF_ERR_UNSUPPORTED: the schema is none of these; RF_ERR_NO_MEMORY. On failure
 * nothing is to be released. */
int rf_payload_flat_init(struct rf_payload_flat *flat, const rf_recording *rec,
                         const struct rf_payload_schema *schema, struct rf_payload_path *path,
                         rf_flat_column_fn *column_of, void *context);

/* The step of a column; NULL: payloads of the schema do not have it. */
const struct rf_flat_step *rf_payload_flat_find(const struct rf_payload_flat *flat,
                                                uint32_t column);

/* Fills in the kind, the flags and the number of a value. */
void rf_flat_number(const struct rf_flat_step *step, const uint8_t *payload,
                    struct rf_value *value);

void rf_payload_flat_release(struct rf_payload_flat *flat);

#endif
