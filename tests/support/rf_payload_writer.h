/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas, enums and payloads for recordings of tests (docs/format.md, section 11). */
#ifndef TESTS_SUPPORT_RF_PAYLOAD_WRITER_H
#define TESTS_SUPPORT_RF_PAYLOAD_WRITER_H

#include "log/nvtx_ext.h"
#include "rf_writer.h"

/* An entry as a program gives it. */
struct rfw_entry {
    uint64_t flags, type;
    const char *name; /* NULL: none */
    uint64_t detail, offset;
};

struct rfw_schema {
    uint64_t id;
    uint32_t domain; /* handle */
    uint32_t type;   /* 0: static */
    const char *name;
    uint64_t flags, size, pack;
};

void rfw_define_schema(struct rfw *w, uint32_t process, const struct rfw_schema *schema,
                       const struct rfw_entry *entries, uint32_t n);

struct rfw_enum_value {
    const char *name;
    uint64_t value;
    uint32_t is_flag;
};

void rfw_define_enum(struct rfw *w, uint32_t process, uint64_t id, uint64_t size,
                     const struct rfw_enum_value *values, uint32_t n);

/* Any definition of section 11.1. */
void rfw_nvtx_def(struct rfw *w, uint32_t process, enum rf_nvtx_def kind, uint32_t domain,
                  uint64_t id, const void *text, size_t size);

/* A payload of the record before. size: what the program said. address 0: it had none. */
void rfw_payload(struct rfw_stream *s, uint64_t schema, const void *bytes, size_t n_bytes,
                 uint64_t size, uint64_t address);

/* Bytes that a payload of the record before points to. */
void rfw_reference(struct rfw_stream *s, uint64_t address, const void *bytes, size_t n_bytes);

#endif
