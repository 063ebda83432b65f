/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: the figures against the plain definitions, names, forms, files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_model.h"
#include "stats/durations.h"

static char folder[] = "/tmp/rf-test-stats-XXXXXX";
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

/* ---- Durations ---- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Against sorting and summing, over sizes and shapes of input that make selection go wrong. */
static void test_durations_like_sorting(void **state)
{
    enum { MAX = 300, N_SHAPES = 6 };
    uint64_t values[MAX];
    uint64_t sorted[MAX];
    uint64_t random = 88172645463325252u;
    (void)state;
    for (size_t n = 1; n <= MAX; n++) {
        for (int shape = 0; shape < N_SHAPES; shape++) {
            double sum = 0;
            double squares = 0;
            for (size_t i = 0; i < n; i++) {
                uint64_t r = next_random(&random);
                uint64_t shapes[N_SHAPES] = {r % 1000000, r % 3,     i,
                                             n - i,       i % 2 * 7, i < n / 2 ? i : n - i};
                values[i] = sorted[i] = shapes[shape];
                sum += (double)values[i];
            }
            qsort(sorted, n, sizeof(sorted[0]), compare_u64);
            for (size_t i = 0; i < n; i++)
                squares +=
                    ((double)values[i] - sum / (double)n) * ((double)values[i] - sum / (double)n);
            struct rf_durations got;
            rf_durations_measure(&got, values, n);
            double median = n % 2 == 1 ? (double)sorted[n / 2]
                                       : ((double)sorted[n / 2] + (double)sorted[n / 2 - 1]) / 2;
            double stddev = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
            assert_true(got.median_ns == median);
            assert_true(got.min_ns == sorted[0] && got.max_ns == sorted[n - 1]);
            assert_true(got.total_ns == (uint64_t)sum);
            assert_true(fabs(got.stddev_ns - stddev) <= 1e-9 * (1 + stddev));
        }
    }
}

static void test_total_does_not_wrap(void **state)
{
    uint64_t values[] = {UINT64_MAX - 1, UINT64_MAX - 1, 5};
    struct rf_durations got;
    (void)state;
    rf_durations_measure(&got, values, 3);
    assert_true(got.total_ns == UINT64_MAX);
    assert_true(got.mean_ns > 1.2e19 && got.mean_ns < 1.3e19);
}

/* ---- nvtx_sum ---- */

static char *report(const rf_recording *rec, const char *name, const char *form)
{
    static char text[8192];
    struct rf_err err = {0};
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = name,
                                        .format = form,
                                        .output = output,
                                        .can_overwrite = 1,
                                        .by_process = 0};
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
    FILE *file = fopen(output, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

/* 1, 2, 3, 4: the figures that nsys gives for these. */
static void test_figures(void **state)
{
    rf_recording *rec = fake_new();
    (void)state;
    for (int64_t i = 1; i <= 4; i++)
        fake_event(rec, 0, RF_EVENT_PUSH_POP, 100 * i, 100 * i + i, 0, "r");
    fake_event(rec, 0, RF_EVENT_MARK, 900, RF_NO_TIME, 0, "r");
    fake_start_end(rec, 0, 1000, 1030, 0, "r");
    assert_string_equal(
        report(rec, "nvtxsum", "csv"),
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
        "Style,Range\n"
        "75.0,30,1,30.0,30.0,30,30,0.0,StartEnd,:r\n"
        "25.0,10,4,2.5,2.5,1,4,1.3,PushPop,:r\n");
    fake_free(rec);
}

/* Domains of one name are one row, whichever process created them; ties are in a fixed order. */
static void test_grouping(void **state)
{
    rf_recording *rec = fake_new();
    uint32_t child = fake_process(rec, 200, "child");
    uint32_t thread = fake_thread(rec, child, 200, "child");
    uint32_t here = fake_domain(rec, 0, 1, "d");
    uint32_t other = fake_domain(rec, child, 1, "e");
    uint32_t there = fake_domain(rec, child, 2, "d");
    (void)state;
    fake_event(rec, 0, RF_EVENT_PUSH_POP, 0, 10, here, "r");
    fake_event(rec, thread, RF_EVENT_PUSH_POP, 0, 10, there, "r");
    fake_event(rec, thread, RF_EVENT_PUSH_POP, 0, 10, other, "r");
    fake_event(rec, thread, RF_EVENT_PUSH_POP, 0, 10, other, "a");
    assert_string_equal(strchr(report(rec, "nvtx_sum", "csv"), '\n'),
                        "\n50.0,20,2,10.0,10.0,10,10,0.0,PushPop,d:r\n"
                        "25.0,10,1,10.0,10.0,10,10,0.0,PushPop,e:a\n"
                        "25.0,10,1,10.0,10.0,10,10,0.0,PushPop,e:r\n");
    fake_free(rec);
}

/* More groups than the hash table begins with, and every one found again. */
static void test_many_groups(void **state)
{
    enum { N = 5000 };
    char name[32];
    rf_recording *rec = fake_new();
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            (void)snprintf(name, sizeof(name), "range %d", i);
            struct rf_event *event =
                fake_event(rec, 0, RF_EVENT_PUSH_POP, i, i + 1, 0, round == 0 ? name : NULL);
            if (round == 1)
                event->name = rf_thread_events(rec, 0, &(size_t){0})[i].name;
        }
    }
    struct rf_err err = {0};
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = "nvtx_sum",
                                        .format = "csv",
                                        .output = output,
                                        .can_overwrite = 1,
                                        .by_process = 0};
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
    FILE *file = fopen(output, "r");
    char line[256];
    int n_lines = 0;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL)
        n_lines +=
            n_lines == 0 || strncmp(line, "0.0,2,2,1.0,1.0,1,1,0.0,PushPop,:range ", 39) == 0;
    (void)fclose(file);
    assert_int_equal(n_lines, N + 1);
    fake_free(rec);
}

