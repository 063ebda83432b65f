/* SPDX-License-Identifier: Apache-2.0 */
/* What calls of CUDA and GPU work add up to as they are read: figures are those of all of them. */
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "model/sums/value_counts.h"
#include "model/sums/work_sums.h"
#include "rangefinder/summary.h"
#include "rf_cuda_writer.h"
#include "sanitized.h"
#include "unit.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- Reports ---- */

static const char *const reports[] = {"cuda_api_sum",           "cuda_gpu_kern_sum",
                                      "cuda_gpu_kern_sum:base", "cuda_gpu_kern_sum:mangled",
                                      "cuda_gpu_mem_time_sum",  "cuda_gpu_mem_size_sum",
                                      "cuda_gpu_sum",           "cuda_api_gpu_sum",
                                      "cuda_gpu_kern_gb_sum",   "cuda_gpu_kern_gb_sum:base"};
#define N_REPORTS (sizeof(reports) / sizeof(reports[0]))

struct text {
    char *bytes;
    size_t size;
};

static int keep(void *context, const void *bytes, size_t size)
{
    struct text *text = context;
    text->bytes = realloc(text->bytes, text->size + size + 1);
    assert_non_null(text->bytes);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return 0;
}

/* Returns how many rows there are. The caller frees *text. */
static size_t make_report(const rf_recording *rec, const char *name, int fold_numbers, char **text)
{
    struct text out = {.bytes = NULL};
    size_t n_rows = 0;
    const struct rf_report_options options = {.size = sizeof(options),
                                              .report = name,
                                              .format = "json",
                                              .write = keep,
                                              .write_context = &out,
                                              .quantiles = "0,12.5,50,99.9,100",
                                              .fold_numbers = fold_numbers,
                                              .n_rows = &n_rows};
    struct rf_err err;
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
    *text = out.bytes;
    return n_rows;
}

static void check_missing(const rf_recording *whole, const rf_recording *summed)
{
    for (size_t i = 0; i < N_REPORTS; i++)
        assert_int_equal(rf_report_missing(whole, reports[i], NULL, 0),
                         rf_report_missing(summed, reports[i], NULL, 0));
}

/* Returns how many rows the reports have in all. */
static size_t check_reports(const rf_recording *whole, const rf_recording *summed)
{
    size_t n_rows = 0;
    for (size_t i = 0; i < 2 * N_REPORTS; i++) {
        char *a, *b;
        const size_t n = make_report(whole, reports[i / 2], i % 2, &a);
        assert_int_equal(make_report(summed, reports[i / 2], i % 2, &b), n);
        assert_string_equal(a, b);
        n_rows += n;
        free(a);
        free(b);
    }
    return n_rows;
}

static size_t check_recording(const struct rfw *w, unsigned flags)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_SUMS_ALWAYS | flags);
    size_t n_calls = 0, n_ops = 0;
    assert_null(rf_recording_work_sums(whole));
    assert_non_null(rf_recording_work_sums(summed));
    for (uint32_t t = 0; t < rf_n_threads(summed); t++) {
        (void)rf_thread_calls(summed, t, &n_calls);
        assert_int_equal(n_calls, 0);
    }
    assert_null(rf_gpu_ops(summed, NULL));
    (void)rf_gpu_ops(whole, &n_ops);
    assert_int_equal(rf_recording_work_sums(summed)->n_ops, n_ops);
    assert_int_equal(rf_get_info(whole)->n_ranges, rf_get_info(summed)->n_ranges);
    assert_int_equal(rf_get_info(whole)->n_cuda_dropped, rf_get_info(summed)->n_cuda_dropped);
    const size_t n_rows = check_reports(whole, summed);
    check_missing(whole, summed);
    rf_close(whole);
    rf_close(summed);
    return n_rows;
}

/* ---- Recordings ---- */

