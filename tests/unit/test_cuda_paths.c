/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of recordings with CUDA, and reports of the GPU work of ranges: what they add up to as
 * they are read is, to the byte, what all ranges, calls and GPU work in memory add up to; or the
 * recording is read again. */
#include <math.h>

#include "check_cuda_filters.h"
#include "check_range_work.h"
#include "random_cuda.h"
#include "sanitized.h"
#include "model/payload/schemas.h"
#include "model/sums/projected_sums.h"
#include "stats/stats.h"

#define N_ROUNDS SANITIZED_ROUNDS(6)

/* nvtx_kern_sum counts pairs of a kernel and a range where they are too many to be visited. */
static void check_counted(const rf_recording *whole, int by_process)
{
    struct rf_err err;
    struct rf_table visited = {.by_process = by_process},
                    counted = {.by_process = by_process, .max_pairs = 1};
    assert_int_equal(rf_report_compute(whole, "nvtx_kern_sum", &visited, &err), RF_OK);
    assert_int_equal(rf_report_compute(whole, "nvtx_kern_sum", &counted, &err), RF_OK);
    assert_int_equal(visited.n_rows, counted.n_rows);
    for (size_t i = 0; i < visited.n_rows; i++)
        for (size_t c = 0; c < visited.n_columns; c++) {
            const struct rf_cell *a = &rf_table_row(&visited, i)[c],
                                 *b = &rf_table_row(&counted, i)[c];
            if (visited.columns[c].type == RF_COLUMN_REAL)
                assert_true(a->real == b->real || fabs(a->real - b->real) < 1e-9 * fabs(a->real));
            else if (rf_column_is_text(visited.columns[c].type))
                assert_string_equal(a->text, b->text);
            else
                assert_true(a->count == b->count);
        }
    rf_table_release(&visited);
    rf_table_release(&counted);
}

/* ---- Filters ---- */

static void check_filters(const struct rfw *w)
{
    char *dir = rfw_make_tmpdir(), path[4096], time[64];
    struct rf_filter_options options;
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    for (int i = 0; i < 2; i++) {
        random_filter(&options, time, sizeof(time));
        check_filter(path, &options);
    }
    rfw_remove_tree(dir);
    free(dir);
}

/* Returns whether the recording was added up as it was read. */
static bool check_recording(const struct rfw *w)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    rf_recording *streamed = rfw_reopen(w, 0, RF_OPEN_PATHS_ALWAYS | RF_OPEN_RANGE_WORK);
    const bool has_paths = rf_recording_paths(streamed) != NULL;
    assert_int_equal(has_paths, rf_recording_named_work(streamed) != NULL);
    assert_int_equal(has_paths, rf_recording_projected_sums(streamed) != NULL);
    check_bytes(whole, streamed, 0);
    check_bytes(whole, streamed, 5);
    rf_close(streamed);
    check_range_work(w, whole);
    check_counted(whole, 0);
    check_counted(whole, 1);
    check_filters(w);
    rf_close(whole);
    return has_paths;
}

static unsigned count_streamed(const struct kind *kind)
{
    unsigned n = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        seed = round;
        struct rfw *w = random_recording(round == 2 ? 1500 : round % 2 == 0 ? 600 : 200, kind);
        n += check_recording(w);
        rfw_free(w);
    }
    return n;
}

static void test_nested(void **state)
{
    (void)state;
    n_projected = 0;
    n_selected = n_paths = 0;
    assert_int_equal(count_streamed(&(struct kind){.has_losses = false}), N_ROUNDS);
    assert_int_equal(n_projected, N_ROUNDS);
    assert_true(n_selected > N_ROUNDS && n_paths > N_ROUNDS);
}

static void test_cut(void **state)
{
    (void)state;
    n_projected = 0;
    assert_int_equal(count_streamed(&(struct kind){.has_losses = true}), N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){.has_threads = true}), N_ROUNDS);
    assert_int_equal(n_projected, 2 * N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){.has_destroyed = true}), N_ROUNDS);
    assert_int_equal(n_projected, 3 * N_ROUNDS);
}

