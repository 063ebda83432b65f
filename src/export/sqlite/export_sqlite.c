/* SPDX-License-Identifier: Apache-2.0 */
/* A SQLite database in the schema that Nsight Systems exports (docs/sqlite.md). */
#include <stdlib.h>

#include "base/error.h"
#include "export/sqlite/sqlite_events.h"
#include "export/sqlite/sqlite_extra.h"
#include "export/sqlite/sqlite_extra_rows.h"
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

static int open_database(struct rf_sqlite *out, const char *path)
{
    int is_large = out->job->n_events > MANY_EVENTS;
    if (sqlite3_open_v2(path, &out->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                        NULL) != SQLITE_OK) {
        if (out->db == NULL)
            return rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
        return rf_sqlite_fail(out);
    }
    int status = rf_sqlite_run(out, is_large ? "PRAGMA page_size=32768" : "PRAGMA page_size=4096");
    return status == RF_OK ? rf_sqlite_run(out, settings) : status;
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
 * virtual machine 2, and so on (up to what 15 bits hold). */
static void give_global_pids(struct rf_sqlite *out, struct pid_order *order, uint32_t n)
{
    int64_t nth = 0;
    for (uint32_t i = 0; i < n; i++) {
        order[i].process = i;
        order[i].pid = rf_process_at(out->rec, i)->pid & 0xffffff;
    }
    if (n > 0)
        qsort(order, n, sizeof(*order), compare_pids);
    for (uint32_t i = 0; i < n; i++) {
        int is_same = i > 0 && order[i].pid == order[i - 1].pid;
        nth = is_same && nth < 0x7fff ? nth + 1 : is_same ? nth : 1;
        out->global_pids[order[i].process] = nth << 48 | (int64_t)order[i].pid << 24;
    }
}

static int init_ids(struct rf_sqlite *out)
{
    size_t n = rf_n_strings(out->rec);
    uint32_t n_processes = rf_n_processes(out->rec);
    struct pid_order *order = calloc((size_t)n_processes + 1, sizeof(*order));
    out->string_ids = calloc(n + 1, sizeof(*out->string_ids));
    out->used_strings = calloc(n + 1, sizeof(*out->used_strings));
    out->global_pids = calloc((size_t)n_processes + 1, sizeof(*out->global_pids));
    int is_complete = order != NULL && out->string_ids != NULL && out->used_strings != NULL &&
                      out->global_pids != NULL;
    if (is_complete)
        give_global_pids(out, order, n_processes);
    free(order);
    return is_complete ? RF_OK : rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
}

static int write_strings(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, "StringIds", 2, &insert);
    for (uint32_t i = 0; i < out->n_used_strings && status == RF_OK; i++) {
        struct rf_sqlite_value row[] = {rf_sqlite_int((int64_t)i + 1),
                                        rf_sqlite_name(out->rec, out->used_strings[i])};
        status = rf_sqlite_insert(out, insert, 2, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

static int write_database(struct rf_sqlite *out)
{
    int status = init_ids(out);
    if (status == RF_OK)
        status = rf_sqlite_run(out, "BEGIN");
    if (status == RF_OK)
        status = rf_sqlite_run(out, rf_sqlite_schema);
    if (status == RF_OK)
        status = rf_sqlite_write_events(out);
    if (status == RF_OK)
        status = rf_sqlite_write_work(out);
    if (status == RF_OK)
        status = rf_sqlite_write_places(out);
    if (status == RF_OK)
        status = rf_sqlite_write_extra_rows(out);
    if (status == RF_OK)
        status = rf_sqlite_write_tables(out);
    if (status == RF_OK)
        status = rf_sqlite_write_extra(out);
    if (status == RF_OK)
        status = write_strings(out); /* last: the others decide what is in it */
    if (status == RF_OK)
        status = rf_sqlite_run(out, "COMMIT");
    return status;
}

static int write_sqlite(struct rf_export_job *job, const char *path)
{
    struct rf_sqlite out = {.job = job, .rec = job->rec};
    int status = open_database(&out, path);
    if (status == RF_OK)
        status = write_database(&out);
    if (sqlite3_close(out.db) != SQLITE_OK && status == RF_OK)
        status = rf_sqlite_fail(&out);
    free(out.string_ids);
    free(out.used_strings);
    free(out.global_pids);
    return status;
}

const struct rf_export_format rf_export_sqlite = {
    .name = "sqlite",
    .description = "SQLite database in the schema of Nsight Systems",
    .extensions = {"sqlite"},
    .write_file = write_sqlite,
};
