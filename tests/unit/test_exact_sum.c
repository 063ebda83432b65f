/* SPDX-License-Identifier: Apache-2.0 */
/* Sums without rounding: the same digits in every order and grouping, and what they come to. */
#include <float.h>
#include <math.h>

#include "model/sums/exact_sum.h"
#include "unit.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* Of every size and both signs: among them the smallest and the largest there are. */
static struct rf_exact_number a_number(void)
{
    const uint64_t bits = dice(1u << 31) << 33 ^ dice(1u << 31) << 11 ^ dice(1u << 31);
    double real;
    switch (dice(6)) {
    case 0:
        return rf_exact_of_whole((int64_t)bits >> dice(64));
    case 1:
        return rf_exact_of_whole((__int128)(UINT64_MAX - (bits >> dice(64))));
    case 2:
        return rf_exact_of_real(dice(2) > 0 ? DBL_MAX : -DBL_MAX);
    case 3:
        return rf_exact_of_real(ldexp(dice(2) > 0 ? 1 : -1, -1074));
    default:
        memcpy(&real, &bits, sizeof(real));
        return rf_exact_of_real(isfinite(real) ? real : 0.1);
    }
}

static void check_same(const struct rf_exact_sum *a, const struct rf_exact_sum *b)
{
    for (int i = 0; i < RF_EXACT_DIGITS; i++)
        assert_int_equal(a->digit[i], b->digit[i]);
}

/* All digits have the sign of the sum, and are below 2^32. */
static void check_form(const struct rf_exact_sum *sum)
{
    const int sign = rf_exact_sign(sum);
    for (int i = 0; i < RF_EXACT_DIGITS; i++) {
        const int64_t digit = sum->digit[i] * sign;
        assert_true(digit >= 0 && digit < INT64_C(1) << 32);
        assert_true(sign != 0 || sum->digit[i] == 0);
    }
}

/* Numbers one after the other, and backwards in groups. */
static void test_order(void **state)
{
    enum { N = 500 };
    static struct rf_exact_number number[N];
    (void)state;
    for (seed = 1; seed < 60; seed++) {
        const uint64_t round = seed;
        struct rf_exact_sum all = {.n_added = 0}, group = {.n_added = 0}, joined = {.n_added = 0};
        for (int i = 0; i < N; i++) {
            number[i] = a_number();
            rf_exact_add(&all, &number[i], 1);
        }
        for (int i = N; i-- > 0;) {
            rf_exact_add(&group, &number[i], 1);
            if (i > 0 && dice(20) > 0)
                continue;
            rf_exact_settle(&group);
            check_form(&group);
            for (unsigned k = 0; k < RF_EXACT_DIGITS; k++)
                rf_exact_add_digit(&joined, k, group.digit[k]);
            group = (struct rf_exact_sum){.n_added = 0};
        }
        rf_exact_settle(&all);
        rf_exact_settle(&joined);
        check_same(&all, &joined);
        check_form(&all);
        for (int i = 0; i < N; i++)
            rf_exact_subtract(&all, &number[i], 1);
        rf_exact_settle(&all);
        assert_int_equal(rf_exact_sign(&all), 0);
        seed = round;
    }
}

/* Against integers of 128 bits: values are multiples of 2^-40 below 2^50. */
static void test_values(void **state)
{
    (void)state;
    for (seed = 1; seed < 200; seed++) {
        const uint64_t round = seed, n = dice(300) + 1;
        struct rf_exact_sum sum = {.n_added = 0};
        __int128 expected = 0, whole;
        for (uint64_t i = 0; i < n; i++) {
            const int64_t units =
                (int64_t)(dice(1u << 31) << 22 ^ dice(1u << 31)) - ((int64_t)1 << 52);
            const uint64_t times = dice(3) > 0 ? 1 : dice(1u << 20);
            const struct rf_exact_number number = dice(2) > 0
                                                      ? rf_exact_of_real(ldexp((double)units, -40))
                                                      : rf_exact_of_whole(units >> 12);
            expected +=
                (number.is_whole ? (__int128)(units >> 12) * ((__int128)1 << 40) : units) * times;
            rf_exact_add(&sum, &number, times);
        }
        rf_exact_settle(&sum);
        assert_int_equal(rf_exact_sign(&sum), (expected > 0) - (expected < 0));
        assert_true(rf_exact_mean(&sum, 1) == ldexp((double)expected, -40));
        const bool is_whole = expected % ((__int128)1 << 40) == 0;
        assert_int_equal(rf_exact_whole(&sum, &whole), is_whole);
        if (is_whole)
            assert_true(whole == expected / ((__int128)1 << 40));
        seed = round;
    }
}

