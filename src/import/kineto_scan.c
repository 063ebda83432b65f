/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_scan.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "log/chunks.h"

bool kineto_scan_fail(struct kineto_scan *scan, const char *problem)
{
    scan->problem = scan->at < scan->end ? problem : NULL;
    return false;
}

/* ---- Strings ---- */

#define ONES  0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* The high bit of each byte that is c; bytes above the first one may be wrong. */
static inline uint64_t bytes_that_are(uint64_t word, char c)
{
    word ^= ONES * (uint8_t)c;
    return (word - ONES) & ~word & HIGHS;
}

/* Likewise of control characters. */
static inline uint64_t bytes_below_space(uint64_t word)
{
    return (word - ONES * ' ') & ~word & HIGHS;
}

/* Moves to the next quote or backslash; false: there is none. *is_odd: set at a control character.
 */
static inline bool find_special(struct kineto_scan *scan, bool *is_odd)
{
    while (scan->at < scan->end) {
        const uint64_t word = rf_load64((const uint8_t *)scan->at);
        const uint64_t found = bytes_that_are(word, '"') | bytes_that_are(word, '\\');
        const uint64_t control = bytes_below_space(word);
        if (found != 0) {
            *is_odd |= (control & ((found & -found) - 1)) != 0;
            scan->at += __builtin_ctzll(found) / 8;
            return scan->at < scan->end;
        }
        *is_odd |= control != 0;
        scan->at += 8;
    }
    scan->at = scan->end;
    return false;
}

static int32_t read_unit(const char *at, const char *end);

/* At a backslash: whether JSON has this escape. */
static bool is_escape(const char *at, const char *end)
{
    if (end - at < 2 || at[1] == 0 || strchr("\"\\/bfnrtu", at[1]) == NULL)
        return false;
    return at[1] != 'u' || read_unit(at + 2, end) >= 0;
}

static bool scan_string(struct kineto_scan *scan, struct kineto_value *value)
{
    value->type = KINETO_STRING;
    value->has_escapes = value->is_odd = false;
    value->at = ++scan->at;
    while (find_special(scan, &value->is_odd)) {
        if (*scan->at == '"') {
            value->size = (size_t)(scan->at++ - value->at);
            return true;
        }
        value->has_escapes = true;
        value->is_odd |= !is_escape(scan->at, scan->end);
        scan->at += 2;
    }
    scan->at = scan->end;
    return kineto_scan_fail(scan, NULL);
}

