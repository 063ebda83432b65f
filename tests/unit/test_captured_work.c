/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and GPU work of captures, of which only sums are asked for: what they add up to as they are
 * read is, to the byte, what all of them in memory add up to; or they are read again, and kept. */
#include "check_report.h"
#include "check_work_counts.h"
#include "model/private_access.h"
#include "model/sums/work_sums.h"
#include "random_windows.h"
#include "rf_cuda_writer.h"
#include "sanitized.h"

#define N_ROUNDS SANITIZED_ROUNDS(24)

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- Recordings ---- */

#define N_WAITING 40 /* calls at most */

/* A process, and the calls that are not recorded yet. */
struct maker {
    struct rfw_stream *ranges, *calls, *work;
    struct rf_cuda_api waiting[N_WAITING];
    size_t n_waiting;
};

static uint64_t cupti(int64_t ns, uint64_t seldom)
{
    return dice(seldom) == 0 ? 0 : RFW_CUPTI(ns);
}

static void record_calls(struct maker *m, int64_t ns)
{
    for (size_t i = 0; i < m->n_waiting; i++)
        rfw_cuda(m->calls, ns, &m->waiting[i], sizeof(m->waiting[i]));
    m->n_waiting = 0;
}

/* Calls are recorded some time after their work; some last long, or have one inside. Thread 103
 * has no stream. */
static void add_call(struct maker *m, int64_t ns, uint32_t id)
{
    static const uint32_t functions[] = {RFW_LAUNCH, RFW_MEMCPY, RFW_SYNCHRONIZE, 77};
    const int64_t end_ns = ns + 2 + (int64_t)dice(dice(10) == 0 ? 4000 : 60);
    const bool has_inner = dice(4) == 0;
    struct rf_cuda_api call = {.head = {.kind = RF_CUDA_API, .correlation = id},
                               .start = has_inner ? RFW_CUPTI(ns) : cupti(ns, 40),
                               .end = has_inner ? RFW_CUPTI(end_ns) : cupti(end_ns, 40),
                               .tid = 100 + (uint32_t)dice(4),
                               .function = functions[dice(4)]};
    if (m->n_waiting + 2 > N_WAITING || dice(20) == 0)
        record_calls(m, ns);
    m->waiting[m->n_waiting++] = call;
    if (!has_inner)
        return;
    call.function = (uint32_t)RFW_CU_LAUNCH;
    call.start += 1;
    call.end -= dice(2);
    m->waiting[m->n_waiting++] = call;
}

/* On one of several GPUs; at times long after its call, or with times that are wrong. */
static void add_work(struct maker *m, int64_t ns, uint32_t id)
{
    static const uint8_t kinds[] = {RF_CUDA_KERNEL, RF_CUDA_KERNEL, RF_CUDA_MEMCPY,
                                    RF_CUDA_MEMSET, RF_CUDA_SYNC,   RF_CUDA_GRAPH};
    const int64_t start_ns = ns - 5 + (int64_t)dice(dice(8) == 0 ? 5000 : 100);
    const int64_t end_ns = start_ns + (int64_t)dice(90) - (dice(30) == 0 ? 20 : 0);
    const uint32_t device = (uint32_t)dice(3), stream = 7 * (1 + (uint32_t)dice(3));
    union rf_cuda_record record = {.head = {.kind = kinds[dice(6)], .correlation = id}};
    const bool has_times = dice(20) != 0;
    record.kernel.start = has_times ? cupti(start_ns, 50) : 0;
    record.kernel.end = has_times ? cupti(end_ns, 50) : 0;
    if (record.head.kind == RF_CUDA_KERNEL) {
        record.kernel.device = device;
        record.kernel.context = 1;
        record.kernel.stream = stream;
        record.kernel.name = (uint32_t)dice(5); /* that are defined, one that is not, and none */
        for (int i = 0; i < 3; i++) {
            record.kernel.grid[i] = 1 + (uint32_t)dice(3);
            record.kernel.block[i] = 1 + (uint32_t)dice(2);
        }
    } else if (record.head.kind == RF_CUDA_MEMCPY) {
        record.memcpy.device = device;
        record.memcpy.context = 1;
        record.memcpy.stream = stream;
        record.memcpy.copy_kind = (uint8_t)dice(11);
        record.memcpy.bytes = dice(3) == 0 ? dice(1ULL << 40) : dice(100);
    } else if (record.head.kind == RF_CUDA_MEMSET) {
        record.memset.device = device;
        record.memset.context = 1;
        record.memset.stream = stream;
        record.memset.bytes = dice(100);
    } else if (record.head.kind == RF_CUDA_SYNC) {
        record.sync.context = 1;
        record.sync.stream = stream;
    } else {
        record.graph.context = 1;
        record.graph.stream = stream;
    }
    rfw_cuda(m->work, ns, &record, sizeof(record));
}

