/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions: what is found, what is refused and how, and that none looks for ever. */
#include "unit.h"

#include <unistd.h>

#include "model/filter/expression.h"

static struct rf_err err;

static int find(const char *expression, const char *text)
{
    struct rf_expression *compiled;
    if (rf_expression_new(&compiled, expression, &err) != RF_OK)
        fail_msg("'%s': %s", expression, err.text);
    int found = rf_expression_find(compiled, text, strlen(text), &err);
    rf_expression_free(compiled);
    return found;
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
        int is_endless;
    } cases[] = {
        {"^(a|aa)+[^a]$", 1}, {"^((a*)*)*(c|d)$", 1}, {"(x+x+)+y", 0},
        {"[a-z]{1,999}b", 0}, {"^(a|a?)+[^a]$", 1},   {"(?:a(?1)?)+(.)\\1b|(b)", 0},
        {"^(a?){9,}$", 1},    {"aaaa$", 0},
    };
    char *text = repeat("a", 200000);
    (void)state;
    (void)alarm(120);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int found = find(cases[i].expression, text);
        if (cases[i].is_endless) {
            assert_int_equal(found, RF_ERR_USAGE);
            assert_non_null(strstr(err.text, "takes too long"));
            assert_non_null(strstr(err.text, cases[i].expression));
        }
    }
    (void)alarm(0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_not_valid),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