/* ---- Numbers and words ---- */

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a word begins like one that is a number: NaN, nan, Infinity, -inf. */
static bool is_odd_word(const char *word, size_t size)
{
    static const char *const words[] = {"NaN", "nan", "Infinity", "infinity", "inf"};
    if (size > 0 && (*word == '-' || *word == '+')) {
        word++;
        size--;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
            return true;
    return false;
}

static bool scan_word(struct kineto_scan *scan, struct kineto_value *value)
{
    const char *begin = scan->at;
    if (*scan->at == '-' || *scan->at == '+')
        scan->at++;
    while (scan->at < scan->end && is_letter(*scan->at))
        scan->at++;
    value->at = begin;
    value->size = (size_t)(scan->at - begin);
    value->type = KINETO_LITERAL;
    value->has_escapes = false;
    value->is_odd = is_odd_word(begin, value->size);
    if (value->is_odd || kineto_is(value, "true") || kineto_is(value, "false") ||
        kineto_is(value, "null"))
        return true;
    if (scan->at < scan->end)
        scan->at = begin;
    return kineto_scan_fail(scan, "no value");
}

static inline const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* At the point of a number: returns the end of it, or NULL: it is none. */
static const char *skip_fraction(const char *at, const char *end, bool has_digits, bool *is_odd)
{
    if (at < end && *at == '.') {
        const char *behind = skip_digits(at + 1, end);
        const bool has_more = behind > at + 1;
        if (!has_digits && !has_more && behind < end)
            return NULL;
        *is_odd |= !has_digits || !has_more;
        at = behind;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        const char *behind = skip_digits(at, end);
        if (behind == at && behind < end)
            return NULL;
        at = behind;
    }
    return at;
}

static inline bool goes_on(char c)
{
    return is_letter(c) || c == '.' || c == '-' || c == '+';
}

/* Most numbers are digits, perhaps with a point among them: returns the end, or NULL: look closer.
 */
static inline const char *skip_usual_number(const char *begin, const char *end)
{
    const char *at = skip_digits(begin, end);
    if (at == begin || (*begin == '0' && at > begin + 1))
        return NULL;
    if (at < end && *at == '.') {
        const char *point = at;
        at = skip_digits(at + 1, end);
        if (at == point + 1)
            return NULL;
    }
    return at < end && (*at == ',' || *at == '}' || *at == ']' || *at <= ' ') ? at : NULL;
}

/* A number, also one with a plus, more zeros in front than one, or no digit before or behind its
 * point, which JSON does not have; or a word. */
static bool scan_odd_plain(struct kineto_scan *scan, struct kineto_value *value)
{
    const char *begin = scan->at, *end = scan->end, *at = begin;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *digits = at;
    at = skip_digits(at, end);
    bool is_odd = *begin == '+' || (at - digits > 1 && *digits == '0');
    if (at == digits && at < end && *at != '.')
        return scan_word(scan, value);
    if (at < end && (*at == '.' || *at == 'e' || *at == 'E'))
        at = skip_fraction(at, end, at > digits, &is_odd);
    if (at == NULL || (at < end && goes_on(*at)))
        return kineto_scan_fail(scan, "no value");
    scan->at = at;
    *value = (struct kineto_value){
        .at = begin, .size = (size_t)(at - begin), .type = KINETO_NUMBER, .is_odd = is_odd};
    return at < end || kineto_scan_fail(scan, NULL); /* there may be more of it */
}

static bool scan_plain(struct kineto_scan *scan, struct kineto_value *value)
{
    const char *begin = scan->at, *at = skip_usual_number(begin, scan->end);
    if (at == NULL)
        return scan_odd_plain(scan, value);
    scan->at = at;
    *value =
        (struct kineto_value){.at = begin, .size = (size_t)(at - begin), .type = KINETO_NUMBER};
    return true;
}

/* ---- Values in values ---- */

/* What is open: one bit each, 1 for an object. */
struct nesting {
    uint64_t is_object[KINETO_MAX_DEPTH / 64];
    unsigned depth;
};

static bool is_in_object(const struct nesting *open)
{
    const unsigned i = open->depth - 1;
    return (open->is_object[i / 64] >> (i % 64) & 1) != 0;
}

/* At a bracket that opens something. */
static bool open_one(struct kineto_scan *scan, struct nesting *open)
{
    const unsigned i = open->depth++;
    const uint64_t bit = UINT64_C(1) << (i % 64);
    if (i >= KINETO_MAX_DEPTH)
        return kineto_scan_fail(scan, "a value nested too deep");
    if (*scan->at++ == '{')
        open->is_object[i / 64] |= bit;
    else
        open->is_object[i / 64] &= ~bit;
    return true;
}

/* Behind a bracket that opened something, or a value and its comma: closes what ends here. Returns
 * false where a member or element begins, or at an error. */
static bool close_ends(struct kineto_scan *scan, struct nesting *open, bool *is_ok)
{
    const char close = is_in_object(open) ? '}' : ']';
    *is_ok = true;
    if (kineto_peek(scan) != close)
        return false;
    scan->at++;
    while (--open->depth > 0) {
        bool is_end;
        *is_ok = kineto_scan_next(scan, is_in_object(open) ? '}' : ']', &is_end);
        if (!*is_ok || !is_end)
            return false;
    }
    return true;
}

/* Behind a member or element; likewise. */
static bool close_after(struct kineto_scan *scan, struct nesting *open, bool *is_ok)
{
    bool is_end = true;
    while (is_end) {
        *is_ok = kineto_scan_next(scan, is_in_object(open) ? '}' : ']', &is_end);
        if (!*is_ok)
            return false;
        if (is_end && --open->depth == 0)
            return true;
    }
    return false;
}

static bool scan_nested(struct kineto_scan *scan, struct kineto_value *value)
{
    struct nesting open = {.depth = 0};
    struct kineto_value inner;
    bool is_odd = false, is_ok = true, is_done = false;
    const char *begin = scan->at;
    scan->has_loose_comma = false;
    is_ok = open_one(scan, &open);
    is_done = is_ok && close_ends(scan, &open, &is_ok);
    while (is_ok && !is_done) {
        if (is_in_object(&open)) {
            if (!kineto_scan_key(scan, &inner))
                return false;
            is_odd |= inner.is_odd;
        }
        const char c = kineto_peek(scan);
        if (c == '{' || c == '[') {
            is_ok = open_one(scan, &open);
            is_done = is_ok && close_ends(scan, &open, &is_ok);
            continue;
        }
        is_ok = c == '"' ? scan_string(scan, &inner) : scan_plain(scan, &inner);
        is_odd |= is_ok && inner.is_odd;
        is_done = is_ok && close_after(scan, &open, &is_ok);
    }
    *value = (struct kineto_value){.at = begin,
                                   .size = (size_t)(scan->at - begin),
                                   .type = KINETO_NESTED,
                                   .is_odd = is_odd || scan->has_loose_comma};
    return is_ok;
}

bool kineto_scan_value(struct kineto_scan *scan, struct kineto_value *value)
{
    switch (kineto_peek(scan)) {
    case '"':
        return scan_string(scan, value);
    case '{':
    case '[':
        return scan_nested(scan, value);
    default:
        return scan_plain(scan, value);
    }
}

bool kineto_scan_key(struct kineto_scan *scan, struct kineto_value *key)
{
    if (kineto_peek(scan) != '"')
        return kineto_scan_fail(scan, "no key in quotes");
    if (!scan_string(scan, key))
        return false;
    if (kineto_peek(scan) != ':')
        return kineto_scan_fail(scan, "no colon behind a key");
    scan->at++;
    return true;
}

bool kineto_scan_next(struct kineto_scan *scan, char close, bool *is_end)
{
    char c = kineto_peek(scan);
    bool has_comma = c == ',';
    if (has_comma) {
        scan->at++;
        c = kineto_peek(scan);
    }
    *is_end = c == close;
    if (*is_end) {
        scan->at++;
        scan->has_loose_comma |= has_comma;
    } else if (!has_comma || scan->at == scan->end)
        return kineto_scan_fail(scan, "neither a comma nor a closing bracket");
    return true;
}

/* ---- What values say ---- */

/* A number taken apart: digits * 10^exponent; of further digits only the exponent is kept. */
struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool is_negative;
};

