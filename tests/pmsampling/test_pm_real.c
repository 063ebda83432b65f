/* SPDX-License-Identifier: Apache-2.0 */
/* The host half on NVIDIA's own libcupti, which RANGEFINDER_CUPTI names: what it really answers.
 * Needs no GPU. run_real.sh runs this once per library that it finds. */
#include "pm_test.h"

static struct rf_pm_error err;
static const struct rf_pm_library_info *library;

static rf_pm_chip *open_chip(const char *name)
{
    rf_pm_chip *chip;
    assert_status(RF_PM_OK, rf_pm_chip_open(name, &chip, &err));
    return chip;
}

static int knows_blackwell(void)
{
    return library->major > 12 || library->minor >= 8;
}

static void test_chips(void **state)
{
    static const char *const chips[] = {"TU102", "GA100", "GA102", "GH100", "AD102", "GB100"};
    const char *const *names;
    size_t n;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chips(&names, &n, &err));
    assert_true(n >= 20);
    for (size_t i = 0; i < 6 - (size_t)!knows_blackwell(); i++) {
        int is_there = 0;
        for (size_t k = 0; k < n; k++)
            is_there |= strcmp(names[k], chips[i]) == 0;
        assert_true(is_there);
    }
    rf_pm_chip *chip = open_chip("gh100"); /* CUPTI itself refuses it in small letters */
    assert_string_equal(rf_pm_chip_name(chip), "GH100");
    rf_pm_chip_close(chip);
    assert_status(RF_PM_ERR_CHIP, rf_pm_chip_open("GV100", &chip, &err));
    assert_status(RF_PM_ERR_CHIP, rf_pm_chip_open("XX100", &chip, &err));
}

/* As listed by the versions that there are; the numbers of counters, ratios, throughputs. */
static void test_number_of_metrics(void **state)
{
    static const struct {
        uint32_t version;
        size_t n[3];
    } known[] = {{24, {431, 581, 68}},
                 {26, {439, 582, 68}},
                 {28, {601, 599, 64}},
                 {130001, {611, 605, 63}},
                 {130500, {672, 614, 81}}};
    const struct rf_pm_metric *metrics;
    size_t n, counts[3] = {0, 0, 0};
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chip_metrics(chip, &metrics, &n, &err));
    assert_true(n > 1000);
    for (size_t i = 0; i < n; i++)
        counts[metrics[i].type]++;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].version == library->version)
            assert_memory_equal(counts, known[i].n, sizeof(counts));
    }
    rf_pm_chip_close(chip);
}

static void test_describe(void **state)
{
    static const char *const units[][2] = {
        {"sm__cycles_active", "gpc_cycle"},
        {"sm__cycles_active.avg", "gpc_cycle"},
        {"sm__cycles_active.sum.per_second", "gpc_cycle/second"},
        {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "percent"},
        {"sm__cycles_active.avg.per_cycle_elapsed", ""},
        {"pcie__read_bytes.sum", "byte"},
        {"pcie__read_bytes.sum.per_second", "byte/second"},
        {"sm__throughput.max.pct_of_peak_sustained_active", "percent"},
    };
    struct rf_pm_metric metric;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        assert_status(RF_PM_OK, rf_pm_chip_describe(chip, units[i][0], &metric, &err));
        assert_string_equal(metric.unit, units[i][1]);
        assert_true(metric.description[0] != '\0');
        assert_true(metric.hw_unit[0] != '\0');
    }
    assert_int_equal(metric.type, RF_PM_THROUGHPUT);
    rf_pm_chip_close(chip);
}

static void test_unknown(void **state)
{
    static const char *const unknown[] = {"sm__cycles_active.foo",  "sm__cycles_active.avg.foo",
                                          "sm__cycles_active..avg", "sm__cycles_active.avg.avg",
                                          "SM__CYCLES_ACTIVE.avg",  "sm__cycles_active.avg ",
                                          " sm__cycles_active.avg", "sm__none.avg",
                                          "sm__throughput.ratio",   ""};
    struct rf_pm_metric metric;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_status(RF_PM_ERR_METRIC, rf_pm_chip_describe(chip, unknown[i], &metric, &err));
    assert_status(RF_PM_ERR_METRIC,
                  rf_pm_chip_describe(chip, "sm__cycles_activ.avg", &metric, &err));
    assert_says("did you mean 'sm__cycles_active.avg'");
    /* and none of that spoils the object */
    assert_status(RF_PM_OK, rf_pm_chip_describe(chip, "sm__cycles_active.avg", &metric, &err));
    rf_pm_chip_close(chip);
}

