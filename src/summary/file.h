/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a summary: a SQLite database (docs/summaries.md). A table of it is described in
 * file_tables.c: to add one, a line in its list. */
#ifndef RF_SUMMARY_FILE_H
#define RF_SUMMARY_FILE_H

#include <sqlite3.h>

#include "summary/summary_data.h"

#define RF_SUMMARY_APPLICATION 0x5246534d /* "RFSM", at byte 68 of the file */
#define RF_SUMMARY_VERSION     2

/* A file that is being written or read. After an error every function does nothing. */
struct rf_summary_file {
    const char *path;
    sqlite3 *db;
    int status; /* of the first error; err says which */
    struct rf_err *err;
    rf_summary *summary;   /* reading: what is filled */
    const rf_summary *out; /* writing, in order */
    uint64_t n_ticks, max_ticks;
    struct rf_summary_step *thread; /* reading: of the steps that follow */
    size_t n_threads, thread_room;
    struct rf_summary_collective *series; /* reading: what collectives that follow have in common */
    size_t n_series, series_room;
    uint32_t *text; /* of tallies and counters in ranges: reading: by number the string; writing: by
                       string the number */
    size_t n_texts, text_room;
    bool has_later_tallies; /* reading: of kinds that are not known */
    uint64_t later_tables;  /* reading: a bit for each that is there and that some files lack */
};

struct rf_summary_table {
    const char *create; /* NULL: only older versions have it */
    const char *insert;
    void (*write)(struct rf_summary_file *file, sqlite3_stmt *insert);
    const char *select;
    void (*read_row)(struct rf_summary_file *file, sqlite3_stmt *row);
    const char *since; /* its name, where some files lack it; NULL: all have it */
};

/* NULL past the last. */
const struct rf_summary_table *rf_summary_table_at(size_t i);

#endif
