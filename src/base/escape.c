/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#define ONES 0x0101010101010101u
#define TOPS 0x8080808080808080u

static inline uint64_t eight_at(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    return word;
}

/* ---- UTF-8 ---- */

struct utf8_step {
    size_t size; /* bytes to take, at least 1 */
    bool is_valid;
};

/* The range of the second byte depends on the first: no overlong forms, no surrogates, nothing
 * above U+10FFFF. */
static bool second_byte_fits(unsigned first, unsigned second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return second >= 0x80 && second <= 0xbf;
    }
}

/* The sequence that a byte of 0x80 or more begins, or its longest part that could have begun
 * one. */
static struct utf8_step utf8_next(const unsigned char *p, size_t left)
{
    struct utf8_step step = {1, 0};
    size_t want = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < 2 || !second_byte_fits(p[0], p[1]))
        return step;
    step.size = 2;
    while (step.size < want && step.size < left && (p[step.size] & 0xc0) == 0x80)
        step.size++;
    step.is_valid = step.size == want;
    return step;
}

bool rf_is_utf8(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        if (size - i >= 8 && (eight_at(p + i) & TOPS) == 0) {
            i += 8;
            continue;
        }
        struct utf8_step step = {1, 1};
        if (p[i] >= 0x80)
            step = utf8_next(p + i, size - i);
        if (!step.is_valid)
            return false;
        i += step.size;
    }
    return true;
}

size_t rf_utf8_replace(char *out, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = 0;
    for (size_t i = 0; i < size;) {
        struct utf8_step step = {1, 1};
        if (p[i] >= 0x80)
            step = utf8_next(p + i, size - i);
        if (step.is_valid)
            memcpy(out + n, p + i, step.size);
        else
            memcpy(out + n, "\xef\xbf\xbd", 3);
        n += step.is_valid ? step.size : 3;
        i += step.size;
    }
    return n;
}

/* ---- The walk that every form of escaping shares ---- */

/* Writes an ASCII character that needs more than itself. */
typedef void put_special_fn(struct rf_sink *sink, unsigned char c);
/* Writes bytes that are not UTF-8. */
typedef void put_invalid_fn(struct rf_sink *sink, const unsigned char *bytes, size_t size);

struct escape_form {
    /* 1 for ASCII characters that put_special() writes */
    unsigned char is_special[128];
    put_special_fn *put_special;
    put_invalid_fn *put_invalid;
};

/* Whether every form writes eight bytes as they are: printable ASCII but for quote and backslash.
 * May deny it of bytes that only might be special. */
static inline bool are_eight_plain(const unsigned char *p)
{
    uint64_t word = eight_at(p);
    uint64_t quote = word ^ (ONES * '"');
    uint64_t backslash = word ^ (ONES * '\\');
    uint64_t del = word ^ (ONES * 0x7f);
    /* The top bit of a byte is set where it is below 0x20, zero after the xor, or not ASCII. */
    uint64_t special =
        (word - ONES * 0x20) | (quote - ONES) | (backslash - ONES) | (del - ONES) | word;
    return (special & TOPS) == 0;
}

/* Bytes at the start that are plain. Stops early before what only might be special, and in a text
 * of less than eight bytes; the last eight of a longer one are looked at once more. */
static size_t plain_run(const unsigned char *p, size_t size)
{
    size_t n = 0;
    while (size - n >= 8 && are_eight_plain(p + n))
        n += 8;
    return size >= 8 && size - n < 8 && are_eight_plain(p + size - 8) ? size : n;
}

