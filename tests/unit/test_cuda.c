/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of programs that use CUDA: calls, GPU work, and what links them. */
#include "model/fields/fields.h"
#include "model/private_access.h"
#include "rf_cuda_writer.h"
#include "unit.h"

static const char *string(const rf_recording *rec, uint32_t id)
{
    const char *text = rf_string(rec, id, NULL);
    return text != NULL ? text : "(none)";
}

/* A range around a launch and a copy, two streams, a wait. */
static void test_basic(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *f = rfw_stream(w, p, 1, 105, 2);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_push(s, 1000, &(struct rfw_attr){.text = "step"});
    rfw_pop(s, 9000, 0);
    rfw_thread(f, 500, 105, 2, "rf-cuda");
    rfw_cuda_kernel(f, 20000, 30000, 12, 13, RFW_KERNEL_ADD);
    rfw_cuda_call(f, 100, 4000, 5000, 12, RFW_LAUNCH);
    rfw_cuda_call(f, 100, 2000, 3000, 11, RFW_MEMCPY);
    rfw_cuda_copy(f, 2500, 8000, 11, 7, 4096);
    rfw_cuda_kernel(f, 40000, 40100, 13, 13, RFW_KERNEL_PLAIN);
    rfw_cuda_call(f, 101, 6000, 7000, 13, RFW_CU_LAUNCH);
    rfw_exit(w, p, 50000);
    for (int as_directory = 0; as_directory < 2; as_directory++) {
        rf_recording *rec = rfw_reopen(w, as_directory, 0);
        size_t n;
        assert_int_equal(rf_n_threads(rec), 2); /* the recorder's own is none */
        const struct rf_call *call = rf_thread_calls(rec, 0, &n);
        assert_int_equal(n, 2);
        assert_string_equal(string(rec, call[0].name), "cudaMemcpyAsync_v3020");
        assert_int_equal(call[0].start_ns, 2000);
        assert_int_equal(call[0].end_ns, 3000);
        assert_int_equal(call[0].kind, RF_CALL_CUDA_RUNTIME);
        assert_int_equal(call[1].correlation, 12);
        const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
        assert_int_equal(n, 3);
        assert_int_equal(op[0].kind, RF_OP_MEMCPY);
        assert_int_equal(op[0].start_ns, 2500);
        assert_int_equal(op[0].thread, 0);
        assert_int_equal(op[0].call, 0);
        assert_int_equal(call[0].first_op, 0);
        assert_int_equal(rf_transfer_at(rec, op[0].detail)->bytes, 4096);
        assert_int_equal(rf_transfer_at(rec, op[0].detail)->source_memory, 1);
        assert_string_equal(string(rec, op[1].name), "add");
        const struct rf_kernel *kernel = rf_kernel_at(rec, op[1].detail);
        assert_string_equal(string(rec, kernel->demangled), "void ns::add<float>(float*, int)");
        assert_string_equal(string(rec, kernel->mangled), "_ZN2ns3addIfEEvPT_i");
        assert_int_equal(kernel->grid[0], 32);
        assert_int_equal(kernel->launch_type, 1);
        assert_string_equal(string(rec, op[2].name), "plain");
        assert_int_equal(op[2].thread, 1);
        assert_int_equal(rf_thread_at(rec, 1)->tid, 101);
        call = rf_thread_calls(rec, 1, &n);
        assert_int_equal(n, 1);
        assert_int_equal(call[0].kind, RF_CALL_CUDA_DRIVER);
        assert_int_equal(rf_n_gpu_tracks(rec), 2);
        assert_int_equal(rf_gpu_track_at(rec, 1)->stream, 13);
        assert_int_equal(rf_n_gpus(rec), 1);
        assert_null(rf_skipped_at(rec, 0));
        assert_int_equal(rf_get_info(rec)->n_bad_times, 0);
        rf_close(rec);
    }
    rfw_free(w);
}

