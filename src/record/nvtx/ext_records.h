/* SPDX-License-Identifier: Apache-2.0 */
/* EXT records: samples of counters, and events of another time (docs/format.md, section 11.3). */
#ifndef RF_RECORD_NVTX_EXT_RECORDS_H
#define RF_RECORD_NVTX_EXT_RECORDS_H

#include "log/nvtx_ext.h"
#include "record/stream/emit.h"
#include "record/payload/payloads.h"

/* Bytes of an ARRAY. */
struct rf_array {
    const void *bytes; /* may be NULL */
    size_t size;
};

/* A record of this kind in a domain: its words from word 2 on, and arrays behind it. */
void rf_emit_ext_arrays(enum rf_ext_kind kind, uint64_t domain, const uint64_t *words,
                        size_t n_words, const struct rf_array *arrays, size_t n_arrays);

/* A batch of events. words: as of EVENTS; what the events point to is copied where their schema
 * says so. */
#define RF_EVENTS_WORDS 5u
void rf_emit_ext_events(const struct rf_batch *batch, const uint64_t words[RF_EVENTS_WORDS]);

/* An event of another time, which its payloads describe. */
void rf_emit_ext_event(uint64_t domain, struct rf_payloads payloads);

/* A call submitted something that has times of its own, and no capture is on. */
void rf_count_uncaptured(void);

/* A call of the memory extension came while no capture was on. */
void rf_count_memory_call(void);

void rf_emit_ext_value_slow(uint64_t word1, uint64_t counter, uint64_t value);

RF_INLINE uint64_t rf_ext_word1(enum rf_ext_kind kind, uint64_t domain)
{
    return kind | (RF_LIKELY(domain < RF_EXT_DOMAIN_ESCAPE) ? domain : RF_EXT_DOMAIN_ESCAPE)
                      << RF_EXT_DOMAIN_SHIFT;
}

/* Writes and publishes a sample at the cursor of a busy writer. */
RF_INLINE void rf_write_ext_value(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                  uint64_t word1, uint64_t counter, uint64_t value)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    record[1] = word1;
    record[2] = counter;
    record[3] = value;
    rf_publish(writer, end, rf_head(ticks, RF_REC_EXT, 4), 4);
}

/* A sample of one value. */
RF_INLINE void rf_emit_ext_value(enum rf_ext_kind kind, uint64_t domain, uint64_t counter,
                                 uint64_t value)
{
    uint8_t *end;
    struct rf_writer *writer =
        RF_LIKELY(domain < RF_EXT_DOMAIN_ESCAPE) ? rf_begin_fast(&end) : NULL;
    if (RF_UNLIKELY(writer == NULL)) {
        rf_emit_ext_value_slow(rf_ext_word1(kind, domain), counter, value);
        return;
    }
    rf_write_ext_value(writer, end, rf_ticks_counter(), kind | domain << RF_EXT_DOMAIN_SHIFT,
                       counter, value);
}

#endif
