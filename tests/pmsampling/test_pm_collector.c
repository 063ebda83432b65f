/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a collector, on the stand-in, which is strict about order and sizes. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pm_test.h"

static struct rf_pm_error err;

static rf_pm_collector *make(size_t device)
{
    rf_pm_collector *c;
    assert_status(RF_PM_OK, rf_pm_collector_new(device, &c, &err));
    return c;
}

static rf_pm_collector *make_enabled(void)
{
    rf_pm_collector *c = make(0);
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    return c;
}

static rf_pm_collector *make_configured(void)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c = make_enabled();
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    return c;
}

static rf_pm_collector *make_started(void)
{
    rf_pm_collector *c = make_configured();
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    return c;
}

static uint32_t version(void)
{
    return (uint32_t)atoi(getenv("RF_DOUBLE_CUPTI_VERSION"));
}

/* ---- Sampling ---- */

static void check_samples(rf_pm_data *data, uint64_t first)
{
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    double values[3];
    for (size_t i = 0; i < info->n_completed; i++) {
        assert_status(RF_PM_OK, rf_pm_data_evaluate(data, i, 1, values, &err));
        for (size_t m = 0; m < 3; m++) {
            double expected = first + i == 0 ? -1 : (double)((first + i) % 100) + (double)m / 16;
            assert_true(values[m] >= expected && values[m] <= expected);
        }
        assert_true(first + i == 0 || info->end_ns[i] - info->start_ns[i] == 10000);
        assert_true(i == 0 || info->start_ns[i] == info->end_ns[i - 1]);
    }
}

static void test_whole_life(void **state)
{
    rf_pm_data *data;
    rf_pm_collector *c = make_started();
    (void)state;
    cupti->make = 50;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 100, &data, &err));
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    assert_int_equal(info->n_total, 100);
    assert_int_equal(info->n_populated, 50);
    assert_int_equal(info->n_completed, 50);
    assert_int_equal(info->stop_reason, RF_PM_STOP_OTHER); /* all that has come; it goes on */
    assert_int_equal(info->is_overflow, 0);
    assert_int_equal(info->is_first, 1);
    assert_int_equal(info->start_ns[0], 0); /* as it came: who wants may leave it out */
    assert_int_equal(info->cupti_version, version());
    assert_string_equal(info->chip, "GH100");
    assert_int_equal(info->n_metrics, 3);
    assert_string_equal(info->metrics[2], pm_test_metrics[2]);
    check_samples(data, 0);
    rf_pm_data_free(data);

    cupti->make = 30;
    assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 100, &data, &err));
    info = rf_pm_data_get_info(data);
    assert_int_equal(info->n_completed, 30);
    assert_int_equal(info->stop_reason, RF_PM_STOP_END_OF_RECORDS);
    assert_int_equal(info->is_first, 0);
    check_samples(data, 50);
    rf_pm_data_free(data);
    assert_int_equal(cupti->image_initializes, 1); /* the second image is a copy */

    /* it goes on after a stop */
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = 3;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->is_first, 1);
    rf_pm_data_free(data);
    assert_int_equal(cupti->image_initializes, 2); /* of another size */
    rf_pm_collector_free(c);
    assert_int_equal(cupti->disables, 1);
    assert_int_equal(cupti->stops, 2);
}

static void test_no_samples(void **state)
{
    rf_pm_data *data;
    double value;
    rf_pm_collector *c = make_started();
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 5, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 0);
    assert_int_equal(rf_pm_data_get_info(data)->is_first, 0);
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_data_evaluate(data, 0, 1, &value, &err));
    assert_status(RF_PM_OK, rf_pm_data_evaluate(data, 0, 0, &value, &err));
    rf_pm_data_free(data);
    cupti->make = 1;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 5, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->is_first, 1);
    rf_pm_data_free(data);
    cupti->make = 3;
    cupti->unpopulated = 1;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 5, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 3);
    assert_int_equal(rf_pm_data_get_info(data)->n_populated, 3);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

