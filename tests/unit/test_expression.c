/* SPDX-License-Identifier: Apache-2.0 */
/* Which regular expressions are too costly; and that those which are not, are cheap. */
#include "unit.h"

#include <regex.h>
#include <unistd.h>

#include "base/expression.h"

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

static void test_fine(void **state)
{
    static const char *const fine[] = {
        "",         "step",        "^layer [0-9]+$",       "(a|b)*c",      "a{1,255}",
        "[+{(]",    "[]+{]{9}",    "([[:alpha:]]{1,9})+",  "\\(\\+\\{",    "a{,3}b{2,}",
        "x{",       "a)b",         "(void )?add<(.*), *>", "[[.+.][=(=]]", "a{x}",
        "((a+)+)+", "[^]+]{1,500}"};
    (void)state;
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        if (rf_expression_too_costly(fine[i]) != NULL)
            fail_msg("'%s': %s", fine[i], rf_expression_too_costly(fine[i]));
}

static void test_too_costly(void **state)
{
    static const char *const costly[] = {"a{1001}",
                                         "(a{100}){11}",
                                         "((a{1,99}){1,99}){1,99}",
                                         "(a)\\1",
                                         "(a*)*\\9",
                                         "a{99999999999999}",
                                         "(ab){2,}{400}",
                                         "((((((((((a+)+)+)+)+)+)+)+)+)+)+",
                                         "a+++++++++++",
                                         "[[:a:]+]{1001}",
                                         "\\({1001}"};
    (void)state;
    for (size_t i = 0; i < sizeof(costly) / sizeof(costly[0]); i++)
        if (rf_expression_too_costly(costly[i]) == NULL)
            fail_msg("'%s' is taken for cheap", costly[i]);
    char *text = repeat("(", 51);
    assert_non_null(rf_expression_too_costly(text));
    text[50] = '\0';
    assert_null(rf_expression_too_costly(text));
    free(text);
    text = repeat("a", 1001);
    assert_non_null(rf_expression_too_costly(text));
    text[1000] = '\0';
    assert_null(rf_expression_too_costly(text));
    free(text);
}

/* The costliest that are accepted are compiled, and applied to a long text, in moderate memory: an
 * alarm ends the test where that takes for ever. */
static void test_bounds_hold(void **state)
{
    static const char *const expressions[] = {"(a?){499}b",
                                              "(a|aa)+(a|aa)+(a|aa)+$x",
                                              "(.*)(.*)(.*)(.*)(.*)[^a]b",
                                              "((a*)*)*b",
                                              "(x+x+)+y",
                                              "[a-z]{1,999}b"};
    char *text = repeat("a", 20000);
    (void)state;
    (void)alarm(120);
    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
        regex_t regex;
        assert_null(rf_expression_too_costly(expressions[i]));
        assert_int_equal(regcomp(&regex, expressions[i], REG_EXTENDED | REG_NOSUB), 0);
        assert_int_equal(regexec(&regex, text, 0, NULL, 0), REG_NOMATCH);
        regfree(&regex);
    }
    (void)alarm(0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine),
        cmocka_unit_test(test_too_costly),
        cmocka_unit_test(test_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
