/* SPDX-License-Identifier: Apache-2.0 */
/* Chips, metrics, passes and sets, on the stand-in. */
#include "pm_test.h"

static struct rf_pm_error err;

static rf_pm_chip *open_chip(const char *name)
{
    rf_pm_chip *chip;
    assert_status(RF_PM_OK, rf_pm_chip_open(name, &chip, &err));
    return chip;
}

static void test_library(void **state)
{
    const struct rf_pm_library_info *info;
    const char *text = getenv("RF_DOUBLE_CUPTI_VERSION");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_library(&info, &err));
    assert_string_equal(info->path, getenv("RANGEFINDER_CUPTI"));
    assert_int_equal(info->version, atoi(text));
    assert_int_equal(info->has_single_pass_sets, atoi(text) >= 130200);
}

static void test_chips(void **state)
{
    const char *const *names;
    size_t n;
    rf_pm_chip *chip;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chips(&names, &n, &err));
    assert_int_equal(n, 6);
    chip = open_chip("gh100");
    assert_string_equal(rf_pm_chip_name(chip), "GH100");
    rf_pm_chip_close(chip);
    rf_pm_chip_close(NULL);

    assert_status(RF_PM_ERR_CHIP, rf_pm_chip_open("gh10", &chip, &err));
    assert_says("did you mean 'GH100'?");
    assert_null(chip);
    assert_status(RF_PM_ERR_CHIP, rf_pm_chip_open("GB202", &chip, &err)); /* in our tables */
    assert_says("a later one does");
    assert_status(RF_PM_ERR_CHIP, rf_pm_chip_open("GV100", &chip, &err));
    assert_int_equal(err.cupti, 27);
    assert_string_equal(err.cupti_name, "CUPTI_ERROR_NOT_SUPPORTED");
    assert_string_equal(err.function, "cuptiProfilerHostInitialize");
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_chip_open(NULL, &chip, &err));
    assert_int_equal(rf_pm_chip_open("none", &chip, NULL), RF_PM_ERR_CHIP);
    assert_int_equal(cupti->hosts, 1); /* CUPTI is asked for no name that is not in its list */
}

static void test_no_perfworks(void **state)
{
    rf_pm_chip *chip;
    (void)state;
    pm_test_fail("cuptiProfilerHostInitialize", 15, 1);
    assert_status(RF_PM_ERR_LIBRARY, rf_pm_chip_open("GH100", &chip, &err));
    assert_says("libnvperf_host.so");
    pm_test_fail("cuptiProfilerHostGetSupportedChips", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_chip_open("GH100", &chip, &err));
    assert_says("CUPTI_ERROR_UNKNOWN (999)");
}

static void test_metrics(void **state)
{
    const struct rf_pm_metric *metrics, *again;
    size_t n, n_again;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chip_metrics(chip, &metrics, &n, &err));
    assert_int_equal(n, 29);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(metrics[i - 1].name, metrics[i].name) < 0);
    assert_string_equal(metrics[0].name, "dram__bytes");
    assert_string_equal(metrics[0].description, "bytes of DRAM");
    assert_string_equal(metrics[0].hw_unit, "dram");
    assert_string_equal(metrics[0].unit, "byte");
    assert_int_equal(metrics[0].type, RF_PM_COUNTER);
    assert_status(RF_PM_OK, rf_pm_chip_metrics(chip, &again, &n_again, &err));
    assert_ptr_equal(again, metrics);
    rf_pm_chip_close(chip);

    chip = open_chip("AD102");
    assert_status(RF_PM_OK, rf_pm_chip_metrics(chip, &metrics, &n, &err));
    assert_int_equal(n, 17);
    rf_pm_chip_close(chip);
}

static void test_metrics_fail(void **state)
{
    const struct rf_pm_metric *metrics;
    size_t n;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    pm_test_fail("cuptiProfilerHostGetBaseMetrics", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_chip_metrics(chip, &metrics, &n, &err));
    assert_null(metrics);
    assert_int_equal(n, 0);
    assert_status(RF_PM_OK, rf_pm_chip_metrics(chip, &metrics, &n, &err));
    assert_int_equal(n, 29);
    rf_pm_chip_close(chip);
}

