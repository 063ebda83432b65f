/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a file: how each is written, and what of a row is accepted. */
#include <stdlib.h>
#include <string.h>

#include "summary/file.h"
#include "summary/file_boots.h"
#include "summary/file_collectives.h"
#include "summary/file_counter_ranges.h"
#include "summary/file_counters.h"
#include "summary/file_histogram.h"
#include "summary/file_identities.h"
#include "summary/file_settings.h"
#include "summary/file_steps.h"
#include "summary/file_values.h"
#include "summary/tallies/file_tallies.h"

/* ---- inputs ---- */

static void write_inputs(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_inputs && file->status == RF_OK; i++) {
        const struct rf_summary_input *input = &file->out->input[i];
        const uint64_t numbers[] = {(uint64_t)input->rank,
                                    (uint64_t)input->local_rank,
                                    (uint64_t)input->world_size,
                                    (uint64_t)input->start_utc_ns,
                                    input->duration_ns,
                                    input->n_inputs,
                                    input->n_events,
                                    input->n_lost,
                                    input->n_cut,
                                    input->n_paths_folded};
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_text(insert, 2, input->path, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(insert, 3, input->host, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(insert, 4, input->filter, -1, SQLITE_STATIC);
        for (int k = 0; k < 10; k++)
            (void)sqlite3_bind_int64(insert, 5 + k, (int64_t)numbers[k]);
        rf_summary_file_insert(file, insert);
    }
}

static void read_input(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const struct rf_summary_input input = {
        .path = rf_file_text(file, row, 1),
        .host = rf_file_text(file, row, 2),
        .filter = rf_file_text(file, row, 3),
        .rank = rf_file_number(file, row, 4, -1),
        .local_rank = rf_file_number(file, row, 5, -1),
        .world_size = rf_file_number(file, row, 6, -1),
        .start_utc_ns = rf_file_number(file, row, 7, INT64_MIN),
        .duration_ns = (uint64_t)rf_file_number(file, row, 8, 0),
        .n_inputs = (uint64_t)rf_file_number(file, row, 9, 1),
        .n_events = (uint64_t)rf_file_number(file, row, 10, 0),
        .n_lost = (uint64_t)rf_file_number(file, row, 11, 0),
        .n_cut = (uint64_t)rf_file_number(file, row, 12, 0),
        .n_paths_folded = (uint64_t)rf_file_number(file, row, 13, 0),
    };
    if (rf_file_number(file, row, 0, 1) != (int64_t)file->summary->n_inputs + 1)
        rf_summary_file_damaged(file, "input");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_add_input(file->summary, &input));
}

/* ---- paths ---- */

static void write_paths(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_paths && file->status == RF_OK; i++) {
        const struct rf_summary_path *path = &file->out->path[i];
        bool has_parent = path->parent != RF_NO_INDEX;
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_int64(insert, 2, has_parent ? path->parent + (int64_t)1 : 0);
        rf_file_bind_string(file, insert, 3, path->domain);
        rf_file_bind_string(file, insert, 4, path->name);
        (void)sqlite3_bind_int64(insert, 5, path->name == RF_REST_OF_NAMES);
        rf_summary_file_insert(file, insert);
    }
}

static void read_path(struct rf_summary_file *file, sqlite3_stmt *row)
{
    rf_summary *summary = file->summary;
    int64_t number_in_file = rf_file_number(file, row, 0, 1),
            parent = rf_file_number(file, row, 1, 0);
    uint32_t domain = rf_file_string(file, row, 2), name = rf_file_string(file, row, 3);
    if (rf_file_number(file, row, 4, 0) != 0)
        name = RF_REST_OF_NAMES;
    if (number_in_file != (int64_t)summary->n_paths + 1 || parent >= number_in_file)
        rf_summary_file_damaged(file, "path");
    if (file->status != RF_OK)
        return;
    uint32_t path =
        rf_summary_path(summary, parent > 0 ? (uint32_t)parent - 1 : RF_NO_INDEX, domain, name);
    if (path == RF_NO_INDEX)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else if (path + (int64_t)1 != number_in_file)
        rf_summary_file_damaged(file, "path"); /* it comes twice */
}

/* ---- sums ---- */

static const struct rf_summary_place *place_at(const struct rf_summary_row *row, int i)
{
    return i == 0 ? &row->min : &row->max;
}

