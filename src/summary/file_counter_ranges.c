/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_counter_ranges.h"

#include <float.h>
#include <string.h>

#include "summary/file_digits.h"
#include "summary/file_values.h"
#include "summary/tallies/file_tallies.h"

/* ---- counter_ranges ---- */

enum { BY_SAMPLES, BY_TIME, N_WEIGHTS };

static const char *const weights[N_WEIGHTS] = {[BY_SAMPLES] = "samples", [BY_TIME] = "time"};

static void write_ranges(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_counter_ranges *all = &file->out->counter_ranges;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_counter_range *item = &all->item[i];
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_int64(insert, 2, item->input + (int64_t)1);
        rf_file_bind_tally_text(file, insert, 3, item->domain);
        rf_file_bind_tally_text(file, insert, 4, item->name);
        (void)sqlite3_bind_int64(insert, 5, item->name == RF_REST_OF_NAMES);
        (void)sqlite3_bind_text(insert, 6, rf_summary_kind_name(item->style), -1, SQLITE_STATIC);
        rf_file_bind_tally_text(file, insert, 7, item->counter_domain);
        rf_file_bind_tally_text(file, insert, 8, item->counter_name);
        rf_file_bind_tally_text(file, insert, 9, item->unit);
        (void)sqlite3_bind_text(insert, 10, weights[item->is_by_time ? BY_TIME : BY_SAMPLES], -1,
                                SQLITE_STATIC);
        (void)sqlite3_bind_int64(insert, 11, (int64_t)item->n);
        (void)sqlite3_bind_int64(insert, 12, (int64_t)item->n_not_finite);
        (void)sqlite3_bind_int64(insert, 13, (int64_t)item->n_samples);
        (void)sqlite3_bind_int64(insert, 14, (int64_t)item->weight);
        rf_summary_file_insert(file, insert);
    }
}

static uint32_t style_named(const char *name)
{
    return strcmp(name, rf_summary_kind_name(RF_SUMMARY_PUSH_POP)) == 0    ? RF_SUMMARY_PUSH_POP
           : strcmp(name, rf_summary_kind_name(RF_SUMMARY_START_END)) == 0 ? RF_SUMMARY_START_END
                                                                           : RF_SUMMARY_N_KINDS;
}

static int weight_named(const char *name)
{
    int weight = 0;
    while (weight < N_WEIGHTS && strcmp(weights[weight], name) != 0)
        weight++;
    return weight;
}

/* A sample has a weight of 1 or, where it has no finite value, none. */
static bool is_possible(const struct rf_summary_file *file, const struct rf_counter_range *item,
                        int64_t input)
{
    return input <= (int64_t)file->summary->n_inputs && item->style != RF_SUMMARY_N_KINDS &&
           item->n_not_finite <= item->n && item->weight >= item->n &&
           (item->is_by_time || item->weight <= item->n_samples) &&
           rf_searched_of(&file->summary->tallies.searched[RF_TALLY_RANGE_COUNTER], item->input)
                   .n_searched > 0;
}

static void read_range(struct rf_summary_file *file, sqlite3_stmt *row)
{
    static const struct rf_exact_sum none = {.n_added = 0};
    const int64_t input = rf_file_number(file, row, 1, 1),
                  is_rest = rf_file_number(file, row, 4, 0);
    const int weight = weight_named(rf_file_text(file, row, 9));
    struct rf_counter_range item = {.input = (uint32_t)(input - 1),
                                    .domain = rf_file_tally_text(file, row, 2),
                                    .name = rf_file_tally_text(file, row, 3),
                                    .style = style_named(rf_file_text(file, row, 5)),
                                    .counter_domain = rf_file_tally_text(file, row, 6),
                                    .counter_name = rf_file_tally_text(file, row, 7),
                                    .unit = rf_file_tally_text(file, row, 8),
                                    .is_by_time = weight == BY_TIME,
                                    .n = (uint64_t)rf_file_number(file, row, 10, 1),
                                    .n_not_finite = (uint64_t)rf_file_number(file, row, 11, 0),
                                    .n_samples = (uint64_t)rf_file_number(file, row, 12, 0),
                                    .weight = (uint64_t)rf_file_number(file, row, 13, 1)};
    if (file->status == RF_OK &&
        (rf_file_number(file, row, 0, 1) != (int64_t)file->summary->counter_ranges.n + 1 ||
         is_rest > (item.name == RF_NO_STRING) || weight == N_WEIGHTS ||
         !is_possible(file, &item, input)))
        rf_summary_file_damaged(file, "a counter in ranges");
    if (is_rest != 0)
        item.name = RF_REST_OF_NAMES;
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_counter_range_add(file->summary, &item, &none));
}