static void test_data_full(void **state)
{
    rf_pm_data *data;
    rf_pm_collector *c = make_started();
    (void)state;
    cupti->rest = PM_DOUBLE_KEEPS;
    cupti->make = 25;
    cupti->incomplete = 1;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    assert_int_equal(info->stop_reason, RF_PM_STOP_DATA_FULL);
    assert_int_equal(info->n_populated, 10);
    assert_int_equal(info->n_completed, 9);
    rf_pm_data_free(data);
    cupti->incomplete = 0;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    check_samples(data, 10);
    rf_pm_data_free(data);
    cupti->rest = PM_DOUBLE_LOSES;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 2, &data, &err));
    rf_pm_data_free(data);
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    info = rf_pm_data_get_info(data); /* all are handed out as they come */
    assert_int_equal(info->n_completed, 3);
    assert_true(info->start_ns[0] == 0 && info->end_ns[0] == 0);
    rf_pm_data_free(data);
    cupti->rest = PM_DOUBLE_DROPS;
    cupti->make = 25;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->stop_reason, RF_PM_STOP_DATA_FULL);
    rf_pm_data_free(data);
    cupti->make = 1;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 1);
    check_samples(data, 50);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

/* Metrics whose counters the GPU lacks are left out, and refused: no sample would be complete. */
static void test_lacking_counters(void **state)
{
    const char *metrics[] = {"sm__cycles_active.avg", "nvlrx__bytes_packet_request_data_user.sum"};
    struct rf_pm_config config = RF_PM_CONFIG_INIT;
    struct rf_pm_choice *choice;
    rf_pm_chip *chip;
    (void)snprintf(cupti->lacking, sizeof(cupti->lacking), "nvl");
    rf_pm_collector *c = make_enabled();
    (void)state;
    config.metrics = metrics;
    config.n_metrics = 2;
    assert_status(RF_PM_ERR_METRIC, rf_pm_collector_configure(c, &config, &err));
    assert_string_equal(err.text, "GH100 cannot sample 'nvlrx__bytes_packet_request_data_user.sum' "
                                  "(this GPU lacks its counters)");
    assert_string_equal(err.function, "cuptiProfilerHostConfigAddMetrics");
    metrics[0] = "sm__cycles_activ.avg";
    assert_status(RF_PM_ERR_METRIC, rf_pm_collector_configure(c, &config, &err));
    assert_says("GH100 has no metric 'sm__cycles_activ.avg' (did you mean 'sm__cycles_active.avg'");
    assert_says(", and cannot sample 'nvlrx__bytes_packet_request_data_user.sum' (this GPU");
    metrics[0] = "sm__cycles_active.avg";
    config.n_metrics = 1;
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));

    assert_status(RF_PM_OK, rf_pm_collector_open_chip(c, &chip, &err));
    assert_status(RF_PM_OK, rf_pm_choose(chip, rf_pm_set_named("gh100"), &choice, &err));
    assert_int_equal(choice->n_chosen, 11);
    assert_int_equal(choice->n_missing, 8);
    assert_int_equal(choice->n_left_out, 0);
    for (size_t i = 0; i < choice->n_missing; i++)
        assert_non_null(strstr(choice->missing[i]->metric, "nvl"));
    rf_pm_choice_free(choice);
    rf_pm_chip_close(chip);
    rf_pm_collector_free(c);
}

static void test_lacking_all_counters(void **state)
{
    struct rf_pm_choice *choice;
    rf_pm_chip *chip;
    (void)snprintf(cupti->lacking, sizeof(cupti->lacking), "*");
    rf_pm_collector *c = make_enabled();
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_open_chip(c, &chip, &err));
    assert_status(RF_PM_ERR_METRIC, rf_pm_choose(chip, rf_pm_set_named("gh100"), &choice, &err));
    assert_says("this GPU (GH100) can sample none of the metrics of the set 'gh100'");
    assert_null(choice);
    rf_pm_chip_close(chip);
    rf_pm_collector_free(c);
}