/* ---- Times that cannot be ---- */

static uint64_t skipped(const rf_recording *rec, const char *table, const char *reason)
{
    const struct rf_skipped *row;
    for (uint32_t i = 0; (row = rf_skipped_at(rec, i)) != NULL; i++)
        if (strcmp(row->table, table) == 0 && strncmp(row->reason, reason, strlen(reason)) == 0)
            return row->n_rows;
    return 0;
}

static void add_raw_kernel(struct rfw_stream *s, int64_t written_ns, uint64_t start, uint64_t end,
                           uint32_t correlation)
{
    const struct rf_cuda_kernel kernel = {
        .head = {.kind = RF_CUDA_KERNEL, .correlation = correlation},
        .start = start,
        .end = end,
        .context = 1,
        .stream = correlation,
        .name = RFW_KERNEL_PLAIN};
    rfw_cuda(s, written_ns, &kernel, sizeof(kernel));
}

static void check_op(const rf_recording *rec, uint32_t i, int64_t start_ns, int64_t end_ns,
                     unsigned flags)
{
    const struct rf_gpu_op *op = &rf_gpu_ops(rec, NULL)[i];
    assert_int_equal(op->start_ns, start_ns);
    assert_int_equal(op->end_ns, end_ns);
    assert_int_equal(op->flags, flags);
}

static void test_bad_times(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    for (uint32_t id = 1; id <= 6; id++)
        rfw_cuda_call(s, 100, 1000, 1500, id, RFW_LAUNCH);
    add_raw_kernel(s, 9000, 0, 0, 1);
    add_raw_kernel(s, 9000, 0, RFW_CUPTI(3000), 2);
    add_raw_kernel(s, 9000, RFW_CUPTI(3000), 0, 3);
    add_raw_kernel(s, 9000, RFW_CUPTI(3000), RFW_CUPTI(2000), 4);
    add_raw_kernel(s, 9000, RFW_CUPTI(999), RFW_CUPTI(2000), 5);
    add_raw_kernel(s, 9000, RFW_CUPTI(1000), RFW_CUPTI(2000), 6);
    add_raw_kernel(s, 9500, 0, 0, 7); /* nobody's */
    add_raw_kernel(s, 9500, 1, UINT64_MAX, 8);
    struct rf_cuda_api api = {.head = {.kind = RF_CUDA_API}, .tid = 100, .function = RFW_LAUNCH};
    rfw_cuda(s, 9600, &api, sizeof(api));
    api.start = RFW_CUPTI(500);
    api.end = RFW_CUPTI(400);
    rfw_cuda(s, 9600, &api, sizeof(api));
    rf_recording *rec = rfw_reopen(w, 0, 0);
    size_t n;
    (void)rf_gpu_ops(rec, &n);
    assert_int_equal(n, 8);
    check_op(rec, 0, 1500, 1500, RF_TIME_NO_START | RF_TIME_NO_END);
    check_op(rec, 1, 3000, 3000, RF_TIME_NO_START);
    check_op(rec, 2, 3000, 3000, RF_TIME_NO_END);
    check_op(rec, 3, 3000, 3000, RF_TIME_CLAMPED);
    check_op(rec, 4, 999, 2000, RF_TIME_BEFORE_CALL);
    check_op(rec, 5, 1000, 2000, 0);
    check_op(rec, 6, 9500, 9500, RF_TIME_NO_START | RF_TIME_NO_END);
    assert_true(rf_gpu_ops(rec, NULL)[7].start_ns < rf_gpu_ops(rec, NULL)[7].end_ns);
    const struct rf_call *call = rf_thread_calls(rec, 0, &n);
    assert_int_equal(n, 8);
    assert_int_equal(call[0].start_ns, 500);
    assert_int_equal(call[0].end_ns, 500);
    assert_int_equal(call[0].flags, RF_TIME_CLAMPED);
    assert_int_equal(call[7].start_ns, 9600);
    assert_int_equal(call[7].flags, RF_TIME_NO_START | RF_TIME_NO_END);
    assert_int_equal(rf_get_info(rec)->n_bad_times, 8);
    assert_int_equal(skipped(rec, "GPU work", "no times"), 2);
    assert_int_equal(skipped(rec, "GPU work", "no start"), 1);
    assert_int_equal(skipped(rec, "GPU work", "no end"), 1);
    assert_int_equal(skipped(rec, "GPU work", "ends before"), 1);
    assert_int_equal(skipped(rec, "GPU work", "begins before"), 1);
    assert_int_equal(skipped(rec, "CUDA calls", "no start"), 1);
    assert_int_equal(skipped(rec, "CUDA calls", "ends before"), 1);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Clocks ---- */

static int64_t start_of_only_op(const struct rfw *w)
{
    rf_recording *rec = rfw_reopen(w, 0, 0);
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    assert_int_equal(n, 1);
    int64_t start_ns = op[0].start_ns;
    rf_close(rec);
    return start_ns;
}

struct pair {
    int64_t ns, cupti;
    uint32_t error;
};

/* A kernel that begins at `start` of CUPTI's clock is shown at start_ns. */
static void check_clock(const struct pair *pair, size_t n, uint64_t start, int64_t start_ns)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_cuda_names(w, p);
    for (size_t i = 0; i < n; i++)
        rfw_cuda_def(w, p, pair[i].ns, RF_CUDA_DEF_CLOCK, 0, (uint64_t)pair[i].cupti, pair[i].error,
                     NULL);
    add_raw_kernel(s, 5000, start, start + 10, 1);
    assert_int_equal(start_of_only_op(w), start_ns);
    rfw_free(w);
}

