/* SPDX-License-Identifier: Apache-2.0 */
/* A SQLite database in the schema that Nsight Systems exports (docs/sqlite.md). */
#include <stdlib.h>

#include "base/error.h"
#include "export/sqlite_db.h"
#include "export/sqlite_schema.h"

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

static int init_strings(struct rf_sqlite *out)
{
    size_t n = rf_n_strings(out->rec);
    out->string_ids = calloc(n + 1, sizeof(*out->string_ids));
    out->used_strings = calloc(n + 1, sizeof(*out->used_strings));
    if (out->string_ids == NULL || out->used_strings == NULL)
        return rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
    return RF_OK;
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
    int status = init_strings(out);
    if (status == RF_OK)
        status = rf_sqlite_run(out, "BEGIN");
    if (status == RF_OK)
        status = rf_sqlite_run(out, rf_sqlite_schema);
    if (status == RF_OK)
        status = rf_sqlite_write_events(out);
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
    return status;
}

const struct rf_export_format rf_export_sqlite = {
    .name = "sqlite",
    .description = "SQLite database in the schema of Nsight Systems",
    .write_file = write_sqlite,
};
