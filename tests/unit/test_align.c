/* SPDX-License-Identifier: Apache-2.0 */
/* Generated jobs whose true times are known: hosts with clocks of their own, which meet in
 * barriers. */
#include <math.h>

#include "rangefinder/clocks.h"
#include "unit.h"

#define MAX_HOSTS   64
#define MAX_ANCHORS 2000

struct host {
    double offset_ns, drift; /* true time = local * (1 + drift) + offset_ns */
    uint8_t boot;            /* 0: the machine is not known */
    double step_ns;          /* its clock is set forward by this half way */
    double late_ns;          /* most of its ends are this late */
    double slow_ns;          /* all of its ends are this late */
    uint32_t first, end;     /* barriers that it takes part in */
};

struct job {
    uint32_t n_hosts, n_anchors;
    double jitter_ns, interval_ns;
    uint32_t one_in; /* one end in so many is late by a hundred times the jitter; 0: none */
    struct host host[MAX_HOSTS];
    double release_ns[MAX_ANCHORS]; /* truly, once the last one has come */
    rf_align *align;
};

static uint64_t seed;

/* From 0 up to below 1. */
static double dice(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static int64_t local_ns(const struct host *host, double true_ns)
{
    return llrint((true_ns - host->offset_ns) / (1 + host->drift));
}

static struct job new_job(uint32_t n_hosts, uint32_t n_anchors)
{
    struct job job = {n_hosts, n_anchors, 10000, 1e7, 0, {{0, 0, 0, 0, 0, 0, 0, 0}}, {0}, NULL};
    for (uint32_t h = 0; h < n_hosts; h++)
        job.host[h] = (struct host){h == 0 ? 0 : 2e9 * dice() - 1e9,
                                    h == 0 ? 0 : 2e-4 * dice() - 1e-4,
                                    (uint8_t)(h + 1),
                                    0,
                                    0,
                                    0,
                                    0,
                                    n_anchors};
    return job;
}

static void add_host(struct job *job, uint32_t h, const double *last_ns)
{
    static struct rf_anchor anchor[MAX_ANCHORS];
    const struct host *host = &job->host[h];
    struct rf_clock clock = RF_CLOCK_INIT;
    size_t n = 0;
    clock.boot_id[0] = host->boot;
    for (uint32_t k = host->first; k < host->end; k++) {
        const bool is_late = job->one_in > 0 && dice() * job->one_in < 1;
        double end_ns = job->release_ns[k] + job->jitter_ns * 2 * dice() +
                        (is_late ? 100 * job->jitter_ns : 0) + (dice() < 0.7 ? host->late_ns : 0) +
                        host->slow_ns;
        double start_ns = h == k % job->n_hosts ? last_ns[k] : last_ns[k] - 1e6 * dice();
        const double step_ns = k >= job->n_anchors / 2 ? host->step_ns : 0;
        anchor[n++] = (struct rf_anchor){k, local_ns(host, start_ns + step_ns),
                                         local_ns(host, end_ns + step_ns)};
    }
    assert_int_equal(rf_align_add(job->align, &clock, anchor, n, NULL), 0);
}

static void solve(struct job *job)
{
    static double last_ns[MAX_ANCHORS];
    for (uint32_t k = 0; k < job->n_anchors; k++) {
        last_ns[k] = 1e9 + job->interval_ns * (k + dice() / 2);
        job->release_ns[k] = last_ns[k] + 1000;
    }
    assert_int_equal(rf_align_new(&job->align, NULL), 0);
    for (uint32_t h = 0; h < job->n_hosts; h++)
        add_host(job, h, last_ns);
    assert_int_equal(rf_align_solve(job->align, NULL), 0);
}

static struct rf_alignment alignment_of(const struct job *job, uint32_t h)
{
    struct rf_alignment found = RF_ALIGNMENT_INIT;
    assert_int_equal(rf_align_at(job->align, h, &found), 0);
    return found;
}

/* How far a host's times are off on the timeline of the first one, at most. */
static double error_of(const struct job *job, uint32_t h)
{
    const struct rf_alignment found = alignment_of(job, h);
    double worst_ns = 0;
    for (uint32_t k = 0; k < job->n_anchors; k++) {
        const double true_ns = job->release_ns[k];
        const double is_ns = (double)rf_aligned_ns(&found, local_ns(&job->host[h], true_ns));
        worst_ns = fmax(worst_ns, fabs(is_ns - (double)local_ns(&job->host[0], true_ns)));
    }
    return worst_ns;
}

/* Offsets to 1 s, drift to 100 ppm: every time is right to 3 times the jitter, and nothing ends
 * before it has begun everywhere. */
static void test_eight_hosts(void **state)
{
    (void)state;
    for (uint64_t number = 1; number < 40; number++) {
        seed = number;
        struct job job = new_job(8, 200);
        job.one_in = number % 2 > 0 ? 20 : 0;
        job.jitter_ns = pow(10, 2 + (double)(number % 4));
        solve(&job);
        for (uint32_t h = 0; h < job.n_hosts; h++) {
            const struct rf_alignment found = alignment_of(&job, h);
            assert_int_equal(found.method, h == 0 ? RF_ALIGN_FIRST : RF_ALIGN_ANCHORS);
            assert_int_equal(found.n_anchors, 200);
            assert_true(error_of(&job, h) <= 3 * job.jitter_ns);
            assert_true((double)found.residual_ns <= 3 * job.jitter_ns);
            assert_true(error_of(&job, h) <= (double)found.uncertainty_ns);
            assert_int_equal(found.n_left, 0);
            assert_false(found.is_bent);
        }
        rf_align_free(job.align);
    }
}

/* Ranks of one machine move together, and the first ones' times stay as they are. */
static void test_machines(void **state)
{
    (void)state;
    seed = 5;
    struct job job = new_job(40, 100);
    for (uint32_t h = 0; h < 40; h++) {
        const uint32_t first = h - h % 4;
        job.host[h].boot = (uint8_t)(1 + first);
        job.host[h].offset_ns = job.host[first].offset_ns;
        job.host[h].drift = job.host[first].drift;
    }
    solve(&job);
    for (uint32_t h = 0; h < 40; h++) {
        const struct rf_alignment found = alignment_of(&job, h);
        assert_int_equal(found.machine, h - h % 4);
        assert_int_equal(found.method, h % 4 > 0 ? RF_ALIGN_MONOTONIC
                                       : h > 0   ? RF_ALIGN_ANCHORS
                                                 : RF_ALIGN_FIRST);
        assert_true(error_of(&job, h) <= 3 * job.jitter_ns);
        assert_true(h >= 4 || (found.offset_ns == 0 && found.drift == 0));
    }
    rf_align_free(job.align);
}

/* Hosts that never met the first one are reached by others that did. */
static void test_chain(void **state)
{
    (void)state;
    seed = 6;
    struct job job = new_job(4, 400);
    for (uint32_t h = 0; h < 4; h++) {
        job.host[h].first = 80 * h;
        job.host[h].end = 80 * h + 160;
        job.host[h].drift = 0; /* each sees another stretch */
    }
    solve(&job);
    for (uint32_t h = 0; h < 4; h++) {
        assert_int_equal(alignment_of(&job, h).method, h > 0 ? RF_ALIGN_ANCHORS : RF_ALIGN_FIRST);
        assert_true(error_of(&job, h) <= 6 * job.jitter_ns);
    }
    rf_align_free(job.align);
}

/* One meeting gives a place and no drift; none gives nothing. */
static void test_few(void **state)
{
    (void)state;
    seed = 7;
    struct job job = new_job(4, 100);
    job.host[1].end = 1;
    job.host[2].end = 2;
    job.host[3].end = 0;
    for (uint32_t h = 0; h < 4; h++)
        job.host[h].drift = 0;
    solve(&job);
    const struct rf_alignment one = alignment_of(&job, 1), none = alignment_of(&job, 3);
    assert_int_equal(one.method, RF_ALIGN_ANCHORS);
    assert_int_equal(one.n_anchors, 1);
    assert_int_equal(one.residual_ns, -1);
    assert_true(error_of(&job, 1) <= (double)one.uncertainty_ns);
    assert_true(error_of(&job, 2) <= 3 * job.jitter_ns);
    assert_int_equal(none.method, RF_ALIGN_NONE);
    assert_int_equal(none.uncertainty_ns, -1);
    assert_int_equal(none.offset_ns, 0);
    rf_align_free(job.align);
}

/* A clock that is set while the job runs: said, and in the uncertainty. */
static void test_step(void **state)
{
    (void)state;
    seed = 8;
    struct job job = new_job(6, 200);
    job.host[3].step_ns = 2e6;
    solve(&job);
    for (uint32_t h = 0; h < 6; h++) {
        const struct rf_alignment found = alignment_of(&job, h);
        assert_int_equal(found.is_bent, h == 3);
        assert_true(h == 3 || error_of(&job, h) <= 3 * job.jitter_ns);
        assert_true(h != 3 || found.uncertainty_ns >= 250000);
    }
    rf_align_free(job.align);
}

/* Two hosts that mostly leave late put the third too late, by more than ends scatter. Where they
 * leave in time, the third one's starts contradict that. */
static void test_violations(void **state)
{
    (void)state;
    seed = 9;
    struct job job = new_job(3, 300);
    job.jitter_ns = 1000;
    job.host[0].late_ns = job.host[1].late_ns = 10000;
    solve(&job);
    const struct rf_alignment found = alignment_of(&job, 2);
    assert_true(alignment_of(&job, 0).n_violations > 0);
    assert_int_equal(alignment_of(&job, 0).n_left, 0);
    assert_true(found.moved_ns < -5000);
    assert_true(error_of(&job, 2) < 4000);
    rf_align_free(job.align);
}

/* A host that always leaves later than others does not scatter, and is placed too early by as much:
 * by no more than is said. */
static void test_slow_host(void **state)
{
    int n_hidden = 0;
    (void)state;
    for (uint64_t number = 100; number < 140; number++) {
        seed = number;
        struct job job = new_job(2 + (uint32_t)(number % 3), 200);
        job.jitter_ns = 500;
        job.host[number % 2].slow_ns = 20000 * dice();
        job.host[1].drift = number % 4 < 2 ? 0 : job.host[1].drift;
        solve(&job);
        for (uint32_t h = 1; h < job.n_hosts; h++) {
            const struct rf_alignment found = alignment_of(&job, h);
            assert_true(error_of(&job, h) <= (double)found.uncertainty_ns);
            assert_true((double)found.uncertainty_ns <= 3 * (job.host[number % 2].slow_ns + 2000));
            n_hidden += error_of(&job, h) > 2 * (double)found.residual_ns;
        }
        rf_align_free(job.align);
    }
    assert_true(n_hidden > 20); /* twice the scatter would have been too little */
}

/* What ends here before it begins there synchronises nothing: it is counted, and not believed. */
static void test_no_synchronisation(void **state)
{
    (void)state;
    seed = 10;
    struct job job = new_job(2, 200);
    static struct rf_anchor anchor[200];
    struct rf_clock clock = RF_CLOCK_INIT;
    assert_int_equal(rf_align_new(&job.align, NULL), 0);
    for (int h = 0; h < 2; h++) {
        for (int k = 0; k < 200; k++) {
            const int64_t start_ns = 10000000 * k + (k % 2 == h ? 3000000 : 0);
            anchor[k] = (struct rf_anchor){(uint64_t)k, start_ns, start_ns + 1000};
        }
        assert_int_equal(rf_align_add(job.align, &clock, anchor, 200, NULL), 0);
    }
    assert_int_equal(rf_align_solve(job.align, NULL), 0);
    const struct rf_alignment found = alignment_of(&job, 1);
    assert_int_equal(found.n_left, 100);
    assert_true(found.violation_ns > 2900000);
    assert_true(found.uncertainty_ns >= found.violation_ns);
    rf_align_free(job.align);
}

/* ---- Without anchors ---- */

static struct rf_alignment second(const struct rf_clock *a, const struct rf_clock *b)
{
    struct rf_alignment found = RF_ALIGNMENT_INIT;
    rf_align *align;
    assert_int_equal(rf_align_new(&align, NULL), 0);
    assert_int_equal(rf_align_add(align, a, NULL, 0, NULL), 0);
    assert_int_equal(rf_align_add(align, b, NULL, 0, NULL), 0);
    assert_int_equal(rf_align_at(align, 1, &found), RF_ERR_USAGE);
    assert_int_equal(rf_align_solve(align, NULL), 0);
    assert_int_equal(rf_align_at(align, 1, &found), 0);
    assert_int_equal(rf_align_at(align, 2, &found), RF_ERR_USAGE);
    rf_align_free(align);
    return found;
}

static struct rf_clock a_clock(void)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    clock.boot_id[3] = 1;
    clock.is_counter = 1;
    clock.ticks = 5000000000;
    clock.hz = 2e9;
    clock.mono_ns = 1000000000;
    clock.utc_ns = 1790000000000000000;
    return clock;
}