static void test_clocks(void **state)
{
    const int64_t s = 1000000000, ms = 1000000;
    /* CUPTI's clock is slower by a percent from 2 s on */
    const struct pair pairs[] = {{s, 100 * s, 1}, {2 * s, 101 * s, 1}, {4 * s, 102980 * ms, 1}};
    const struct pair one[] = {{s, 50, 1}};
    const struct pair close[] = {{s, 1000, 90}, {s + 1000, 2500, 5}, {3 * s, 2 * s + 1500, 9}};
    const struct pair set[] = {{s, 100 * s, 1}, {2 * s, 200 * s, 1}};
    const struct pair back[] = {{s, 100 * s, 1}, {2 * s, 90 * s, 1}, {3 * s, 102 * s, 1}};
    (void)state;
    check_clock(pairs, 3, (uint64_t)(100 * s), s);
    check_clock(pairs, 3, (uint64_t)(100 * s + 700), s + 700);
    check_clock(pairs, 3, (uint64_t)(101 * s + 99 * ms), 2 * s + 100 * ms - 1); /* rounded down */
    check_clock(pairs, 3, (uint64_t)(99 * s), 0);              /* before the first */
    check_clock(pairs, 3, (uint64_t)(103970 * ms), 5 * s - 1); /* behind the last */
    check_clock(one, 1, 60, s + 10);                           /* both run alike */
    check_clock(close, 3, 2500, s + 1000);                     /* the better of two */
    check_clock(set, 2, (uint64_t)(100 * s + 700), s + 700);   /* it was set forward */
    check_clock(set, 2, (uint64_t)(200 * s - 700), 2 * s - 700);
    check_clock(back, 3, (uint64_t)(101 * s), 2 * s); /* it was set back for a while */
    check_clock(NULL, 0, RFW_CUPTI(1234), 1234);      /* by the control page's */
}

