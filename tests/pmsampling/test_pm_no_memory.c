/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a session fails once: an error, nothing left open, and the next try works. */
#include "pm_test.h"

static struct rf_pm_error err;
static long countdown = -1; /* allocations until one fails; below 0: none does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

static int fails(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* ---- What is tried ---- */

static int look_around(void)
{
    static const char *const metrics[] = {"sm__throughput.avg.pct_of_peak_sustained_elapsed",
                                          "sm__cycles_active.avg", "sm__none.avg"};
    const struct rf_pm_metric *list;
    struct rf_pm_metric metric;
    const char *const *names;
    const char *nearest[RF_PM_NEAREST];
    struct rf_pm_check *check = NULL;
    struct rf_pm_choice *choice = NULL;
    rf_pm_chip *chip;
    size_t n;
    int status = rf_pm_chip_open("GH100", &chip, &err);
    if (status == RF_PM_OK)
        status = rf_pm_chip_describe(chip, "dram__bytes.sum.per_second", &metric, &err);
    if (status == RF_PM_OK)
        status = rf_pm_chip_submetrics(chip, "dram__bytes", &names, &n, &err);
    if (status == RF_PM_OK)
        status = rf_pm_chip_metrics(chip, &list, &n, &err);
    if (status == RF_PM_OK && rf_pm_chip_nearest(chip, "sm__cycles_activ.avg", nearest, &err) < 0)
        status = err.status;
    if (status == RF_PM_OK)
        status = rf_pm_check_new(chip, metrics, 3, NULL, &check, &err);
    if (status == RF_PM_OK)
        status = rf_pm_choose(chip, rf_pm_set_named("gh100"), &choice, &err);
    if (status == RF_PM_OK)
        status = rf_pm_chip_single_pass_metrics(chip, "TriageCompute", &names, &n, &err);
    rf_pm_check_free(check);
    rf_pm_choice_free(choice);
    rf_pm_chip_close(chip);
    return status;
}

static int sample(void)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c;
    rf_pm_chip *chip = NULL;
    rf_pm_data *data = NULL;
    config.single_pass_set = "TriageCompute";
    int status = rf_pm_collector_new(0, &c, &err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_enable(c, &err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_open_chip(c, &chip, &err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_configure(c, &config, &err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_configure(c, &config, &err);
    if (status == RF_PM_OK)
        status = rf_pm_collector_start(c, &err);
    cupti->make = 4;
    if (status == RF_PM_OK)
        status = rf_pm_collector_decode(c, 8, &data, &err);
    rf_pm_data_free(data);
    rf_pm_chip_close(chip);
    rf_pm_collector_free(c);
    return status;
}

static rf_pm_data *sampled;

static int copy(void)
{
    double values[3];
    void *bytes = NULL;
    size_t size = 0;
    rf_pm_data *data = NULL, *again = NULL;
    int status = rf_pm_data_serialise(sampled, &bytes, &size, &err);
    if (status == RF_PM_OK)
        status = rf_pm_data_deserialise(bytes, size, &data, &err);
    if (status == RF_PM_OK) {
        const uint8_t *image = rf_pm_data_image(data, &size);
        status = rf_pm_data_new(rf_pm_data_get_info(data), image, size, &again, &err);
    }
    if (status == RF_PM_OK)
        status = rf_pm_data_evaluate(again, 0, 1, values, &err);
    rf_pm_data_free(data);
    rf_pm_data_free(again);
    free(bytes);
    return status;
}

static void check_all(int (*scenario)(void))
{
    long n = 0;
    countdown = -1;
    assert_status(RF_PM_OK, scenario()); /* what is loaded once is loaded now */
    for (;; n++) {
        countdown = n;
        int status = scenario();
        int has_failed = countdown < 0;
        countdown = -1;
        assert_int_equal(cupti->hosts_open, 0);
        assert_int_equal(cupti->objects_open, 0);
        if (!has_failed)
            break;
        assert_int_equal(status, RF_PM_ERR_NO_MEMORY);
        assert_int_equal(err.status, status);
        assert_non_null(strstr(err.text, "memory"));
    }
    assert_true(n > 3);
}

static void test_look_around(void **state)
{
    (void)state;
    check_all(look_around);
}

static void test_sample(void **state)
{
    (void)state;
    check_all(sample);
}

static void test_copy(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = 4;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 8, &sampled, &err));
    rf_pm_collector_free(c);
    check_all(copy);
    rf_pm_data_free(sampled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {PM_TEST(test_look_around), PM_TEST(test_sample),
                                       PM_TEST(test_copy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
