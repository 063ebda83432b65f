/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of GPU work: rows of a small recording, in every form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "built_recording.h"
#include "model/recording.h"
#include "rangefinder/summary.h"
#include "stats/stats.h"

static char folder[] = "/tmp/rf-test-project-XXXXXX";
static char output[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(output, sizeof(output), "%s/report", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(output);
    return rmdir(folder);
}

static int by_process, fold_numbers; /* of the reports below */

static const char *report(const rf_recording *rec, const char *name, const char *format)
{
    static char text[16384];
    struct rf_err err = {0};
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = name,
                                        .format = format,
                                        .output = output,
                                        .can_overwrite = 1,
                                        .by_process = by_process,
                                        .fold_numbers = fold_numbers};
    int status = rf_report(rec, &options, &err);
    if (status != RF_OK)
        fail_msg("%s", err.text);
    FILE *file = fopen(output, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

/* Step 0 with a copy and two kernels, one of them in an inner range of a domain; step 1 with one
 * kernel; a kernel outside of ranges, and one whose call nobody knows. */
static rf_recording *two_steps(void)
{
    rf_recording *rec = built_new();
    uint32_t domain = built_domain(rec, 0, 1, "lib");
    uint32_t t = built_thread(rec, 0, 101);
    (void)built_mark(rec, t, -20, "mark");
    (void)built_range(rec, t, -10, 100, 0, "step");
    (void)built_range(rec, t, 40, 70, domain, "inner");
    (void)built_range(rec, t, 200, 300, 0, "step");
    for (int64_t i = 0; i < 5; i++)
        (void)built_call(rec, t, (int64_t[]){10, 20, 50, 210, 400}[i],
                         (int64_t[]){15, 25, 60, 220, 410}[i]);
    (void)built_op(rec, RF_OP_MEMCPY, 1000, 1100, t, 0, NULL);
    (void)built_op(rec, RF_OP_KERNEL, 1100, 1110, t, 1, "add");
    (void)built_op(rec, RF_OP_KERNEL, 1120, 1150, t, 2, "mul");
    (void)built_op(rec, RF_OP_KERNEL, 1200, 1240, t, 3, "add");
    (void)built_op(rec, RF_OP_KERNEL, 1300, 1305, t, 4, "add");
    (void)built_op(rec, RF_OP_KERNEL, 1400, 1401, RF_NO_INDEX, RF_NO_INDEX, NULL);
    (void)built_op(rec, RF_OP_SYNC, 0, 9999, t, 2, NULL);
    return rec;
}

static void test_trace(void **state)
{
    rf_recording *rec = two_steps();
    (void)state;
    assert_string_equal(
        report(rec, "nvtx_gpu_proj_trace", "csv"),
        "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),"
        "Style,PID,TID,NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack\n"
        ":step,1000,150,-10,110,PushPop,100,101,3,0,1,2,None,:2\n"
        "lib:inner,1120,30,40,30,PushPop,100,101,1,1,0,3,2,:2:3\n"
        ":step,1200,40,200,100,PushPop,100,101,1,0,0,4,None,:4\n");
    const char *json = report(rec, "nvtxgpuproj", "json");
    assert_non_null(strstr(json, "\"Orig Start (ns)\": -10, "));
    assert_non_null(strstr(json, "\"ParentId\": null, \"RangeStack\": \":4\"}\n]"));
    built_free(rec);
}

static void test_sum(void **state)
{
    rf_recording *rec = two_steps();
    (void)state;
    assert_string_equal(
        report(rec, "nvtx_gpu_proj_sum", "csv"),
        "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),"
        "Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,"
        "Avg Range Lvl,Avg Num Child\n"
        ":step,PushPop,190,210,2,95.0,95.0,40,150,77.8,4,2.0,0.0,0.5\n"
        "lib:inner,PushPop,30,30,1,30.0,30.0,30,30,0.0,1,1.0,1.0,0.0\n");
    built_free(rec);
}

static void test_kernels_by_range(void **state)
{
    rf_recording *rec = two_steps();
    (void)state;
    assert_string_equal(
        report(rec, "nvtx_kern_sum", "csv"),
        "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),"
        "Max (ns),StdDev (ns),Kernel Name\n"
        ":step,PushPop,100,101,2,2,50,25.0,25.0,10,40,21.2,add\n"
        ":step,PushPop,100,101,1,1,30,30.0,30.0,30,30,0.0,mul\n"
        "lib:inner,PushPop,100,101,1,1,30,30.0,30.0,30,30,0.0,mul\n"
        "None,None,100,101,0,1,5,5.0,5.0,5,5,0.0,add\n"
        "None,None,None,None,0,1,1,1.0,1.0,1,1,0.0,(null)\n");
    built_free(rec);
}

static void test_kernels(void **state)
{
    rf_recording *rec = two_steps();
    (void)state;
    assert_string_equal(report(rec, "cuda_gpu_kern_sum", "csv"),
                        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
                        "StdDev (ns),Name\n"
                        "64.0,55,3,18.3,10.0,5,40,18.9,add\n"
                        "34.9,30,1,30.0,30.0,30,30,0.0,mul\n"
                        "1.2,1,1,1.0,1.0,1,1,0.0,(null)\n");
    built_free(rec);
}

static void add_step(rf_recording *rec, uint32_t t, int64_t at, const char *name,
                     const char *kernel)
{
    (void)built_range(rec, t, at, at + 50, 0, name);
    uint32_t call = built_call(rec, t, at + 10, at + 20);
    (void)built_op(rec, RF_OP_KERNEL, at + 30, at + 40, t, call, kernel);
}

/* Names that differ by numbers alone are one in sums, of ranges and of kernels; a trace has them
 * all. */
static void test_folding(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    add_step(rec, t, 100, "step 9", "gemm_128x64");
    add_step(rec, t, 200, "step 10", "gemm_64x8");
    add_step(rec, t, 300, "other", NULL);
    fold_numbers = 1;
    assert_non_null(strstr(report(rec, "nvtx_gpu_proj_sum", "csv"), "\n:step #,PushPop,20,100,2,"));
    const char *kernels = report(rec, "cuda_gpu_kern_sum", "csv");
    assert_non_null(strstr(kernels, "\n66.7,20,2,10.0,10.0,10,10,0.0,gemm_#x#\n"));
    assert_non_null(strstr(kernels, "\n33.3,10,1,10.0,10.0,10,10,0.0,(null)\n"));
    assert_non_null(strstr(report(rec, "cuda_gpu_kern_sum:nvtx-name", "csv"),
                           "\n66.7,20,2,10.0,10.0,10,10,0.0,step #/gemm_#x#\n"));
    assert_non_null(strstr(report(rec, "cuda_gpu_kern_gb_sum", "csv"), ",gemm_#x#\n"));
    assert_non_null(strstr(report(rec, "cuda_kern_exec_sum", "csv"), ",gemm_#x#\n"));
    assert_non_null(strstr(report(rec, "nvtx_kern_sum", "csv"),
                           "\n:step #,PushPop,100,101,2,2,20,10.0,10.0,10,10,0.0,gemm_#x#\n"));
    assert_non_null(strstr(report(rec, "cuda_gpu_trace", "csv"), ",gemm_128x64\n"));
    fold_numbers = 0;
    assert_non_null(strstr(report(rec, "cuda_gpu_kern_sum", "csv"), ",gemm_64x8\n"));
    assert_non_null(strstr(report(rec, "nvtx_gpu_proj_sum", "csv"), "\n:step 9,PushPop,"));
    built_free(rec);
}

/* What has no value is None, and null in JSON; equal totals stand by their names. */
static void test_other_tables(void **state)
{
    rf_recording *rec = two_steps();
    (void)state;
    uint32_t t = 0;
    (void)built_op(rec, RF_OP_KERNEL, 213, 214, t, 3, "early");
    (void)built_op(rec, RF_OP_KERNEL, 1500, 1501, t, 3, "Early");
    assert_string_equal(
        report(rec, "cuda_gpu_sum", "csv"),
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
        "Category,Operation\n"
        "53.2,100,1,100.0,100.0,100,100,0.0,MEMORY_OPER,[CUDA memcpy Unknown]\n"
        "29.3,55,3,18.3,10.0,5,40,18.9,CUDA_KERNEL,add\n"
        "16.0,30,1,30.0,30.0,30,30,0.0,CUDA_KERNEL,mul\n"
        "0.5,1,1,1.0,1.0,1,1,0.0,CUDA_KERNEL,(null)\n"
        "0.5,1,1,1.0,1.0,1,1,0.0,CUDA_KERNEL,Early\n"
        "0.5,1,1,1.0,1.0,1,1,0.0,CUDA_KERNEL,early\n");
    const char *text = report(rec, "cuda_kern_exec_trace", "csv");
    assert_non_null(strstr(text, "\n210,10,None,None,213,1,10,100,101,0,"));
    assert_non_null(strstr(text, "\n210,10,220,980,1200,40,1030,100,101,0,"));
    assert_non_null(strstr(report(rec, "cuda_kern_exec_trace", "json"),
                           "\"Queue Start (ns)\": null, \"Queue Dur (ns)\": null, "));
    assert_non_null(strstr(report(rec, "cuda_gpu_trace", "csv"), ",None,None,None,"));
    text = report(rec, "nvtx_pushpop_trace", "csv");
    assert_non_null(strstr(text, "\n-10,100,110,30,80,:step,100,101,0,1,2,None,:2,:step\n"
                                 "40,70,30,0,30,lib:inner,100,101,1,0,3,2,:2:3,--lib:inner\n"));
    built_free(rec);
}

/* Ids are not grouped as numbers are; the coverage stands below, and not in forms for programs. */
static void test_tables(void **state)
{
    static const char *const names[] = {"nvtx_gpu_proj_trace", "nvtx_gpu_proj_sum"};
    rf_recording *rec = two_steps();
    uint32_t t = built_thread(rec, 0, 1234567);
    uint32_t call = built_call(rec, t, 0, 1);
    (void)state;
    (void)built_op(rec, RF_OP_KERNEL, 1000, 2001, t, call, NULL);
    (void)built_range(rec, t, 0, 1, 0, "range");
    (void)built_start_end(rec, t, 0, 500, 0, "elsewhere");
    assert_non_null(strstr(report(rec, names[0], "column"), "  1234567  "));
    assert_non_null(strstr(report(rec, names[0], "column"), "  1,001  "));
    for (int i = 0; i < 2; i++) {
        const char *text = report(rec, names[i], "column");
        assert_non_null(strstr(text, "\n coverage: 5 of 7 pieces of GPU work (71.4 %; 99.5 % of "
                                     "their time) lie under a range\n"
                                     " ranges that ended on another thread are left out: 1\n"));
        assert_null(strstr(report(rec, names[i], "csv"), "coverage"));
        assert_null(strstr(report(rec, names[i], "json"), "coverage"));
    }
    built_free(rec);
}

/* A range from one thread to another: left out, or over the calls of both threads, and marked. */
static void test_by_process(void **state)
{
    static const char *const names[] = {"nvtx_gpu_proj_trace", "nvtx_gpu_proj_sum",
                                        "nvtx_kern_sum"};
    rf_recording *rec = two_steps();
    uint32_t t = built_thread(rec, 0, 102);
    (void)state;
    (void)built_op(rec, RF_OP_KERNEL, 2000, 2001, t, built_call(rec, t, 420, 430), "far");
    (void)built_start_end(rec, 0, 350, 500, t, "across");
    for (int i = 0; i < 3; i++)
        assert_null(strstr(report(rec, names[i], "csv"), "across"));
    assert_non_null(strstr(report(rec, names[2], "csv"), "\nNone,None,100,102,0,1,1,"));
    by_process = 1;
    assert_non_null(strstr(report(rec, names[0], "csv"), "\n:across,1300,701,350,150,"
                                                         "StartEnd (process),100,101,2,0,0,"));
    assert_non_null(
        strstr(report(rec, names[1], "csv"), "\n:across,StartEnd (process),701,150,1,"));
    const char *text = report(rec, names[2], "csv");
    assert_non_null(strstr(text, "\n:across,StartEnd (process),100,101,1,1,5,"));
    assert_non_null(strstr(text, "\n:across,StartEnd (process),100,101,1,1,1,"));
    assert_null(strstr(text, "\nNone,None,100,"));
    assert_non_null(
        strstr(report(rec, names[0], "column"), "\n coverage: 6 of 7 pieces of GPU work"));
    assert_non_null(strstr(report(rec, names[0], "column"),
                           "\n ranges that ended on another thread cover all threads of their "
                           "process: 1; their style is StartEnd (process)\n"));
    by_process = 0;
    built_free(rec);
}

/* A start/end range that crosses a push/pop range, and is shorter, is no step on the way up. */
static void test_parents_of_push_pop(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    (void)built_start_end(rec, t, -5, 60, t, "crossing");
    (void)built_range(rec, t, 0, 100, 0, "outer");
    (void)built_start_end(rec, t, 15, 40, built_thread(rec, 0, 102), "between");
    (void)built_range(rec, t, 20, 30, 0, "inner");
    (void)built_range(rec, t, 110, 110, 0, "after");
    const char *text = strchr(report(rec, "nvtx_pushpop_trace", "csv"), '\n');
    assert_non_null(text);
    assert_string_equal(text, "\n0,100,100,10,90,:outer,100,101,0,1,2,None,:2,:outer\n"
                              "20,30,10,0,10,:inner,100,101,1,0,4,2,:2:4,--:inner\n"
                              "110,110,0,0,0,:after,100,101,0,0,5,None,:5,:after\n");
    text = strchr(report(rec, "nvtx_startend_trace", "csv"), '\n');
    assert_non_null(text);
    assert_string_equal(text, "\n-5,60,65,:crossing,100,101,101,1\n"
                              "15,40,25,:between,100,101,102,3\n");
    built_free(rec);
}

/* Two ranges over three kernels: six pairs. One range over the whole process: three more. Where
 * there are more pairs than are visited, they are counted, unless that takes too many steps. */
static void test_too_many_pairs(void **state)
{
    static const uint64_t most[2][2] = {{6, 5}, {9, 8}};
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    uint32_t other = built_thread(rec, 0, 102);
    (void)state;
    (void)built_range(rec, t, 0, 100, 0, "outer");
    (void)built_range(rec, t, 10, 90, 0, "inner");
    (void)built_start_end(rec, t, 10, 90, other, "across");
    (void)built_op(rec, RF_OP_KERNEL, 1000, 1001, t, built_call(rec, t, 10, 20), "a");
    uint32_t graph = built_call(rec, t, 90, 90);
    (void)built_op(rec, RF_OP_KERNEL, 1010, 1011, t, graph, "b");
    (void)built_op(rec, RF_OP_KERNEL, 1020, 1021, t, graph, "c");
    (void)built_op(rec, RF_OP_KERNEL, 2000, 2001, other, built_call(rec, other, 200, 210), "d");
    for (int i = 0; i < 4; i++) {
        struct rf_err err = {0};
        struct rf_table table = {.by_process = i / 2, .max_pairs = most[i / 2][i % 2]};
        assert_int_equal(rf_report_compute(rec, "nvtx_kern_sum", &table, &err), RF_OK);
        assert_int_equal(table.n_rows, i / 2 == 0 ? 7 : 10);
        rf_table_release(&table);
        table =
            (struct rf_table){.by_process = i / 2, .max_pairs = most[i / 2][i % 2], .max_steps = 3};
        int status = rf_report_compute(rec, "nvtx_kern_sum", &table, &err);
        assert_int_equal(status, i % 2 == 0 ? RF_OK : RF_ERR_UNSUPPORTED);
        if (status != RF_OK)
            assert_non_null(strstr(err.text, "too many ranges"));
        rf_table_release(&table);
    }
    built_free(rec);
}

/* The list of a range's parents is cut where it would grow with the square of their number. */
static void test_a_deep_stack(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    for (int64_t i = 0; i < 300; i++)
        (void)built_range(rec, t, i, 1000 - i, 0, "r");
    (void)built_op(rec, RF_OP_KERNEL, 1, 2, t, built_call(rec, t, 500, 501), NULL);
    struct rf_err err = {0};
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = "nvtx_gpu_proj_trace",
                                        .format = "csv",
                                        .output = output,
                                        .can_overwrite = 1,
                                        .by_process = 0};
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
    FILE *file = fopen(output, "r");
    char line[4096];
    int n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL)
        if (n++ > 0)
            assert_int_equal(strstr(line, ",:...:") != NULL, n - 1 > 256);
    (void)fclose(file);
    assert_int_equal(n, 301);
    assert_non_null(strstr(line, ",:...:45:46:"));
    assert_non_null(strstr(line, ":299:300\n"));
    built_free(rec);
}

