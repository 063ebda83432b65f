/* SPDX-License-Identifier: Apache-2.0 */
/* The path of an event: mark the writer busy, read the clock, fill at the cursor, zero the word
 * that ends the records, publish. No lock, no allocation, no system call, no write to shared memory
 * but the part.
 *
 * All of this is inlined into the NVTX callbacks, with the kind of event as a constant. The usual
 * path calls nothing, so that no register must be saved for a call; the functions whose names end
 * in _slow do the rest, from the start. */
#ifndef RF_RECORD_STREAM_EMIT_H
#define RF_RECORD_STREAM_EMIT_H

#include <string.h>

#include "record/clock.h"
#include "record/names/domain_handles.h"
#include "record/stream/long_text.h"
#include "record/stream/prepare.h"

/* The address sanitizer, where the recorder itself is built with it, would report what the fast
 * copy reads behind the end of a text. */
#if defined(__SSE2__) && !defined(__SANITIZE_ADDRESS__)
#define RF_HAS_FAST_COPY 1
#include <emmintrin.h>
#else
#define RF_HAS_FAST_COPY 0
#endif

/* What an event says. Fields that the event does not have are zero, and the compiler removes
 * their code. */
struct rf_attributes {
    const char *text; /* with RF_MESSAGE_TEXT */
    uint64_t domain;  /* handle */
    uint64_t string;  /* handle, with RF_MESSAGE_REGISTERED */
    uint64_t payload;
    uint32_t color;
    uint32_t category;
    uint32_t n_payloads; /* with RF_PAYLOADS, whose address payload is */
    uint8_t message;     /* enum rf_message_kind */
    uint8_t has_color;
    uint8_t payload_kind; /* enum rf_payload_kind, or RF_PAYLOADS */
};

/* The event has payloads of NVTX's extension: none in its record, but DATA behind it. */
#define RF_PAYLOADS 8

/* Texts of up to this many bytes go into a short record: 63 words less word 0, word 1 and four
 * extension words. */
#define RF_SHORT_TEXT    ((RF_WORD_MAX_WORDS - 6) * 8)
#define RF_TEXT_TOO_LONG SIZE_MAX

/* Copies a text without its NUL and zeros the rest of its last 16 bytes. Returns its length, or
 * RF_TEXT_TOO_LONG past RF_SHORT_TEXT. Reads 16 bytes at a time, but never a page that the text
 * does not reach; stores no byte that follows the NUL. */
#if RF_HAS_FAST_COPY
RF_INLINE size_t rf_copy_short_text(uint8_t *to, const char *from)
{
    static const uint8_t keep[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    const __m128i zero = _mm_setzero_si128();
    size_t i = 0;
    do {
        __m128i bytes;
        if (RF_UNLIKELY(((uintptr_t)(from + i) & 4095) > 4096 - 16)) {
            /* byte by byte up to the end of the page; if the text continues, the next page
             * exists */
            uint8_t edge[16] = {0};
            size_t n = 0;
            while (n < 16 && from[i + n] != '\0') {
                edge[n] = (uint8_t)from[i + n];
                n++;
            }
            bytes = _mm_loadu_si128((const __m128i *)(const void *)edge);
        } else {
            bytes = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        }
        uint32_t nul = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, zero));
        if (nul != 0) {
            uint32_t n = (uint32_t)__builtin_ctz(nul);
            bytes = _mm_and_si128(bytes,
                                  _mm_loadu_si128((const __m128i *)(const void *)(keep + 16 - n)));
            _mm_storeu_si128((__m128i *)(void *)(to + i), bytes);
            return i + n;
        }
        _mm_storeu_si128((__m128i *)(void *)(to + i), bytes);
        i += 16;
    } while (i + 16 <= RF_SHORT_TEXT);
    return RF_TEXT_TOO_LONG;
}
#endif

RF_INLINE size_t rf_copy_bounded_text(uint8_t *to, const char *from)
{
    size_t n = strnlen(from, RF_SHORT_TEXT + 1);
    if (n > RF_SHORT_TEXT)
        return RF_TEXT_TOO_LONG;
    memcpy(to, from, n);
    memset(to + n, 0, 8);
    return n;
}

RF_INLINE size_t rf_copy_text(uint8_t *to, const char *from, bool is_fast)
{
    (void)is_fast;
#if RF_HAS_FAST_COPY
    if (is_fast || RF_LIKELY(!rf_recorder.is_watched))
        return rf_copy_short_text(to, from);
#endif
    return rf_copy_bounded_text(to, from);
}

