/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "model/filter/expression.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct rf_expression {
    char *text; /* as it was given */
    pcre2_code *code;
    pcre2_match_context *limits;
    pcre2_match_data *match;
};

/* ---- What Python writes otherwise ---- */

/* \uXXXX and \UXXXXXXXX as \x{XXXX}; \Z, the very end, as \z. Returns how much of text is done; 0:
 * it is the same for both. */
static size_t put_escape(char **out, const char *text)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t n = text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
    if (text[1] == 'Z') {
        *out = stpcpy(*out, "\\z");
        return 2;
    }
    if (n == 0 || strspn(text + 2, digits) < n)
        return 0;
    *out = stpcpy(*out, "\\x{");
    memcpy(*out, text + 2, n);
    *out = stpcpy(*out + n, "}");
    return 2 + n;
}

/* Where the repetition "{,n}" stands, which PCRE2 has from 10.43 on, "{0,". */
static size_t put_repetition(char **out, const char *text)
{
    size_t n = text[1] == ',' ? strspn(text + 2, "0123456789") : 0;
    if (n == 0 || text[2 + n] != '}')
        return 0;
    *out = stpcpy(*out, "{0,");
    return 2;
}

/* Of the size of the text, three times, and one. */
static void translate(char *out, const char *text)
{
    while (*text != '\0') {
        size_t n = *text == '\\'  ? put_escape(&out, text)
                   : *text == '{' ? put_repetition(&out, text)
                                  : 0;
        if (n == 0) {
            n = *text == '\\' && text[1] != '\0' ? 2 : 1;
            memcpy(out, text, n);
            out += n;
        }
        text += n;
    }
    *out = '\0';
}

/* ---- Compiling ---- */

static int fail_syntax(const char *text, int code, size_t at, struct rf_err *err)
{
    char why[200] = "it is not valid";
    (void)pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
    return rf_fail(err, RF_ERR_USAGE,
                   "cannot use the regular expression '%.200s': %s (at byte %zu)", text, why, at);
}

static int compile(struct rf_expression *expression, struct rf_err *err)
{
    const uint32_t options =
        PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    const char *text = expression->text;
    char *translated = malloc(3 * strlen(text) + 1);
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    int code = 0;
    size_t at = 0;
    if (translated != NULL && context != NULL) {
        translate(translated, text);
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        expression->code = pcre2_compile((PCRE2_SPTR)translated, PCRE2_ZERO_TERMINATED, options,
                                         &code, &at, context);
    }
    int is_out_of_memory = translated == NULL || context == NULL || code == PCRE2_ERROR_HEAP_FAILED;
    free(translated);
    pcre2_compile_context_free(context);
    if (expression->code != NULL)
        return RF_OK;
    return is_out_of_memory ? rf_fail(err, RF_ERR_NO_MEMORY, "out of memory")
                            : fail_syntax(text, code, at, err);
}

static int limit(struct rf_expression *expression, struct rf_err *err)
{
    expression->limits = pcre2_match_context_create(NULL);
    expression->match = pcre2_match_data_create(1, NULL);
    if (expression->limits == NULL || expression->match == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    (void)pcre2_set_match_limit(expression->limits, RF_EXPRESSION_MAX_STEPS);
    (void)pcre2_set_heap_limit(expression->limits, RF_EXPRESSION_MAX_KIB);
    return RF_OK;
}

int rf_expression_new(struct rf_expression **out, const char *text, struct rf_err *err)
{
    *out = NULL;
    if (strlen(text) > RF_EXPRESSION_MAX_SIZE)
        return rf_fail(err, RF_ERR_USAGE,
                       "cannot use the regular expression '%.40s...': it has more than %d bytes",
                       text, RF_EXPRESSION_MAX_SIZE);
    struct rf_expression *expression = calloc(1, sizeof(*expression));
    if (expression != NULL)
        expression->text = strdup(text);
    int status = expression != NULL && expression->text != NULL
                     ? compile(expression, err)
                     : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK)
        status = limit(expression, err);
    if (status == RF_OK)
        *out = expression;
    else
        rf_expression_free(expression);
    return status;
}

/* ---- Looking ---- */

int rf_expression_find(const struct rf_expression *expression, const char *text, size_t size,
                       struct rf_err *err)
{
    int code = pcre2_match(expression->code, (PCRE2_SPTR)text, size, 0, 0, expression->match,
                           expression->limits);
    if (code >= 0 || code == PCRE2_ERROR_NOMATCH)
        return code >= 0;
    if (code == PCRE2_ERROR_NOMEMORY)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return rf_fail(err, RF_ERR_USAGE,
                   "the regular expression '%.200s' takes too long to look through the name "
                   "'%.60s%s' (%zu bytes); write it without repetitions in or beside each other",
                   expression->text, text, size > 60 ? "..." : "", size);
}

void rf_expression_free(struct rf_expression *expression)
{
    if (expression == NULL)
        return;
    pcre2_match_data_free(expression->match);
    pcre2_match_context_free(expression->limits);
    pcre2_code_free(expression->code);
    free(expression->text);
    free(expression);
}
