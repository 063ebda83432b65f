/* SPDX-License-Identifier: Apache-2.0 */
/* The files of tests/data/nsys_exports: every table's rows are there. The numbers were counted with
 * SQL. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "import_support.h"

struct expected {
    const char *name;
    uint64_t n_ranges, n_marks, n_cut;
    uint32_t n_processes, n_threads;
    size_t n_calls, n_ops, n_linked;
    uint32_t n_tracks;
};

static const struct expected files[] = {
    {"a_1proc_text", 491, 0, 0, 1, 1, 3045, 2798, 2798, 2},
    {"b_4gpu_mixed", 503, 0, 0, 4, 4, 3032, 2784, 2784, 8},
    {"c_real_h100_2gpu", 5678, 0, 0, 2, 2, 1988, 2840, 564, 6},
    {"d_4proc_same_device", 248, 0, 0, 4, 8, 1452, 1345, 1345, 8},
    {"defects/d01_textid", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d01b_textid_color", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d01c_textid_prefix", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d02_cpu_pid", 2, 0, 0, 2, 2, 1, 1, 1, 1},
    {"defects/d02b_cpu_pid_api", 1, 0, 0, 2, 2, 2, 1, 1, 1},
    {"defects/d03_two_gpus", 1, 0, 0, 1, 1, 2, 2, 2, 2},
    {"defects/d04_null_end", 1, 0, 1, 1, 1, 1, 1, 1, 1},
    {"defects/d05_zero_len", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d06_cross_thread", 2, 0, 0, 1, 2, 1, 1, 1, 1},
    {"defects/d07_identical", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d08_same_dev_two_pids", 2, 0, 0, 2, 2, 2, 2, 2, 2},
    {"defects/d09_start_end", 1, 1, 0, 1, 2, 1, 1, 1, 1},
    {"defects/d10_no_kernel_table", 1, 0, 0, 1, 1, 0, 0, 0, 0},
    {"defects/d11_no_nvtx_table", 0, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d12_graph", 1, 0, 0, 1, 1, 1, 3, 3, 1},
    {"defects/d13_injection", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d13b_like", 3, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d13c_inject2", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d14_tie", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d15_straddle", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d16_precision", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d17_null_text_child_color", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d18_missing_stringid", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d19_null_corr", 1, 0, 0, 1, 1, 2, 2, 1, 1},
    {"defects/d20_overlap", 2, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d21_invalid_utf8", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d22_pid_gt_24bit", 1, 0, 0, 1, 1, 1, 1, 1, 1},
    {"defects/d23_old_schema_null_globalPid", 1, 0, 0, 1, 1, 1, 1, 1, 1},
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const struct expected *e = &files[i];
        rf_recording *rec = open_file(data_file(e->name));
        const struct rf_info *info = rf_get_info(rec);
        size_t n_ops, n_linked = 0;
        const struct rf_gpu_op *op = rf_gpu_ops(rec, &n_ops);
        print_message("%s\n", e->name);
        check_promises(rec);
        assert_int_equal(info->n_ranges, e->n_ranges);
        assert_int_equal(info->n_marks, e->n_marks);
        assert_int_equal(info->n_cut, e->n_cut);
        assert_int_equal(rf_n_processes(rec), e->n_processes);
        assert_int_equal(rf_n_threads(rec), e->n_threads);
        assert_int_equal(count_calls(rec), e->n_calls);
        assert_int_equal(n_ops, e->n_ops);
        for (size_t k = 0; k < n_ops; k++)
            n_linked += op[k].call != RF_NO_INDEX;
        assert_int_equal(n_linked, e->n_linked);
        assert_int_equal(rf_n_gpu_tracks(rec), e->n_tracks);
        rf_close(rec);
    }
}

static const char *text_of(const rf_recording *rec, uint32_t id)
{
    const char *text = rf_string(rec, id, NULL);
    return text != NULL ? text : "";
}

/* A real trace of PyTorch. */
static void test_real(void **state)
{
    (void)state;
    rf_recording *rec = open_file(data_file("c_real_h100_2gpu"));
    const struct rf_info *info = rf_get_info(rec);
    size_t n;
    assert_string_equal(info->product, "NVIDIA Nsight Systems 2026.2.1.210");
    assert_string_equal(info->host, "modal");
    assert_int_equal(info->epoch_utc_ns, 1779630014975716426);
    assert_int_equal(info->epoch_mono_ns, 35255823190);
    assert_int_equal(info->utc_offset_s, 0);
    assert_int_equal(rf_process_at(rec, 0)->pid, 111);
    assert_string_equal(text_of(rec, rf_process_at(rec, 0)->name), "python3");
    assert_int_equal(rf_thread_at(rec, 1)->tid, 112);
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 2839);
    assert_int_equal(event[0].start_ns, 155357596302);
    assert_int_equal(event[0].end_ns, 155357609579);
    assert_string_equal(text_of(rec, event[0].name), "aten::view, op_id = 314290");
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        if (op[i].start_ns != 155360295935)
            continue;
        const struct rf_kernel *kernel = rf_kernel_at(rec, op[i].detail);
        assert_int_equal(op[i].kind, RF_OP_KERNEL);
        assert_int_equal(op[i].end_ns, 155360299999);
        assert_int_equal(op[i].correlation, 1438831);
        assert_int_equal(op[i].call, RF_NO_INDEX); /* it lies before what was cut out */
        assert_int_equal(kernel->grid[0], 50);
        assert_int_equal(kernel->grid[1], 4);
        assert_int_equal(kernel->block[0], 256);
        assert_int_equal(kernel->registers, 32);
        assert_int_equal(kernel->local_bytes, 250871808);
        assert_int_equal(kernel->shared_executed_bytes, 32768);
        assert_int_equal(rf_gpu_track_at(rec, op[i].track)->stream, 7);
    }
    (void)rf_extras(rec, &n);
    assert_int_equal(n, 198 + 12 + 34);
    assert_null(rf_skipped_at(rec, 0));
    rf_close(rec);
}

