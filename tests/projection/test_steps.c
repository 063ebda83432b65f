/* SPDX-License-Identifier: Apache-2.0 */
/* Which range is the step of a thread, and what is said of each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "built_recording.h"
#include "model/recording.h"
#include "stats/stats.h"
#include "summary/steps.h"

enum {
    STEP,
    START,
    DURATION,
    DEVIATION,
    SCORE,
    OUTLIER,
    CHILD,
    EXCESS,
    SELF,
    BUSY,
    WAIT,
    NAME,
    CUT
};

static struct rf_steps steps_of(const rf_recording *rec)
{
    struct rf_steps steps;
    assert_int_equal(rf_steps_init(&steps, rec, NULL, NULL), RF_OK);
    return steps;
}

static bool can_make_rows; /* rows are made as they are looked at */

static struct rf_table table_of(const rf_recording *rec)
{
    struct rf_table table = {.can_make_rows = can_make_rows};
    assert_int_equal(rf_report_compute(rec, "steps", &table, NULL), RF_OK);
    return table;
}

static const struct rf_cell *row_of(const struct rf_table *table, size_t i)
{
    assert_true(i < table->n_rows);
    return rf_table_row(table, i);
}

/* A range around the run, four steps of 100 ns, the third with 50 ns more in `load`; below them a
 * range that repeats more often. */
static void test_slow_step(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    static const char *const names[] = {"step 7", "step 8", "step 9", "step 10"};
    int64_t at = -200;
    (void)state;
    (void)built_range(rec, t, -1000, 1000, 0, "run");
    for (int i = 0; i < 4; i++) {
        int64_t more = i == 2 ? 50 : 0;
        (void)built_range(rec, t, at, at + 100 + more, 0, names[i]);
        (void)built_range(rec, t, at + 10, at + 30 + more, 0, "load");
        (void)built_range(rec, t, at + 12, at + 20, 0, "inner");
        (void)built_range(rec, t, at + 40 + more, at + 90 + more, 0, "compute");
        at += 100 + more;
    }
    struct rf_table table = table_of(rec);
    assert_int_equal(table.n_rows, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct rf_cell *row = row_of(&table, i);
        assert_int_equal(row[STEP].count, i + 1);
        assert_int_equal(row[DURATION].count, i == 2 ? 150 : 100);
        assert_true(row[DEVIATION].real == (i == 2 ? 50 : 0));
        assert_string_equal(row[CHILD].text, i == 2 ? ":load" : "");
        assert_int_equal(row[EXCESS].count, i == 2 ? 50 : 0);
        assert_int_equal(row[SELF].time, 30);
        assert_string_equal(row[CUT].text, "");
    }
    assert_int_equal(row_of(&table, 0)[START].time, -200);
    assert_string_equal(row_of(&table, 3)[NAME].text, ":step 10");
    rf_table_release(&table);
    built_free(rec);
}

/* The middle of an even number of totals is between two of them: 10, 20, 31 and 40. */
static void test_excess_of_even_number(void **state)
{
    static const int64_t load_ns[] = {40, 10, 31, 20};
    static const uint64_t excess_ns[] = {15, 0, 6, 0};
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    for (int i = 0; i < 4; i++) {
        (void)built_range(rec, t, 100 * i, 100 * i + 90, 0, "step");
        (void)built_range(rec, t, 100 * i + 10, 100 * i + 10 + load_ns[i], 0, "load");
    }
    struct rf_table table = table_of(rec);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(row_of(&table, i)[EXCESS].count, excess_ns[i]);
    rf_table_release(&table);
    built_free(rec);
}

/* The rows of steps of these durations. */
static struct rf_table table_of_durations(rf_recording *rec, const int64_t *ns, size_t n,
                                          unsigned width, bool is_ascii)
{
    struct rf_table table = {.width = width, .is_ascii = is_ascii, .can_make_rows = can_make_rows};
    uint32_t t = built_thread(rec, 0, 101);
    int64_t at = 0;
    for (size_t i = 0; i < n; i++, at += 10000)
        (void)built_range(rec, t, at, at + ns[i], 0, "step");
    assert_int_equal(rf_report_compute(rec, "steps", &table, NULL), RF_OK);
    assert_int_equal(table.n_rows, n);
    return table;
}

