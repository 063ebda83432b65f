/* SPDX-License-Identifier: Apache-2.0 */
/* Counter data: as bytes and back, damaged, made of parts, evaluated without a device. */
#include "base/crc32c.h"
#include "pm_test.h"

static struct rf_pm_error err;

#define CRC_AT 24 /* in the header of serialised data */

/* Data of n samples, decoded by the stand-in; no collector is left. */
static rf_pm_data *make_data(uint32_t n, const char *set)
{
    struct rf_pm_config config = pm_test_config();
    rf_pm_collector *c;
    rf_pm_data *data;
    config.single_pass_set = set;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_enable(c, &err));
    assert_status(RF_PM_OK, rf_pm_collector_configure(c, &config, &err));
    assert_status(RF_PM_OK, rf_pm_collector_start(c, &err));
    cupti->make = n;
    assert_status(RF_PM_OK, rf_pm_collector_decode(c, n + 2, &data, &err));
    rf_pm_collector_free(c);
    return data;
}

static void assert_same(rf_pm_data *a, rf_pm_data *b)
{
    const struct rf_pm_data_info *x = rf_pm_data_get_info(a), *y = rf_pm_data_get_info(b);
    size_t x_size, y_size, n = x->n_completed;
    double x_values[300] = {0}, y_values[300] = {0};
    assert_string_equal(x->chip, y->chip);
    assert_int_equal(x->single_pass_set == NULL, y->single_pass_set == NULL);
    if (x->single_pass_set != NULL)
        assert_string_equal(x->single_pass_set, y->single_pass_set);
    assert_int_equal(x->n_metrics, y->n_metrics);
    for (size_t i = 0; i < x->n_metrics; i++)
        assert_string_equal(x->metrics[i], y->metrics[i]);
    assert_int_equal(x->n_total, y->n_total);
    assert_int_equal(x->n_populated, y->n_populated);
    assert_int_equal(n, y->n_completed);
    assert_memory_equal(x->start_ns, y->start_ns, n * 8 + (n == 0));
    assert_memory_equal(x->end_ns, y->end_ns, n * 8 + (n == 0));
    assert_int_equal(x->cupti_version, y->cupti_version);
    assert_int_equal(x->stop_reason, y->stop_reason);
    assert_int_equal(x->is_overflow, y->is_overflow);
    assert_int_equal(x->is_first, y->is_first);
    const uint8_t *x_image = rf_pm_data_image(a, &x_size), *y_image = rf_pm_data_image(b, &y_size);
    assert_int_equal(x_size, y_size);
    assert_memory_equal(x_image, y_image, x_size);
    assert_status(RF_PM_OK, rf_pm_data_evaluate(a, 0, n, x_values, &err));
    assert_status(RF_PM_OK, rf_pm_data_evaluate(b, 0, n, y_values, &err));
    assert_memory_equal(x_values, y_values, n * 3 * sizeof(double) + (n == 0));
}

static void test_round_trip(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 100; n += 50) {
        rf_pm_data *data = make_data(n, NULL), *copy;
        void *bytes;
        size_t size;
        assert_status(RF_PM_OK, rf_pm_data_serialise(data, &bytes, &size, &err));
        assert_status(RF_PM_OK, rf_pm_data_deserialise(bytes, size, &copy, &err));
        free(bytes);
        assert_same(data, copy);
        rf_pm_data_free(data);
        rf_pm_data_free(copy);
    }
    rf_pm_data_free(NULL);
}

static void test_set_and_flags(void **state)
{
    void *bytes;
    size_t size;
    rf_pm_data *copy;
    (void)state;
    if (atoi(getenv("RF_DOUBLE_CUPTI_VERSION")) < 130200)
        return;
    cupti->overflow_flag = 1;
    cupti->capacity = 3;
    rf_pm_data *data = make_data(10, "TriageCompute");
    assert_int_equal(rf_pm_data_get_info(data)->is_overflow, 1);
    assert_status(RF_PM_OK, rf_pm_data_serialise(data, &bytes, &size, &err));
    assert_status(RF_PM_OK, rf_pm_data_deserialise(bytes, size, &copy, &err));
    free(bytes);
    assert_same(data, copy);
    rf_pm_data_free(data);
    rf_pm_data_free(copy);
}

