/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_collectives.h"

#include <string.h>

#include "base/grow.h"
#include "model/collectives/collectives.h"
#include "summary/file_searched.h"
#include "summary/file_values.h"

/* ---- collective_inputs ---- */

static void write_inputs(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    rf_file_write_searched(file, insert, &file->out->collectives.searched);
}

static void read_input(struct rf_summary_file *file, sqlite3_stmt *row)
{
    rf_file_read_searched(file, row, &file->summary->collectives.searched,
                          "a row of collective_inputs");
}

const struct rf_summary_table rf_table_collective_inputs = {
    "CREATE TABLE collective_inputs ("
    "input INTEGER PRIMARY KEY, n_searched INTEGER NOT NULL, n_left_out INTEGER NOT NULL)",
    "INSERT INTO collective_inputs VALUES (?,?,?)",
    write_inputs,
    "SELECT input, n_searched, n_left_out FROM main.collective_inputs ORDER BY input",
    read_input,
    "collective_inputs"};

/* ---- collective_series: what those that follow one another have in common ---- */

/* first: that of the series of the one before; set to the index where this one begins a series.
 * Starts that are further apart than a number can say are of two. */
static bool begins_series(const struct rf_summary_collectives *all, size_t i, size_t *first)
{
    int64_t since;
    if (i > 0 && rf_summary_compare_series(&all->item[i - 1], &all->item[i]) == 0 &&
        !__builtin_sub_overflow(all->item[i].start_utc_ns, all->item[*first].start_utc_ns, &since))
        return false;
    *first = i;
    return true;
}

static void write_series(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_collectives *all = &file->out->collectives;
    size_t first = 0;
    int64_t series = 0;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_summary_collective *item = &all->item[i];
        const int64_t numbers[] = {item->communicator, item->bytes,       item->rank,
                                   item->pid,          item->tid,         item->device,
                                   item->stream,       item->start_utc_ns};
        if (!begins_series(all, i, &first))
            continue;
        (void)sqlite3_bind_int64(insert, 1, ++series);
        (void)sqlite3_bind_int64(insert, 2, item->input + (int64_t)1);
        (void)sqlite3_bind_text(insert, 3, rf_collective_kind_name(item->kind), -1, SQLITE_STATIC);
        rf_file_bind_string(file, insert, 4, item->operation);
        for (int k = 0; k < 8; k++)
            (void)sqlite3_bind_int64(insert, 5 + k, numbers[k]);
        rf_summary_file_insert(file, insert);
    }
}

