/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison says of recordings: a change that was planted is found, and nothing else is.
 * RF_COMPARE_SEEDS in the environment: so many programs of each kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../projection/built_recording.h"
#include "rangefinder/compare.h"
#include "run_noise.h"
#include "summary/summary_data.h"

#define N_RUNS   5
#define N_STEPS  100
#define N_LAYERS 4

static int n_seeds(void)
{
    const char *text = getenv("RF_COMPARE_SEEDS");
    const int n = text != NULL ? atoi(text) : 0;
    return n > 0 ? n : 10;
}

/* ---- Runs of a program ---- */

struct program {
    struct run_noise noise;
    double change;      /* of the time of backward, on side B */
    double rare_change; /* likewise, of every tenth step */
    double rare_wait;   /* how many times as long every tenth step loads, on both sides; 0: it does
                         * not */
    double longest_change; /* of the time of the last layer, on side B */
    int n_layers;          /* on side B */
    const char *prefix; /* of the names of steps, which are numbered; NULL: "step" without number */
};

struct running {
    rf_recording *rec;
    uint32_t thread;
    int64_t at;
    double factor; /* of the run */
    struct run_noise *noise;
};

/* A piece of work: every one differs by 5 %, and one in a hundred takes three times as long. */
static void work(struct running *r, const char *name, double ns)
{
    double factor = exp(r->factor + 0.05 * noise_normal(r->noise));
    if (noise_uniform(r->noise) < 0.01)
        factor *= 3;
    const int64_t end = r->at + (int64_t)(ns * factor);
    (void)built_range(r->rec, r->thread, r->at, end, 0, name);
    r->at = end;
}

/* What is in a step. Returns where it ends. */
static int64_t fill_step(struct running r, const struct program *p, int side, int number)
{
    const bool is_rare = number % 10 == 9;
    const double change = p->change + (is_rare ? p->rare_change : 0);
    const int n_layers = side == 1 ? p->n_layers : N_LAYERS;
    r.at += 10;
    work(&r, "load", 20000 * (is_rare && p->rare_wait > 0 ? p->rare_wait : 1));
    for (int l = 0; l < n_layers; l++)
        work(&r, "layer", 10000 * (side == 1 && l == n_layers - 1 ? 1 + p->longest_change : 1));
    work(&r, "backward", 60000 * (side == 1 ? 1 + change : 1));
    return r.at + 10;
}

/* Ranges are added in the order of their starts: what is in a step is drawn twice, at first to
 * know when the step ends. */
static rf_recording *run_program(struct program *p, int side, double factor)
{
    struct running r = {built_new(), 0, 1000, factor, &p->noise};
    char name[64];
    r.thread = built_thread(r.rec, 0, 101);
    work(&r, "init", 50000);
    for (int i = 0; i < N_STEPS; i++) {
        struct run_noise again = p->noise;
        struct running first = r;
        first.rec = built_new();
        first.thread = built_thread(first.rec, 0, 101);
        const int64_t end = fill_step(first, p, side, i);
        built_free(first.rec);
        p->noise = again;
        (void)snprintf(name, sizeof(name), p->prefix != NULL ? "%s %d" : "step", p->prefix,
                       7 * i + 3);
        (void)built_range(r.rec, r.thread, r.at, end, 0, name);
        (void)fill_step(r, p, side, i);
        r.at = end + 5;
    }
    return r.rec;
}

static void add(rf_compare *compare, int side, const rf_recording *rec, const char *path)
{
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    rf_summary *summary = NULL;
    struct rf_err err;
    options.path = path;
    assert_int_equal(rf_summary_new(&summary, &err), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, &options, &err), RF_OK);
    assert_int_equal(rf_compare_add(compare, (enum rf_compare_side)side, summary, &err), RF_OK);
    rf_summary_free(summary);
}

