/* SPDX-License-Identifier: Apache-2.0 */
/* The small tables of the schema: processes, threads, the session, enumerations, meta data. */
#include "export/sqlite/sqlite_tables.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "export/sqlite/sqlite_enums.h"
#include "export/sqlite/sqlite_schema.h"

/* ---- PROCESSES and ThreadNames ---- */

static void write_processes(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "PROCESSES"};
    for (uint32_t i = 0; i < rf_n_processes(out->rec); i++) {
        const struct rf_process *process = rf_process_at(out->rec, i);
        uint32_t name = process->exe != RF_NO_STRING ? process->exe : process->name;
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(out->global_pids[i]),
                         rf_sqlite_int(process->pid), rf_sqlite_name(out, name));
    }
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

static void write_thread_names(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "ThreadNames"};
    size_t n = rf_n_threads(out->rec) + count_thread_names(out->rec);
    struct thread_name *names = rf_sqlite_alloc(out, n, sizeof(*names));
    if (names == NULL)
        return;
    n = collect_thread_names(out, names);
    for (size_t i = 0; i < n; i++)
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(rf_sqlite_string(out, names[i].name)),
                         rf_sqlite_int(names[i].priority), rf_sqlite_int(names[i].global_tid));
    free(names);
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

static void write_environment(struct rf_sqlite *out)
{
    const struct rf_info *info = rf_get_info(out->rec);
    const struct {
        const char *name;
        int64_t number; /* of the name */
        const char *value;
    } rows[] = {
        {"Hostname", 619, info->host != NULL ? info->host : ""},
        {"HasNvtxEvents", 809, "1"},
    };
    struct rf_sqlite_table table = {.name = "TARGET_INFO_SYSTEM_ENV"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(RF_GLOBAL_VID), rf_sqlite_text("Rangefinder"),
                         rf_sqlite_text(rows[i].name), rf_sqlite_int(rows[i].number),
                         rf_sqlite_text(rows[i].value));
}

static void write_session(struct rf_sqlite *out)
{
    const struct rf_info *info = rf_get_info(out->rec);
    struct rf_sqlite_table start = {.name = "TARGET_INFO_SESSION_START_TIME"};
    struct rf_sqlite_table details = {.name = "ANALYSIS_DETAILS"};
    char utc[32];
    char local[32];
    format_time(utc, info->epoch_utc_ns, 0);
    format_time(local, info->epoch_utc_ns, info->utc_offset_s);
    RF_SQLITE_INSERT(out, &start, rf_sqlite_int(info->epoch_utc_ns), rf_sqlite_text(utc),
                     rf_sqlite_text(local));
    RF_SQLITE_INSERT(out, &details, rf_sqlite_int(RF_GLOBAL_VID), rf_sqlite_int(info->end_ns),
                     rf_sqlite_int(0), rf_sqlite_int(info->end_ns));
    write_environment(out);
}

/* ---- Meta data ---- */

static void write_meta(struct rf_sqlite *out, const char *name)
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
    struct rf_sqlite_table table = {.name = name};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        RF_SQLITE_INSERT(out, &table, rf_sqlite_text(rows[i][0]), rf_sqlite_text(rows[i][1]));
}

/* ---- Enumerations ---- */

static void write_enum(struct rf_sqlite *out, const struct rf_enum_table *from)
{
    struct rf_sqlite_table table = {
        .name = from->name, .columns = "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT"};
    char symbol[128];
    size_t n = strlen(from->prefix);
    memcpy(symbol, from->prefix, n);
    for (const struct rf_enum_row *row = from->rows; row->symbol != NULL; row++) {
        size_t size = strlen(row->symbol) + 1;
        assert(n + size <= sizeof(symbol));
        memcpy(symbol + n, row->symbol, size);
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(row->id), rf_sqlite_text(symbol),
                         rf_sqlite_text(row->label));
    }
}

void rf_sqlite_write_tables(struct rf_sqlite *out)
{
    write_processes(out);
    write_thread_names(out);
    write_session(out);
    write_meta(out, "EXPORT_META_DATA");
    write_meta(out, "META_DATA_EXPORT");
    for (const struct rf_enum_table *table = rf_enum_tables; table->name != NULL; table++)
        write_enum(out, table);
}