/* Median 103, distances 897, 397, 3, 2, 1, 0, 1, 97, 63: their median, the MAD, is 3. */
static void test_outliers(void **state)
{
    static const int64_t ns[] = {1000, 500, 100, 101, 102, 103, 104, 200, 40};
    static const char *const outlier[] = {"warm-up", "warm-up", "", "", "", "", "", "slow", "fast"};
    rf_recording *rec = built_new();
    (void)state;
    struct rf_table table = table_of_durations(rec, ns, 9, 60, false);
    for (size_t i = 0; i < 9; i++) {
        const struct rf_cell *row = row_of(&table, i);
        assert_string_equal(row[OUTLIER].text, outlier[i]);
        assert_true(fabs(row[SCORE].real - 0.6745 * (double)(ns[i] - 103) / 3) < 1e-9);
    }
    assert_string_equal(table.notes[0], "thread 100/101, :step: 9 steps, median 103 ns, MAD 3 ns; "
                                        "warm-up: 1 to 2; slow: 8; fast: 9");
    assert_string_equal(table.notes[1], "  \u2588\u2585\u2581\u2581\u2581\u2581\u2581\u2582\u2581"
                                        " 0 to 1.000 us");
    rf_table_release(&table);
    built_free(rec);
}

/* More than half are the same, so that the MAD is 0: the mean distance takes its place. */
static void test_outliers_of_equals(void **state)
{
    static const int64_t ns[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 40}, same[] = {7, 7, 7};
    rf_recording *rec = built_new(), *equal = built_new();
    (void)state;
    struct rf_table table = table_of_durations(rec, ns, 10, 60, true);
    for (size_t i = 0; i < 10; i++)
        assert_string_equal(row_of(&table, i)[OUTLIER].text, i == 9 ? "slow" : "");
    assert_true(fabs(row_of(&table, 9)[SCORE].real - 30 / (1.253314 * 3)) < 1e-9);
    assert_string_equal(table.notes[1], "  :::::::::# 0 to 40 ns");
    rf_table_release(&table);
    table = table_of_durations(equal, same, 3, 0, true);
    for (size_t i = 0; i < 3; i++)
        assert_true(row_of(&table, i)[SCORE].real == 0 && row_of(&table, i)[OUTLIER].size == 0);
    assert_int_equal(table.n_notes, 1); /* no line where there is no terminal */
    rf_table_release(&table);
    built_free(rec);
    built_free(equal);
}

/* The slowest are named first, and the line has the largest of those that share a character. */
static void test_many_outliers(void **state)
{
    int64_t ns[400];
    rf_recording *rec = built_new();
    (void)state;
    for (size_t i = 0; i < 400; i++)
        ns[i] = 100 + (int64_t)(i % 3) + (i % 50 == 49 ? (int64_t)(i + 1) : 0);
    struct rf_table table = table_of_durations(rec, ns, 400, 30, true);
    assert_non_null(strstr(table.notes[0], "; slow: 400, 350, 300, 250, 200 and 3 more"));
    assert_string_equal(table.notes[1], "  .:-==.+*## 0 to 500 ns");
    rf_table_release(&table);
    built_free(rec);
}

static void test_work_and_waits(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    for (int64_t at = 0; at < 300; at += 100) {
        (void)built_range(rec, t, at, at + 100, 0, "step");
        uint32_t launch = built_call(rec, t, at + 10, at + 20);
        uint32_t wait = built_call(rec, t, at + 30, at + 70);
        uint32_t inner = built_call(rec, t, at + 35, at + 65);
        (void)built_op(rec, RF_OP_KERNEL, at + 1000, at + 1007, t, launch, "kernel");
        (void)built_op(rec, RF_OP_SYNC, at + 1000, at + 1007, t, wait,
                       "cudaStreamSynchronize_v3020");
        uint32_t driver =
            built_op(rec, RF_OP_SYNC, 0, 0, RF_NO_INDEX, RF_NO_INDEX, "cuStreamSynchronize");
        struct rf_call *call = rec->calls[t].call;
        call[launch].name = rec->op[driver - 2].name;
        call[wait].name = rec->op[driver - 1].name;
        call[inner].name = rec->op[driver].name;
    }
    struct rf_steps steps = steps_of(rec);
    assert_int_equal(steps.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(steps.step[i].busy_ns, 7);
        assert_int_equal(steps.step[i].wait_ns, 40);
        assert_int_equal(steps.step[i].self_ns, 100);
    }
    rf_steps_release(&steps);
    built_free(rec);
}