/* A row of memory, an event or overhead. far: overhead of a call may be of another thread. */
static void add_row(struct maker *m, int64_t ns, uint32_t id, bool is_far)
{
    union rf_cuda_record record = {.head = {.correlation = id}};
    switch (dice(4)) {
    case 0:
        record.head.kind = RF_CUDA_EVENT;
        record.event.event = 1 + (uint32_t)dice(9);
        record.event.context = 1;
        break;
    case 1:
        record.head.kind = RF_CUDA_OVERHEAD;
        record.head.correlation = is_far ? id : 0;
        record.overhead.start = cupti(ns, 10);
        record.overhead.end = cupti(ns + 20, 10);
        record.overhead.object_kind = 1 + (uint32_t)dice(5);
        record.overhead.object[1] = 100 + (uint32_t)dice(6);
        break;
    default:
        record.head.kind = RF_CUDA_MEMORY;
        record.memory.time = cupti(ns, 10);
        record.memory.address = 4096 * (1 + dice(9));
        record.memory.bytes = dice(1000);
        record.memory.operation = (uint8_t)(1 + dice(2));
        record.memory.memory = (uint8_t)(1 + dice(4));
        record.memory.name = (uint32_t)dice(4);
    }
    rfw_cuda(m->work, ns, &record, sizeof(record));
}

static void add_range(struct maker *m, int64_t ns)
{
    static const char *const names[] = {"step", "load", "send"};
    const struct rfw_attr attr = {.text = names[dice(3)]};
    switch (dice(5)) {
    case 0:
    case 1:
        rfw_push(m->ranges, ns, &attr);
        break;
    case 2:
    case 3:
        rfw_pop(m->ranges, ns, 0);
        break;
    default:
        rfw_mark(m->ranges, ns, &attr);
    }
}

static void make_process(struct rfw *w, uint32_t i, size_t n, bool is_far)
{
    const uint32_t p = rfw_process(w, 100 + i, "app");
    if (dice(6) != 0)
        rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    struct maker m = {.ranges = rfw_stream(w, p, 0, 100, 1),
                      .calls = rfw_stream(w, p, 2, 800, 3),
                      .work = rfw_stream(w, p, 3, 801, 4)};
    rfw_mark(rfw_stream(w, p, 1, 101, 2), 10, &(struct rfw_attr){.text = "mark"});
    for (size_t k = 0; k < n; k++) {
        const int64_t ns = 1000 + 50 * (int64_t)k;
        const uint32_t id = (uint32_t)k + 1;
        if (dice(4) == 0)
            add_range(&m, ns);
        if (dice(12) != 0) /* or its call was not recorded */
            add_call(&m, ns, id);
        for (uint64_t left = dice(3); left > 0; left--)
            add_work(&m, ns + 3, dice(20) == 0 ? 0 : id);
        if (dice(8) == 0)
            add_row(&m, ns + 4, dice(3) == 0 ? 0 : id, is_far);
    }
    record_calls(&m, 1000 + 50 * (int64_t)n);
    if (dice(2) == 0)
        rfw_exit(w, p, 3000 + 50 * (int64_t)n);
}

/* Of a focused run: with several captures, or one that goes on. */
static struct rfw *random_recording(size_t n, bool is_far)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 2; i++)
        make_process(w, i, n, is_far);
    add_windows(w, 1000 + 50 * (int64_t)n, dice);
    return w;
}

/* ---- Reports ---- */

static const char *const sums[] = {"cuda_api_sum",           "cuda_gpu_kern_sum",
                                   "cuda_gpu_kern_sum:base", "cuda_gpu_kern_sum:mangled",
                                   "cuda_gpu_mem_time_sum",  "cuda_gpu_mem_size_sum",
                                   "cuda_gpu_sum",           "cuda_api_gpu_sum",
                                   "cuda_gpu_kern_gb_sum",   "cuda_gpu_kern_gb_sum:base"};
static const char *const launches[] = {"cuda_kern_exec_sum", "cuda_kern_exec_sum:base",
                                       "cuda_kern_exec_sum:mangled"};
#define N_SUMS     (sizeof(sums) / sizeof(sums[0]))
#define N_LAUNCHES (sizeof(launches) / sizeof(launches[0]))

