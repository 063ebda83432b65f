/* SPDX-License-Identifier: Apache-2.0 */
/* The path of an event in a focused run. While a capture is on an event is recorded as in a whole
 * run. Between captures, either nothing at all is done, not even the clock is read; or the starts
 * of ranges are recorded, and a pop or end whose range began last sets the cursor back to where it
 * stood before, which costs no reading of the clock.
 *
 * Whether a capture is on is one word that all processes of the session share; it changes rarely,
 * so that every core has it in its cache. */
#ifndef RF_RECORD_FOCUS_EMIT_FOCUSED_H
#define RF_RECORD_FOCUS_EMIT_FOCUSED_H

#include "log/capture.h"
#include "record/nvtx/nvtx_values.h"

/* The whole of rf_focus_event(), and of the end of a range. */
uint64_t rf_focus_event_slow(uint32_t type, const struct rf_attributes *a);
void rf_focus_end_slow(uint32_t type, size_t n_words, uint64_t value);

/* The same; triggers have been seen to. */
uint64_t rf_focus_record(uint32_t type, const struct rf_attributes *a);

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

/* Lists the begin of a range that is about to be recorded between captures. */
RF_INLINE void rf_focus_list(struct rf_writer *writer, uint32_t type, uint64_t domain,
                             uint64_t ticks)
{
    struct rf_idle *idle = writer->idle;
    struct rf_kept *kept = &idle->kept[idle->n_kept++];
    kept->at = writer->cursor;
    if (type == RF_REC_START) {
        kept->key = RF_KEPT_START | (writer->n_starts + 1);
        rf_write_counter(writer, ticks);
        idle->needs_counter = 1;
    } else {
        kept->key = domain < RF_KEPT_FIRM ? domain : RF_KEPT_FIRM; /* no domain has such a handle */
    }
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

/* Are events dropped, wherever they belong? */
RF_INLINE bool rf_focus_drops_all(uint64_t word)
{
    return !rf_capture_is_on(word) && ((word | rf_recorder.drops) & RF_CAPTURE_OVER) != 0;
}

/* Does this thread have a trigger push open? Not where no trigger is open anywhere. */
RF_INLINE bool rf_focus_has_triggers(uint64_t word)
{
    return RF_UNLIKELY(rf_capture_n_open(word) != 0) && rf_tls_writer->n_triggers != 0;
}

/* Where this thread's open trigger of a domain stands; NULL: it has none. */
RF_INLINE uint64_t *rf_focus_find_push(struct rf_writer *writer, uint64_t domain)
{
    uint64_t *place = writer->idle->trigger;
    uint64_t *end = place + RF_MAX_THREAD_TRIGGERS;
    for (uint32_t left = writer->n_triggers; left > 0 && place < end; place++) {
        uint64_t value = __atomic_load_n(place, __ATOMIC_RELAXED);
        if (value != 0 && (value & (RF_MAX_DOMAIN - 1)) == domain)
            return place;
        left -= value != 0;
    }
    return NULL;
}

/* Only the thread changes a depth; a handler that interrupts it leaves it as it was. */
RF_INLINE void rf_focus_change_depth(uint64_t *place, uint64_t by)
{
    uint64_t value = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (value != 0)
        __atomic_store_n(place, value + (by << RF_TRIGGER_DEPTH_SHIFT), __ATOMIC_RELAXED);
}

/* Counts a push that is no trigger itself, on a thread that has one open. */
RF_INLINE void rf_focus_count_push(uint64_t domain)
{
    uint64_t *place = rf_focus_find_push(rf_tls_writer, domain);
    if (place != NULL)
        rf_focus_change_depth(place, 1);
}

/* No capture, and no trigger anywhere. */
RF_INLINE bool rf_focus_is_idle(void)
{
    return (rf_capture_word(rf_recorder.control) & (RF_CAPTURE_ON | UINT32_MAX)) == 0;
}

/* Leaves what the fast paths below began. */
RF_INLINE void rf_focus_leave(struct rf_writer *writer, uint8_t *end)
{
    rf_signal_fence();
    writer->end = end;
}

/* The attributes are copied so that they need not be in memory where this is not called. */
RF_INLINE uint64_t rf_focus_call_slow(uint32_t type, const struct rf_attributes *a,
                                      const nvtxEventAttributes_t *e)
{
    struct rf_attributes copy = *a;
    if (e != NULL)
        rf_read_values(e, &copy);
    return rf_focus_event_slow(type, &copy);
}

/* MARK, PUSH or START. What is neither rare nor a trigger is done here, and calls nothing: anything
 * else is left to rf_focus_event_slow(), which does it from the start. e: the values, which are
 * read only where they are recorded, or NULL. */
RF_INLINE uint64_t rf_focus_event(uint32_t type, struct rf_attributes *a,
                                  const nvtxEventAttributes_t *e)
{
    struct rf_writer *writer = rf_tls_writer;
    uint64_t word = rf_capture_word(rf_recorder.control);
    bool is_on = rf_capture_is_on(word);
    if (RF_UNLIKELY(rf_recorder.is_slow) ||
        (type != RF_REC_MARK &&
         (RF_UNLIKELY(rf_focus_is_watched(a)) || rf_focus_has_triggers(word))))
        return rf_focus_call_slow(type, a, e);
    bool is_counted = type == RF_REC_PUSH && rf_focus_has_triggers(word);
    if (rf_focus_drops_all(word) || rf_is_excluded(a->domain)) {
        if (is_counted)
            rf_focus_count_push(a->domain);
        return 0;
    }
    struct rf_idle *idle = writer->idle;
    if (type == RF_REC_MARK && !is_on &&
        RF_LIKELY(idle == NULL || idle->phase == rf_capture_phase(word)))
        return 0;
    if (RF_UNLIKELY(writer->cursor >= writer->end))
        return rf_focus_call_slow(type, a, e);
    writer->end = NULL;
    rf_signal_fence();
    uint8_t *end = writer->parked_end; /* as in rf_begin() */
    if (RF_UNLIKELY(is_on ? type == RF_REC_START && idle->needs_counter != 0
                          : idle->phase != rf_capture_phase(word) || idle->n_kept == RF_MAX_KEPT)) {
        rf_focus_leave(writer, end);
        return rf_focus_call_slow(type, a, e);
    }
    uint64_t ticks = rf_ticks_counter();
    if (!is_on)
        rf_focus_list(writer, type, a->domain, ticks);
    if (e != NULL)
        rf_read_values(e, a);
    uint64_t id = rf_write_event(writer, end, ticks, type, a, true);
    if (is_counted)
        rf_focus_count_push(a->domain);
    return id;
}

/* The same, where nothing is kept between captures: all that is quick is to see that it is so. */
RF_INLINE uint64_t rf_focus_drop_event(uint32_t type, const struct rf_attributes *a,
                                       const nvtxEventAttributes_t *e)
{
    if (RF_LIKELY(rf_focus_is_idle()) && (type == RF_REC_MARK || !rf_focus_is_watched(a)))
        return 0;
    return rf_focus_call_slow(type, a, e);
}

/* Ends the records at the cursor, before anything else is written there: a reader that sees what is
 * written later sees the end first. */
RF_INLINE void rf_focus_end_records(struct rf_writer *writer)
{
    __atomic_store_n((uint64_t *)(void *)writer->cursor, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Ends what began last, between captures: the cursor goes back to where it stood before. False: it
 * is not the newest, or something is in the way. */
RF_INLINE bool rf_focus_take_back(struct rf_writer *writer, uint64_t key, uint64_t word)
{
    struct rf_idle *idle = writer->idle;
    uint32_t n = idle->n_kept;
    if (RF_UNLIKELY(idle->phase != rf_capture_phase(word) || n == 0 ||
                    idle->kept[n - 1].key != key ||
                    (n > 1 && idle->kept[n - 2].key == RF_KEPT_VOID)))
        return false;
    idle->n_kept = n - 1;
    writer->cursor = idle->kept[n - 1].at;
    rf_focus_end_records(writer);
    return true;
}

/* How a pop of this domain, or the end of this id, is found in the list. */
RF_INLINE uint64_t rf_focus_key(const struct rf_writer *writer, uint32_t type, uint64_t value)
{
    if (type == RF_REC_END)
        return RF_KEPT_START | (value - writer->id_base);
    return value < RF_KEPT_FIRM ? value : RF_KEPT_NONE;
}

/* POP, POP_DOMAIN or END; triggers have been seen to. As rf_focus_event(), it calls nothing but
 * rf_focus_end_slow(). value: the domain, or the id; word: of the captures. */
RF_INLINE void rf_focus_record_end(uint32_t type, size_t n_words, uint64_t value, uint64_t word)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL)) {
        rf_focus_end_slow(type, n_words, value);
        return;
    }
    if (rf_capture_is_on(word)) {
        rf_write_words(writer, end, rf_ticks_counter(), type, n_words, value, 0);
        return;
    }
    bool is_done = rf_focus_take_back(writer, rf_focus_key(writer, type, value), word);
    rf_focus_leave(writer, end);
    if (RF_UNLIKELY(!is_done))
        rf_focus_end_slow(type, n_words, value);
}