/* As rf_write_event(), for an event that has payloads; changes *a. */
uint64_t rf_write_with_payloads(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                uint32_t type, struct rf_attributes *a);

/* What an event does on any path: MARK, PUSH or START, whose id is returned; other records. */
uint64_t rf_emit_slow(uint32_t type, const struct rf_attributes *a);
void rf_emit_words_slow(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2);

/* Fills the words of MARK, PUSH or START, except word 0 and the text; returns where the text goes.
 */
RF_INLINE uint64_t *rf_fill_attributes(uint64_t *record, const struct rf_attributes *a)
{
    uint64_t *at = record + 2;
    uint64_t domain = a->domain;
    uint64_t word1 = domain;
    if (RF_UNLIKELY(domain >= RF_ATTR_DOMAIN_ESCAPE)) {
        word1 = RF_ATTR_DOMAIN_ESCAPE;
        *at++ = domain;
    }
    word1 |= (uint64_t)a->message << RF_ATTR_MESSAGE_SHIFT;
    if (a->message == RF_MESSAGE_REGISTERED) {
        uint64_t string = a->string;
        if (RF_UNLIKELY(string >= RF_ATTR_STRING_ESCAPE)) {
            *at++ = string;
            string = RF_ATTR_STRING_ESCAPE;
        }
        word1 |= string << 32;
    }
    if (a->has_color || a->category != 0) {
        word1 |= (a->has_color ? RF_ATTR_COLOR : 0) | (a->category != 0 ? RF_ATTR_CATEGORY : 0);
        *at++ = (a->has_color ? a->color : 0) | (uint64_t)a->category << 32;
    }
    if (a->payload_kind != RF_PAYLOAD_NONE) {
        word1 |= (uint64_t)a->payload_kind << RF_ATTR_PAYLOAD_SHIFT;
        *at++ = a->payload;
    }
    record[1] = word1;
    return at;
}

/* Writes and publishes MARK, PUSH or START at the cursor of a busy writer. Returns the range's id
 * for START, otherwise 0. */
RF_INLINE uint64_t rf_write_event(struct rf_writer *writer, uint8_t *end, uint64_t ticks,
                                  uint32_t type, const struct rf_attributes *a, bool is_fast)
{
    if (RF_UNLIKELY(a->payload_kind == RF_PAYLOADS)) {
        struct rf_attributes copy = *a; /* so that *a need not be in memory */
        return rf_write_with_payloads(writer, end, ticks, type, &copy);
    }
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    uint64_t *at = rf_fill_attributes(record, a);
    uint64_t id = 0;
    if (type == RF_REC_START)
        id = writer->id_base + ++writer->n_starts;
    if (a->message == RF_MESSAGE_TEXT) {
        size_t length = rf_copy_text((uint8_t *)at, a->text, is_fast);
        if (RF_UNLIKELY(length == RF_TEXT_TOO_LONG)) {
            rf_write_long_text(writer, end, rf_head(ticks, type, 0), (size_t)(at - record),
                               a->text);
            return id;
        }
        at += (length + 7) / 8;
    }
    size_t n = (size_t)(at - record);
    rf_publish(writer, end, rf_head(ticks, type, n), n);
    return id;
}

/* A record of word 0 and up to one more, with payloads behind it; NULL: without. */
struct rf_payloads;
void rf_write_words_with_payloads(struct rf_writer *writer, uint8_t *end, uint32_t type,
                                  size_t n_words, uint64_t word1,
                                  const struct rf_payloads *payloads);
void rf_emit_words_with_payloads(uint32_t type, size_t n_words, uint64_t word1,
                                 const struct rf_payloads *payloads);

/* Writes and publishes a record of word 0 and up to two more. */
RF_INLINE void rf_write_words(struct rf_writer *writer, uint8_t *end, uint64_t ticks, uint32_t type,
                              size_t n_words, uint64_t word1, uint64_t word2)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    if (n_words > 1)
        record[1] = word1;
    if (n_words > 2)
        record[2] = word2;
    rf_publish(writer, end, rf_head(ticks, type, n_words), n_words);
}

/* Records a record of word 0 and up to two more. */
RF_INLINE void rf_emit_words(uint32_t type, size_t n_words, uint64_t word1, uint64_t word2)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin_fast(&end);
    if (RF_UNLIKELY(writer == NULL)) {
        rf_emit_words_slow(type, n_words, word1, word2);
        return;
    }
    rf_write_words(writer, end, rf_ticks_counter(), type, n_words, word1, word2);
}

#endif