/* The memory of a freed image is used again; data outlive their collector. */
static void test_data_outlive_the_collector(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c = make_enabled();
    rf_pm_data *data[3];
    double values[3];
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    for (uint32_t i = 0; i < 3; i++) {
        cupti->make = 1;
        assert_status(RF_PM_OK, rf_pm_collector_decode(c, 4 + 4 * (i == 1), &data[i], &err));
        if (i == 0)
            rf_pm_data_free(data[0]);
    }
    rf_pm_data_free(data[2]);
    rf_pm_collector_free(c);
    assert_status(RF_PM_OK, rf_pm_data_evaluate(data[1], 0, 1, values, &err));
    rf_pm_data_free(data[1]);
}

/* Where CUPTI does not say which counters there are, all are. */
static void test_unknown_counters(void **state)
{
    struct rf_pm_choice *choice;
    rf_pm_chip *chip;
    (void)state;
    pm_test_fail("cuptiPmSamplingGetCounterAvailability", 999, -1);
    rf_pm_collector *c = make_enabled();
    assert_status(RF_PM_OK, rf_pm_collector_open_chip(c, &chip, &err));
    assert_status(RF_PM_OK, rf_pm_choose(chip, rf_pm_set_named("gh100"), &choice, &err));
    assert_int_equal(choice->n_chosen, 19);
    rf_pm_choice_free(choice);
    rf_pm_chip_close(chip);
    rf_pm_collector_free(c);
    c = make(0);
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_open_chip(c, &chip, &err));
    assert_null(chip);
    rf_pm_collector_free(c);
}

/* ---- Overflow ---- */

static void test_overflow_error(void **state)
{
    struct rf_pm_collector_state is = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_data *data;
    rf_pm_collector *c = make_started();
    (void)state;
    cupti->make = 600000; /* 512 MiB hold 524288 */
    assert_status(RF_PM_ERR_OVERFLOW, rf_pm_collector_decode(c, 10, &data, &err));
    assert_null(data);
    assert_int_equal(err.cupti, 8);
    assert_string_equal(err.function, "cuptiPmSamplingDecodeData");
    assert_says("a larger buffer, a longer interval");
    assert_status(RF_PM_ERR_OVERFLOW, rf_pm_collector_decode(c, 10, &data, &err));
    assert_status(RF_PM_OK, rf_pm_collector_restart(c, &err));
    rf_pm_collector_get_state(c, &is);
    assert_true(is.is_enabled && is.is_configured && is.is_started);
    cupti->make = 4;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 4);
    assert_int_equal(rf_pm_data_get_info(data)->is_first, 1);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
    assert_int_equal(cupti->enables, 2);
    assert_int_equal(cupti->initializes, 2); /* what Disable may have undone */
}

/* Some versions undo ProfilerInitialize when a device is disabled. */
static void test_disable_finalizes(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make_started();
    (void)state;
    cupti->finalizes = 1;
    assert_status(RF_PM_OK, rf_pm_collector_restart(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = 4;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 4);
    rf_pm_data_free(data);
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    rf_pm_collector_free(c);
}

static void test_renew_fails(void **state)
{
    struct rf_pm_collector_state is = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_collector *c = make_started();
    (void)state;
    pm_test_fail("cuptiProfilerInitialize", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_restart(c, &err));
    rf_pm_collector_get_state(c, &is);
    assert_false(is.is_enabled || is.is_started);
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err)); /* and it can begin anew */
    rf_pm_collector_free(c);
}

/* A decode may stop before the end of the records, and not for want of room. */
static void test_stops_early(void **state)
{
    rf_pm_data *data;
    rf_pm_collector *c = make_started();
    size_t n = 0;
    int reason = RF_PM_STOP_OTHER;
    (void)state;
    cupti->says_end = 1;
    cupti->stops_early = 6;
    cupti->make = 64;
    for (int i = 0; i < 7; i++) {
        assert_int_equal(reason, RF_PM_STOP_OTHER);
        assert_status(RF_PM_OK, rf_pm_collector_decode(c, 100, &data, &err));
        reason = rf_pm_data_get_info(data)->stop_reason;
        n += rf_pm_data_get_info(data)->n_completed;
        rf_pm_data_free(data);
    }
    assert_int_equal(reason, RF_PM_STOP_END_OF_RECORDS);
    assert_int_equal(n, 64);
    rf_pm_collector_free(c);
}

