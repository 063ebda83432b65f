/* SPDX-License-Identifier: Apache-2.0 */
#include "model/payload/payload_json.h"

#include <math.h>
#include <stdlib.h>

#include "base/escape.h"

#define MAX_EXACT ((uint64_t)1 << 53)

static void put_hex_bytes(struct rf_sink *sink, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    rf_sink_char(sink, '"');
    for (size_t i = 0; i < size; i++) {
        char *out = rf_sink_reserve(sink, 2);
        out[0] = digits[bytes[i] >> 4];
        out[1] = digits[bytes[i] & 15];
        sink->used += 2;
    }
    rf_sink_char(sink, '"');
}

static void put_real(struct rf_sink *sink, const struct rf_value *value)
{
    bool is_quoted = !isfinite(value->real);
    if (is_quoted)
        rf_sink_char(sink, '"');
    if (value->flags & RF_VALUE_FLOAT)
        rf_sink_float(sink, (float)value->real);
    else
        rf_sink_double(sink, value->real);
    if (is_quoted)
        rf_sink_char(sink, '"');
}

static void put_integer(const struct rf_json_writer *w, const struct rf_value *value)
{
    bool is_signed = value->kind == RF_VALUE_SIGNED;
    uint64_t size = is_signed && value->integer < 0 ? 0 - value->number : value->number;
    bool is_quoted = (w->flags & RF_JSON_EXACT) != 0 && size > MAX_EXACT;
    if (is_quoted)
        rf_sink_char(w->sink, '"');
    if (is_signed)
        rf_sink_i64(w->sink, value->integer);
    else
        rf_sink_u64(w->sink, value->number);
    if (is_quoted)
        rf_sink_char(w->sink, '"');
}

static void put_digits(const struct rf_json_writer *w, const struct rf_value *value)
{
    bool is_quoted = (w->flags & RF_JSON_EXACT) != 0;
    if (is_quoted)
        rf_sink_char(w->sink, '"');
    rf_sink_bytes(w->sink, value->text, value->count);
    if (is_quoted)
        rf_sink_char(w->sink, '"');
}

static void put_scalar(const struct rf_json_writer *w, const struct rf_value *value)
{
    struct rf_sink *sink = w->sink;
    switch (value->kind) {
    case RF_VALUE_UNSIGNED:
    case RF_VALUE_SIGNED:
        put_integer(w, value);
        break;
    case RF_VALUE_REAL:
        put_real(sink, value);
        break;
    case RF_VALUE_DIGITS:
        put_digits(w, value);
        break;
    case RF_VALUE_TEXT:
        if (value->flags & RF_VALUE_JSON)
            rf_sink_bytes(sink, value->text, value->count);
        else
            (void)rf_sink_json(sink, value->text, value->count);
        break;
    case RF_VALUE_BYTES:
        put_hex_bytes(sink, value->bytes, value->count);
        break;
    case RF_VALUE_ADDRESS:
        rf_sink_char(sink, '"');
        rf_sink_hex(sink, value->number);
        rf_sink_char(sink, '"');
        break;
    default:
        rf_sink_text(sink, "null");
        break;
    }
}

static bool is_in_object(const struct rf_json_writer *w)
{
    return w->depth > 0 && (w->objects >> (w->depth & 63) & 1) != 0;
}

int rf_json_put_value(void *context, const struct rf_value *value)
{
    struct rf_json_writer *w = context;
    struct rf_sink *sink = w->sink;
    if (value->kind == RF_VALUE_END) {
        rf_sink_char(sink, is_in_object(w) ? '}' : ']');
        w->depth--;
        w->is_first = false;
        return 0;
    }
    if (!w->is_first)
        rf_sink_char(sink, ',');
    if (is_in_object(w)) {
        (void)rf_sink_json(sink, value->name, strlen(value->name));
        rf_sink_char(sink, ':');
    }
    w->is_first = value->kind == RF_VALUE_OBJECT || value->kind == RF_VALUE_ARRAY;
    if (!w->is_first) {
        put_scalar(w, value);
        return 0;
    }
    w->depth++;
    uint64_t bit = (uint64_t)1 << (w->depth & 63);
    w->objects = value->kind == RF_VALUE_OBJECT ? w->objects | bit : w->objects & ~bit;
    rf_sink_char(sink, value->kind == RF_VALUE_OBJECT ? '{' : '[');
    return 0;
}

void rf_sink_payloads(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event,
                      unsigned flags)
{
    struct rf_json_writer w = {.sink = sink, .flags = flags, .is_first = true};
    int status = rf_visit_payloads(rec, event, flags & RF_VISIT_SHOWN, rf_json_put_value, &w);
    if (status != 0 && sink->status == 0)
        sink->status = status;
}

/* ---- In memory ---- */

static int append(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_json_text *text = context;
    (void)err;
    if (text->room - text->used < size + 1) {
        size_t room = 2 * (text->used + size) + 1;
        char *more = realloc(text->text, room);
        if (more == NULL)
            return RF_ERR_NO_MEMORY;
        text->text = more;
        text->room = room;
    }
    memcpy(text->text + text->used, data, size);
    text->used += size;
    text->text[text->used] = 0;
    return RF_OK;
}

int rf_json_text_begin(struct rf_json_text *text)
{
    if (text->sink.buffer == NULL && rf_sink_init(&text->sink, append, text, NULL) != RF_OK)
        return RF_ERR_NO_MEMORY;
    text->used = text->sink.used = 0;
    return RF_OK;
}

const char *rf_json_text_end(struct rf_json_text *text, size_t *size)
{
    *size = 0;
    if (text->sink.buffer == NULL) /* rf_json_text_begin() had no memory */
        return NULL;
    rf_sink_char(&text->sink, '\0');
    const char *result = text->sink.buffer;
    *size = text->sink.used - 1;
    if (text->used > 0) {
        size_t all = text->used + *size;
        rf_sink_drain(&text->sink);
        result = text->text;
        *size = all;
    }
    return rf_sink_status(&text->sink) == RF_OK ? result : NULL;
}

const char *rf_json_text_of(struct rf_json_text *text, const rf_recording *rec,
                            const struct rf_event *event, unsigned flags, size_t *size)
{
    *size = 0;
    if (rf_json_text_begin(text) != RF_OK)
        return NULL;
    rf_sink_payloads(&text->sink, rec, event, flags);
    return rf_json_text_end(text, size);
}

void rf_json_text_release(struct rf_json_text *text)
{
    rf_sink_release(&text->sink);
    free(text->text);
    *text = (struct rf_json_text){.text = NULL};
}
