/* SPDX-License-Identifier: Apache-2.0 */
/* The small tables of the schema: processes, threads, the session, enumerations, meta data. */
#include "export/sqlite/sqlite_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "export/sqlite/sqlite_enums.h"
#include "export/sqlite/sqlite_schema.h"

/* ---- PROCESSES and ThreadNames ---- */

static int write_processes(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, "PROCESSES", 3, &insert);
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && status == RF_OK; i++) {
        const struct rf_process *process = rf_process_at(out->rec, i);
        uint32_t name = process->exe != RF_NO_STRING ? process->exe : process->name;
        struct rf_sqlite_value row[] = {rf_sqlite_int(out->global_pids[i]),
                                        rf_sqlite_int(process->pid),
                                        rf_sqlite_name(out->rec, name)};
        status = rf_sqlite_insert(out, insert, 3, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

/* A name for a thread. Consumers join on globalTid, so only one per id is written: the one of the
 * highest rank, the latest of these. A tid may have been used by several threads. */
struct thread_name {
    int64_t global_tid;
    uint32_t name;
    uint32_t rank;
    int64_t order;
    int64_t priority;
};

static int compare_names(const void *a, const void *b)
{
    const struct thread_name *x = a;
    const struct thread_name *y = b;
    if (x->global_tid != y->global_tid)
        return x->global_tid < y->global_tid ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts by id and keeps the best name of each; returns how many are left. */
static size_t keep_best(struct thread_name *names, size_t n)
{
    size_t kept = 0;
    if (n > 0)
        qsort(names, n, sizeof(*names), compare_names);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || names[i].global_tid != names[i + 1].global_tid)
            names[kept++] = names[i];
    return kept;
}

/* Names that were given to threads which recorded nothing themselves stand only in the events. */
static size_t count_thread_names(const rf_recording *rec)
{
    size_t found = 0;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            found += events[i].kind == RF_EVENT_THREAD_NAME;
    }
    return found;
}

/* Any name that was given is better than the system's. */
enum { NAME_OF_SYSTEM, NAME_IN_EVENT, NAME_GIVEN };

/* 0 marks a name given with NVTX, 20 is the usual one of the system. */
static int64_t priority_of(const struct rf_thread *thread)
{
    return thread->has_priority ? thread->priority : thread->is_named ? 0 : 20;
}

static size_t collect_thread_names(const struct rf_sqlite *out, struct thread_name *names)
{
    const rf_recording *rec = out->rec;
    size_t n_names = 0;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        const struct rf_thread *thread = rf_thread_at(rec, t);
        size_t n;
        const struct rf_event *events = rf_thread_events(rec, t, &n);
        if (thread->name != RF_NO_STRING)
            names[n_names++] = (struct thread_name){rf_global_tid_of(out, t), thread->name,
                                                    thread->is_named ? NAME_GIVEN : NAME_OF_SYSTEM,
                                                    t, priority_of(thread)};
        for (size_t i = 0; i < n; i++)
            if (events[i].kind == RF_EVENT_THREAD_NAME && events[i].name != RF_NO_STRING)
                names[n_names++] =
                    (struct thread_name){rf_global_tid(out, thread->process, events[i].named_tid),
                                         events[i].name, NAME_IN_EVENT, events[i].start_ns, 0};
    }
    return keep_best(names, n_names);
}

static int write_thread_names(struct rf_sqlite *out)
{
    const rf_recording *rec = out->rec;
    sqlite3_stmt *insert = NULL;
    struct thread_name *names =
        calloc(rf_n_threads(rec) + count_thread_names(rec) + 1, sizeof(*names));
    if (names == NULL)
        return rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
    size_t n = collect_thread_names(out, names);
    int status = rf_sqlite_prepare_insert(out, "ThreadNames", 3, &insert);
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        struct rf_sqlite_value row[] = {rf_sqlite_int(rf_sqlite_string(out, names[i].name)),
                                        rf_sqlite_int(names[i].priority),
                                        rf_sqlite_int(names[i].global_tid)};
        status = rf_sqlite_insert(out, insert, 3, row);
    }
    (void)sqlite3_finalize(insert);
    free(names);
    return status;
}

/* ---- The session ---- */

/* "2026-11-21T04:16:54". */
static void format_time(char out[32], int64_t epoch_ns, int32_t offset_s)
{
    struct tm tm;
    time_t seconds = (time_t)(epoch_ns / 1000000000) + offset_s;
    if (gmtime_r(&seconds, &tm) == NULL || strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        out[0] = '\0';
}

static int insert_once(struct rf_sqlite *out, const char *table, int n,
                       const struct rf_sqlite_value *row)
{
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, table, n, &insert);
    if (status == RF_OK)
        status = rf_sqlite_insert(out, insert, n, row);
    (void)sqlite3_finalize(insert);
    return status;
}