static void test_overflow_flag(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make_enabled();
    (void)state;
    cupti->capacity = 5;
    cupti->overflow_flag = 1;
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = 20;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->is_overflow, 1);
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 5);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

static void test_keep_latest(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make_enabled();
    (void)state;
    cupti->capacity = 5;
    config.append = RF_PM_KEEP_LATEST;
    if (version() < 26) {
        assert_status(RF_PM_ERR_UNSUPPORTED, rf_pm_collector_configure(c, &config, &err));
        assert_says("12.8 and later can");
        rf_pm_collector_free(c);
        return;
    }
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_int_equal(cupti->append, 1);
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = 20;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_completed, 5);
    check_samples(data, 15);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

static void test_restart_fails(void **state)
{
    struct rf_pm_collector_state is = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_collector *c = make_started();
    (void)state;
    pm_test_fail("cuptiPmSamplingSetConfig", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_restart(c, &err));
    rf_pm_collector_get_state(c, &is);
    assert_false(is.is_enabled || is.is_configured || is.is_started);
    assert_int_equal(cupti->objects_open, 0);
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err)); /* and it can begin anew */
    rf_pm_collector_free(c);
}

/* ---- Order ---- */

static void test_order(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make(0), *other = make(0);
    (void)state;
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_configure(c, &config, &err));
    assert_says("not enabled: it cannot be configured");
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_start(c, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_stop(c, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_decode(c, 1, &data, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_restart(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));

    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    assert_status(RF_PM_ERR_ENABLED, rf_pm_collector_enable(c, &err));
    assert_status(RF_PM_ERR_ENABLED, rf_pm_collector_enable(other, &err));
    assert_says("another collector of this process");
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_start(c, &err));
    assert_says("not configured");
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_stop(c, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_decode(c, 1, &data, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_restart(c, &err));

    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_stop(c, &err));
    assert_says("stopped already");
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_decode(c, 1, &data, &err)); /* says CUPTI */
    assert_int_equal(err.cupti, 7);
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_start(c, &err));
    assert_says("started already");
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_collector_decode(c, 0, &data, &err));
    assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_stop(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));
    assert_status(RF_PM_ERR_ORDER, rf_pm_collector_start(c, &err));

    assert_status(RF_PM_OK, rf_pm_collector_enable(other, &err)); /* it is free again */
    rf_pm_collector_free(other);
    rf_pm_collector_free(c);
    rf_pm_collector_free(NULL);
}

static void test_two_devices(void **state)
{
    rf_pm_collector *c, *other = make(1);
    (void)state;
    cupti->devices = 2;
    driver->devices = 2;
    c = make_enabled();
    assert_status(RF_PM_OK, rf_pm_collector_enable(other, &err));
    assert_int_equal(cupti->initializes, 1); /* counted */
    rf_pm_collector_free(c);
    assert_int_equal(cupti->initialized, 1);
    rf_pm_collector_free(other);
    assert_int_equal(cupti->initialized, 0);
}

static void test_started_at_disable(void **state)
{
    rf_pm_collector *c = make_started();
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_disable(c, &err));
    assert_int_equal(cupti->stops, 1);
    rf_pm_collector_free(c);
}

/* ---- Configuring ---- */

static void test_set_config_size(void **state)
{
    rf_pm_collector *c = make_configured();
    (void)state;
    assert_int_equal(cupti->set_config_size, version() < 26 ? 60 : 64);
    assert_int_equal(cupti->hardware_buffer, 536870912);
    assert_int_equal(cupti->interval, 10000);
    assert_int_equal(cupti->trigger, 1);
    assert_int_equal(cupti->append, 0);
    rf_pm_collector_free(c);
}

