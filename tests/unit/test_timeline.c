/* SPDX-License-Identifier: Apache-2.0 */
/* Clock ticks to nanoseconds. */
#include <math.h>

#include "unit.h"

#include "model/load/timeline.h"

static struct rf_log *new_log(void)
{
    struct rf_log *log = calloc(1, sizeof(*log));
    assert_non_null(log);
    log->control.is_finished = 1;
    return log;
}

static void add_pair(struct rf_log *log, size_t i, uint64_t ticks, int64_t mono_ns)
{
    log->control.clock[i] = (struct rf_clock_pair){ticks, mono_ns, 0, mono_ns / 2 + 1000000};
}

static int64_t ns_at(const struct rf_timeline *timeline, uint64_t ticks)
{
    size_t hint = 0;
    return rf_timeline_ns(timeline, &hint, ticks);
}

static void test_lines(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    (void)state;
    /* 3 GHz for one second, then 2 GHz for another; out of order in the page */
    add_pair(log, 200, 1000, 5000);
    add_pair(log, 7, 1000 + 3000000000, 5000 + 1000000000);
    add_pair(log, 9, 1000 + 5000000000, 5000 + 2000000000);
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(t.n_lines, 2);
    assert_int_equal(t.epoch_mono_ns, 5000);
    assert_int_equal(t.epoch_real_ns, 1002500);
    assert_int_equal(t.last_pair_ns, 2000000000);
    assert_int_equal(ns_at(&t, 1000), 0);
    assert_int_equal(ns_at(&t, 1000 + 3000000000), 1000000000);
    assert_int_equal(ns_at(&t, 1000 + 4000000000), 1500000000);
    /* within one ns of the exact value, also outside */
    assert_true(llabs(ns_at(&t, 1000 + 1500000000) - 500000000) <= 1);
    assert_true(llabs(ns_at(&t, 1000 + 7000000000) - 3000000000) <= 1);
    assert_true(llabs(ns_at(&t, 400) + 200) <= 1);
    assert_true(t.hz > 2499999999.0 && t.hz < 2500000001.0);
    rf_timeline_release(&t);
    free(log);
}

static void test_monotone(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    int64_t last = INT64_MIN;
    size_t hint = 0;
    (void)state;
    for (size_t i = 0; i < RF_MAX_CLOCKS; i++) /* every half second, a little off each time */
        add_pair(log, i, 777 + i * 1300000000, (int64_t)(i * 500000000 + i * i % 97));
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(t.n_lines, RF_MAX_CLOCKS - 1);
    for (uint64_t i = 0; i < 400000; i++) {
        uint64_t ticks = i * 999983 / 1;
        int64_t ns = rf_timeline_ns(&t, &hint, ticks);
        assert_true(ns >= last);
        assert_int_equal(ns, ns_at(&t, ticks));
        last = ns;
    }
    rf_timeline_release(&t);
    free(log);
}

/* Pairs that are close together are thinned; those that contradict the others are left out. */
static void test_bad_pairs(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    (void)state;
    add_pair(log, 0, 1000, 1000);
    add_pair(log, 1, 1500, 1200); /* 200 ns later: not used */
    add_pair(log, 2, 1000000000, 500000000);
    add_pair(log, 3, 1000000001, 400000000); /* backwards */
    add_pair(log, 4, 2000000000, 500000000); /* stands still */
    add_pair(log, 5, 2000000000, INT64_MAX);
    add_pair(log, 6, UINT64_MAX, 900000000);
    log->control.clock[7] = (struct rf_clock_pair){5, 5, 5, 0}; /* not valid */
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(t.epoch_mono_ns, 1000);
    assert_int_equal(t.line[1].ticks, 1000000000);
    assert_int_equal(ns_at(&t, 1000), 0);
    assert_int_equal(ns_at(&t, 1000000000), 499999000);
    (void)ns_at(&t, UINT64_MAX);
    (void)ns_at(&t, 0);
    rf_timeline_release(&t);
    free(log);
}