static uint32_t kind_named(const char *name)
{
    uint32_t kind = 0;
    while (kind < RF_COLLECTIVE_N_KINDS && strcmp(rf_collective_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

#define COLUMNS_OF_SERIES                                                                          \
    "input, kind, operation, communicator, bytes, rank, pid, tid, device, stream, start_utc_ns"
enum { N_COLUMNS_OF_SERIES = 11 };

static struct rf_summary_collective series_of(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const struct rf_summary_collective series = {
        .input = (uint32_t)(input - 1),
        .kind = kind_named(rf_file_text(file, row, 1)),
        .operation = rf_file_string(file, row, 2),
        .communicator = rf_file_number(file, row, 3, INT64_MIN),
        .bytes = rf_file_number(file, row, 4, -1),
        .rank = rf_file_number(file, row, 5, -1),
        .pid = rf_file_number(file, row, 6, -1),
        .tid = rf_file_number(file, row, 7, -1),
        .device = rf_file_number(file, row, 8, -1),
        .stream = rf_file_number(file, row, 9, -1),
        .start_utc_ns = rf_file_number(file, row, 10, INT64_MIN),
    };
    if (file->status == RF_OK &&
        (input > (int64_t)file->summary->n_inputs || series.kind == RF_COLLECTIVE_N_KINDS ||
         series.operation == RF_NO_STRING ||
         rf_searched_of(&file->summary->collectives.searched, series.input).n_searched == 0))
        rf_summary_file_damaged(file, "what collectives have in common");
    return series;
}

static void read_series(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const struct rf_summary_collective series = series_of(file, row);
    if (rf_file_number(file, row, N_COLUMNS_OF_SERIES, 1) != (int64_t)file->n_series + 1)
        rf_summary_file_damaged(file, "the number of a series of collectives");
    if (file->status == RF_OK)
        rf_summary_file_fail(
            file, rf_grow_array(&file->series, file->n_series, &file->series_room, sizeof(series)));
    if (file->status == RF_OK)
        file->series[file->n_series++] = series;
}

const struct rf_summary_table rf_table_collective_series = {
    "CREATE TABLE collective_series ("
    "series INTEGER PRIMARY KEY, input INTEGER NOT NULL, kind TEXT NOT NULL,"
    " operation TEXT NOT NULL, communicator INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " rank INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL, device INTEGER NOT NULL,"
    " stream INTEGER NOT NULL, start_utc_ns INTEGER NOT NULL)",
    "INSERT INTO collective_series VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
    write_series,
    "SELECT " COLUMNS_OF_SERIES ", series FROM main.collective_series ORDER BY series",
    read_series,
    "collective_series"};

/* ---- collective_times: each one, with its start since that of its series ---- */

static void write_times(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_collectives *all = &file->out->collectives;
    size_t first = 0;
    int64_t series = 0;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_summary_collective *item = &all->item[i];
        series += begins_series(all, i, &first);
        (void)sqlite3_bind_int64(insert, 1, series);
        (void)sqlite3_bind_int64(insert, 2, (int64_t)item->number);
        (void)sqlite3_bind_int64(insert, 3, item->start_utc_ns - all->item[first].start_utc_ns);
        (void)sqlite3_bind_int64(insert, 4, item->end_utc_ns - item->start_utc_ns);
        rf_summary_file_insert(file, insert);
    }
}

static void read_time(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t series = rf_file_number(file, row, 0, 1),
                  start = rf_file_number(file, row, 2, INT64_MIN),
                  duration = rf_file_number(file, row, 3, 0);
    if (file->status == RF_OK && series > (int64_t)file->n_series)
        rf_summary_file_damaged(file, "the series of a collective");
    if (file->status != RF_OK)
        return;
    struct rf_summary_collective item = file->series[series - 1];
    item.number = (uint64_t)rf_file_number(file, row, 1, 1);
    if (__builtin_add_overflow(item.start_utc_ns, start, &item.start_utc_ns) ||
        __builtin_add_overflow(item.start_utc_ns, duration, &item.end_utc_ns))
        rf_summary_file_damaged(file, "the times of a collective");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_collective_add(file->summary, &item));
}

const struct rf_summary_table rf_table_collective_times = {
    "CREATE TABLE collective_times ("
    "series INTEGER NOT NULL, number INTEGER NOT NULL, start INTEGER NOT NULL,"
    " duration INTEGER NOT NULL)",
    "INSERT INTO collective_times VALUES (?,?,?,?)",
    write_times,
    "SELECT series, number, start, duration FROM main.collective_times ORDER BY rowid",
    read_time,
    "collective_times"};

/* ---- collectives, of version 1 ---- */

static void read_collective(struct rf_summary_file *file, sqlite3_stmt *row)
{
    struct rf_summary_collective item = series_of(file, row);
    item.number = (uint64_t)rf_file_number(file, row, N_COLUMNS_OF_SERIES, 1);
    item.end_utc_ns = rf_file_number(file, row, N_COLUMNS_OF_SERIES + 1, INT64_MIN);
    int64_t duration = 0;
    if (__builtin_sub_overflow(item.end_utc_ns, item.start_utc_ns, &duration) || duration < 0)
        rf_summary_file_damaged(file, "the times of a collective");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_collective_add(file->summary, &item));
}

const struct rf_summary_table rf_table_collectives_1 = {
    NULL,
    NULL,
    NULL,
    "SELECT " COLUMNS_OF_SERIES ", number, end_utc_ns FROM main.collectives ORDER BY rowid",
    read_collective,
    "collectives"};
