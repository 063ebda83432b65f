/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_collectives.h"

#include <string.h>

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

/* ---- collectives ---- */

static void write_collectives(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_collectives *all = &file->out->collectives;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_summary_collective *item = &all->item[i];
        const int64_t numbers[] = {item->communicator, (int64_t)item->number,
                                   item->start_utc_ns, item->end_utc_ns,
                                   item->bytes,        item->rank,
                                   item->pid,          item->tid,
                                   item->device,       item->stream};
        (void)sqlite3_bind_int64(insert, 1, item->input + (int64_t)1);
        (void)sqlite3_bind_text(insert, 2, rf_collective_kind_name(item->kind), -1, SQLITE_STATIC);
        rf_file_bind_string(file, insert, 3, item->operation);
        for (int k = 0; k < 10; k++)
            (void)sqlite3_bind_int64(insert, 4 + k, numbers[k]);
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

static void read_collective(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const struct rf_summary_collective item = {
        .input = (uint32_t)(input - 1),
        .kind = kind_named(rf_file_text(file, row, 1)),
        .operation = rf_file_string(file, row, 2),
        .communicator = rf_file_number(file, row, 3, INT64_MIN),
        .number = (uint64_t)rf_file_number(file, row, 4, 1),
        .start_utc_ns = rf_file_number(file, row, 5, INT64_MIN),
        .end_utc_ns = rf_file_number(file, row, 6, INT64_MIN),
        .bytes = rf_file_number(file, row, 7, -1),
        .rank = rf_file_number(file, row, 8, -1),
        .pid = rf_file_number(file, row, 9, -1),
        .tid = rf_file_number(file, row, 10, -1),
        .device = rf_file_number(file, row, 11, -1),
        .stream = rf_file_number(file, row, 12, -1),
    };
    if (file->status == RF_OK &&
        (input > (int64_t)file->summary->n_inputs || item.kind == RF_COLLECTIVE_N_KINDS ||
         item.operation == RF_NO_STRING || item.end_utc_ns < item.start_utc_ns ||
         rf_searched_of(&file->summary->collectives.searched, item.input).n_searched == 0))
        rf_summary_file_damaged(file, "a collective");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_collective_add(file->summary, &item));
}

const struct rf_summary_table rf_table_collectives = {
    "CREATE TABLE collectives ("
    "input INTEGER NOT NULL, kind TEXT NOT NULL, operation TEXT NOT NULL,"
    " communicator INTEGER NOT NULL, number INTEGER NOT NULL, start_utc_ns INTEGER NOT NULL,"
    " end_utc_ns INTEGER NOT NULL, bytes INTEGER NOT NULL, rank INTEGER NOT NULL,"
    " pid INTEGER NOT NULL, tid INTEGER NOT NULL, device INTEGER NOT NULL,"
    " stream INTEGER NOT NULL)",
    "INSERT INTO collectives VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
    write_collectives,
    "SELECT input, kind, operation, communicator, number, start_utc_ns, end_utc_ns, bytes, rank,"
    " pid, tid, device, stream FROM main.collectives ORDER BY rowid",
    read_collective,
    "collectives"};
