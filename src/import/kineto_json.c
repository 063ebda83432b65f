/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_json.h"

#include <string.h>

static char *put_bytes(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    return to + size;
}

static char *put_quoted(char *to, const char *from, size_t size)
{
    *to++ = '"';
    to = put_bytes(to, from, size);
    *to++ = '"';
    return to;
}

/* ---- Texts ---- */

static char *put_control(char *to, char c)
{
    static const char digits[] = "0123456789abcdef";
    if (c == 0)
        return put_bytes(to, "\\ufffd", 6);
    to = put_bytes(to, "\\u00", 4);
    *to++ = digits[(uint8_t)c >> 4];
    *to++ = digits[(uint8_t)c & 15];
    return to;
}

static inline bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* At a backslash, which kineto_unescape() reads the same way. */
static char *put_escape(char *to, const char **at, const char *end)
{
    const char c = end - *at > 1 ? (*at)[1] : 0;
    size_t n_digits = 0;
    if (c == 'u') {
        while (n_digits < 4 && end - *at > (ptrdiff_t)n_digits + 2 && is_hex((*at)[2 + n_digits]))
            n_digits++;
        to = n_digits == 4 ? put_bytes(to, *at, 6) : put_bytes(to, "\\ufffd", 6);
        *at += n_digits == 4 ? 6 : 2;
        return to;
    }
    *at += 1;
    if (c != 0 && strchr("\"\\/bfnrt", c) != NULL) {
        to = put_bytes(to, *at - 1, 2);
        *at += 1;
    }
    return to; /* or without its backslash */
}

static char *put_odd_text(char *to, const struct kineto_value *value)
{
    const char *at = value->at, *end = at + value->size;
    *to++ = '"';
    while (at < end) {
        if (*at == '\\')
            to = put_escape(to, &at, end);
        else if ((uint8_t)*at < ' ')
            to = put_control(to, *at++);
        else
            *to++ = *at++;
    }
    *to++ = '"';
    return to;
}

/* ---- Numbers ---- */

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char *put_odd_number(char *to, const struct kineto_value *value)
{
    const char *at = value->at, *end = at + value->size;
    if (*at == '-')
        *to++ = '-';
    if (*at == '-' || *at == '+')
        at++;
    while (end - at > 1 && at[0] == '0' && is_digit(at[1]))
        at++;
    if (!is_digit(*at))
        *to++ = '0';
    while (at < end && is_digit(*at))
        *to++ = *at++;
    if (end - at > 1 && at[0] == '.' && is_digit(at[1]))
        *to++ = '.';
    if (at < end && *at == '.')
        at++;
    return put_bytes(to, at, (size_t)(end - at));
}

/* ---- Values ---- */

/* At a comma: whether nothing comes behind it. */
static bool is_loose(const char *comma, const char *end)
{
    struct kineto_scan scan = {.at = comma + 1, .end = end};
    const char c = kineto_peek(&scan);
    return c == ']' || c == '}';
}

static bool is_bracket_or_space(char c)
{
    return c != 0 && strchr("{}[]:, \t\r\n", c) != NULL;
}

static char *put_odd_nested(char *to, const struct kineto_value *value)
{
    struct kineto_scan scan = {.at = value->at, .end = value->at + value->size};
    struct kineto_value inner;
    while (scan.at < scan.end) {
        const char c = *scan.at;
        if (is_bracket_or_space(c)) {
            if (c != ',' || !is_loose(scan.at, scan.end))
                *to++ = c;
            scan.at++;
        } else if (kineto_scan_value(&scan, &inner)) {
            to = kineto_put_value(to, &inner);
        } else {
            break; /* it was scanned before, so it is none of these */
        }
    }
    return to;
}

char *kineto_put_value(char *to, const struct kineto_value *value)
{
    if (!value->is_odd)
        return value->type == KINETO_STRING ? put_quoted(to, value->at, value->size)
                                            : put_bytes(to, value->at, value->size);
    switch (value->type) {
    case KINETO_STRING:
        return put_odd_text(to, value);
    case KINETO_NUMBER:
        return put_odd_number(to, value);
    case KINETO_LITERAL:
        return put_quoted(to, value->at, value->size);
    default:
        return put_odd_nested(to, value);
    }
}