static bool put_escaped(struct rf_sink *sink, const char *text, size_t size,
                        const struct escape_form *form)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t done = 0; /* bytes before this are written */
    bool was_replaced = false;
    for (size_t i = plain_run(p, size); i < size;) {
        if (p[i] < 0x80 && !form->is_special[p[i]]) {
            i++;
            continue;
        }
        struct utf8_step step = {1, 0};
        if (p[i] >= 0x80)
            step = utf8_next(p + i, size - i);
        if (!step.is_valid) {
            rf_sink_bytes(sink, p + done, i - done);
            done = i + step.size;
            if (p[i] < 0x80) {
                form->put_special(sink, p[i]);
            } else {
                form->put_invalid(sink, p + i, step.size);
                was_replaced = true;
            }
        }
        i += step.size;
    }
    rf_sink_bytes(sink, p + done, size - done);
    return was_replaced;
}

static void put_replacement(struct rf_sink *sink, const unsigned char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    rf_sink_bytes(sink, "\xef\xbf\xbd", 3);
}

#define CONTROLS                                                                                   \
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1

/* ---- JSON ---- */

/* The letter of a short escape that C and JSON share, or 0. */
static char short_escape(unsigned char c)
{
    switch (c) {
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '"':
    case '\\':
        return (char)c;
    default:
        return 0;
    }
}

static void put_json_special(struct rf_sink *sink, unsigned char c)
{
    char *out = rf_sink_reserve(sink, 6);
    out[0] = '\\';
    out[1] = short_escape(c);
    if (out[1] != 0) {
        sink->used += 2;
        return;
    }
    memcpy(out + 1, "u00", 3);
    out[4] = "0123456789abcdef"[c >> 4];
    out[5] = "0123456789abcdef"[c & 15];
    sink->used += 6;
}

static const struct escape_form json_form = {
    {CONTROLS, ['"'] = 1, ['\\'] = 1}, put_json_special, put_replacement};

bool rf_sink_json_inner(struct rf_sink *sink, const char *text, size_t size)
{
    return put_escaped(sink, text, size, &json_form);
}

