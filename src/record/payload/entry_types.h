/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of schemas, as far as following pointers needs them: sizes of NVTX's types in this
 * process, and which entries are pointers. */
#ifndef RF_RECORD_PAYLOAD_ENTRY_TYPES_H
#define RF_RECORD_PAYLOAD_ENTRY_TYPES_H

#include "log/nvtx_ext.h"
#include "record/platform.h"

#define RF_STATIC_IDS (1ULL << 24) /* types from here on are ids of schemas and enums */

/* NVTX_PAYLOAD_ENTRY_FLAG_ */
enum {
    RF_ENTRY_POINTER = 1 << 1,
    RF_ENTRY_OFFSET_FROM_HERE = 1 << 3,
    RF_ENTRY_OFFSET = 1 << 2 | RF_ENTRY_OFFSET_FROM_HERE,
    RF_ENTRY_ARRAY = 7 << 4,
    RF_ENTRY_FIXED = 1 << 4,
    RF_ENTRY_TERMINATED = 2 << 4,
    RF_ENTRY_LENGTH_INDEX = 3 << 4,
    RF_ENTRY_LENGTH_PAYLOAD = 4 << 4,
    RF_ENTRY_DEEP_COPY = 1 << 8,
};

/* NVTX_PAYLOAD_SCHEMA_FLAG_, _TYPE_, and types of texts */
enum { RF_SCHEMA_DEEP_COPY = 1 << 1 };
enum {
    RF_SCHEMA_STATIC = 1,
    RF_SCHEMA_DYNAMIC = 2,
    RF_SCHEMA_UNION = 3, /* an entry beside it selects the member */
    RF_SCHEMA_UNION_INTERNAL = 4,
};
enum {
    RF_TYPE_CSTRING = 75,
    RF_TYPE_CSTRING_UTF32 = 78,
    RF_TYPE_SELECTOR = 100,
    RF_TYPE_REFERENCED = 1022,
};

RF_INLINE bool rf_type_is_text(uint64_t type)
{
    return type >= RF_TYPE_CSTRING && type <= RF_TYPE_CSTRING_UTF32;
}

/* A text without a length stands elsewhere. */
RF_INLINE bool rf_entry_is_pointer(const struct rf_schema_entry *entry)
{
    return (entry->flags & RF_ENTRY_POINTER) != 0 ||
           (rf_type_is_text(entry->type) && entry->detail == 0 &&
            (entry->flags & (RF_ENTRY_ARRAY | RF_ENTRY_OFFSET)) == 0);
}

/* The entry is an address or an offset, of the size of one. */
RF_INLINE bool rf_entry_is_indirect(const struct rf_schema_entry *entry)
{
    return rf_entry_is_pointer(entry) || (entry->flags & RF_ENTRY_OFFSET) != 0;
}

/* The size of one element of a predefined type, of texts of a unit; 0: not known. */
size_t rf_type_size(uint64_t type);

/* Is it an integer whose value may be a length? Negative ones are 0. */
bool rf_type_is_integer(uint64_t type);
uint64_t rf_type_read(uint64_t type, const void *bytes);

#endif