#define MOST_DIGITS  (UINT64_MAX / 10 - 1)
#define MAX_EXPONENT 100000

static const char *read_digits(struct decimal *number, const char *at, const char *end, int step)
{
    for (; at < end && is_digit(*at); at++) {
        if (number->digits > MOST_DIGITS) {
            number->exponent += 1 - step;
            continue;
        }
        number->digits = number->digits * 10 + (uint64_t)(*at - '0');
        number->exponent -= step;
    }
    return at;
}

static const char *read_exponent(struct decimal *number, const char *at, const char *end)
{
    const bool is_negative = at < end && *at == '-';
    int64_t exponent = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    for (; at < end && is_digit(*at); at++)
        if (exponent < MAX_EXPONENT)
            exponent = exponent * 10 + (*at - '0');
    number->exponent += is_negative ? -exponent : exponent;
    return at;
}

static bool read_decimal(const struct kineto_value *value, struct decimal *number)
{
    const char *at = value->at, *end = at + value->size;
    *number = (struct decimal){.digits = 0};
    if (value->type != KINETO_NUMBER && value->type != KINETO_STRING)
        return false;
    number->is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || (!is_digit(*at) && *at != '.'))
        return false;
    at = read_digits(number, at, end, 0);
    if (at < end && *at == '.')
        at = read_digits(number, at + 1, end, 1);
    if (at < end && (*at == 'e' || *at == 'E'))
        at = read_exponent(number, at + 1, end);
    return at == end;
}

