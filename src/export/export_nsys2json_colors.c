/* SPDX-License-Identifier: Apache-2.0 */
#include "export/export_nsys2json_colors.h"

#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/expression.h"

struct rf_color_rule {
    char *expression; /* as it was given */
    char *color;
    regex_t regex;
    int is_compiled;
};

/* ---- Expressions ----
 *
 * What scripts use of Python's expressions is the same in POSIX, or has another name there. The
 * rest is refused: it would be taken for something else. */

/* The letter of a class, \d, as what stands inside of [...], or NULL. */
static const char *class_of(char letter)
{
    switch (letter) {
    case 'd':
        return "0-9";
    case 'w':
        return "[:alnum:]_";
    case 's':
        return "[:space:]";
    default:
        return NULL;
    }
}

static char *append(char *out, const char *text)
{
    size_t n = strlen(text);
    memcpy(out, text, n + 1);
    return out + n;
}

/* What \t and the like stand for, or 0. */
static char control_of(char letter)
{
    const char *letters = "tnrfv", *controls = "\t\n\r\f\v";
    const char *at = letter != '\0' ? strchr(letters, letter) : NULL;
    return at != NULL ? controls[at - letters] : '\0';
}

/* After the backslash, outside of [...]. */
static const char *put_escape(char **out, const char **in)
{
    char letter = *(*in)++;
    int is_not = letter == 'D' || letter == 'W' || letter == 'S';
    const char *class = class_of(is_not ? (char)(letter - 'A' + 'a') : letter);
    if (class != NULL) {
        *out = append(append(append(*out, is_not ? "[^" : "["), class), "]");
        return NULL;
    }
    if (control_of(letter) != '\0') {
        *(*out)++ = control_of(letter);
        return NULL;
    }
    if (letter == '\0')
        return "a backslash at the end";
    if (letter == 'A' || letter == 'Z') {
        *(*out)++ = letter == 'A' ? '^' : '$';
        return NULL;
    }
    if (letter != 'b' && letter != 'B') { /* word edges, which the C library has, too */
        if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
            (letter >= '0' && letter <= '9'))
            return "a backslash before a letter or digit that is none of \\d \\w \\s \\b \\t \\n";
    }
    *(*out)++ = '\\';
    *(*out)++ = letter;
    return NULL;
}

/* After the opening bracket. A backslash is a plain character in POSIX's brackets, where "]" must
 * come first and "-" last. */
static const char *put_bracket(char **out, const char **in)
{
    const char *p = *in;
    int has_dash = 0, has_close = 0;
    char set[1024];
    char *to = set;
    *(*out)++ = '[';
    if (*p == '^')
        *(*out)++ = *p++;
    for (int is_first = 1; *p != ']' || is_first; is_first = 0, p++) {
        if (*p == '\0')
            return "'[' without ']'";
        if (to - set > (ptrdiff_t)sizeof(set) - 32)
            return "a set of more than a thousand characters";
        char c = *p;
        int is_escaped = c == '\\' && p[1] != '\0';
        if (is_escaped)
            c = *++p;
        if (is_escaped && class_of(c) != NULL)
            to = append(to, class_of(c));
        else if (is_escaped && control_of(c) != '\0')
            *to++ = control_of(c);
        else if (is_escaped && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            return "a backslash before this letter within '[...]'";
        else if (c == ']')
            has_close = 1;
        else if (c == '-' && (is_escaped || is_first || p[1] == ']'))
            has_dash = 1;
        else if (c == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '='))
            return "'[:', '[.' or '[=' within '[...]'";
        else
            *to++ = c;
    }
    *to = '\0';
    *in = p + 1;
    if (has_close)
        *(*out)++ = ']';
    *out = append(*out, set);
    if (has_dash)
        *(*out)++ = '-';
    *(*out)++ = ']';
    return NULL;
}