static rf_compare *compare_programs(struct program *p, int n_a, int n_b,
                                    struct rf_compare_result *result)
{
    rf_compare *compare = NULL;
    struct rf_err err;
    double factor[2][N_RUNS];
    char path[32];
    assert_int_equal(rf_compare_new(NULL, &compare, &err), RF_OK);
    noise_runs(&p->noise, factor[0], factor[1], N_RUNS);
    for (int i = 0; i < N_RUNS; i++)
        for (int side = 0; side < 2; side++) {
            if (i >= (side == 0 ? n_a : n_b))
                continue;
            rf_recording *rec = run_program(p, side, factor[side][i]);
            (void)snprintf(path, sizeof(path), "%c%d.rf", 'a' + side, i);
            add(compare, side, rec, path);
            built_free(rec);
        }
    assert_int_equal(rf_compare_find(compare, result, &err), RF_OK);
    return compare;
}

static struct program new_program(uint64_t seed, double change)
{
    return (struct program){
        .noise = {.seed = seed * 1000003, .spread = 0.015, .follows = 0.5, .disturbed = 0.03},
        .change = change,
        .n_layers = N_LAYERS};
}

/* The verdict on a name; -1: it is not there. */
static int verdict_on(const rf_compare *compare, const char *name, struct rf_compare_time *time)
{
    *time = (struct rf_compare_time)RF_COMPARE_TIME_INIT;
    for (size_t i = 0; rf_compare_time_at(compare, i, time) == RF_OK; i++)
        if (strcmp(time->name, name) == 0)
            return time->verdict;
    return -1;
}

/* ---- Changes ---- */

/* In how many of all programs what was changed is slower, and in how many anything else is. */
static void count_found(double change, int *n_found, int *n_false)
{
    struct rf_compare_time time;
    for (int seed = 1; seed <= n_seeds(); seed++) {
        struct program p = new_program((uint64_t)seed, change);
        struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
        rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
        *n_found += verdict_on(compare, "step > backward", &time) == RF_COMPARE_SLOWER;
        *n_false += verdict_on(compare, "step > load", &time) == RF_COMPARE_SLOWER ||
                    verdict_on(compare, "step > layer", &time) == RF_COMPARE_SLOWER;
        assert_int_equal(result.n_counts, 0);
        rf_compare_free(compare);
    }
    print_message("%2.0f %% slower: found in %d of %d, something else in %d\n", 100 * change,
                  *n_found, n_seeds(), *n_false);
}

static void test_changes(void **state)
{
    static const double changes[] = {0, 0.01, 0.05, 0.1, 0.2};
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        int n_found = 0, n_false = 0;
        count_found(changes[i], &n_found, &n_false);
        assert_true(20 * n_false <= n_seeds());
        if (changes[i] <= 0.01)
            assert_true(20 * n_found <= n_seeds());
        if (changes[i] >= 0.1) /* of ten two may be missed by chance */
            assert_true(n_found >= n_seeds() - (n_seeds() < 40 ? 2 : n_seeds() / 20));
    }
}

/* One more layer: the time of one is the same, and the count differs. */
static void test_counts(void **state)
{
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
    struct rf_compare_time time;
    struct program p = new_program(77, 0);
    (void)state;
    p.n_layers = N_LAYERS + 1;
    rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
    assert_string_equal(result.step, "step");
    assert_int_equal(result.n_counts, 1);
    assert_int_equal(rf_compare_count_at(compare, 0, &count), RF_OK);
    assert_string_equal(count.name, "step > layer");
    assert_int_equal(count.verdict, RF_COMPARE_MORE);
    assert_int_equal(count.is_per_step, 1);
    assert_true(count.a_min == N_LAYERS && count.a_max == N_LAYERS);
    assert_true(count.b_min == N_LAYERS + 1 && count.b_max == N_LAYERS + 1);
    assert_int_not_equal(verdict_on(compare, "step > layer", &time), RF_COMPARE_SLOWER);
    assert_int_equal(rf_compare_count_at(compare, 1, &count), RF_ERR_USAGE);
    rf_compare_free(compare);
}

/* A run a side, or one against several: nothing fails, and the ratio is there. */
static void test_single_runs(void **state)
{
    (void)state;
    for (int n_b = 1; n_b <= N_RUNS; n_b += N_RUNS - 1) {
        struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
        struct rf_compare_time time;
        struct program p = new_program(5, 1);
        p.n_layers = N_LAYERS + 1;
        rf_compare *compare = compare_programs(&p, 1, n_b, &result);
        assert_int_equal(result.n_slower + result.n_faster + result.n_counts, 0);
        assert_int_equal(result.n_counts_unclear, 1);
        assert_int_equal(verdict_on(compare, "step > backward", &time), RF_COMPARE_CANNOT_TELL);
        assert_int_equal(time.reason, RF_COMPARE_ONE_RUN);
        assert_int_equal(time.has_interval, 0);
        assert_int_equal(time.n_more, N_RUNS - 1);
        assert_true(time.ratio > 1.8 && time.ratio < 2.2);
        rf_compare_free(compare);
    }
}