static void test_configure_again(void **state)
{
    struct rf_pm_config config = pm_test_config();
    struct rf_pm_collector_state is = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_data *data;
    rf_pm_collector *c = make_started();
    (void)state;
    assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err));
    config.n_metrics = 1;
    config.interval = 20000;
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_int_equal(cupti->enables, 2); /* on an object that was never configured */
    rf_pm_collector_get_state(c, &is);
    assert_int_equal(is.interval, 20000);
    assert_string_equal(is.chip, "GH100");
    assert_int_equal(is.sample_bytes, 0x0);

    /* what fails changes nothing */
    const char *const unknown = "sm__none.avg";
    config.metrics = &unknown;
    assert_status(RF_PM_ERR_METRIC, rf_pm_collector_configure(c, &config, &err));
    config.metrics = pm_test_metrics;
    pm_test_fail("cuptiPmSamplingSetConfig", 27, 1);
    config.interval = 30000;
    assert_status(RF_PM_ERR_UNSUPPORTED, rf_pm_collector_configure(c, &config, &err));
    rf_pm_collector_get_state(c, &is);
    assert_int_equal(is.interval, 20000);
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = 2;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    assert_int_equal(rf_pm_data_get_info(data)->n_metrics, 1);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

static void test_bad_metrics(void **state)
{
    static const char *const metrics[] = {"sm__cycles_activ.avg", "sm__cycles_active.avg",
                                          "dram__bytes", "whatever this is"};
    static const char *const many[] = {"sm__cycles_active.avg",
                                       "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                                       "dram__bytes.sum"};
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c = make_enabled();
    (void)state;
    config.metrics = metrics;
    config.n_metrics = 4;
    assert_status(RF_PM_ERR_METRIC, rf_pm_collector_configure(c, &config, &err));
    assert_says("GH100 has no metric 'sm__cycles_activ.avg' (did you mean 'sm__cycles_active.avg'");
    assert_says("'dram__bytes' (did you mean 'dram__bytes.avg.pct_of_peak_sustained_elapsed'");
    assert_says(", 'whatever this is'");
    assert_int_equal(err.cupti, 17);
    assert_int_equal(cupti->set_config_size, 0);
    assert_int_equal(cupti->failed_adds, 0);

    config.metrics = many;
    config.n_metrics = 3;
    assert_status(RF_PM_ERR_PASSES, rf_pm_collector_configure(c, &config, &err));
    assert_says("need 9 passes on GH100, and sampling has one: leave out "
                "'sm__throughput.avg.pct_of_peak_sustained_elapsed'");
    assert_int_equal(cupti->set_config_size, 0); /* tested before CUPTI is asked */
    rf_pm_collector_free(c);
}

/* Texts are cut, and not written beyond. */
static void test_many_bad_metrics(void **state)
{
    static const char *metrics[500];
    static char names[500][300], longest[2000];
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c = make_enabled();
    (void)state;
    for (int i = 0; i < 500; i++) {
        memset(names[i], 'a' + i % 26, 290);
        metrics[i] = names[i];
    }
    config.metrics = metrics;
    config.n_metrics = 500;
    assert_status(RF_PM_ERR_METRIC, rf_pm_collector_configure(c, &config, &err));
    assert_says(" more");
    memset(longest, 'a', sizeof(longest) - 1); /* CUPTI never sees it */
    metrics[0] = longest;
    config.n_metrics = 1;
    assert_status(RF_PM_ERR_METRIC, rf_pm_collector_configure(c, &config, &err));
    assert_says("GH100 has no metric 'aaaa");
    for (int i = 0; i < 500; i++)
        metrics[i] = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    config.n_metrics = 60;
    assert_status(RF_PM_ERR_PASSES, rf_pm_collector_configure(c, &config, &err));
    assert_says(" more");
    rf_pm_collector_free(c);
}

static void test_bad_arguments(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c = make_enabled();
    (void)state;
#define BAD(field, value)                                                                          \
    config = pm_test_config();                                                                     \
    config.field = value;                                                                          \
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_collector_configure(c, &config, &err));
    BAD(n_metrics, 0)
    BAD(metrics, NULL)
    BAD(hardware_buffer_bytes, 0)
    BAD(interval, 0)
    BAD(trigger, 2)
    BAD(trigger, -1)
    BAD(append, 2)
#undef BAD
    rf_pm_collector_free(c);
}