static void write_sums(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_rows && file->status == RF_OK; i++) {
        const struct rf_summary_row *row = &file->out->row[i];
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_int64(insert, 2, row->input + (int64_t)1);
        (void)sqlite3_bind_int64(insert, 3, row->path + (int64_t)1);
        (void)sqlite3_bind_text(insert, 4, rf_summary_kind_name(row->kind), -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(insert, 5, (int64_t)row->n);
        (void)sqlite3_bind_int64(insert, 6, (int64_t)row->total);
        rf_file_bind_squares(insert, 7, row->squares);
        for (int k = 0; k < 2; k++) {
            const struct rf_summary_place *place = place_at(row, k);
            (void)sqlite3_bind_int64(insert, 9 + 5 * k, (int64_t)place->value);
            (void)sqlite3_bind_int64(insert, 10 + 5 * k, place->start_utc_ns);
            (void)sqlite3_bind_int64(insert, 11 + 5 * k, place->rank);
            (void)sqlite3_bind_int64(insert, 12 + 5 * k, place->pid);
            (void)sqlite3_bind_int64(insert, 13 + 5 * k, place->tid);
        }
        (void)sqlite3_bind_int64(insert, 19, (int64_t)row->self);
        (void)sqlite3_bind_int64(insert, 20, (int64_t)row->gpu);
        (void)sqlite3_bind_int64(insert, 21, (int64_t)row->n_gpu);
        rf_summary_file_insert(file, insert);
    }
}