/* Steps with numbers in their names are one, and so is what is in them. */
static void test_numbered_steps(void **state)
{
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_time time;
    struct program p = new_program(9, 0.3);
    (void)state;
    p.prefix = "ProfilerStep";
    rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
    assert_string_equal(result.step, "ProfilerStep #");
    assert_int_equal(verdict_on(compare, "ProfilerStep # > backward", &time), RF_COMPARE_SLOWER);
    assert_true(time.low > 1.2 && time.high < 1.4);
    assert_int_equal(verdict_on(compare, "ProfilerStep #", &time), RF_COMPARE_SLOWER);
    assert_int_equal(time.kind, RF_COMPARE_STEP);
    rf_compare_free(compare);
}

/* Where what takes longer lies: in a range that takes longer, or in more of them. */
static void test_carriers(void **state)
{
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_time time;
    struct program p = new_program(9, 0.3);
    (void)state;
    p.prefix = "ProfilerStep";
    rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
    assert_int_equal(verdict_on(compare, "ProfilerStep #", &time), RF_COMPARE_SLOWER);
    assert_string_equal(time.range, "ProfilerStep #");
    assert_string_equal(time.carrier, "ProfilerStep # > backward");
    assert_true(time.carried > 80 && time.carried < 120);
    assert_int_equal(time.is_part, 0);
    assert_int_equal(verdict_on(compare, "ProfilerStep # > backward", &time), RF_COMPARE_SLOWER);
    assert_string_equal(time.range, "backward");
    assert_string_equal(time.carrier, "");
    assert_int_equal(time.is_part, 1);
    assert_int_not_equal(verdict_on(compare, "ProfilerStep # > load", &time), RF_COMPARE_SLOWER);
    assert_string_equal(time.carrier, "");
    assert_true(time.carried == 0 && time.is_part == 0);
    rf_compare_free(compare);

    p = new_program(12, 0);
    p.n_layers = 2 * N_LAYERS;
    compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
    assert_int_equal(verdict_on(compare, "step", &time), RF_COMPARE_SLOWER);
    assert_string_equal(time.carrier, "step > layer");
    assert_true(time.carried > 80 && time.carried < 120);
    assert_int_not_equal(verdict_on(compare, "step > layer", &time), RF_COMPARE_SLOWER);
    rf_compare_free(compare);
}

/* Rare long waits are most of the time of the steps, on both sides, and not what is slower. */
static void test_carrier_of_rare_waits(void **state)
{
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_time time;
    struct program p = new_program(9, 0.3);
    (void)state;
    p.rare_wait = 300;
    rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
    assert_int_not_equal(verdict_on(compare, "step > load", &time), RF_COMPARE_SLOWER);
    assert_true(time.share_a > 80);
    assert_int_equal(verdict_on(compare, "step", &time), RF_COMPARE_SLOWER);
    assert_string_equal(time.carrier, "step > backward");
    assert_true(time.carried > 80 && time.carried < 120);
    rf_compare_free(compare);
}

/* Of the layers of a step the longest takes longer: the median of all of them does not know. */
static void test_carrier_of_one_of_many(void **state)
{
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_time time;
    struct program p = new_program(9, 0);
    (void)state;
    p.longest_change = 3;
    rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
    assert_int_not_equal(verdict_on(compare, "step > layer", &time), RF_COMPARE_SLOWER);
    assert_int_equal(verdict_on(compare, "step", &time), RF_COMPARE_SLOWER);
    assert_string_equal(time.carrier, "step > layer");
    assert_true(time.carried > 80 && time.carried < 120);
    rf_compare_free(compare);
}

