/* SPDX-License-Identifier: Apache-2.0 */
/* A SQLite database in the schema that Nsight Systems exports (docs/sqlite.md). */
#include <stdlib.h>

#include "export/sqlite/sqlite_events.h"
#include "export/sqlite/sqlite_extra_rows.h"
#include "export/sqlite/sqlite_layouts.h"
#include "export/sqlite/sqlite_merge.h"
#include "export/sqlite/sqlite_merge_runs.h"
#include "export/sqlite/sqlite_own_tables.h"
#include "export/sqlite/sqlite_places.h"
#include "export/sqlite/sqlite_schema.h"
#include "export/sqlite/sqlite_tables.h"
#include "export/sqlite/sqlite_work.h"

/* Nobody sees the file before it is complete, and after a failure it is removed: neither a journal
 * nor waiting for the disk buys anything. */
static const char settings[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                               "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                               "PRAGMA cache_size=-8000; PRAGMA trusted_schema=OFF;";

/* Large pages write faster, but every table takes a page of its own. */
#define MANY_EVENTS 50000

/* Of several inputs each is written to a database without a name, which SQLite keeps in a file
 * that nobody sees. */
static void open_database(struct rf_sqlite *out, const char *path)
{
    bool is_merged = out->job->merging != NULL;
    bool is_large = is_merged || out->job->n_events > MANY_EVENTS;
    int code = sqlite3_open_v2(
        is_merged ? "" : path, &out->db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
    if (out->db == NULL)
        rf_sqlite_fail_memory(out);
    else if (code != SQLITE_OK)
        rf_sqlite_fail(out);
    rf_sqlite_run(out, is_large ? "PRAGMA page_size=32768" : "PRAGMA page_size=4096");
    rf_sqlite_run(out, settings);
    if (is_merged)
        rf_sqlite_merge_begin(out, path);
}

struct pid_order {
    uint32_t pid;
    uint32_t process;
};

static int compare_pids(const void *a, const void *b)
{
    const struct pid_order *x = a;
    const struct pid_order *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* Programs that followed each other by exec share their pid, and containers use the same pids. To
 * consumers a globalPid is one process with one set of domains, so the second of a pid stands in
 * virtual machine 2, and so on (up to what 15 bits hold). Processes of an earlier file of the same
 * run have theirs. */
static void give_global_pids(struct rf_sqlite *out, struct pid_order *order, uint32_t n)
{
    int64_t nth = 0;
    uint32_t n_new = 0;
    for (uint32_t i = 0; i < n; i++)
        if (out->global_pids[i] == 0)
            order[n_new++] = (struct pid_order){rf_process_at(out->rec, i)->pid & 0xffffff, i};
    n = n_new;
    if (n > 0)
        qsort(order, n, sizeof(*order), compare_pids);
    for (uint32_t i = 0; i < n; i++) {
        bool is_same = i > 0 && order[i].pid == order[i - 1].pid;
        nth = is_same && nth < 0x7fff ? nth + 1 : is_same ? nth : out->n_machines + 1;
        out->global_pids[order[i].process] = nth << 48 | (int64_t)order[i].pid << 24;
    }
}

static void init_ids(struct rf_sqlite *out)
{
    size_t n_strings = rf_n_strings(out->rec);
    uint32_t n_processes = rf_n_processes(out->rec);
    struct pid_order *order = rf_sqlite_alloc(out, n_processes, sizeof(*order));
    out->string_ids = rf_sqlite_alloc(out, n_strings, sizeof(*out->string_ids));
    out->used_strings = rf_sqlite_alloc(out, n_strings, sizeof(*out->used_strings));
    out->global_pids = rf_sqlite_alloc(out, n_processes, sizeof(*out->global_pids));
    rf_sqlite_run_find(out);
    if (out->status == RF_OK)
        give_global_pids(out, order, n_processes);
    free(order);
}

static void write_strings(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "StringIds"};
    for (uint32_t i = 0; i < out->n_used_strings && out->status == RF_OK; i++)
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int((int64_t)i + 1),
                         rf_sqlite_name(out, out->used_strings[i]));
}

static void write_database(struct rf_sqlite *out)
{
    rf_sqlite_run(out, "BEGIN");
    rf_sqlite_run(out, rf_sqlite_schema);
    rf_sqlite_write_events(out);
    rf_sqlite_write_work(out);
    rf_sqlite_write_places(out);
    rf_sqlite_write_extra_rows(out);
    rf_sqlite_write_layouts(out);
    rf_sqlite_write_tables(out);
    rf_sqlite_write_own_tables(out);
    if (out->job->merging != NULL)
        rf_sqlite_merge_copy(out);
    else
        write_strings(out); /* last: the others decide what is in it */
    rf_sqlite_run(out, "COMMIT");
}

static void close_database(struct rf_sqlite *out)
{
    sqlite3_stmt *statement;
    while (out->db != NULL && (statement = sqlite3_next_stmt(out->db, NULL)) != NULL)
        (void)sqlite3_finalize(statement);
    if (sqlite3_close(out->db) != SQLITE_OK)
        rf_sqlite_fail(out);
}

static int write_sqlite(struct rf_export_job *job, const char *path)
{
    struct rf_sqlite out = {.job = job, .rec = job->rec};
    open_database(&out, path);
    init_ids(&out);
    if (out.status == RF_OK)
        write_database(&out);
    close_database(&out);
    free(out.string_ids);
    free(out.used_strings);
    free(out.global_pids);
    return out.status;
}

static int end_merged(struct rf_merging *merging, const char *path, struct rf_err *err)
{
    return rf_sqlite_merge_end(merging, path, err);
}

const struct rf_export_format rf_export_sqlite = {
    .name = "sqlite",
    .description = "SQLite database in the schema of Nsight Systems",
    .extensions = {"sqlite"},
    .write_file = write_sqlite,
    .can_merge = true,
    .end_file = end_merged,
};
