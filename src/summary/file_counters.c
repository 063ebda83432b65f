/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_counters.h"

#include <math.h>
#include <string.h>

#include "summary/file_digits.h"
#include "summary/file_searched.h"
#include "summary/file_values.h"

#define HALF (INT64_C(1) << 32) /* a whole number is high * HALF + low */

/* ---- counter_inputs ---- */

static void write_inputs(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    rf_file_write_searched(file, insert, &file->out->counters.searched);
}

static void read_input(struct rf_summary_file *file, sqlite3_stmt *row)
{
    rf_file_read_searched(file, row, &file->summary->counters.searched, "a row of counter_inputs");
}

const struct rf_summary_table rf_table_counter_inputs = {
    "CREATE TABLE counter_inputs ("
    "input INTEGER PRIMARY KEY, n_searched INTEGER NOT NULL, n_left_out INTEGER NOT NULL)",
    "INSERT INTO counter_inputs VALUES (?,?,?)",
    write_inputs,
    "SELECT input, n_searched, n_left_out FROM main.counter_inputs ORDER BY input",
    read_input,
    "counter_inputs"};

/* ---- Numbers: the nearest double, and of a whole one two integers ---- */

static void bind_number(sqlite3_stmt *insert, int at, const struct rf_exact_number *number)
{
    (void)sqlite3_bind_double(insert, at, number->real);
    if (!number->is_whole) {
        (void)sqlite3_bind_null(insert, at + 1);
        (void)sqlite3_bind_null(insert, at + 2);
        return;
    }
    const __int128 rest = number->whole % HALF, low = rest < 0 ? rest + HALF : rest;
    (void)sqlite3_bind_int64(insert, at + 1, (int64_t)((number->whole - low) / HALF));
    (void)sqlite3_bind_int64(insert, at + 2, (int64_t)low);
}

static double read_real(struct rf_summary_file *file, sqlite3_stmt *row, int column)
{
    const double real = sqlite3_column_double(row, column);
    if (sqlite3_column_type(row, column) == SQLITE_FLOAT && isfinite(real))
        return real;
    rf_summary_file_damaged(file, sqlite3_column_name(row, column));
    return 0;
}

static struct rf_exact_number read_number(struct rf_summary_file *file, sqlite3_stmt *row,
                                          int column)
{
    const double real = read_real(file, row, column);
    if (sqlite3_column_type(row, column + 1) == SQLITE_NULL &&
        sqlite3_column_type(row, column + 2) == SQLITE_NULL)
        return rf_exact_of_real(real);
    const int64_t high = rf_file_number(file, row, column + 1, -HALF / 2),
                  low = rf_file_number(file, row, column + 2, 0);
    const struct rf_exact_number number = rf_exact_of_whole((__int128)high * HALF + low);
    if (high >= HALF || low >= HALF || number.real < real || number.real > real)
        rf_summary_file_damaged(file, sqlite3_column_name(row, column + 1));
    return number;
}

/* ---- counters ---- */

static const char *const numbers[] = {
    [RF_COUNTER_REAL] = "real", [RF_COUNTER_INT64] = "int64", [RF_COUNTER_UINT64] = "uint64"};

enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static void write_counters(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_counters *all = &file->out->counters;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_summary_counter *item = &all->item[i];
        const struct rf_sample_figures *figures = &item->figures;
        (void)sqlite3_clear_bindings(insert);
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_int64(insert, 2, item->input + (int64_t)1);
        (void)sqlite3_bind_text(insert, 3, rf_summary_counter_kind_name(item->kind), -1,
                                SQLITE_STATIC);
        rf_file_bind_string(file, insert, 4, item->domain);
        rf_file_bind_string(file, insert, 5, item->name);
        rf_file_bind_string(file, insert, 6, item->unit);
        (void)sqlite3_bind_int64(insert, 7, item->pid);
        (void)sqlite3_bind_int64(insert, 8, item->tid);
        (void)sqlite3_bind_int64(insert, 9, item->device);
        (void)sqlite3_bind_text(insert, 10, numbers[item->number], -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(insert, 11, rf_counter_value_type_name((int)item->value_type), -1,
                                SQLITE_STATIC);
        (void)sqlite3_bind_double(insert, 12, item->factor);
        (void)sqlite3_bind_int64(insert, 13, (int64_t)figures->n_samples);
        (void)sqlite3_bind_int64(insert, 14, (int64_t)figures->n_not_finite);
        (void)sqlite3_bind_int64(insert, 15, (int64_t)figures->n);
        if (figures->n > 0) {
            bind_number(insert, 16, &figures->min);
            bind_number(insert, 19, &figures->max);
            bind_number(insert, 22, &figures->last);
            (void)sqlite3_bind_int64(insert, 25, figures->last_ns);
        }
        rf_summary_file_insert(file, insert);
    }
}

