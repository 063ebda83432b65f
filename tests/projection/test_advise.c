/* SPDX-License-Identifier: Apache-2.0 */
/* What would make a program faster: causes that were planted are found, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_recording.h"
#include "model/recording.h"
#include "planted_program.h"
#include "rangefinder/advise.h"

#define N_SEEDS 100

static rf_advice *advice_of(const rf_recording *rec, size_t *n)
{
    rf_advice *advice = NULL;
    assert_int_equal(rf_advice_new(&advice, NULL), RF_OK);
    assert_int_equal(rf_advice_add(advice, rec, "it's.rf", NULL), RF_OK);
    assert_int_equal(rf_advice_find(advice, n, NULL), RF_OK);
    return advice;
}

/* A GPU that is never idle, beside what the program does. */
static void keep_busy(struct planted_program *p)
{
    uint32_t launcher = built_thread(p->rec, 0, 102);
    for (int64_t at = 0; at < p->at; at += 100000) {
        uint32_t call = built_call(p->rec, launcher, at, at + 5000);
        (void)built_op(p->rec, RF_OP_KERNEL, at + 50000, at + 149000, launcher, call, "gemm");
    }
    p->rec->track[0].n_ops = (uint32_t)p->rec->n_ops;
}

/* ---- Planted causes ---- */

static bool is_found(enum planted_cause cause, uint64_t seed, const char *where)
{
    struct planted_program p = planted_run(cause, seed, 0.03);
    struct rf_finding finding = RF_FINDING_INIT;
    size_t n = 0;
    keep_busy(&p);
    rf_advice *advice = advice_of(p.rec, &n);
    bool is_right = n == 1 && rf_advice_finding_at(advice, 0, &finding) == RF_OK &&
                    strcmp(finding.id, "slow-instances") == 0 &&
                    strstr(finding.title, where) != NULL && finding.gain_ns > 0 &&
                    finding.gain_ns < finding.of_ns;
    rf_advice_free(advice);
    built_free(p.rec);
    return is_right;
}

static void expect_found(enum planted_cause cause, const char *where)
{
    int n = 0;
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++)
        n += is_found(cause, seed, where);
    print_message("cause %d, '%s': found, and nothing else, in %d of %d\n", (int)cause, where, n,
                  N_SEEDS);
    assert_true(n >= N_SEEDS * 95 / 100);
}

static void test_planted(void **state)
{
    (void)state;
    expect_found(PLANTED_SLOW_CHILD, "in 'load > read' itself");
    expect_found(PLANTED_LAUNCH_GAP, "before 'forward'");
    expect_found(PLANTED_LATE_COPY, "called in it directly");
    expect_found(PLANTED_GPU_SLOW, "called in it directly");
    expect_found(PLANTED_LOCK, "in 'wait for the lock'");
    expect_found(PLANTED_MORE_LAYERS, "in 'forward > layer'");
}

static void expect_nothing(enum planted_cause cause, double how_noisy)
{
    int n_silent = 0, n_runs = 200;
    for (int seed = 1; seed <= n_runs; seed++) {
        struct planted_program p = planted_run(cause, (uint64_t)seed, how_noisy);
        size_t n = 0;
        keep_busy(&p);
        rf_advice_free(advice_of(p.rec, &n));
        built_free(p.rec);
        n_silent += n == 0;
    }
    print_message("noise of %.2f, kind %d: silent in %d of %d\n", how_noisy, (int)cause, n_silent,
                  n_runs);
    assert_true(n_silent >= n_runs * 95 / 100);
}

static void test_clean(void **state)
{
    (void)state;
    expect_nothing(PLANTED_NOTHING, 0.01);
    expect_nothing(PLANTED_NOTHING, 0.1);
    expect_nothing(PLANTED_NOTHING, 0.3);
    expect_nothing(PLANTED_PREEMPTED, 0.02);
}

/* ---- GPUs: 100 pieces of work, which take 60 of every 100 us ---- */

/* The call of a piece begins so long before it. */
static rf_recording *gpu_program(int kind, int64_t work_ns, int64_t before_ns, const char *name)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    for (int64_t at = 100000; at < 10100000; at += 100000) {
        uint32_t call = built_call(rec, t, at - before_ns, at - before_ns + 1000);
        (void)built_op(rec, kind, at, at + work_ns, t, call, name);
    }
    rec->track[0].n_ops = (uint32_t)rec->n_ops;
    return rec;
}

static void expect_ids(rf_recording *rec, const char *ids)
{
    struct rf_finding finding = RF_FINDING_INIT;
    size_t n = 0;
    char all[256] = "";
    rf_advice *advice = advice_of(rec, &n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rf_advice_finding_at(advice, i, &finding), RF_OK);
        assert_true(finding.gain_ns <= finding.of_ns);
        assert_non_null(strstr(finding.command, "'it'\\''s.rf'"));
        (void)strncat(all, finding.id, sizeof(all) - strlen(all) - 1);
        (void)strncat(all, " ", sizeof(all) - strlen(all) - 1);
    }
    assert_string_equal(all, ids);
    assert_int_equal(rf_advice_finding_at(advice, n, &finding), RF_ERR_USAGE);
    rf_advice_free(advice);
    built_free(rec);
}

static void test_gpus(void **state)
{
    (void)state;
    expect_ids(gpu_program(RF_OP_KERNEL, 60000, 39000, "gemm"), "gpu-waits-for-launches ");
    expect_ids(gpu_program(RF_OP_KERNEL, 60000, 1000, "gemm"), "gpu-waits-for-host ");
    expect_ids(gpu_program(RF_OP_KERNEL, 60000, 90000, "gemm"), "");
    expect_ids(gpu_program(RF_OP_KERNEL, 99000, 1000, "gemm"), "");
    expect_ids(gpu_program(RF_OP_MEMCPY, 99000, 1000, NULL), "exposed-copies ");
    expect_ids(gpu_program(RF_OP_KERNEL, 99000, 1000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
               "exposed-communication ");
}

static void test_tiny_ranges(void **state)
{
    (void)state;
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    for (int64_t i = 0; i < 40000; i++)
        (void)built_range(rec, t, 100 * i, 100 * i + 90, 0, "tiny");
    expect_ids(rec, "tiny-ranges ");
    rec = built_new();
    t = built_thread(rec, 0, 101);
    for (int64_t i = 0; i < 1000; i++) /* they take 30 us in all */
        (void)built_range(rec, t, 100 * i, 100 * i + 90, 0, "tiny");
    expect_ids(rec, "");
}

static void test_usage(void **state)
{
    (void)state;
    rf_recording *rec = built_new();
    struct rf_finding finding = RF_FINDING_INIT;
    size_t n = 9, n_rules = 0;
    rf_advice *advice = NULL;
    const char *meaning = NULL;
    assert_int_equal(rf_advice_new(&advice, NULL), RF_OK);
    assert_int_equal(rf_advice_finding_at(advice, 0, &finding), RF_ERR_USAGE);
    assert_int_equal(rf_advice_find(advice, &n, NULL), RF_OK);
    assert_int_equal(n, 0);
    assert_int_equal(rf_advice_add(advice, rec, "a.rf", NULL), RF_ERR_USAGE);
    rf_advice_free(advice);
    while (rf_advice_rule_at(n_rules, &meaning) != NULL)
        assert_true(strlen(meaning) > 0 && ++n_rules < 100);
    assert_true(n_rules > 5);
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted), cmocka_unit_test(test_clean),
        cmocka_unit_test(test_gpus),    cmocka_unit_test(test_tiny_ranges),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
