/* SPDX-License-Identifier: Apache-2.0 */
/* Events, samples and relations of clocks: what the interface writes to streams. */
#ifndef RF_NVTXW_NVTXW_WRITE_H
#define RF_NVTXW_NVTXW_WRITE_H

#include "nvtxw/nvtxw_abi.h"

int nvtxw_event_write(struct nvtxw_stream *stream, const nvtxPayloadData_t *payloads, size_t n);
int nvtxw_event_batch_write(struct nvtxw_stream *stream, const nvtxEventBatch_t *batch);
int nvtxw_counter_write(struct nvtxw_stream *stream, int64_t time, uint64_t counter,
                        const void *data, size_t size);
int nvtxw_counter_no_value_write(struct nvtxw_stream *stream, int64_t time, uint64_t counter,
                                 uint8_t reason);
int nvtxw_counter_batch_write(struct nvtxw_stream *stream, const nvtxCounterBatch_t *batch);
int nvtxw_time_sync_point_table_write(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                      const nvtxSyncPoint_t *points, size_t n);
int nvtxw_timestamp_conversion_factor_write(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                            double slope, int64_t from_time, int64_t to_time);

#endif
