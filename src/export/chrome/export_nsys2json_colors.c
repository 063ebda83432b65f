/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/export_nsys2json_colors.h"

#include <stdio.h>
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

/* Goes past a character and the space around it, if it comes next. */
static bool take(const char **p, char c)
{
    skip_space(p);
    if (**p != c)
        return false;
    (*p)++;
    skip_space(p);
    return true;
}

static bool read_hex4(const char **p, unsigned *code)
{
    if (strspn(*p, "0123456789abcdefABCDEF") < 4)
        return false;
    (void)sscanf(*p, "%4x", code);
    *p += 4;
    return true;
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

/* One character inside a string; NULL if it is not allowed there. */
static char *read_character(char *out, const char **p)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    unsigned char c = (unsigned char)**p;
    if (c < 0x20) /* the end of the text, too */
        return NULL;
    c = (unsigned char)*(*p)++;
    if (c == '\\') {
        const char *letter = **p != '\0' ? strchr(letters, **p) : NULL;
        if (letter == NULL && **p != 'u')
            return NULL;
        (*p)++;
        if (letter == NULL)
            return read_unicode(out, p);
        c = (unsigned char)meanings[letter - letters];
    }
    *out++ = (char)c;
    return out;
}

/* A JSON string in new memory, or NULL. */
static char *read_string(const char **p)
{
    if (**p != '"')
        return NULL;
    char *text = malloc(strlen(*p)), *out = text;
    for ((*p)++; out != NULL && **p != '"';)
        out = read_character(out, p);
    if (out == NULL) {
        free(text);
        return NULL;
    }
    (*p)++;
    *out = '\0';
    return text;
}

/* ---- Values ---- */

static bool skip_digits(const char **p)
{
    size_t n = strspn(*p, "0123456789");
    *p += n;
    return n > 0;
}

static bool skip_word(const char **p, const char *word)
{
    bool is_word = strncmp(*p, word, strlen(word)) == 0;
    *p += is_word ? strlen(word) : 0;
    return is_word;
}

static bool skip_number(const char **p)
{
    *p += **p == '-';
    const char *first = *p;
    if (!skip_digits(p) || (*first == '0' && *p - first > 1))
        return false;
    if (skip_word(p, ".") && !skip_digits(p))
        return false;
    if (!skip_word(p, "e") && !skip_word(p, "E"))
        return true;
    *p += **p == '+' || **p == '-';
    return skip_digits(p);
}

static bool skip_string(const char **p)
{
    char *text = read_string(p);
    free(text);
    return text != NULL;
}

static bool read_rule(struct rf_color_scheme *scheme, const char **p);

/* Goes past a value; false if there is none. The members of a scheme, if given, are its rules. */
static bool read_value(const char **p, int depth, struct rf_color_scheme *scheme)
{
    char close = **p == '{' ? '}' : ']';
    if (**p == '"')
        return skip_string(p);
    if (**p != '{' && **p != '[')
        return skip_word(p, "null") || skip_word(p, "true") || skip_word(p, "false") ||
               skip_number(p);
    (*p)++;
    skip_space(p);
    bool is_end = **p == close, is_right = depth < MAX_DEPTH;
    while (!is_end && is_right) {
        if (scheme != NULL)
            is_right = read_rule(scheme, p);
        else
            is_right = (close == ']' || (skip_string(p) && take(p, ':'))) &&
                       read_value(p, depth + 1, NULL);
        is_end = is_right && !take(p, ',');
    }
    is_right = is_right && **p == close;
    *p += is_right;
    return is_right;
}

/* ---- Rules ---- */

/* A color is the text, or the value as it stands there. */
static bool read_color(struct rf_color *color, const char **p)
{
    const char *begin = *p;
    color->is_text = **p == '"';
    if (color->is_text)
        color->value = read_string(p);
    else if (read_value(p, 0, NULL))
        color->value = strndup(begin, (size_t)(*p - begin));
    return color->value != NULL;
}

/* A key that comes again keeps its place and gets the later color, as in a Python dict. */
static bool add_rule(struct rf_color_scheme *scheme, const struct rf_color_rule *added)
{
    for (size_t i = 0; i < scheme->n; i++) {
        if (strcmp(scheme->rule[i].text, added->text) != 0)
            continue;
        free(scheme->rule[i].color.value);
        scheme->rule[i].color = added->color;
        free(added->text);
        return true;
    }
    struct rf_color_rule *rule = realloc(scheme->rule, (scheme->n + 1) * sizeof(*rule));
    if (rule == NULL)
        return false;
    scheme->rule = rule;
    scheme->rule[scheme->n++] = *added;
    return true;
}

/* "expression": color */
static bool read_rule(struct rf_color_scheme *scheme, const char **p)
{
    struct rf_color_rule rule = {.text = read_string(p)};
    if (rule.text != NULL && take(p, ':') && read_color(&rule.color, p) && add_rule(scheme, &rule))
        return true;
    free(rule.text);
    free(rule.color.value);
    return false;
}

/* Python takes these for false, which is no scheme. */
static bool skip_nothing(const char **p)
{
    return skip_word(p, "null") || skip_word(p, "false") || skip_word(p, "0") ||
           skip_word(p, "\"\"") || skip_word(p, "[]");
}

static bool read_scheme(struct rf_color_scheme *scheme, const char **p)
{
    skip_space(p);
    bool is_read = skip_nothing(p) || (**p == '{' && read_value(p, 0, scheme));
    skip_space(p);
    return is_read && **p == '\0';
}

int rf_color_scheme_init(struct rf_color_scheme *scheme, const char *json, struct rf_err *err)
{
    const char *p = json;
    memset(scheme, 0, sizeof(*scheme));
    if (!read_scheme(scheme, &p))
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
