/* SPDX-License-Identifier: Apache-2.0 */
/* What begins and ends captures inside the program. */
#ifndef RF_RECORD_FOCUS_TRIGGER_H
#define RF_RECORD_FOCUS_TRIGGER_H

#include "record/focus/kept.h"
#include "record/names/domain_handles.h"
#include "record/stream/emit.h"

/* Records a range whose begin is a trigger; returns its id, for START. */
uint64_t rf_trigger_push(const struct rf_attributes *a);
uint64_t rf_trigger_start(const struct rf_attributes *a);

/* The pop of the trigger push at place; the end of a range in a process that has a started trigger
 * open. payloads: NULL: it has none. */
void rf_trigger_pop(uint64_t domain, uint64_t *place, const struct rf_payloads *payloads);
void rf_trigger_end(uint64_t id, const struct rf_payloads *payloads);

/* cudaProfilerStart was called, or Stop; both any number of times. */
void rf_trigger_profiler(bool is_on);

void rf_trigger_thread_exit(struct rf_writer *writer);
void rf_trigger_process_exit(void);

/* Does this thread have a trigger push open? word: of the captures. */
RF_INLINE bool rf_trigger_has_pushes(uint64_t word)
{
    /* most runs have no trigger open in any thread */
    return RF_UNLIKELY(rf_capture_n_open(word) != 0) && rf_tls_writer->n_triggers != 0;
}

/* The place of this thread's open trigger in a domain; NULL: it has none. */
RF_INLINE uint64_t *rf_trigger_find_push(struct rf_writer *writer, uint64_t domain)
{
    uint64_t number = rf_domain_number(domain);
    uint64_t *place = writer->focus->trigger;
    uint64_t *end = place + RF_MAX_THREAD_TRIGGERS;
    for (uint32_t left = writer->n_triggers; left > 0 && place < end; place++) {
        uint64_t value = __atomic_load_n(place, __ATOMIC_RELAXED);
        if (value != 0 && (value & (RF_N_DOMAIN_NUMBERS - 1)) == number)
            return place;
        left -= value != 0;
    }
    return NULL;
}

/* Only the thread changes a depth; a handler that interrupts it leaves it as it was. */
RF_INLINE void rf_trigger_change_depth(uint64_t *place, uint64_t by)
{
    uint64_t value = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (value != 0)
        __atomic_store_n(place, value + (by << RF_TRIGGER_DEPTH_SHIFT), __ATOMIC_RELAXED);
}

/* Counts a push that is no trigger itself, on a thread that has one open. */
RF_INLINE void rf_trigger_count_push(uint64_t domain)
{
    uint64_t *place = rf_trigger_find_push(rf_tls_writer, domain);
    if (place != NULL)
        rf_trigger_change_depth(place, 1);
}

#endif
