/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work that are not kept: which call caused which work is what it is with all of them
 * in memory, or the recording is read again; and what is held does not grow with their number.
 * Linked with --wrap for the allocator. */
#include <malloc.h>
#include <math.h>
#include <stdatomic.h>

#include "check_report.h"
#include "check_work_counts.h"
#include "model/cuda/cuda_window.h"
#include "model/private_access.h"
#include "model/sums/launch_sums.h"
#include "rf_cuda_writer.h"
#include "unit_threads.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

/* Bytes; libc's own allocations are only seen when they are freed. */
static _Atomic int64_t held, most_held;

static void *note(void *p)
{
    const int64_t n = (int64_t)malloc_usable_size(p);
    const int64_t now = atomic_fetch_add(&held, n) + n;
    int64_t most = most_held;
    while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now))
        ;
    return p;
}

void *__wrap_malloc(size_t size)
{
    return note(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return note(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    held -= (int64_t)malloc_usable_size(p);
    return note(__real_realloc(p, size));
}

void __wrap_free(void *p)
{
    held -= (int64_t)malloc_usable_size(p);
    __real_free(p);
}

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- The window ---- */

#define N_IDS 4000

/* What should come out, by the number of the work, and what did. */
static struct matching {
    struct rf_held_call call[2]; /* the outer one and the one inside it */
    int n_calls;
    int64_t expected_ns; /* start of the call; -1: it has none */
    int64_t found_ns;
    int n_work, n_found, n_given_up;
} matching[N_IDS];

static int take(void *context, const struct rf_held_work *work, struct rf_held_call *call)
{
    (void)context;
    struct matching *of = &matching[work->name];
    of->found_ns = call != NULL ? call->start_ns : -1;
    of->n_found++;
    return RF_OK;
}

/* A call that was given up has no work any more. */
static void give_up(void *context, const struct rf_held_call *call)
{
    (void)context;
    matching[call->correlation - 1].n_given_up++;
}

/* A record: work, or one of the calls, of an id. */
struct happening {
    uint64_t when;
    uint32_t id;
    int what; /* 0: work; 1, 2: calls */
};

static int compare(const void *left, const void *right)
{
    const struct happening *a = left, *b = right;
    return a->when != b->when ? (a->when < b->when ? -1 : 1) : a->what - b->what;
}

/* Records of ids, each up to `most_late` behind its time; grows: the first ones hardly. */
static size_t make_happenings(struct happening *happening, uint64_t most_late, bool grows)
{
    size_t n = 0;
    for (uint32_t id = 0; id < N_IDS; id++) {
        const uint64_t late = grows ? 1 + most_late * id / N_IDS : most_late;
        struct matching *of = &matching[id];
        const bool has_call = dice(20) != 0, has_inner = dice(3) == 0, has_work = dice(4) != 0;
        *of = (struct matching){.n_work = has_work,
                                .expected_ns = has_work && has_call ? 10 * (int64_t)id : -1,
                                .found_ns = -1};
        for (int i = 0; has_call && i < 1 + has_inner; i++)
            of->call[i] = (struct rf_held_call){.correlation = id + 1,
                                                .thread = id % 3,
                                                .start_ns = 10 * (int64_t)id + i,
                                                .end_ns = 10 * (int64_t)id + 9 - i};
        of->n_calls = has_call ? 1 + has_inner : 0;
        const uint64_t called = 8 * (uint64_t)id + dice(late);
        for (int i = 0; i < of->n_calls; i++) /* that inside ends first */
            happening[n++] = (struct happening){called + 1 - (uint64_t)i, id, 1 + i};
        if (has_work)
            happening[n++] = (struct happening){8 * (uint64_t)id + dice(late), id, 0};
    }
    qsort(happening, n, sizeof(*happening), compare);
    return n;
}

/* drops: calls are given up early, too. Returns whether the window is certain of its result. */
static bool run_window(struct rf_cuda_window_sizes sizes, uint64_t late, bool drops, bool grows)
{
    static struct happening happening[3 * N_IDS];
    const size_t n = make_happenings(happening, late, grows);
    struct rf_cuda_window w;
    assert_int_equal(rf_cuda_window_init(&w, &sizes, take, NULL), RF_OK);
    w.given_up = give_up;
    for (size_t i = 0; i < n; i++) {
        const uint32_t id = happening[i].id;
        const struct rf_held_work work = {.correlation = id + 1, .name = id};
        assert_int_equal(
            happening[i].what == 0
                ? rf_cuda_window_add_work(&w, &work)
                : rf_cuda_window_add_call(&w, &matching[id].call[happening[i].what - 1]),
            RF_OK);
        int status = RF_OK;
        const uint64_t n_calls = w.calls.end - w.calls.begin;
        if (drops && dice(2) == 0)
            assert_int_equal(rf_cuda_window_drop_call(&w, INT64_MAX, &status),
                             n_calls > 2 * w.sizes.n_behind);
        assert_int_equal(status, RF_OK);
    }
    assert_int_equal(rf_cuda_window_end(&w), RF_OK);
    for (uint32_t id = 0; id < N_IDS && !w.is_uncertain; id++) {
        assert_int_equal(matching[id].n_found, matching[id].n_work);
        assert_true(matching[id].found_ns == matching[id].expected_ns);
    }
    for (uint32_t id = 0; id < N_IDS; id++)
        assert_int_equal(matching[id].n_given_up, matching[id].n_calls);
    const bool is_certain = !w.is_uncertain;
    rf_cuda_window_release(&w);
    return is_certain;
}

static void test_window(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 40; round++) {
        seed = round;
        assert_true(
            run_window((struct rf_cuda_window_sizes){1024, 512, 16, 1024}, 800, false, false));
        assert_true(
            run_window((struct rf_cuda_window_sizes){1024, 512, 256, 1024}, 800, true, false));
        (void)run_window((struct rf_cuda_window_sizes){1024, 512, 16, 1024}, 800, true, false);
        (void)run_window((struct rf_cuda_window_sizes){64, 32, 4, 64}, 800, false,
                         false); /* too late at times */
        (void)run_window((struct rf_cuda_window_sizes){8, 4, 2, 8}, 8000, false, false);
        /* More room is made. */
        assert_true(run_window((struct rf_cuda_window_sizes){64, 64, 16, 4096}, 8000, false, true));
    }
    seed = 1;
    assert_false(run_window((struct rf_cuda_window_sizes){8, 4, 2, 8}, 8000, false, false));
}

static int count(void *context, const struct rf_held_work *work, struct rf_held_call *call)
{
    (void)work;
    ++*(int *)context;
    assert_null(call);
    return RF_OK;
}

/* Calls are not recorded at all; work has no id. */
static void test_no_calls(void **state)
{
    struct rf_cuda_window w;
    int n = 0;
    (void)state;
    assert_int_equal(rf_cuda_window_init(&w, &(struct rf_cuda_window_sizes){8, 4, 2, 8}, count, &n),
                     RF_OK);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(
            rf_cuda_window_add_work(&w, &(struct rf_held_work){.correlation = i % 2 == 0 ? i : 0}),
            RF_OK);
    assert_int_equal(rf_cuda_window_end(&w), RF_OK);
    assert_int_equal(n, 1000);
    assert_false(w.is_uncertain);
    rf_cuda_window_release(&w);
}

/* ---- Recordings ---- */

static void check_reports(const rf_recording *whole, const rf_recording *summed)
{
    static const char *const reports[] = {"cuda_kern_exec_sum", "cuda_kern_exec_sum:base",
                                          "cuda_kern_exec_sum:mangled"};
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        char *a = make_report(whole, reports[i]), *b = make_report(summed, reports[i]);
        assert_string_equal(a, b);
        free(a);
        free(b);
        assert_int_equal(rf_report_missing(whole, reports[i], NULL, 0),
                         rf_report_missing(summed, reports[i], NULL, 0));
    }
}