static int verdict_of_kind(const rf_compare *compare, int kind)
{
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    for (size_t i = 0; rf_compare_time_at(compare, i, &time) == RF_OK; i++)
        if (time.kind == kind)
            return time.verdict;
    return -1;
}

/* Every tenth step is five times as long in backward: medians do not know, the mean does. */
static void test_rare_steps(void **state)
{
    int n_mean = 0, n_step = 0, n = n_seeds();
    (void)state;
    for (int seed = 1; seed <= n; seed++) {
        struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
        struct program p = new_program((uint64_t)seed, 0);
        p.rare_change = 4;
        rf_compare *compare = compare_programs(&p, N_RUNS, N_RUNS, &result);
        n_mean += verdict_of_kind(compare, RF_COMPARE_MEAN) == RF_COMPARE_SLOWER;
        n_step += verdict_of_kind(compare, RF_COMPARE_STEP) == RF_COMPARE_SLOWER;
        rf_compare_free(compare);
    }
    print_message("every tenth step slow: found by the mean in %d, by the median in %d of %d\n",
                  n_mean, n_step, n);
    assert_true(n_mean >= n * 95 / 100 - 1 && n_step <= n / 20 + 1);
}

/* ---- Edges ---- */

static rf_recording *run_of(const char *name, int n, int64_t ns)
{
    rf_recording *rec = built_new();
    const uint32_t thread = built_thread(rec, 0, 101);
    for (int i = 0; i < n; i++)
        (void)built_range(rec, thread, 1 + i * (ns + 1), 1 + i * (ns + 1) + ns, 0, name);
    return rec;
}

static rf_compare *compare_two(const char *a, int n_a, int64_t a_ns, const char *b, int n_b,
                               int64_t b_ns, struct rf_compare_result *result)
{
    rf_compare *compare = NULL;
    struct rf_err err;
    char path[32];
    assert_int_equal(rf_compare_new(NULL, &compare, &err), RF_OK);
    for (int i = 0; i < 6; i++) {
        rf_recording *rec = i % 2 == 0 ? run_of(a, n_a, a_ns) : run_of(b, n_b, b_ns);
        (void)snprintf(path, sizeof(path), "%d.rf", i);
        add(compare, i % 2, rec, path);
        built_free(rec);
    }
    assert_int_equal(rf_compare_find(compare, result, &err), RF_OK);
    return compare;
}

static void test_edges(void **state)
{
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
    (void)state;
    /* different programs */
    rf_compare *compare = compare_two("one", 5, 100, "other", 5, 100, &result);
    assert_int_equal(result.n_common, 0);
    assert_int_equal(result.n_counts, 2);
    assert_int_equal(rf_compare_count_at(compare, 0, &count), RF_OK);
    assert_true(count.verdict == RF_COMPARE_NEW || count.verdict == RF_COMPARE_GONE);
    rf_compare_free(compare);
    /* no time at all */
    compare = compare_two("none", 5, 0, "none", 5, 0, &result);
    for (size_t i = 0; rf_compare_time_at(compare, i, &time) == RF_OK; i++)
        assert_true(isfinite(time.ratio) && isfinite(time.low) && isfinite(time.high) &&
                    isfinite(time.share_a) && time.verdict != RF_COMPARE_SLOWER);
    rf_compare_free(compare);
    /* from next to nothing to days */
    compare = compare_two("step", 3, 1, "step", 3, 1000000000000000, &result);
    assert_int_equal(rf_compare_time_at(compare, 0, &time), RF_OK);
    assert_true(isfinite(time.ratio) && isfinite(time.low) && isfinite(time.high));
    assert_true(time.ratio > 1e14);
    rf_compare_free(compare);
    /* nothing repeats */
    compare = compare_two("main", 1, 1000000, "main", 1, 2000000, &result);
    assert_string_equal(result.step, "");
    assert_int_equal(rf_compare_time_at(compare, 0, &time), RF_OK);
    assert_int_equal(time.verdict, RF_COMPARE_SLOWER);
    assert_true(fabs(time.ratio - 2) < 1e-9);
    rf_compare_free(compare);
}