/* A changed bit anywhere, a cut anywhere: an error, and CUPTI is not asked. */
static void test_damage(void **state)
{
    rf_pm_data *data = make_data(1, NULL), *copy;
    uint8_t *bytes;
    size_t size;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_data_serialise(data, (void **)&bytes, &size, &err));
    unsigned hosts = cupti->hosts;
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (uint8_t)(1u << i % 8);
        assert_status(RF_PM_ERR_DATA, rf_pm_data_deserialise(bytes, size, &copy, &err));
        assert_null(copy);
        bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t n = 0; n < size; n++)
        assert_status(RF_PM_ERR_DATA, rf_pm_data_deserialise(bytes, n, &copy, &err));
    assert_status(RF_PM_ERR_DATA, rf_pm_data_deserialise(NULL, 0, &copy, &err));
    bytes[8] = 2;
    assert_status(RF_PM_ERR_DATA, rf_pm_data_deserialise(bytes, size, &copy, &err));
    assert_says("version 2");
    assert_int_equal(cupti->hosts, hosts);
    assert_int_equal(cupti->evaluations, 0);
    free(bytes);
    rf_pm_data_free(data);
}

static void mend(uint8_t *bytes, size_t size)
{
    memset(bytes + CRC_AT, 0, 4);
    uint32_t crc = rf_crc32c(0, bytes, size);
    memcpy(bytes + CRC_AT, &crc, 4);
}

/* What contradicts itself under a checksum that agrees. */
static void test_contradictions(void **state)
{
    static const struct {
        size_t at;
        uint64_t value;
        size_t size;
    } changes[] = {
        {16, 1, 8}, /* the size of all */
        {40, 0, 4}, /* no metrics */
        {40, 4, 4}, /* more metrics than names */
        {40, UINT32_MAX, 4},
        {44, 7, 4}, /* names of an odd size */
        {44, UINT32_MAX, 4},
        {48, 0, 8}, /* fewer samples than are whole */
        {48, UINT64_MAX, 8},
        {56, 0, 8},
        {64, UINT64_MAX, 8}, /* more times than bytes */
        {64, UINT64_MAX / 16 + 2, 8},
        {64, 4, 8},
        {72, 0, 8}, /* no image */
        {72, UINT64_MAX, 8},
        {80, '\n', 1}, /* a name with such a character */
        {80, 0, 1},    /* a chip without a name */
    };
    rf_pm_data *data = make_data(5, NULL), *copy;
    uint8_t *bytes;
    size_t size;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_data_serialise(data, (void **)&bytes, &size, &err));
    uint8_t *changed = malloc(size);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        memcpy(changed, bytes, size);
        memcpy(changed + changes[i].at, &changes[i].value, changes[i].size);
        mend(changed, size);
        int status = rf_pm_data_deserialise(changed, size, &copy, &err);
        if (status != RF_PM_ERR_DATA)
            fail_msg("change %zu: %d", i, status);
    }
    memcpy(changed, bytes, size);
    mend(changed, size);
    assert_status(RF_PM_OK, rf_pm_data_deserialise(changed, size, &copy, &err));
    assert_int_equal(memcmp(changed, bytes, size), 0); /* CRC_AT is where it is */
    rf_pm_data_free(copy);
    free(changed);
    free(bytes);
    rf_pm_data_free(data);
}

/* ---- Evaluation ---- */

static void test_lazy(void **state)
{
    double values[6];
    rf_pm_data *data = make_data(5, NULL);
    (void)state;
    assert_int_equal(cupti->evaluations, 0);
    assert_status(RF_PM_OK, rf_pm_data_evaluate(data, 2, 2, values, &err));
    assert_int_equal(cupti->evaluations, 2);
    assert_true(values[0] >= 2 && values[0] <= 2 && values[5] > 3.124 && values[5] < 3.126);
    unsigned hosts = cupti->hosts;
    assert_status(RF_PM_OK, rf_pm_data_evaluate(data, 4, 1, values, &err));
    assert_int_equal(cupti->hosts, hosts); /* one object serves all */
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_data_evaluate(data, 5, 1, values, &err));
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_data_evaluate(data, 4, 2, values, &err));
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_data_evaluate(data, 1, SIZE_MAX, values, &err));
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_data_evaluate(data, SIZE_MAX, 1, values, &err));
    pm_test_fail("cuptiProfilerHostEvaluateToGpuValues", 999, 1);
    assert_status(RF_PM_ERR_CUPTI, rf_pm_data_evaluate(data, 0, 1, values, &err));
    rf_pm_data_free(data);
}

static rf_pm_data *remake(rf_pm_data *data, const char *chip, const char *const *metrics)
{
    struct rf_pm_data_info info = *rf_pm_data_get_info(data);
    rf_pm_data *out;
    size_t size;
    const uint8_t *image = rf_pm_data_image(data, &size);
    info.chip = chip != NULL ? chip : info.chip;
    info.metrics = metrics != NULL ? metrics : info.metrics;
    assert_status(RF_PM_OK, rf_pm_data_new(&info, image, size, &out, &err));
    return out;
}

