/* SPDX-License-Identifier: Apache-2.0 */
/* What is compared, as tables. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "stats/compare/compare_object.h"
#include "stats/stats.h"

#define MEANS_VERDICT "slower, faster, same or cannot tell; of counts more, fewer, new or gone"
#define MEANS_KIND    "step, mean, run, range, kernel, memory, bytes, wait or work"
#define MEANS_NAME    "names of ranges from the outermost one inwards, or of the work"
#define MEANS_MORE    "runs a side that are missing for a verdict, about; None: none, or too many"

enum { T_VERDICT, T_CHANGE, T_LOW, T_HIGH, T_A, T_B, T_SHARE, T_MORE, T_KIND, T_NAME };

static const struct rf_column time_columns[] = {
    {"Verdict", RF_COLUMN_WORD, MEANS_VERDICT},
    {"Change (%)", RF_COLUMN_REAL, "how much longer B takes than A"},
    {"Low (%)", RF_COLUMN_REAL, "lower end of its interval, of 95 %; None: it is not known"},
    {"High (%)", RF_COLUMN_REAL, "upper end; None: it is not known"},
    {"A (ns)", RF_COLUMN_COUNT, "middle of the medians of the runs of A"},
    {"B (ns)", RF_COLUMN_COUNT, "middle of the medians of the runs of B"},
    {"Share (%)", RF_COLUMN_REAL, "of the time of the steps, on the side that has more"},
    {"More Runs", RF_COLUMN_ID, MEANS_MORE},
    {"Kind", RF_COLUMN_WORD, MEANS_KIND},
    {"Name", RF_COLUMN_WORD, MEANS_NAME},
};

enum { C_VERDICT, C_A_MIN, C_A_MAX, C_B_MIN, C_B_MAX, C_PER, C_KIND, C_NAME };

static const struct rf_column count_columns[] = {
    {"Verdict", RF_COLUMN_WORD, MEANS_VERDICT},
    {"A Min", RF_COLUMN_VALUE, "the least that a run of A has"},
    {"A Max", RF_COLUMN_VALUE, "the most that a run of A has"},
    {"B Min", RF_COLUMN_VALUE, "the least that a run of B has"},
    {"B Max", RF_COLUMN_VALUE, "the most that a run of B has"},
    {"Per", RF_COLUMN_WORD, "step or run"},
    {"Kind", RF_COLUMN_WORD, MEANS_KIND},
    {"Name", RF_COLUMN_WORD, MEANS_NAME},
};

enum {
    A_WHAT,
    A_VERDICT,
    A_REASON,
    A_KIND,
    A_NAME,
    A_A,
    A_B,
    A_RATIO,
    A_LOW,
    A_HIGH,
    A_CHANCE,
    A_SHARE_A,
    A_SHARE_B,
    A_MORE,
    A_A_MAX,
    A_B_MAX,
    A_PER
};

static const struct rf_column all_columns[] = {
    {"What", RF_COLUMN_WORD, "time (ns) or count"},
    {"Verdict", RF_COLUMN_WORD, MEANS_VERDICT},
    {"Reason", RF_COLUMN_WORD, "why it cannot tell"},
    {"Kind", RF_COLUMN_WORD, MEANS_KIND},
    {"Name", RF_COLUMN_WORD, MEANS_NAME},
    {"A", RF_COLUMN_VALUE, "middle of the medians of the runs of A; the least count of a run"},
    {"B", RF_COLUMN_VALUE, "the same of B"},
    {"Ratio", RF_COLUMN_VALUE, "of B to A; None: it is a count"},
    {"Low", RF_COLUMN_VALUE, "lower end of its interval, of 95 %; None: it is not known"},
    {"High", RF_COLUMN_VALUE, "upper end; None: it is not known"},
    {"Chance", RF_COLUMN_VALUE, "of such a ratio where nothing changed; None: it is a count"},
    {"Share A (%)", RF_COLUMN_VALUE, "of the time of the steps; None: it is a count"},
    {"Share B (%)", RF_COLUMN_VALUE, "the same of B; None: it is a count"},
    {"More Runs", RF_COLUMN_ID, MEANS_MORE},
    {"A Max", RF_COLUMN_VALUE, "the most that a run of A has; None: it is a time"},
    {"B Max", RF_COLUMN_VALUE, "the same of B; None: it is a time"},
    {"Per", RF_COLUMN_WORD, "step or run; of times run"},
};

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

static uint64_t more_runs(const struct rf_compare_time *time)
{
    return time->n_more > 0 ? time->n_more : RF_NO_ID;
}

static double percent(double ratio, bool is_known)
{
    return is_known ? 100 * (ratio - 1) : (double)NAN;
}

static bool add_time(struct rf_table *table, const struct rf_compare_time *time)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_cell_set_word(&row[T_VERDICT], rf_compare_verdict_name(time->verdict));
    row[T_CHANGE].real = percent(time->ratio, true);
    row[T_LOW].real = percent(time->low, time->has_interval != 0);
    row[T_HIGH].real = percent(time->high, time->has_interval != 0);
    row[T_A].count = (uint64_t)(time->a_ns + 0.5);
    row[T_B].count = (uint64_t)(time->b_ns + 0.5);
    row[T_SHARE].real = time->share_a > time->share_b ? time->share_a : time->share_b;
    row[T_MORE].count = more_runs(time);
    rf_cell_set_word(&row[T_KIND], rf_compare_kind_name(time->kind));
    rf_cell_set_word(&row[T_NAME], time->name);
    return true;
}

static void set_real(struct rf_cell *cell, bool is_known, double real)
{
    cell->real = is_known ? real : (double)NAN;
    cell->whole = 0;
}

static bool add_time_of_all(struct rf_table *table, const struct rf_compare_time *time)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_cell_set_word(&row[A_WHAT], "time");
    rf_cell_set_word(&row[A_VERDICT], rf_compare_verdict_name(time->verdict));
    rf_cell_set_word(&row[A_REASON], rf_compare_reason_name(time->reason));
    rf_cell_set_word(&row[A_KIND], rf_compare_kind_name(time->kind));
    rf_cell_set_word(&row[A_NAME], time->name);
    set_real(&row[A_A], true, time->a_ns);
    set_real(&row[A_B], true, time->b_ns);
    set_real(&row[A_RATIO], true, time->ratio);
    set_real(&row[A_LOW], time->has_interval != 0, time->low);
    set_real(&row[A_HIGH], time->has_interval != 0, time->high);
    set_real(&row[A_CHANCE], true, time->chance);
    set_real(&row[A_SHARE_A], true, time->share_a);
    set_real(&row[A_SHARE_B], true, time->share_b);
    row[A_MORE].count = more_runs(time);
    set_real(&row[A_A_MAX], false, 0);
    set_real(&row[A_B_MAX], false, 0);
    rf_cell_set_word(&row[A_PER], "run");
    return true;
}

static const char *per_of(const struct rf_compare_count *count)
{
    return count->is_per_step ? "step" : "run";
}

static bool add_count(struct rf_table *table, const struct rf_compare_count *count)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_cell_set_word(&row[C_VERDICT], rf_compare_verdict_name(count->verdict));
    set_real(&row[C_A_MIN], true, count->a_min);
    set_real(&row[C_A_MAX], true, count->a_max);
    set_real(&row[C_B_MIN], true, count->b_min);
    set_real(&row[C_B_MAX], true, count->b_max);
    rf_cell_set_word(&row[C_PER], per_of(count));
    rf_cell_set_word(&row[C_KIND], rf_compare_kind_name(count->kind));
    rf_cell_set_word(&row[C_NAME], count->name);
    return true;
}

static bool add_count_of_all(struct rf_table *table, const struct rf_compare_count *count)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_cell_set_word(&row[A_WHAT], "count");
    rf_cell_set_word(&row[A_VERDICT], rf_compare_verdict_name(count->verdict));
    rf_cell_set_word(&row[A_REASON], rf_compare_reason_name(count->reason));
    rf_cell_set_word(&row[A_KIND], rf_compare_kind_name(count->kind));
    rf_cell_set_word(&row[A_NAME], count->name);
    set_real(&row[A_A], true, count->a_min);
    set_real(&row[A_B], true, count->b_min);
    for (int i = A_RATIO; i <= A_SHARE_B; i++)
        set_real(&row[i], false, 0);
    row[A_MORE].count = RF_NO_ID;
    set_real(&row[A_A_MAX], true, count->a_max);
    set_real(&row[A_B_MAX], true, count->b_max);
    rf_cell_set_word(&row[A_PER], per_of(count));
    return true;
}

static bool add_rows(const rf_compare *compare, enum rf_compare_table kind, struct rf_table *table)
{
    const bool is_all = kind == RF_COMPARE_ALL;
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
    bool is_done = true;
    for (size_t i = 0;
         kind != RF_COMPARE_COUNTS && is_done && rf_compare_time_at(compare, i, &time) == RF_OK;
         i++)
        is_done = is_all ? add_time_of_all(table, &time) : add_time(table, &time);
    for (size_t i = 0;
         kind != RF_COMPARE_TIMES && is_done && rf_compare_count_at(compare, i, &count) == RF_OK;
         i++)
        is_done = is_all ? add_count_of_all(table, &count) : add_count(table, &count);
    return is_done;
}

static void begin(struct rf_table *table, enum rf_compare_table kind)
{
    if (kind == RF_COMPARE_TIMES)
        rf_table_init(table, "Times", time_columns, N_COLUMNS(time_columns));
    else if (kind == RF_COMPARE_COUNTS)
        rf_table_init(table, "Counts That Differ", count_columns, N_COLUMNS(count_columns));
    else
        rf_table_init(table, "Comparison", all_columns, N_COLUMNS(all_columns));
    table->name = "compare";
}

static void keep_rows(struct rf_table *table, uint64_t max_rows)
{
    if (table->n_rows <= max_rows)
        return;
    rf_table_add_note(table, "the first %llu of %zu rows; --rows=N shows N",
                      (unsigned long long)max_rows, table->n_rows);
    table->n_rows = (size_t)max_rows;
}

int rf_compare_write(const rf_compare *compare, enum rf_compare_table kind, uint64_t max_rows,
                     const struct rf_report_options *options, struct rf_err *err)
{
    struct rf_report_options own;
    struct rf_table table = {.n_rows = 0};
    if (compare == NULL || options == NULL || !compare->is_found)
        return rf_fail(err, RF_ERR_USAGE, "rf_compare_write: there is no comparison, or options");
    int status = rf_sized_options(&own, sizeof(own), options, "rf_report_options", err);
    if (status != RF_OK)
        return status;
    begin(&table, kind);
    table.width = own.width;
    if (!add_rows(compare, kind, &table))
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (max_rows > 0)
        keep_rows(&table, max_rows);
    if (status == RF_OK)
        status = rf_report_write(&table, &own, err);
    rf_table_release(&table);
    return status;
}
