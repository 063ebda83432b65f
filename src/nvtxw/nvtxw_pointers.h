/* SPDX-License-Identifier: Apache-2.0 */
/* What pointers in payloads point to goes into the recording behind them, where schemas say that it
 * is to be copied. */
#ifndef RF_NVTXW_NVTXW_POINTERS_H
#define RF_NVTXW_NVTXW_POINTERS_H

#include "nvtxw/nvtxw_records.h"
#include "record/payload/batch.h"

/* Adds the payloads of an event, with their addresses, and what they point to. */
void nvtxw_pointers_add(struct nvtxw_record *record, struct rf_payloads payloads);

/* Finds schemas of the stream's domain. */
struct rf_schema nvtxw_pointers_find(const void *stream, uint64_t domain, uint64_t id);

/* Counts events whose pointers are not followed. */
void nvtxw_pointers_count_lost(struct nvtxw_stream *stream, uint64_t n);

/* Adds what an event of a batch points to. */
void nvtxw_pointers_add_of_batch(struct nvtxw_record *record, const struct rf_batch *batch,
                                 const uint8_t *event, size_t size);

#endif
