/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions: what is found, what is refused and how, and that none looks for ever. */
#include "unit.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <unistd.h>

#include "model/filter/expression.h"

static struct rf_err err;

static int find_in(const char *expression, const char *text, size_t size)
{
    struct rf_expression *compiled;
    if (rf_expression_new(&compiled, expression, &err) != RF_OK)
        fail_msg("'%s': %s", expression, err.text);
    int found = rf_expression_find(compiled, text, size, &err);
    rf_expression_free(compiled);
    return found;
}

static int find(const char *expression, const char *text)
{
    return find_in(expression, text, strlen(text));
}

static void test_found(void **state)
{
    static const char *const found[][2] = {
        {"", "step"},
        {"^layer [0-9]+$", "layer 12"},
        {"(?i)ATEN", "aten::linear"},
        {"(?:a|b)c", "xbc"},
        {"(?<=::)linear(?!_)", "aten::linear"},
        {"(?P<c>.)(?P=c)", "aab"},
        {"(a)\\1", "aa"},
        {"\\w+::\\w+\\b", "aten::add"},
        {"^\\w+$", "\xc3\xa9t\xc3\xa9"}, /* a letter, in Unicode */
        {"^...$", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"},
        {"\\u0061\\U00000062", "ab"},
        {"^x{,3}$", "xxx"},
        {"a$", "a\n"},
        {"[[:digit:]]", "a1"},
        {"x{,", "x{,"},
        {"b", "\xff\xfe"
              "b"}, /* what is no UTF-8 is passed over */
    };
    static const char *const not_found[][2] = {
        {"ATEN", "aten::linear"}, {"aten(?!::)", "aten::linear"},
        {"a\\Z", "a\n"},          {"^x{,3}$", "xxxx"},
        {"^.$", "\xff"},          {"a.b", "a\nb"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
        if (find(found[i][0], found[i][1]) != 1)
            fail_msg("'%s' is not found", found[i][0]);
    for (size_t i = 0; i < sizeof(not_found) / sizeof(not_found[0]); i++)
        if (find(not_found[i][0], not_found[i][1]) != 0)
            fail_msg("'%s' is found", not_found[i][0]);
}

static void test_not_valid(void **state)
{
    static const char *const wrong[] = {
        "(",    "a)",     "[a",  "*",        "(?<=a*)b",  "(?P<n>a",     "\\",
        "(?X)", "a{2,1}", "\\C", "\\x{ffff", "(?P=none)", "\xff\xff\xff"};
    struct rf_expression *compiled = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (rf_expression_new(&compiled, wrong[i], &err) != RF_ERR_USAGE)
            fail_msg("'%s' is taken", wrong[i]);
        assert_null(compiled);
        assert_non_null(strstr(err.text, "cannot use the regular expression"));
        assert_non_null(strstr(err.text, "at byte "));
    }
}

static char *repeat(const char *text, size_t n)
{
    size_t size = strlen(text);
    char *all = malloc(size * n + 1);
    assert_non_null(all);
    for (size_t i = 0; i < n; i++)
        memcpy(all + i * size, text, size);
    all[size * n] = '\0';
    return all;
}

/* What would take for ever, or all memory, to compile. */
static void test_too_large(void **state)
{
    static const char *const parts[][3] = {
        {"(", "", ""}, {"((", "a{1000}){1000})", "{1000}"}, {"(?:", "x*)*", ""}};
    struct rf_expression *compiled;
    (void)state;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char *open = repeat(parts[i][0], 2000), *close = repeat(parts[i][1], 2000), *text;
        assert_true(asprintf(&text, "%s%s%s", open, close, parts[i][2]) > 0);
        assert_int_equal(rf_expression_new(&compiled, text, &err), RF_ERR_USAGE);
        free(text);
        free(open);
        free(close);
    }
    char *text = repeat("a", RF_EXPRESSION_MAX_SIZE + 1);
    assert_int_equal(rf_expression_new(&compiled, text, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "more than 10000 bytes"));
    text[RF_EXPRESSION_MAX_SIZE] = '\0';
    assert_int_equal(rf_expression_new(&compiled, text, &err), RF_OK);
    rf_expression_free(compiled);
    free(text);
}

/* Each ends, with an answer or the error that says what to change: an alarm ends the test where one
 * does not. */
static void test_bounds_hold(void **state)
{
    static const struct {
        const char *expression;
        size_t size; /* of the text */
        int is_endless;
    } cases[] = {
        {"^(a|aa)+[^a]$", 200000, 1},
        {"^(a|aa)+[^a]$", 200, 1},
        {"^((a*)*)*(c|d)$", 200000, 1},
        {"(x+x+)+y", 200000, 0},
        {"[a-z]{1,999}b", 200000, 0},
        {"^(a|a?)+[^a]$", 200000, 1},
        {"(?:a(?1)?)+(.)\\1b|(b)", 200000, 0},
        {"^(a?){9,}$", 200000, 1},
        {"aaaa$", 200000, 0},
        /* few steps at each position, but at every one */
        {"(?:a|aa){14}[^a]", 20000, 1},
        {"(?:a|aa){14}[^a]", 250, 1},
        {"(?:a{0,250}){2}[^a]", 20000, 1},
        /* few steps, but long ones */
        {"\\w+\\s", 200000, 1},
        {"^(?:(?=\\w*+\\d)b|a)+$", 200000, 1},
        {"^(?:a|a{20001}+|aa)+[^a]$", 20000, 1},
        {"^(((((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+[^a]", 2000,
         1},
    };
    char *text = repeat("a", 200000);
    (void)state;
    (void)alarm(120);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int found = find_in(cases[i].expression, text, cases[i].size);
        if (!cases[i].is_endless) {
            assert_int_not_equal(found, RF_ERR_USAGE);
            continue;
        }
        assert_int_equal(found, RF_ERR_USAGE);
        assert_non_null(strstr(err.text, "takes too long"));
        assert_non_null(strstr(err.text, cases[i].expression));
    }
    (void)alarm(0);
    free(text);
}