static double mean_of(const double *value, size_t n, uint64_t by)
{
    struct rf_exact_sum sum = {.n_added = 0};
    for (size_t i = 0; i < n; i++) {
        const struct rf_exact_number number = rf_exact_of_real(value[i]);
        rf_exact_add(&sum, &number, 1);
    }
    rf_exact_settle(&sum);
    return rf_exact_mean(&sum, by);
}

static void test_ends(void **state)
{
    const struct rf_exact_number most = rf_exact_of_real(DBL_MAX),
                                 least = rf_exact_of_real(ldexp(1, -1074));
    struct rf_exact_sum sum = {.n_added = 0};
    __int128 whole;
    (void)state;
    assert_true(mean_of((double[]){1e300, 1, -1e300}, 3, 1) == 1);
    assert_true(mean_of((double[]){DBL_MAX, DBL_MAX}, 2, 2) == DBL_MAX);
    assert_true(isinf(mean_of((double[]){DBL_MAX, DBL_MAX}, 2, 1)));
    assert_true(mean_of((double[]){0x1p-1074, 0x1p-1074}, 2, 1) == 0x1p-1073);
    assert_true(mean_of((double[]){0x1p53, 1, 0x1p-1074}, 3, 1) == 0x1p53 + 2); /* not the even */
    assert_true(mean_of((double[]){0x1p53, 1}, 2, 1) == 0x1p53);
    assert_true(!signbit(mean_of((double[]){-0.0}, 1, 1)));
    rf_exact_add(&sum, &most, INT64_MAX); /* as many as can be counted */
    rf_exact_add(&sum, &least, INT64_MAX);
    rf_exact_settle(&sum);
    check_form(&sum);
    assert_true(rf_exact_mean(&sum, INT64_MAX) == DBL_MAX);
    assert_false(rf_exact_whole(&sum, &whole));
    rf_exact_subtract(&sum, &most, INT64_MAX);
    rf_exact_settle(&sum);
    assert_true(rf_exact_mean(&sum, INT64_MAX) == ldexp(1, -1074));
}

static void check_order(struct rf_exact_number a, struct rf_exact_number b, int order)
{
    assert_int_equal(rf_exact_compare(&a, &b), order);
    assert_int_equal(rf_exact_compare(&b, &a), -order);
}

static void test_compare(void **state)
{
    const __int128 big = ((__int128)1 << 53) + 1; /* no double */
    (void)state;
    check_order(rf_exact_of_whole(big), rf_exact_of_whole(big + 1), -1);
    check_order(rf_exact_of_whole(big), rf_exact_of_real(0x1p53), 1);
    check_order(rf_exact_of_whole(big), rf_exact_of_real(0x1p53 + 2), -1);
    check_order(rf_exact_of_whole(-big), rf_exact_of_real(-0x1p53), -1);
    check_order(rf_exact_of_whole(3), rf_exact_of_real(3.5), -1);
    check_order(rf_exact_of_whole(-3), rf_exact_of_real(-3.5), 1);
    check_order(rf_exact_of_whole(UINT64_MAX), rf_exact_of_real(1e300), -1);
    check_order(rf_exact_of_whole(INT64_MIN), rf_exact_of_real(-1e300), 1);
    check_order(rf_exact_of_whole(5), rf_exact_of_real(5), -1); /* the integer first */
    check_order(rf_exact_of_real(-0.0), rf_exact_of_real(0.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_ends), cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
