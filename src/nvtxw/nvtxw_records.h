/* SPDX-License-Identifier: Apache-2.0 */
/* One EXT record and the DATA behind it, on its way into a stream. The whole of it becomes visible
 * at once, unless it goes on in the next part. */
#ifndef RF_NVTXW_NVTXW_RECORDS_H
#define RF_NVTXW_NVTXW_RECORDS_H

#include "log/nvtx_ext.h"
#include "nvtxw/nvtxw_stream.h"

struct nvtxw_record {
    struct nvtxw_stream *stream;
    uint64_t *first; /* its word 0, which is stored last; NULL: it is stored */
    uint64_t head;
    int result;
};

/* Begins a record of n_words words behind word 1. n_bytes: about what follows, to keep it in one
 * part. */
void nvtxw_record_begin(struct nvtxw_record *record, struct nvtxw_stream *stream,
                        enum rf_ext_kind kind, const uint64_t *words, size_t n_words,
                        size_t n_bytes);

/* Adds DATA: a word, the size and bytes; available: of these, fewer where they were cut. */
void nvtxw_record_add(struct nvtxw_record *record, enum rf_data_kind kind, uint64_t word2,
                      const void *bytes, size_t size);
void nvtxw_record_add_cut(struct nvtxw_record *record, enum rf_data_kind kind, uint64_t word2,
                          const void *bytes, size_t size, size_t available);

/* A PAYLOAD that says at which address it was. */
void nvtxw_record_add_addressed(struct nvtxw_record *record, uint64_t schema, const void *bytes,
                                size_t size);

/* Returns enum nvtxw_result. */
int nvtxw_record_end(struct nvtxw_record *record);

#endif