/* Steps that are allowed: characters by number are no repetitions, nor do groups count twice. */
static void test_not_too_long(void **state)
{
    static const char *const expressions[] = {"\\u3042|\\x{9999}[^a]", "(?:a\\x61){100}[^a]",
                                              "(?:a|aa){4}[^a]", "[^b]{50}[^a]"};
    char *text = repeat("a", 20000);
    (void)state;
    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
        if (find(expressions[i], text) != 0)
            fail_msg("'%s': %s", expressions[i], err.text);
    free(text);
}

/* Expressions that are too large to be counted: in long texts, only what repeats nothing is found.
 */
static void test_large(void **state)
{
    char *expression = repeat("aten::linear|", 700), *text = repeat("aten::", 1000);
    (void)state;
    expression[strlen(expression) - 1] = 'x';
    assert_int_equal(find(expression, text), 0);
    memcpy(text + 3000, "aten::linear", 12);
    assert_int_equal(find(expression, text), 1);
    memcpy(expression, "aten:*", 6);
    assert_int_equal(find(expression, "aten:::linear"), 1);
    assert_int_equal(find(expression, "aten::add"), 0);
    free(expression);
    free(text);

    expression = repeat("(?:\\w+\\s){3}", 700);
    text = repeat("a", 200000);
    assert_int_equal(find(expression, "a"), 0);
    assert_int_equal(find(expression, text), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "takes too long"));
    free(text);
    free(expression);
}

/* ---- The same as in one go, without bounds ---- */

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static char *put_random_expression(char *out, int depth)
{
    static const char *const items[] = {
        "a",         "b",     "\xc3\xa9",  "\xe6\x97\xa5", ".",      "\\w",    "\\W",
        "\\d",       "\\s",   "[ab]",      "[^a\xc3\xa9]", "\\b",    "\\B",    "^",
        "$",         "(?m)^", "(?m:$)",    "\\A",          "\\z",    "\\G",    "\\1",
        "\\R",       "\\X",   "\\K",       "(?i)",         "\\p{L}", "(?<=a)", "(?<!\xc3\xa9)",
        "(?<=^|b.)", "\n",    "\\x{65e5}", "(*COMMIT)",
    };
    static const char *const opens[] = {"(", "(?:", "(?=", "(?!", "(?>", "(?|"};
    static const char *const counts[] = {"*", "+", "?", "{2}", "{1,3}", "*?", "++", "{0,2}+"};
    uint32_t n = 1 + random_below(4);
    for (uint32_t i = 0; i < n; i++) {
        int is_group = depth < 3 && random_below(4) == 0;
        uint32_t item = random_below(sizeof(items) / sizeof(items[0]));
        if (is_group) {
            out = stpcpy(out, opens[random_below(sizeof(opens) / sizeof(opens[0]))]);
            out = stpcpy(put_random_expression(out, depth + 1), "|");
            out = stpcpy(put_random_expression(out, depth + 1), ")");
        } else {
            out = stpcpy(out, items[item]);
        }
        if (random_below(3) == 0)
            out = stpcpy(out, counts[random_below(sizeof(counts) / sizeof(counts[0]))]);
    }
    return out;
}

static size_t put_random_text(char *text, size_t size)
{
    static const char *const parts[] = {
        "a",  "a",  "b",    "b",    "ab",   "\xc3\xa9", "\xe6\x97\xa5",
        "\n", "\r", "\xff", "\xc3", "\x97", "1",        " "};
    char *out = text;
    uint32_t n_kinds = 1 + random_below(sizeof(parts) / sizeof(parts[0]));
    while (out < text + size)
        out = stpcpy(out, parts[random_below(n_kinds)]);
    return (size_t)(out - text);
}

/* 1, 0; or -1: it is not valid, or takes more than 1000 steps at some position. */
static int find_in_one_go(const char *expression, const char *text, size_t size)
{
    const uint32_t options =
        PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    int code = PCRE2_ERROR_MATCHLIMIT;
    size_t at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    (void)pcre2_set_match_limit(limits, 1000);
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, options, &code, &at, context);
    if (compiled != NULL)
        code = pcre2_match(compiled, (PCRE2_SPTR)text, size, 0, 0, match, limits);
    int found = compiled != NULL && code >= 0                     ? 1
                : compiled != NULL && code == PCRE2_ERROR_NOMATCH ? 0
                                                                  : -1;
    pcre2_code_free(compiled);
    pcre2_match_data_free(match);
    pcre2_match_context_free(limits);
    pcre2_compile_context_free(context);
    return found;
}

static void test_same_in_one_go(void **state)
{
    char expression[4096], text[2048];
    int n[2] = {0, 0};
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        random_state = i;
        *put_random_expression(expression, 0) = '\0';
        size_t size = put_random_text(text, random_below(i % 2 == 0 ? 1000 : 300));
        int expected = find_in_one_go(expression, text, size);
        if (expected < 0)
            continue;
        n[expected]++;
        int found = find_in(expression, text, size);
        if (found != expected)
            fail_msg("%u: '%s' is %d and not %d", i, expression, found, expected);
    }
    assert_true(n[0] > 3000 && n[1] > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),          cmocka_unit_test(test_not_valid),
        cmocka_unit_test(test_too_large),      cmocka_unit_test(test_bounds_hold),
        cmocka_unit_test(test_not_too_long),   cmocka_unit_test(test_large),
        cmocka_unit_test(test_same_in_one_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