/* Without a pair of its own a process says so; with one it does not. */
static void test_no_clock(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), q = rfw_process(w, 101, "app");
    (void)state;
    rfw_cuda_names(w, p);
    rfw_cuda_names(w, q);
    rfw_cuda_clocks(w, q);
    add_raw_kernel(rfw_stream(w, p, 0, 100, 1), 10, RFW_CUPTI(5), RFW_CUPTI(6), 1);
    add_raw_kernel(rfw_stream(w, q, 0, 101, 1), 10, RFW_CUPTI(5), RFW_CUPTI(6), 1);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(skipped(rec, "CUDA times", "process without clock pairs"), 1);
    assert_int_equal(rf_gpu_ops(rec, NULL)[0].start_ns, 5);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Who called ---- */

/* Two processes use the same ids, contexts and streams. */
static void test_two_processes(void **state)
{
    struct rfw *w = rfw_new();
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100 + i, 1);
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        rfw_cuda_call(s, 100 + i, 1000 + i, 1100, 5, RFW_LAUNCH);
        rfw_cuda_kernel(s, 2000 + i, 3000, 5, 7, i == 0 ? RFW_KERNEL_ADD : RFW_KERNEL_PLAIN);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_gpu_tracks(rec), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct rf_gpu_op *op = &rf_gpu_ops(rec, NULL)[i];
        assert_int_equal(rf_gpu_track_at(rec, op->track)->process, i);
        assert_int_equal(rf_thread_at(rec, op->thread)->process, i);
        assert_int_equal(rf_thread_calls(rec, op->thread, NULL)[op->call].start_ns, 1000 + i);
        assert_int_equal(rf_thread_calls(rec, op->thread, NULL)[op->call].first_op, i);
    }
    assert_int_equal(rf_n_gpus(rec), 1); /* one uuid */
    rf_close(rec);
    rfw_free(w);
}

/* A tid that the system uses again: each thread has its own calls, in order. */
static void test_tid_again(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 200, 2);
    size_t n;
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_mark(s, 10, NULL);
    rfw_cuda_call(s, 200, 20, 30, 1, RFW_LAUNCH);
    rfw_thread_end(s, 50, "first");
    rfw_thread(s, 60, 200, 3, "second");
    rfw_mark(s, 70, NULL);
    rfw_cuda_call(s, 200, 90, 91, 3, RFW_LAUNCH);
    rfw_cuda_call(s, 200, 80, 81, 2, RFW_LAUNCH);
    rfw_cuda_kernel(s, 100, 110, 2, 7, RFW_KERNEL_ADD);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 2);
    const struct rf_call *call = rf_thread_calls(rec, 0, &n);
    assert_int_equal(n, 1);
    assert_int_equal(call[0].correlation, 1);
    call = rf_thread_calls(rec, 1, &n);
    assert_int_equal(n, 2);
    assert_int_equal(call[0].correlation, 2);
    assert_int_equal(call[0].first_op, 0);
    assert_int_equal(rf_gpu_ops(rec, NULL)[0].thread, 1);
    rf_close(rec);
    rfw_free(w);
}

/* The driver's call inside of the runtime's has the same id: the outer one caused the work. */
static void test_nested_calls(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_call(s, 100, 110, 120, 9, RFW_CU_LAUNCH);
    rfw_cuda_call(s, 100, 100, 130, 9, RFW_LAUNCH);
    rfw_cuda_kernel(s, 200, 300, 9, 7, RFW_KERNEL_ADD);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_call *call = rf_thread_calls(rec, 0, NULL);
    assert_int_equal(call[0].kind, RF_CALL_CUDA_RUNTIME);
    assert_int_equal(call[0].first_op, 0);
    assert_int_equal(call[1].first_op, RF_NO_INDEX);
    assert_int_equal(rf_gpu_ops(rec, NULL)[0].call, 0);
    assert_null(rf_skipped_at(rec, 0));
    rf_close(rec);
    rfw_free(w);
}