/* Every format can do without details. */
static void export_all(const rf_recording *rec)
{
    char output[64];
    struct rf_err err;
    struct rf_export_options options = {
        .size = sizeof(options), .output = output, .can_overwrite = 1};
    (void)snprintf(output, sizeof(output), "/tmp/rf-import-out-%d", (int)getpid());
    for (size_t i = 0; (options.format = rf_export_format_at(i, NULL)) != NULL; i++)
        if (rf_export(rec, &options, &err) != RF_OK)
            fail_msg("%s", err.text);
    (void)unlink(output);
}

/* Without details all work is what it is, but for them. */
static void test_no_details(void **state)
{
    static const char *const names[] = {"a_1proc_text", "c_real_h100_2gpu", "defects/d12_graph"};
    (void)state;
    for (size_t f = 0; f < sizeof(names) / sizeof(names[0]); f++) {
        const char *file = data_file(names[f]);
        size_t n_all, n;
        rf_recording *all = open_file(file), *rec = NULL;
        assert_int_equal(rf_open(file, RF_OPEN_NO_DETAILS, &rec, NULL), RF_OK);
        check_promises(rec);
        const struct rf_gpu_op *expected = rf_gpu_ops(all, &n_all), *op = rf_gpu_ops(rec, &n);
        assert_int_equal(n, n_all);
        assert_non_null(rf_kernel_at(all, 0));
        assert_null(rf_kernel_at(rec, 0));
        assert_null(rf_transfer_at(rec, 0));
        for (size_t i = 0; i < n; i++) {
            struct rf_gpu_op same = expected[i];
            assert_int_equal(op[i].detail, RF_NO_INDEX);
            same.detail = RF_NO_INDEX;
            assert_memory_equal(&same, &op[i], sizeof(same));
        }
        export_all(rec);
        rf_close(rec);
        rf_close(all);
    }
}