const struct rf_summary_table rf_table_counter_ranges = {
    "CREATE TABLE counter_ranges ("
    "counter_range INTEGER PRIMARY KEY, input INTEGER NOT NULL, domain INTEGER, name INTEGER,"
    " is_rest INTEGER NOT NULL, style TEXT NOT NULL, counter_domain INTEGER, counter_name INTEGER,"
    " unit INTEGER, weighed_by TEXT NOT NULL, n INTEGER NOT NULL, n_not_finite INTEGER NOT NULL,"
    " n_samples INTEGER NOT NULL, weight INTEGER NOT NULL)",
    "INSERT INTO counter_ranges VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    write_ranges,
    "SELECT counter_range, input, domain, name, is_rest, style, counter_domain, counter_name, unit,"
    " weighed_by, n, n_not_finite, n_samples, weight FROM main.counter_ranges"
    " ORDER BY counter_range",
    read_range,
    "counter_ranges"};

/* ---- counter_range_digits ---- */

static void write_digits(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_counter_ranges *all = &file->out->counter_ranges;
    for (size_t i = 0; i < all->n; i++)
        rf_file_write_digits(file, insert, i + 1, &all->digits, &all->item[i].sum);
}

static void read_digit(struct rf_summary_file *file, sqlite3_stmt *row)
{
    struct rf_counter_ranges *all = &file->summary->counter_ranges;
    const int64_t number = rf_file_number(file, row, 0, 1);
    const bool is_there = number <= (int64_t)all->n;
    rf_file_read_digit(file, row, &all->digits, is_there ? &all->item[number - 1].sum : NULL);
}

const struct rf_summary_table rf_table_counter_range_digits = {
    "CREATE TABLE counter_range_digits ("
    "counter_range INTEGER NOT NULL, digit INTEGER NOT NULL, value INTEGER NOT NULL,"
    " PRIMARY KEY (counter_range, digit)) WITHOUT ROWID",
    "INSERT INTO counter_range_digits VALUES (?,?,?)",
    write_digits,
    "SELECT counter_range, digit, value FROM main.counter_range_digits"
    " ORDER BY counter_range, digit",
    read_digit,
    "counter_range_digits"};

/* ---- When all is read ---- */

/* Both tables are there, or neither is and nothing was looked for. */
static bool has_tables(const struct rf_summary_file *file)
{
    const struct rf_summary_table *table;
    const struct rf_searched_inputs *searched =
        &file->summary->tallies.searched[RF_TALLY_RANGE_COUNTER];
    bool has_ranges = false, has_digits = false, is_searched = false;
    for (size_t i = 0; (table = rf_summary_table_at(i)) != NULL; i++) {
        const bool is_there = (file->later_tables >> i & 1) != 0;
        has_ranges |= is_there && table == &rf_table_counter_ranges;
        has_digits |= is_there && table == &rf_table_counter_range_digits;
    }
    for (size_t i = 0; i < searched->n; i++)
        is_searched |= searched->input[i].n_searched > 0;
    return has_ranges == has_digits && (has_ranges || !is_searched);
}

/* Each range has a double as its sum. */
static bool has_sum(const rf_summary *summary, const struct rf_counter_range *item)
{
    const struct rf_exact_number least = rf_exact_of_real(-DBL_MAX),
                                 most = rf_exact_of_real(DBL_MAX);
    const uint64_t n = item->n - item->n_not_finite;
    struct rf_exact_sum sum;
    rf_counter_range_sum(summary, item, &sum);
    if (n == 0)
        return rf_exact_sign(&sum) == 0;
    return rf_exact_sum_compare(&sum, &least, &least, n) >= 0 &&
           rf_exact_sum_compare(&sum, &most, &most, n) <= 0;
}

void rf_file_check_counter_ranges(struct rf_summary_file *file)
{
    const struct rf_counter_ranges *all = &file->summary->counter_ranges;
    const size_t n = all->n;
    if (file->status == RF_OK && !has_tables(file))
        rf_summary_file_damaged(file, "what tally_inputs says of counters in ranges");
    for (size_t i = 0; i < n && file->status == RF_OK; i++)
        if (!has_sum(file->summary, &all->item[i]))
            rf_summary_file_damaged(file, "the digits of a sum");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_counter_ranges_join(file->summary));
    if (file->status == RF_OK && all->n < n)
        rf_summary_file_damaged(file, "a counter in ranges that comes twice");
}