/* can_stream: all fits into the window. */
static void check_recording(const struct rfw *w, bool can_stream)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    rf_recording *counted = rfw_reopen(w, 0, RF_OPEN_WORK_COUNTS);
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS);
    if (can_stream) {
        assert_null(rf_gpu_ops(counted, NULL));
        assert_non_null(rf_recording_launch_sums(summed));
    }
    check_work_counts(whole, counted);
    check_reports(whole, summed);
    rf_close(whole);
    rf_close(counted);
    rf_close(summed);
}

static void add_call(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    const uint32_t tid = 100 + (uint32_t)dice(4); /* 103 is of no stream */
    if (dice(3) == 0)
        rfw_cuda_call(s, tid, ns + 2, ns + 5, id, RFW_CU_LAUNCH);
    rfw_cuda_call(s, tid, dice(50) == 0 ? -RFW_REAL_NS_0 : ns, ns + 7, id, RFW_LAUNCH);
}

static void add_work(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    const int64_t start_ns = ns + (int64_t)dice(40) - 5;
    const uint32_t track = dice(2) == 0 ? 7 : 13;
    if (dice(10) == 0)
        rfw_cuda_copy(s, start_ns, start_ns + 5, id, track, dice(100));
    else
        rfw_cuda_kernel(s, dice(50) == 0 ? -RFW_REAL_NS_0 : start_ns,
                        start_ns + (int64_t)dice(100) - 3, id, track, (uint32_t)dice(5));
}