/* The same recording again, on its side and on the other; an empty side. */
static void test_again(void **state)
{
    rf_compare *compare = NULL;
    rf_summary *summary = NULL;
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_options options = RF_COMPARE_OPTIONS_INIT;
    struct rf_err err;
    rf_recording *rec = run_of("step", 5, 100);
    (void)state;
    options.step = "stap";
    assert_int_equal(rf_summary_new(&summary, &err), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, NULL, &err), RF_OK);
    assert_int_equal(rf_compare_new(&options, &compare, &err), RF_OK);
    assert_int_equal(rf_compare_add(compare, RF_COMPARE_A, summary, &err), RF_OK);
    assert_int_equal(rf_compare_add(compare, RF_COMPARE_A, summary, &err), RF_ERR_EXISTS);
    assert_int_equal(rf_compare_add(compare, RF_COMPARE_B, summary, &err), RF_ERR_USAGE);
    assert_int_equal(rf_compare_find(compare, &result, &err), RF_ERR_USAGE);
    assert_string_equal(err.text, "side B has no run");
    assert_int_equal(rf_compare_find(compare, &result, &err), RF_ERR_USAGE);
    rf_compare_free(compare);
    assert_int_equal(rf_compare_new(&options, &compare, &err), RF_OK);
    add(compare, RF_COMPARE_A, rec, "a.rf");
    add(compare, RF_COMPARE_B, rec, "b.rf");
    assert_int_equal(rf_compare_find(compare, &result, &err), RF_ERR_NOT_FOUND);
    assert_string_equal(err.text, "there is no range 'stap'");
    rf_compare_free(compare);
    rf_summary_free(summary);
    built_free(rec);
}

/* ---- GPU work ---- */

/* Steps with kernels, and a kernel before them. */
static rf_recording *run_kernels(int n_steps, int n_kernels)
{
    rf_recording *rec = built_new();
    const uint32_t thread = built_thread(rec, 0, 101);
    int64_t at = 1000;
    uint32_t call = built_call(rec, thread, at - 500, at - 400);
    (void)built_op(rec, RF_OP_KERNEL, at - 300, at - 200, thread, call, "warm up");
    for (int i = 0; i < n_steps; i++) {
        (void)built_range(rec, thread, at, at + 900, 0, "step");
        for (int k = 0; k < n_kernels; k++) {
            call = built_call(rec, thread, at + 10 + 50 * k, at + 30 + 50 * k);
            (void)built_op(rec, RF_OP_KERNEL, at + 40 + 50 * k, at + 80 + 50 * k, thread, call,
                           "gemm");
        }
        at += 1000;
    }
    return rec;
}

/* Work in steps is counted exactly, however many steps a run has. */
static void test_work(void **state)
{
    (void)state;
    for (int n_more = 0; n_more < 2; n_more++) {
        rf_compare *compare = NULL;
        struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
        struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
        struct rf_err err;
        char path[32];
        bool is_found = false;
        assert_int_equal(rf_compare_new(NULL, &compare, &err), RF_OK);
        for (int i = 0; i < 6; i++) {
            rf_recording *rec = run_kernels(20 + 3 * i, i % 2 == 1 ? 2 + n_more : 2);
            (void)snprintf(path, sizeof(path), "%d.rf", i);
            add(compare, i % 2, rec, path);
            built_free(rec);
        }
        assert_int_equal(rf_compare_find(compare, &result, &err), RF_OK);
        for (size_t i = 0; rf_compare_count_at(compare, i, &count) == RF_OK; i++) {
            if (count.kind != RF_COMPARE_WORK)
                continue;
            is_found = true;
            assert_string_equal(count.name, "step");
            assert_int_equal(count.verdict, RF_COMPARE_MORE);
            assert_int_equal(count.is_per_step, 1);
            assert_true(count.a_min == 2 && count.a_max == 2);
            assert_true(count.b_min == 3 && count.b_max == 3);
        }
        assert_int_equal(is_found, n_more);
        if (n_more == 0)
            assert_int_equal(result.n_counts, 0);
        rf_compare_free(compare);
    }
}

