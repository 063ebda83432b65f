/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of captures with CUDA, and reports of the GPU work of ranges: what they add up to as
 * they are read is, to the byte, what their ranges, calls and GPU work in memory add up to; or the
 * recording is read again. */
#include "check_paths.h"
#include "check_range_work.h"
#include "random_cuda.h"
#include "sanitized.h"

#define N_ROUNDS SANITIZED_ROUNDS(20)

/* Of the GPU work of ranges, which is asked for apart. */
static const uint32_t of_ranges[] = {RF_TALLY_RANGE_GPU, RF_TALLY_COVERAGE,
                                     RF_TALLY_ENDED_ELSEWHERE, RF_TALLY_RANGE_KERNEL,
                                     RF_TALLY_KERNEL_COVERAGE};

static bool check_opened(const struct rfw *w, const rf_recording *whole, bool with_work)
{
    const unsigned flags = RF_OPEN_PATHS_ALWAYS | (with_work ? RF_OPEN_RANGE_WORK : 0);
    rf_recording *streamed = rfw_reopen(w, 0, flags);
    const bool has_paths = rf_recording_paths(streamed) != NULL;
    assert_int_equal(has_paths, rf_recording_named_work(streamed) != NULL);
    assert_int_equal(has_paths && with_work, rf_recording_projected_sums(streamed) != NULL);
    memcpy(also_left, of_ranges, sizeof(of_ranges));
    n_also_left = with_work ? 0 : sizeof(of_ranges) / sizeof(of_ranges[0]);
    check_bytes(whole, streamed, 0);
    check_bytes(whole, streamed, 5);
    n_also_left = 0;
    rf_close(streamed);
    return has_paths;
}

/* Returns whether the recording was added up as it was read. */
static bool check_recording(const struct rfw *w)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    const bool has_paths = check_opened(w, whole, false);
    (void)check_opened(w, whole, true);
    check_range_work(w, whole);
    rf_close(whole);
    return has_paths;
}

/* Many captures at random, or few; some calls go on for long. keeps_open: ranges are known that
 * begin outside of captures. */
static unsigned count_streamed(struct kind kind, int keeps_open)
{
    unsigned n = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        seed = round;
        kind.has_windows = round % 4 != 0;
        kind.has_captures = !kind.has_windows;
        kind.has_long_calls = round % 2 == 0;
        kind.has_parts = round % 3 == 0;
        struct rfw *w = random_recording(kind.has_parts || round % 5 == 0 ? 600 : 150, &kind);
        rfw_focus(w, keeps_open);
        n += check_recording(w);
        rfw_free(w);
    }
    return n;
}

/* ---- At random ---- */

/* Push/pop ranges, which nest or cross. */
static void test_nested(void **state)
{
    (void)state;
    for (int keeps_open = 0; keeps_open < 2; keeps_open++) {
        assert_int_equal(count_streamed((struct kind){.has_losses = false}, keeps_open), N_ROUNDS);
        assert_int_equal(count_streamed((struct kind){.has_losses = true}, keeps_open), N_ROUNDS);
        assert_int_equal(count_streamed((struct kind){.has_threads = true}, keeps_open), N_ROUNDS);
        assert_int_equal(count_streamed((struct kind){.has_destroyed = true}, keeps_open),
                         N_ROUNDS);
        assert_true(count_streamed((struct kind){.crosses = true}, keeps_open) >= N_ROUNDS - 1);
    }
}

/* Start/end ranges. Where their begins outside of captures are not known, but there, many are read
 * again. */
static void test_starts(void **state)
{
    static const struct kind kinds[] = {
        {.has_starts = true},
        {.has_starts = true, .ends_late = true},
        {.has_starts = true, .ends_late = true, .has_long = true},
        {.has_starts = true, .ends_late = true, .ends_never = true},
        {.has_starts = true, .ends_late = true, .ends_elsewhere = true},
        {.has_losses = true,
         .has_threads = true,
         .has_starts = true,
         .has_destroyed = true,
         .ends_elsewhere = true,
         .ends_late = true,
         .ends_never = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        assert_true(count_streamed(kinds[i], 1) >= N_ROUNDS - 1);
        assert_true(count_streamed(kinds[i], 0) > N_ROUNDS / 2);
    }
}

static void test_collectives(void **state)
{
    (void)state;
    assert_int_equal(count_streamed((struct kind){.has_collectives = true}, 1), N_ROUNDS);
    assert_int_equal(
        count_streamed(
            (struct kind){.has_starts = true, .ends_late = true, .has_collectives = true}, 1),
        N_ROUNDS);
    assert_true(count_streamed((struct kind){.has_collectives = true}, 0) > N_ROUNDS / 2);
    (void)count_streamed((struct kind){.has_losses = true,
                                       .has_threads = true,
                                       .crosses = true,
                                       .has_starts = true,
                                       .has_destroyed = true,
                                       .ends_elsewhere = true,
                                       .ends_late = true,
                                       .has_collectives = true},
                         1);
}

/* Some of them are read again. */
static void test_read_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 128; i += 19)
        (void)count_streamed((struct kind){.has_losses = i & 1,
                                           .has_threads = i & 2,
                                           .crosses = i & 4,
                                           .has_starts = i & 8,
                                           .has_ties = true,
                                           .has_destroyed = i & 32,
                                           .ends_elsewhere = i & 8,
                                           .ends_late = i & 8,
                                           .ends_never = i & 64,
                                           .has_long = i & 64,
                                           .has_handlers = i & 16,
                                           .has_deferred = i & 32},
                             i % 2);
}