/* Start/end ranges, and ranges that cross. */
static void test_starts(void **state)
{
    (void)state;
    n_projected = n_by_process = 0;
    assert_int_equal(count_streamed(&(struct kind){.has_starts = true}), N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){.has_starts = true, .ends_late = true}),
                     N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){.has_starts = true, .has_long = true}),
                     N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){
                         .has_starts = true, .ends_late = true, .ends_elsewhere = true}),
                     N_ROUNDS);
    assert_int_equal(n_projected, 4 * N_ROUNDS);
    assert_true(n_by_process > N_ROUNDS / 2);
    (void)count_streamed(&(struct kind){.has_starts = true,
                                        .ends_late = true,
                                        .ends_elsewhere = true,
                                        .has_losses = true,
                                        .has_threads = true});
    (void)count_streamed(&(struct kind){.has_starts = true, .ends_late = true, .ends_never = true});
}

static void test_crossing(void **state)
{
    (void)state;
    n_projected = 0;
    assert_int_equal(count_streamed(&(struct kind){.crosses = true}), N_ROUNDS);
    assert_int_equal(n_projected, N_ROUNDS);
}

/* Some of them are read again. */
static void test_read_again(void **state)
{
    (void)state;
    (void)count_streamed(&(struct kind){.has_ties = true});
    (void)count_streamed(&(struct kind){.has_ties = true, .has_starts = true, .ends_late = true});
    for (unsigned i = 0; i < 128; i += 19)
        (void)count_streamed(&(struct kind){.has_losses = i & 1,
                                            .has_threads = i & 2,
                                            .crosses = i & 4,
                                            .has_starts = i & 8,
                                            .has_ties = i & 16,
                                            .has_destroyed = i & 32,
                                            .ends_elsewhere = i & 8,
                                            .ends_late = i & 8,
                                            .ends_never = i & 64,
                                            .has_long = i & 64});
}

/* A range that is open when the process ends: at the end of the process, before the last call or
 * behind it. */
static void test_open(void **state)
{
    (void)state;
    for (int64_t exit_ns = 0; exit_ns < 4000; exit_ns += 500) {
        struct rfw *w = rfw_new();
        const uint32_t p = rfw_process(w, 100, "app");
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *cuda = rfw_stream(w, p, 1, 200, 2);
        rfw_push(s, 1000, &(struct rfw_attr){.text = "open"});
        rfw_cuda_call(cuda, 100, 2000, 2100, 1, RFW_LAUNCH);
        rfw_cuda_kernel(cuda, 2050, 2400, 1, 7, RFW_KERNEL_ADD);
        if (exit_ns > 0)
            rfw_exit(w, p, exit_ns);
        assert_true(check_recording(w));
        rfw_free(w);
    }
}

/* A process whose thread 100 calls CUDA, and what CUPTI writes of it. */
static struct rfw *new_recording(struct rfw_stream **ranges, struct rfw_stream **cuda)
{
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    *ranges = rfw_stream(w, p, 0, 100, 1);
    *cuda = rfw_stream(w, p, 1, 200, 2);
    return w;
}

static void launch(struct rfw_stream *cuda, int64_t ns, uint32_t id)
{
    rfw_cuda_call(cuda, 100, ns, ns + 100, id, RFW_LAUNCH);
    rfw_cuda_kernel(cuda, ns + 50, ns + 400, id, 7, RFW_KERNEL_ADD);
}

/* A server: many ranges are open, of which the first one ends first. */
static void test_in_flight(void **state)
{
    enum { OPEN = 60 };
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    uint64_t id[OPEN];
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const int64_t ns = 1000 + 1000 * (int64_t)i;
        if (i >= OPEN)
            rfw_end(s, ns, id[i % OPEN]);
        id[i % OPEN] = rfw_start(s, ns + 10, &(struct rfw_attr){.text = "request"});
        launch(cuda, ns + 20, i + 1);
    }
    n_projected = 0;
    assert_true(check_recording(w));
    assert_int_equal(n_projected, 1);
    rfw_free(w);
}

