/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as RFC 8259 has it. The text is looked through once as a whole; what takes it apart
 * afterwards need not expect mistakes, except for escapes of halves of characters. */
#include "model/payload/payload_from_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define MAX_DEPTH 60

/* ---- Is it JSON? ---- */

struct scan {
    const char *at, *end;
    unsigned depth;
};

static bool skip_value(struct scan *s);

static void skip_spaces(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

/* Whether the next byte is c, which is skipped then, with the spaces around it. */
static bool skip_char(struct scan *s, char c)
{
    skip_spaces(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    skip_spaces(s);
    return true;
}

static bool skip_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

static bool is_digit(const struct scan *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool skip_digits(struct scan *s)
{
    bool has_any = is_digit(s);
    while (is_digit(s))
        s->at++;
    return has_any;
}

static bool skip_number(struct scan *s)
{
    (void)skip_word(s, "-");
    if (!skip_word(s, "0") && !skip_digits(s))
        return false;
    if (skip_word(s, ".") && !skip_digits(s))
        return false;
    if (!skip_word(s, "e") && !skip_word(s, "E"))
        return true;
    if (!skip_word(s, "+"))
        (void)skip_word(s, "-");
    return skip_digits(s);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool skip_escape(struct scan *s)
{
    if (s->at == s->end || strchr("\"\\/bfnrtu", *s->at) == NULL || *s->at == '\0')
        return false;
    if (*s->at++ != 'u')
        return true;
    for (int i = 0; i < 4; i++, s->at++)
        if (s->at == s->end || hex_digit(*s->at) < 0)
            return false;
    return true;
}

static bool skip_string(struct scan *s)
{
    if (!skip_word(s, "\""))
        return false;
    while (s->at < s->end && *s->at != '"') {
        char c = *s->at++;
        if ((unsigned char)c < 0x20 || (c == '\\' && !skip_escape(s)))
            return false;
    }
    return skip_word(s, "\"");
}

static bool skip_members(struct scan *s, char end, bool is_object)
{
    if (skip_char(s, end))
        return true;
    do {
        skip_spaces(s);
        if (is_object && (!skip_string(s) || !skip_char(s, ':')))
            return false;
        if (!skip_value(s))
            return false;
    } while (skip_char(s, ','));
    return skip_char(s, end);
}

static bool skip_value(struct scan *s)
{
    bool is_value = false;
    skip_spaces(s);
    if (s->at == s->end || s->depth >= MAX_DEPTH)
        return false;
    s->depth++;
    switch (*s->at) {
    case '{':
    case '[':
        s->at++;
        is_value = s->at[-1] == '{' ? skip_members(s, '}', true) : skip_members(s, ']', false);
        break;
    case '"':
        is_value = skip_string(s);
        break;
    case 't':
        is_value = skip_word(s, "true");
        break;
    case 'f':
        is_value = skip_word(s, "false");
        break;
    case 'n':
        is_value = skip_word(s, "null");
        break;
    default:
        is_value = skip_number(s);
    }
    s->depth--;
    return is_value;
}

/* ---- Its values ---- */

struct reader {
    struct scan scan;
    struct rf_payload_leaves *leaves;
    char *text; /* has room for any string of the whole */
};

static int give(struct reader *r, const struct rf_value *value)
{
    const struct rf_payload_path *path = &r->leaves->path;
    return r->leaves->leaf(r->leaves->context, path->text != NULL ? path->text : "", path->size,
                           value);
}

static int give_text(struct reader *r, const char *text, size_t size, uint32_t flags)
{
    return give(
        r, &(struct rf_value){.kind = RF_VALUE_TEXT, .flags = flags, .text = text, .count = size});
}

static uint32_t read_unit(const char *at)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++)
        unit = unit << 4 | (uint32_t)hex_digit(at[i]);
    return unit;
}

/* Behind "\u": one character, of which two escapes can be the halves. */
static char *put_unicode(char *out, const char **at, const char *end)
{
    uint32_t c = read_unit(*at);
    *at += 4;
    if (c >= 0xd800 && c < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        uint32_t low = read_unit(*at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
            *at += 6;
        }
    }
    return out + rf_utf8_put(out, c);
}

/* The string that comes next, in r->text. */
static size_t read_string(struct reader *r)
{
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    const char *at = r->scan.at + 1;
    char *out = r->text;
    (void)skip_string(&r->scan);
    const char *end = r->scan.at - 1;
    while (at < end) {
        if (*at != '\\') {
            *out++ = *at++;
            continue;
        }
        const char *escape = strchr(escapes, at[1]);
        at += 2;
        if (at[-1] == 'u')
            out = put_unicode(out, &at, end);
        else
            *out++ = escape != NULL ? escape[1] : at[-1];
    }
    return (size_t)(out - r->text);
}

static int give_digits(struct reader *r, const char *at, size_t size)
{
    return give(r, &(struct rf_value){.kind = RF_VALUE_DIGITS, .text = at, .count = size});
}

/* An integer that an int64 or a uint64 holds, or its digits. */
static int give_integer(struct reader *r, const char *at, size_t size)
{
    bool is_negative = *at == '-';
    uint64_t number = 0;
    for (size_t i = is_negative; i < size; i++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(at[i] - '0'), &number))
            return give_digits(r, at, size);
    if (is_negative && number > (uint64_t)INT64_MAX + 1)
        return give_digits(r, at, size);
    bool is_signed = is_negative || number <= INT64_MAX;
    struct rf_value value = {.kind = is_signed ? RF_VALUE_SIGNED : RF_VALUE_UNSIGNED};
    value.number = is_negative ? 0 - number : number;
    return give(r, &value);
}

static int give_number(struct reader *r)
{
    const char *at = r->scan.at;
    char *end;
    (void)skip_number(&r->scan);
    size_t size = (size_t)(r->scan.at - at);
    if (memchr(at, '.', size) == NULL && memchr(at, 'e', size) == NULL &&
        memchr(at, 'E', size) == NULL)
        return give_integer(r, at, size);
    struct rf_value value = {.kind = RF_VALUE_REAL};
    value.real = strtod(at, &end);
    bool is_whole = end == r->scan.at && isfinite(value.real); /* some locales have a comma */
    return is_whole ? give(r, &value) : give_text(r, at, size, RF_VALUE_JSON);
}

static int walk_value(struct reader *r);

static int walk_member(struct reader *r, uint64_t number)
{
    struct rf_payload_path *path = &r->leaves->path;
    size_t size = path->size, n = read_string(r);
    if (n == 0)
        n = (size_t)snprintf(r->text, 24, "%llu", (unsigned long long)number);
    (void)skip_char(&r->scan, ':');
    if (rf_payload_path_push(path, r->text, n) != RF_OK)
        return RF_ERR_NO_MEMORY;
    int status = walk_value(r);
    rf_payload_path_pop(path, size);
    return status;
}

static int walk_object(struct reader *r)
{
    uint64_t number = 0;
    r->scan.at++;
    if (skip_char(&r->scan, '}'))
        return 0;
    do {
        skip_spaces(&r->scan);
        int status = walk_member(r, number++);
        if (status != 0)
            return status;
    } while (skip_char(&r->scan, ','));
    (void)skip_char(&r->scan, '}');
    return 0;
}

/* A value as it stands. */
static int give_json(struct reader *r)
{
    const char *at = r->scan.at;
    (void)skip_value(&r->scan);
    size_t size = (size_t)(r->scan.at - at);
    while (size > 0 && strchr(" \t\n\r", at[size - 1]) != NULL)
        size--;
    return give_text(r, at, size, RF_VALUE_JSON);
}

static int walk_value(struct reader *r)
{
    size_t size;
    skip_spaces(&r->scan);
    switch (*r->scan.at) {
    case '{':
        if (!rf_payload_leaf_is_whole(r->leaves))
            return walk_object(r);
        return give_json(r);
    case '"':
        size = read_string(r);
        return give_text(r, r->text, size, 0);
    case '[':
    case 't':
    case 'f':
        return give_json(r);
    case 'n':
        (void)skip_value(&r->scan);
        return give(r, &(struct rf_value){.kind = RF_VALUE_NULL});
    default:
        return give_number(r);
    }
}

/* Whether the text is a list of objects alone. */
static bool is_several(struct scan s)
{
    if (!skip_char(&s, '['))
        return false;
    do {
        skip_spaces(&s);
        if (s.at == s.end || *s.at != '{')
            return false;
        (void)skip_value(&s);
    } while (skip_char(&s, ','));
    return true;
}

static int walk_all(struct reader *r)
{
    int status;
    if (!is_several(r->scan))
        return walk_value(r);
    (void)skip_char(&r->scan, '[');
    do {
        status = walk_value(r);
    } while (status == 0 && skip_char(&r->scan, ','));
    return status;
}

int rf_payload_leaves_of_json(struct rf_payload_leaves *leaves, const char *text, size_t size,
                              rf_payload_leaf_fn *leaf, void *context)
{
    struct reader r = {.scan = {text, text + size, 0}, .leaves = leaves};
    leaves->path.size = leaves->path.n_names = 0;
    leaves->leaf = leaf;
    leaves->context = context;
    bool is_json = skip_value(&r.scan);
    skip_spaces(&r.scan);
    if (!is_json || r.scan.at != r.scan.end)
        return give_text(&r, text, size, 0);
    r.scan.at = text;
    r.text = malloc(size + 24);
    if (r.text == NULL)
        return RF_ERR_NO_MEMORY;
    int status = walk_all(&r);
    free(r.text);
    return status;
}
