/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sink.h"

#include <math.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

int rf_sink_init(struct rf_sink *sink, rf_sink_flush_fn *flush, void *context, struct rf_err *err)
{
    memset(sink, 0, sizeof(*sink));
    sink->buffer = malloc(RF_SINK_CAPACITY);
    if (sink->buffer == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    sink->err = err;
    sink->flush = flush;
    sink->context = context;
    return RF_OK;
}

void rf_sink_drain(struct rf_sink *sink)
{
    if (sink->status == RF_OK && sink->used > 0)
        sink->status = sink->flush(sink->context, sink->buffer, sink->used, sink->err);
    sink->used = 0;
    sink->n_drains++;
}

int rf_sink_finish(struct rf_sink *sink)
{
    rf_sink_drain(sink);
    return sink->status;
}

void rf_sink_release(struct rf_sink *sink)
{
    free(sink->buffer);
    sink->buffer = NULL;
}

void rf_sink_bytes_slow(struct rf_sink *sink, const void *data, size_t size)
{
    const char *from = data;
    if (size >= RF_SINK_CAPACITY) { /* need not pass through the buffer */
        rf_sink_drain(sink);
        if (sink->status == RF_OK)
            sink->status = sink->flush(sink->context, data, size, sink->err);
        return;
    }
    while (size > 0) {
        size_t room = RF_SINK_CAPACITY - sink->used;
        size_t n = size < room ? size : room;
        memcpy(sink->buffer + sink->used, from, n);
        sink->used += n;
        from += n;
        size -= n;
        if (sink->used == RF_SINK_CAPACITY)
            rf_sink_drain(sink);
    }
}

void rf_sink_format(struct rf_sink *sink, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (n > 0)
        rf_sink_text(sink, text);
}

void rf_sink_pad(struct rf_sink *sink, size_t n)
{
    static const char spaces[] = "                                                                ";
    for (; n > sizeof(spaces) - 1; n -= sizeof(spaces) - 1)
        rf_sink_bytes(sink, spaces, sizeof(spaces) - 1);
    rf_sink_bytes(sink, spaces, n);
}

/* ---- Numbers ---- */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static char *put_pair(char *out, uint32_t value)
{
    memcpy(out, digit_pairs + value * 2, 2);
    return out + 2;
}

/* Exactly four digits. */
static char *put_four(char *out, uint32_t value)
{
    return put_pair(put_pair(out, value / 100), value % 100);
}

/* Below 10,000, without leading zeros. */
static char *put_short(char *out, uint32_t value)
{
    if (value >= 100) {
        if (value >= 1000)
            return put_four(out, value);
        *out++ = (char)('0' + value / 100);
        return put_pair(out, value % 100);
    }
    if (value >= 10)
        return put_pair(out, value);
    *out = (char)('0' + value);
    return out + 1;
}

/* Below 10^8: divisions of 32 bits take half the time of wider ones. */
static char *put_medium(char *out, uint32_t value)
{
    if (value < 10000)
        return put_short(out, value);
    return put_four(put_short(out, value / 10000), value % 10000);
}

static char *put_eight(char *out, uint32_t value)
{
    return put_four(put_four(out, value / 10000), value % 10000);
}

char *rf_put_digits(char *out, uint64_t value)
{
    const uint64_t e8 = 100000000;
    if (value < e8)
        return put_medium(out, (uint32_t)value);
    if (value / e8 < e8)
        out = put_medium(out, (uint32_t)(value / e8));
    else
        out = put_eight(put_short(out, (uint32_t)(value / e8 / e8)), (uint32_t)(value / e8 % e8));
    return put_eight(out, (uint32_t)(value % e8));
}

void rf_sink_u64(struct rf_sink *sink, uint64_t value)
{
    char *out = rf_put_u64(rf_sink_reserve(sink, RF_SINK_U64), value);
    sink->used = (size_t)(out - sink->buffer);
}

void rf_sink_i64(struct rf_sink *sink, int64_t value)
{
    char *out = rf_put_i64(rf_sink_reserve(sink, RF_SINK_U64), value);
    sink->used = (size_t)(out - sink->buffer);
}

void rf_sink_hex(struct rf_sink *sink, uint64_t value)
{
    int shift = 60;
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    rf_sink_text(sink, "0x");
    for (; shift >= 0; shift -= 4)
        rf_sink_char(sink, "0123456789abcdef"[value >> shift & 15]);
}

/* The magnitude of INT64_MIN does not fit int64_t. */
static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

char *rf_put_thousandths(char *out, int64_t value)
{
    uint64_t size = magnitude(value);
    uint32_t rest = (uint32_t)(size % 1000);
    if (value < 0)
        *out++ = '-';
    out = rf_put_digits(out, size / 1000);
    *out++ = '.';
    *out++ = (char)('0' + rest / 100);
    return put_pair(out, rest % 100);
}

void rf_sink_thousandths(struct rf_sink *sink, int64_t value)
{
    char *out = rf_sink_reserve(sink, RF_SINK_THOUSANDTHS);
    sink->used += (size_t)(rf_put_thousandths(out, value) - out);
}

static void put_real(struct rf_sink *sink, double value, int shortest, int longest, bool is_float)
{
    char text[40];
    int n = 0;
    if (isnan(value)) {
        rf_sink_text(sink, "nan");
        return;
    }
    for (int digits = shortest; digits <= longest; digits++) {
        n = snprintf(text, sizeof(text), "%.*g", digits, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    for (int i = 0; i < n; i++) /* some locales have a decimal comma */
        rf_sink_char(sink, text[i] == ',' ? '.' : text[i]);
}

void rf_sink_double(struct rf_sink *sink, double value)
{
    put_real(sink, value, 15, 17, 0);
}

void rf_sink_float(struct rf_sink *sink, float value)
{
    put_real(sink, (double)value, 6, 9, 1);
}