static void test_submetrics(void **state)
{
    const char *const *names, *const *again;
    size_t n;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chip_submetrics(chip, "sm__cycles_active", &names, &n, &err));
    assert_int_equal(n, 44);
    assert_string_equal(names[0], "avg");
    assert_string_equal(names[43], "sum.per_second");
    assert_status(RF_PM_OK,
                  rf_pm_chip_submetrics(chip, "dram__bytes.sum.per_second", &again, &n, &err));
    assert_ptr_equal(again, names); /* kept once */
    assert_status(RF_PM_OK, rf_pm_chip_submetrics(chip, "l1tex__hit_rate", &names, &n, &err));
    assert_int_equal(n, 3);
    assert_status(RF_PM_OK, rf_pm_chip_submetrics(chip, "sm__throughput", &names, &n, &err));
    assert_int_equal(n, 8);
    assert_status(RF_PM_ERR_METRIC, rf_pm_chip_submetrics(chip, "sm__none", &names, &n, &err));
    assert_null(names);
    rf_pm_chip_close(chip);
}

static void test_describe(void **state)
{
    static const struct {
        const char *metric, *unit;
        int type;
    } known[] = {{"sm__cycles_active", "gpc_cycle", RF_PM_COUNTER},
                 {"sm__cycles_active.avg", "gpc_cycle", RF_PM_COUNTER},
                 {"sm__cycles_active.avg.per_second", "gpc_cycle/second", RF_PM_COUNTER},
                 {"dram__bytes.sum.per_second", "byte/second", RF_PM_COUNTER},
                 {"dram__bytes.sum.pct_of_peak_sustained_elapsed", "percent", RF_PM_COUNTER},
                 {"lts__average_t_sector.ratio", "l2_sector", RF_PM_RATIO},
                 {"lts__average_t_sector.pct", "percent", RF_PM_RATIO},
                 {"l1tex__hit_rate", "", RF_PM_RATIO},
                 {"sm__throughput", "percent", RF_PM_THROUGHPUT}};
    static const char *const unknown[] = {"",
                                          "sm__none",
                                          "sm__cycles_active.foo",
                                          "sm__cycles_active.avg.avg",
                                          "sm__cycles_active.",
                                          "sm__throughput.ratio",
                                          ".avg"};
    struct rf_pm_metric metric;
    char name[4096];
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_status(RF_PM_OK, rf_pm_chip_describe(chip, known[i].metric, &metric, &err));
        assert_string_equal(metric.unit, known[i].unit);
        assert_int_equal(metric.type, known[i].type);
        assert_string_equal(metric.name, known[i].metric);
    }
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_status(RF_PM_ERR_METRIC, rf_pm_chip_describe(chip, unknown[i], &metric, &err));
    assert_int_equal(err.cupti, 17);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_status(RF_PM_ERR_METRIC, rf_pm_chip_describe(chip, name, &metric, &err));
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_chip_describe(chip, NULL, &metric, &err));
    rf_pm_chip_close(chip);
}

static void check_nearest(rf_pm_chip *chip, const char *typed, const char *first)
{
    const char *nearest[RF_PM_NEAREST];
    int n = rf_pm_chip_nearest(chip, typed, nearest, &err);
    assert_true(n >= 0 && n <= RF_PM_NEAREST);
    for (int i = 0; i < RF_PM_NEAREST; i++)
        assert_true((nearest[i] == NULL) == (i >= n));
    if (first == NULL)
        assert_int_equal(n, 0);
    else
        assert_string_equal(nearest[0], first);
}

