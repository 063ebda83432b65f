/* SPDX-License-Identifier: Apache-2.0 */
/* Several recordings in one file: how their times are put side by side, which ones are refused, and
 * that ids never collide. */
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rangefinder/clocks.h"
#include "fake_model.h"
#include "model/recording.h"

#define SECOND INT64_C(1000000000)

static char *text;
static size_t n_text, room;

static int keep(void *context, const void *bytes, size_t size)
{
    (void)context;
    while (room - n_text <= size) {
        room = 2 * room + size + 1;
        text = realloc(text, room);
        assert_non_null(text);
    }
    memcpy(text + n_text, bytes, size);
    n_text += size;
    text[n_text] = '\0';
    return 0;
}

static rf_merged_export *begin(const char *format)
{
    struct rf_export_options options = RF_EXPORT_OPTIONS_INIT;
    rf_merged_export *merged;
    options.format = format;
    options.write = keep;
    n_text = 0;
    assert_int_equal(rf_merged_export_new(&options, &merged, NULL), RF_OK);
    return merged;
}

/* Wraps, as a forged clock may. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* A recording of a machine that was started boot_ns before it; its clocks were read twice. */
static rf_recording *of_machine(uint8_t machine, int64_t utc_ns, int64_t mono_ns, int64_t spread_ns)
{
    rf_recording *rec = fake_new();
    static uint8_t n_sessions;
    memset(rec->control.boot_id, machine, sizeof(rec->control.boot_id));
    memset(rec->control.session_id, ++n_sessions, sizeof(rec->control.session_id));
    rec->info.epoch_utc_ns = utc_ns;
    rec->info.epoch_mono_ns = mono_ns;
    rec->info.epoch_boot_ns = 0;
    rec->control.quality[0] = (struct rf_clock_quality){1, 0, RF_CLOCK_TAKEN};
    rec->control.clock[0] = (struct rf_clock_pair){.real_ns = utc_ns, .mono_ns = mono_ns};
    rec->control.clock[1] = (struct rf_clock_pair){.real_ns = sum(utc_ns, SECOND + spread_ns),
                                                   .mono_ns = sum(mono_ns, SECOND)};
    return rec;
}

static int add(rf_merged_export *merged, rf_recording *rec, const char *name, struct rf_err *err)
{
    int status = rf_merged_export_add(merged, rec, name, -1, err);
    fake_free(rec);
    return status;
}

static struct rf_merged_input_info input(const rf_merged_export *merged, uint32_t i)
{
    struct rf_merged_input_info info;
    assert_int_equal(rf_merged_export_input_at(merged, i, &info), RF_OK);
    return info;
}

/* The first of a machine is placed by the time of day; the next one keeps its distance from that,
 * although its own time of day says something else. */
static void test_clocks(void **state)
{
    const int64_t day = 1700000000 * SECOND;
    rf_merged_export *merged = begin("perfetto");
    (void)state;
    assert_int_equal(add(merged, of_machine(1, day, 50 * SECOND, 30), "a", NULL), RF_OK);
    assert_int_equal(add(merged, of_machine(2, day + 700, 9 * SECOND, 12), "b", NULL), RF_OK);
    assert_int_equal(add(merged, of_machine(2, day + 5000, 9 * SECOND + 100, 1), "c", NULL), RF_OK);
    assert_int_equal(add(merged, of_machine(1, day, 49 * SECOND, 7), "d", NULL), RF_OK);
    assert_int_equal(add(merged, of_machine(0, day - 800, 1, 1), "e", NULL), RF_OK);
    assert_int_equal(rf_merged_export_n_inputs(merged), 5);
    assert_string_equal(input(merged, 0).clock_method, "first input");
    assert_string_equal(input(merged, 1).clock_method, "realtime");
    assert_int_equal(input(merged, 1).clock_shift_ns, 700);
    assert_int_equal(input(merged, 1).clock_uncertainty_ns, 2042);
    assert_string_equal(input(merged, 2).clock_method, "monotonic");
    assert_int_equal(input(merged, 2).clock_shift_ns, 800);
    assert_int_equal(input(merged, 2).clock_uncertainty_ns, 2042);
    assert_string_equal(input(merged, 3).clock_method, "monotonic");
    assert_int_equal(input(merged, 3).clock_shift_ns, -SECOND);
    assert_int_equal(input(merged, 3).clock_uncertainty_ns, 0);
    assert_string_equal(input(merged, 4).clock_method, "realtime"); /* no boot is known */
    assert_int_equal(input(merged, 4).clock_shift_ns, -800);
    assert_int_equal(rf_merged_export_finish(merged, NULL), RF_OK);
    assert_int_equal(rf_merged_export_finish(merged, NULL), RF_ERR_USAGE);
    rf_merged_export_free(merged);
}

