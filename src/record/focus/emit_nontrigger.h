/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a focused run that are no triggers, or whose trigger was handled: while a capture is on
 * they are recorded as in a whole run; between captures they are kept, or dropped. */
#ifndef RF_RECORD_FOCUS_EMIT_NONTRIGGER_H
#define RF_RECORD_FOCUS_EMIT_NONTRIGGER_H

#include "record/focus/kept.h"
#include "record/stream/emit.h"

/* MARK, PUSH or START; returns the id of a START. */
uint64_t rf_emit_nontrigger(uint32_t type, const struct rf_attributes *a);

/* POP, POP_DOMAIN or END. value: the domain, or the id. payloads: NULL: it has none. */
void rf_emit_nontrigger_end_slow(uint32_t type, size_t n_words, uint64_t value,
                                 const struct rf_payloads *payloads);

/* Are events dropped now, even the starts of ranges? word: of the captures. */
RF_INLINE bool rf_drops_all(uint64_t word)
{
    return !rf_capture_is_on(word) && ((word | rf_recorder.drops) & RF_CAPTURE_OVER) != 0;
}

/* As rf_emit_nontrigger_end_slow(), which is the only function that it calls. */
RF_INLINE void rf_emit_nontrigger_end(uint32_t type, size_t n_words, uint64_t value, uint64_t word,
                                      const struct rf_payloads *payloads)
{
    uint8_t *end;
    struct rf_writer *writer = payloads == NULL ? rf_begin_fast(&end) : NULL;
    if (RF_UNLIKELY(writer == NULL)) {
        rf_emit_nontrigger_end_slow(type, n_words, value, payloads);
        return;
    }
    if (rf_capture_is_on(word)) {
        rf_write_words(writer, end, rf_ticks_counter(), type, n_words, value, 0);
        return;
    }
    bool is_done = rf_kept_remove_newest(writer, rf_kept_key(writer, type, value), word);
    rf_writer_end(writer, end);
    if (RF_UNLIKELY(!is_done))
        rf_emit_nontrigger_end_slow(type, n_words, value, NULL);
}

RF_INLINE void rf_emit_nontrigger_pop(uint64_t domain, uint64_t word,
                                      const struct rf_payloads *payloads)
{
    if (rf_drops_all(word) || rf_domain_is_excluded(domain))
        return;
    if (domain == 0)
        rf_emit_nontrigger_end(RF_REC_POP, 1, 0, word, payloads);
    else
        rf_emit_nontrigger_end(RF_REC_POP_DOMAIN, 2, domain, word, payloads);
}

#endif