static void test_modes_of_chips(void **state)
{
    struct rf_pm_config config = pm_test_config();
    (void)state;
    assert_true(rf_pm_chip_has_trigger("GH100", RF_PM_TRIGGER_TIME));
    assert_true(rf_pm_chip_has_trigger("GA102", RF_PM_TRIGGER_TIME));
    assert_false(rf_pm_chip_has_trigger("GA100", RF_PM_TRIGGER_TIME));
    assert_false(rf_pm_chip_has_trigger("TU116", RF_PM_TRIGGER_TIME));
    assert_true(rf_pm_chip_has_trigger("TU116", RF_PM_TRIGGER_SYSCLK));
    assert_false(rf_pm_chip_has_trigger("GH100", 2));
    assert_true(rf_pm_chip_has_append("GA100", RF_PM_KEEP_LATEST));
    assert_false(rf_pm_chip_has_append("TU102", RF_PM_KEEP_LATEST));
    assert_false(rf_pm_chip_has_append("GH100", 2));

    (void)snprintf(cupti->chip, sizeof(cupti->chip), "GA100");
    rf_pm_collector *c = make_enabled();
    assert_status(RF_PM_ERR_UNSUPPORTED, rf_pm_collector_configure(c, &config, &err));
    assert_says("GPU_SYSCLK_INTERVAL");
    config.trigger = RF_PM_TRIGGER_SYSCLK;
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    rf_pm_collector_free(c);

    (void)snprintf(cupti->chip, sizeof(cupti->chip), "TU102");
    c = make_enabled();
    config.append = RF_PM_KEEP_LATEST;
    assert_status(RF_PM_ERR_UNSUPPORTED, rf_pm_collector_configure(c, &config, &err));
    assert_says("KEEP_LATEST");
    rf_pm_collector_free(c);
}

static void test_single_pass_set(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make_enabled();
    (void)state;
    config.single_pass_set = "TriageCompute";
    if (version() < 130200) {
        assert_status(RF_PM_ERR_LIBRARY, rf_pm_collector_configure(c, &config, &err));
    } else {
        assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
        assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
        assert_status(RF_PM_OK, rf_pm_collector_decode(c, 5, &data, &err));
        assert_string_equal(rf_pm_data_get_info(data)->single_pass_set, "TriageCompute");
        rf_pm_data_free(data);
        config.single_pass_set = "None";
        assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err));
        assert_status(RF_PM_ERR_ARGUMENT, rf_pm_collector_configure(c, &config, &err));
    }
    rf_pm_collector_free(c);
}

/* ---- Failures of CUPTI ---- */

static void check_failure(const char *function, int code, int status)
{
    rf_pm_collector *c = make(0);
    pm_test_fail(function, code, -1);
    assert_status(status, rf_pm_collector_enable(c, &err));
    memset(cupti->fail, 0, sizeof(cupti->fail));
    assert_int_equal(err.cupti, code);
    assert_string_equal(err.function, function);
    assert_int_equal(cupti->initialized, 0); /* nothing is left behind */
    assert_int_equal(driver->contexts, 0);
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    rf_pm_collector_free(c);
}