/* Ranges that another thread ends, with payloads that say more than values. */
static void test_left_out(void **state)
{
    static const struct rfw_entry color[] = {{0, RF_NVTX_COLOR_ARGB, "color", 0, 0}};
    const uint64_t value = 42, schema = 1 << 24;
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    struct rfw_stream *begins = rfw_stream(w, 0, 2, 300, 3), *ends = rfw_stream(w, 0, 3, 400, 4);
    const uint64_t d = rfw_domain(w, 0, 1, 9, "D");
    (void)state;
    rfw_define_schema(w, 0, &(struct rfw_schema){.id = schema, .domain = (uint32_t)d, .size = 8},
                      color, 1);
    rfw_push(s, 1000, &(struct rfw_attr){.text = "out"});
    launch(cuda, 1100, 1);
    rfw_pop(s, 2000, 0);
    for (int64_t i = 0; i < 5000; i++) {
        const uint64_t id =
            rfw_start(begins, 3000 + 10 * i, &(struct rfw_attr){.text = "r", .domain = d});
        rfw_payload(begins, schema, &value, 8, 8, 0);
        rfw_end(ends, 3005 + 10 * i, id);
    }
    n_projected = 0;
    (void)check_recording(w);
    assert_int_equal(n_projected, 1);
    rfw_free(w);
}

/* What a collective exchanges may be said where it ends. */
static void test_end_payload(void **state)
{
    const uint64_t values[] = {42, 1 << 20};
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    const uint64_t nccl = define_collectives(w, 0);
    (void)state;
    const uint64_t id =
        rfw_start(s, 1000, &(struct rfw_attr){.text = "ncclAllReduce", .domain = nccl});
    launch(cuda, 1100, 1);
    rfw_end(s, 2000, id);
    assert_true(check_recording(w));
    rfw_payload(s, REDUCE, values, 16, 16, 0);
    assert_false(check_recording(w));
    rfw_free(w);
}

/* Ranges that cross behind the last call. */
static void test_crossing_at_the_end(void **state)
{
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    const uint64_t d = rfw_domain(w, 0, 1, 9, "D");
    (void)state;
    rfw_push(s, 1000, &(struct rfw_attr){.text = "A"});
    rfw_push(s, 1100, &(struct rfw_attr){.text = "B", .domain = d});
    launch(cuda, 2000, 1);
    rfw_pop(s, 3000, 0);
    rfw_pop(s, 3100, d);
    (void)check_recording(w);
    rfw_free(w);
}

/* A range whose domain is destroyed before a call, before the range's end or without one. */
static void test_destroyed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        struct rfw_stream *s, *cuda;
        struct rfw *w = new_recording(&s, &cuda);
        const uint64_t d = rfw_domain(w, 0, 1, 9, "D");
        rfw_push(s, 1000, &(struct rfw_attr){.text = "x", .domain = d});
        rfw_domain_destroy(w, 0, 1500, 9, d);
        if (kind == 4)
            launch(cuda, 1200, 2);
        launch(cuda, 2000, 1);
        if (kind & 1)
            rfw_pop(s, 3000, d);
        if (kind & 2)
            rfw_exit(w, 0, 4000);
        assert_true(check_recording(w));
        rfw_free(w);
    }
}

/* Records whose times go back. */
static void test_back_in_time(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct rfw_stream *s, *cuda;
        struct rfw *w = new_recording(&s, &cuda);
        rfw_push(s, 1000, &(struct rfw_attr){.text = "out"});
        if (kind == 0) {
            rfw_mark(s, 9000, &(struct rfw_attr){.text = "late"});
        } else {
            rfw_push(s, 1100, &(struct rfw_attr){.text = "in1"});
            rfw_pop(s, 5000, 0);
        }
        rfw_push(s, 3000, &(struct rfw_attr){.text = "in2"});
        launch(cuda, 3100, 1);
        rfw_pop(s, 3500, 0);
        rfw_pop(s, 6000, 0);
        (void)check_recording(w);
        rfw_free(w);
    }
}