/* ---- One by one ---- */

/* A process whose thread 100 calls CUDA, and what CUPTI writes of it. */
static struct rfw *new_recording(struct rfw_stream **ranges, struct rfw_stream **cuda,
                                 int keeps_open)
{
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    *ranges = rfw_stream(w, p, 0, 100, 1);
    *cuda = rfw_stream(w, p, 1, 200, 2);
    rfw_focus(w, keeps_open);
    return w;
}

static void launch(struct rfw_stream *cuda, int64_t from_ns, int64_t to_ns, uint32_t id)
{
    rfw_cuda_call(cuda, 100, from_ns, to_ns, id, RFW_LAUNCH);
    rfw_cuda_kernel(cuda, to_ns + 10, to_ns + 50, id, 7, RFW_KERNEL_ADD);
}

/* A call that goes on behind a capture, as that which ends it, in ranges that end before the next
 * one or go on in it; and a call that began before a capture. */
static void test_straddling(void **state)
{
    static const int64_t ends[] = {1600, 2000, 2001, 2040, 2100, 2150, 2600, 3000, 3001, 9000};
    const size_t n = sizeof(ends) / sizeof(ends[0]);
    (void)state;
    for (size_t i = 0; i < 2 * n; i++)
        for (int n_windows = 1; n_windows <= 2; n_windows++) {
            struct rfw_stream *s, *cuda;
            struct rfw *w = new_recording(&s, &cuda, i < n);
            rfw_window(w, 1000, 2000);
            if (n_windows == 2)
                rfw_window(w, 3000, 4000);
            rfw_push(s, 500, &(struct rfw_attr){.text = "all"});
            rfw_push(s, 1500, &(struct rfw_attr){.text = "step"});
            launch(cuda, 900, 1100, 1);
            launch(cuda, 1550, 1560, 2);
            launch(cuda, 1990, 2100, 3);
            launch(cuda, 2200, 3100, 4);
            launch(cuda, 1700, 3200, 5);
            launch(cuda, 900, 3500, 6);
            launch(cuda, 3600, 5000, 7);
            rfw_pop(s, ends[i % n], 0);
            rfw_push(s, ends[i % n] + 50, &(struct rfw_attr){.text = "next"});
            rfw_pop(s, 9500, 0);
            rfw_pop(s, 9600, 0);
            assert_true(check_recording(w));
            rfw_free(w);
        }
}

/* A start/end range that another thread ends, in a capture or outside of it. */
static void test_elsewhere(void **state)
{
    (void)state;
    for (int64_t begin_ns = 400; begin_ns < 4000; begin_ns += 600)
        for (int64_t end_ns = begin_ns + 100; end_ns < 6000; end_ns += 500) {
            struct rfw_stream *s, *cuda;
            struct rfw *w = new_recording(&s, &cuda, begin_ns % 1200 == 400);
            struct rfw_stream *other = rfw_stream(w, 0, 2, 300, 3);
            rfw_window(w, 1000, 1500);
            rfw_window(w, 3000, 3500);
            rfw_window(w, 4000, 4500);
            const uint64_t id = rfw_start(s, begin_ns, &(struct rfw_attr){.text = "request"});
            rfw_end(other, end_ns, id);
            for (uint32_t i = 1; i < 50; i++)
                launch(cuda, 100 * (int64_t)i + 20, 100 * (int64_t)i + 60, i);
            assert_true(check_recording(w));
            rfw_free(w);
        }
}

/* Start/end ranges of captures alone, of which those have no end that ended behind one, beside
 * push/pop ranges without an end. */