struct text {
    char bytes[1 << 20];
    size_t size;
};

static int add_text(void *context, const void *bytes, size_t size)
{
    struct text *text = context;
    assert_true(size <= sizeof(text->bytes) - text->size);
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return 0;
}

static void table_of(const rf_recording *rec, const char *report, struct text *text)
{
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    options.report = report;
    options.format = "csv";
    options.write = add_text;
    options.write_context = text;
    text->size = 0;
    assert_int_equal(rf_report(rec, &options, NULL), RF_OK);
}

/* Sums of ranges alone need no calls and no GPU work, unless a range ends with them. */
static void test_ranges_alone(void **state)
{
    static const unsigned readers[] = {RF_OPEN_PAGES, RF_OPEN_LIBRARY};
    static struct text expected, text;
    (void)state;
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
        for (size_t r = 0; r < sizeof(readers) / sizeof(readers[0]); r++) {
            const char *file = data_file(files[f].name);
            const unsigned flags = RF_OPEN_SUMS | RF_OPEN_NO_WORK | readers[r];
            size_t n_ops;
            rf_recording *all = open_file(file), *rec = NULL;
            table_of(all, "nvtx_sum", &expected);
            assert_int_equal(rf_open(file, flags, &rec, NULL), RF_OK);
            check_promises(rec);
            table_of(rec, "nvtx_sum", &text);
            assert_int_equal(text.size, expected.size);
            assert_memory_equal(text.bytes, expected.bytes, text.size);
            (void)rf_gpu_ops(rec, &n_ops);
            assert_int_equal(n_ops, files[f].n_cut > 0 ? files[f].n_ops : 0);
            assert_int_equal(count_calls(rec), files[f].n_cut > 0 ? files[f].n_calls : 0);
            assert_null(rf_skipped_at(rec, 0));
            rf_close(rec);
            rf_close(all);
        }
}

/* Opens a file as a report asks for it, whose table is the same as of all. */
static rf_recording *open_for(const char *file, const char *report, unsigned reader)
{
    static struct text expected, text;
    rf_recording *all = open_file(file), *rec = NULL;
    table_of(all, report, &expected);
    rf_close(all);
    assert_int_equal(rf_open(file, rf_report_open_flags(report) | reader, &rec, NULL), RF_OK);
    check_promises(rec);
    table_of(rec, report, &text);
    assert_int_equal(text.size, expected.size);
    assert_memory_equal(text.bytes, expected.bytes, text.size);
    return rec;
}

static void check_counts(rf_recording *rec, uint64_t n_ranges, size_t n_calls, size_t n_ops)
{
    size_t n;
    (void)rf_gpu_ops(rec, &n);
    assert_int_equal(n, n_ops);
    assert_int_equal(count_calls(rec), n_calls);
    assert_int_equal(rf_get_info(rec)->n_ranges, n_ranges);
    rf_close(rec);
}

/* Sums of GPU work need neither ranges nor calls, unless work is of the process of its call; those
 * of calls nothing else. */
static void test_work_alone(void **state)
{
    static const unsigned readers[] = {RF_OPEN_PAGES, RF_OPEN_LIBRARY};
    static const char *const reports[] = {"cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum",
                                          "cuda_gpu_mem_size_sum", "cuda_gpu_sum",
                                          "cuda_gpu_kern_gb_sum"};
    (void)state;
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
        for (size_t r = 0; r < sizeof(readers) / sizeof(readers[0]); r++) {
            const struct expected *e = &files[f];
            const char *file = data_file(e->name);
            const bool needs_calls = strstr(e->name, "null_globalPid") != NULL;
            for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
                check_counts(open_for(file, reports[i], readers[r]), needs_calls ? e->n_ranges : 0,
                             needs_calls ? e->n_calls : 0, e->n_ops);
            check_counts(open_for(file, "cuda_api_sum", readers[r]), 0, e->n_calls, 0);
            check_counts(open_for(file, "cuda_api_gpu_sum", readers[r]), e->n_ranges, e->n_calls,
                         e->n_ops);
        }
}