/* Kernels of ever new times deep in ranges take more than the kernels would: they are read again.
 */
static void test_many_times(void **state)
{
    struct rfw_stream *s, *cuda;
    struct rfw *w = new_recording(&s, &cuda);
    const uint32_t n = 80000;
    (void)state;
    for (int64_t i = 0; i < 20; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "level%d", (int)i);
        rfw_push(s, 1000 + i, &(struct rfw_attr){.text = name});
    }
    for (uint32_t i = 0; i < n; i++) {
        rfw_cuda_call(cuda, 100, 2000 + 10 * (int64_t)i, 2004 + 10 * (int64_t)i, i + 1, RFW_LAUNCH);
        rfw_cuda_kernel(cuda, 2005 + 10 * (int64_t)i, 2006 + 11 * (int64_t)i, i + 1, 7,
                        RFW_KERNEL_ADD);
    }
    for (int64_t i = 0; i < 20; i++)
        rfw_pop(s, 10000000 + i, 0);
    rf_recording *streamed = rfw_reopen(w, 0, RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS);
    assert_null(rf_recording_projected_sums(streamed));
    rf_close(streamed);
    streamed =
        rfw_reopen(w, 0, RF_OPEN_RANGE_WORK | RF_OPEN_NO_RANGE_KERNELS | RF_OPEN_SUMS_ALWAYS);
    assert_non_null(rf_recording_projected_sums(streamed));
    rf_close(streamed);
    /* a summary is without them, and has the rest */
    streamed = rfw_reopen(w, 0, RF_OPEN_RANGE_WORK | RF_OPEN_PATHS_ALWAYS);
    const struct rf_projected_sums *sums = rf_recording_projected_sums(streamed);
    rf_recording *whole = rfw_reopen(w, 0, 0);
    assert_true(rf_recording_paths(streamed) != NULL && sums != NULL && sums->has_no_kernels);
    assert_true(sums->n_kernels == 0 && sums->all.n_ops == n);
    check_bytes_but(whole, streamed, RF_TALLY_RANGE_KERNEL, RF_TALLY_KERNEL_COVERAGE);
    rf_close(whole);
    rf_close(streamed);
    rfw_free(w);
}

/* One of every kind. */
static void test_everything(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_push(s, 500, &(struct rfw_attr){.text = "all"});
    rfw_cuda_everything(s, 100, 1000, 1);
    rfw_pop(s, 60000, 0);
    assert_true(check_recording(w));
    rfw_cuda_everything(s, 200, 80000, 1); /* ids of two threads */
    (void)check_recording(w);
    rfw_free(w);
}

/* Ranges of one name in each other, each with more kernels than are listed. */
static void test_many_kernels(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *cuda = rfw_stream(w, p, 1, 200, 2);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    for (uint32_t i = 0; i < 50; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "kernel%u", i);
        rfw_cuda_def(w, p, 5, RF_CUDA_DEF_KERNEL, 100 + i, 0, 0, name);
    }
    seed = 1;
    for (int64_t ns = 1000, i = 0; i < 200; i++, ns += 10000) {
        rfw_push(s, ns, &(struct rfw_attr){.text = "outer"});
        rfw_push(s, ns + 10, &(struct rfw_attr){.text = i % 2 == 0 ? "outer" : "inner"});
        for (int64_t k = 0; k < 60; k++) {
            const uint32_t id = (uint32_t)(60 * i + k + 1);
            rfw_cuda_call(cuda, 100, ns + 100 * k + 20, ns + 100 * k + 30, id, RFW_LAUNCH);
            rfw_cuda_kernel(cuda, ns + 100 * k + 40, ns + 100 * k + 40 + (int64_t)dice(50), id, 7,
                            100 + (uint32_t)dice(50));
            if (k == 30)
                rfw_pop(s, ns + 100 * k + 50, 0);
        }
        rfw_pop(s, ns + 9000, 0);
    }
    n_projected = 0;
    assert_true(check_recording(w));
    assert_int_equal(n_projected, 1);
    rfw_free(w);
}