static void test_lost(void **state)
{
    (void)state;
    for (int kind = 0; kind < 32; kind++) {
        struct rfw_stream *s, *cuda;
        struct rfw *w = new_recording(&s, &cuda, 0);
        struct rfw_stream *other = rfw_stream(w, 0, 2, 300, 3);
        rfw_window(w, 1000, 1500);
        rfw_window(w, 3000, 3500);
        rfw_window(w, 4000, kind & 16 ? RFW_OPEN : 4500);
        rfw_push(s, 1100, &(struct rfw_attr){.text = "step"});
        const uint64_t id = rfw_start(s, 1150, &(struct rfw_attr){.text = "request"});
        rfw_push(s, 1200, &(struct rfw_attr){.text = "inside"});
        if (kind & 4)
            rfw_push(s, 3100, &(struct rfw_attr){.text = "next"});
        if (kind & 1)
            rfw_end(kind & 2 ? other : s, 3200, id);
        else if (kind & 2)
            rfw_end(other, 2000, id);
        if (kind & 8)
            (void)rfw_start(s, 3250, &(struct rfw_attr){.text = "never"});
        for (uint32_t i = 1; i < 50; i++)
            launch(cuda, 100 * (int64_t)i + 20, 100 * (int64_t)i + 60, i);
        rfw_exit(w, 0, 6000);
        assert_true(check_recording(w));
        rfw_free(w);
    }
}

/* Ranges whose domain is destroyed in a capture or outside of it. */
static void test_destroyed(void **state)
{
    (void)state;
    for (int64_t ns = 700; ns < 5000; ns += 300)
        for (int kind = 0; kind < 4; kind++) {
            struct rfw_stream *s, *cuda;
            struct rfw *w = new_recording(&s, &cuda, kind & 1);
            const uint64_t d = rfw_domain(w, 0, 1, 9, "D");
            uint64_t id = 0;
            rfw_window(w, 1000, 1500);
            rfw_window(w, 3000, 3500);
            rfw_push(s, 600, &(struct rfw_attr){.text = "before", .domain = d});
            rfw_push(s, 1200, &(struct rfw_attr){.text = "in", .domain = d});
            if (kind & 2)
                id = rfw_start(s, 1250, &(struct rfw_attr){.text = "start", .domain = d});
            rfw_domain_destroy(w, 0, ns, 9, d);
            for (uint32_t i = 1; i < 50; i++)
                launch(cuda, 100 * (int64_t)i + 20, 100 * (int64_t)i + 60, i);
            rfw_pop(s, 3200, d);
            if (kind & 2)
                rfw_end(s, 3300, id);
            assert_true(check_recording(w));
            rfw_free(w);
        }
}

/* Two ranges that begin at one time before a capture, and end in it or behind it: which lies in
 * which may not be known. */
static void test_same_time(void **state)
{
    static const int64_t ends[] = {1300, 1500, 2500};
    (void)state;
    for (int kind = 0; kind < 18; kind++) {
        struct rfw_stream *s, *cuda;
        struct rfw *w = new_recording(&s, &cuda, 1);
        const int64_t end_ns = ends[kind % 3], pop_ns = ends[kind / 3 % 3];
        uint64_t id = 0;
        rfw_window(w, 1000, 2000);
        for (int i = 0; i < 2; i++)
            if (i == kind / 9)
                id = rfw_start(s, 700, &(struct rfw_attr){.text = "request"});
            else
                rfw_push(s, 700, &(struct rfw_attr){.text = "step"});
        launch(cuda, 1100, 1200, 1);
        launch(cuda, 1400, 1450, 2);
        for (int i = 0; i < 2; i++)
            if ((i == 0) == (end_ns < pop_ns))
                rfw_end(s, end_ns, id);
            else
                rfw_pop(s, pop_ns, 0);
        (void)check_recording(w);
        rfw_free(w);
    }
}

/* No capture, and one that nothing lies in. */
static void test_empty(void **state)
{
    (void)state;
    for (int n_windows = 0; n_windows < 2; n_windows++) {
        struct rfw_stream *s, *cuda;
        struct rfw *w = new_recording(&s, &cuda, 1);
        if (n_windows > 0)
            rfw_window(w, 1000, 1001);
        rfw_push(s, 2000, &(struct rfw_attr){.text = "all"});
        launch(cuda, 2100, 2200, 1);
        rfw_pop(s, 3000, 0);
        assert_true(check_recording(w));
        rfw_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),      cmocka_unit_test(test_starts),
        cmocka_unit_test(test_collectives), cmocka_unit_test(test_read_again),
        cmocka_unit_test(test_straddling),  cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_destroyed),   cmocka_unit_test(test_empty),
        cmocka_unit_test(test_lost),        cmocka_unit_test(test_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