static void test_extreme_pairs(void **state)
{
    static const uint64_t ticks[] = {0, 1, 2, 1ULL << 32, 1ULL << 62, 1ULL << 63, UINT64_MAX};
    (void)state;
    for (size_t a = 0; a < 7; a++) {
        for (size_t b = 0; b < 7; b++) {
            struct rf_log *log = new_log();
            struct rf_timeline t;
            add_pair(log, 0, ticks[a], a % 2 ? INT64_MIN : 3);
            add_pair(log, 1, ticks[b], b % 2 ? (int64_t)1 << 59 : 20000000);
            assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
            for (size_t i = 0; i < 7; i++) {
                int64_t ns = ns_at(&t, ticks[i]);
                assert_true(ns >= -RF_TIMELINE_MAX && ns <= RF_TIMELINE_MAX);
            }
            rf_timeline_release(&t);
            free(log);
        }
    }
}

/* One pair, or none: the parts' own pairs give the rate. */
static void test_part_pairs(void **state)
{
    (void)state;
    for (int n_pairs = 0; n_pairs < 2; n_pairs++) {
        struct rf_log *log = new_log();
        struct rf_timeline t;
        struct rf_log_part part[3] = {{.ticks = 4000, .mono_ns = 2000},
                                      {.ticks = 6000000, .mono_ns = 3000000},
                                      {.ticks = 5000000, .mono_ns = 0}};
        log->part = part;
        log->n_parts = 3;
        if (n_pairs == 1)
            add_pair(log, 0, 2000, 1000);
        assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
        assert_int_equal(t.epoch_mono_ns, n_pairs == 1 ? 1000 : 2000);
        assert_int_equal(ns_at(&t, 6000000), n_pairs == 1 ? 2999000 : 2998000);
        rf_timeline_release(&t);
        free(log);
    }
}

/* The session's command line was killed early; the program ran on for long. */
static void test_far_parts(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    struct rf_log_part part = {.ticks = 7200000000000, .mono_ns = 3600000000000};
    (void)state;
    log->part = &part;
    log->n_parts = 1;
    add_pair(log, 0, 0, 0);
    add_pair(log, 1, 40000040, 20000000); /* one millionth off */
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_true(llabs(ns_at(&t, 7200000000000) - 3600000000000) <= 1);
    assert_int_equal(t.last_pair_ns, 20000000);
    rf_timeline_release(&t);
    free(log);
}

/* A clock that is set twice while the counter goes on: the jumps are not in the times. */
static void test_steps(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        int64_t set_ns = (i >= 5 ? 3600000000000 : 0) - (i >= 12 ? 40000000 : 0);
        add_pair(log, i, i * 2000000000, (int64_t)i * 1000000000 + set_ns);
    }
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(t.n_steps, 2);
    assert_true(llabs(t.step_ns - 3599960000000) <= 2);
    assert_true(llabs(ns_at(&t, 19 * 2000000000ULL) - 19000000000) <= 2);
    assert_true(llabs(t.last_pair_ns - 19000000000) <= 2);
    assert_true(t.hz > 1999999999.0 && t.hz < 2000000001.0);
    rf_timeline_release(&t);
    free(log);
}

/* Clocks as libfaketime makes them up for the command line: they begin at the epoch of UTC. */
static void test_faked(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    (void)state;
    add_pair(log, 0, 1000, 1795000000000000000);
    add_pair(log, 1, 1000 + 4200000000, 1795000002000000000);
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(t.last_pair_ns, 2000000000);
    assert_true(llabs(ns_at(&t, 1000 + 2100000000) - 1000000000) <= 1);
    rf_timeline_release(&t);
    free(log);
}

/* Counters as machines have them, those of aarch64 among them: six days with a pair in 40 minutes
 * are exact to a tick and what the rate is rounded by, whether the counter is young or has run for
 * years, and later never comes before earlier. */
static void test_frequencies(void **state)
{
    static const uint64_t hz[] = {1000000,  19200000,  24000000,   25000000,  31250000,
                                  54000000, 100000000, 1000000000, 2899999000};
    (void)state;
    for (size_t i = 0; i < sizeof(hz) / sizeof(hz[0]); i++)
        for (uint64_t epoch = 0; epoch <= hz[i] * 100000000; epoch += hz[i] * 50000000) {
            const double tick_ns = 1e9 / (double)hz[i];
            struct rf_log *log = new_log();
            struct rf_timeline t;
            int64_t before = INT64_MIN;
            size_t hint = 0;
            for (size_t k = 0; k < 200; k++)
                add_pair(log, k, epoch + hz[i] * 2400 * k, 3000 + 2400000000000 * (int64_t)k);
            assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
            assert_true(fabs(t.hz - (double)hz[i]) < 1);
            for (uint64_t k = 0; k < 1000; k++) {
                const uint64_t ticks = hz[i] * 480 * k + k % 7;
                const int64_t ns = rf_timeline_ns(&t, &hint, epoch + ticks);
                assert_true(ns >= before);
                assert_true(fabs((double)ns - (double)ticks * tick_ns) <= fmax(tick_ns, 1) + 4);
                before = ns;
            }
            rf_timeline_release(&t);
            free(log);
        }
}