static int write_session(struct rf_sqlite *out)
{
    const struct rf_info *info = rf_get_info(out->rec);
    char utc[32];
    char local[32];
    format_time(utc, info->epoch_utc_ns, 0);
    format_time(local, info->epoch_utc_ns, info->utc_offset_s);
    struct rf_sqlite_value start[] = {rf_sqlite_int(info->epoch_utc_ns), rf_sqlite_text(utc),
                                      rf_sqlite_text(local)};
    struct rf_sqlite_value details[] = {rf_sqlite_int(RF_GLOBAL_VID), rf_sqlite_int(info->end_ns),
                                        rf_sqlite_int(0), rf_sqlite_int(info->end_ns)};
    struct rf_sqlite_value host[] = {rf_sqlite_int(RF_GLOBAL_VID), rf_sqlite_text("Rangefinder"),
                                     rf_sqlite_text("Hostname"), rf_sqlite_int(619),
                                     rf_sqlite_text(info->host != NULL ? info->host : "")};
    struct rf_sqlite_value nvtx[] = {rf_sqlite_int(RF_GLOBAL_VID), rf_sqlite_text("Rangefinder"),
                                     rf_sqlite_text("HasNvtxEvents"), rf_sqlite_int(809),
                                     rf_sqlite_text("1")};
    int status = insert_once(out, "TARGET_INFO_SESSION_START_TIME", 3, start);
    if (status == RF_OK)
        status = insert_once(out, "ANALYSIS_DETAILS", 4, details);
    if (status == RF_OK)
        status = insert_once(out, "TARGET_INFO_SYSTEM_ENV", 5, host);
    if (status == RF_OK)
        status = insert_once(out, "TARGET_INFO_SYSTEM_ENV", 5, nvtx);
    return status;
}

/* ---- Meta data ---- */

static int write_meta(struct rf_sqlite *out, const char *table)
{
    static const char *const rows[][2] = {
        {"EXPORT_PRODUCT_NAME", "Rangefinder"},
        {"EXPORT_PRODUCT_VERSION", RF_PRODUCT_VERSION},
        {"EXPORT_SCHEMA_VERSION", RF_NSYS_SCHEMA_VERSION},
        {"EXPORT_SCHEMA_VERSION_MAJOR", RF_NSYS_SCHEMA_MAJOR},
        {"EXPORT_SCHEMA_VERSION_MINOR", RF_NSYS_SCHEMA_MINOR},
        {"EXPORT_SCHEMA_VERSION_MICRO", RF_NSYS_SCHEMA_MICRO},
        {"EXPORT_PLATFORM", "linux"},
        {"EXPORT_LAZY", "true"},
    };
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, table, 2, &insert);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && status == RF_OK; i++) {
        struct rf_sqlite_value row[] = {rf_sqlite_text(rows[i][0]), rf_sqlite_text(rows[i][1])};
        status = rf_sqlite_insert(out, insert, 2, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

/* ---- Enumerations ---- */

static int write_enum(struct rf_sqlite *out, const struct rf_enum_table *table)
{
    char sql[160], symbol[128];
    sqlite3_stmt *insert = NULL;
    (void)snprintf(sql, sizeof(sql),
                   "CREATE TABLE %s(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
                   table->name);
    int status = rf_sqlite_run(out, sql);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, table->name, 3, &insert);
    for (const struct rf_enum_row *from = table->rows; from->symbol != NULL && status == RF_OK;
         from++) {
        (void)snprintf(symbol, sizeof(symbol), "%s%s", table->prefix, from->symbol);
        struct rf_sqlite_value row[] = {rf_sqlite_int(from->id), rf_sqlite_text(symbol),
                                        rf_sqlite_text(from->label)};
        status = rf_sqlite_insert(out, insert, 3, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

static int write_enums(struct rf_sqlite *out)
{
    int status = RF_OK;
    for (const struct rf_enum_table *table = rf_enum_tables; table->name != NULL && status == RF_OK;
         table++)
        status = write_enum(out, table);
    return status;
}

int rf_sqlite_write_tables(struct rf_sqlite *out)
{
    int status = write_processes(out);
    if (status == RF_OK)
        status = write_thread_names(out);
    if (status == RF_OK)
        status = write_session(out);
    if (status == RF_OK)
        status = write_meta(out, "EXPORT_META_DATA");
    if (status == RF_OK)
        status = write_meta(out, "META_DATA_EXPORT");
    return status == RF_OK ? write_enums(out) : status;
}