/* Calls and work by turns, each in a stream of its own, with a tid that two threads had. */
static struct rfw *launches(size_t n)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t p = rfw_process(w, 100 + i, "app");
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        struct rfw_stream *first = rfw_stream(w, p, 0, 100, 1);
        struct rfw_stream *second = rfw_stream(w, p, 1, 101, 2);
        rfw_mark(first, 10, &(struct rfw_attr){.text = "mark"});
        rfw_mark(second, 10, &(struct rfw_attr){.text = "mark"});
        rfw_thread(second, 50 * (int64_t)n / 2, 101, 3, NULL);
        rfw_mark(second, 50 * (int64_t)n / 2, &(struct rfw_attr){.text = "mark"});
        struct rfw_stream *calls = rfw_stream(w, p, 2, 200, 4), *work = rfw_stream(w, p, 3, 201, 5);
        for (size_t k = 0; k < n; k++) {
            const int64_t ns = 1000 + 50 * (int64_t)k;
            const uint32_t id = (uint32_t)k + 1;
            if (k % 4 == 1) /* around some calls of its thread */
                rfw_push(first, ns, &(struct rfw_attr){.text = "four"});
            else if (k % 4 == 0 && k > 0)
                rfw_pop(first, ns - 10, 0);
            if (dice(20) != 0)
                add_call(calls, ns, id);
            if (dice(20) != 0)
                add_work(work, ns, dice(20) == 0 ? 0 : id);
        }
        rfw_exit(w, p, 1000 + 50 * (int64_t)n);
    }
    return w;
}

static void test_launches(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 10; round++) {
        seed = round;
        struct rfw *w = launches(round == 10 ? 30000 : 300);
        check_recording(w, true);
        rfw_free(w);
    }
}

/* Calls of a second stream, whose one part is filled from the beginning to the end. */
static void test_slow_stream(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    struct rfw_stream *fast = rfw_stream(w, p, 0, 200, 1), *slow = rfw_stream(w, p, 1, 201, 2);
    struct rfw_stream *work = rfw_stream(w, p, 2, 202, 3);
    for (uint32_t i = 1; i <= 300000; i++) {
        const int64_t ns = 1000 + 50 * (int64_t)i;
        rfw_cuda_call(i % 10000 == 1 ? slow : fast, 100, ns, ns + 7, i, RFW_LAUNCH);
        rfw_cuda_kernel(work, ns + 2, ns + 9, i, 7, RFW_KERNEL_ADD);
    }
    check_recording(w, true);
    rfw_free(w);
}

