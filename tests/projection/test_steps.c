/* SPDX-License-Identifier: Apache-2.0 */
/* Which range is the step of a thread, and what is said of each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "built_recording.h"
#include "model/recording.h"
#include "stats/stats.h"
#include "summary/steps.h"

enum { STEP, START, DURATION, DEVIATION, CHILD, EXCESS, SELF, BUSY, WAIT, NAME, CUT };

static struct rf_steps steps_of(const rf_recording *rec)
{
    struct rf_steps steps;
    assert_int_equal(rf_steps_init(&steps, rec, NULL, NULL), RF_OK);
    return steps;
}

static struct rf_table table_of(const rf_recording *rec)
{
    struct rf_table table = {0};
    assert_int_equal(rf_report_compute(rec, "steps", &table, NULL), RF_OK);
    return table;
}

static const struct rf_cell *row_of(const struct rf_table *table, size_t i)
{
    assert_true(i < table->n_rows);
    return table->cells + i * table->n_columns;
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
    assert_int_equal(find_named(&steps, rec, "batches", &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'batch'?"));
    rf_steps_release(&steps);
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_step), cmocka_unit_test(test_work_and_waits),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_none),
        cmocka_unit_test(test_overlap),   cmocka_unit_test(test_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
