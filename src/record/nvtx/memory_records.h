/* SPDX-License-Identifier: Apache-2.0 */
/* Records of NVTX's memory extension (docs/format.md, section 11.5). What a program passes is read
 * as far as its structures say that they reach, and what makes no sense is recorded as a call that
 * was refused. */
#ifndef RF_RECORD_NVTX_MEMORY_RECORDS_H
#define RF_RECORD_NVTX_MEMORY_RECORDS_H

#include "record/nvtx/ext_records.h"
#include "record/nvtx/nvtx.h"

/* n handles: the first of them. Heaps, regions and permissions share them; a forked child goes on.
 */
RF_INLINE uint64_t rf_memory_handles(uint64_t n)
{
    return RF_MEMORY_HANDLES +
           __atomic_fetch_add(&rf_recorder.n_memory_handles, n, __ATOMIC_RELAXED);
}

/* A call that says nothing else, or that was refused. */
void rf_memory_call(uint64_t domain, uint32_t function, enum rf_memory_call what, uint64_t n);

/* Calls with batches of any size. is_recorded: else nothing is recorded, and regions get their
 * handles only. */
void rf_memory_register(uint64_t domain, const nvtxMemRegionsRegisterBatch_t *given,
                        bool is_recorded);
void rf_memory_resize(uint64_t domain, const nvtxMemRegionsResizeBatch_t *given);
void rf_memory_unregister(uint64_t domain, const nvtxMemRegionsUnregisterBatch_t *given);
void rf_memory_name(uint64_t domain, const nvtxMemRegionsNameBatch_t *given);

/* A record of these words from word 1 on, of a short record at most. */
void rf_memory_emit_slow(const uint64_t *words, size_t n);

/* The same for the usual batch, of one element, which has no loop. n: a constant */
RF_INLINE void rf_memory_emit(const uint64_t *words, size_t n)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL)) {
        rf_memory_emit_slow(words, n);
        return;
    }
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    for (size_t i = 0; i < n; i++)
        record[1 + i] = words[i];
    rf_publish(writer, end, rf_head(rf_ticks_counter(), RF_REC_EXT, 1 + n), 1 + n);
}

#endif