static bool is_plain_json(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

bool rf_is_plain_json(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = plain_run(p, size);
    while (i < size && is_plain_json(p[i]))
        i++;
    return i == size;
}

bool rf_sink_json(struct rf_sink *sink, const char *text, size_t size)
{
    if (size <= RF_SINK_MAX_RESERVE - 2 && rf_is_plain_json(text, size)) { /* nearly all */
        char *out = rf_sink_reserve(sink, size + 2);
        out[0] = '"';
        memcpy(out + 1, text, size);
        out[1 + size] = '"';
        sink->used += size + 2;
        return false;
    }
    rf_sink_char(sink, '"');
    bool was_replaced = put_escaped(sink, text, size, &json_form);
    rf_sink_char(sink, '"');
    return was_replaced;
}

static void put_utf16(struct rf_sink *sink, unsigned unit)
{
    char *out = rf_sink_reserve(sink, 6);
    memcpy(out, "\\u", 2);
    for (int i = 0; i < 4; i++)
        out[2 + i] = "0123456789abcdef"[unit >> (12 - 4 * i) & 15];
    sink->used += 6;
}

/* A sequence of n bytes that is valid. */
static unsigned decode_utf8(const unsigned char *p, size_t n)
{
    unsigned code = p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        code = code << 6 | (p[i] & 0x3f);
    return code;
}

static void put_code_point(struct rf_sink *sink, unsigned code)
{
    if (code < 0x10000) {
        put_utf16(sink, code);
        return;
    }
    put_utf16(sink, 0xd800 + ((code - 0x10000) >> 10));
    put_utf16(sink, 0xdc00 + ((code - 0x10000) & 0x3ff));
}

void rf_sink_json_ascii(struct rf_sink *sink, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t done = 0; /* bytes before this are written */
    rf_sink_char(sink, '"');
    for (size_t i = plain_run(p, size); i < size;) {
        if (is_plain_json(p[i])) {
            i++;
            continue;
        }
        struct utf8_step step = {1, 1};
        if (p[i] >= 0x80)
            step = utf8_next(p + i, size - i);
        rf_sink_bytes(sink, p + done, i - done);
        if (p[i] >= 0x80)
            put_code_point(sink, step.is_valid ? decode_utf8(p + i, step.size) : 0xfffd);
        else
            put_json_special(sink, p[i]);
        i += step.size;
        done = i;
    }
    rf_sink_bytes(sink, p + done, size - done);
    rf_sink_char(sink, '"');
}

/* ---- What misleads people ---- */

static void put_hex_byte(struct rf_sink *sink, unsigned char c)
{
    char *out = rf_sink_reserve(sink, 4);
    memcpy(out, "\\x", 2);
    out[2] = "0123456789abcdef"[c >> 4];
    out[3] = "0123456789abcdef"[c & 15];
    sink->used += 4;
}

/* Two bytes of UTF-16, as \u202e. */
static void put_hex_character(struct rf_sink *sink, unsigned c)
{
    char *out = rf_sink_reserve(sink, 6);
    memcpy(out, "\\u", 2);
    for (int i = 0; i < 4; i++)
        out[2 + i] = "0123456789abcdef"[c >> (12 - 4 * i) & 15];
    sink->used += 6;
}

/* The character at p, where it is one that terminals or readers should not be given: the C1
 * controls, U+0080 to U+009F, which are control sequences to some terminals; what turns the
 * direction of text; the ends of lines of Unicode. Otherwise 0. */
static unsigned misleading_at(const unsigned char *p, size_t left, size_t *size)
{
    *size = 2;
    if (left >= 2 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f)
        return p[1];
    if (left >= 2 && p[0] == 0xd8 && p[1] == 0x9c)
        return 0x61c;
    *size = 3;
    if (left < 3 || p[0] != 0xe2 || (p[1] != 0x80 && p[1] != 0x81) || p[2] < 0x80 || p[2] > 0xbf)
        return 0;
    unsigned c = 0x2000u | (p[1] & 1u) << 6 | (p[2] & 0x3fu);
    return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
                   (c >= 0x2066 && c <= 0x2069)
               ? c
               : 0;
}

static bool put_safely(struct rf_sink *sink, const char *text, size_t size,
                       const struct escape_form *form)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t done = 0, n;
    bool was_replaced = false;
    for (size_t i = 0; i < size; i++) {
        if (p[i] < 0xc2)
            continue;
        unsigned c = misleading_at(p + i, size - i, &n);
        if (c == 0)
            continue;
        was_replaced |= put_escaped(sink, text + done, i - done, form);
        if (c < 0xa0) {
            put_hex_byte(sink, p[i]);
            put_hex_byte(sink, p[i + 1]);
        } else {
            put_hex_character(sink, c);
        }
        done = i + n;
        i = done - 1;
    }
    return put_escaped(sink, text + done, size - done, form) | was_replaced;
}

/* ---- CSV ---- */

static void put_csv_special(struct rf_sink *sink, unsigned char c)
{
    if (c == '"')
        rf_sink_bytes(sink, "\"\"", 2);
    else
        put_hex_byte(sink, c);
}

static const struct escape_form raw_csv_form = {{['"'] = 1}, put_csv_special, put_replacement};

/* The controls but tabs and the ends of lines, which are text like any other in quotes. */
#define CSV_CONTROLS                                                                               \
    1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1

static const struct escape_form csv_form = {
    {CSV_CONTROLS, ['"'] = 1, [0x7f] = 1}, put_csv_special, put_replacement};

