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
#include "model/recording.h"
#include "rangefinder/why.h"

#define N_STEPS 200
#define N_SEEDS 100

/* ---- A program ---- */

enum cause { NONE, SLOW_CHILD, LAUNCH_GAP, LATE_COPY, LOCK, MORE_LAYERS, PREEMPTED };

struct program {
    uint64_t seed;
    enum cause cause;
    rf_recording *rec;
    uint32_t thread;
    int64_t at;
    double noise; /* relative standard deviation of each piece of work */
};

static double uniform(struct program *p)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(p->seed >> 11) / (double)(1ULL << 53);
}

/* Log-normal around 1. */
static double noise(struct program *p)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += uniform(p);
    return exp(p->noise * (sum - 6));
}

static int64_t some(struct program *p, int64_t ns)
{
    return (int64_t)((double)ns * noise(p));
}

static void range(struct program *p, const char *name, int64_t ns)
{
    (void)built_range(p->rec, p->thread, p->at, p->at + ns, 0, name);
    p->at += ns;
}

/* A call that waits for a copy, which takes as long. */
static void wait_for_copy(struct program *p, int64_t ns)
{
    uint32_t call = built_call(p->rec, p->thread, p->at, p->at + ns);
    (void)built_op(p->rec, RF_OP_MEMCPY, p->at, p->at + ns, p->thread, call, NULL);
    p->at += ns;
}

static void load(struct program *p, bool is_slow)
{
    int64_t read = some(p, 100000) * (is_slow && p->cause == SLOW_CHILD ? 6 : 1);
    int64_t decode = some(p, 50000), at = p->at;
    (void)built_range(p->rec, p->thread, at, at + read + decode, 0, "load");
    range(p, "read", read);
    range(p, "decode", decode);
}

static void forward(struct program *p, bool is_slow)
{
    int n = is_slow && p->cause == MORE_LAYERS ? 12 : 4;
    int64_t ns[12] = {0}, all = 0;
    for (int i = 0; i < n; i++)
        all += ns[i] = some(p, 80000);
    (void)built_range(p->rec, p->thread, p->at, p->at + all, 0, "forward");
    for (int i = 0; i < n; i++)
        range(p, "layer", ns[i]);
}

/* The time of a step is known when what is in it is: its range is added first, and made longer. */
static void step(struct program *p)
{
    bool is_slow = uniform(p) < 0.05;
    uint32_t i = built_range(p->rec, p->thread, p->at, p->at, 0, "step");
    load(p, is_slow);
    p->at += some(p, 2000) + (is_slow && p->cause == LAUNCH_GAP ? 300000 : 0);
    forward(p, is_slow);
    wait_for_copy(p, some(p, 40000) * (is_slow && p->cause == LATE_COPY ? 8 : 1));
    if (is_slow && p->cause == LOCK)
        range(p, "wait for the lock", some(p, 250000));
    range(p, "optimizer", some(p, 60000));
    p->rec->events[p->thread].event[i].end_ns = p->at;
    p->at += 1000;
}

/* Takes the core away, once in 20 steps, at any moment: what is open then is longer. */
static void preempt(struct program *p)
{
    struct rf_thread_events *events = &p->rec->events[p->thread];
    struct rf_thread_calls *calls = &p->rec->calls[p->thread];
    for (int k = 0; k < N_STEPS / 20; k++) {
        int64_t moment = (int64_t)(uniform(p) * (double)p->at), more = 400000;
        for (size_t i = 0; i < events->n; i++) {
            events->event[i].end_ns += events->event[i].end_ns > moment ? more : 0;
            events->event[i].start_ns += events->event[i].start_ns > moment ? more : 0;
        }
        for (size_t i = 0; i < calls->n; i++) {
            calls->call[i].end_ns += calls->call[i].end_ns > moment ? more : 0;
            calls->call[i].start_ns += calls->call[i].start_ns > moment ? more : 0;
        }
        p->at += more;
    }
}

static struct program run(enum cause cause, uint64_t seed, double how_noisy)
{
    struct program p = {.seed = seed, .cause = cause, .rec = built_new(), .noise = how_noisy};
    p.thread = built_thread(p.rec, 0, 101);
    for (int i = 0; i < N_STEPS; i++)
        step(&p);
    if (cause == PREEMPTED)
        preempt(&p);
    return p;
}

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
static bool is_named(enum cause cause, uint64_t seed, int part, const char *path, const char *work)
{
    struct program p = run(cause, seed, 0.03);
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

static void expect_named(enum cause cause, int part, const char *path, const char *work)
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
    expect_named(SLOW_CHILD, RF_WHY_SELF, "load > read", "");
    expect_named(LAUNCH_GAP, RF_WHY_GAP, "forward", "");
    expect_named(LATE_COPY, RF_WHY_CALL, "", "memcpy");
    expect_named(LOCK, RF_WHY_MORE, "wait for the lock", "");
    expect_named(MORE_LAYERS, RF_WHY_MORE, "forward > layer", "");
}

/* ---- Nothing to name ---- */

static void expect_nothing(enum cause cause, double how_noisy)
{
    int n = 0, n_runs = 200;
    for (int seed = 1; seed <= n_runs; seed++) {
        struct program p = run(cause, (uint64_t)seed, how_noisy);
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
    expect_nothing(NONE, 0.01);
    expect_nothing(NONE, 0.1);
    expect_nothing(NONE, 0.3);
    expect_nothing(PREEMPTED, 0.02);
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
        assert_int_equal(rf_why_add(why, rec, "run.rf", &err), run < 2 ? RF_OK : RF_ERR_USAGE);
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
