/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time goes, of recordings whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "built_recording.h"
#include "model/recording.h"
#include "rangefinder/summary.h"
#include "stats/report_list.h"
#include "stats/stats.h"

enum { SELF_SHARE, SELF, PARENT_SHARE, TOTAL_SHARE, TOTAL, NUMBER, MEDIAN, LONGEST, NAMES, RANGE };

static struct rf_table table_of(const rf_recording *rec, int fold_numbers)
{
    struct rf_table table = {.fold_numbers = fold_numbers};
    assert_int_equal(rf_report_compute(rec, "self_time", &table, NULL), RF_OK);
    return table;
}

static const struct rf_cell *row_of(const struct rf_table *table, const char *range)
{
    for (size_t i = 0; i < table->n_rows; i++)
        if (strcmp(table->cells[i * table->n_columns + RANGE].text, range) == 0)
            return &table->cells[i * table->n_columns];
    fail_msg("no row %s", range);
    return NULL;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* A wrapper without time of its own leads every table of totals, and comes last here. */
static void test_wrappers(void **state)
{
    rf_recording *rec = built_new();
    uint32_t lib = built_domain(rec, 0, 1, "lib");
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    (void)built_range(rec, t, 0, 1000, 0, "main");
    (void)built_range(rec, t, 0, 900, 0, "wrapper");
    (void)built_range(rec, t, 10, 840, lib, "solve");
    (void)built_range(rec, t, 900, 1000, lib, "solve");
    struct rf_table table = table_of(rec, 0);
    assert_int_equal(table.n_rows, 3);
    const struct rf_cell *row = table.cells;
    assert_string_equal(row[RANGE].text, "lib:solve");
    assert_true(is_near(row[SELF_SHARE].real, 93) && row[SELF].count == 930);
    assert_true(is_near(row[TOTAL_SHARE].real, 93) && row[TOTAL].count == 930);
    assert_true(is_near(row[PARENT_SHARE].real, 100.0 * 930 / 1900)); /* of wrapper and main */
    assert_int_equal(row[NUMBER].count, 2);
    assert_int_equal(row[LONGEST].count, 830);
    row += table.n_columns;
    assert_string_equal(row[RANGE].text, ":wrapper");
    assert_true(row[SELF].count == 70 && is_near(row[PARENT_SHARE].real, 90));
    row += table.n_columns;
    assert_string_equal(row[RANGE].text, ":main");
    assert_true(row[SELF].count == 0 && row[SELF_SHARE].real == 0);
    assert_true(isnan(row[PARENT_SHARE].real) && is_near(row[TOTAL_SHARE].real, 100));
    assert_string_equal(table.notes[0],
                        "100 % is 1.000 us, the self times of all ranges; the recording took 0 ns");
    rf_table_release(&table);
    built_free(rec);
}

/* What was before a capture and between captures is not what they took. */
static void test_captures(void **state)
{
    static const struct rf_capture_info captures[] = {{500, 700, 1, 0}, {900, 1000, 2, 0}};
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    (void)built_range(rec, t, 500, 650, 0, "step");
    rec->info.end_ns = 1000;
    rec->n_captures = 2;
    rec->capture = malloc(sizeof(captures));
    assert_non_null(rec->capture);
    memcpy(rec->capture, captures, sizeof(captures));
    struct rf_table table = table_of(rec, 0);
    assert_string_equal(table.notes[0],
                        "100 % is 150 ns, the self times of all ranges; the captures took 300 ns");
    rf_table_release(&table);
    free(rec->capture);
    built_free(rec);
}

/* The time of a function that calls itself counts once, and through another one too. */
static void test_recursion(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    (void)built_range(rec, t, 0, 100, 0, "f");
    (void)built_range(rec, t, 10, 60, 0, "f");
    (void)built_range(rec, t, 20, 50, 0, "g");
    (void)built_range(rec, t, 30, 40, 0, "f");
    (void)built_range(rec, t, 70, 80, 0, "g");
    struct rf_table table = table_of(rec, 0);
    const struct rf_cell *row = row_of(&table, ":f");
    assert_int_equal(row[TOTAL].count, 100);
    assert_int_equal(row[SELF].count, 40 + 20 + 10);
    assert_int_equal(row[NUMBER].count, 3);
    assert_true(is_near(row[TOTAL_SHARE].real, 100) && is_near(row[SELF_SHARE].real, 70));
    assert_true(is_near(row[PARENT_SHARE].real, 100.0 * (50 + 10) / (100 + 30)));
    row = row_of(&table, ":g");
    assert_true(row[TOTAL].count == 40 && row[SELF].count == 30);
    assert_true(is_near(row[PARENT_SHARE].real, 100.0 * 40 / (100 + 50)));
    rf_table_release(&table);
    built_free(rec);
}

/* n names of ops, one other, in a range around all. */
static rf_recording *many_names(int n)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)built_range(rec, t, 0, 20 * n, 0, "all");
    for (int i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "op_%d in %d", i, i / 2);
        (void)built_range(rec, t, 20 * i, 20 * i + 10, 0, name);
    }
    (void)built_range(rec, t, 20 * n - 5, 20 * n - 4, 0, "9 alone");
    return rec;
}