/* Leading and trailing spaces are quoted too, since some readers strip them otherwise. */
static bool csv_needs_quotes(const char *text, size_t size)
{
    if (size == 0 || text[0] == ' ' || text[size - 1] == ' ')
        return true;
    for (size_t i = 0; i < size; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return false;
}

/* What a spreadsheet takes for a formula, which can run programs. */
bool rf_is_formula(const char *text, size_t size)
{
    char c = size > 0 ? text[0] : '\0';
    return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r';
}

static bool put_csv(struct rf_sink *sink, const char *text, size_t size, bool is_dangerous)
{
    if (!is_dangerous && size > 0 && text[0] != ' ' && text[size - 1] != ' ' &&
        rf_is_plain_json(text, size) && memchr(text, ',', size) == NULL) { /* nearly all */
        rf_sink_bytes(sink, text, size);
        return false;
    }
    bool is_quoted = csv_needs_quotes(text, size);
    if (is_quoted)
        rf_sink_char(sink, '"');
    if (is_dangerous && !sink->is_raw)
        rf_sink_char(sink, '\'');
    bool was_replaced = sink->is_raw ? put_escaped(sink, text, size, &raw_csv_form)
                                     : put_safely(sink, text, size, &csv_form);
    if (is_quoted)
        rf_sink_char(sink, '"');
    return was_replaced;
}

bool rf_sink_csv(struct rf_sink *sink, const char *text, size_t size)
{
    return put_csv(sink, text, size, rf_is_formula(text, size));
}

bool rf_sink_csv_tree(struct rf_sink *sink, const char *text, size_t size)
{
    return put_csv(sink, text, size, rf_is_formula(text, size) && text[0] != '-');
}

/* ---- Terminals ---- */

static void put_printable_special(struct rf_sink *sink, unsigned char c)
{
    char letter = short_escape(c);
    if (letter == 0) {
        put_hex_byte(sink, c);
        return;
    }
    rf_sink_char(sink, '\\');
    rf_sink_char(sink, letter);
}

static void put_invalid_as_hex(struct rf_sink *sink, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_hex_byte(sink, bytes[i]);
}

static const struct escape_form printable_form = {
    {CONTROLS, ['\\'] = 1, [0x7f] = 1}, put_printable_special, put_invalid_as_hex};

void rf_sink_printable(struct rf_sink *sink, const char *text, size_t size)
{
    if (sink->is_raw)
        rf_sink_bytes(sink, text, size);
    else
        (void)put_safely(sink, text, size, &printable_form);
}

static const struct escape_form safe_form = {
    {CONTROLS, [0x7f] = 1}, put_printable_special, put_invalid_as_hex};

void rf_sink_safe(struct rf_sink *sink, const char *text, size_t size)
{
    (void)put_safely(sink, text, size, &safe_form);
}

void rf_sink_quoted(struct rf_sink *sink, const char *name)
{
    rf_sink_char(sink, '\'');
    rf_sink_printable(sink, name, strlen(name));
    rf_sink_char(sink, '\'');
}

bool rf_is_safe(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n;
    for (size_t i = 0; i < size; i++)
        if (p[i] < 0x20 || p[i] == 0x7f || (p[i] >= 0xc2 && misleading_at(p + i, size - i, &n)))
            return false;
    return rf_is_utf8(text, size);
}

void rf_sink_shell_word(struct rf_sink *sink, const char *word)
{
    const size_t size = strlen(word);
    const bool is_plain = rf_is_safe(word, size);
    rf_sink_text(sink, is_plain ? "'" : "$'");
    for (const char *end = word + size; word < end;) {
        const size_t n = strcspn(word, "'");
        if (is_plain)
            rf_sink_bytes(sink, word, n);
        else
            rf_sink_printable(sink, word, n);
        word += n;
        if (word < end) {
            rf_sink_text(sink, is_plain ? "'\\''" : "\\'");
            word++;
        }
    }
    rf_sink_char(sink, '\'');
}

/* ---- HTML ---- */

void rf_sink_html(struct rf_sink *sink, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '&':
            rf_sink_text(sink, "&amp;");
            break;
        case '<':
            rf_sink_text(sink, "&lt;");
            break;
        case '>':
            rf_sink_text(sink, "&gt;");
            break;
        case '"':
            rf_sink_text(sink, "&quot;");
            break;
        case '\'':
            rf_sink_text(sink, "&#39;");
            break;
        default:
            rf_sink_char(sink, text[i]);
        }
    }
}
