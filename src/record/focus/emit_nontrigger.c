/* SPDX-License-Identifier: Apache-2.0 */
#include "record/focus/emit_nontrigger.h"

/* Between captures. A mark is dropped unless it still belongs to the capture that ended. */
RF_INLINE uint64_t keep(uint32_t type, const struct rf_attributes *a, uint32_t phase)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return 0;
    uint64_t ticks = rf_now();
    if (rf_kept_make_ready(writer, phase, ticks)) {
        if (type == RF_REC_MARK) {
            rf_writer_end(writer, end);
            return 0;
        }
        rf_kept_add(writer, type, a->domain, ticks);
    } else if (type == RF_REC_START) {
        rf_write_counter(writer, ticks);
    }
    return rf_write_event(writer, end, ticks, type, a, false);
}

RF_INLINE uint64_t record(uint32_t type, const struct rf_attributes *a)
{
    uint8_t *end;
    if (rf_domain_is_excluded(a->domain))
        return 0;
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (!rf_capture_is_on(word)) {
        if (rf_drops_all(word))
            return 0;
        if (type == RF_REC_MARK && rf_tls_writer->focus == NULL)
            return 0; /* a thread that has recorded nothing yet */
        return keep(type, a, rf_capture_phase(word));
    }
    struct rf_writer *writer = rf_begin(&end);
    if (RF_UNLIKELY(writer == NULL))
        return 0;
    uint64_t ticks = rf_now();
    if (type == RF_REC_START && RF_UNLIKELY(writer->focus->needs_counter)) {
        rf_write_counter(writer, ticks);
        writer->focus->needs_counter = 0;
    }
    return rf_write_event(writer, end, ticks, type, a, false);
}

uint64_t rf_emit_nontrigger(uint32_t type, const struct rf_attributes *a)
{
    return type == RF_REC_MARK   ? record(RF_REC_MARK, a)
           : type == RF_REC_PUSH ? record(RF_REC_PUSH, a)
                                 : record(RF_REC_START, a);
}

/* Between captures. */
static void end_kept(uint32_t type, size_t n_words, uint64_t value, uint64_t word,
                     const struct rf_payloads *payloads)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return;
    struct rf_writer_focus *focus = writer->focus;
    uint32_t phase = rf_capture_phase(word);
    uint64_t key = rf_kept_key(writer, type, value);
    if (rf_kept_remove_newest(writer, key, word) ||
        (focus->phase == phase && rf_kept_remove(writer, key))) {
        rf_writer_end(writer, end);
        return;
    }
    uint64_t ticks = rf_now();
    if (rf_kept_make_ready(writer, phase, ticks)) {
        focus->kept[focus->n_kept].at = writer->cursor;
        focus->kept[focus->n_kept++].key = RF_KEPT_FIRM;
    }
    if (payloads != NULL)
        rf_write_words_with_payloads(writer, end, type, n_words, value, payloads);
    else
        rf_write_words(writer, end, ticks, type, n_words, value, 0);
}

void rf_emit_nontrigger_end_slow(uint32_t type, size_t n_words, uint64_t value,
                                 const struct rf_payloads *payloads)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (rf_capture_is_on(word))
        rf_emit_words_with_payloads(type, n_words, value, payloads);
    else if (!rf_drops_all(word))
        end_kept(type, n_words, value, word, payloads);
}
