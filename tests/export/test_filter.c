/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of recordings: what every filter leaves, and that what is left holds together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sample.h"

static rf_recording *whole, *part;
static struct rf_err err;

static void open_part(const struct rf_filter_options *options)
{
    rf_close(part);
    part = NULL;
    assert_int_equal(rf_filter(whole, options, &part, &err), RF_OK);
}

static int setup(void **state)
{
    (void)state;
    whole = sample_gpu_new();
    part = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rf_close(part);
    rf_close(whole);
    return 0;
}

/* Everything that an index refers to is there, and what refers back says the same. */
static void check_part(void)
{
    size_t n_ops, n_calls, n_events, n_all = 0;
    const struct rf_gpu_op *ops = rf_gpu_ops(part, &n_ops);
    for (uint32_t t = 0; t < rf_n_threads(part); t++) {
        const struct rf_call *calls = rf_thread_calls(part, t, &n_calls);
        const struct rf_event *events = rf_thread_events(part, t, &n_events);
        assert_true(rf_thread_at(part, t)->process < rf_n_processes(part));
        assert_int_equal(rf_thread_at(part, t)->n_events, n_events);
        n_all += n_events;
        for (size_t i = 0; i < n_events; i++)
            assert_int_equal(rf_domain_at(part, events[i].domain)->process,
                             rf_thread_at(part, t)->process);
        for (size_t i = 0; i < n_calls; i++)
            for (uint32_t op = calls[i].first_op; op != RF_NO_INDEX; op = ops[op].next_op) {
                assert_true(op < n_ops);
                assert_int_equal(ops[op].thread, t);
                assert_int_equal(ops[op].call, i);
            }
    }
    assert_int_equal(rf_get_info(part)->n_events, n_all);
    for (size_t i = 0; i < n_ops; i++) {
        (void)rf_thread_calls(part, ops[i].thread, &n_calls);
        assert_true(ops[i].call == RF_NO_INDEX || ops[i].call < n_calls);
    }
    size_t n_on_tracks = 0;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(part); i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(part, i);
        assert_int_equal(track->first_op, n_on_tracks);
        assert_true(track->n_ops > 0);
        assert_true(track->process < rf_n_processes(part));
        for (uint32_t k = 0; k < track->n_ops; k++)
            assert_int_equal(ops[track->first_op + k].track, i);
        n_on_tracks += track->n_ops;
    }
    assert_int_equal(n_on_tracks, n_ops);
}

/* The names of all ranges, calls and GPU work that are left, by thread and stream. */
static const char *left(void)
{
    static char text[2000];
    size_t n, used = 0;
    check_part();
    text[0] = '\0';
    for (uint32_t t = 0; t < rf_n_threads(part); t++) {
        const struct rf_event *events = rf_thread_events(part, t, &n);
        for (size_t i = 0; i < n; i++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ",
                                     rf_string(part, events[i].name, NULL));
        const struct rf_call *calls = rf_thread_calls(part, t, &n);
        for (size_t i = 0; i < n; i++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%.10s ",
                                     rf_string(part, calls[i].name, NULL));
        used += (size_t)snprintf(text + used, sizeof(text) - used, "| ");
    }
    const struct rf_gpu_op *ops = rf_gpu_ops(part, &n);
    for (size_t i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%d:%s ", ops[i].kind,
                             ops[i].name != RF_NO_STRING ? rf_string(part, ops[i].name, NULL) : "");
    return text;
}

static void test_no_filter(void **state)
{
    const struct rf_filter_options none = RF_FILTER_OPTIONS_INIT;
    char first[2000];
    (void)state;
    open_part(&none);
    (void)snprintf(first, sizeof(first), "%s", left());
    assert_int_equal(rf_n_threads(part), rf_n_threads(whole));
    assert_int_equal(rf_get_info(part)->n_events, rf_get_info(whole)->n_events);
    assert_string_equal(first,
                        "step forward \"1\" lib nothing copying cudaMalloc cudaMemcpy cudaLaunch "
                        "cudaGraphL cudaMemset cudaStream poll cuLaunchKe | step cudaGraphL | "
                        "load | 2: 1:gemm 1:node_a 1:node_b 3: 1:last 5: 1:from_elsewhere 4: ");
}