/* Times that are right, or lack one end or both, or run backwards. */
static void set_times(uint64_t *start, uint64_t *end, int64_t ns)
{
    const uint64_t what = dice(20);
    *start = RFW_CUPTI(ns);
    *end = RFW_CUPTI(ns + (int64_t)(dice(4) == 0 ? dice(1000000000) : dice(40)));
    *start = what == 0 || what == 1 ? 0 : *start;
    *end = what == 0 || what == 2 ? 0 : *end;
    if (what == 3)
        *end = *start - 5;
}

/* Names that are defined, some that are not, and none. */
static void add_record(struct rfw_stream *s, int64_t ns, uint32_t id)
{
    static const int functions[] = {RFW_LAUNCH, RFW_MEMCPY, RFW_CU_LAUNCH, 77};
    union rf_cuda_record record = {.head = {.correlation = id}};
    const uint32_t kinds[] = {RF_CUDA_API,  RF_CUDA_KERNEL, RF_CUDA_MEMCPY, RF_CUDA_MEMSET,
                              RF_CUDA_SYNC, RF_CUDA_GRAPH,  RF_CUDA_DROPPED};
    record.head.kind = (uint8_t)kinds[dice(sizeof(kinds) / sizeof(kinds[0]))];
    if (record.head.kind == RF_CUDA_DROPPED)
        record.dropped.n = dice(9);
    else
        set_times(&record.api.start, &record.api.end, ns);
    if (record.head.kind == RF_CUDA_API) {
        record.api.tid = 100 + (uint32_t)dice(3);
        record.api.function = (uint32_t)functions[dice(4)];
    } else if (record.head.kind == RF_CUDA_KERNEL) {
        record.kernel.name = (uint32_t)dice(5);
        record.kernel.device = (uint32_t)dice(3);
        for (int i = 0; i < 3; i++) {
            record.kernel.grid[i] = (uint32_t)dice(4);
            record.kernel.block[i] = (uint32_t)dice(i == 0 ? 200 : 3);
        }
    } else if (record.head.kind == RF_CUDA_MEMCPY) {
        record.memcpy.device = (uint32_t)dice(2);
        record.memcpy.copy_kind = (uint8_t)dice(16);
        record.memcpy.bytes = dice(3) == 0 ? dice(1ULL << 40) : dice(100);
    } else if (record.head.kind == RF_CUDA_MEMSET) {
        record.memset.bytes = dice(100);
    }
    rfw_cuda(s, ns + 10, &record, dice(30) == 0 ? 16 : sizeof(record));
}

/* Processes of which each has handles of its own, streams, a range here and there. */
static struct rfw *random_recording(size_t n, bool has_clocks)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        if (has_clocks)
            rfw_cuda_clocks(w, p);
        if (i == 0)
            rfw_cuda_names(w, p);
        rfw_cuda_def(w, p, 1, RF_CUDA_DEF_KERNEL, 3, 0, 0, "kernel_17");
        rfw_cuda_def(w, p, 1, RF_CUDA_DEF_KERNEL, 2, 0, 0, i == 0 ? "kernel_18" : "plain");
        for (uint32_t slot = 0; slot < 2; slot++) {
            struct rfw_stream *s = rfw_stream(w, p, slot, 100 + slot, slot + 1);
            for (size_t k = 0; k < n; k++) {
                const int64_t ns = 100 + 50 * (int64_t)k;
                if (dice(10) == 0)
                    rfw_push(s, ns,
                             &(struct rfw_attr){.text = "step",
                                                .payload_kind = RF_PAYLOAD_UINT64,
                                                .payload = k % 8});
                else if (dice(10) == 0)
                    rfw_pop(s, ns, 0);
                add_record(s, ns, (uint32_t)(k + 1));
                if (dice(500) == 0)
                    (void)rfw_next_part(s, ns);
            }
        }
        rfw_exit(w, p, 100 + 50 * (int64_t)n);
    }
    return w;
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= SANITIZED_ROUNDS(12); round++) {
        seed = round;
        struct rfw *w = random_recording(round % 3 == 0 ? 20000 : 200, round % 4 != 0);
        assert_true(check_recording(w, RF_OPEN_COUNTS) > 50);
        assert_true(check_recording(w, 0) > 50); /* its ranges are summed up beside */
        rfw_free(w);
    }
}