/* A program in another time namespace: its pairs, and those of its parts, are not the session's. */
static void test_namespace(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    struct rf_log_part part = {.ticks = 60000000000, .mono_ns = 1030000000000};
    (void)state;
    log->part = &part;
    log->n_parts = 1;
    for (size_t i = 0; i < 4; i++) {
        log->control.clock[i] = (struct rf_clock_pair){i * 2000000000, (int64_t)i * 1000000000, 0,
                                                       (int64_t)i * 1000000000 + 5000};
        log->control.quality[i].status = RF_CLOCK_TAKEN;
    }
    log->control.clock[9] = (struct rf_clock_pair){3000000000, 1001500000000, 0, 1500005000};
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(t.n_lines, 3);
    assert_int_equal(t.n_steps, 0);
    assert_true(llabs(ns_at(&t, 60000000000) - 30000000000) <= 1);
    rf_timeline_release(&t);
    free(log);
}

static uint64_t dice(void)
{
    static uint64_t seed = 11;
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed ^ seed >> 29) * 0x9e3779b97f4a7c15ULL;
}

/* The short way says what the long one does, from any line. Returns whether it was taken. */
static bool check_ways(const struct rf_timeline *t, uint64_t ticks)
{
    bool is_short = false;
    for (size_t line = 0; line < t->n_lines; line++) {
        size_t hint = line, other = line;
        assert_int_equal(rf_timeline_ns(t, &hint, ticks), rf_timeline_any_ns(t, &other, ticks));
        assert_int_equal(hint, other);
        is_short |= ticks - t->line[line].ticks < t->line[line].n_plain;
    }
    return is_short;
}

static void check_ends(const struct rf_timeline *t)
{
    for (size_t line = 0; line < t->n_lines; line++)
        for (uint64_t off = 0; off < 5; off++) {
            (void)check_ways(t, t->line[line].ticks + off - 2);
            (void)check_ways(t, t->line[line].ticks + t->line[line].n_plain + off - 2);
            (void)check_ways(t, t->line[line].ticks + (1ULL << 63) + off - 2);
        }
}

static void test_short_way(void **state)
{
    int n_short = 0, n_long = 0;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct rf_log *log = new_log();
        struct rf_timeline t;
        const uint64_t tick_shift = dice() % 60, ns_shift = 3 + dice() % 57;
        const size_t n_pairs = 1 + dice() % 6;
        for (size_t i = 0; i < n_pairs; i++)
            add_pair(log, i, dice() >> tick_shift, (int64_t)(dice() >> ns_shift));
        assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
        if (round % 2 == 0)
            rf_timeline_stretch(&t, 1e-3 * (double)(dice() % 100));
        check_ends(&t);
        for (int i = 0; i < 50; i++) {
            const bool is_short = check_ways(&t, dice() >> dice() % 64);
            n_short += is_short;
            n_long += !is_short;
        }
        rf_timeline_release(&t);
        free(log);
    }
    assert_true(n_short > 1000 && n_long > 1000);
}

static void test_no_clock(void **state)
{
    struct rf_log *log = new_log();
    struct rf_timeline t;
    (void)state;
    assert_int_equal(rf_timeline_init(&t, log, NULL), 0);
    assert_int_equal(ns_at(&t, 12345), 12345);
    assert_int_equal(t.is_same_boot, 0);
    rf_timeline_release(&t);
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_bad_pairs),   cmocka_unit_test(test_extreme_pairs),
        cmocka_unit_test(test_part_pairs),  cmocka_unit_test(test_far_parts),
        cmocka_unit_test(test_no_clock),    cmocka_unit_test(test_steps),
        cmocka_unit_test(test_faked),       cmocka_unit_test(test_namespace),
        cmocka_unit_test(test_frequencies), cmocka_unit_test(test_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
