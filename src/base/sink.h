/* SPDX-License-Identifier: Apache-2.0 */
/* A buffered writer of text for the exporters and reports: numbers are formatted by hand, since
 * printf per event would cost more than everything else. Errors stick: after the first one the
 * sink swallows what it is given, so that callers ask rf_sink_status() now and then instead of
 * after every piece. */
#ifndef RF_BASE_SINK_H
#define RF_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rangefinder/rangefinder.h"

#define RF_SINK_CAPACITY    ((size_t)512 << 10)
#define RF_SINK_MAX_RESERVE ((size_t)4096)

/* Takes what a full buffer holds; returns 0 or a negative enum rf_error with *err filled. */
typedef int rf_sink_flush_fn(void *context, const void *data, size_t size, struct rf_err *err);

struct rf_sink {
    char *buffer;
    size_t used;
    uint64_t n_drains;
    int status;  /* the first error, or 0 */
    bool is_raw; /* for escape.h: CSV and text for people are written as they are */
    struct rf_err *err;
    rf_sink_flush_fn *flush;
    void *context;
};

/* err (may be NULL) is filled by the call that fails first, so it must outlive the sink. */
int rf_sink_init(struct rf_sink *sink, rf_sink_flush_fn *flush, void *context, struct rf_err *err);

/* Hands over what is left in the buffer; returns the first error of the sink's life, or 0. */
int rf_sink_finish(struct rf_sink *sink);

/* Frees the buffer; what is in it is lost. Harmless on a zeroed struct. */
void rf_sink_release(struct rf_sink *sink);

/* Empties the buffer through the flush function. */
void rf_sink_drain(struct rf_sink *sink);

static inline int rf_sink_status(const struct rf_sink *sink)
{
    return sink->status;
}

/* Room for size bytes (at most RF_SINK_MAX_RESERVE); the caller adds to sink->used what it took. */
static inline char *rf_sink_reserve(struct rf_sink *sink, size_t size)
{
    if (RF_SINK_CAPACITY - sink->used < size)
        rf_sink_drain(sink);
    return sink->buffer + sink->used;
}

static inline void rf_sink_char(struct rf_sink *sink, char c)
{
    *rf_sink_reserve(sink, 1) = c;
    sink->used++;
}

/* Any number of bytes. */
void rf_sink_bytes_slow(struct rf_sink *sink, const void *data, size_t size);

static inline void rf_sink_bytes(struct rf_sink *sink, const void *data, size_t size)
{
    if (RF_SINK_CAPACITY - sink->used >= size) {
        memcpy(sink->buffer + sink->used, data, size);
        sink->used += size;
    } else {
        rf_sink_bytes_slow(sink, data, size);
    }
}

static inline void rf_sink_text(struct rf_sink *sink, const char *text)
{
    rf_sink_bytes(sink, text, strlen(text));
}

/* As printf, at most 1023 bytes. */
void rf_sink_format(struct rf_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* n spaces. */
void rf_sink_pad(struct rf_sink *sink, size_t n);

void rf_sink_u64(struct rf_sink *sink, uint64_t value);
void rf_sink_i64(struct rf_sink *sink, int64_t value);

/* "0x" and lower-case digits, without leading zeros. */
void rf_sink_hex(struct rf_sink *sink, uint64_t value);

/* value / 1000 with exactly three decimals: nanoseconds as microseconds, losing nothing. */
void rf_sink_thousandths(struct rf_sink *sink, int64_t value);

/* The shortest decimal number that reads back as the same double (or float), with '.' whatever
 * the locale says; nan, inf and -inf are written as these words. */
void rf_sink_double(struct rf_sink *sink, double value);
void rf_sink_float(struct rf_sink *sink, float value);

/* ---- Text of a bounded size: rf_sink_reserve() once, then these ----
 * Each writes to out and returns what follows; RF_SINK_U64 and RF_SINK_THOUSANDTHS are the most. */

#define RF_SINK_U64         ((size_t)20)
#define RF_SINK_THOUSANDTHS ((size_t)24)

static inline char *rf_put_text(char *out, const char *text)
{
    size_t n = strlen(text); /* of a literal: known to the compiler */
    memcpy(out, text, n);
    return out + n;
}

/* Decimal digits: at most RF_SINK_U64, with the sign. */
char *rf_put_digits(char *out, uint64_t value);

static inline char *rf_put_u64(char *out, uint64_t value)
{
    if (value >= 10)
        return rf_put_digits(out, value);
    *out = (char)('0' + value);
    return out + 1;
}

static inline char *rf_put_i64(char *out, int64_t value)
{
    if (value >= 0)
        return rf_put_u64(out, (uint64_t)value);
    *out = '-';
    return rf_put_digits(out + 1, 0 - (uint64_t)value); /* also of INT64_MIN */
}

/* As rf_put_u64(), but returns the number of digits. */
static inline size_t rf_format_u64(char *out, uint64_t value)
{
    return (size_t)(rf_put_u64(out, value) - out);
}

/* As rf_sink_thousandths(). */
char *rf_put_thousandths(char *out, int64_t value);

#endif