static uint32_t kind_named(const char *name)
{
    uint32_t kind = 0;
    while (kind < RF_SUMMARY_N_KINDS && strcmp(rf_summary_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

static struct rf_summary_place read_place(struct rf_summary_file *file, sqlite3_stmt *row,
                                          int column)
{
    int64_t pid = rf_file_number(file, row, column + 3, 0),
            tid = rf_file_number(file, row, column + 4, 0);
    if (pid > UINT32_MAX || tid > UINT32_MAX)
        rf_summary_file_damaged(file, "pid or tid");
    return (struct rf_summary_place){(uint64_t)rf_file_number(file, row, column, 0),
                                     rf_file_number(file, row, column + 1, INT64_MIN),
                                     rf_file_number(file, row, column + 2, -1), (uint32_t)pid,
                                     (uint32_t)tid};
}

static bool is_possible(const struct rf_summary_row *row)
{
    return rf_summary_row_is_possible(row) && row->self <= row->total &&
           (row->n_gpu > 0 || row->gpu == 0);
}

static void read_sum(struct rf_summary_file *file, sqlite3_stmt *row)
{
    rf_summary *summary = file->summary;
    int64_t input = rf_file_number(file, row, 1, 1), path = rf_file_number(file, row, 2, 1);
    uint32_t kind = kind_named(rf_file_text(file, row, 3));
    if (rf_file_number(file, row, 0, 1) != (int64_t)summary->n_rows + 1 ||
        input > (int64_t)summary->n_inputs || path > (int64_t)summary->n_paths)
        rf_summary_file_damaged(file, "sum, input or path");
    struct rf_summary_row sum = {
        .input = (uint32_t)(input - 1),
        .path = (uint32_t)(path - 1),
        .kind = kind,
        .n = (uint64_t)rf_file_number(file, row, 4, 1),
        .total = (uint64_t)rf_file_number(file, row, 5, 0),
        .squares = rf_file_squares(file, row, 6),
        .min = read_place(file, row, 8),
        .max = read_place(file, row, 13),
        .self = (uint64_t)rf_file_number(file, row, 18, 0),
        .gpu = (uint64_t)rf_file_number(file, row, 19, 0),
        .n_gpu = (uint64_t)rf_file_number(file, row, 20, 0),
    };
    if (file->status != RF_OK)
        return;
    if (kind == RF_SUMMARY_N_KINDS || !is_possible(&sum)) {
        rf_summary_file_damaged(file, "a sum");
        return;
    }
    size_t before = summary->n_rows;
    struct rf_summary_row *added = rf_summary_row(summary, sum.input, sum.path, kind);
    if (added == NULL)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else if (summary->n_rows == before)
        rf_summary_file_damaged(file, "a sum that comes twice");
    else
        *added = sum;
}

/* ---- sum_histograms ---- */

static void write_histograms(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_rows && file->status == RF_OK; i++)
        rf_file_insert_histogram(file, insert, i + 1, &file->out->row[i].histogram);
}

/* The histogram that the row is of; NULL: there is none. */
static struct rf_histogram *histogram_of(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t sum = rf_file_number(file, row, 0, 1);
    if (sum > (int64_t)file->summary->n_rows)
        rf_summary_file_damaged(file, "the sum of a histogram");
    return file->status == RF_OK ? &file->summary->row[sum - 1].histogram : NULL;
}

static void read_histogram(struct rf_summary_file *file, sqlite3_stmt *row)
{
    struct rf_histogram *histogram = histogram_of(file, row);
    if (histogram != NULL)
        rf_file_read_histogram(file, row, histogram);
}

/* ---- buckets, of version 1 ---- */

static void read_bucket(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t bucket = rf_file_number(file, row, 1, 0), n = rf_file_number(file, row, 2, 1);
    struct rf_histogram *histogram = histogram_of(file, row);
    if (histogram != NULL)
        rf_file_add_bucket(file, histogram, bucket, n);
}

/* ---- The list: first the tables of every file, then later ones ---- */

static const struct rf_summary_table inputs = {
    "CREATE TABLE inputs ("
    "input INTEGER PRIMARY KEY, path TEXT NOT NULL, host TEXT NOT NULL, filter TEXT NOT NULL,"
    " rank INTEGER NOT NULL, local_rank INTEGER NOT NULL, world_size INTEGER NOT NULL,"
    " start_utc_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, n_inputs INTEGER NOT NULL,"
    " n_events INTEGER NOT NULL, n_lost INTEGER NOT NULL, n_cut INTEGER NOT NULL,"
    " n_paths_folded INTEGER NOT NULL)",
    "INSERT INTO inputs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    write_inputs,
    "SELECT input, path, host, filter, rank, local_rank, world_size, start_utc_ns, duration_ns,"
    " n_inputs, n_events, n_lost, n_cut, n_paths_folded FROM main.inputs ORDER BY input",
    read_input,
    NULL};

static const struct rf_summary_table paths = {
    "CREATE TABLE paths ("
    "path INTEGER PRIMARY KEY, parent INTEGER NOT NULL, domain TEXT, name TEXT,"
    " is_rest INTEGER NOT NULL)",
    "INSERT INTO paths VALUES (?,?,?,?,?)",
    write_paths,
    "SELECT path, parent, domain, name, is_rest FROM main.paths ORDER BY path",
    read_path,
    NULL};

static const struct rf_summary_table sums = {
    "CREATE TABLE sums ("
    "sum INTEGER PRIMARY KEY, input INTEGER NOT NULL, path INTEGER NOT NULL, kind TEXT NOT NULL,"
    " n INTEGER NOT NULL, total INTEGER NOT NULL, squares_high INTEGER NOT NULL,"
    " squares_low INTEGER NOT NULL, min INTEGER NOT NULL, min_start_utc_ns INTEGER NOT NULL,"
    " min_rank INTEGER NOT NULL, min_pid INTEGER NOT NULL, min_tid INTEGER NOT NULL,"
    " max INTEGER NOT NULL, max_start_utc_ns INTEGER NOT NULL, max_rank INTEGER NOT NULL,"
    " max_pid INTEGER NOT NULL, max_tid INTEGER NOT NULL, self INTEGER NOT NULL,"
    " gpu INTEGER NOT NULL, n_gpu INTEGER NOT NULL)",
    "INSERT INTO sums VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    write_sums,
    "SELECT sum, input, path, kind, n, total, squares_high, squares_low, min, min_start_utc_ns,"
    " min_rank, min_pid, min_tid, max, max_start_utc_ns, max_rank, max_pid, max_tid,"
    " self, gpu, n_gpu FROM main.sums ORDER BY sum",
    read_sum,
    NULL};

static const struct rf_summary_table sum_histograms = {
    "CREATE TABLE sum_histograms (sum INTEGER PRIMARY KEY, buckets TEXT NOT NULL)",
    "INSERT INTO sum_histograms VALUES (?,?)",
    write_histograms,
    "SELECT sum, buckets FROM main.sum_histograms ORDER BY sum",
    read_histogram,
    "sum_histograms"};

static const struct rf_summary_table buckets = {
    NULL,        NULL,     NULL, "SELECT sum, bucket, n FROM main.buckets ORDER BY sum, bucket",
    read_bucket, "buckets"};

static const struct rf_summary_table *const tables[] = {&inputs,
                                                        &paths,
                                                        &sums,
                                                        &sum_histograms,
                                                        &buckets,
                                                        &rf_table_step_inputs,
                                                        &rf_table_step_threads,
                                                        &rf_table_steps,
                                                        &rf_table_step_children,
                                                        &rf_table_step_gpus,
                                                        &rf_table_collective_inputs,
                                                        &rf_table_collective_series,
                                                        &rf_table_collective_times,
                                                        &rf_table_collectives_1,
                                                        &rf_table_counter_inputs,
                                                        &rf_table_counters,
                                                        &rf_table_counter_digits,
                                                        &rf_table_settings,
                                                        &rf_table_boots,
                                                        &rf_table_identities,
                                                        &rf_table_tally_inputs,
                                                        &rf_table_tally_texts,
                                                        &rf_table_tallies,
                                                        &rf_table_tally_histograms,
                                                        &rf_table_tally_buckets,
                                                        &rf_table_counter_ranges,
                                                        &rf_table_counter_range_digits};

_Static_assert(sizeof(tables) / sizeof(tables[0]) <= 64, "later_tables has a bit for each");

const struct rf_summary_table *rf_summary_table_at(size_t i)
{
    return i < sizeof(tables) / sizeof(tables[0]) ? tables[i] : NULL;
}