/* ---- Names and files ---- */

static void test_unknown_names(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err = {0};
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = "nvtx_summ",
                                        .format = "csv",
                                        .output = output,
                                        .can_overwrite = 1,
                                        .by_process = 0};
    (void)state;
    assert_int_equal(rf_report(rec, &options, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "'nvtx_summ'; did you mean 'nvtx_sum'?"));
    options.report = "nvtx_sum";
    options.format = "tabel";
    assert_int_equal(rf_report(rec, &options, &err), RF_ERR_USAGE);
    assert_non_null(
        strstr(err.text, "did you mean 'table'? there is column, table, csv, tsv, json"));
    options.report = NULL;
    assert_int_equal(rf_report(rec, &options, &err), RF_ERR_USAGE);
    fake_free(rec);
}

static void test_an_existing_file(void **state)
{
    rf_recording *rec = fake_new();
    struct rf_err err = {0};
    struct rf_report_options options = {.size = sizeof(options),
                                        .report = "nvtx_sum",
                                        .format = "csv",
                                        .output = output,
                                        .can_overwrite = 0,
                                        .by_process = 0};
    (void)state;
    (void)report(rec, "nvtx_sum", "csv");
    assert_int_equal(rf_report(rec, &options, &err), RF_ERR_EXISTS);
    fake_free(rec);
}

static void remove_underscores(char *out, const char *name)
{
    for (; *name != '\0'; name++)
        if (*name != '_')
            *out++ = *name;
    *out = '\0';
}

static void test_the_list(void **state)
{
    const char *name, *description;
    size_t n = 0, n_default = 0;
    (void)state;
    for (; (name = rf_report_at(n, &description)) != NULL; n++) {
        char plain[64];
        remove_underscores(plain, name);
        assert_ptr_equal(rf_report_find(name), name);
        assert_ptr_equal(rf_report_find(plain), name);
        assert_in_range(strlen(description), 10, 80);
        int is_default = rf_report_is_default(NULL, n);
        assert_true(is_default == 0 || n_default++ == n); /* they stand first */
    }
    assert_in_range(n, 21, 1000);
    assert_in_range(n_default, 9, n - 1);
    assert_string_equal(rf_report_at(0, NULL), "nvtx_sum");
    assert_null(rf_report_at(n, &description));
    assert_int_equal(rf_report_is_default(NULL, n), 0);
}

/* What earlier versions of nsys called their reports, where that is more than underscores. */
static void test_older_names(void **state)
{
    static const char *const names[][2] = {
        {"nvtxsum", "nvtx_sum"},
        {"nvtxppsum", "nvtx_pushpop_sum"},
        {"nvtxsesum", "nvtx_startend_sum"},
        {"nvtxpptrace", "nvtx_pushpop_trace"},
        {"nvtxgpuproj", "nvtx_gpu_proj_trace"},
        {"gpukernsum", "cuda_gpu_kern_gb_sum"},
        {"gpumemtimesum", "cuda_gpu_mem_time_sum"},
        {"gpumemsizesum", "cuda_gpu_mem_size_sum"},
        {"gpu_sum", "cuda_gpu_sum"},
        {"gputrace", "cuda_gpu_trace"},
        {"apigpusum", "cuda_api_gpu_sum"},
        {"kernexecsum", "cuda_kern_exec_sum"},
        {"kernexectrace", "cuda_kern_exec_trace"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_string_equal(rf_report_find(names[i][0]), names[i][1]);
    assert_null(rf_report_find("nvtx"));
    assert_null(rf_report_find(""));
    assert_null(rf_report_find(NULL));
}

/* Every column is explained; one that has no values says when; a title is in a report once. */
static void test_meanings(void **state)
{
    const char *name, *title, *meaning;
    (void)state;
    for (size_t r = 0; (name = rf_report_at(r, NULL)) != NULL; r++) {
        size_t n = 0;
        for (; (title = rf_report_column_at(name, n, &meaning)) != NULL; n++) {
            assert_non_null(meaning);
            assert_in_range(strlen(meaning), 6, 200);
            assert_null(strpbrk(meaning, "\t\n|"));
            for (size_t k = 0; k < n; k++)
                assert_string_not_equal(rf_report_column_at(name, k, NULL), title);
        }
        assert_in_range(n, 2, 100);
    }
    assert_null(rf_report_column_at("nothing", 0, &meaning));
    assert_null(rf_report_column_at(NULL, 0, NULL));
    (void)rf_report_column_at("nvtx_pushpop_trace", 11, &meaning);
    assert_non_null(strstr(meaning, "None: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations_like_sorting),
        cmocka_unit_test(test_total_does_not_wrap),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_grouping),
        cmocka_unit_test(test_many_groups),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_an_existing_file),
        cmocka_unit_test(test_the_list),
        cmocka_unit_test(test_older_names),
        cmocka_unit_test(test_meanings),
    };
    return cmocka_run_group_tests_name("export.stats", tests, make_folder, remove_folder);
}