static void test_time(void **state)
{
    (void)state;
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .time = "1.4ms/1450.0us"});
    /* forward ends where the window begins; work that only reaches into it stays whole */
    assert_string_equal(left(), "step lib | step | load | 1:node_a ");
    open_part(
        &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .time = "/0.0002"});
    assert_string_equal(left(), "1:from_elsewhere ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .time = "2100000ns/"});
    assert_string_equal(left(), "cuLaunchKe | 1:last ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .time = "1600us/1600us"}); /* a moment */
    assert_string_equal(left(), "step nothing | step | load | ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .time = "5/6"});
    assert_string_equal(left(), "");
}

static void test_time_is_wrong(void **state)
{
    static const char *const wrong[] = {"",     "1",    "a/b",  "1s",    "1/2x", "2/1",
                                        "1//2", "1/ 2", "/-1m", "0x1/2", "./1",  "nan/"};
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const struct rf_filter_options options = {.size = sizeof(options), .time = wrong[i]};
        assert_int_equal(rf_filter(whole, &options, &part, &err), RF_ERR_USAGE);
        assert_null(part);
        assert_non_null(strstr(err.text, "time filter"));
    }
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .time = "-1/99999999999999999999999"});
}

static void test_nvtx(void **state)
{
    (void)state;
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .nvtx = "lib"});
    assert_string_equal(left(), "step forward \"1\" lib cudaGraphL | step | load | "
                                "1:gemm 1:node_a 1:node_b 4: ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .nvtx = "lib@cu\"DNN/0"});
    assert_string_equal(left(), "step forward \"1\" lib cudaGraphL | step | load | "
                                "1:gemm 1:node_a 1:node_b 4: ");
    open_part(
        &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .nvtx = "step/1"});
    assert_non_null(strstr(left(), "copying"));
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .nvtx = "forward \"1\"@", .time = "1.39ms/"});
    assert_string_equal(left(), "step forward \"1\" lib | step | load | ");
    static const char *const missing[] = {"lib@other", "lib@", "step/2", "ste", "lib/1", "@", "/"};
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        const struct rf_filter_options options = {.size = sizeof(options), .nvtx = missing[i]};
        rf_recording *none = NULL;
        assert_int_equal(rf_filter(whole, &options, &none, &err), RF_ERR_NOT_FOUND);
        assert_non_null(strstr(err.text, "no range '"));
    }
}

static void test_nvtx_with_odd_message(void **state)
{
    (void)state;
    (void)fake_event(whole, 1, RF_EVENT_PUSH_POP, 3000000, 3100000, 2, "GET /x@y/0");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .nvtx = "GET /x@y/0"});
    assert_string_equal(left(), "GET /x@y/0 | ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .nvtx = "GET /x@y/0/0"});
    assert_string_equal(left(), "GET /x@y/0 | ");
}

static void test_processes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                              .processes = i ? "rank1" : "200,200"});
        assert_string_equal(left(), "step cudaGraphL | load | 4: ");
        assert_int_equal(rf_n_processes(part), 1);
        assert_int_equal(rf_process_at(part, 0)->pid, 200);
    }
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .processes = "app,rank1"});
    assert_int_equal(rf_n_processes(part), 2);
    const struct rf_filter_options wrong = {.size = sizeof(wrong), .processes = "app,nobody"};
    rf_recording *none = NULL;
    assert_int_equal(rf_filter(whole, &wrong, &none, &err), RF_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no process 'nobody' in this recording; there are 100 app, "
                                  "200 rank1");
    const struct rf_filter_options nothing = {.size = sizeof(nothing), .processes = ","};
    assert_int_equal(rf_filter(whole, &nothing, &none, &err), RF_ERR_USAGE);
}

static rf_recording *rank_only(const char *ranks, int expected)
{
    const struct rf_filter_options options = {.size = sizeof(options), .ranks = ranks};
    rf_recording *of_rank = NULL;
    assert_int_equal(rf_filter(whole, &options, &of_rank, &err), expected);
    return of_rank;
}

