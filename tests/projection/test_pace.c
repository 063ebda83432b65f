/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th steps of ranks whose pace is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "built_recording.h"
#include "model/recording.h"
#include "rangefinder/summary.h"
#include "stats/report_list.h"
#include "stats/stats.h"

enum { STEP, THREADS, SHORTEST, MEDIAN, LONGEST, SPREAD, SLOWEST, BEHIND, LAST, NAME, LANES };

/* Steps of one thread of a new process, one behind the other; the clocks of ranks differ by days.
 */
static void add_rank(rf_recording *rec, uint32_t pid, int32_t rank, const int64_t *ns, size_t n)
{
    uint32_t process = built_process(rec, pid);
    rec->process[process].rank = rank;
    uint32_t t = built_thread(rec, process, pid);
    int64_t at = rank * 86400000000000;
    for (size_t i = 0; i < n; at += ns[i++])
        (void)built_range(rec, t, at, at + ns[i], 0, i % 2 ? "step 1" : "step 2");
}

static rf_recording *three_ranks(void)
{
    static const int64_t zero[] = {100, 100, 100, 100}, one[] = {100, 300, 50, 100},
                         two[] = {100, 200, 100};
    rf_recording *rec = built_new();
    add_rank(rec, 11, 2, two, 3);
    add_rank(rec, 12, 0, zero, 4);
    add_rank(rec, 13, 1, one, 4);
    return rec;
}

static void check_row(const struct rf_table *table, size_t i, const int64_t lanes[3],
                      const char *slowest, uint64_t behind_ns, const char *last)
{
    const struct rf_cell *row = table->cells + i * table->n_columns;
    assert_int_equal(row[STEP].count, i + 1);
    for (size_t k = 0; k < 3; k++)
        assert_true(row[LANES + k].time == (lanes[k] > 0 ? lanes[k] : RF_NO_TIME));
    assert_string_equal(row[SLOWEST].text, slowest);
    assert_true(row[BEHIND].count == behind_ns);
    assert_string_equal(row[LAST].text, last);
}

static void check_ranks(const struct rf_table *table)
{
    assert_int_equal(table->n_rows, 4);
    assert_int_equal(table->n_columns, LANES + 3);
    assert_string_equal(table->columns[LANES].title, "rank 0 (ns)");
    assert_string_equal(table->columns[LANES + 2].title, "rank 2 (ns)");
    check_row(table, 0, (int64_t[]){100, 100, 100}, "", 0, "");
    check_row(table, 1, (int64_t[]){100, 300, 200}, "rank 1", 200, "rank 1");
    check_row(table, 2, (int64_t[]){100, 50, 100}, "rank 0", 150, "rank 1");
    check_row(table, 3, (int64_t[]){100, 100, 0}, "", 150, "rank 1");
    const struct rf_cell *row = table->cells + table->n_columns;
    assert_true(row[THREADS].count == 3 && row[2 * table->n_columns + THREADS].count == 2);
    assert_true(row[SHORTEST].count == 100 && row[MEDIAN].count == 200 &&
                row[LONGEST].count == 300);
    assert_true(fabs(row[SPREAD].real - 100) < 1e-9);
    assert_string_equal(row[NAME].text, ":step #");
}

static void test_ranks(void **state)
{
    rf_recording *rec = three_ranks();
    struct rf_table table = {.n_rows = 0};
    (void)state;
    assert_int_equal(rf_report_compute(rec, "pace", &table, NULL), RF_OK);
    check_ranks(&table);
    rf_table_release(&table);
    table = (struct rf_table){.is_joined = true};
    assert_int_equal(rf_report_compute(rec, "pace", &table, NULL), RF_OK);
    assert_int_equal(table.n_columns, LANES); /* beside tables of other threads */
    rf_table_release(&table);
    built_free(rec);
}

static void test_summary(void **state)
{
    rf_recording *rec = three_ranks();
    rf_summary *summary = NULL;
    const struct rf_report *report = rf_report_list_find("pace");
    struct rf_table table = {.n_rows = 0};
    (void)state;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, NULL, NULL), RF_OK);
    assert_int_equal(rf_report_begin(report, &table, NULL), RF_OK);
    assert_int_equal(report->compute_summary(report, summary, 0, &table, NULL), RF_OK);
    check_ranks(&table);
    rf_table_release(&table);
    rf_summary_free(summary);
    built_free(rec);
}

/* Threads of one rank are told apart, and so are loops. */
static void test_loops(void **state)
{
    rf_recording *rec = built_new();
    uint32_t a = built_thread(rec, 0, 101), b = built_thread(rec, 0, 102),
             c = built_thread(rec, 0, 103);
    struct rf_table table = {.n_rows = 0};
    (void)state;
    for (int64_t at = 0; at < 3000; at += 1000) {
        (void)built_range(rec, a, at, at + 10, 0, "step");
        (void)built_range(rec, b, at, at + 20, 0, "step");
        (void)built_range(rec, c, at, at + 30, 0, "load");
    }
    rec->process[0].rank = 7;
    assert_int_equal(rf_report_compute(rec, "pace", &table, NULL), RF_OK);
    assert_int_equal(table.n_rows, 6);
    assert_int_equal(table.n_columns, LANES + 3);
    assert_non_null(strstr(table.cells[SLOWEST].text, "rank 7 "));
    assert_non_null(strstr(table.cells[SLOWEST].text, "100/102"));
    assert_string_equal(table.cells[3 * table.n_columns + NAME].text, ":load");
    assert_string_equal(table.columns[LANES + 2].title, "rank 7 (ns)"); /* alone in its loop */
    rf_table_release(&table);
    built_free(rec);
}

/* More threads than columns. */
static void test_many(void **state)
{
    static const int64_t ns[] = {10, 10, 10};
    rf_recording *rec = built_new();
    struct rf_table table = {.n_rows = 0};
    (void)state;
    for (uint32_t i = 0; i < 65; i++)
        add_rank(rec, 1000 + i, (int32_t)i, ns, 3);
    assert_int_equal(rf_report_compute(rec, "pace", &table, NULL), RF_OK);
    assert_true(table.n_rows == 3 && table.n_columns == LANES);
    assert_int_equal(table.cells[THREADS].count, 65);
    rf_table_release(&table);
    built_free(rec);
}

static void test_none(void **state)
{
    rf_recording *rec = built_new();
    struct rf_table table = {.n_rows = 0};
    (void)state;
    assert_int_equal(rf_report_compute(rec, "pace", &table, NULL), RF_OK);
    assert_true(table.n_rows == 0 && table.n_notes == 1);
    rf_table_release(&table);
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks), cmocka_unit_test(test_summary), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
