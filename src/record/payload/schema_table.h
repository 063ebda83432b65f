/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas and enums of this process by their ids, for payloads whose pointers are followed. A
 * look-up takes no lock; until a schema with pointers is registered there is none. */
#ifndef RF_RECORD_PAYLOAD_SCHEMA_TABLE_H
#define RF_RECORD_PAYLOAD_SCHEMA_TABLE_H

#include "record/payload/schema_layout.h"
#include "record/recorder.h"

/* Adds a definition of kind SCHEMA or ENUM. text: as rf_defs_add() returned it, or NULL. */
void rf_schemas_add(const char *text);

/* The last definition of an id. As many entries as the definition has room for. */
struct rf_schema rf_schemas_find(uint64_t domain, uint64_t id);

/* May a payload of this schema have pointers? */
RF_INLINE bool rf_schemas_may_have_pointers(uint64_t id)
{
    return (__atomic_load_n(&rf_recorder.pointer_bits, __ATOMIC_RELAXED) >> (id & 63) & 1) != 0;
}

/* May any payload? */
RF_INLINE bool rf_schemas_have_pointers(void)
{
    return __atomic_load_n(&rf_recorder.pointer_bits, __ATOMIC_RELAXED) != 0;
}

#endif