static void test_flags(void **state)
{
    struct rf_err err;
    rf_recording *rec = NULL;
    (void)state;
    assert_int_equal(rf_open(data_file("defects/d12_graph"), 1u << 30, &rec, &err), RF_ERR_USAGE);
    assert_null(rec);
    assert_non_null(strstr(err.text, "unknown flags 0x40000000"));
}

/* A range that was never closed ends where the last event does. */
static void test_null_end(void **state)
{
    (void)state;
    rf_recording *rec = open_file(data_file("defects/d04_null_end"));
    const struct rf_event *event = rf_thread_events(rec, 0, NULL);
    assert_int_equal(event[0].cut, RF_CUT_CAPTURE_ENDED);
    assert_int_equal(event[0].end_ns, 5000); /* of the kernel */
    assert_int_equal(rf_get_info(rec)->end_ns, 5000);
    rf_close(rec);
}

static void test_missing_string(void **state)
{
    (void)state;
    rf_recording *rec = open_file(data_file("defects/d18_missing_stringid"));
    const struct rf_call *call = rf_thread_calls(rec, 0, NULL);
    assert_string_equal(text_of(rec, call[0].name), "0x1");
    assert_int_equal(count_skipped(rec, "StringIds lacks"), 1);
    rf_close(rec);
}

/* A call and a kernel without correlation are not each other's. */
static void test_null_correlation(void **state)
{
    (void)state;
    size_t n;
    rf_recording *rec = open_file(data_file("defects/d19_null_corr"));
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    assert_int_equal(n, 2);
    assert_int_equal(op[0].correlation, 1);
    assert_int_equal(op[0].call, 0);
    assert_int_equal(op[1].correlation, 0);
    assert_int_equal(op[1].call, RF_NO_INDEX);
    rf_close(rec);
}

static void test_invalid_utf8(void **state)
{
    (void)state;
    size_t size;
    rf_recording *rec = open_file(data_file("defects/d21_invalid_utf8"));
    const struct rf_event *event = rf_thread_events(rec, 0, NULL);
    const char *text = rf_string(rec, event[0].name, &size);
    assert_int_equal(size, 2);
    assert_memory_equal(text, "\377a", 2);
    rf_close(rec);
}

/* A kernel that does not say its process is that of the only call with its id. */
static void test_no_process(void **state)
{
    (void)state;
    rf_recording *rec = open_file(data_file("defects/d23_old_schema_null_globalPid"));
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    assert_int_equal(rf_process_at(rec, rf_gpu_track_at(rec, 0)->process)->pid, 10);
    assert_int_equal(op[0].thread, 0);
    assert_int_equal(op[0].call, 0);
    rf_close(rec);
}

/* Every kernel of a graph's launch is in the list of its call. */
static void test_graph(void **state)
{
    (void)state;
    rf_recording *rec = open_file(data_file("defects/d12_graph"));
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    const struct rf_call *call = rf_thread_calls(rec, 0, NULL);
    int n = 0;
    for (uint32_t i = call[0].first_op; i != RF_NO_INDEX; i = op[i].next_op)
        n++;
    assert_int_equal(n, 3);
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),           cmocka_unit_test(test_real),
        cmocka_unit_test(test_no_details),       cmocka_unit_test(test_ranges_alone),
        cmocka_unit_test(test_work_alone),       cmocka_unit_test(test_flags),
        cmocka_unit_test(test_null_end),         cmocka_unit_test(test_missing_string),
        cmocka_unit_test(test_null_correlation), cmocka_unit_test(test_invalid_utf8),
        cmocka_unit_test(test_no_process),       cmocka_unit_test(test_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