static uint32_t kind_named(const char *name)
{
    uint32_t kind = 0;
    while (kind < RF_SUMMARY_N_COUNTER_KINDS &&
           strcmp(rf_summary_counter_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

static uint32_t number_named(const char *name)
{
    uint32_t number = 0;
    while (number < N_NUMBERS && strcmp(numbers[number], name) != 0)
        number++;
    return number;
}

static uint32_t value_type_named(const char *name)
{
    uint32_t type = RF_COUNTER_ABSOLUTE;
    while (type <= RF_COUNTER_DELTA_SINCE_START &&
           strcmp(rf_counter_value_type_name((int)type), name) != 0)
        type++;
    return type;
}

static struct rf_sample_figures read_figures(struct rf_summary_file *file, sqlite3_stmt *row)
{
    struct rf_sample_figures figures = {.n_samples = (uint64_t)rf_file_number(file, row, 12, 1),
                                        .n_not_finite = (uint64_t)rf_file_number(file, row, 13, 0),
                                        .n = (uint64_t)rf_file_number(file, row, 14, 0)};
    if (figures.n == 0)
        return figures;
    figures.min = read_number(file, row, 15);
    figures.max = read_number(file, row, 18);
    figures.last = read_number(file, row, 21);
    figures.last_ns = rf_file_number(file, row, 24, INT64_MIN);
    return figures;
}

static bool is_possible(const struct rf_summary_file *file, const struct rf_summary_counter *item,
                        int64_t input)
{
    const struct rf_sample_figures *figures = &item->figures;
    return input <= (int64_t)file->summary->n_inputs && item->kind < RF_SUMMARY_N_COUNTER_KINDS &&
           item->number < N_NUMBERS && item->value_type <= RF_COUNTER_DELTA_SINCE_START &&
           item->factor > 0 && item->pid <= UINT32_MAX && item->tid <= UINT32_MAX &&
           item->device <= UINT32_MAX && figures->n <= figures->n_samples &&
           figures->n_not_finite <= figures->n_samples - figures->n &&
           rf_searched_of(&file->summary->counters.searched, item->input).n_searched > 0 &&
           (figures->n == 0 || (rf_exact_compare(&figures->min, &figures->last) <= 0 &&
                                rf_exact_compare(&figures->last, &figures->max) <= 0));
}

static void read_counter(struct rf_summary_file *file, sqlite3_stmt *row)
{
    static const struct rf_exact_sum none = {.n_added = 0};
    const int64_t input = rf_file_number(file, row, 1, 1);
    const struct rf_summary_counter item = {
        .input = (uint32_t)(input - 1),
        .kind = kind_named(rf_file_text(file, row, 2)),
        .domain = rf_file_string(file, row, 3),
        .name = rf_file_string(file, row, 4),
        .unit = rf_file_string(file, row, 5),
        .pid = rf_file_number(file, row, 6, -1),
        .tid = rf_file_number(file, row, 7, -1),
        .device = rf_file_number(file, row, 8, -1),
        .number = number_named(rf_file_text(file, row, 9)),
        .value_type = value_type_named(rf_file_text(file, row, 10)),
        .factor = read_real(file, row, 11),
        .figures = read_figures(file, row),
    };
    if (file->status == RF_OK &&
        (rf_file_number(file, row, 0, 1) != (int64_t)file->summary->counters.n + 1 ||
         !is_possible(file, &item, input)))
        rf_summary_file_damaged(file, "a counter");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_counter_add(file->summary, &item, &none));
}

#define NUMBER_COLUMNS(name) " " name " REAL, " name "_high INTEGER, " name "_low INTEGER,"

const struct rf_summary_table rf_table_counters = {
    "CREATE TABLE counters ("
    "counter INTEGER PRIMARY KEY, input INTEGER NOT NULL, kind TEXT NOT NULL, domain TEXT,"
    " name TEXT, unit TEXT, pid INTEGER NOT NULL, tid INTEGER NOT NULL, device INTEGER NOT NULL,"
    " number TEXT NOT NULL, value_type TEXT NOT NULL, factor REAL NOT NULL,"
    " n_samples INTEGER NOT NULL, n_not_finite INTEGER NOT NULL, n INTEGER NOT "
    "NULL," NUMBER_COLUMNS("min") NUMBER_COLUMNS("max")
        NUMBER_COLUMNS("last") " last_utc_ns INTEGER)",
    "INSERT INTO counters VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    write_counters,
    "SELECT counter, input, kind, domain, name, unit, pid, tid, device, number, value_type, factor,"
    " n_samples, n_not_finite, n, min, min_high, min_low, max, max_high, max_low,"
    " last, last_high, last_low, last_utc_ns FROM main.counters ORDER BY counter",
    read_counter,
    "counters"};

/* ---- counter_digits ---- */

static void write_digits(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_counters *all = &file->out->counters;
    for (size_t i = 0; i < all->n; i++)
        rf_file_write_digits(file, insert, i + 1, &all->digits, &all->item[i].sum);
}

static void read_digit(struct rf_summary_file *file, sqlite3_stmt *row)
{
    struct rf_summary_counters *all = &file->summary->counters;
    const int64_t counter = rf_file_number(file, row, 0, 1);
    const bool is_there = counter <= (int64_t)all->n;
    rf_file_read_digit(file, row, &all->digits, is_there ? &all->item[counter - 1].sum : NULL);
}

const struct rf_summary_table rf_table_counter_digits = {
    "CREATE TABLE counter_digits ("
    "counter INTEGER NOT NULL, digit INTEGER NOT NULL, value INTEGER NOT NULL,"
    " PRIMARY KEY (counter, digit)) WITHOUT ROWID",
    "INSERT INTO counter_digits VALUES (?,?,?)",
    write_digits,
    "SELECT counter, digit, value FROM main.counter_digits ORDER BY counter, digit",
    read_digit,
    "counter_digits"};

/* ---- When all is read ---- */

/* Whether n values between the smallest and the largest can have this sum. */
static bool has_values(const rf_summary *summary, const struct rf_summary_counter *item)
{
    const struct rf_sample_figures *figures = &item->figures;
    struct rf_exact_sum total;
    rf_summary_counter_total(summary, item, &total);
    if (figures->n == 0)
        return rf_exact_sign(&total) == 0;
    return rf_exact_sum_compare(&total, &figures->min, &figures->max, figures->n) >= 0 &&
           rf_exact_sum_compare(&total, &figures->max, &figures->min, figures->n) <= 0;
}

void rf_file_check_counters(struct rf_summary_file *file)
{
    const struct rf_summary_counters *all = &file->summary->counters;
    const size_t n = all->n;
    for (size_t i = 0; i < n && file->status == RF_OK; i++)
        if (!has_values(file->summary, &all->item[i]))
            rf_summary_file_damaged(file, "the digits of a sum");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_counters_join(file->summary));
    if (file->status == RF_OK && all->n < n)
        rf_summary_file_damaged(file, "a counter that comes twice");
}
