/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas as they are decoded by: where each entry lies and what it is. A schema of a program may
 * be anything: what cannot be laid out has the form INVALID, and its bytes are shown as bytes. */
#ifndef RF_MODEL_PAYLOAD_SCHEMAS_H
#define RF_MODEL_PAYLOAD_SCHEMAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/payload/nvtx_definitions.h"
#include "rangefinder/rangefinder.h"

#define RF_PAYLOAD_LENGTHS 16u /* entries of a schema that say how long others are, or select */

/* How one element of an entry is read. */
enum rf_entry_form {
    RF_ENTRY_INVALID,
    RF_ENTRY_UNSIGNED, /* 1, 2, 4, 8 or 16 bytes */
    RF_ENTRY_SIGNED,
    RF_ENTRY_FLOAT,    /* IEEE 754: 2, 4, 8 or 16 bytes */
    RF_ENTRY_EXTENDED, /* x87's 80 bits in 12 or 16 bytes */
    RF_ENTRY_BFLOAT,
    RF_ENTRY_CHAR, /* a code unit of 1, 2 or 4 bytes */
    RF_ENTRY_BYTE,
    RF_ENTRY_ADDRESS,
    RF_ENTRY_STRING,     /* size: of a code unit */
    RF_ENTRY_REGISTERED, /* the handle of a registered string */
    RF_ENTRY_SELECTOR,   /* of a union */
    RF_ENTRY_ENUM,       /* target: the definition */
    RF_ENTRY_STRUCT,     /* target: the definition of the schema */
};

/* Numbers of NVTX that are treated each in their own way. */
enum rf_nvtx_type {
    RF_NVTX_CHAR = 1,
    RF_NVTX_ADDRESS = 23,
    RF_NVTX_CHAR32 = 27, /* the last one whose size depends on the program */
    RF_NVTX_RANGE_ID = 67,
    RF_NVTX_CATEGORY = 68,
    RF_NVTX_COLOR_ARGB = 69,
    RF_NVTX_SCOPE_ID = 70,
    RF_NVTX_TID_UINT32 = 73,
    RF_NVTX_TID_UINT64 = 74,
    RF_NVTX_CSTRING = 75,
    RF_NVTX_CSTRING_UTF32 = 78,
    RF_NVTX_REFERENCED = 1022,
    RF_NVTX_RAW = 1023,
};

enum rf_entry_flags {
    RF_ENTRY_POINTER = 1 << 1,
    RF_ENTRY_OFFSET_FROM_BASE = 1 << 2,
    RF_ENTRY_OFFSET_FROM_HERE = 1 << 3,
    RF_ENTRY_INDIRECT = 7 << 1, /* any of the three */
    RF_ENTRY_ARRAY = 7 << 4,    /* a field: enum rf_entry_array */
    RF_ENTRY_DEEP_COPY = 1 << 8,
    RF_ENTRY_HIDE = 1 << 9,
    RF_ENTRY_MESSAGE = 1 << 10,
    RF_ENTRY_TIMESTAMP = 2 << 10,
    RF_ENTRY_ROLE = 7 << 12, /* a field */
    RF_ENTRY_RANGE_BEGIN = 1 << 12,
    RF_ENTRY_RANGE_END = 2 << 12,
    RF_ENTRY_MARK = 3 << 12,
    RF_ENTRY_COUNTER = 4 << 12,
};

enum rf_entry_array {
    RF_ARRAY_NONE = 0,
    RF_ARRAY_FIXED = 1 << 4,
    RF_ARRAY_ZERO_TERMINATED = 2 << 4,
    RF_ARRAY_LENGTH_INDEX = 3 << 4,
    RF_ARRAY_LENGTH_PAYLOAD = 4 << 4,
};

enum rf_payload_schema_type {
    RF_SCHEMA_STATIC = 1,
    RF_SCHEMA_DYNAMIC = 2,
    RF_SCHEMA_UNION = 3,
    RF_SCHEMA_UNION_INTERNAL = 4,
};

struct rf_payload_entry {
    uint64_t flags; /* enum rf_entry_flags */
    uint64_t type;  /* as the program gave it */
    uint64_t detail;
    uint64_t at;      /* in the schema, where has_place */
    const char *name; /* its number where it has none */
    const char *description;
    uint32_t semantics;   /* offset in the definition of its schema */
    uint32_t schema;      /* that definition; RF_NO_INDEX: a predefined type alone */
    uint32_t target;      /* definition, or RF_NO_INDEX */
    uint32_t size, align; /* of an element; size 0: it is not known before it is decoded */
    uint8_t form;         /* enum rf_entry_form */
    uint8_t slot;   /* 1 + where its place is kept for an entry that needs its value; 0: nowhere */
    bool has_place; /* every payload has it at `at` */
    bool is_named;
};

struct rf_payload_schema {
    const char *name; /* NULL: none */
    uint64_t flags;   /* as the program gave them */
    uint64_t size;    /* of a payload, with the padding at its end; 0: it varies */
    struct rf_payload_entry *entry;
    uint32_t n_entries;
    uint32_t align;
    uint32_t only;   /* the entry whose value is shown as that of the whole; RF_NO_INDEX: none */
    uint8_t type;    /* enum rf_payload_schema_type; 0: it cannot be decoded */
    uint8_t address; /* the size of a pointer */
    bool is_plain;   /* a payload of `size` bytes can be decoded, whatever they are */
    bool has_attributes; /* an entry may set the message, the category or the color of an event */
    bool has_dates;      /* an entry may set the time, the scope or the id of an event */
    bool has_counters;   /* an entry is a counter */
    bool has_handles;    /* an entry is the handle of a registered string */
    bool is_wrapper;     /* where it is nested, the value of its only entry stands for it */
    bool is_laid_out;    /* it, and what it consists of */
    char (*number)[12];  /* names of entries that have none */
};

/* Lays out all schemas, when all are defined. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_schemas_lay_out(const rf_recording *rec);

/* The schema of a definition; NULL: it is none. */
const struct rf_payload_schema *rf_payload_schema_at(const rf_recording *rec, uint32_t definition);

/* One element of a predefined type as the programs of a process have it. */
struct rf_payload_entry rf_payload_predefined(const rf_recording *rec, uint32_t process,
                                              uint64_t type);

void rf_payload_schemas_release(struct rf_nvtx_definitions *all);

#endif