/* Two threads with steps of their own, a recursion, and ranges that begin and end anywhere. */
static void test_threads(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101), other = built_thread(rec, 0, 102);
    (void)state;
    for (int64_t at = 0; at < 300; at += 100) {
        (void)built_range(rec, t, at, at + 90, 0, "walk");
        (void)built_range(rec, t, at + 10, at + 80, 0, "walk");
    }
    for (int64_t at = 0; at < 400; at += 100) {
        (void)built_start_end(rec, other, at, at + 190, other, "batch\n1");
        (void)built_range(rec, other, at + 60, at + 70, 0, "copy");
    }
    struct rf_steps steps = steps_of(rec);
    assert_int_equal(steps.n, 3 + 4);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(steps.step[i].thread, t);
        assert_int_equal(steps.step[i].self_ns, 20);
        assert_int_equal(steps.child[steps.step[i].first_child].count, 1);
    }
    assert_int_equal(steps.step[3].number, 1);
    assert_int_equal(steps.step[4].thread, other);
    assert_int_equal(steps.step[4].self_ns, 190 - 20);
    assert_int_equal(steps.child[steps.step[4].first_child].count, 2);
    rf_steps_release(&steps);
    built_free(rec);
}

/* Fewer than three are no steps; steps of no duration deviate by nothing that has a number. */
static void test_none(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    (void)built_range(rec, t, 0, 0, 0, NULL);
    (void)built_range(rec, t, 10, 10, 0, NULL);
    struct rf_table table = table_of(rec);
    assert_int_equal(table.n_rows, 0);
    assert_int_equal(table.n_notes, 1);
    assert_non_null(strstr(table.notes[0], "repeats 3 times"));
    rf_table_release(&table);
    (void)built_range(rec, t, 20, 20, 0, NULL);
    table = table_of(rec);
    assert_int_equal(table.n_rows, 3);
    assert_true(row_of(&table, 0)[DEVIATION].real != row_of(&table, 0)[DEVIATION].real);
    assert_string_equal(row_of(&table, 2)[NAME].text, ":(null)");
    rf_table_release(&table);
    built_free(rec);
}

/* Start/end ranges that all overlap are not looked into one by one. */
static void test_overlap(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    for (int64_t i = 0; i < 2000; i++)
        (void)built_start_end(rec, t, i, 10000, t, "request");
    struct rf_steps steps = steps_of(rec);
    assert_int_equal(steps.n, 2000);
    assert_in_range(steps.n_without_children, 1900, 1999);
    rf_steps_release(&steps);
    built_free(rec);
}

static int find_named(struct rf_steps *steps, const rf_recording *rec, const char *range,
                      struct rf_err *err)
{
    return rf_steps_init(steps, rec, &(struct rf_steps_options){.range = range}, err);
}

/* A name is the step that it says, with other numbers, on every thread, of one domain or of any. */
static void test_named(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101), other = built_thread(rec, 0, 102);
    uint32_t loader = built_domain(rec, 0, 1, "loader");
    struct rf_err err;
    struct rf_steps steps;
    (void)state;
    (void)built_range(rec, t, 0, 1000, 0, "epoch 1");
    for (int i = 0; i < 4; i++) {
        (void)built_range(rec, t, 10 + 100 * i, 100 + 100 * i, 0, "batch");
        (void)built_range(rec, t, 20 + 100 * i, 50 + 100 * i, loader, "batch");
    }
    (void)built_range(rec, other, 0, 500, 0, "epoch 2");
    assert_int_equal(find_named(&steps, rec, "epoch 2", &err), RF_OK);
    assert_int_equal(steps.n, 2);
    assert_int_equal(steps.step[0].thread, t);
    assert_int_equal(steps.step[0].n_children, 1);
    assert_int_equal(steps.step[0].self_ns, 1000 - 4 * 90);
    assert_int_equal(steps.step[1].thread, other);
    rf_steps_release(&steps);
    assert_int_equal(find_named(&steps, rec, "batch@loader", &err), RF_OK);
    assert_int_equal(steps.n, 4);
    assert_int_equal(steps.step[3].duration_ns, 30);
    rf_steps_release(&steps);
    assert_int_equal(find_named(&steps, rec, "batch@", &err), RF_OK);
    assert_int_equal(steps.n, 4);
    assert_int_equal(steps.step[3].duration_ns, 90);
    rf_steps_release(&steps);
    assert_int_equal(find_named(&steps, rec, "batches", &err), RF_ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'batch'?"));
    rf_steps_release(&steps);
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_step),     cmocka_unit_test(test_excess_of_even_number),
        cmocka_unit_test(test_outliers),      cmocka_unit_test(test_outliers_of_equals),
        cmocka_unit_test(test_many_outliers), cmocka_unit_test(test_work_and_waits),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_none),
        cmocka_unit_test(test_overlap),       cmocka_unit_test(test_named),
    };
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    can_make_rows = true;
    return n_failed + cmocka_run_group_tests(tests, NULL, NULL);
}
