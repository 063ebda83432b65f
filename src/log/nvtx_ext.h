/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded of NVTX's payload, counters and memory extensions (docs/format.md, section 11):
 * definitions (RF_REC_NVTX_DEF), bytes that belong to a record (RF_REC_DATA), counters and events
 * of another time (RF_REC_EXT). Types, flags and ids are NVTX's. */
#ifndef RF_LOG_NVTX_EXT_H
#define RF_LOG_NVTX_EXT_H

#include <stdint.h>

/* ---- Definitions: rf_def.index; domain is the domain's handle, value the id ----
 *
 * Names and semantics are offsets in the definition's text; 0: there is none. */

enum rf_nvtx_def {
    RF_NVTX_DEF_SCHEMA = 1,        /* struct rf_schema_def, struct rf_schema_entry[] */
    RF_NVTX_DEF_ENUM = 2,          /* struct rf_enum_def, struct rf_enum_entry[] */
    RF_NVTX_DEF_SCOPE = 3,         /* struct rf_scope_def */
    RF_NVTX_DEF_COUNTER = 4,       /* struct rf_counter_def */
    RF_NVTX_DEF_TYPE_SIZES = 5,    /* struct rf_type_size[], by number of the entry type */
    RF_NVTX_DEF_TIME_DOMAIN = 6,   /* struct rf_time_domain_def */
    RF_NVTX_DEF_TIME_RELATION = 7, /* struct rf_time_relation_def, struct rf_sync_point[]; no id */
    RF_NVTX_DEF_STREAM = 8,        /* struct rf_stream_def; the id is a tid */
    RF_NVTX_DEF_HEAP = 9,          /* struct rf_heap_def; the id is its handle */
};

struct rf_schema_def {
    uint64_t flags;
    uint64_t static_size;
    uint64_t pack_align;
    uint32_t type;
    uint32_t n_entries;
    uint32_t name;
    uint32_t reserved;
};

struct rf_schema_entry {
    uint64_t flags;
    uint64_t type; /* a predefined type, or the id of a schema or enum */
    uint64_t detail;
    uint64_t offset;
    uint32_t name;
    uint32_t description;
    uint32_t semantics;
    uint32_t reserved;
};

struct rf_enum_def {
    uint64_t size; /* of a value, in bytes */
    uint32_t n_entries;
    uint32_t name;
};

struct rf_enum_entry {
    uint64_t value;
    uint32_t name;
    uint32_t is_flag;
};

struct rf_scope_def {
    uint64_t parent;
    uint32_t path;
    uint32_t reserved;
};

struct rf_counter_def {
    uint64_t schema;
    uint64_t scope;
    uint32_t name;
    uint32_t description;
    uint32_t semantics;
    uint32_t reserved;
};

/* A C type as the program was compiled. */
struct rf_type_size {
    uint16_t size;
    uint16_t align;
};

struct rf_time_domain_def {
    uint64_t scope;
    uint64_t type; /* NVTX_TIMESTAMP_TYPE_ */
    uint64_t flags;
    int64_t resolution; /* ticks per second; 0: not known */
    uint64_t start;
};

/* How two time domains go together. */
struct rf_time_relation_def {
    uint64_t from, to;
    double slope; /* of `to` by `from`, through the first point; 0: there are points alone */
    uint32_t n_points;
    uint32_t reserved;
};

/* The same moment in both. */
struct rf_sync_point {
    int64_t from, to;
};

/* What a stream of NVTXW says of its events and samples, which have a thread of their own. */
struct rf_stream_def {
    uint64_t scope;       /* of what names none */
    uint64_t time_domain; /* likewise */
    int16_t interleaving; /* NVTXW_STREAM_ORDER_INTERLEAVING_ */
    int16_t ordering;     /* NVTXW_STREAM_ORDERING_TYPE_ */
    int32_t skid;         /* NVTXW_STREAM_ORDERING_SKID_ */
    int64_t skid_amount;
};

struct rf_heap_def {
    uint64_t address; /* 0: not known, likewise size */
    uint64_t size;
    uint64_t string; /* handle of a registered string: its name; 0: none */
    uint32_t usage;  /* NVTX_MEM_HEAP_USAGE_ */
    uint32_t type;   /* NVTX_MEM_TYPE_ */
    uint32_t category;
    uint32_t name;
};

/* Handles of heaps, regions and permissions: from here on. */
#define RF_MEMORY_HANDLES (1ULL << 63)

#define RF_SEMANTICS_MOST 16u

/* One link of a chain; the fields that its id has, see docs/format.md. */
struct rf_semantics {
    uint16_t id;
    uint16_t version;
    uint32_t next;
    uint64_t flags;
    uint64_t value;
    uint64_t scale_numerator;
    uint64_t scale_denominator;
    uint64_t min;
    uint64_t max;
    uint32_t unit;
    uint32_t limit_type;
};

/* ---- Records: bits 0-7 of word 1 ---- */

#define RF_DATA_ADDRESS      0x100u /* PAYLOAD: word 4 is the payload's address */
#define RF_EXT_DOMAIN_SHIFT  8
#define RF_EXT_DOMAIN_ESCAPE 0xffffffu

enum rf_data_kind {
    RF_DATA_PAYLOAD = 1,   /* schema id, size[, address] */
    RF_DATA_REFERENCE = 2, /* address, size */
    RF_DATA_ARRAY = 3,     /* which, size */
    RF_DATA_MORE = 4,      /* the bytes before go on from word 2 */
};

enum rf_ext_kind {
    RF_EXT_INT64 = 1,    /* counter id, value[, timestamp] */
    RF_EXT_FLOAT64 = 2,  /* counter id, value[, timestamp] */
    RF_EXT_NO_VALUE = 3, /* counter id, reason[, timestamp] */
    RF_EXT_SAMPLE = 4,   /* counter id[, timestamp]; ARRAY 0 */
    RF_EXT_BATCH = 5,    /* counter id, flags; ARRAY 0 samples, 1 timestamps */
    RF_EXT_EVENT = 6,    /* PAYLOADs follow */
    RF_EXT_EVENTS = 7,   /* schema id, scope, flags, offset and address of flexData; ARRAY 0 events,
                          * 1 flexData */
    RF_EXT_REGIONS = 8,  /* heap, handle of the first or 0, type; address and size of each */
    RF_EXT_RESIZE = 9,   /* type; address and size of each */
    RF_EXT_UNREGISTER = 10,  /* NVTX_MEM_REGION_REF_TYPE_; each */
    RF_EXT_REGION_NAME = 11, /* NVTX_MEM_REGION_REF_TYPE_ and above it the category, the region,
                              * string handle; ARRAY 0: text */
    RF_EXT_HEAP_END = 12,    /* heap; 0: it was reset, 1: unregistered */
    RF_EXT_MEMORY_CALL = 13, /* number of the function, enum rf_memory_call, number of elements */
};

/* What became of a call of the memory extension that is not recorded otherwise. */
enum rf_memory_call {
    RF_MEMORY_TAKEN = 0,   /* it says nothing of how much memory is in use */
    RF_MEMORY_NULL = 1,    /* without a structure, or without elements where it says that it has */
    RF_MEMORY_VERSION = 2, /* a structure of another version, or one that is too short */
    RF_MEMORY_ELEMENT = 3, /* elements of a size that does not fit their type */
    RF_MEMORY_COUNT = 4,   /* more elements than memory can hold */
    RF_MEMORY_TYPE = 5,    /* a type of memory or reference that is not known */
};

#endif
