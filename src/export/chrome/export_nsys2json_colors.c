/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/export_nsys2json_colors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/filter/expression.h"

#define MAX_DEPTH 64 /* of arrays and objects in a color */

struct rf_color_rule {
    char *text; /* the expression as it was given */
    struct rf_expression *expression;
    struct rf_color color;
};

/* ---- JSON ---- */

static void skip_space(const char **p)
{
    *p += strspn(*p, " \t\r\n");
}

static int read_hex4(const char **p, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, (*p)++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = **p != '\0' ? strchr(digits, **p) : NULL;
        if (digit == NULL)
            return 0;
        *code = *code << 4 | ((unsigned)(digit - digits) & 15);
    }
    return 1;
}

static char *put_utf8(char *out, unsigned code)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    *out++ = (char)(lead[n] | code >> (6 * (n - 1)));
    for (int i = n - 2; i >= 0; i--)
        *out++ = (char)(0x80 | (code >> (6 * i) & 0x3f));
    return out;
}

/* After \u. A pair of surrogates is one character; half of one, and NUL, are refused. */
static char *read_unicode(char *out, const char **p)
{
    unsigned code, low;
    if (!read_hex4(p, &code) || code == 0)
        return NULL;
    if (code >= 0xd800 && code < 0xe000) {
        if (code >= 0xdc00 || (*p)[0] != '\\' || (*p)[1] != 'u')
            return NULL;
        *p += 2;
        if (!read_hex4(p, &low) || low < 0xdc00 || low >= 0xe000)
            return NULL;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    return put_utf8(out, code);
}

/* A JSON string to new memory, or NULL. */
static char *read_string(const char **p)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (**p != '"')
        return NULL;
    char *text = malloc(strlen(*p)), *out = text;
    for ((*p)++; text != NULL && out != NULL && **p != '"';) {
        const char *letter;
        unsigned char c = (unsigned char)**p;
        if (c < 0x20) { /* the end of the text, too, which nothing may go beyond */
            out = NULL;
            break;
        }
        (*p)++;
        if (c != '\\') {
            *out++ = (char)c;
        } else if (**p == 'u') {
            (*p)++;
            out = read_unicode(out, p);
        } else if (**p != '\0' && (letter = strchr(letters, **p)) != NULL) {
            *out++ = meanings[letter - letters];
            (*p)++;
        } else {
            out = NULL;
        }
    }
    if (text == NULL || out == NULL) {
        free(text);
        return NULL;
    }
    (*p)++;
    *out = '\0';
    return text;
}

static int skip_value(const char **p, int depth);

/* Behind the bracket: the members up to the closing one. */
static int skip_members(const char **p, char close, int depth)
{
    skip_space(p);
    if (**p == close) {
        (*p)++;
        return 1;
    }
    for (;;) {
        if (close == '}') {
            char *key = read_string(p);
            free(key);
            skip_space(p);
            if (key == NULL || **p != ':')
                return 0;
            (*p)++;
            skip_space(p);
        }
        if (!skip_value(p, depth))
            return 0;
        skip_space(p);
        char end = **p;
        if (end != ',' && end != close)
            return 0;
        (*p)++;
        if (end == close)
            return 1;
        skip_space(p);
    }
}

static int skip_digits(const char **p)
{
    size_t n = strspn(*p, "0123456789");
    *p += n;
    return n > 0;
}

static int skip_number(const char **p)
{
    *p += **p == '-';
    const char *first = *p;
    if (!skip_digits(p) || (*first == '0' && *p - first > 1))
        return 0;
    if (**p == '.') {
        (*p)++;
        if (!skip_digits(p))
            return 0;
    }
    if (**p == 'e' || **p == 'E') {
        (*p)++;
        *p += **p == '+' || **p == '-';
        return skip_digits(p);
    }
    return 1;
}

/* Goes behind a value; 0: it is none. */
static int skip_value(const char **p, int depth)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(*p, words[i], strlen(words[i])) == 0) {
            *p += strlen(words[i]);
            return 1;
        }
    if (**p == '"') {
        char *text = read_string(p);
        free(text);
        return text != NULL;
    }
    if (**p != '{' && **p != '[')
        return skip_number(p);
    char close = **p == '{' ? '}' : ']';
    (*p)++;
    return depth < MAX_DEPTH && skip_members(p, close, depth + 1);
}

