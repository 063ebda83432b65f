/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an event's path that are too rare to be inlined. */
#include "record/stream/emit.h"

#include "record/payload/small_payload.h"

RF_INLINE uint64_t emit(uint32_t type, const struct rf_attributes *a)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    return writer != NULL ? rf_write_event(writer, end, rf_now(), type, a, false) : 0;
}

uint64_t rf_emit_slow(uint32_t type, const struct rf_attributes *a)
{
    if (rf_domain_is_excluded(a->domain))
        return 0;
    return type == RF_REC_MARK   ? emit(RF_REC_MARK, a)
           : type == RF_REC_PUSH ? emit(RF_REC_PUSH, a)
                                 : emit(RF_REC_START, a);
}

void rf_emit_words_slow(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer != NULL)
        rf_write_words(writer, end, rf_now(), type, n_words, word1, word2);
}

/* An event with any payloads. */
static RF_COLD uint64_t write_payloads(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                       uint32_t type, const struct rf_attributes *a,
                                       const struct rf_payloads *payloads)
{
    struct rf_bundle b;
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    uint64_t *at = rf_fill_attributes(record, a);
    uint64_t id = type == RF_REC_START ? writer->id_base + ++writer->n_starts : 0;
    size_t length = a->message == RF_MESSAGE_TEXT ? rf_copy_text((uint8_t *)at, a->text, false) : 0;
    bool is_long = length == RF_TEXT_TOO_LONG;
    size_t n = (size_t)(at - record) + (is_long ? 0 : (length + 7) / 8);
    if (RF_UNLIKELY(is_long))
        end = rf_write_long_text_pieces(writer, end, rf_head(ticks, type, 0), n, a->text);
    rf_bundle_begin(&b, writer, end, ticks);
    if (!is_long)
        rf_bundle_add(&b, rf_head(ticks, type, n), n);
    rf_payloads_add(&b, *payloads);
    rf_bundle_end(&b);
    return id;
}

/* The usual event has a path of its own. */
uint64_t rf_write_with_payloads(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                uint32_t type, struct rf_attributes *a)
{
    const struct rf_payloads payloads = {(const struct rf_payload *)(uintptr_t)a->payload,
                                         a->n_payloads, a->domain};
    a->payload_kind = RF_PAYLOAD_NONE;
    if (RF_UNLIKELY(payloads.n != 1 || !rf_payload_is_small(payloads.first) ||
                    !rf_small_event_fits(writer, end)))
        return write_payloads(writer, end, ticks, type, a, &payloads);
    uint64_t *at = rf_fill_attributes((uint64_t *)(void *)writer->cursor, a);
    size_t length = a->message == RF_MESSAGE_TEXT ? rf_copy_text((uint8_t *)at, a->text, false) : 0;
    if (RF_UNLIKELY(length == RF_TEXT_TOO_LONG))
        return write_payloads(writer, end, ticks, type, a, &payloads);
    return rf_publish_small(writer, end, ticks, type, at + (length + 7) / 8, payloads.first);
}

void rf_write_words_with_payloads(struct rf_writer *writer, uint8_t *end, uint32_t type,
                                  size_t n_words, uint64_t word1,
                                  const struct rf_payloads *payloads)
{
    struct rf_bundle b;
    rf_bundle_begin(&b, writer, end, rf_now());
    if (n_words > 1)
        b.at[1] = word1;
    rf_bundle_add(&b, rf_head(b.ticks, type, n_words), n_words);
    if (payloads != NULL)
        rf_payloads_add(&b, *payloads);
    rf_bundle_end(&b);
}

void rf_emit_words_with_payloads(uint32_t type, size_t n_words, uint64_t word1,
                                 const struct rf_payloads *payloads)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer != NULL)
        rf_write_words_with_payloads(writer, end, type, n_words, word1, payloads);
}
