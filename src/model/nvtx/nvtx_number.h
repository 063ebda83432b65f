/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as entries of schemas hold them. */
#ifndef RF_MODEL_NVTX_NVTX_NUMBER_H
#define RF_MODEL_NVTX_NVTX_NUMBER_H

#include "model/payload/schemas.h"

/* A predefined type of numbers. */
struct rf_number_type {
    uint8_t form; /* enum rf_entry_form; RF_ENTRY_INVALID: it is none */
    uint8_t size;
};

/* The numbers that an entry consists of. */
struct rf_number_type rf_number_type_of(const struct rf_payload_entry *entry);

static inline bool rf_is_whole_number(const struct rf_number_type *type)
{
    return type->form == RF_ENTRY_SIGNED || type->form == RF_ENTRY_UNSIGNED;
}

/* What a counter says of such numbers: enum rf_counter_number. */
static inline uint8_t rf_counter_number_of(const struct rf_number_type *type)
{
    return type->form == RF_ENTRY_SIGNED     ? RF_COUNTER_INT64
           : type->form == RF_ENTRY_UNSIGNED ? RF_COUNTER_UINT64
                                             : RF_COUNTER_REAL;
}

/* Reads a number. Returns true for one that *integer holds, with the sign of its type; else it is
 * *real. */
bool rf_number_read(const struct rf_number_type *type, const uint8_t *bytes, uint64_t *integer,
                    double *real);

#endif
