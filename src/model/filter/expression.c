/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "model/filter/expression.h"

#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* PCRE2's limit of steps holds for each position of a text, and passing over "a*" is one step
 * however long the match is. It bounds the whole search only in a short text. For other texts the
 * expression has a callout before each of its items, and count_step() counts over the whole text.
 * The result is the same; it takes up to twice the time. */
#define SHORT_SIZE 256 /* bytes */
#define SHORT_STEPS                                                                                \
    2000                 /* from one position of a short text; if it takes more, they are counted  \
                          */
#define BYTES_PER_STEP 8 /* passing over these takes as long as a step */
#define FRAME_SIZE     256 /* copying these takes as long: every step copies all groups */

struct rf_expression {
    char *text;          /* as it was given */
    char *translated;    /* in the syntax of PCRE2 */
    pcre2_code *code;    /* without callouts */
    pcre2_code *counted; /* with them; NULL: too large for PCRE2 */
    size_t steps;        /* how many steps one of PCRE2's counts as */
    pcre2_match_context *limits;
    pcre2_match_data *match;
};

/* ---- Syntax of Python ---- */

/* \uXXXX and \UXXXXXXXX as \x{XXXX}; \Z, the very end, as \z. Returns how many
 * bytes it replaces; 0: none. */
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

/* "{,n}", which PCRE2 knows from 10.43 on, as "{0,n}". See put_escape(). */
static size_t put_repetition(char **out, const char *text)
{
    size_t n = text[1] == ',' ? strspn(text + 2, "0123456789") : 0;
    if (n == 0 || text[2 + n] != '}')
        return 0;
    *out = stpcpy(*out, "{0,");
    return 2;
}

/* out has room for three times the text, and one byte. */
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

static int compile(const struct rf_expression *expression, uint32_t more, pcre2_code **out,
                   struct rf_err *err)
{
    const uint32_t options =
        PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | more;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    int code = PCRE2_ERROR_HEAP_FAILED;
    size_t at = 0;
    if (context != NULL) {
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        *out = pcre2_compile((PCRE2_SPTR)expression->translated, PCRE2_ZERO_TERMINATED, options,
                             &code, &at, context);
    }
    pcre2_compile_context_free(context);
    if (*out != NULL)
        return RF_OK;
    return code == PCRE2_ERROR_HEAP_FAILED ? rf_fail(err, RF_ERR_NO_MEMORY, "out of memory")
                                           : fail_syntax(expression->text, code, at, err);
}

static int compile_both(struct rf_expression *expression, struct rf_err *err)
{
    struct rf_err too_large;
    int status = compile(expression, 0, &expression->code, err);
    if (status == RF_OK && compile(expression, PCRE2_AUTO_CALLOUT, &expression->counted,
                                   &too_large) == RF_ERR_NO_MEMORY)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return status;
}

static int set_limits(struct rf_expression *expression, struct rf_err *err)
{
    expression->limits = pcre2_match_context_create(NULL);
    expression->match = pcre2_match_data_create(1, NULL);
    if (expression->limits == NULL || expression->match == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    (void)pcre2_set_heap_limit(expression->limits, RF_EXPRESSION_MAX_KIB);
    size_t frame_size = 0;
    (void)pcre2_pattern_info(expression->code, PCRE2_INFO_FRAMESIZE, &frame_size);
    expression->steps = 1 + frame_size / FRAME_SIZE;
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
    if (expression != NULL) {
        expression->text = strdup(text);
        expression->translated = malloc(3 * strlen(text) + 1);
    }
    int status = RF_OK;
    if (expression == NULL || expression->text == NULL || expression->translated == NULL)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK) {
        translate(expression->translated, text);
        status = compile_both(expression, err);
    }
    if (status == RF_OK)
        status = set_limits(expression, err);
    if (status == RF_OK)
        *out = expression;
    else
        rf_expression_free(expression);
    return status;
}

/* ---- Searching ---- */

struct steps {
    const struct rf_expression *expression;
    size_t left;
    size_t at; /* the position of the last one in the text */
};

/* How many characters an item must match. If it matches fewer, the next position does not show how
 * many it read. */
static size_t minimum(const char *item, size_t size)
{
    if (size > 0 && (item[size - 1] == '?' || item[size - 1] == '+'))
        size--;
    if (size == 0 || item[size - 1] != '}' || item[0] == ')') /* a group's items are counted */
        return 0;
    const char *brace = memrchr(item, '{', size);
    bool is_character = brace == item + 2 && item[0] == '\\' && strchr("xo", item[1]) != NULL;
    return brace == NULL || is_character ? 0 : strtoul(brace + 1, NULL, 10);
}

static int count_step(pcre2_callout_block *next, void *data)
{
    struct steps *steps = data;
    size_t at = next->current_position, rest = next->subject_length - at;
    size_t passed = at > steps->at ? at - steps->at : steps->at - at;
    size_t ahead =
        minimum(steps->expression->translated + next->pattern_position, next->next_item_length);
    size_t n = steps->expression->steps + (passed + (ahead < rest ? ahead : rest)) / BYTES_PER_STEP;
    if (n > steps->left)
        return PCRE2_ERROR_CALLOUT;
    steps->left -= n;
    steps->at = at;
    return 0;
}

static int match(const struct rf_expression *expression, const pcre2_code *code, size_t max_steps,
                 const char *text, size_t size)
{
    (void)pcre2_set_match_limit(expression->limits, (uint32_t)(max_steps / expression->steps));
    return pcre2_match(code, (PCRE2_SPTR)text, size, 0, 0, expression->match, expression->limits);
}

static int match_counted(const struct rf_expression *expression, const char *text, size_t size)
{
    struct steps steps = {.expression = expression, .left = RF_EXPRESSION_MAX_STEPS};
    (void)pcre2_set_callout(expression->limits, count_step, &steps);
    int code = match(expression, expression->counted, RF_EXPRESSION_MAX_STEPS, text, size);
    (void)pcre2_set_callout(expression->limits, NULL, NULL);
    return code;
}

/* The steps for each position of a text when they cannot be counted: fewer if the expression has
 * repetitions, since a step may then pass over the whole text. */
static size_t steps_per_position(const struct rf_expression *expression, size_t size)
{
    size_t n = RF_EXPRESSION_MAX_STEPS / (size + 1);
    return strpbrk(expression->translated, "*+?{") == NULL ? n : n * BYTES_PER_STEP / (size + 1);
}

/* The result depends on the expression and the text only, not on a clock. */
static int search(const struct rf_expression *expression, const char *text, size_t size)
{
    if (expression->counted == NULL)
        return match(expression, expression->code, steps_per_position(expression, size), text,
                     size);
    int code = PCRE2_ERROR_MATCHLIMIT;
    if (size <= SHORT_SIZE)
        code = match(expression, expression->code, SHORT_STEPS, text, size);
    return code == PCRE2_ERROR_MATCHLIMIT ? match_counted(expression, text, size) : code;
}

int rf_expression_find(const struct rf_expression *expression, const char *text, size_t size,
                       struct rf_err *err)
{
    int code = search(expression, text, size);
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
    pcre2_code_free(expression->counted);
    free(expression->translated);
    free(expression->text);
    free(expression);
}
