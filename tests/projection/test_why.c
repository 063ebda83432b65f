/* SPDX-License-Identifier: Apache-2.0 */
/* What made instances of a range slow: causes that were planted are named, and nothing else is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_recording.h"
#include "planted_program.h"
#include "model/recording.h"
#include "rangefinder/why.h"

#define N_SEEDS 100

static rf_why *why_of(const rf_recording *rec, struct rf_why_verdict *verdict)
{
    rf_why *why = NULL;
    assert_int_equal(rf_why_new("step", &why, NULL), RF_OK);
    assert_int_equal(rf_why_add(why, rec, "run.rf", NULL), RF_OK);
    *verdict = (struct rf_why_verdict)RF_WHY_VERDICT_INIT;
    assert_int_equal(rf_why_find(why, verdict, NULL), RF_OK);
    return why;
}

/* ---- Planted causes ---- */

/* Whether the first cause, and the only one, is the planted one. */
static bool is_named(enum planted_cause cause, uint64_t seed, int part, const char *path,
                     const char *work)
{
    struct planted_program p = planted_run(cause, seed, 0.03);
    struct rf_why_verdict verdict;
    struct rf_why_cause first = RF_WHY_CAUSE_INIT, second = RF_WHY_CAUSE_INIT;
    rf_why *why = why_of(p.rec, &verdict);
    bool is_right = verdict.outcome == RF_WHY_CAUSED && rf_why_cause_at(why, 0, &first) == RF_OK &&
                    first.part == part && strcmp(first.path, path) == 0 &&
                    strcmp(first.work, work) == 0 && first.chance < RF_WHY_CHANCE &&
                    first.share > 60;
    if (rf_why_cause_at(why, 1, &second) == RF_OK && second.chance < RF_WHY_CHANCE)
        is_right = false;
    rf_why_free(why);
    built_free(p.rec);
    return is_right;
}

static void expect_named(enum planted_cause cause, int part, const char *path, const char *work)
{
    int n = 0;
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++)
        n += is_named(cause, seed, part, path, work);
    print_message("cause %d, '%s': named in %d of %d\n", (int)cause, path, n, N_SEEDS);
    assert_true(n >= N_SEEDS * 95 / 100);
}

static void test_planted(void **state)
{
    (void)state;
    expect_named(PLANTED_SLOW_CHILD, RF_WHY_SELF, "load > read", "");
    expect_named(PLANTED_LAUNCH_GAP, RF_WHY_GAP, "forward", "");
    expect_named(PLANTED_LATE_COPY, RF_WHY_CALL, "", "memcpy");
    expect_named(PLANTED_GPU_SLOW, RF_WHY_CALL, "", "memcpy");
    expect_named(PLANTED_LOCK, RF_WHY_MORE, "wait for the lock", "");
    expect_named(PLANTED_MORE_LAYERS, RF_WHY_MORE, "forward > layer", "");
}

/* ---- Nothing to name ---- */

static void expect_nothing(enum planted_cause cause, double how_noisy)
{
    int n = 0, n_runs = 200;
    for (int seed = 1; seed <= n_runs; seed++) {
        struct planted_program p = planted_run(cause, (uint64_t)seed, how_noisy);
        struct rf_why_verdict verdict;
        rf_why *why = why_of(p.rec, &verdict);
        n += verdict.outcome == RF_WHY_ALIKE || verdict.outcome == RF_WHY_UNEXPLAINED;
        rf_why_free(why);
        built_free(p.rec);
    }
    print_message("noise of %.2f, kind %d: nothing named in %d of %d\n", how_noisy, (int)cause, n,
                  n_runs);
    assert_true(n >= n_runs * 95 / 100);
}

static void test_clean(void **state)
{
    (void)state;
    expect_nothing(PLANTED_NOTHING, 0.01);
    expect_nothing(PLANTED_NOTHING, 0.1);
    expect_nothing(PLANTED_NOTHING, 0.3);
    expect_nothing(PLANTED_PREEMPTED, 0.02);
    expect_nothing(PLANTED_GPU_BOUND, 0.01);
    expect_nothing(PLANTED_GPU_BOUND, 0.1);
    expect_nothing(PLANTED_GPU_BOUND, 0.3);
}

/* ---- What is said ---- */

/* The parts of an instance add up to its duration: so do those of all, whatever crosses. */
static void test_texts(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101), domain = built_domain(rec, 0, 1, "io");
    struct rf_why_verdict verdict;
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    struct rf_why_instance instance = RF_WHY_INSTANCE_INIT;
    static const char *const names[] = {"step 7", "step 8", "step 9"};
    int64_t at = -5000;
    (void)state;
    for (int i = 0; i < 30; i++) {
        int64_t more = i % 3 == 1 && i > 20 ? 1000 : 0;
        (void)built_range(rec, t, at, at + 200 + i % 2 + more, 0, names[i % 3]);
        (void)built_range(rec, t, at + 10, at + 30 + more, domain, i % 2 ? "op_17" : "op_18");
        at += 300 + more;
    }
    rf_why *why = NULL;
    assert_int_equal(rf_why_new("step 8", &why, NULL), RF_OK);
    assert_int_equal(rf_why_add(why, rec, "run.rf", NULL), RF_OK);
    verdict = (struct rf_why_verdict)RF_WHY_VERDICT_INIT;
    assert_int_equal(rf_why_find(why, &verdict, NULL), RF_OK);
    assert_int_equal(verdict.outcome, RF_WHY_CAUSED);
    assert_int_equal(verdict.n_instances, 30);
    assert_int_equal(verdict.n_slow, 3);
    assert_int_equal(verdict.n_explained, 3);
    assert_int_equal(verdict.n_causes, 1);
    assert_int_equal(rf_why_cause_at(why, 0, &cause), RF_OK);
    assert_int_equal(cause.part, RF_WHY_SELF);
    assert_string_equal(cause.path, "io:op_#");
    assert_int_equal(cause.ns, 1020);
    assert_int_equal(cause.typical_ns, 20);
    assert_int_equal(rf_why_instance_at(why, 0, &instance), RF_OK);
    assert_string_equal(instance.input, "run.rf");
    assert_int_equal(instance.cause, 0);
    assert_string_equal(instance.view, "step 8@/8");
    assert_int_equal(rf_why_instance_at(why, 3, &instance), RF_ERR_USAGE);
    assert_int_equal(rf_why_cause_at(why, 1, &cause), RF_ERR_USAGE);
    assert_int_equal(rf_why_add(why, rec, "run.rf", NULL), RF_ERR_USAGE);
    rf_why_free(why);
    built_free(rec);
}

/* Several recordings, none with enough instances; one without the range. */
static void test_several(void **state)
{
    rf_why *why = NULL;
    struct rf_why_verdict verdict = RF_WHY_VERDICT_INIT;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_why_new("step", &why, NULL), RF_OK);
    for (int run = 0; run < 3; run++) {
        rf_recording *rec = built_new();
        uint32_t t = built_thread(rec, 0, 101);
        for (int i = 0; i < 3; i++)
            (void)built_range(rec, t, 100 * i, 100 * i + 50 + i, 0, run < 2 ? "step" : "other");
        assert_int_equal(rf_why_add(why, rec, "run.rf", &err), run < 2 ? RF_OK : RF_ERR_NOT_FOUND);
        built_free(rec);
    }
    assert_int_equal(rf_why_find(why, &verdict, NULL), RF_OK);
    assert_int_equal(verdict.outcome, RF_WHY_TOO_FEW);
    assert_int_equal(verdict.n_instances, 6);
    rf_why_free(why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
