/* SPDX-License-Identifier: Apache-2.0 */
#include "manual/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static void put_char(FILE *to, char c)
{
    if (c == '-')
        fputs("\\-", to);
    else if (c == '\\')
        fputs("\\e", to);
    else
        fputc(c, to);
}

static void put_chars(FILE *to, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_char(to, text[i]);
}

static void put_in_font(FILE *to, char font, const char *text, size_t n)
{
    fprintf(to, "\\f%c", font);
    put_chars(to, text, n);
    fputs("\\fR", to);
}

/* The length of a word in capitals: the name of a value. */
static size_t capitals(const char *text)
{
    return isupper((unsigned char)text[0]) ? strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
                                           : 0;
}

static size_t letters(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || (n > 0 && text[n] == '-'))
        n++;
    return n;
}

void roff_put_value(FILE *to, const char *value)
{
    while (*value != '\0') {
        size_t n = capitals(value);
        const char font = n > 0 ? 'I' : 'B';
        if (n == 0)
            n = letters(value);
        if (n > 0) {
            put_in_font(to, font, value, n);
            value += n;
        } else {
            put_char(to, *value++);
        }
    }
}

/* The length of an option at the begin of a text: -c, --name, --name=value. */
static size_t option_length(const char *text)
{
    const size_t dashes = strspn(text, "-");
    if (dashes == 0 || dashes > 2 || !isalpha((unsigned char)text[dashes]))
        return 0;
    size_t n = dashes + letters(text + dashes);
    if (text[n] == '=' && isalnum((unsigned char)text[n + 1]))
        n += 1 + letters(text + n + 1);
    return n;
}

/* Whether a text has these bytes as a word. */
static bool has_word(const char *text, const char *word, size_t n)
{
    for (const char *at = text; at != NULL && *at != '\0';) {
        size_t length = capitals(at);
        if (length == 0)
            length = letters(at);
        if (length == n && memcmp(at, word, n) == 0)
            return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

/* The length of a command in quotes, of which text is the first: 'rangefinder start'. */
static size_t quoted_length(const char *text)
{
    static const char first[] = "'rangefinder ";
    const char *end = strncmp(text, first, sizeof(first) - 1) == 0 ? strchr(text + 1, '\'') : NULL;
    return end != NULL ? (size_t)(end - text - 1) : 0;
}

/* The word at `at`, which n bytes of its text precede. Returns its length. */
static size_t put_word(FILE *to, const char *at, size_t before, const char *value,
                       const char *synopsis)
{
    size_t n = quoted_length(at);
    if (n > 0) {
        put_in_font(to, 'B', at + 1, n);
        return n + 2;
    }
    if ((n = option_length(at)) > 0) {
        put_in_font(to, 'B', at, n);
        return n;
    }
    if ((n = capitals(at)) > 0) {
        const bool is_name = has_word(value, at, n) || has_word(synopsis, at, n);
        if (is_name && (!isalpha((unsigned char)at[n]) || at[n] == 's'))
            put_in_font(to, 'I', at, n);
        else
            put_chars(to, at, n);
        return n;
    }
    if ((n = letters(at)) > 0) {
        static const char stands[] = "Default: ";
        const size_t length = sizeof(stands) - 1;
        const bool is_default = before >= length && memcmp(at - length, stands, length) == 0;
        if (has_word(value, at, n) && (is_default || at[n] == ':'))
            put_in_font(to, 'B', at, n);
        else
            put_chars(to, at, n);
        return n;
    }
    put_char(to, *at);
    return 1;
}

void roff_put_text(FILE *to, const char *text, const char *value, const char *synopsis)
{
    const char *at = text;
    if (*at == '.' || *at == '\'')
        fputs("\\&", to);
    while (*at != '\0')
        at += put_word(to, at, (size_t)(at - text), value, synopsis);
    fputc('\n', to);
}

void roff_put_name(FILE *to, const char *name, const char *summary)
{
    put_chars(to, name, strlen(name));
    fputs(" \\- ", to);
    put_chars(to, summary, strlen(summary));
    fputc('\n', to);
}

void roff_put_verb(FILE *to, const char *name, const char *summary)
{
    fputs(".TP\n", to);
    put_in_font(to, 'B', name, strlen(name));
    fputc('\n', to);
    put_chars(to, summary, strlen(summary));
    fputs(";\n\\fBrangefinder\\-", to);
    put_chars(to, name, strlen(name));
    fputs("\\fR(1)\n", to);
}

void roff_put_synopsis(FILE *to, const char *synopsis)
{
    while (*synopsis != '\0') {
        static const char options[] = "[options]";
        size_t n = option_length(synopsis);
        if (strncmp(synopsis, options, sizeof(options) - 1) == 0) {
            fputs("[\\fIoptions\\fR]", to);
            synopsis += sizeof(options) - 1;
        } else if (n > 0) {
            put_in_font(to, 'B', synopsis, n);
            synopsis += n;
        } else if (*synopsis == '[' || *synopsis == ' ') {
            fputc(*synopsis++, to);
        } else {
            char word[64];
            n = strcspn(synopsis, " ");
            (void)snprintf(word, sizeof(word), "%.*s", (int)n, synopsis);
            roff_put_value(to, word);
            synopsis += strlen(word);
        }
    }
    fputc('\n', to);
}

void roff_put_option(FILE *to, const struct cli_option *option, char separator)
{
    if (option->letter != '\0')
        fprintf(to, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", to);
    put_chars(to, option->name, strlen(option->name));
    fputs("\\fR", to);
    const char *value = option->value != NULL ? option->value : "true|false";
    const bool may_lack = option->arg == CLI_ARG_BOOL || option->arg == CLI_ARG_MAYBE ||
                          option->arg == CLI_ARG_OPTIONAL;
    if (option->arg != CLI_ARG_NONE) {
        fprintf(to, "%s%c", may_lack ? "[" : "", separator);
        roff_put_value(to, value);
        fputs(may_lack ? "]" : "", to);
    }
    fputc('\n', to);
}