/* Kernels and ranges of NCCL are listed one by one; those of PyTorch have to be in memory. */
static void test_collectives(void **state)
{
    (void)state;
    n_projected = 0;
    assert_int_equal(count_streamed(&(struct kind){.has_collectives = true}), N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){
                         .has_collectives = true, .has_starts = true, .ends_late = true}),
                     N_ROUNDS);
    assert_int_equal(n_projected, 2 * N_ROUNDS);
    (void)count_streamed(&(struct kind){.has_collectives = true,
                                        .has_starts = true,
                                        .ends_late = true,
                                        .ends_elsewhere = true,
                                        .has_losses = true,
                                        .has_threads = true,
                                        .has_destroyed = true,
                                        .crosses = true});
    for (int i = 0; i < 2; i++) {
        struct rfw *w = rfw_new();
        const uint32_t p = rfw_process(w, 100, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        rfw_cuda_def(w, p, 5, RF_CUDA_DEF_KERNEL, 9, 0, 0,
                     i == 0 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "all_reduce");
        rfw_cuda_call(s, 100, 2000, 2100, 1, RFW_LAUNCH);
        rfw_cuda_kernel(s, 2050, 2400, 1, 7, 9);
        assert_true(check_recording(w));
        rfw_mark(s, 3000, &(struct rfw_attr){.text = "record_param_comms"});
        assert_false(check_recording(w));
        rfw_free(w);
    }
}

/* Of captures, threads with several streams and ranges with times of their own the ranges are kept,
 * and calls and work are not. */
static void test_kept_ranges(void **state)
{
    (void)state;
    n_projected = 0;
    (void)count_streamed(&(struct kind){.has_captures = true});
    assert_int_equal(n_projected, N_ROUNDS);
    (void)count_streamed(&(struct kind){.has_captures = true,
                                        .has_starts = true,
                                        .ends_late = true,
                                        .ends_elsewhere = true,
                                        .has_threads = true});
    (void)count_streamed(&(struct kind){.has_captures = true, .has_losses = true, .crosses = true});
    n_projected = 0;
    (void)count_streamed(&(struct kind){.has_handlers = true});
    assert_int_equal(n_projected, N_ROUNDS);
    (void)count_streamed(&(struct kind){.has_deferred = true});
    assert_int_equal(n_projected, 2 * N_ROUNDS);
    (void)count_streamed(&(struct kind){.has_deferred = true, .has_captures = true});
    (void)count_streamed(&(struct kind){.has_handlers = true,
                                        .has_deferred = true,
                                        .has_captures = true,
                                        .has_starts = true,
                                        .has_ties = true});
}

/* A signal handler's records stand in a second stream. */
static void test_handlers(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *handler = rfw_stream(w, p, 1, 100, 1);
    struct rfw_stream *cuda = rfw_stream(w, p, 2, 200, 2);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_push(s, 1000, &(struct rfw_attr){.text = "work"});
    rfw_push(handler, 1100, &(struct rfw_attr){.text = "handle"});
    rfw_cuda_call(cuda, 100, 1110, 1120, 1, RFW_LAUNCH);
    rfw_cuda_kernel(cuda, 1150, 1400, 1, 7, RFW_KERNEL_ADD);
    rfw_pop(handler, 1200, 0);
    rfw_pop(s, 1300, 0);
    assert_false(check_recording(w));
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),       cmocka_unit_test(test_cut),
        cmocka_unit_test(test_starts),       cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_read_again),   cmocka_unit_test(test_open),
        cmocka_unit_test(test_everything),   cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_many_kernels), cmocka_unit_test(test_kept_ranges),
        cmocka_unit_test(test_handlers),     cmocka_unit_test(test_crossing_at_the_end),
        cmocka_unit_test(test_destroyed),    cmocka_unit_test(test_back_in_time),
        cmocka_unit_test(test_many_times),   cmocka_unit_test(test_in_flight),
        cmocka_unit_test(test_left_out),     cmocka_unit_test(test_end_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
