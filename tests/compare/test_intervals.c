/* SPDX-License-Identifier: Apache-2.0 */
/* Student's distribution against values of tables, and the intervals against what they promise: how
 * often they hold the ratio, and what is found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run_noise.h"
#include "stats/compare/compare_judge.h"
#include "stats/compare/run_interval.h"
#include "stats/compare/students_t.h"

#define assert_near(is, should, within) assert_true(fabs((is) - (should)) <= (within))

/* ---- Student's t ---- */

static void test_table(void **state)
{
    static const struct {
        double probability, freedom, t;
    } known[] = {
        {0.025, 1, 12.706204736432095}, {0.025, 2, 4.302652729911275},
        {0.025, 3, 3.182446305284263},  {0.025, 4, 2.776445105197793},
        {0.025, 5, 2.570581835636314},  {0.025, 10, 2.2281388519649385},
        {0.025, 30, 2.042272456301238}, {0.025, 100, 1.9839715184496334},
        {0.005, 4, 4.604094871415897},  {0.0005, 4, 8.610301581379149},
        {0.05, 8, 1.8595480375228424},  {0.025, 1000, 1.9623390808264078},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const double t = rf_students_t_exceeded(known[i].probability, known[i].freedom);
        assert_near(t, known[i].t, 1e-8 * known[i].t);
        assert_near(rf_students_t_below(t, known[i].freedom), 1 - known[i].probability, 1e-11);
        assert_near(rf_students_t_below(-t, known[i].freedom), known[i].probability, 1e-11);
    }
}

/* Where the distribution has a plain form. */
static void test_closed_forms(void **state)
{
    const double pi = 3.141592653589793;
    (void)state;
    for (double t = -30; t <= 30; t += 0.37) {
        assert_near(rf_students_t_below(t, 1), 0.5 + atan(t) / pi, 1e-12);
        assert_near(rf_students_t_below(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-12);
    }
    assert_near(rf_students_t_below(0, 7), 0.5, 0);
    assert_near(rf_students_t_below(1e200, 3), 1, 0);
    assert_near(rf_students_t_below(-1e200, 3), 0, 0);
    assert_near(rf_students_t_below(-1e6, 4), 3 / 16. * 1e-24 * 64 / 2 * 2 / 4, 1e-25);
    for (double freedom = 1; freedom < 60; freedom += 0.7) {
        const double t = rf_students_t_exceeded(0.01, freedom);
        assert_near(rf_students_t_below(t, freedom), 0.99, 1e-11);
    }
}

/* ---- Intervals ---- */

#define N_TRIALS 10000
#define MAX_RUNS 20

struct outcome {
    double held, slower, faster, same; /* of all comparisons */
    double reach;                      /* of the interval, mean */
};

static struct outcome try_out(struct run_noise noise, size_t n, double change)
{
    struct outcome outcome = {0, 0, 0, 0, 0};
    for (int trial = 0; trial < N_TRIALS; trial++) {
        double a[MAX_RUNS], b[MAX_RUNS];
        struct rf_run_interval interval;
        noise_runs(&noise, a, b, n);
        for (size_t i = 0; i < n; i++)
            b[i] += log1p(change);
        rf_run_interval(&interval, a, n, b, n, 0);
        const double reach = rf_run_interval_reach(&interval, RF_COMPARE_MISS);
        const int verdict = (int)rf_compare_judge(&interval, 0.03, true);
        outcome.held += fabs(interval.middle - log1p(change)) <= reach;
        outcome.reach += reach / N_TRIALS;
        outcome.slower += verdict == RF_COMPARE_SLOWER;
        outcome.faster += verdict == RF_COMPARE_FASTER;
        outcome.same += verdict == RF_COMPARE_SAME;
    }
    outcome.held /= N_TRIALS;
    outcome.slower /= N_TRIALS;
    outcome.faster /= N_TRIALS;
    outcome.same /= N_TRIALS;
    return outcome;
}

/* Runs that are log-normal and know nothing of each other: what the interval is made for. */
static void test_coverage(void **state)
{
    static const size_t n_runs[] = {2, 3, 4, 5, 6, 8, 10, 15, 20};
    (void)state;
    for (size_t i = 0; i < sizeof(n_runs) / sizeof(n_runs[0]); i++) {
        const struct run_noise noise = {.seed = 100 + i, .spread = 0.015};
        const struct outcome outcome = try_out(noise, n_runs[i], 0.1);
        print_message(
            "%2zu runs a side: the interval holds the ratio in %.1f %%, reaches %.1f %%\n",
            n_runs[i], 100 * outcome.held, 100 * expm1(outcome.reach));
        assert_true(outcome.held >= 0.945); /* three standard errors below 0.95 */
        assert_true(outcome.held <= 0.98);
    }
}

/* A machine as it is: it drifts, and at times something else disturbs a run. */
static void test_power(void **state)
{
    static const double changes[] = {0, 0.01, 0.05, 0.1, 0.2};
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        const struct run_noise noise = {
            .seed = 200 + i, .spread = 0.015, .follows = 0.5, .disturbed = 0.03};
        const struct outcome outcome = try_out(noise, 5, changes[i]);
        print_message("%4.0f %% slower: found in %.1f %%; interval holds it in %.1f %%\n",
                      100 * changes[i], 100 * outcome.slower, 100 * outcome.held);
        assert_true(outcome.held >= 0.945);
        assert_true(outcome.faster <= 0.001);
        if (changes[i] <= 0.01)
            assert_true(outcome.slower <= 0.01);
        if (changes[i] >= 0.1)
            assert_true(outcome.slower >= 0.95);
    }
}