RF_INLINE void rf_focus_record_pop(uint64_t domain, uint64_t word)
{
    if (rf_focus_drops_all(word) || rf_is_excluded(domain))
        return;
    if (domain == 0)
        rf_focus_record_end(RF_REC_POP, 1, 0, word);
    else
        rf_focus_record_end(RF_REC_POP_DOMAIN, 2, domain, word);
}

RF_INLINE void rf_focus_pop(uint64_t domain)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (rf_focus_has_triggers(word)) {
        uint64_t *place = rf_focus_find_push(rf_tls_writer, domain);
        if (place != NULL &&
            __atomic_load_n(place, __ATOMIC_RELAXED) < 2ULL << RF_TRIGGER_DEPTH_SHIFT) {
            rf_trigger_pop(domain, place);
            return;
        }
        if (place != NULL)
            rf_focus_change_depth(place, (uint64_t)-1);
    }
    rf_focus_record_pop(domain, word);
}

/* 0 is the id of ranges that were not recorded. */
RF_INLINE void rf_focus_end(uint64_t id)
{
    if (id == 0)
        return;
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (RF_UNLIKELY(rf_capture_n_open(word) != 0) &&
        __atomic_load_n(&rf_recorder.local->n_start_triggers, __ATOMIC_RELAXED) != 0)
        rf_trigger_end(id);
    else if (!rf_focus_drops_all(word))
        rf_focus_record_end(RF_REC_END, 2, id, word);
}

/* Records what is no range, and so is not kept between captures. */
RF_INLINE void rf_focus_words(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2)
{
    if (rf_capture_is_on(rf_capture_word(rf_recorder.control)))
        rf_emit_words(type, n_words, word1, word2);
}

#endif