static size_t n_bytes; /* of all reports */

static void check_reports(const rf_recording *whole, const rf_recording *summed,
                          const char *const *reports, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *a = make_report(whole, reports[i]), *b = make_report(summed, reports[i]);
        assert_string_equal(a, b);
        n_bytes += strlen(a);
        free(a);
        free(b);
    }
}

static void check_missing_of(const rf_recording *whole, const rf_recording *summed,
                             const char *const *reports, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(rf_report_missing(whole, reports[i], NULL, 0),
                         rf_report_missing(summed, reports[i], NULL, 0));
}

static void check_events(const rf_recording *whole, const rf_recording *summed)
{
    const struct rf_info *a = rf_get_info(whole), *b = rf_get_info(summed);
    assert_int_equal(a->n_ranges, b->n_ranges);
    assert_int_equal(a->n_events, b->n_events);
    assert_int_equal(a->n_cut, b->n_cut);
    assert_int_equal(a->end_ns, b->end_ns);
    assert_int_equal(a->n_unmatched_ends, b->n_unmatched_ends);
}

static void check_nothing_is_kept(const rf_recording *rec)
{
    assert_null(rf_gpu_ops(rec, NULL));
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        assert_null(rf_thread_calls(rec, t, NULL));
        assert_null(rf_thread_events(rec, t, NULL));
    }
}

/* Returns whether it has sums of work. */
static bool check_sums_with(const struct rfw *w, const rf_recording *whole, unsigned flags)
{
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS | flags);
    const struct rf_work_sums *of = rf_recording_work_sums(summed);
    const bool has_sums = of != NULL;
    size_t n_ops = 0;
    (void)rf_gpu_ops(whole, &n_ops);
    if (has_sums) {
        assert_int_equal(of->n_ops, n_ops);
        check_nothing_is_kept(summed);
        check_tracks(whole, summed);
        check_skipped(whole, summed);
    }
    check_events(whole, summed);
    check_missing_of(whole, summed, sums, N_SUMS);
    check_reports(whole, summed, sums, N_SUMS);
    rf_close(summed);
    return has_sums;
}

/* The sums of ranges are the same with sums of work and without. */
static void check_ranges(const struct rfw *w)
{
    static const char *const reports[] = {"nvtx_sum"};
    const unsigned flags = RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS;
    rf_recording *with = rfw_reopen(w, 0, flags),
                 *without = rfw_reopen(w, 0, flags | RF_OPEN_NO_WORK);
    assert_non_null(rf_recording_sums(with));
    check_reports(without, with, reports, 1);
    rf_close(with);
    rf_close(without);
}

static bool check_sums(const struct rfw *w, const rf_recording *whole)
{
    const bool has_sums = check_sums_with(w, whole, RF_OPEN_COUNTS);
    assert_int_equal(check_sums_with(w, whole, 0), has_sums);
    check_ranges(w);
    return has_sums;
}

static bool check_launches(const struct rfw *w, const rf_recording *whole)
{
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS);
    const bool has_sums = rf_recording_launch_sums(summed) != NULL;
    if (has_sums)
        check_nothing_is_kept(summed);
    check_events(whole, summed);
    check_missing_of(whole, summed, launches, N_LAUNCHES);
    check_reports(whole, summed, launches, N_LAUNCHES);
    rf_close(summed);
    return has_sums;
}

/* Returns whether calls and work were not kept. */
static bool check_counts(const struct rfw *w, const rf_recording *whole)
{
    rf_recording *counted =
        rfw_reopen(w, 0, RF_OPEN_COUNTS | RF_OPEN_WORK_COUNTS | RF_OPEN_NO_SAMPLES);
    size_t n_ops = 0;
    (void)rf_gpu_ops(whole, &n_ops);
    const bool is_counted = n_ops > 0 && rf_gpu_ops(counted, NULL) == NULL;
    if (is_counted)
        check_nothing_is_kept(counted);
    check_events(whole, counted);
    check_work_counts(whole, counted);
    rf_close(counted);
    return is_counted;
}

static unsigned n_sums, n_launches, n_counts; /* recordings that were not kept */

static void check_recording(const struct rfw *w)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    n_sums += check_sums(w, whole);
    n_launches += check_launches(w, whole);
    n_counts += check_counts(w, whole);
    rf_close(whole);
}

static void check_random(bool is_far)
{
    n_sums = n_launches = n_counts = 0;
    n_bytes = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        seed = round;
        struct rfw *w = random_recording(round % 6 == 0 ? 2000 : round % 2 == 0 ? 300 : 60, is_far);
        check_recording(w);
        rfw_free(w);
    }
    assert_true(n_bytes > 5000 * N_ROUNDS);
}