/* digits * 10^exponent, rounded half away from 0. */
static int64_t scale(const struct decimal *number, int64_t exponent)
{
    uint64_t digits = number->digits;
    const int64_t limit = number->is_negative ? INT64_MIN : INT64_MAX;
    bool is_half = false;
    for (; exponent > 0 && digits > 0; exponent--)
        if (__builtin_mul_overflow(digits, 10, &digits))
            return limit;
    for (; exponent < 0 && digits > 0; exponent++) {
        is_half = digits % 10 >= 5;
        digits /= 10;
    }
    digits += exponent == 0 && is_half;
    if (digits > INT64_MAX)
        return limit;
    return number->is_negative ? -(int64_t)digits : (int64_t)digits;
}

/* Most are digits alone. */
static bool read_plain(const struct kineto_value *value, int64_t *number)
{
    int64_t read = 0;
    for (size_t i = 0; i < value->size; i++) {
        if (!is_digit(value->at[i]))
            return false;
        read = read * 10 + (value->at[i] - '0');
    }
    *number = read;
    return value->type == KINETO_NUMBER;
}

bool kineto_integer(const struct kineto_value *value, int64_t *number)
{
    struct decimal read;
    if (value->size < 18 && read_plain(value, number))
        return true;
    if (!read_decimal(value, &read))
        return false;
    if (read.exponent < 0) { /* 7.0 is a whole number, 7.5 is not */
        uint64_t unit = 1;
        for (int64_t i = read.exponent; i < 0 && unit <= UINT64_MAX / 10; i++)
            unit *= 10;
        if (read.digits % unit != 0)
            return false;
    }
    *number = scale(&read, read.exponent);
    return *number != INT64_MAX && *number != INT64_MIN;
}

bool kineto_nanoseconds(const struct kineto_value *value, int64_t *ns)
{
    struct decimal read;
    if (!read_decimal(value, &read))
        return false;
    *ns = scale(&read, read.exponent + 3);
    return true;
}

bool kineto_real(const struct kineto_value *value, double *real)
{
    struct decimal read;
    if (read_decimal(value, &read)) {
        const int64_t most = 400, exponent = read.exponent > most    ? most
                                             : read.exponent < -most ? -most
                                                                     : read.exponent;
        long double power = 1;
        for (int64_t i = exponent < 0 ? -exponent : exponent; i > 0; i--)
            power *= 10;
        long double scaled = (long double)read.digits;
        scaled = exponent < 0 ? scaled / power : scaled * power;
        *real = (double)(read.is_negative ? -scaled : scaled);
        return true;
    }
    if (!is_odd_word(value->at, value->size))
        return false;
    const bool is_nan = memchr(value->at, 'a', value->size) != NULL;
    *real = is_nan ? (double)NAN : *value->at == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

/* ---- Escapes ---- */

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The four digits of an escape; -1: they are none. */
static int32_t read_unit(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (hex_digit(at[i]) < 0)
            return -1;
        unit = unit << 4 | hex_digit(at[i]);
    }
    return unit;
}

/* Behind "\u". What is no character becomes U+FFFD. */
static char *put_unicode(char *to, const char **at, const char *end)
{
    int32_t c = read_unit(*at, end), low = -1;
    if (c < 0)
        return to + rf_utf8_put(to, 0xfffd);
    *at += 4;
    if (c >= 0xd800 && c < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u')
        low = read_unit(*at + 2, end);
    if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
        *at += 6;
    }
    return to + rf_utf8_put(to, c == 0 || (c >= 0xd800 && c < 0xe000) ? 0xfffd : (uint32_t)c);
}

size_t kineto_unescape(const struct kineto_value *value, char *to)
{
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    const char *at = value->at, *end = at + value->size, *begin = to;
    while (at < end) {
        if (*at != '\\' || at + 1 == end) {
            *to++ = *at++;
            continue;
        }
        const char c = at[1];
        at += 2;
        if (c == 'u') {
            to = put_unicode(to, &at, end);
            continue;
        }
        const char *escape = c != 0 ? strchr(escapes, c) : NULL;
        *to++ = escape != NULL && (escape - escapes) % 2 == 0 ? escape[1] : c;
    }
    return (size_t)(to - begin);
}