/* Names from outside are tested before CUPTI evaluates anything. */
static void test_wrong_names(void **state)
{
    static const char *const metrics[] = {"sm__cycles_active", "sm__none.avg", "dram__bytes.sum"};
    double values[3];
    rf_pm_data *data = make_data(2, NULL), *other;
    (void)state;
    other = remake(data, "XX100", NULL);
    assert_status(RF_PM_ERR_CHIP, rf_pm_data_evaluate(other, 0, 1, values, &err));
    rf_pm_data_free(other);
    other = remake(data, NULL, metrics);
    assert_status(RF_PM_ERR_METRIC, rf_pm_data_evaluate(other, 0, 1, values, &err));
    assert_int_equal(cupti->evaluations, 0);
    rf_pm_data_free(other);
    rf_pm_data_free(data);
}

static void test_later_cupti(void **state)
{
    double values[3];
    rf_pm_data *data = make_data(2, NULL), *copy;
    uint8_t *bytes;
    size_t size;
    uint32_t version = 990000;
    (void)state;
    assert_status(RF_PM_OK, rf_pm_data_serialise(data, (void **)&bytes, &size, &err));
    memcpy(bytes + 28, &version, 4);
    mend(bytes, size);
    assert_status(RF_PM_OK, rf_pm_data_deserialise(bytes, size, &copy, &err));
    assert_status(RF_PM_ERR_LIBRARY, rf_pm_data_evaluate(copy, 0, 1, values, &err));
    assert_says("a later CUPTI (990000)");
    free(bytes);
    rf_pm_data_free(copy);
    rf_pm_data_free(data);
}

/* ---- Of parts ---- */

static void test_new(void **state)
{
    rf_pm_data *data = make_data(20, NULL), *copy;
    (void)state;
    copy = remake(data, NULL, NULL);
    assert_same(data, copy);
    rf_pm_data_free(copy);
    rf_pm_data_free(data);
}

static void test_new_contradictions(void **state)
{
    rf_pm_data *data = make_data(3, NULL), *copy;
    const struct rf_pm_data_info *own = rf_pm_data_get_info(data);
    static const char *const null[] = {NULL}, *const empty[] = {""}, *const space[] = {"a b"};
    struct rf_pm_data_info info;
    size_t size;
    const uint8_t *image = rf_pm_data_image(data, &size);
    (void)state;
#define BAD(field, value)                                                                          \
    info = *own;                                                                                   \
    info.field = value;                                                                            \
    assert_status(RF_PM_ERR_ARGUMENT, rf_pm_data_new(&info, image, size, &copy, &err));            \
    assert_null(copy);
    BAD(n_completed, 4)
    BAD(n_populated, 2)
    BAD(n_total, 2)
    BAD(n_total, SIZE_MAX)
    BAD(start_ns, NULL)
    BAD(end_ns, NULL)
    BAD(chip, NULL)
    BAD(chip, "")
    BAD(chip, "a chip with a very long name, too long")
    BAD(n_metrics, 0)
    BAD(n_metrics, 65536)
    BAD(metrics, NULL)
    BAD(metrics, null)
    BAD(metrics, empty)
    BAD(metrics, space)
    BAD(single_pass_set, "")
#undef BAD
    rf_pm_data_free(data);
}

static void test_new_image(void **state)
{
    rf_pm_data *data = make_data(3, NULL), *copy;
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    size_t size;
    const uint8_t *image = rf_pm_data_image(data, &size);
    uint8_t *changed = malloc(size + 8);
    (void)state;
    for (size_t i = 0; i < size; i++) {
        memcpy(changed, image, size);
        changed[i] ^= 0x10;
        assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, changed, size, &copy, &err));
    }
    memcpy(changed, image, size);
    assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, changed, size - 1, &copy, &err));
    assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, changed + 1, size - 1, &copy, &err));
    assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, changed, size - 40, &copy, &err));
    assert_says("a seal"); /* CUPTI's bytes without ours */
    assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, changed, 10, &copy, &err));
    assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, changed, 0, &copy, &err));
    assert_status(RF_PM_ERR_DATA, rf_pm_data_new(info, NULL, 100, &copy, &err));
    free(changed);
    rf_pm_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PM_TEST(test_round_trip),     PM_TEST(test_set_and_flags), PM_TEST(test_damage),
        PM_TEST(test_contradictions), PM_TEST(test_lazy),          PM_TEST(test_wrong_names),
        PM_TEST(test_later_cupti),    PM_TEST(test_new),           PM_TEST(test_new_contradictions),
        PM_TEST(test_new_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
