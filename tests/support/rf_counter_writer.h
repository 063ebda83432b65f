/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of NVTX, for tests: their definitions and their samples (docs/format.md, section 11). */
#ifndef TESTS_SUPPORT_RF_COUNTER_WRITER_H
#define TESTS_SUPPORT_RF_COUNTER_WRITER_H

#include "log/nvtx_ext.h"
#include "rf_writer.h"

/* NVTX's numbers. */
enum {
    RFW_NVTX_INT16 = 13,
    RFW_NVTX_UINT32 = 16,
    RFW_NVTX_INT64 = 17,
    RFW_NVTX_UINT64 = 18,
    RFW_NVTX_DOUBLE = 20,
    RFW_NVTX_FLOAT16 = 42,
    RFW_NVTX_FLOAT32 = 43,
    RFW_NVTX_BF16 = 50,
    RFW_NVTX_TIMESTAMP = 2 << 10, /* flags of entries */
    RFW_NVTX_COUNTER = 4 << 12,
    RFW_NVTX_THREAD = 22, /* a scope */
};

struct rfw_nvtx_counter {
    uint32_t domain;
    uint64_t id, schema, scope;
    const char *name, *description, *unit; /* NULL: none */
    uint64_t flags;                        /* NVTX_COUNTER_FLAG_ */
    uint64_t numerator, denominator, min, max;
    uint32_t limit_type;
    uint64_t clock; /* NVTX_TIMESTAMP_TYPE_; 0: no semantics of time */
};

struct rfw_nvtx_entry {
    uint64_t flags, type, detail, offset;
    const char *name, *description;
    uint64_t scope; /* of its semantics; 0: it has none */
};

void rfw_nvtx_counter(struct rfw *w, uint32_t process, int64_t ns,
                      const struct rfw_nvtx_counter *counter);
void rfw_nvtx_schema(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t id,
                     uint64_t size, const struct rfw_nvtx_entry *entry, uint32_t n);
void rfw_nvtx_scope(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t id,
                    uint64_t parent, const char *path);

/* A batch of events; its ARRAYs follow. */
void rfw_batch(struct rfw_stream *s, int64_t ns, uint32_t domain, uint64_t schema, uint64_t scope,
               uint64_t flex_offset, uint64_t flex_address);

/* An EXT record; DATA behind it: an ARRAY, in several records where it is long. */
void rfw_ext(struct rfw_stream *s, int64_t ns, uint32_t domain, enum rf_ext_kind kind, uint64_t a,
             uint64_t b);
void rfw_array(struct rfw_stream *s, int64_t ns, uint64_t which, const void *bytes, size_t size);

/* The same with any words from word 2 on, at most 16. */
void rfw_ext_words(struct rfw_stream *s, int64_t ns, uint32_t domain, enum rf_ext_kind kind,
                   const uint64_t *word, size_t n);

/* A heap of memory. */
void rfw_nvtx_heap(struct rfw *w, uint32_t process, int64_t ns, uint32_t domain, uint64_t handle,
                   uint64_t address, uint64_t size, const char *name);

void rfw_int64(struct rfw_stream *s, int64_t ns, uint32_t domain, uint64_t id, int64_t value);
void rfw_float64(struct rfw_stream *s, int64_t ns, uint32_t domain, uint64_t id, double value);

#endif