static void test_one_machine(void **state)
{
    struct rf_clock a = a_clock(), b = a_clock();
    (void)state;
    b.ticks += 4000000000;
    b.mono_ns += 2000000007;
    b.utc_ns += 2100000000;
    struct rf_alignment found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_MONOTONIC);
    assert_int_equal(found.offset_ns, 2000000007);
    assert_int_equal(found.uncertainty_ns, 0);
    assert_int_equal(found.utc_disagrees_ns, 2100000000 - 2000000007);
    /* another time namespace, told by its number or by what its clock says */
    b.time_namespace = 2;
    assert_int_equal(second(&a, &b).method, RF_ALIGN_MONOTONIC);
    a.time_namespace = 1;
    found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_COUNTER);
    assert_int_equal(found.offset_ns, 2000000000);
    a.time_namespace = b.time_namespace = 0;
    b.mono_ns += 1000000000000;
    b.hz = 2e9 * (1 + 1e-6);
    found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_COUNTER);
    assert_int_equal(found.offset_ns, 2000000000);
    assert_int_equal(found.uncertainty_ns, 2000);
    /* too short to measure the counter's rate */
    b.mono_ns = a.mono_ns + 2000000007;
    b.hz = 1e9;
    found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_MONOTONIC);
    assert_int_equal(found.offset_ns, 2000000007);
    /* without a counter nothing but the time of day is left */
    a.is_counter = 0;
    a.time_namespace = 1;
    b.time_namespace = 2;
    assert_int_equal(second(&a, &b).method, RF_ALIGN_REALTIME);
}