static void test_submetrics(void **state)
{
    const char *const *names;
    size_t n;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chip_submetrics(chip, "sm__cycles_active", &names, &n, &err));
    assert_int_equal(n, 44);
    assert_string_equal(names[0], "avg");
    assert_status(RF_PM_OK, rf_pm_chip_submetrics(chip, "sm__throughput", &names, &n, &err));
    assert_int_equal(n, 8);
    rf_pm_chip_close(chip);
}

static void test_passes(void **state)
{
    static const char *const metrics[] = {
        "sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm__cycles_active.avg",
        "sm__cycles_active", "TriageCompute.sm__throughput.avg.pct_of_peak_sustained_elapsed"};
    static const uint8_t fit[] = {RF_PM_LEFT_OUT, RF_PM_FITS, RF_PM_UNKNOWN, RF_PM_FITS};
    struct rf_pm_check *check;
    size_t n;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_check_new(chip, metrics, 1, NULL, &check, &err));
    assert_int_equal(check->n_passes, 19);
    rf_pm_check_free(check);
    assert_status(RF_PM_OK, rf_pm_check_new(chip, metrics, 4, NULL, &check, &err));
    assert_memory_equal(check->fit, fit, sizeof(fit));
    assert_true(check->n_passes >= 19);
    rf_pm_check_free(check);
    assert_status(RF_PM_OK, rf_pm_check_new(chip, &metrics[1], 1, NULL, &check, &err));
    assert_int_equal(check->n_passes, 1);
    assert_int_equal(check->config_bytes, library->version >= 130200 ? 1328 : 1312);
    rf_pm_check_free(check);
    assert_status(RF_PM_OK, rf_pm_chip_counters_per_pass(chip, &n, &err));
    assert_int_equal(n, 248);
    rf_pm_chip_close(chip);
}

/* Every set is known to the chips of its family, and fits in one pass. */
static void test_sets(void **state)
{
    static const char *const whole[][2] = {
        {"TU102", "tu10x"}, {"TU116", "tu11x"}, {"GA100", "ga100"}, {"GA102", "ga10x"},
        {"GA10B", "ga10b"}, {"GH100", "gh100"}, {"AD102", "ad10x"}};
    struct rf_pm_choice *choice;
    (void)state;
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        const struct rf_pm_set *set = rf_pm_set_of_chip(whole[i][0]);
        rf_pm_chip *chip = open_chip(whole[i][0]);
        assert_string_equal(set->name, whole[i][1]);
        assert_status(RF_PM_OK, rf_pm_choose(chip, set, &choice, &err));
        assert_int_equal(choice->n_chosen, set->n_metrics);
        rf_pm_choice_free(choice);
        rf_pm_chip_close(chip);
    }
}

static void test_sets_of_blackwell(void **state)
{
    struct rf_pm_choice *choice;
    (void)state;
    if (!knows_blackwell())
        return;
    rf_pm_chip *chip = open_chip("GB100");
    const struct rf_pm_set *set = rf_pm_set_of_chip("GB100");
    assert_status(RF_PM_OK, rf_pm_choose(chip, set, &choice, &err));
    assert_int_equal(choice->n_left_out, 0);
    assert_true(choice->n_chosen >= 8);
    if (library->version == 130500)
        assert_int_equal(choice->n_chosen, 19); /* those of GH100, and no substitutes */
    if (library->version == 130001)
        assert_int_equal(choice->n_chosen, 12);
    rf_pm_choice_free(choice);
    rf_pm_chip_close(chip);
}

static void test_single_pass_sets(void **state)
{
    const char *const *names;
    size_t n, n_metrics;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    if (library->version < 130200) {
        assert_status(RF_PM_ERR_LIBRARY, rf_pm_chip_single_pass_sets(chip, &names, &n, &err));
    } else {
        assert_status(RF_PM_OK, rf_pm_chip_single_pass_sets(chip, &names, &n, &err));
        assert_true(n >= 1);
        assert_status(RF_PM_OK, rf_pm_chip_single_pass_metrics(chip, "TriageCompute", &names,
                                                               &n_metrics, &err));
        assert_true(n_metrics > 100);
        assert_status(RF_PM_ERR_ARGUMENT,
                      rf_pm_chip_single_pass_metrics(chip, "None", &names, &n_metrics, &err));
    }
    rf_pm_chip_close(chip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chips),
        cmocka_unit_test(test_number_of_metrics),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_submetrics),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_sets_of_blackwell),
        cmocka_unit_test(test_single_pass_sets),
    };
    if (rf_pm_library(&library, &err) != RF_PM_OK) {
        (void)printf("SKIP: %s\n", err.text);
        return 77;
    }
    (void)printf("%s (%u)\n", library->path, (unsigned)library->version);
    if (strcmp(library->path, getenv("RANGEFINDER_CUPTI")) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