static void test_random(void **state)
{
    (void)state;
    check_random(false);
    assert_int_equal(n_sums, N_ROUNDS);
    assert_int_equal(n_launches, N_ROUNDS);
    assert_true(n_counts > N_ROUNDS / 2); /* some captures have no work */
}

/* Overhead that names a call of another thread, which is not listed at times: that is read again.
 */
static void test_overhead(void **state)
{
    (void)state;
    check_random(true);
    assert_true(n_sums > N_ROUNDS / 2 && n_counts > N_ROUNDS / 4);
}

/* Overhead in a capture of a call that is not: neither it nor its thread is there. */
static void test_late_overhead(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    const struct rf_cuda_overhead late = {.head = {.kind = RF_CUDA_OVERHEAD, .correlation = 1},
                                          .start = RFW_CUPTI(1500),
                                          .end = RFW_CUPTI(1600),
                                          .object_kind = 2,
                                          .object = {100, 300}};
    rfw_focus(w, 1);
    rfw_window(w, 1000, 5000);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_call(s, 100, 500, 600, 1, RFW_LAUNCH);
    rfw_cuda(s, 1700, &late, sizeof(late));
    rfw_cuda_call(s, 100, 2000, 2100, 2, RFW_LAUNCH);
    rfw_cuda_kernel(s, 2200, 2300, 2, 7, RFW_KERNEL_ADD);
    n_sums = n_launches = n_counts = 0;
    check_recording(w);
    assert_true(n_sums == 1 && n_launches == 1 && n_counts == 1);
    rfw_free(w);
}

/* ---- At the edges of captures ---- */

struct edge {
    int64_t begin_ns, end_ns; /* of the capture */
    int64_t call_ns, return_ns;
    int64_t work_ns; /* 0: it has no times */
    bool has_call;
    bool is_inside[2]; /* the call, the work */
};

static void check_edge(const struct edge *edge)
{
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_focus(w, 1);
    rfw_window(w, edge->begin_ns, edge->end_ns);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    const struct rf_cuda_kernel kernel = {
        .head = {.kind = RF_CUDA_KERNEL, .correlation = 1},
        .start = edge->work_ns != 0 ? RFW_CUPTI(edge->work_ns) : 0,
        .end = edge->work_ns != 0 ? RFW_CUPTI(edge->work_ns + 100) : 0,
        .name = RFW_KERNEL_ADD};
    rfw_cuda(s, 1500, &kernel, sizeof(kernel)); /* without times it is taken to be then */
    const struct rf_cuda_api call = {.head = {.kind = RF_CUDA_API, .correlation = 1},
                                     .start = RFW_CUPTI(edge->call_ns),
                                     .end = RFW_CUPTI(edge->return_ns),
                                     .tid = 100,
                                     .function = RFW_LAUNCH};
    if (edge->has_call)
        rfw_cuda(s, 9500, &call, sizeof(call));
    rf_recording *counted = rfw_reopen(w, 0, RF_OPEN_COUNTS | RF_OPEN_WORK_COUNTS);
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS);
    struct rf_work_counts counts = RF_WORK_COUNTS_INIT;
    assert_int_equal(rf_work_counts_of(counted, &counts), RF_OK);
    assert_int_equal(counts.n_cuda_calls, edge->is_inside[0]);
    assert_int_equal(counts.n_ops[RF_OP_KERNEL], edge->is_inside[1]);
    assert_int_equal(rf_recording_work_sums(summed)->n_ops, edge->is_inside[1]);
    assert_int_equal(rf_recording_work_sums(summed)->n, edge->is_inside[0] + edge->is_inside[1]);
    assert_int_equal(rf_n_gpu_tracks(summed), edge->is_inside[1]);
    rf_close(counted);
    rf_close(summed);
    check_recording(w);
    rfw_free(w);
}