/* A thread whose records stand in two streams: CUDA's count once. */
static void test_two_streams(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *h = rfw_stream(w, p, 1, 100, 1);
    size_t n;
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_push(s, 10, NULL);
    rfw_cuda_kernel(s, 20, 30, 1, 7, RFW_KERNEL_ADD);
    rfw_mark(h, 40, NULL);
    rfw_cuda_kernel(h, 50, 60, 2, 7, RFW_KERNEL_ADD);
    rfw_pop(s, 70, 0);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    (void)rf_gpu_ops(rec, &n);
    assert_int_equal(n, 2);
    assert_int_equal(rf_get_info(rec)->n_events, 2);
    assert_int_equal(rf_n_threads(rec), 1);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Other kinds ---- */

static void test_waits_and_graphs(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_def(w, p, 2, RF_CUDA_DEF_CONTEXT, 3, 1, 20, NULL); /* of device 1 */
    rfw_cuda_call(s, 100, 100, 500, 4, RFW_SYNCHRONIZE);
    const struct rf_cuda_sync sync = {.head = {.kind = RF_CUDA_SYNC, .correlation = 4},
                                      .start = RFW_CUPTI(50), /* waits are no work */
                                      .end = RFW_CUPTI(400),
                                      .type = 1,
                                      .context = 3,
                                      .stream = UINT32_MAX,
                                      .event = 77,
                                      .event_sync = 3};
    const struct rf_cuda_graph graph = {.head = {.kind = RF_CUDA_GRAPH, .correlation = 5},
                                        .start = RFW_CUPTI(600),
                                        .end = RFW_CUPTI(700),
                                        .context = 1,
                                        .stream = 7,
                                        .graph = 21};
    const struct rf_cuda_memset set = {.head = {.kind = RF_CUDA_MEMSET, .correlation = 6},
                                       .start = RFW_CUPTI(800),
                                       .end = RFW_CUPTI(900),
                                       .bytes = 64,
                                       .context = 1,
                                       .stream = 7,
                                       .value = 0xab,
                                       .memory = 3,
                                       .graph = 22,
                                       .graph_node = 1234567890123};
    rfw_cuda_call(s, 100, 550, 560, 5, RFW_GRAPH_LAUNCH);
    rfw_cuda(s, 1000, &sync, sizeof(sync));
    rfw_cuda(s, 1000, &graph, sizeof(graph));
    rfw_cuda(s, 1000, &set, sizeof(set));
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    assert_int_equal(op[0].kind, RF_OP_GRAPH);
    assert_int_equal(op[0].graph, 21);
    assert_int_equal(op[0].detail, 21);
    assert_int_equal(op[1].kind, RF_OP_MEMSET);
    assert_int_equal(rf_transfer_at(rec, op[1].detail)->value, 0xab);
    assert_int_equal(rf_transfer_at(rec, op[1].detail)->source_memory, 2);
    assert_int_equal(rf_transfer_at(rec, op[1].detail)->graph_node, 1234567890123);
    assert_int_equal(op[1].graph, 22);
    assert_int_equal(op[2].kind, RF_OP_SYNC);
    assert_int_equal(op[2].flags, 0);
    assert_int_equal(rf_gpu_track_at(rec, op[2].track)->device, 1);
    assert_int_equal(rf_gpu_track_at(rec, op[2].track)->stream, UINT32_MAX);
    assert_int_equal(rf_wait_at(rec, op[2].detail)->event, 77);
    assert_int_equal(op[2].call, 0);
    assert_int_equal(rf_thread_calls(rec, 0, NULL)[0].first_op, RF_NO_INDEX);
    assert_int_equal(rf_thread_calls(rec, 0, NULL)[1].first_op, 0);
    rf_close(rec);
    rfw_free(w);
}

static int64_t value(const rf_recording *rec, const struct rf_extra *extra, const char *name)
{
    int64_t number = -1;
    for (unsigned i = 0; rf_extra_value_name(extra->kind, i) != NULL; i++)
        if (strcmp(rf_extra_value_name(extra->kind, i), name) == 0 &&
            rf_extra_value(rec, extra, i, &number) == RF_VALUE_NUMBER)
            return number;
    return -1;
}

static void test_extras(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    size_t n;
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_def(w, p, 2, RF_CUDA_DEF_KERNEL, 9, 0, 0, "weights");
    struct rf_cuda_memory memory = {.head = {.kind = RF_CUDA_MEMORY, .correlation = 2},
                                    .time = RFW_CUPTI(300),
                                    .address = 0x7f0000000000,
                                    .bytes = 4096,
                                    .context = 1,
                                    .stream = UINT32_MAX,
                                    .operation = 1,
                                    .memory = 3,
                                    .name = 9};
    rfw_cuda(s, 900, &memory, sizeof(memory));
    memory.operation = 2;
    memory.time = RFW_CUPTI(500);
    memory.stream = 7;
    memory.pool_type = 1;
    memory.pool_size = 1 << 20;
    rfw_cuda(s, 900, &memory, sizeof(memory));
    const struct rf_cuda_event event = {.head = {.kind = RF_CUDA_EVENT, .correlation = 3},
                                        .event = 11,
                                        .context = 1,
                                        .stream = 13,
                                        .event_sync = 12};
    rfw_cuda(s, 900, &event, sizeof(event));
    rfw_cuda_call(s, 100, 200, 210, 3, RFW_LAUNCH);
    struct rf_cuda_overhead overhead = {.head = {.kind = RF_CUDA_OVERHEAD},
                                        .start = RFW_CUPTI(600),
                                        .end = RFW_CUPTI(650),
                                        .overhead_kind = 6u << 16,
                                        .object_kind = 2,
                                        .object = {100, 101}};
    rfw_cuda(s, 900, &overhead, sizeof(overhead));
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_extra *extra = rf_extras(rec, &n);
    assert_int_equal(n, 4);
    assert_int_equal(extra[0].kind, RF_EXTRA_CUDA_EVENT);
    assert_int_equal(extra[0].start_ns, 200);
    assert_int_equal(rf_thread_at(rec, extra[0].thread)->tid, 100);
    assert_int_equal(value(rec, &extra[0], "eventId"), 11);
    assert_int_equal(value(rec, &extra[0], "eventSyncId"), 12);
    assert_int_equal(extra[1].kind, RF_EXTRA_MEMORY);
    assert_int_equal(extra[1].stream, RF_NO_INDEX);
    assert_string_equal(string(rec, extra[1].name), "weights");
    assert_int_equal(value(rec, &extra[1], "memKind"), 2);
    assert_int_equal(value(rec, &extra[1], "memoryOperationType"), 0);
    assert_int_equal(value(rec, &extra[1], "localMemoryPoolSize"), -1);
    assert_int_equal(value(rec, &extra[2], "memoryOperationType"), 1);
    assert_int_equal(value(rec, &extra[2], "localMemoryPoolSize"), 1 << 20);
    assert_int_equal(extra[3].kind, RF_EXTRA_OVERHEAD);
    assert_string_equal(string(rec, extra[3].name), "Command Buffer Full");
    assert_int_equal(value(rec, &extra[3], "overheadType"), 8);
    assert_int_equal(rf_thread_at(rec, extra[3].thread)->tid, 101);
    assert_int_equal(rf_n_counters(rec), 1); /* the memory in use */
    rf_close(rec);
    rfw_free(w);
}

/* ---- What a file may lack or have too much of ---- */

static void test_odd_records(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    size_t n;
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_kernel(s, 100, 200, 1, 7, 42); /* nothing is defined */
    rfw_cuda_kernel(s, 300, 400, 1, 7, 0);
    rfw_cuda_call(s, 100, 50, 60, 1, RFW_CU_LAUNCH);
    const struct rf_cuda_head unknown = {.kind = 200};
    rfw_cuda(s, 500, &unknown, sizeof(unknown));
    const struct rf_cuda_dropped dropped = {.head = {.kind = RF_CUDA_DROPPED}, .n = 12};
    rfw_cuda(s, 500, &dropped, sizeof(dropped));
    rfw_cuda(s, 500, &dropped, sizeof(dropped));
    const uint64_t head = RF_REC_CUDA | (RFW_TICKS_0 + 600) << RF_WORD_TICK_SHIFT;
    const uint64_t one[] = {head | 1u << RF_WORD_TYPE_BITS};
    const uint64_t in_long_form[] = {head, RF_CUDA_KERNEL | 3ULL << 32, 7};
    uint64_t later[40] = {head | 40u << RF_WORD_TYPE_BITS, RF_CUDA_KERNEL | 1ULL << 32,
                          RFW_CUPTI(700), RFW_CUPTI(800)};
    memset(later + 19, 0xff, sizeof(later) - 19 * sizeof(later[0]));
    rfw_raw(s, one, 1);
    rfw_raw(s, in_long_form, 3);
    rfw_raw(s, later, 40); /* words that a later version added */
    const uint64_t short_kernel[] = {head | 3u << RF_WORD_TYPE_BITS, RF_CUDA_KERNEL | 1ULL << 32,
                                     RFW_CUPTI(900)};
    rfw_raw(s, short_kernel, 3);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    assert_int_equal(n, 4);
    assert_int_equal(op[0].start_ns, 700); /* context 0 */
    assert_int_equal(op[0].end_ns, 800);
    assert_int_equal(op[1].start_ns, 900);
    assert_int_equal(op[1].flags, RF_TIME_NO_END);
    assert_string_equal(string(rec, op[2].name), "0x2a");
    assert_int_equal(op[3].name, RF_NO_STRING);
    assert_string_equal(string(rec, rf_thread_calls(rec, 0, NULL)[0].name), "0x80000133");
    assert_int_equal(rf_get_info(rec)->n_cuda_dropped, 24);
    assert_int_equal(skipped(rec, "CUDA records", "too short"), 2);
    assert_int_equal(skipped(rec, "CUDA records", "of a kind"), 1);
    assert_int_equal(skipped(rec, "CUDA names", "not defined"), 2);
    rf_close(rec);
    rfw_free(w);
}

static void test_no_details(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_cuda_kernel(s, 100, 200, 1, 7, RFW_KERNEL_ADD);
    rf_recording *rec = rfw_reopen(w, 0, RF_OPEN_NO_DETAILS);
    assert_int_equal(rf_gpu_ops(rec, NULL)[0].detail, RF_NO_INDEX);
    assert_string_equal(string(rec, rf_gpu_ops(rec, NULL)[0].name), "add");
    assert_null(rf_kernel_at(rec, 0));
    rf_close(rec);
    rfw_free(w);
}

static uint64_t grid_id_of(const rf_recording *rec, const struct rf_gpu_op *op)
{
    struct rf_row row;
    rf_row_of_op(rec, op, &row);
    return row.part[RF_PART_LAUNCH] != NULL ? *(const uint64_t *)row.part[RF_PART_LAUNCH] : 0;
}

/* Numbers of launches apart: kernels that are launched alike have one detail. More of them than are
 * moved to their streams at once. */
static void test_grid_ids(void **state)
{
    enum { N = 150000 };
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    for (uint32_t i = 0; i < N; i++) {
        const struct rf_cuda_kernel kernel = {.head = {.kind = RF_CUDA_KERNEL},
                                              .start = RFW_CUPTI(1000 + 2 * i),
                                              .end = RFW_CUPTI(1001 + 2 * i),
                                              .context = 1,
                                              .stream = i % 3 == 0 ? 7 : 13,
                                              .name = RFW_KERNEL_ADD,
                                              .grid_id = i % 5 == 0 ? 0 : 1 + (int64_t)i};
        rfw_cuda(s, 1000 + 2 * i, &kernel, sizeof(kernel));
    }
    rf_recording *together = rfw_reopen(w, 0, 0);
    rf_recording *apart = rfw_reopen(w, 0, RF_OPEN_GRID_IDS_APART);
    size_t n[2];
    const struct rf_gpu_op *a = rf_gpu_ops(together, &n[0]), *b = rf_gpu_ops(apart, &n[1]);
    assert_true(n[0] == N && n[1] == N);
    assert_null(rf_kernel_at(apart, 1));
    assert_non_null(rf_kernel_at(together, 1));
    for (size_t i = 0; i < N; i++) {
        const int64_t number = (b[i].start_ns - 1000) / 2;
        assert_int_equal(a[i].start_ns, b[i].start_ns);
        assert_int_equal(a[i].track, b[i].track);
        assert_true(i == 0 || b[i].track != b[i - 1].track || b[i].start_ns > b[i - 1].start_ns);
        assert_int_equal(grid_id_of(apart, &b[i]), number % 5 == 0 ? 0 : 1 + number);
        assert_int_equal(grid_id_of(together, &a[i]), grid_id_of(apart, &b[i]));
    }
    rf_close(together);
    rf_close(apart);
    rfw_free(w);
}

/* ---- Captures ---- */

static void test_captures(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    size_t n;
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_focus(w, 1);
    rfw_window(w, 1000, 2000);
    rfw_mark(s, 1500, NULL);
    rfw_cuda_call(s, 100, 500, 999, 1, RFW_LAUNCH); /* before it */
    rfw_cuda_kernel(s, 1100, 1200, 1, 7, RFW_KERNEL_ADD);
    rfw_cuda_call(s, 100, 900, 1000, 2, RFW_LAUNCH); /* into it */
    rfw_cuda_kernel(s, 1300, 1400, 2, 7, RFW_KERNEL_ADD);
    rfw_cuda_call(s, 100, 1600, 2500, 3, RFW_LAUNCH); /* out of it */
    rfw_cuda_kernel(s, 3000, 4000, 3, 7, RFW_KERNEL_ADD);
    rfw_cuda_call(s, 100, 2001, 2500, 4, RFW_LAUNCH); /* behind it */
    rfw_cuda_kernel(s, 4000, 5000, 4, 13, RFW_KERNEL_ADD);
    rfw_cuda_kernel(s, 1999, 5000, 5, 7, RFW_KERNEL_ADD); /* of a call that nobody knows */
    rfw_cuda_kernel(s, 999, 5000, 6, 7, RFW_KERNEL_ADD);
    rfw_cuda_call(s, 101, 2100, 2500, 7, RFW_LAUNCH); /* a thread with nothing in it */
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_call *call = rf_thread_calls(rec, 0, &n);
    assert_int_equal(n, 2);
    assert_int_equal(call[0].correlation, 2);
    assert_int_equal(call[1].correlation, 3);
    assert_int_equal(call[1].end_ns, 2500); /* whole */
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    assert_int_equal(n, 3);
    assert_int_equal(op[0].correlation, 2);
    assert_int_equal(op[1].correlation, 5);
    assert_int_equal(op[2].correlation, 3);
    assert_int_equal(op[2].call, 1);
    assert_int_equal(rf_n_gpu_tracks(rec), 1);
    assert_int_equal(rf_n_threads(rec), 1);
    rf_close(rec);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic),
        cmocka_unit_test(test_bad_times),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_no_clock),
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_tid_again),
        cmocka_unit_test(test_nested_calls),
        cmocka_unit_test(test_two_streams),
        cmocka_unit_test(test_waits_and_graphs),
        cmocka_unit_test(test_extras),
        cmocka_unit_test(test_odd_records),
        cmocka_unit_test(test_no_details),
        cmocka_unit_test(test_grid_ids),
        cmocka_unit_test(test_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
