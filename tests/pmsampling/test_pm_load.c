/* SPDX-License-Identifier: Apache-2.0 */
/* What is said where there is no libcupti that can sample: RANGEFINDER_CUPTI names one that lacks
 * the functions, or none at all and the others are out of sight. */
#include "pm_test.h"

static struct rf_pm_error err;

static void test_cannot_load(void **state)
{
    const struct rf_pm_library_info *info;
    const char *const *names;
    size_t n;
    rf_pm_chip *chip;
    (void)state;
    for (int i = 0; i < 2; i++) { /* a failure is not kept */
        assert_status(RF_PM_ERR_LIBRARY, rf_pm_library(&info, &err));
        assert_null(info);
        assert_says(getenv("EXPECTED"));
        assert_says("RANGEFINDER_CUPTI");
    }
    assert_status(RF_PM_ERR_LIBRARY, rf_pm_chips(&names, &n, &err));
    assert_status(RF_PM_ERR_LIBRARY, rf_pm_chip_open("GH100", &chip, &err));
    assert_null(chip);
}

/* Nothing is asked of a GPU, or said of one, without the library. */
static void test_device(void **state)
{
    struct rf_pm_device device = RF_PM_DEVICE_INIT;
    rf_pm_collector *c;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    assert_status(RF_PM_ERR_LIBRARY, rf_pm_collector_enable(c, &err));
    rf_pm_collector_free(c);
    assert_status(RF_PM_OK, rf_pm_device_describe(0, &device, &err));
    assert_string_equal(device.name, "NVIDIA Stand-in 0");
    assert_string_equal(device.chip, "");
    assert_false(device.can_be_sampled);
    assert_non_null(strstr(device.reason, getenv("EXPECTED")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cannot_load),
                                       cmocka_unit_test(test_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