static void test_nearest(void **state)
{
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    check_nearest(chip, "sm__cycles_activ", "sm__cycles_active");
    check_nearest(chip, "SM__Cycles_Active.avg", "sm__cycles_active.avg");
    check_nearest(chip, "sm__cycles_activ.avg.per_secnd", "sm__cycles_active.avg.per_second");
    check_nearest(chip, "sm__cycles_active", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed");
    check_nearest(chip, "l1tex__hit_rate.avg", "l1tex__hit_rate.ratio");
    check_nearest(chip, "tensor", "sm__pipe_tensor_cycles_active_realtime");
    check_nearest(chip, "wholly different from all", NULL);
    check_nearest(chip, "", NULL);
    check_nearest(chip,
                  "nvlrx__bytes_packet_response_data_protocl.avg.pct_of_peak_sustained_elapsed",
                  "nvlrx__bytes_packet_response_data_protocol.avg.pct_of_peak_sustained_elapsed");
    rf_pm_chip_close(chip);
}

static void test_check(void **state)
{
    static const char *const metrics[] = {
        "sm__cycles_active.avg", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__none.avg",          "dram__bytes",
        "dram__bytes.sum",       "sm__cycles_active.avg"};
    static const uint8_t fit[] = {RF_PM_FITS,    RF_PM_LEFT_OUT, RF_PM_UNKNOWN,
                                  RF_PM_UNKNOWN, RF_PM_FITS,     RF_PM_FITS};
    struct rf_pm_check *check;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_check_new(chip, metrics, 6, NULL, &check, &err));
    assert_memory_equal(check->fit, fit, sizeof(fit));
    assert_int_equal(check->n, 6);
    assert_int_equal(check->n_passes, 9);
    assert_int_equal(check->n_fitting, 3);
    assert_int_equal(check->n_unknown, 2);
    assert_true(check->config_bytes > 0);
    assert_int_equal(cupti->failed_adds, 0); /* what is unknown is found before */
    rf_pm_check_free(check);

    assert_status(RF_PM_OK, rf_pm_check_new(chip, &metrics[4], 2, NULL, &check, &err));
    assert_int_equal(check->n_passes, 1);
    assert_int_equal(check->n_fitting, 2);
    rf_pm_check_free(check);

    assert_status(RF_PM_OK, rf_pm_check_new(chip, &metrics[2], 2, NULL, &check, &err));
    assert_int_equal(check->n_passes, 0); /* the chip has none of them */
    rf_pm_check_free(check);
    assert_status(RF_PM_OK, rf_pm_check_new(chip, NULL, 0, NULL, &check, &err));
    assert_int_equal(check->n_passes, 0);
    rf_pm_check_free(check);
    rf_pm_check_free(NULL);

    const char *const null = NULL;
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_check_new(chip, &null, 1, NULL, &check, &err));
    assert_null(check);
    rf_pm_chip_close(chip);
}

/* What CUPTI describes and then refuses is unknown, too, and does not spoil the rest. */
static void test_check_refused(void **state)
{
    struct rf_pm_check *check;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    pm_test_fail("cuptiProfilerHostConfigAddMetrics", 1, 2); /* all together, and the first alone */
    assert_status(RF_PM_OK, rf_pm_check_new(chip, pm_test_metrics, 3, NULL, &check, &err));
    assert_int_equal(check->fit[0], RF_PM_UNKNOWN);
    assert_int_equal(check->fit[1], RF_PM_FITS);
    assert_int_equal(check->n_passes, 1);
    rf_pm_check_free(check);
    rf_pm_chip_close(chip);
}

