/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of metric sets, and names of errors. */
#include "pm_test.h"

static void test_tables(void **state)
{
    const struct rf_pm_set *set;
    size_t n_sets = 0;
    (void)state;
    for (; (set = rf_pm_set_at(n_sets)) != NULL; n_sets++) {
        assert_ptr_equal(rf_pm_set_named(set->name), set);
        assert_non_null(set->chips[0]);
        assert_true(set->n_metrics >= 10);
        for (const char *const *chip = set->chips; *chip != NULL; chip++)
            assert_ptr_equal(rf_pm_set_of_chip(*chip), set);
        for (size_t i = 0; i < set->n_metrics; i++) {
            const struct rf_pm_set_metric *m = &set->metrics[i];
            size_t size = strlen(m->label);
            assert_non_null(strstr(m->metric, "__"));
            assert_true(size > 4 && m->label[size - 1] == ']' && strchr(m->label, '[') != NULL);
            assert_int_equal(m->description[strlen(m->description) - 1], '.');
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(set->metrics[k].metric, m->metric);
        }
    }
    assert_int_equal(n_sets, 9);
}

/* What stands in place of another one names one of the same set. */
static void test_substitutes(void **state)
{
    const struct rf_pm_set *set;
    (void)state;
    for (size_t s = 0; (set = rf_pm_set_at(s)) != NULL; s++) {
        for (size_t i = 0; i < set->n_metrics; i++) {
            const char *of = set->metrics[i].instead_of;
            int is_there = of == NULL || strstr(of, "nvl") != NULL;
            for (size_t k = 0; k < i && !is_there; k++)
                is_there = strcmp(set->metrics[k].metric, of) == 0;
            assert_true(is_there);
        }
    }
}

static void test_of_chip(void **state)
{
    (void)state;
    assert_string_equal(rf_pm_set_of_chip("GH100")->name, "gh100");
    assert_string_equal(rf_pm_set_of_chip("ga102")->name, "ga10x");
    assert_string_equal(rf_pm_set_of_chip("AD107")->name, "ad10x");
    assert_string_equal(rf_pm_set_of_chip("GB202")->name, "gb20x");
    assert_string_equal(rf_pm_set_of_chip("XY999")->name, "gb10x"); /* the latest */
    assert_ptr_equal(rf_pm_set_named("GH100"), rf_pm_set_of_chip("GH100"));
    assert_int_equal(rf_pm_set_named("gh100")->n_metrics, 19);
    assert_null(rf_pm_set_named("gh10"));
}

static void test_error_names(void **state)
{
    (void)state;
    assert_string_equal(rf_pm_status_name(RF_PM_OK), "RF_PM_OK");
    assert_string_equal(rf_pm_status_name(RF_PM_ERR_NO_MEMORY), "RF_PM_ERR_NO_MEMORY");
    assert_string_equal(rf_pm_status_name(RF_PM_ERR_CUPTI), "RF_PM_ERR_CUPTI");
    assert_string_equal(rf_pm_status_name(RF_PM_ERR_CUPTI - 1), "unknown error");
    assert_string_equal(rf_pm_cupti_error_name(0), "CUPTI_SUCCESS");
    assert_string_equal(rf_pm_cupti_error_name(35), "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
    assert_string_equal(rf_pm_cupti_error_name(46), "CUPTI_ERROR_INVALID_CHIP_NAME");
    assert_string_equal(rf_pm_cupti_error_name(12345), "CUPTI_ERROR_UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_substitutes),
        cmocka_unit_test(test_of_chip),
        cmocka_unit_test(test_error_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