/* ---- Filters ---- */

static rf_recording *filtered(rf_recording *whole, const struct rf_filter_options *options)
{
    rf_recording *part = NULL;
    struct rf_err err;
    assert_int_equal(rf_filter(whole, options, &part, &err), RF_OK);
    return part;
}

static unsigned n_selected; /* parts that have sums */

static size_t check_filter(const char *path, const struct rf_filter_options *options)
{
    rf_recording *whole, *summed;
    assert_int_equal(rf_open(path, 0, &whole, NULL), RF_OK);
    assert_int_equal(rf_open_selected(path, RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS | RF_OPEN_COUNTS,
                                      NULL, options, &summed, NULL),
                     RF_OK);
    n_selected += rf_recording_work_sums(summed) != NULL;
    rf_recording *part = filtered(whole, options), *part_of_sums = filtered(summed, options);
    const size_t n_rows = check_reports(part, part_of_sums);
    check_missing(whole, summed); /* what a filter leaves out is there */
    rf_close(part);
    rf_close(part_of_sums);
    rf_close(whole);
    rf_close(summed);
    return n_rows;
}

static void random_filter(struct rf_filter_options *options, char *time, size_t size)
{
    static const char *const activities[] = {"api", "driver", "runtime,kernel", "memcpy", "nvtx"},
                             *const processes[] = {"100", "101", "app"},
                             *const kernels[] = {"kernel_17", "/plain|axpy/", "*"},
                             *const payloads[] = {"payload=..3"};
    const long long begin = (long long)dice(9000);
    *options = (struct rf_filter_options)RF_FILTER_OPTIONS_INIT;
    (void)snprintf(time, size, "%lldns/%lldns", begin, begin + (long long)dice(4000));
    if (dice(2) == 0)
        options->time = time;
    else if (dice(3) == 0)
        options->nvtx = "step";
    if (dice(3) == 0)
        options->activities = activities[dice(5)];
    if (dice(3) == 0)
        options->processes = processes[dice(3)];
    if (dice(3) == 0)
        options->kernels = kernels[dice(3)];
    if (dice(4) == 0) {
        options->payloads = payloads;
        options->n_payloads = 1;
    }
    options->without_cut = dice(4) == 0;
    if (dice(3) == 0)
        options->gpus = dice(2) == 0 ? "1" : "2,0,1";
}

