/* SPDX-License-Identifier: Apache-2.0 */
/* What the SQLite export shares: the database being written, its string table, and inserting rows
 * where speed does not matter. After an error every function does nothing, so that callers test
 * status only where they would go on for long. */
#ifndef RF_EXPORT_SQLITE_SQLITE_DB_H
#define RF_EXPORT_SQLITE_SQLITE_DB_H

#include <sqlite3.h>
#include <string.h>

#include "export/export.h"

struct rf_sqlite {
    struct rf_export_job *job;
    const rf_recording *rec;
    sqlite3 *db;
    int status; /* of the first error; the job's err says which */
    /* StringIds: string_ids[string of the model] is its row, 0: it has none. used_strings[row - 1]
     * is the string of a row. */
    uint32_t *string_ids;
    uint32_t *used_strings;
    uint32_t n_used_strings;
    int64_t *global_pids; /* by process */
    /* Of several inputs (sqlite_merge.h), else 0 and NULL: the machines of the earlier ones, and
     * statements that find and add rows of the StringIds that all of them share. */
    int64_t n_machines;
    sqlite3_stmt *find_string, *add_string;
    struct rf_sqlite_run *run; /* that the input is a file of (sqlite_merge_runs.h); NULL: none */
};

/* A table that gets rows. */
struct rf_sqlite_table {
    const char *name;
    const char *columns;  /* with their types; NULL: the table is created */
    sqlite3_stmt *insert; /* NULL before the first row; the end of the export releases it */
};

/* A value to insert: NULL, a number or text. */
struct rf_sqlite_value {
    int type; /* SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT */
    int64_t integer;
    double real;
    const char *text;
    size_t size;
};

/* Set the first error: the one that the database reports, or a lack of memory. */
void rf_sqlite_fail(struct rf_sqlite *out);
void rf_sqlite_fail_memory(struct rf_sqlite *out);

/* n zeroed items, which the caller frees; NULL after an error. */
void *rf_sqlite_alloc(struct rf_sqlite *out, size_t n, size_t size);

/* Runs statements that give no rows. */
void rf_sqlite_run(struct rf_sqlite *out, const char *sql);

/* The same for a statement of sqlite3_mprintf(), which is freed. */
void rf_sqlite_run_made(struct rf_sqlite *out, char *sql);

/* Prepares a statement of sqlite3_mprintf(), which is freed; NULL after an error. Then
 * rf_sqlite_answer() is to be called until it returns false, which releases the statement. */
sqlite3_stmt *rf_sqlite_ask(struct rf_sqlite *out, char *sql);
bool rf_sqlite_answer(struct rf_sqlite *out, sqlite3_stmt *question);

/* The number that such a statement gives in its last row; 0: there is none. */
int64_t rf_sqlite_ask_number(struct rf_sqlite *out, char *sql);

/* Creates the table, if it is not. */
void rf_sqlite_create_table(struct rf_sqlite *out, struct rf_sqlite_table *table);

/* Creates the table with columns that were put together, and frees these. */
void rf_sqlite_create_with(struct rf_sqlite *out, struct rf_sqlite_table *table,
                           sqlite3_str *columns);

/* Creates the table, if it is not, and prepares to insert rows of n values. */
void rf_sqlite_prepare(struct rf_sqlite *out, struct rf_sqlite_table *table, size_t n);

/* Inserts a row of n values. The first one creates the table. */
void rf_sqlite_insert(struct rf_sqlite *out, struct rf_sqlite_table *table, size_t n,
                      const struct rf_sqlite_value *values);

/* Inserts a row of these values. */
#define RF_SQLITE_INSERT(out, table, ...)                                                          \
    rf_sqlite_insert(out, table,                                                                   \
                     sizeof((struct rf_sqlite_value[]){__VA_ARGS__}) /                             \
                         sizeof(struct rf_sqlite_value),                                           \
                     (const struct rf_sqlite_value[]){__VA_ARGS__})

/* Counts an event for the job's progress. */
static inline void rf_sqlite_step(struct rf_sqlite *out)
{
    if (out->status == RF_OK)
        out->status = rf_export_step(out->job);
}

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
struct rf_sqlite_value rf_sqlite_name(const struct rf_sqlite *out, uint32_t string);
/* A handle as text, which buffer holds: as numbers the upper half of them would be negative. */
struct rf_sqlite_value rf_sqlite_hex(char buffer[20], uint64_t handle);

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