const char *rf_translate_expression(char *out, const char *python)
{
    const char *error = NULL;
    for (const char *p = python; *p != '\0' && error == NULL;) {
        char c = *p++;
        if (c == '\\') {
            error = put_escape(&out, &p);
        } else if (c == '[') {
            error = put_bracket(&out, &p);
        } else if (c == '(' && p[0] == '?') {
            if (p[1] != ':')
                return "'(?', but for '(?:'";
            *out++ = '(';
            p += 2;
        } else {
            *out++ = c;
            /* that a repetition is short or long makes no difference to whether it is found */
            if ((c == '*' || c == '+' || c == '?' || c == '}') && *p == '?')
                p++;
            else if ((c == '*' || c == '+' || c == '?' || c == '}') && *p == '+')
                return "a possessive repetition";
        }
    }
    *out = '\0';
    return error;
}

static int compile(struct rf_color_rule *rule, struct rf_err *err)
{
    char reason[160];
    char *posix = malloc(strlen(rule->expression) * 8 + 1);
    if (posix == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    const char *missing = rf_translate_expression(posix, rule->expression);
    const char *too_costly = missing == NULL ? rf_expression_too_costly(posix) : NULL;
    int is_usable = missing == NULL && too_costly == NULL;
    int code = is_usable ? regcomp(&rule->regex, posix, REG_EXTENDED | REG_NOSUB) : 0;
    free(posix);
    if (missing != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the color scheme's expression '%.200s' cannot be used: "
                       "POSIX extended expressions do not have %s",
                       rule->expression, missing);
    if (too_costly != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the color scheme's expression '%.200s' cannot be used: %s",
                       rule->expression, too_costly);
    if (code != 0) {
        (void)regerror(code, &rule->regex, reason, sizeof(reason));
        return rf_fail(err, RF_ERR_USAGE, "the color scheme's expression '%.200s' is not valid: %s",
                       rule->expression, reason);
    }
    rule->is_compiled = 1;
    return RF_OK;
}

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

/* A key that comes again keeps its place and gets the later color, as in a Python dict. */
static int add_rule(struct rf_color_scheme *scheme, char *expression, char *color)
{
    for (size_t i = 0; i < scheme->n; i++) {
        if (strcmp(scheme->rule[i].expression, expression) != 0)
            continue;
        free(scheme->rule[i].color);
        scheme->rule[i].color = color;
        free(expression);
        return RF_OK;
    }
    struct rf_color_rule *rule = realloc(scheme->rule, (scheme->n + 1) * sizeof(*rule));
    if (rule == NULL) {
        free(expression);
        free(color);
        return RF_ERR_NO_MEMORY;
    }
    scheme->rule = rule;
    memset(&rule[scheme->n], 0, sizeof(*rule));
    rule[scheme->n].expression = expression;
    rule[scheme->n++].color = color;
    return RF_OK;
}

/* `"expression": "color"`, and what follows it. Returns the character that ends it, or 0. */
static char read_member(struct rf_color_scheme *scheme, const char **p)
{
    char *color = NULL;
    skip_space(p);
    char *expression = read_string(p);
    skip_space(p);
    if (expression != NULL && **p == ':') {
        (*p)++;
        skip_space(p);
        color = read_string(p);
    }
    if (color == NULL) {
        free(expression);
        return '\0';
    }
    skip_space(p);
    char end = **p;
    if (add_rule(scheme, expression, color) != RF_OK || (end != ',' && end != '}'))
        return '\0';
    (*p)++;
    return end;
}

static int read_object(struct rf_color_scheme *scheme, const char **p)
{
    char end = '{';
    skip_space(p);
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
        status = compile(&scheme->rule[i], err);
    return status;
}

void rf_color_scheme_release(struct rf_color_scheme *scheme)
{
    for (size_t i = 0; i < scheme->n; i++) {
        if (scheme->rule[i].is_compiled)
            regfree(&scheme->rule[i].regex);
        free(scheme->rule[i].expression);
        free(scheme->rule[i].color);
    }
    free(scheme->rule);
    memset(scheme, 0, sizeof(*scheme));
}

const char *rf_color_scheme_find(const struct rf_color_scheme *scheme, const char *name)
{
    for (size_t i = 0; i < scheme->n; i++)
        if (regexec(&scheme->rule[i].regex, name, 0, NULL, 0) == 0)
            return scheme->rule[i].color;
    return NULL;
}