static void test_enable_fails(void **state)
{
    (void)state;
    check_failure("cuptiProfilerInitialize", 15, RF_PM_ERR_LIBRARY);
    check_failure("cuptiProfilerInitialize", 999, RF_PM_ERR_CUPTI);
    check_failure("cuptiDeviceGetChipName", 1, RF_PM_ERR_DEVICE);
    check_failure("cuptiDeviceGetChipName", 999, RF_PM_ERR_CUPTI);
    check_failure("cuptiPmSamplingEnable", 8, RF_PM_ERR_NO_MEMORY);
    check_failure("cuptiPmSamplingEnable", 35, RF_PM_ERR_PRIVILEGES);
    assert_says("CAP_SYS_ADMIN"); /* after a success the text is that of the failure still */
    assert_says("NVreg_RestrictProfilingToAdminUsers=0");
    assert_says("root");
    check_failure("cuptiPmSamplingEnable", 40, RF_PM_ERR_PRIVILEGES);
    check_failure("cuptiPmSamplingEnable", 7, RF_PM_ERR_ENABLED);
    check_failure("cuptiPmSamplingEnable", 26, RF_PM_ERR_REFUSED);
    check_failure("cuptiPmSamplingEnable", 27, RF_PM_ERR_REFUSED);
    check_failure("cuptiPmSamplingEnable", 39, RF_PM_ERR_REFUSED);
    check_failure("cuptiPmSamplingEnable", 41, RF_PM_ERR_REFUSED);
    check_failure("cuptiPmSamplingEnable", 43, RF_PM_ERR_REFUSED);
    check_failure("cuptiPmSamplingEnable", 999, RF_PM_ERR_CUPTI);
}

static void test_other_failures(void **state)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make_enabled();
    (void)state;
    pm_test_fail("cuptiPmSamplingSetConfig", 8, 1);
    assert_status(RF_PM_ERR_NO_MEMORY, rf_pm_collector_configure(c, &config, &err));
    assert_says("536870912 bytes");
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    pm_test_fail("cuptiPmSamplingSetConfig", 35, 1);
    assert_status(RF_PM_ERR_PRIVILEGES, rf_pm_collector_configure(c, &config, &err));
    assert_says("CAP_SYS_ADMIN");
    pm_test_fail("cuptiPmSamplingStart", 26, 1);
    assert_status(RF_PM_ERR_REFUSED, rf_pm_collector_start(c, &err));
    assert_says("dcgmi profile --pause");
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    pm_test_fail("cuptiPmSamplingGetCounterDataSize", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_decode(c, 5, &data, &err));
    pm_test_fail("cuptiPmSamplingCounterDataImageInitialize", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_decode(c, 5, &data, &err));
    pm_test_fail("cuptiPmSamplingDecodeData", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_decode(c, 5, &data, &err));
    cupti->make = 3;
    pm_test_fail("cuptiPmSamplingCounterDataGetSampleInfo", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_decode(c, 5, &data, &err));
    assert_null(data);
    pm_test_fail("cuptiPmSamplingGetCounterDataInfo", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_collector_decode(c, 5, &data, &err));
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 5, &data, &err));
    rf_pm_data_free(data);
    assert_int_equal(rf_pm_collector_decode(c, 0, &data, NULL), RF_PM_ERR_ARGUMENT);
    rf_pm_collector_free(c);
}

static void test_context(void **state)
{
    static const int codes[] = {3, 15, 999}; /* by which it may say that there is none */
    (void)state;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        cupti->needs_context = codes[i];
        rf_pm_collector *c = make_enabled();
        assert_int_equal(driver->contexts, 1);
        rf_pm_collector_free(c);
        assert_int_equal(driver->contexts, 0);
    }
}

/* ---- Threads and processes ---- */

static void *decode_slowly(void *context)
{
    rf_pm_data *data = NULL;
    int status = rf_pm_collector_decode(context, 10, &data, NULL);
    rf_pm_data_free(data);
    return (void *)(intptr_t)status;
}