static void test_filters(void **state)
{
    size_t n_rows = 0;
    (void)state;
    for (uint64_t round = 1; round <= SANITIZED_ROUNDS(4); round++) {
        char *dir = rfw_make_tmpdir(), path[4096], time[64];
        seed = round;
        struct rfw *w = random_recording(200, round % 2 == 0);
        (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
        rfw_save_packed(w, path);
        for (int i = 0; i < 20; i++) {
            struct rf_filter_options options;
            random_filter(&options, time, sizeof(time));
            n_rows += check_filter(path, &options);
        }
        rfw_remove_tree(dir);
        free(dir);
        rfw_free(w);
    }
    assert_true(n_rows > 250 * SANITIZED_ROUNDS(4) && n_selected > 5 * SANITIZED_ROUNDS(4));
}

static void test_everything(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_everything(s, 100, 1000, 1);
    rfw_exit(w, p, 50000);
    assert_true(check_recording(w, RF_OPEN_COUNTS) > 20);
    rfw_free(w);
}

/* Without CUDA there are no rows. */
static void test_nothing(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    rfw_mark(rfw_stream(w, p, 0, 100, 1), 10, &(struct rfw_attr){.text = "mark"});
    assert_int_equal(check_recording(w, RF_OPEN_COUNTS), 0);
    rfw_free(w);
}

/* What lies in a capture: see test_captured_work.c, too. */
static void test_captures(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_focus(w, 1);
    rfw_window(w, 900, 4000);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_everything(s, 100, 1000, 1);
    assert_true(check_recording(w, RF_OPEN_COUNTS) > 10);
    assert_true(check_recording(w, 0) > 10);
    rfw_free(w);
}

/* ---- What is asked for ---- */

static void test_flags(void **state)
{
    (void)state;
    const unsigned ranges = rf_report_open_flags("nvtx_sum");
    const unsigned work = rf_report_open_flags("cuda_gpu_kern_sum:base:rows=3");
    assert_int_equal(ranges, RF_OPEN_NO_SAMPLES | RF_OPEN_SUMS | RF_OPEN_NO_WORK);
    const unsigned calls = rf_report_open_flags("cuda_api_sum");
    const unsigned sums = RF_OPEN_NO_SAMPLES | RF_OPEN_SUMS | RF_OPEN_COUNTS;
    assert_int_equal(work, sums | RF_OPEN_WORK_ALONE);
    assert_int_equal(calls, sums | RF_OPEN_CALLS_ALONE);
    assert_int_equal(rf_report_open_flags("cuda_api_gpu_sum"), sums);
    assert_int_equal(ranges & work, RF_OPEN_NO_SAMPLES | RF_OPEN_SUMS);
    assert_int_equal(rf_report_open_flags("cuda_gpu_kern_sum:nvtx-name"), RF_OPEN_NO_SAMPLES);
    assert_int_equal(rf_report_open_flags("cuda_gpu_trace"), RF_OPEN_NO_SAMPLES);
    assert_int_equal(rf_report_open_flags("no such report"), 0);
    assert_int_equal(rf_report_open_flags(NULL), 0);
}

static void test_not_of_sums(void **state)
{
    (void)state;
    seed = 1;
    struct rfw *w = random_recording(50, true);
    struct text out = {.bytes = NULL};
    const struct rf_report_options options = {.size = sizeof(options),
                                              .report = "cuda_gpu_kern_sum:nvtx-name",
                                              .write = keep,
                                              .write_context = &out};
    struct rf_err err;
    rf_recording *rec = rfw_reopen(w, 0, RF_OPEN_SUMS_ALWAYS | RF_OPEN_COUNTS);
    assert_int_equal(rf_report(rec, &options, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "opened for sums alone"));
    rf_summary *summary;
    assert_int_equal(rf_summary_new(&summary, &err), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, NULL, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "opened for sums alone"));
    rf_summary_free(summary);
    rf_close(rec);
    rec = rfw_reopen(w, 0, RF_OPEN_SUMS_ALWAYS | RF_OPEN_NO_WORK);
    assert_null(rf_recording_work_sums(rec));
    assert_non_null(rf_recording_sums(rec));
    rf_close(rec);
    free(out.bytes);
    rfw_free(w);
}

/* ---- Values ---- */

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void test_values(void **state)
{
    enum { N = 5000 };
    static uint64_t value[N];
    struct rf_value_counts parts[2] = {{.n = 0}};
    (void)state;
    seed = 7;
    for (size_t i = 0; i < N; i++) {
        value[i] = dice(10) == 0 ? UINT64_MAX - dice(3) : dice(1000);
        assert_true(rf_value_counts_add(&parts[dice(2)], value[i], 1));
    }
    assert_true(rf_value_counts_merge(&parts[0], &parts[1]));
    assert_int_equal(parts[0].n_values, N);
    qsort(value, N, sizeof(*value), compare);
    rf_value_counts_sort(&parts[0]);
    for (size_t i = 0; i < N; i++)
        assert_true(rf_value_counts_rank(&parts[0], i) == value[i]);
    assert_true(parts[0].n <= 1003);
    for (int i = 0; i < 2; i++)
        rf_value_counts_release(&parts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_everything),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_captures),
        cmocka_unit_test(test_flags),   cmocka_unit_test(test_not_of_sums),
        cmocka_unit_test(test_values),  cmocka_unit_test(test_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