/* As an alignment says; what was not stretched is right in its middle. */
static void test_aligned(void **state)
{
    const struct rf_anchor here[] = {{1, 0, 1000}, {2, 0, 2000}, {3, 0, 3000}};
    const struct rf_anchor there[] = {{1, 0, 8000}, {2, 0, 9000}, {3, 0, 10000}};
    struct rf_clock clock = RF_CLOCK_INIT;
    rf_merged_export *merged = begin("json");
    rf_align *align;
    (void)state;
    assert_int_equal(rf_align_new(&align, NULL), RF_OK);
    assert_int_equal(rf_align_add(align, &clock, here, 3, NULL), RF_OK);
    assert_int_equal(rf_align_add(align, &clock, there, 3, NULL), RF_OK);
    assert_int_equal(rf_align_solve(align, NULL), RF_OK);
    assert_int_equal(rf_merged_export_align(merged, align, NULL), RF_OK);
    assert_int_equal(add(merged, of_machine(1, SECOND, SECOND, 0), "a", NULL), RF_OK);
    assert_int_equal(rf_merged_export_align(merged, align, NULL), RF_ERR_USAGE);
    assert_int_equal(add(merged, of_machine(2, 0, SECOND, 0), "b", NULL), RF_OK);
    assert_string_equal(input(merged, 1).clock_method, "anchors");
    assert_int_equal(input(merged, 1).clock_shift_ns, -7000);
    assert_int_equal(add(merged, of_machine(3, 0, SECOND, 0), "c", NULL), RF_ERR_USAGE);
    rf_merged_export_free(merged);
    rf_align_free(align);
}

/* Clocks that were read once say nothing about how far their readings vary. */
static void test_one_reading(void **state)
{
    rf_merged_export *merged = begin("json");
    rf_recording *rec = of_machine(2, 2 * SECOND, SECOND, 0);
    (void)state;
    rec->control.clock[1].real_ns = 0;
    assert_int_equal(add(merged, of_machine(1, SECOND, SECOND, 5), "a", NULL), RF_OK);
    assert_int_equal(add(merged, rec, "b", NULL), RF_OK);
    assert_int_equal(input(merged, 1).clock_uncertainty_ns, -1);
    assert_int_equal(rf_merged_export_finish(merged, NULL), RF_OK);
    assert_non_null(strstr(text, "\"clock_uncertainty_ns\":null"));
    rf_merged_export_free(merged);
}

static void expect_refused(const char *format, rf_recording *first, rf_recording *second,
                           int expected, const char *why)
{
    struct rf_err err;
    rf_merged_export *merged = begin(format);
    assert_int_equal(add(merged, first, "first", NULL), RF_OK);
    assert_int_equal(add(merged, second, "second", &err), expected);
    assert_non_null(strstr(err.text, why));
    assert_non_null(strstr(err.text, "'second'"));
    assert_non_null(strstr(err.text, "'first'"));
    assert_int_equal(rf_merged_export_finish(merged, &err), RF_ERR_USAGE);
    rf_merged_export_free(merged);
}

static void test_refused(void **state)
{
    const int64_t day = 1700000000 * SECOND;
    rf_recording *again = of_machine(1, day, SECOND, 0), *twice = of_machine(1, day, SECOND, 0);
    (void)state;
    memcpy(twice->control.session_id, again->control.session_id, 16);
    expect_refused("json", again, twice, RF_ERR_USAGE, "the same recording");
    expect_refused("json", of_machine(1, day, SECOND, 0), of_machine(2, 0, SECOND, 0),
                   RF_ERR_UNSUPPORTED, "not known");
    expect_refused("json", of_machine(1, 1, SECOND, 0), of_machine(2, INT64_MAX, SECOND, 0),
                   RF_ERR_UNSUPPORTED, "too far");
    expect_refused("json", of_machine(1, day, INT64_MIN, 0), of_machine(1, 0, INT64_MAX, 0),
                   RF_ERR_UNSUPPORTED, "too far");
    expect_refused("json", of_machine(1, day, SECOND, 0),
                   of_machine(2, day - 86401 * SECOND, SECOND, 0), RF_ERR_UNSUPPORTED,
                   "more than a day before");
    expect_refused("perfetto", of_machine(1, day, SECOND, 0),
                   of_machine(2, day - 2 * SECOND, SECOND, 0), RF_ERR_UNSUPPORTED, "was started");
}

/* Captures of one session are recordings of their own. */
static void test_captures(void **state)
{
    rf_merged_export *merged = begin("json");
    rf_recording *one = of_machine(1, SECOND, SECOND, 0), *two = of_machine(1, SECOND, SECOND, 0);
    (void)state;
    memcpy(two->control.session_id, one->control.session_id, 16);
    fake_capture(one, 0, 10, 0);
    fake_capture(two, 20, 30, 0);
    two->capture[0].number = 2;
    assert_int_equal(add(merged, one, "one", NULL), RF_OK);
    assert_int_equal(add(merged, two, "two", NULL), RF_OK);
    assert_int_equal(rf_merged_export_finish(merged, NULL), RF_OK);
    rf_merged_export_free(merged);
}

