/* SPDX-License-Identifier: Apache-2.0 */
/* What pointers in payloads point to goes into the recording behind them, where schemas say that it
 * is to be copied. */
#ifndef RF_NVTXW_NVTXW_POINTERS_H
#define RF_NVTXW_NVTXW_POINTERS_H

#include "nvtxw/nvtxw_records.h"
#include "record/payload/references.h"

/* Adds the payloads of an event, with their addresses, and what they point to. */
void nvtxw_pointers_add(struct nvtxw_record *record, struct rf_payloads payloads);

/* Of the event of a batch at bytes: how large it is (SIZE_MAX: not known), and whether it points to
 * something that is to be copied. left: bytes of the batch from it on. */
size_t nvtxw_pointers_measure(struct nvtxw_stream *stream, uint64_t schema, const uint8_t *bytes,
                              size_t left, struct rf_flex flex, bool *points);

/* Counts events whose pointers are not followed. */
void nvtxw_pointers_count_lost(struct nvtxw_stream *stream, uint64_t n);

/* Adds what it points to. */
void nvtxw_pointers_add_of_batch(struct nvtxw_record *record, uint64_t schema, const uint8_t *bytes,
                                 size_t size, struct rf_flex flex);

#endif
