/* SPDX-License-Identifier: Apache-2.0 */
/* What programs registered with NVTX's payload and counters extensions: schemas, enums, scopes,
 * counters, sizes of types, time domains, streams, heaps (docs/format.md, 11.1). The bytes are
 * those of the file: every offset in them is checked here. */
#ifndef RF_MODEL_PAYLOAD_NVTX_DEFINITIONS_H
#define RF_MODEL_PAYLOAD_NVTX_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "log/nvtx_ext.h"
#include "rangefinder/rangefinder.h"

#define RF_NVTX_STATIC_IDS  (1ULL << 24) /* what the program chose, unique in a domain */
#define RF_NVTX_DYNAMIC_IDS (1ULL << 32) /* what the recorder chose, unique in a process */

struct rf_nvtx_definition {
    uint64_t id;
    uint32_t process; /* index; RF_NO_INDEX: of every process */
    uint32_t domain;  /* index; of every process: its number, rf_domain.id */
    uint32_t kind;    /* enum rf_nvtx_def */
    uint32_t size;
    int64_t ns;     /* when it was made; not of imports */
    uint8_t *bytes; /* size bytes, and a zero byte behind them */
};

struct rf_payload_schema;

struct rf_nvtx_definitions {
    struct rf_nvtx_definition *definition; /* in the order of processes, then of the calls */
    uint32_t n;
    size_t room;
    struct rf_map schema_of;          /* (place, id) to definition[]: schemas and enums */
    struct rf_map scope_of;           /* likewise */
    struct rf_map counter_of;         /* likewise */
    struct rf_map sizes_of;           /* (process, 0) */
    struct rf_map time_domain_of;     /* as schema_of */
    struct rf_map stream_of;          /* (process, tid) */
    struct rf_map heap_of;            /* as schema_of */
    uint32_t n_relations;             /* of time domains: definitions without an id */
    struct rf_payload_schema *schema; /* per definition: see schemas.h; NULL: not laid out yet */
};

/* Adds a definition; the bytes are copied. Of one id the last one is valid. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_nvtx_define(rf_recording *rec, const struct rf_nvtx_definition *definition);

/* The index of the definition that an id stands for in a domain, and in those that it was inherited
 * from; RF_NO_INDEX: none. kind: SCHEMA also finds enums. Not of a filtered recording, which
 * numbers its domains anew. What belongs to every process is found last. */
uint32_t rf_nvtx_find(const rf_recording *rec, enum rf_nvtx_def kind, uint32_t domain, uint64_t id);

/* The same for the ids that a definition names: a schema those of its entries. */
uint32_t rf_nvtx_find_beside(const rf_recording *rec, const struct rf_nvtx_definition *definition,
                             uint64_t id);

/* The definition with an index of rf_nvtx_find(); NULL past the last. */
const struct rf_nvtx_definition *rf_nvtx_definition_at(const rf_recording *rec, uint32_t index);

/* The sizes of C's types in a process; NULL: they are not known. */
const struct rf_nvtx_definition *rf_nvtx_type_sizes(const rf_recording *rec, uint32_t process);

/* What a stream of NVTXW says, whose events have a tid; false: it is no such stream. */
bool rf_nvtx_stream_of(const rf_recording *rec, uint32_t process, uint32_t tid,
                       struct rf_stream_def *out);

/* Copies `size` bytes at an offset of a definition; false: it does not have them. */
bool rf_nvtx_read(const struct rf_nvtx_definition *definition, uint64_t offset, void *out,
                  size_t size);

/* The text at an offset, NUL-ended; NULL: there is none. */
const char *rf_nvtx_text(const struct rf_nvtx_definition *definition, uint32_t offset);

/* The link of a chain of semantics that has an id; false: it has none. */
bool rf_nvtx_semantics(const struct rf_nvtx_definition *definition, uint32_t offset, uint16_t id,
                       struct rf_semantics *out);

/* Frees all; NULL is none. */
void rf_nvtx_definitions_free(struct rf_nvtx_definitions *definitions);

#endif
