/* SPDX-License-Identifier: Apache-2.0 */
/* The path of an event in a focused run. While a capture is on an event is recorded as in a whole
 * run. Between captures, either nothing at all is done, not even the clock is read; or the starts
 * of ranges are recorded, and a pop or end whose range began last sets the cursor back to where it
 * stood before, which costs no reading of the clock.
 *
 * Whether a capture is on is one word that all processes of the session share; it changes rarely,
 * so that every core has it in its cache. */
#ifndef RF_RECORD_FOCUS_H
#define RF_RECORD_FOCUS_H

#include "log/capture.h"
#include "record/emit.h"

/* Every START of a focused run counts as in the writer; the reader, who cannot see those that were
 * taken back, is told by a COUNTER. The writer is busy. */
RF_INLINE void rf_write_counter(struct rf_writer *writer, uint64_t ticks)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    record[1] = writer->n_starts;
    record[RF_COUNTER_WORDS] = 0;
    __atomic_store_n(record, rf_head(ticks, RF_REC_COUNTER, RF_COUNTER_WORDS), __ATOMIC_RELEASE);
    writer->cursor = (uint8_t *)(record + RF_COUNTER_WORDS);
}

/* Records the begin of a range between captures (or a mark, which is dropped unless it still
 * belongs to the last one). */
RF_INLINE uint64_t rf_focus_keep(uint32_t type, const struct rf_attributes *a, uint32_t phase)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (RF_UNLIKELY(writer == NULL))
        return 0;
    struct rf_idle *idle = writer->idle;
    uint64_t ticks = rf_now();
    bool is_late = false;
    if (RF_UNLIKELY(idle->phase != phase || idle->n_kept == RF_MAX_KEPT))
        is_late = !rf_focus_enter(writer, phase, ticks);
    if (!is_late) {
        if (type == RF_REC_MARK) {
            rf_signal_fence();
            writer->end = end;
            return 0;
        }
        struct rf_kept *kept = &idle->kept[idle->n_kept++];
        kept->at = writer->cursor;
        kept->key = type == RF_REC_START       ? RF_KEPT_START | (writer->n_starts + 1)
                    : a->domain < RF_KEPT_FIRM ? a->domain
                                               : RF_KEPT_FIRM; /* no domain has such a handle */
    }
    if (type == RF_REC_START) {
        rf_write_counter(writer, ticks);
        idle->needs_counter = 1;
    }
    return rf_write_event(writer, end, ticks, type, a);
}

/* Records MARK, PUSH or START; triggers have been seen to. */
RF_INLINE uint64_t rf_focus_record(uint32_t type, const struct rf_attributes *a)
{
    uint8_t *end;
    if (rf_is_excluded(a->domain))
        return 0;
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (!rf_capture_is_on(word)) {
        if ((word | rf_recorder.drops) & RF_CAPTURE_OVER)
            return 0;
        if (type == RF_REC_MARK) {
            const struct rf_idle *idle = rf_tls_writer->idle;
            if (RF_LIKELY(idle == NULL || idle->phase == rf_capture_phase(word)))
                return 0;
        }
        return rf_focus_keep(type, a, rf_capture_phase(word));
    }
    struct rf_writer *writer = rf_begin(&end);
    if (RF_UNLIKELY(writer == NULL))
        return 0;
    uint64_t ticks = rf_now();
    if (type == RF_REC_START && RF_UNLIKELY(writer->idle->needs_counter)) {
        rf_write_counter(writer, ticks);
        writer->idle->needs_counter = 0;
    }
    return rf_write_event(writer, end, ticks, type, a);
}

/* Is this range worth a closer look? */
RF_INLINE bool rf_focus_is_watched(const struct rf_attributes *a)
{
    const struct rf_recorder *r = &rf_recorder;
    if (a->message == RF_MESSAGE_REGISTERED)
        return a->string < __atomic_load_n(&r->watched_limit, __ATOMIC_RELAXED) &&
               (__atomic_load_n(&r->watched[a->string / 64], __ATOMIC_RELAXED) >>
                (a->string % 64)) &
                   1;
    return a->message == RF_MESSAGE_TEXT &&
           (((uint8_t)a->text[0] ^ r->watched_first) & r->watched_mask) == 0;
}

RF_INLINE uint64_t rf_focus_event(uint32_t type, const struct rf_attributes *a)
{
    if (type == RF_REC_MARK)
        return rf_focus_record(type, a);
    if (RF_UNLIKELY(rf_focus_is_watched(a)) && rf_trigger_matches(a))
        return type == RF_REC_PUSH ? rf_trigger_push(a) : rf_trigger_start(a);
    if (type == RF_REC_PUSH && RF_UNLIKELY(rf_tls_writer->n_triggers != 0))
        rf_trigger_count_push(a->domain);
    return rf_focus_record(type, a);
}

/* Between captures: a pop or end. value: the domain of the pop, the id of the end. */
RF_INLINE void rf_focus_take_back(uint32_t type, size_t n_words, uint64_t value, uint32_t phase)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (RF_UNLIKELY(writer == NULL))
        return;
    struct rf_idle *idle = writer->idle;
    uint64_t key = type == RF_REC_END     ? RF_KEPT_START | (value - writer->id_base)
                   : value < RF_KEPT_FIRM ? value
                                          : RF_KEPT_NONE;
    uint32_t n = idle->n_kept;
    if (RF_UNLIKELY(idle->phase != phase || n == 0 || idle->kept[n - 1].key != key ||
                    (n > 1 && idle->kept[n - 2].key == RF_KEPT_VOID))) {
        rf_focus_end_older(writer, end, phase, key, type, n_words, value);
        return;
    }
    idle->n_kept = n - 1;
    writer->cursor = idle->kept[n - 1].at;
    /* before anything else is written there: a reader that sees it finds the end of the records */
    __atomic_store_n((uint64_t *)(void *)writer->cursor, 0, __ATOMIC_RELEASE);
    rf_signal_fence();
    writer->end = end;
}

RF_INLINE void rf_focus_record_end(uint32_t type, size_t n_words, uint64_t value)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (rf_capture_is_on(word))
        rf_emit_words(type, n_words, value, 0);
    else if (((word | rf_recorder.drops) & RF_CAPTURE_OVER) == 0)
        rf_focus_take_back(type, n_words, value, rf_capture_phase(word));
}

/* Records a pop; triggers have been seen to. */
RF_INLINE void rf_focus_record_pop(uint64_t domain)
{
    if (rf_is_excluded(domain))
        return;
    if (domain == 0)
        rf_focus_record_end(RF_REC_POP, 1, 0);
    else
        rf_focus_record_end(RF_REC_POP_DOMAIN, 2, domain);
}

RF_INLINE void rf_focus_pop(uint64_t domain)
{
    if (RF_UNLIKELY(rf_tls_writer->n_triggers != 0))
        rf_trigger_pop(domain);
    else
        rf_focus_record_pop(domain);
}

/* 0 is the id of ranges that were not recorded. */
RF_INLINE void rf_focus_end(uint64_t id)
{
    if (id == 0)
        return;
    if (RF_UNLIKELY(__atomic_load_n(&rf_recorder.local->n_start_triggers, __ATOMIC_RELAXED) != 0))
        rf_trigger_end(id);
    else
        rf_focus_record_end(RF_REC_END, 2, id);
}

/* Records what is no range, and so is not kept between captures. */
RF_INLINE void rf_focus_words(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2)
{
    if (rf_capture_is_on(rf_capture_word(rf_recorder.control)))
        rf_emit_words(type, n_words, word1, word2);
}

#endif