/* What a run does once is less per step where there are more steps, which says nothing. */
static void test_work_outside_of_steps(void **state)
{
    rf_compare *compare = NULL;
    struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
    struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
    struct rf_err err;
    char path[32];
    size_t n_kernels = 0;
    (void)state;
    assert_int_equal(rf_compare_new(NULL, &compare, &err), RF_OK);
    for (int i = 0; i < 6; i++) {
        rf_recording *rec = run_kernels(i % 2 == 0 ? 10 : 20, 2);
        (void)snprintf(path, sizeof(path), "%d.rf", i);
        add(compare, i % 2, rec, path);
        built_free(rec);
    }
    assert_int_equal(rf_compare_find(compare, &result, &err), RF_OK);
    assert_int_equal(result.n_counts, 0);
    for (size_t i = 0; rf_compare_count_at(compare, i, &count) == RF_OK; i++) {
        n_kernels += count.kind == RF_COMPARE_KERNEL;
        if (count.kind == RF_COMPARE_KERNEL)
            assert_string_equal(count.name, "warm up");
        assert_int_equal(count.verdict, RF_COMPARE_CANNOT_TELL);
        assert_int_equal(count.reason, RF_COMPARE_STEPS);
    }
    assert_int_equal(n_kernels, 1);
    rf_compare_free(compare);
}

/* ---- Machines, settings, jobs ---- */

/* An input of what a launcher started. */
struct started {
    const char *threads, *cpu, *job; /* NULL: not known, or not set */
    int rank;
    int64_t start_ns;
};

static void add_started(rf_compare *compare, int side, const struct started *from, int64_t ns)
{
    static int number;
    rf_recording *rec = run_of("step", 10, ns);
    rf_summary *summary = NULL, *again = NULL;
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    struct rf_err err;
    char path[32];
    (void)snprintf(path, sizeof(path), "%d.rf", number++);
    options.path = path;
    options.rank = from->rank;
    assert_int_equal(rf_summary_new(&summary, &err), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, &options, &err), RF_OK);
    summary->input[0].start_utc_ns = 1000 * from->start_ns; /* its steps are to lie in it */
    summary->input[0].duration_ns = 1000 * 1000;
    assert_int_equal(rf_summary_setting_add(summary, 0, "recorder", "rangefinder"), RF_OK);
    if (from->threads != NULL)
        assert_int_equal(rf_summary_setting_add(summary, 0, "OMP_NUM_THREADS", from->threads),
                         RF_OK);
    if (from->cpu != NULL)
        assert_int_equal(rf_summary_setting_add(summary, 0, "cpu", from->cpu), RF_OK);
    if (from->job != NULL)
        assert_int_equal(rf_summary_setting_add(summary, 0, "job", from->job), RF_OK);
    assert_int_equal(rf_summary_write(summary, "started.rfsum", 1, &err), RF_OK);
    assert_int_equal(rf_summary_new(&again, &err), RF_OK);
    assert_int_equal(rf_summary_read(again, "started.rfsum", &err), RF_OK);
    assert_int_equal(remove("started.rfsum"), 0);
    assert_int_equal(rf_compare_add(compare, (enum rf_compare_side)side, again, &err), RF_OK);
    rf_summary_free(summary);
    rf_summary_free(again);
    built_free(rec);
}

/* Runs of 100 and 200 ns on two machines. */
static rf_compare *compare_machines(struct started a, struct started b, const char *ignored,
                                    struct rf_compare_result *result)
{
    struct rf_compare_options options = RF_COMPARE_OPTIONS_INIT;
    rf_compare *compare = NULL;
    struct rf_err err;
    options.ignored = ignored;
    assert_int_equal(rf_compare_new(&options, &compare, &err), RF_OK);
    for (int i = 0; i < 3; i++) {
        add_started(compare, 0, &a, 100000);
        add_started(compare, 1, &b, 200000);
    }
    assert_int_equal(rf_compare_find(compare, result, &err), RF_OK);
    return compare;
}

