/* SPDX-License-Identifier: Apache-2.0 */
/* What the SQLite export shares: the database being written, its string table, and inserting rows
 * where speed does not matter. */
#ifndef RF_EXPORT_SQLITE_SQLITE_DB_H
#define RF_EXPORT_SQLITE_SQLITE_DB_H

#include <sqlite3.h>

#include "export/export.h"

struct rf_sqlite {
    struct rf_export_job *job;
    const rf_recording *rec;
    sqlite3 *db;
    /* StringIds: string_ids[id of the model] is the row, 0 where it has none; used[row - 1] the
     * way back. */
    uint32_t *string_ids;
    uint32_t *used_strings;
    uint32_t n_used_strings;
    int64_t *global_pids; /* by process */
};

/* A value to insert: NULL, a number or text. */
struct rf_sqlite_value {
    int type; /* SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT */
    int64_t integer;
    double real;
    const char *text;
    size_t size;
};

/* Fills the job's err with what the database reports and returns the code. */
int rf_sqlite_fail(struct rf_sqlite *out);

/* Runs statements that give no rows. */
int rf_sqlite_run(struct rf_sqlite *out, const char *sql);

int rf_sqlite_prepare(struct rf_sqlite *out, const char *sql, sqlite3_stmt **statement);

/* Prepares "INSERT INTO table VALUES(?, ...)" with n_columns values. */
int rf_sqlite_prepare_insert(struct rf_sqlite *out, const char *table, int n_columns,
                             sqlite3_stmt **statement);

/* Binds n values and runs the statement once. */
int rf_sqlite_insert(struct rf_sqlite *out, sqlite3_stmt *statement, int n,
                     const struct rf_sqlite_value *values);

/* The row that a string of the model gets in StringIds, from 1. */
uint32_t rf_sqlite_string(struct rf_sqlite *out, uint32_t string);

struct rf_sqlite_value rf_sqlite_null(void);
struct rf_sqlite_value rf_sqlite_int(int64_t value);
/* NULL for a number that says "none". */
struct rf_sqlite_value rf_sqlite_int_unless(int64_t value, int64_t none);
struct rf_sqlite_value rf_sqlite_real(double value);
/* text as it stands, NUL-ended, alive until the insert. NULL is NULL. */
struct rf_sqlite_value rf_sqlite_text(const char *text);
/* A string of the model; NULL for RF_NO_STRING. */
struct rf_sqlite_value rf_sqlite_name(const rf_recording *rec, uint32_t string);

/* globalPid and globalTid as Nsight Systems packs them: 8 bits machine, 8 bits virtual machine, 24
 * bits process, 24 bits thread (0 in a globalPid). Machine 0, virtual machine 1 is ours. */
#define RF_GLOBAL_VID ((int64_t)1 << 48)

static inline int64_t rf_global_tid(const struct rf_sqlite *out, uint32_t process, uint64_t tid)
{
    return out->global_pids[process] | (int64_t)(tid & 0xffffff);
}

static inline int64_t rf_global_tid_of(const struct rf_sqlite *out, uint32_t thread)
{
    const struct rf_thread *t = rf_thread_at(out->rec, thread);
    return rf_global_tid(out, t->process, t->tid);
}

#endif
