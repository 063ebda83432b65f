/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_merge_known.h"

#include "export/sqlite/sqlite_merge_runs.h"

/* ---- Finding them ---- */

static const char find_threads[] =
    "CREATE TEMP TABLE known_threads(thread INTEGER NOT NULL PRIMARY KEY, whole INTEGER NOT NULL);"
    "INSERT INTO temp.known_threads SELECT t.threadId, w.threadId"
    " FROM temp.known k JOIN main.RANGEFINDER_THREADS t ON t.processId = k.process"
    " JOIN merged.RANGEFINDER_THREADS w ON w.processId = k.whole AND w.tid = t.tid AND"
    " w.serial = t.serial GROUP BY t.threadId;";

/* Domains, categories and names of threads are told by each file, at the times when they were. */
#define NAMINGS "(33, 39, 75, 76)"
static const char find_namings[] =
    "CREATE TEMP TABLE named AS SELECT DISTINCT eventType, globalTid, domainId, category, text,"
    " textId FROM merged.NVTX_EVENTS WHERE eventType IN " NAMINGS ";"
    "CREATE INDEX temp.named_by ON named(eventType, globalTid, domainId, category);"
    "CREATE TEMP TABLE known_events(event INTEGER NOT NULL PRIMARY KEY, globalTid INTEGER);"
    "INSERT INTO temp.known_events SELECT e.rowid, e.globalTid FROM main.NVTX_EVENTS e"
    " WHERE e.eventType IN " NAMINGS " AND EXISTS (SELECT 1 FROM temp.named n"
    " WHERE n.eventType = e.eventType AND n.globalTid IS e.globalTid AND n.domainId IS e.domainId"
    " AND n.category IS e.category AND n.text IS e.text AND n.textId IS e.textId);";

/* Counters are alike if all columns but the number are. */
static void find_counters(struct rf_sqlite *out)
{
    static const char table[] = "RANGEFINDER_NVTX_COUNTERS";
    sqlite3_str *sql = sqlite3_str_new(out->db);
    sqlite3_str_appendall(sql, "INSERT INTO temp.known_counters SELECT c.counterId,"
                               " min(w.counterId) FROM main.RANGEFINDER_NVTX_COUNTERS c"
                               " JOIN merged.RANGEFINDER_NVTX_COUNTERS w ON true");
    sqlite3_stmt *columns =
        rf_sqlite_ask(out, sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q, 'main')"
                                           " WHERE name <> 'counterId'",
                                           table));
    int n = 0;
    for (; rf_sqlite_answer(out, columns); n++) {
        const char *column = (const char *)sqlite3_column_text(columns, 0);
        sqlite3_str_appendf(sql, " AND w.\"%w\" IS c.\"%w\"", column, column);
    }
    sqlite3_str_appendall(sql, " GROUP BY c.counterId");
    char *text = sqlite3_str_finish(sql);
    rf_sqlite_run(out, "CREATE TEMP TABLE known_counters(counter INTEGER NOT NULL PRIMARY KEY,"
                       " whole INTEGER NOT NULL)");
    if (text == NULL)
        rf_sqlite_fail_memory(out);
    else if (n > 0)
        rf_sqlite_run(out, text);
    sqlite3_free(text);
}

void rf_sqlite_known_find(struct rf_sqlite *out)
{
    if (!rf_sqlite_run_is_known(out))
        return;
    rf_sqlite_run(out, find_threads);
    rf_sqlite_run(out, find_namings);
    find_counters(out);
}

/* ---- Which rows are new ---- */

bool rf_sqlite_known_may_have(const struct rf_sqlite *out, const char *table)
{
    static const char *const tables[] = {"RANGEFINDER_DOMAINS", "RANGEFINDER_NVTX_TYPE_SIZES",
                                         "RANGEFINDER_NVTX_STRINGS"};
    bool is_told_again =
        rf_merge_begins_with(table, "TARGET_INFO_") || rf_merge_begins_with(table, "NVTX_PAYLOAD_");
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        is_told_again |= strcmp(table, tables[i]) == 0;
    return is_told_again && rf_sqlite_run_is_known(out);
}

