/* SPDX-License-Identifier: Apache-2.0 */
/* The path of an event in a focused run. While a capture is on an event is recorded as in a whole
 * run. Between captures one of two things happens. Either nothing is done: not even the clock is
 * read. Or the starts of ranges are recorded, and the end of the range that began last sets the
 * cursor back to where it stood before, without reading the clock.
 *
 * Whether a capture is on is one word that all processes of the session share; it changes rarely,
 * so that every core has it in its cache. */
#ifndef RF_RECORD_FOCUS_EMIT_FOCUSED_H
#define RF_RECORD_FOCUS_EMIT_FOCUSED_H

#include "log/capture.h"
#include "record/focus/emit_nontrigger.h"
#include "record/focus/trigger.h"
#include "record/focus/trigger_match.h"
#include "record/local.h"
#include "record/nvtx/nvtx_values.h"

/* MARK, PUSH or START on any path; returns the id of a START. */
uint64_t rf_emit_focused_slow(uint32_t type, const struct rf_attributes *a);

/* No capture is on, and no trigger is open in any process. */
RF_INLINE bool rf_capture_is_idle(void)
{
    return (rf_capture_word(rf_recorder.control) & (RF_CAPTURE_ON | UINT32_MAX)) == 0;
}

/* Copies the attributes, so that they stay in registers where this is not called. */
RF_INLINE uint64_t rf_call_focused_slow(uint32_t type, const struct rf_attributes *a,
                                        const nvtxEventAttributes_t *e)
{
    struct rf_attributes copy = *a;
    if (e != NULL)
        rf_read_values(e, &copy);
    return rf_emit_focused_slow(type, &copy);
}

/* MARK, PUSH or START. Usual events that are no triggers are recorded here, without a call;
 * rf_emit_focused_slow() does all others from the start. e: the values, which are read only if
 * the event is recorded, or NULL. */
RF_INLINE uint64_t rf_emit_focused(uint32_t type, struct rf_attributes *a,
                                   const nvtxEventAttributes_t *e)
{
    struct rf_writer *writer = rf_tls_writer;
    uint64_t word = rf_capture_word(rf_recorder.control);
    bool is_on = rf_capture_is_on(word);
    if (RF_UNLIKELY(rf_recorder.is_slow) ||
        (type != RF_REC_MARK &&
         (RF_UNLIKELY(rf_trigger_may_match(a)) || rf_trigger_has_pushes(word))))
        return rf_call_focused_slow(type, a, e);
    bool is_counted = type == RF_REC_PUSH && rf_trigger_has_pushes(word);
    if (rf_drops_all(word) || rf_domain_is_excluded(a->domain)) {
        if (is_counted)
            rf_trigger_count_push(a->domain);
        return 0;
    }
    struct rf_writer_focus *focus = writer->focus;
    if (type == RF_REC_MARK && !is_on &&
        RF_LIKELY(focus == NULL || focus->phase == rf_capture_phase(word)))
        return 0;
    if (RF_UNLIKELY(!rf_writer_has_room(writer)))
        return rf_call_focused_slow(type, a, e);
    uint8_t *end = rf_writer_begin(writer);
    if (RF_UNLIKELY(is_on
                        ? type == RF_REC_START && focus->needs_counter != 0
                        : focus->phase != rf_capture_phase(word) || focus->n_kept == RF_MAX_KEPT)) {
        rf_writer_end(writer, end);
        return rf_call_focused_slow(type, a, e);
    }
    uint64_t ticks = rf_ticks_counter();
    if (!is_on)
        rf_kept_add(writer, type, a->domain, ticks);
    if (e != NULL)
        rf_read_values(e, a);
    uint64_t id = rf_write_event(writer, end, ticks, type, a, true);
    if (is_counted)
        rf_trigger_count_push(a->domain);
    return id;
}

/* As rf_emit_focused(), where nothing is kept between captures: the fast path only finds that
 * there is nothing to do. */
RF_INLINE uint64_t rf_emit_dropping(uint32_t type, const struct rf_attributes *a,
                                    const nvtxEventAttributes_t *e)
{
    if (RF_LIKELY(rf_capture_is_idle()) && (type == RF_REC_MARK || !rf_trigger_may_match(a)))
        return 0;
    return rf_call_focused_slow(type, a, e);
}

/* payloads: NULL: it has none. */
RF_INLINE void rf_emit_focused_pop(uint64_t domain, const struct rf_payloads *payloads)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (rf_trigger_has_pushes(word)) {
        uint64_t *place = rf_trigger_find_push(rf_tls_writer, domain);
        if (place != NULL &&
            __atomic_load_n(place, __ATOMIC_RELAXED) < 2ULL << RF_TRIGGER_DEPTH_SHIFT) {
            rf_trigger_pop(domain, place, payloads);
            return;
        }
        if (place != NULL)
            rf_trigger_change_depth(place, (uint64_t)-1);
    }
    rf_emit_nontrigger_pop(domain, word, payloads);
}

/* 0 is the id of ranges that were not recorded. */
RF_INLINE void rf_emit_focused_end(uint64_t id, const struct rf_payloads *payloads)
{
    if (id == 0)
        return;
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (RF_UNLIKELY(rf_capture_n_open(word) != 0) &&
        __atomic_load_n(&rf_recorder.local->n_start_triggers, __ATOMIC_RELAXED) != 0)
        rf_trigger_end(id, payloads);
    else if (!rf_drops_all(word))
        rf_emit_nontrigger_end(RF_REC_END, 2, id, word, payloads);
}

/* Records an event that is no range, and so is not kept between captures. */
RF_INLINE void rf_emit_focused_words(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2)
{
    if (rf_capture_is_on(rf_capture_word(rf_recorder.control)))
        rf_emit_words(type, n_words, word1, word2);
}

#endif