static void test_choose(void **state)
{
    struct rf_pm_choice *choice;
    const struct rf_pm_set *set = rf_pm_set_of_chip("GH100");
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_choose(chip, set, &choice, &err));
    assert_int_equal(choice->n_chosen, 19);
    assert_int_equal(choice->n_missing, 0);
    assert_int_equal(choice->n_left_out, 0);
    for (size_t i = 0; i < 19; i++)
        assert_ptr_equal(choice->chosen[i], &set->metrics[i]);
    rf_pm_choice_free(choice);
    rf_pm_choice_free(NULL);
    rf_pm_chip_close(chip);

    /* substitutes take the place of what this CUPTI has not on this chip */
    chip = open_chip("GB100");
    set = rf_pm_set_of_chip("GB100");
    assert_status(RF_PM_OK, rf_pm_choose(chip, set, &choice, &err));
    assert_int_equal(choice->n_missing, 6); /* NVLink's packets, but the two with a substitute */
    assert_int_equal(choice->n_chosen, 13);
    const struct rf_pm_set_metric *warps = choice->chosen[choice->n_chosen - 3];
    assert_string_equal(warps->label, "Compute Warps in Flight [Throughput %]");
    assert_non_null(warps->instead_of);
    rf_pm_choice_free(choice);
    rf_pm_chip_close(chip);
}

static void test_choose_none(void **state)
{
    static const struct rf_pm_set_metric metrics[] = {{"no__such.avg", "No [x]", "", NULL}};
    static const char *const chips[] = {NULL};
    const struct rf_pm_set set = {"none", "None", chips, metrics, 1};
    struct rf_pm_choice *choice;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_ERR_METRIC, rf_pm_choose(chip, &set, &choice, &err));
    assert_null(choice);
    rf_pm_chip_close(chip);
}

static void test_single_pass(void **state)
{
    const struct rf_pm_library_info *info;
    const char *const *names;
    size_t n;
    struct rf_pm_check *check;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_library(&info, &err));
    if (!info->has_single_pass_sets) {
        assert_status(RF_PM_ERR_LIBRARY, rf_pm_chip_single_pass_sets(chip, &names, &n, &err));
        assert_says("CUDA 13.2 or later is needed");
        assert_status(RF_PM_ERR_LIBRARY,
                      rf_pm_check_new(chip, pm_test_metrics, 3, "TriageCompute", &check, &err));
    } else {
        assert_status(RF_PM_OK, rf_pm_chip_single_pass_sets(chip, &names, &n, &err));
        assert_int_equal(n, 1);
        assert_string_equal(names[0], "TriageCompute");
        assert_status(RF_PM_OK,
                      rf_pm_chip_single_pass_metrics(chip, "TriageCompute", &names, &n, &err));
        assert_int_equal(n, 3);
        assert_string_equal(names[0], "dram__bytes");
        assert_string_equal(names[2], "sm__cycles_elapsed");
        assert_status(RF_PM_ERR_ARGUMENT,
                      rf_pm_chip_single_pass_metrics(chip, "TriageComputer", &names, &n, &err));
        assert_says("did you mean 'TriageCompute'?");
        assert_status(RF_PM_ERR_ARGUMENT,
                      rf_pm_check_new(chip, pm_test_metrics, 3, "other", &check, &err));
        assert_status(RF_PM_OK,
                      rf_pm_check_new(chip, pm_test_metrics, 3, "TriageCompute", &check, &err));
        assert_int_equal(check->n_passes, 1);
        rf_pm_check_free(check);
    }
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_chip_single_pass_metrics(chip, NULL, &names, &n, &err));
    rf_pm_chip_close(chip);
}

static void test_counters_per_pass(void **state)
{
    size_t n;
    rf_pm_chip *chip = open_chip("GH100");
    (void)state;
    assert_status(RF_PM_OK, rf_pm_chip_counters_per_pass(chip, &n, &err));
    assert_int_equal(n, PM_DOUBLE_PER_PASS);
    rf_pm_chip_close(chip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PM_TEST(test_library),      PM_TEST(test_chips),
        PM_TEST(test_no_perfworks), PM_TEST(test_metrics),
        PM_TEST(test_metrics_fail), PM_TEST(test_submetrics),
        PM_TEST(test_describe),     PM_TEST(test_nearest),
        PM_TEST(test_check),        PM_TEST(test_check_refused),
        PM_TEST(test_choose),       PM_TEST(test_choose_none),
        PM_TEST(test_single_pass),  PM_TEST(test_counters_per_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