/* A color is the text, or the value as it stands there. */
static int read_color(struct rf_color *color, const char **p)
{
    const char *begin = *p;
    color->is_text = **p == '"';
    if (color->is_text)
        color->value = read_string(p);
    else if (skip_value(p, 0))
        color->value = strndup(begin, (size_t)(*p - begin));
    return color->value != NULL;
}

/* A key that comes again keeps its place and gets the later color, as in a Python dict. */
static int add_rule(struct rf_color_scheme *scheme, char *text, struct rf_color color)
{
    for (size_t i = 0; i < scheme->n; i++) {
        if (strcmp(scheme->rule[i].text, text) != 0)
            continue;
        free(scheme->rule[i].color.value);
        scheme->rule[i].color = color;
        free(text);
        return RF_OK;
    }
    struct rf_color_rule *rule = realloc(scheme->rule, (scheme->n + 1) * sizeof(*rule));
    if (rule == NULL) {
        free(text);
        free(color.value);
        return RF_ERR_NO_MEMORY;
    }
    scheme->rule = rule;
    scheme->rule[scheme->n++] = (struct rf_color_rule){.text = text, .color = color};
    return RF_OK;
}

/* `"expression": color`, and what follows it. Returns the character that ends it, or 0. */
static char read_member(struct rf_color_scheme *scheme, const char **p)
{
    struct rf_color color = {.value = NULL};
    skip_space(p);
    char *text = read_string(p);
    skip_space(p);
    if (text != NULL && **p == ':') {
        (*p)++;
        skip_space(p);
        (void)read_color(&color, p);
    }
    if (color.value == NULL) {
        free(text);
        return '\0';
    }
    skip_space(p);
    char end = **p;
    if (add_rule(scheme, text, color) != RF_OK || (end != ',' && end != '}'))
        return '\0';
    (*p)++;
    return end;
}

/* What Python takes for false is no scheme. */
static int is_nothing(const char **p)
{
    static const char *const none[] = {"null", "false", "0", "\"\"", "[]"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        const char *end = *p + strlen(none[i]);
        if (strncmp(*p, none[i], strlen(none[i])) == 0 && end[strspn(end, " \t\r\n")] == '\0')
            return 1;
    }
    return 0;
}

static int read_object(struct rf_color_scheme *scheme, const char **p)
{
    char end = '{';
    skip_space(p);
    if (is_nothing(p))
        return 1;
    if (**p != '{')
        return 0;
    (*p)++;
    skip_space(p);
    if (**p == '}') {
        (*p)++;
        end = '}';
    }
    while (end != '}' && end != '\0')
        end = read_member(scheme, p);
    skip_space(p);
    return end == '}' && **p == '\0';
}

int rf_color_scheme_init(struct rf_color_scheme *scheme, const char *json, struct rf_err *err)
{
    const char *p = json;
    memset(scheme, 0, sizeof(*scheme));
    if (!read_object(scheme, &p))
        return rf_fail(
            err, RF_ERR_USAGE,
            "the color scheme is no JSON object from expressions to "
            "colors, as {\"send\": \"thread_state_iowait\"}: it goes wrong before '%.40s'",
            p);
    int status = RF_OK;
    for (size_t i = 0; i < scheme->n && status == RF_OK; i++)
        status = rf_expression_new(&scheme->rule[i].expression, scheme->rule[i].text, err);
    return status;
}

void rf_color_scheme_release(struct rf_color_scheme *scheme)
{
    for (size_t i = 0; i < scheme->n; i++) {
        rf_expression_free(scheme->rule[i].expression);
        free(scheme->rule[i].text);
        free(scheme->rule[i].color.value);
    }
    free(scheme->rule);
    memset(scheme, 0, sizeof(*scheme));
}

int rf_color_scheme_find(const struct rf_color_scheme *scheme, const char *name, size_t size,
                         const struct rf_color **color, struct rf_err *err)
{
    *color = NULL;
    for (size_t i = 0; i < scheme->n && *color == NULL; i++) {
        int found = rf_expression_find(scheme->rule[i].expression, name, size, err);
        if (found < 0)
            return found;
        if (found)
            *color = &scheme->rule[i].color;
    }
    return RF_OK;
}