static void test_ranks(void **state)
{
    (void)state;
    static const char *const kept[] = {"1", "0,1-3", "1-2147483647"};
    static const char *const wrong[] = {"",   ",",   "1,",   "x",         "-1",
                                        "1-", "2-1", "1--2", "2147483648"};
    fake_process_at(whole, 0)->rank = -1;
    fake_process_at(whole, 1)->rank = 1;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                              .ranks = kept[i]});
        assert_string_equal(left(), "step cudaGraphL | load | 4: ");
        assert_int_equal(rf_get_info(part)->rank, 1);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_null(rank_only(wrong[i], RF_ERR_USAGE));
        assert_non_null(strstr(err.text, "is no list of ranks"));
    }
    assert_null(rank_only("0,2-7", RF_ERR_NOT_FOUND));
    assert_string_equal(err.text, "no process of rank 0,2-7 in this recording");
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .ranks = "1", .processes = "app"});
    assert_int_equal(rf_n_processes(part), 0); /* each of the filters is to let it pass */
}

/* The whole recording without the events, calls and GPU work of other threads. */
static void test_threads(void **state)
{
    (void)state;
    char all[2000], one[32];
    open_part(NULL);
    (void)snprintf(all, sizeof(all), "%s", left());
    for (uint32_t t = 0; t < rf_n_threads(whole); t++) {
        size_t n_ops, n_left, n_of_thread = 0;
        const struct rf_gpu_op *ops = rf_gpu_ops(whole, &n_ops);
        const struct rf_thread *thread = rf_thread_at(whole, t);
        (void)snprintf(one, sizeof(one), "%u", thread->tid);
        open_part(
            &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .threads = one});
        check_part();
        for (size_t i = 0; i < n_ops; i++)
            n_of_thread += ops[i].thread == t;
        (void)rf_gpu_ops(part, &n_left);
        assert_int_equal(n_left, n_of_thread);
        assert_int_equal(rf_get_info(part)->n_events, thread->n_events);
        assert_int_equal(rf_n_processes(part), rf_n_processes(whole));
    }
    const struct rf_filter_options wrong = {.size = sizeof(wrong), .threads = "100,nobody"};
    rf_recording *none = NULL;
    assert_int_equal(rf_filter(whole, &wrong, &none, &err), RF_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "no thread 'nobody' in this recording; there are 100"));
}

static void test_categories_are_inherited(void **state)
{
    (void)state;
    fake_category_name(whole, 0, 5, "io");
    fake_category_name(whole, 2, 6, "net"); /* the default domain of rank1 */
    fake_inherit_domain(whole, 2, 0);
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .processes = "rank1"});
    assert_int_equal(rf_n_domains(part), 1);
    assert_string_equal(rf_string(part, rf_category_name(part, 0, 5), NULL), "io");
    assert_string_equal(rf_string(part, rf_category_name(part, 0, 6), NULL), "net");
    assert_int_equal(rf_category_name(part, 0, 7), RF_NO_STRING);
}

static void test_gpus(void **state)
{
    (void)state;
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .gpus = "1", .activities = "gpu"});
    assert_string_equal(left(), "| 4: ");
    assert_int_equal(rf_n_gpus(part), 1);
    static const char *const wrong[] = {"2", "x", "", "0,x", "-1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const struct rf_filter_options options = {.size = sizeof(options), .gpus = wrong[i]};
        rf_recording *none = NULL;
        assert_int_equal(rf_filter(whole, &options, &none, &err),
                         strspn(wrong[i], "0123456789") > 0 && strchr(wrong[i], ',') == NULL
                             ? RF_ERR_NOT_FOUND
                             : RF_ERR_USAGE);
        assert_non_null(strstr(err.text, "GPU"));
    }
}

static void test_activities(void **state)
{
    (void)state;
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .activities = "kernel,memset"});
    assert_string_equal(left(), "| 1:gemm 1:node_a 1:node_b 3: 1:last 1:from_elsewhere ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .activities = "osrt,driver"});
    assert_string_equal(left(), "poll cuLaunchKe | ");
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .activities = "api", .processes = "200"});
    assert_string_equal(left(), "cudaGraphL | ");
    const struct rf_filter_options wrong = {.size = sizeof(wrong), .activities = "nvtx,kernels"};
    rf_recording *none = NULL;
    assert_int_equal(rf_filter(whole, &wrong, &none, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "unknown activity 'kernels'; did you mean 'kernel'?"));
}