static void test_nothing(void **state)
{
    rf_recording *rec = built_new();
    const char *name;
    (void)state;
    for (size_t i = 0; (name = rf_report_at(i, NULL)) != NULL; i++) {
        if (rf_report_compares_inputs(name)) /* a rank without events is one too */
            continue;
        assert_string_equal(report(rec, name, "json"), "[]\n");
        assert_non_null(strstr(report(rec, name, "column"), "(no rows)"));
    }
    built_free(rec);
}

static void test_what_is_shown_by_itself(void **state)
{
    rf_recording *empty = built_new();
    rf_recording *rec = two_steps();
    (void)state;
    rf_recording_count_events(rec);
    static const char *const with_work[] = {"nvtx_sum",
                                            "cuda_api_sum",
                                            "cuda_gpu_kern_sum",
                                            "cuda_gpu_mem_time_sum",
                                            "cuda_gpu_mem_size_sum",
                                            "nvtx_gpu_proj_sum",
                                            "nvtx_kern_sum"};
    const char *name;
    size_t n = 0, n_default = 0, n_left_out = 0;
    for (size_t i = 0; (name = rf_report_at(i, NULL)) != NULL; i++) {
        assert_true(rf_report_is_default(empty, i) <= 0);
        n_default += rf_report_is_default(NULL, i) == 1;
        n_left_out += rf_report_is_default(empty, i) < 0;
        if (rf_report_is_default(rec, i) > 0)
            assert_string_equal(name, with_work[n++]);
    }
    assert_int_equal(n, 7);
    assert_int_equal(n_left_out, n_default);
    assert_int_equal(rf_report_is_default(rec, 1000), 0);
    built_free(empty);
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_kernels_by_range),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_other_tables),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_by_process),
        cmocka_unit_test(test_parents_of_push_pop),
        cmocka_unit_test(test_too_many_pairs),
        cmocka_unit_test(test_a_deep_stack),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_what_is_shown_by_itself),
    };
    return cmocka_run_group_tests_name("projection.reports", tests, make_folder, remove_folder);
}