static void test_concurrent_decode(void **state)
{
    pthread_t thread;
    rf_pm_data *data = NULL;
    void *result;
    int status = RF_PM_OK;
    rf_pm_collector *c = make_started();
    (void)state;
    cupti->delay_ms = 200;
    assert_int_equal(pthread_create(&thread, NULL, decode_slowly, c), 0);
    while (cupti->decodes == 0)
        (void)usleep(100);
    status = rf_pm_collector_decode(c, 10, &data, &err);
    assert_int_equal(status, RF_PM_ERR_ORDER); /* refused, not kept waiting */
    assert_says("another thread");
    assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err)); /* others wait */
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_int_equal((intptr_t)result, RF_PM_OK);
    cupti->delay_ms = 0;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 10, &data, &err));
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

static void *evaluate_all(void *context)
{
    double values[150];
    for (int i = 0; i < 50; i++) {
        if (rf_pm_data_evaluate(context, 0, 50, values, NULL) != RF_PM_OK || values[3] < 1)
            return context;
    }
    return NULL;
}

static void test_concurrent_evaluation(void **state)
{
    pthread_t threads[4];
    rf_pm_data *data;
    void *result;
    rf_pm_collector *c = make_started();
    (void)state;
    cupti->make = 50;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 50, &data, &err));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, evaluate_all, data), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

/* In the child CUPTI would see a call of a process that did not initialize it. */
static void test_fork(void **state)
{
    rf_pm_data *data;
    int status;
    rf_pm_collector *c = make_started();
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        int ok = rf_pm_collector_stop(c, &err) == RF_PM_ERR_ORDER &&
                 strstr(err.text, "forked") != NULL &&
                 rf_pm_collector_decode(c, 1, &data, &err) == RF_PM_ERR_ORDER &&
                 rf_pm_collector_disable(c, &err) == RF_PM_OK;
        rf_pm_collector_free(c);
        _exit(ok && cupti->violations == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    rf_pm_collector_free(c);
}

static void test_real_time(void **state)
{
    struct rf_pm_clock before, after;
    struct rf_pm_config config = pm_test_config();
    rf_pm_data *data;
    rf_pm_collector *c = make_enabled();
    (void)state;
    cupti->realtime = 1;
    config.interval = 100000;
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    rf_pm_clock_read(&before);
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    (void)usleep(20000);
    assert_status(RF_PM_OK, rf_pm_collector_stop(c, &err));
    rf_pm_clock_read(&after);
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, 100000, &data, &err));
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    assert_true(info->n_completed >= 199);
    assert_true((int64_t)info->start_ns[1] >= before.realtime_ns - before.error_ns);
    assert_true((int64_t)info->end_ns[info->n_completed - 1] <= after.realtime_ns + after.error_ns);
    assert_true(after.monotonic_ns - before.monotonic_ns >= 20000000);
    rf_pm_data_free(data);
    rf_pm_collector_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PM_TEST(test_whole_life),
        PM_TEST(test_no_samples),
        PM_TEST(test_data_full),
        PM_TEST(test_lacking_counters),
        PM_TEST(test_lacking_all_counters),
        PM_TEST(test_data_outlive_the_collector),
        PM_TEST(test_unknown_counters),
        PM_TEST(test_overflow_error),
        PM_TEST(test_overflow_flag),
        PM_TEST(test_keep_latest),
        PM_TEST(test_restart_fails),
        PM_TEST(test_disable_finalizes),
        PM_TEST(test_renew_fails),
        PM_TEST(test_stops_early),
        PM_TEST(test_order),
        PM_TEST(test_two_devices),
        PM_TEST(test_started_at_disable),
        PM_TEST(test_set_config_size),
        PM_TEST(test_configure_again),
        PM_TEST(test_bad_metrics),
        PM_TEST(test_many_bad_metrics),
        PM_TEST(test_bad_arguments),
        PM_TEST(test_modes_of_chips),
        PM_TEST(test_single_pass_set),
        PM_TEST(test_enable_fails),
        PM_TEST(test_other_failures),
        PM_TEST(test_context),
        PM_TEST(test_concurrent_decode),
        PM_TEST(test_concurrent_evaluation),
        PM_TEST(test_fork),
        PM_TEST(test_real_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