static void test_time_of_day(void **state)
{
    struct rf_clock a = a_clock(), b = a_clock();
    (void)state;
    b.boot_id[3] = 2;
    b.utc_ns += 12345;
    struct rf_alignment found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_REALTIME);
    assert_int_equal(found.offset_ns, 12345);
    assert_int_equal(found.uncertainty_ns, -1);
    a.utc_error_ns = 1000;
    b.utc_error_ns = 500;
    assert_int_equal(second(&a, &b).uncertainty_ns, 1500);
    b.utc_ns = 0;
    found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_NONE);
    assert_int_equal(found.utc_disagrees_ns, RF_NO_TIME);
    b.utc_ns = INT64_MAX;
    a.utc_ns = 1;
    found = second(&a, &b);
    assert_int_equal(found.method, RF_ALIGN_NONE);
    assert_int_equal(found.offset_ns, 0);
    assert_int_equal(found.uncertainty_ns, -1);
}

/* Any bytes at all: an answer, and no overflow (under UBSan). */
static void test_damage(void **state)
{
    static const int64_t odd[] = {INT64_MIN,
                                  INT64_MAX,
                                  0,
                                  -1,
                                  1,
                                  (int64_t)1 << 60,
                                  -((int64_t)1 << 60),
                                  ((int64_t)1 << 60) - 1,
                                  1 - ((int64_t)1 << 60)};
    enum { N_ODD = sizeof(odd) / sizeof(odd[0]) };
    (void)state;
    for (uint64_t number = 1; number < 3000; number++) {
        rf_align *align;
        seed = number;
        assert_int_equal(rf_align_new(&align, NULL), 0);
        for (int h = 0; h < 6; h++) {
            struct rf_anchor anchor[12];
            struct rf_clock clock = RF_CLOCK_INIT;
            clock.boot_id[0] = (uint8_t)(dice() * 3);
            clock.is_counter = dice() < 0.5;
            clock.hz = dice() < 0.3 ? NAN : dice() < 0.3 ? 1e-300 : 1e9;
            clock.ticks = (uint64_t)odd[(int)(dice() * N_ODD)];
            clock.mono_ns = odd[(int)(dice() * N_ODD)];
            clock.utc_ns = odd[(int)(dice() * N_ODD)];
            clock.utc_error_ns = odd[(int)(dice() * N_ODD)];
            for (int i = 0; i < 12; i++)
                anchor[i] = (struct rf_anchor){(uint64_t)(dice() * 8), odd[(int)(dice() * N_ODD)],
                                               odd[(int)(dice() * N_ODD)]};
            assert_int_equal(rf_align_add(align, &clock, anchor, 12, NULL), 0);
        }
        assert_int_equal(rf_align_solve(align, NULL), 0);
        for (uint32_t h = 0; h < 6; h++) {
            struct rf_alignment found = RF_ALIGNMENT_INIT;
            assert_int_equal(rf_align_at(align, h, &found), 0);
            for (int i = 0; i < N_ODD; i++)
                (void)rf_aligned_ns(&found, odd[i]);
        }
        rf_align_free(align);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_hosts), cmocka_unit_test(test_machines),
        cmocka_unit_test(test_chain),       cmocka_unit_test(test_few),
        cmocka_unit_test(test_step),        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_slow_host),   cmocka_unit_test(test_no_synchronisation),
        cmocka_unit_test(test_one_machine), cmocka_unit_test(test_time_of_day),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