/* A pid that comes again is replaced; names of hosts and files are data. */
static void test_names_and_pids(void **state)
{
    rf_merged_export *merged = begin("json");
    rf_recording *one = of_machine(1, SECOND, SECOND, 0), *two = of_machine(2, SECOND, SECOND, 0);
    (void)state;
    one->info.host = "<b>\x1b[31m\"host\"";
    two->info.host = "an unknown machine"; /* what an import says that does not know it */
    one->process[0].rank = 3;
    two->process[0].rank = two->info.rank = -1;
    (void)fake_event(one, 0, RF_EVENT_MARK, 5, RF_NO_TIME, 0, "m");
    (void)fake_event(two, 0, RF_EVENT_MARK, -5, RF_NO_TIME, 0, "m");
    assert_int_equal(add(merged, one, "a\"\xe2\x80\xae.rf", NULL), RF_OK);
    assert_int_equal(add(merged, two, "b", NULL), RF_OK);
    assert_int_equal(rf_merged_export_finish(merged, NULL), RF_OK);
    rf_merged_export_free(merged);
    assert_non_null(strstr(text, "\"rank 3 @ <b>\\u001b[31m\\\"host\\\": app\""));
    assert_non_null(strstr(text, "\"pid\":100,\"shown_as_pid\":100,"));
    assert_non_null(strstr(text, "\"pid\":100,\"shown_as_pid\":1073741824,"));
    assert_non_null(strstr(text, "\"app (pid 100)\""));
    assert_non_null(strstr(text, "\"ts\":86400000000.005"));
    assert_non_null(strstr(text, "\"ts\":86399999999.995"));
    assert_null(strchr(text, '\x1b'));
}

/* ---- Several threads ---- */

static int n_processors; /* 0: those of the machine */

int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cores);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cores);

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cores)
{
    if (n_processors == 0)
        return __real_sched_getaffinity(pid, size, cores);
    memset(cores, 0, size);
    for (int i = 0; i < n_processors; i++)
        CPU_SET(i, cores);
    return 0;
}

#define N_LONG 30000

/* Of so many events that several threads format them. Its ranges cross, so that their tracks have
 * lanes, which take ids that the next recording cannot have; work has flows, which are numbered
 * over all. */
static rf_recording *long_recording(uint8_t machine)
{
    char name[32];
    rf_recording *rec = of_machine(machine, SECOND, SECOND, 0);
    const uint32_t thread = fake_thread(rec, 0, 101, "worker");
    (void)fake_track(rec, 0, 0, 1, 7);
    for (uint32_t i = 0; i < N_LONG; i++) {
        const int64_t at_ns = 100 * (int64_t)i;
        (void)snprintf(name, sizeof(name), "%u/%u", machine, i);
        (void)fake_event(rec, i % 2 == 0 ? 0 : thread, RF_EVENT_PUSH_POP, at_ns, at_ns + 350, 0,
                         name);
        if (i % 10 == 0) {
            (void)fake_call(rec, 0, RF_CALL_CUDA_RUNTIME, at_ns, at_ns + 20, "cudaLaunchKernel");
            fake_cause(rec, 0, i / 10, fake_op(rec, RF_OP_KERNEL, at_ns + 30, at_ns + 90, "k"));
        }
    }
    return rec;
}

/* The caller frees it. */
static char *merge_long(int n)
{
    rf_merged_export *merged = begin("json");
    char *all = NULL;
    n_processors = n;
    for (uint8_t machine = 1; machine <= 3; machine++)
        assert_int_equal(add(merged, long_recording(machine), "long", NULL), RF_OK);
    assert_int_equal(rf_merged_export_finish(merged, NULL), RF_OK);
    rf_merged_export_free(merged);
    n_processors = 0;
    all = strdup(text);
    assert_non_null(all);
    return all;
}

static void test_threads(void **state)
{
    char *by_one = merge_long(1);
    (void)state;
    /* the third recording's last track, after the ids of two processes and eleven tracks */
    assert_non_null(strstr(by_one, "\"pid\":1073741833,\"tid\":1073741837,\"args\":{\"name\":"
                                   "\"GPU 0 stream 7\""));
    assert_non_null(strstr(by_one, "\"id\":9000,\"pid\":1073741833,"));
    assert_null(strstr(by_one, "}\n{"));
    for (int n = 2; n <= 9; n += 1 + n / 4) {
        char *by_many = merge_long(n);
        assert_true(strcmp(by_one, by_many) == 0);
        free(by_many);
    }
    free(by_one);
}

static void test_nothing(void **state)
{
    struct rf_err err;
    struct rf_export_options options = RF_EXPORT_OPTIONS_INIT;
    rf_merged_export *merged = begin("json");
    struct rf_merged_input_info info;
    (void)state;
    assert_int_equal(rf_merged_export_input_at(merged, 0, &info), RF_ERR_USAGE);
    assert_int_equal(rf_merged_export_finish(merged, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "no recording"));
    rf_merged_export_free(merged);
    options.format = "text";
    options.write = keep;
    assert_int_equal(rf_merged_export_new(&options, &merged, &err), RF_ERR_USAGE);
    assert_null(merged);
    assert_non_null(strstr(err.text, "one recording"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aligned),        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_one_reading),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_captures),       cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_names_and_pids), cmocka_unit_test(test_threads),
    };
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(text);
    return n_failed;
}