/* One of every kind; ids that calls of several threads have. */
static void test_everything(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_everything(s, 100, 1000, 1);
    check_recording(w, true);
    rfw_cuda_everything(s, 200, 50000, 1);
    check_recording(w, false);
    rfw_exit(w, p, 100000);
    check_recording(w, false);
    rfw_free(w);
}

/* What lies in a capture. */
static void test_capture(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_focus(w, 1);
    rfw_window(w, 900, 4000);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_everything(s, 100, 1000, 1);
    check_recording(w, true);
    rfw_free(w);
}

static int compare_ns(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Of many launches the durations are in a histogram, those before too; of few that are alike they
 * are not. */
static void test_many_launches(void **state)
{
    const size_t n = RF_LISTED_LAUNCHES + 200000;
    uint64_t *all = malloc(n * sizeof(*all));
    struct rf_launch_sums sums = {.sum = NULL};
    (void)state;
    seed = 4;
    assert_non_null(all);
    for (size_t i = 0; i < n; i++) {
        const struct rf_launch_key key = {.kernel = i % 2000 == 0};
        const struct rf_launch_times times = {.ns = {all[i] = dice(1 + dice(10000000)), 5, 6, 7}};
        struct rf_launch_sum *sum = rf_launch_sums_find(&sums, &key);
        assert_non_null(sum);
        assert_true(rf_launch_sum_add(&sums, sum, &times));
    }
    assert_int_equal(sums.n, 2);
    for (size_t i = 0; i < 2; i++) { /* the few are the first */
        const bool is_few = sums.sum[i].key.kernel == 1;
        assert_int_equal(sums.sum[i].folded[RF_LAUNCH_TOTAL] == 0, is_few);
        assert_int_equal(sums.sum[i].values[RF_LAUNCH_TOTAL].n, is_few ? (n + 1999) / 2000 : 0);
        assert_int_equal(sums.sum[i].values[RF_LAUNCH_QUEUE].n, 0); /* none waited */
    }
    const struct rf_sum *folded = &sums.folded.sum[sums.sum[1].folded[RF_LAUNCH_TOTAL] - 1];
    uint64_t total_ns = 0;
    size_t n_folded = 0;
    for (size_t i = 0; i < n; i++)
        if (i % 2000 != 0)
            total_ns += all[n_folded++] = all[i];
    qsort(all, n_folded, sizeof(*all), compare_ns);
    assert_true(folded->n == n_folded && folded->total_ns == total_ns);
    assert_true(folded->max.duration_ns == all[n_folded - 1]);
    for (size_t k = 0; k < n_folded; k += n_folded / 50)
        assert_true(fabs((double)rf_sum_rank(folded, k) - (double)all[k]) <= (double)all[k] / 250);
    rf_launch_sums_release(&sums);
    free(all);
}

/* Two reports that differ in medians and quantiles alone, by at most 0.4 %. */
static void check_close(const char *a, const char *b)
{
    while (*a != '\0') {
        if (strchr("0123456789", *a) == NULL) {
            assert_true(*a == *b);
            a++, b++;
            continue;
        }
        char *end_a, *end_b;
        const double x = strtod(a, &end_a), y = strtod(b, &end_b);
        assert_true(end_b > b && fabs(x - y) <= x / 250 + 0.1);
        a = end_a;
        b = end_b;
    }
    assert_true(*b == '\0');
}

static void check_note(const rf_recording *rec, bool has_note)
{
    char *text = make_report_as(rec, "cuda_kern_exec_sum", "column");
    assert_int_equal(strstr(text, "are ≈: from a histogram") != NULL, has_note);
    free(text);
}

/* More launches than keep their durations. */
static void check_many_launches(const char *path)
{
    rf_recording *whole = NULL, *summed = NULL;
    struct rf_err err;
    assert_int_equal(rf_open(path, 0, &whole, &err), RF_OK);
    assert_int_equal(rf_open(path, RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS, &summed, &err), RF_OK);
    assert_true(rf_recording_launch_sums(summed)->n_launches > RF_LISTED_LAUNCHES);
    check_note(whole, false);
    check_note(summed, true);
    char *a = make_report_as(whole, "cuda_kern_exec_sum", "csv"),
         *b = make_report_as(summed, "cuda_kern_exec_sum", "csv");
    check_close(a, b);
    free(a);
    free(b);
    a = make_report_as(whole, "cuda_kern_exec_sum:base", "csv");
    b = make_report_as(summed, "cuda_kern_exec_sum:base", "csv");
    check_close(a, b);
    free(a);
    free(b);
    rf_close(whole);
    rf_close(summed);
}

/* ---- Memory ---- */

/* What opening takes at most, beside what the file's bytes take. */
static int64_t most_for(const char *path, unsigned flags)
{
    rf_recording *rec = NULL;
    struct rf_err err;
    const int64_t before = held;
    most_held = held;
    assert_int_equal(rf_open(path, flags, &rec, &err), RF_OK);
    const int64_t most = most_held - before;
    rf_close(rec);
    return most;
}

static void test_memory(void **state)
{
#if IS_SANITIZED
    puts("SKIP: a sanitizer has memory of its own, and takes minutes for millions of records");
    skip();
#endif
    char *folder = rfw_make_tmpdir(), path[2][256], captured[2][256];
    (void)state;
    for (int i = 0; i < 2; i++) {
        seed = 3;
        struct rfw *w = launches(i == 0 ? 200000 : 700000);
        (void)snprintf(path[i], sizeof(path[i]), "%s/%d.rf", folder, i);
        rfw_save_packed(w, path[i]);
        rfw_focus(w, 1);
        rfw_window(w, 500, RFW_OPEN);
        (void)snprintf(captured[i], sizeof(captured[i]), "%s/captured%d.rf", folder, i);
        rfw_save_packed(w, captured[i]);
        rfw_free(w);
    }
    const int64_t n_more = 2 * 2 * 500000LL; /* calls and kernels of two processes */
    const unsigned sums = RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS;
    const unsigned all_counts = RF_OPEN_COUNTS | RF_OPEN_WORK_COUNTS;
    const int64_t counts[] = {most_for(path[0], all_counts), most_for(path[1], all_counts)};
    const int64_t launch[] = {most_for(path[0], sums), most_for(path[1], sums)};
    const unsigned projected = RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS;
    const int64_t paths[] = {most_for(path[0], RF_OPEN_PATHS_ALWAYS),
                             most_for(path[1], RF_OPEN_PATHS_ALWAYS)};
    const int64_t ranges[] = {most_for(path[0], projected), most_for(path[1], projected)};
    const unsigned of_work = RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS;
    const int64_t capture[] = {most_for(captured[0], of_work), most_for(captured[1], of_work)};
    const int64_t in_capture[] = {most_for(captured[0], projected),
                                  most_for(captured[1], projected)};
    const int64_t whole[] = {most_for(path[0], 0), most_for(path[1], 0)};
    assert_true(counts[1] < counts[0] + n_more / 4); /* lists of parts grow with the file */
    assert_true(capture[1] < capture[0] + n_more / 4);
    assert_true(most_for(captured[1], all_counts) < most_for(captured[0], all_counts) + n_more / 4);
    assert_true(launch[1] < launch[0] + 5 * n_more); /* four durations of a launch, of few bytes */
    assert_true(paths[1] < paths[0] + n_more);
    assert_true(ranges[1] < ranges[0] + 5 * n_more); /* those in which held calls lie are held */
    assert_true(in_capture[1] < in_capture[0] + 5 * n_more);
    assert_true(whole[1] > whole[0] + 40 * n_more);
    check_many_launches(path[1]);
    rfw_remove_tree(folder);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_ONE_THREAD(test_window),       UNIT_ONE_THREAD(test_no_calls),
        UNIT_ONE_THREAD(test_launches),     UNIT_ONE_THREAD(test_everything),
        cmocka_unit_test(test_slow_stream), UNIT_ONE_THREAD(test_many_launches),
        UNIT_ONE_THREAD(test_capture),      cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