const char *rf_sqlite_known_condition(const struct rf_sqlite *out, const char *table)
{
    static const struct {
        const char *table, *condition;
    } rows[] = {
        {"PROCESSES", " WHERE globalPid NOT IN (SELECT globalPid FROM temp.known)"},
        {"RANGEFINDER_PROCESSES", " WHERE processId NOT IN (SELECT process FROM temp.known)"},
        {"RANGEFINDER_ARGUMENTS", " WHERE processId NOT IN (SELECT process FROM temp.known)"},
        {"RANGEFINDER_ENVIRONMENT", " WHERE processId NOT IN (SELECT process FROM temp.known)"},
        {"RANGEFINDER_THREADS", " WHERE threadId NOT IN (SELECT thread FROM temp.known_threads)"},
        {"RANGEFINDER_NVTX_COUNTERS",
         " WHERE counterId NOT IN (SELECT counter FROM temp.known_counters)"},
        {"ThreadNames", " WHERE globalTid NOT IN (SELECT globalTid FROM merged.ThreadNames)"},
        {"NVTX_EVENTS", " WHERE rowid NOT IN (SELECT event FROM temp.known_events)"},
        {"RANGEFINDER_NVTX_NOTES", " WHERE eventId NOT IN (SELECT event FROM temp.known_events)"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && rf_sqlite_run_is_known(out); i++)
        if (strcmp(table, rows[i].table) == 0)
            return rows[i].condition;
    return "";
}

void rf_sqlite_known_forget_names(struct rf_sqlite *out)
{
    const struct rf_merged_input *input = rf_merging_last(out->job->merging);
    if (rf_sqlite_run_is_known(out) && input->key.piece > out->run->newest)
        rf_sqlite_run(out, "DELETE FROM merged.ThreadNames WHERE globalTid IN"
                           " (SELECT globalTid FROM main.ThreadNames)");
}

/* ---- What the whole says of them ---- */

static const char join_info[] =
    "UPDATE merged.RANGEFINDER_INFO SET value = value - (SELECT count(*) FROM temp.known_events)"
    " WHERE name = 'events';";

static void join_processes(struct rf_sqlite *out, int64_t shift_ns)
{
    rf_sqlite_run_made(
        out, sqlite3_mprintf(
                 "UPDATE merged.RANGEFINDER_PROCESSES AS w SET (exit, lostEvents) ="
                 " (SELECT coalesce(p.exit + %lld, w.exit), w.lostEvents + p.lostEvents"
                 "  FROM temp.known k JOIN main.RANGEFINDER_PROCESSES p ON p.processId = k.process"
                 "  WHERE k.whole = w.processId)"
                 " WHERE w.processId IN (SELECT whole FROM temp.known)",
                 (long long)shift_ns));
}

static void join_threads(struct rf_sqlite *out, int64_t shift_ns)
{
    const struct rf_merged_input *input = rf_merging_last(out->job->merging);
    const char *newer = input->key.piece > out->run->newest ? "t" : "w";
    rf_sqlite_run(out, "CREATE INDEX temp.known_whole ON known_threads(whole);"
                       "CREATE INDEX temp.known_by_tid ON known_events(globalTid)");
    rf_sqlite_run_made(
        out,
        sqlite3_mprintf(
            "UPDATE merged.RANGEFINDER_THREADS AS w SET (name, isNamed, start, end, events) ="
            " (SELECT %s.name, %s.isNamed, min(coalesce(w.start, t.start + %lld),"
            "  coalesce(t.start + %lld, w.start)), coalesce(t.end + %lld, w.end), w.events +"
            "  t.events - (SELECT count(*) FROM temp.known_events e WHERE e.globalTid ="
            "  w.globalTid)"
            "  FROM temp.known_threads k JOIN main.RANGEFINDER_THREADS t ON t.threadId = k.thread"
            "  WHERE k.whole = w.threadId)"
            " WHERE w.threadId IN (SELECT whole FROM temp.known_threads)",
            newer, newer, (long long)shift_ns, (long long)shift_ns, (long long)shift_ns));
}

/* A heap that the rows behind the first n have again, as another file saw it. */
#define SAME_HEAP                                                                                  \
    "w.globalPid = n.globalPid AND w.address IS n.address AND w.bytes IS n.bytes AND w.name IS"    \
    " n.name AND w.domain IS n.domain AND w.start BETWEEN n.start - 1000 AND n.start + 1000"

static void join_heaps(struct rf_sqlite *out)
{
    int64_t n = rf_sqlite_ask_number(
        out, sqlite3_mprintf("SELECT coalesce((SELECT n FROM temp.used WHERE name ="
                             " 'RANGEFINDER_NVTX_HEAPS'), 0)"));
    if (n == 0)
        return;
    rf_sqlite_run(out, "CREATE INDEX merged.RANGEFINDER_HEAPS ON"
                       " RANGEFINDER_NVTX_HEAPS(globalPid, address, bytes)");
    rf_sqlite_run_made(
        out, sqlite3_mprintf(
                 "UPDATE merged.RANGEFINDER_NVTX_HEAPS AS w SET (end, mostBytes, numRegions) ="
                 " (SELECT max(w.end, n.end), max(w.mostBytes, n.mostBytes), w.numRegions +"
                 "  n.numRegions FROM merged.RANGEFINDER_NVTX_HEAPS n WHERE n.rowid > %lld AND"
                 "  " SAME_HEAP ") WHERE w.rowid <= %lld AND EXISTS (SELECT 1 FROM"
                 " merged.RANGEFINDER_NVTX_HEAPS n WHERE n.rowid > %lld AND " SAME_HEAP ")",
                 (long long)n, (long long)n, (long long)n));
    rf_sqlite_run_made(
        out, sqlite3_mprintf("DELETE FROM merged.RANGEFINDER_NVTX_HEAPS AS n WHERE n.rowid > %lld"
                             " AND EXISTS (SELECT 1 FROM merged.RANGEFINDER_NVTX_HEAPS w WHERE"
                             " w.rowid <= %lld AND " SAME_HEAP ")",
                             (long long)n, (long long)n));
    rf_sqlite_run(out, "DROP INDEX merged.RANGEFINDER_HEAPS");
}

void rf_sqlite_known_join(struct rf_sqlite *out, int64_t shift_ns)
{
    if (!rf_sqlite_run_is_known(out))
        return;
    rf_sqlite_run(out, join_info);
    join_processes(out, shift_ns);
    join_threads(out, shift_ns);
    join_heaps(out);
}