/* What more runs find. */
static void test_more_runs(void **state)
{
    static const size_t n_runs[] = {5, 10, 15, 20};
    double before = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(n_runs) / sizeof(n_runs[0]); i++) {
        const struct run_noise noise = {
            .seed = 400 + i, .spread = 0.015, .follows = 0.5, .disturbed = 0.03};
        const struct outcome outcome = try_out(noise, n_runs[i], 0.05);
        print_message("5 %% slower, %2zu runs a side: found in %.1f %%\n", n_runs[i],
                      100 * outcome.slower);
        assert_true(outcome.slower > before);
        before = outcome.slower;
    }
    assert_true(before >= 0.9);
}

/* More runs: as many as are said to be missing bring a verdict. */
static void test_needs(void **state)
{
    struct run_noise noise = {.seed = 300, .spread = 0.03};
    double a[MAX_RUNS], b[MAX_RUNS];
    struct rf_run_interval interval;
    (void)state;
    noise_runs(&noise, a, b, 5);
    rf_run_interval(&interval, a, 5, b, 5, 0);
    double before = 1e9;
    for (double distance = 0.005; distance < 0.2; distance *= 1.3) {
        const uint64_t n = rf_run_interval_needs(&interval, distance, RF_COMPARE_MISS, 1000);
        assert_true(n >= 2 && (double)n <= before);
        before = (double)n;
    }
    /* with so many runs that vary as these do, and not with fewer */
    const uint64_t n = rf_run_interval_needs(&interval, 0.01, RF_COMPARE_MISS, 1000);
    assert_true(n > 5 && n < 1000);
    for (uint64_t runs = n - 1; runs <= n; runs++) {
        const double kept = (double)(runs - 2 * (runs / 5));
        const double error =
            1.08 * sqrt(interval.spread * (double)(runs - 1) / (kept - 1) * 2 / kept);
        assert_int_equal(rf_students_t_exceeded(0.025, 2 * kept - 2) * error <= 0.01, runs == n);
    }
    assert_int_equal(rf_run_interval_needs(&interval, 1e-9, RF_COMPARE_MISS, 1000), 0);
    assert_int_equal(rf_run_interval_needs(&interval, 0, RF_COMPARE_MISS, 1000), 0);
}

/* Single runs, equal runs, huge and tiny values. */
static void test_edges(void **state)
{
    struct rf_run_interval interval;
    double one[] = {1}, two[] = {2}, same[] = {3, 3, 3, 3, 3}, also[] = {3, 3, 3, 3, 3};
    double more[] = {4, 4, 4, 4, 4}, wild[] = {-700, 0, 700}, mild[] = {1, 1, 1};
    (void)state;
    rf_run_interval(&interval, one, 1, two, 1, 0);
    assert_near(interval.middle, 1, 0);
    assert_near(interval.freedom, 0, 0);
    assert_int_equal(rf_compare_judge(&interval, 0.03, true), RF_COMPARE_CANNOT_TELL);
    assert_near(rf_run_interval_chance(&interval), 1, 0);
    rf_run_interval(&interval, same, 5, also, 5, 0);
    assert_int_equal(rf_compare_judge(&interval, 0.03, true), RF_COMPARE_SAME);
    assert_near(rf_run_interval_chance(&interval), 1, 0);
    rf_run_interval(&interval, same, 5, more, 5, 0);
    assert_int_equal(rf_compare_judge(&interval, 0.03, true), RF_COMPARE_SLOWER);
    assert_int_equal(rf_compare_judge(&interval, 0.03, false), RF_COMPARE_CANNOT_TELL);
    assert_near(rf_run_interval_chance(&interval), 0, 0);
    rf_run_interval(&interval, more, 5, same, 5, 0);
    assert_int_equal(rf_compare_judge(&interval, 0.03, true), RF_COMPARE_FASTER);
    rf_run_interval(&interval, wild, 3, mild, 3, 0);
    assert_true(isfinite(rf_run_interval_reach(&interval, RF_COMPARE_MISS)));
    assert_true(isfinite(interval.middle));
}

/* The slowest run of five does not matter, however slow it is. */
static void test_disturbed_run(void **state)
{
    double a[] = {0, 0.01, 0.02, 0.03, 0.04}, b[] = {0.1, 0.11, 0.12, 0.13, 0.14};
    double c[] = {0, 0.01, 0.02, 0.03, 9}, d[] = {0.1, 0.11, 0.12, 0.13, 9};
    struct rf_run_interval calm, disturbed;
    (void)state;
    rf_run_interval(&calm, a, 5, b, 5, 0);
    rf_run_interval(&disturbed, c, 5, d, 5, 0);
    assert_near(calm.middle, disturbed.middle, 1e-12);
    assert_near(calm.error, disturbed.error, 1e-12);
    assert_int_equal(rf_compare_judge(&disturbed, 0.03, true), RF_COMPARE_SLOWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),     cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_coverage),  cmocka_unit_test(test_power),
        cmocka_unit_test(test_more_runs), cmocka_unit_test(test_needs),
        cmocka_unit_test(test_edges),     cmocka_unit_test(test_disturbed_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