static void test_folding(void **state)
{
    rf_recording *few = many_names(98), *many = many_names(99);
    (void)state;
    struct rf_table table = table_of(few, 0);
    assert_int_equal(table.n_rows, 100);
    rf_table_release(&table);
    table = table_of(few, 1);
    assert_int_equal(table.n_rows, 3);
    rf_table_release(&table);
    table = table_of(many, -1);
    assert_int_equal(table.n_rows, 101);
    assert_int_equal(row_of(&table, ":op_7 in 3")[NAMES].count, 1);
    rf_table_release(&table);
    table = table_of(many, 0);
    assert_int_equal(table.n_rows, 3);
    const struct rf_cell *row = row_of(&table, ":op_# in #");
    assert_true(row[NAMES].count == 99 && row[NUMBER].count == 99 && row[SELF].count == 990);
    assert_int_equal(row_of(&table, ":9 alone")[NAMES].count, 1); /* as it is: nothing is folded */
    assert_non_null(strstr(table.notes[1], "of 101 names"));
    rf_table_release(&table);
    built_free(few);
    built_free(many);
}

/* Folded names are in each other: level 0 holds level 1. */
static void test_folded_recursion(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    for (int i = 0; i < 10; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "level %d", i);
        (void)built_range(rec, t, i, 100 - i, 0, name);
    }
    struct rf_table table = table_of(rec, 1);
    assert_int_equal(table.n_rows, 1);
    assert_true(table.cells[TOTAL].count == 100 && table.cells[SELF].count == 100);
    assert_int_equal(table.cells[NUMBER].count, 10);
    rf_table_release(&table);
    built_free(rec);
}

/* Of a summary that kept two paths: the others are one row, which may lie anywhere. */
static void test_summary(void **state)
{
    rf_recording *rec = many_names(99);
    struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
    rf_summary *summary = NULL;
    (void)state;
    options.max_paths = 2;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, &options, NULL), RF_OK);
    struct rf_table table = {.n_rows = 0};
    const struct rf_report *report = rf_report_list_find("self_time");
    assert_int_equal(rf_report_begin(report, &table, NULL), RF_OK);
    assert_int_equal(report->compute_summary(report, summary, 0, &table, NULL), RF_OK);
    assert_int_equal(table.n_rows, 3);
    const struct rf_cell *row = row_of(&table, ":(all other names)");
    assert_true(row[SELF].count == 981 && row[NUMBER].count == 99);
    assert_true(isnan(row[TOTAL_SHARE].real) && isnan(row[PARENT_SHARE].real));
    double all = 0;
    for (size_t i = 0; i < table.n_rows; i++)
        all += table.cells[i * table.n_columns + SELF_SHARE].real;
    assert_true(is_near(all, 100));
    rf_table_release(&table);
    rf_summary_free(summary);
    built_free(rec);
}

/* Ranges without a duration, and none at all: no share is more than 100, or not a number. */
static void test_no_time(void **state)
{
    rf_recording *rec = built_new();
    uint32_t t = built_thread(rec, 0, 101);
    (void)state;
    struct rf_table table = table_of(rec, 0);
    assert_int_equal(table.n_rows, 0);
    rf_table_release(&table);
    (void)built_range(rec, t, 5, 5, 0, "a");
    (void)built_range(rec, t, 5, 5, 0, "b");
    table = table_of(rec, 0);
    assert_int_equal(table.n_rows, 2);
    assert_true(table.cells[SELF_SHARE].real == 0 && table.cells[TOTAL_SHARE].real == 0);
    rf_table_release(&table);
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrappers),         cmocka_unit_test(test_captures),
        cmocka_unit_test(test_recursion),        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_folded_recursion), cmocka_unit_test(test_summary),
        cmocka_unit_test(test_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