static void test_settings(void **state)
{
    static const struct {
        struct started a, b;
        const char *ignored, *name, *a_value, *b_value; /* name NULL: nothing differs */
    } cases[] = {
        {{.threads = "2"}, {.threads = "2"}, NULL, NULL, NULL, NULL},
        {{.threads = "2"}, {.threads = "4"}, NULL, "OMP_NUM_THREADS", "2", "4"},
        {{.threads = "2"}, {.threads = NULL}, NULL, "OMP_NUM_THREADS", "2", "not set"},
        {{.threads = "2"}, {.threads = "4"}, "cpu,OMP_NUM_THREADS", NULL, NULL, NULL},
        {{.threads = "2"}, {.threads = "4"}, "cpu,OMP_NUM", "OMP_NUM_THREADS", "2", "4"},
        {{.threads = "2", .cpu = "x"}, {.cpu = "y"}, "all", NULL, NULL, NULL},
        {{.cpu = "x"}, {.cpu = "y"}, NULL, "cpu", "x", "y"},
        {{.cpu = "x"}, {.cpu = NULL}, NULL, NULL, NULL, NULL}, /* an older recorder */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
        struct rf_compare_setting setting = RF_COMPARE_SETTING_INIT;
        struct rf_compare_time time;
        rf_compare *compare = compare_machines(cases[i].a, cases[i].b, cases[i].ignored, &result);
        const bool is_same = cases[i].name == NULL;
        assert_int_equal(result.n_settings, !is_same);
        assert_int_equal(verdict_on(compare, "step", &time),
                         is_same ? RF_COMPARE_SLOWER : RF_COMPARE_CANNOT_TELL);
        assert_int_equal(time.reason, is_same ? RF_COMPARE_CLEAR : RF_COMPARE_SETTINGS);
        if (!is_same) {
            assert_int_equal(rf_compare_setting_at(compare, 0, &setting), RF_OK);
            assert_string_equal(setting.name, cases[i].name);
            assert_string_equal(setting.a, cases[i].a_value);
            assert_string_equal(setting.b, cases[i].b_value);
        }
        assert_int_equal(rf_compare_setting_at(compare, !is_same, &setting), RF_ERR_USAGE);
        rf_compare_free(compare);
    }
}

/* Ranks of a job that ran at the same time are a run; whatever else they share, others are not. */
static void test_jobs(void **state)
{
    static const struct {
        struct started of[4];
        uint64_t n_runs;
    } cases[] = {
        {{{.job = "7.0", .rank = 0},
          {.job = "7.0", .rank = 1}, /* two jobs of two ranks */
          {.job = "7.1", .rank = 0},
          {.job = "7.1", .rank = 1}},
         2},
        {{{.job = "7.0", .rank = 0},
          {.job = "7.0", .rank = 1},
          {.job = "7.0", .rank = 2},
          {.job = "7.0", .rank = 3, .start_ns = 999}},
         1},
        {{{.job = "7.0", .rank = 0},
          {.job = "7.0", .rank = 1}, /* the job ran twice */
          {.job = "7.0", .rank = 0, .start_ns = 5000},
          {.job = "7.0", .rank = 1, .start_ns = 5000}},
         2},
        {{{.job = "7.0", .rank = 0},
          {.job = "7.0", .rank = 0}, /* each was rank 0 */
          {.job = "7.0", .rank = 0},
          {.job = "7.0", .rank = 0}},
         4},
        {{{.rank = 0}, {.rank = 1}, {.rank = 2}, {.rank = 3}}, 4}, /* of no job */
        {{{.job = "7.0", .rank = -1},
          {.job = "7.0", .rank = -1}, /* of no rank */
          {.job = "7.0", .rank = -1},
          {.job = "7.0", .rank = -1}},
         4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rf_compare_result result = RF_COMPARE_RESULT_INIT;
        rf_compare *compare = NULL;
        struct rf_err err;
        assert_int_equal(rf_compare_new(NULL, &compare, &err), RF_OK);
        for (int k = 3; k >= 0; k--)
            add_started(compare, 0, &cases[i].of[k], 100000);
        add_started(compare, 1, &cases[i].of[0], 200000);
        assert_int_equal(rf_compare_find(compare, &result, &err), RF_OK);
        assert_int_equal(result.n_runs_a, cases[i].n_runs);
        assert_int_equal(result.n_runs_b, 1);
        rf_compare_free(compare);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_work_outside_of_steps),
        cmocka_unit_test(test_single_runs),
        cmocka_unit_test(test_numbered_steps),
        cmocka_unit_test(test_carriers),
        cmocka_unit_test(test_carrier_of_rare_waits),
        cmocka_unit_test(test_carrier_of_one_of_many),
        cmocka_unit_test(test_rare_steps),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