static void test_edges(void **state)
{
    static const struct edge edges[] = {
        {1000, 2000, 900, 1100, 1200, true, {true, true}},    /* over the begin */
        {1000, 2000, 900, 1000, 1200, true, {true, true}},    /* up to it */
        {1000, 2000, 900, 999, 1200, true, {false, false}},   /* before it */
        {1000, 2000, 1900, 2100, 3000, true, {true, true}},   /* over the end */
        {1000, 2000, 2000, 2100, 3000, true, {true, true}},   /* at it */
        {1000, 2000, 2001, 2100, 1500, true, {false, false}}, /* behind it, which cannot be */
        {1000, 2000, 500, 2500, 2600, true, {true, true}},    /* around all of it */
        {1000, 2000, 1500, 1600, 0, true, {true, true}},      /* no times: those of its call */
        {1000, 2000, 500, 600, 0, true, {false, false}},
        {1000, 2000, 0, 0, 0, false, {false, true}}, /* no call: where it was recorded */
        {1000, 2000, 0, 0, 1000, false, {false, true}},
        {1000, 2000, 0, 0, 2000, false, {false, true}},
        {1000, 2000, 0, 0, 950, false, {false, false}}, /* it begins before */
        {1000, 2000, 0, 0, 2001, false, {false, false}},
        {1000, RFW_OPEN, 5000, 5100, 9000, true, {true, true}}, /* it goes on */
        {1000, RFW_OPEN, 500, 600, 1500, true, {false, false}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
        check_edge(&edges[i]);
}

/* Two threads' calls have one id: which work is whose is not found in the order of records. */
static void test_read_again(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_focus(w, 1);
    rfw_window(w, 1000, 50000);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_everything(s, 100, 1000, 1);
    rfw_cuda_everything(s, 200, 20000, 1);
    n_sums = n_launches = n_counts = 0;
    check_recording(w);
    assert_int_equal(n_sums + n_launches + n_counts, 0);
    rfw_free(w);
}

/* ---- Filters ---- */

static void random_filter(struct rf_filter_options *options, char *time, size_t size)
{
    static const char *const activities[] = {"api", "driver", "runtime,kernel", "memcpy", "nvtx"},
                             *const processes[] = {"100", "101", "app"},
                             *const kernels[] = {"plain", "/add|0x/", "*"},
                             *const gpus[] = {"1", "2,0,1", "0", "99"};
    const long long begin = (long long)dice(12000);
    *options = (struct rf_filter_options)RF_FILTER_OPTIONS_INIT;
    (void)snprintf(time, size, "%lldns/%lldns", begin, begin + (long long)dice(6000));
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
    if (dice(3) == 0)
        options->gpus = gpus[dice(4)];
    if (dice(8) == 0)
        options->threads = "100";
    if (dice(8) == 0)
        options->without_cut = 1;
}

static rf_recording *filter_of(rf_recording *rec, const struct rf_filter_options *options,
                               struct rf_err *err)
{
    rf_recording *part = NULL;
    err->text[0] = '\0';
    const int status = rf_filter(rec, options, &part, err);
    assert_int_equal(status == RF_OK, part != NULL);
    return part;
}

/* Returns whether the part has sums of work. */
static bool check_filter(const char *path, const struct rf_filter_options *options)
{
    rf_recording *whole, *summed;
    struct rf_err err[2];
    assert_int_equal(rf_open(path, 0, &whole, NULL), RF_OK);
    assert_int_equal(rf_open_selected(path, RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS | RF_OPEN_COUNTS,
                                      NULL, options, &summed, NULL),
                     RF_OK);
    rf_recording *a = filter_of(whole, options, &err[0]), *b = filter_of(summed, options, &err[1]);
    assert_string_equal(err[0].text, err[1].text);
    check_missing_of(whole, summed, sums, N_SUMS); /* what a filter leaves out is there */
    const bool has_sums = b != NULL && rf_recording_work_sums(b) != NULL;
    if (a != NULL)
        check_reports(a, b, sums, N_SUMS);
    rf_close(a);
    rf_close(b);
    rf_close(whole);
    rf_close(summed);
    return has_sums;
}

static void test_filters(void **state)
{
    const unsigned n_each = 12, n_rounds = SANITIZED_ROUNDS(6);
    unsigned n_selected = 0;
    (void)state;
    n_bytes = 0;
    for (uint64_t round = 1; round <= n_rounds; round++) {
        char *dir = rfw_make_tmpdir(), path[4096], time[64];
        seed = round;
        struct rfw *w = random_recording(200, false);
        (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
        rfw_save_packed(w, path);
        for (unsigned i = 0; i < n_each; i++) {
            struct rf_filter_options options;
            random_filter(&options, time, sizeof(time));
            n_selected += check_filter(path, &options);
        }
        rfw_remove_tree(dir);
        free(dir);
        rfw_free(w);
    }
    assert_true(n_selected > n_each * n_rounds / 2 && n_bytes > 1000 * n_rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_overhead),
        cmocka_unit_test(test_edges),   cmocka_unit_test(test_read_again),
        cmocka_unit_test(test_filters), cmocka_unit_test(test_late_overhead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