/* Calls that are not shown still say whose the work is; those that are left out do not. */
static void test_projection_without_calls(void **state)
{
    rf_projections *projections;
    size_t n;
    (void)state;
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .activities = "nvtx,kernel"});
    assert_null(rf_thread_calls(part, 0, &n));
    assert_int_equal(n, 0);
    const struct rf_gpu_op *ops = rf_gpu_ops(part, &n);
    assert_true(n > 0);
    assert_int_equal(ops[0].thread, 0); /* it is known who called, and nothing of the call */
    assert_int_equal(ops[0].call, RF_NO_INDEX);
    assert_int_equal(rf_project(part, NULL, &projections, &err), RF_OK);
    const struct rf_projection *all = rf_projections_all(projections, &n);
    assert_int_equal(n, 3); /* step, forward, lib */
    assert_int_equal(all[0].start_ns, 1250000);
    assert_int_equal(all[0].end_ns, 1550000);
    assert_int_equal(all[0].n_ops, 3);
    rf_projections_free(projections);
}

/* How often text stands in what the layout of nsys2json makes of the part. */
static int count_in_nsys2json(const char *text)
{
    static const struct rf_nsys2json_options options = {.size = sizeof(options), .activities = 0};
    char path[] = "/tmp/rf-test-filter-XXXXXX";
    static char file[65536];
    int n = 0, fd = mkstemp(path);
    assert_true(fd >= 0);
    const struct rf_export_options job = {.size = sizeof(job),
                                          .format = "json",
                                          .output = path,
                                          .can_overwrite = 1,
                                          .nsys2json = &options};
    assert_int_equal(rf_export(part, &job, &err), RF_OK);
    (void)close(fd);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    file[fread(file, 1, sizeof(file) - 1, f)] = '\0';
    (void)fclose(f);
    (void)unlink(path);
    for (const char *at = file; (at = strstr(at, text)) != NULL; at++)
        n++;
    return n;
}

static void test_nsys2json_without_calls(void **state)
{
    (void)state;
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .activities = "nvtx,kernel,api"});
    int n = count_in_nsys2json("\"NVTXRegions\": [\"");
    assert_true(n > 0);
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .activities = "nvtx,kernel"});
    assert_int_equal(count_in_nsys2json("\"NVTXRegions\": [\""), n);
}

static void test_names(void **state)
{
    (void)state;
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .names = "*o*", .activities = "nvtx"});
    assert_string_equal(left(), "forward \"1\" nothing copying | load | ");
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .names = "st*p", .activities = "nvtx"});
    assert_string_equal(left(), "step | step | ");
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .names = "ste", .activities = "nvtx"});
    assert_string_equal(left(), "");
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .names = "/^(lib|load)$/", .activities = "nvtx"});
    assert_string_equal(left(), "lib | load | ");
    open_part(&(struct rf_filter_options){
        .size = sizeof(struct rf_filter_options), .kernels = "node_*", .activities = "kernel"});
    assert_string_equal(left(), "| 1:node_a 1:node_b ");
    open_part(&(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                          .kernels = "/<float, 128>/",
                                          .activities = "gpu",
                                          .processes = "app"});
    assert_string_equal(left(), "| 2: 1:gemm 1:node_a 1:node_b 3: 1:last 5: ");
    const struct rf_filter_options wrong = {.size = sizeof(wrong), .names = "/(/"};
    rf_recording *none = NULL;
    assert_int_equal(rf_filter(whole, &wrong, &none, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "regular expression '('"));
}

/* A part of a part; and the first part of what has no GPU work. */
static void test_part_of_part(void **state)
{
    (void)state;
    open_part(
        &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .processes = "app"});
    rf_recording *first = part;
    part = NULL;
    assert_int_equal(rf_filter(first,
                               &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                           .activities = "memcpy,nvtx"},
                               &part, &err),
                     RF_OK);
    assert_string_equal(left(), "step forward \"1\" lib nothing copying | 2: ");
    rf_close(part);
    rf_close(first);
    fake_free(whole);
    whole = sample_new();
    part = NULL;
    open_part(
        &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .time = "0/20us"});
    check_part();
    assert_true(rf_get_info(part)->n_ranges < rf_get_info(whole)->n_ranges);
    assert_true(rf_get_info(part)->n_ranges > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_filter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_time_is_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nvtx, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nvtx_with_odd_message, setup, teardown),
        cmocka_unit_test_setup_teardown(test_processes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ranks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_categories_are_inherited, setup, teardown),
        cmocka_unit_test_setup_teardown(test_gpus, setup, teardown),
        cmocka_unit_test_setup_teardown(test_activities, setup, teardown),
        cmocka_unit_test_setup_teardown(test_projection_without_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nsys2json_without_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_part_of_part, setup, teardown),
    };
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
