/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_merge_carried.h"

#include <stdlib.h>

#include "export/sqlite/sqlite_merge_runs.h"

/* Times of one moment differ by rounding at most. */
#define SAME_NS 1000

#define PROCESS_OF(tid) "(" tid " & ~16777215)"

static const char tables[] =
    "CREATE TEMP TABLE IF NOT EXISTS open(event INTEGER NOT NULL PRIMARY KEY, tid, start, type,"
    " domain, text, textId, range);"
    "CREATE INDEX IF NOT EXISTS temp.open_by ON open(tid, start);"
    "CREATE TEMP TABLE IF NOT EXISTS gone(event INTEGER NOT NULL PRIMARY KEY, tid, range,"
    " next_event, next_range);"
    "CREATE INDEX IF NOT EXISTS temp.gone_by ON gone(tid);"
    "DELETE FROM temp.open; DELETE FROM temp.gone;";

/* What a file says of the parent of a range the next one does not say again. */
static const char move_parents[] =
    "UPDATE RANGEFINDER_NVTX_PARENTS SET eventId = (SELECT g.next_event FROM temp.gone g WHERE"
    " g.event = eventId) WHERE eventId IN (SELECT g.event FROM temp.gone g WHERE g.next_event NOT"
    " IN (SELECT eventId FROM RANGEFINDER_NVTX_PARENTS))";

/* Children of such a range in the file before name it by the number that it has there. */
static const char move_children[] =
    "CREATE INDEX IF NOT EXISTS temp.gone_range ON gone(range);"
    "UPDATE RANGEFINDER_NVTX_PARENTS AS p SET parentRangeId = coalesce((SELECT g.next_range FROM"
    " temp.gone g JOIN NVTX_EVENTS e ON e.rowid = p.eventId WHERE g.range = p.parentRangeId AND"
    " " PROCESS_OF("g.tid") " = " PROCESS_OF(
        "e.globalTid") "), parentRangeId)"
                       " WHERE parentRangeId IN (SELECT range FROM temp.gone)";

static const char count_less[] =
    "UPDATE RANGEFINDER_INFO SET value = value - (SELECT count(*) FROM temp.gone)"
    " WHERE name IN ('events', 'ranges', 'cutRanges');"
    "UPDATE RANGEFINDER_THREADS AS t SET events = events - (SELECT count(*) FROM temp.gone g"
    " WHERE g.tid = t.globalTid) WHERE globalTid IN (SELECT tid FROM temp.gone);"
    "DELETE FROM NVTX_EVENTS WHERE rowid IN (SELECT event FROM temp.gone)";

static int run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int run_made(sqlite3 *db, char *sql)
{
    int code = sql != NULL ? run(db, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return code;
}

static bool has_table(sqlite3 *db, const char *table)
{
    return sqlite3_table_column_metadata(db, "main", table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* ---- A file and the next one ---- */

static int find(sqlite3 *db, const struct rf_run_file *file, const struct rf_run_file *next)
{
    int code = run(db, tables);
    if (code == SQLITE_OK)
        code = run_made(
            db, sqlite3_mprintf("INSERT INTO temp.open SELECT e.rowid, e.globalTid, e.start,"
                                " e.eventType, e.domainId, e.text, e.textId, e.rangeId"
                                " FROM RANGEFINDER_NVTX_CUTS c JOIN NVTX_EVENTS e ON"
                                " e.rowid = c.eventId WHERE c.reasonId = %d AND"
                                " c.eventId BETWEEN %lld AND %lld",
                                RF_CUT_LIVE, (long long)file->first_event,
                                (long long)file->last_event));
    if (code == SQLITE_OK)
        code = run_made(
            db,
            sqlite3_mprintf(
                "INSERT OR IGNORE INTO temp.gone SELECT o.event, o.tid, o.range, e.rowid, e.rangeId"
                " FROM NVTX_EVENTS e CROSS JOIN temp.open o WHERE e.rowid BETWEEN %lld AND"
                " %lld AND o.tid = e.globalTid AND o.start BETWEEN e.start - %d AND"
                " e.start + %d AND o.type = e.eventType AND o.domain IS e.domainId AND"
                " o.text IS e.text AND o.textId IS e.textId",
                (long long)next->first_event, (long long)next->last_event, SAME_NS, SAME_NS));
    return code;
}

static int remove_found(sqlite3 *db)
{
    static const char *const beside[] = {"RANGEFINDER_NVTX_CUTS", "RANGEFINDER_NVTX_NOTES",
                                         "RANGEFINDER_NVTX_PARENTS", "RANGEFINDER_NVTX_PUSH_POP"};
    const bool has_parents = has_table(db, "RANGEFINDER_NVTX_PARENTS");
    int code = has_parents ? run(db, move_parents) : SQLITE_OK;
    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]) && code == SQLITE_OK; i++)
        if (has_table(db, beside[i]))
            code = run_made(db, sqlite3_mprintf("DELETE FROM %s WHERE eventId IN"
                                                " (SELECT event FROM temp.gone)",
                                                beside[i]));
    if (code == SQLITE_OK && has_parents)
        code = run(db, move_children);
    return code == SQLITE_OK ? run(db, count_less) : code;
}

/* ---- All of them ---- */

static int compare_files(const void *a, const void *b)
{
    const struct rf_run_file *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* In their order: what is found in the next file may go from there then. A range that is open over
 * files that are not there is in the one behind them, too. */
static int remove_of_run(sqlite3 *db, const struct rf_sqlite_run *run)
{
    int code = SQLITE_OK;
    if (run->n_files > 1)
        qsort(run->file, run->n_files, sizeof(*run->file), compare_files);
    for (size_t i = 0; i + 1 < run->n_files && code == SQLITE_OK; i++) {
        if (!run->file[i].goes_on)
            continue;
        code = find(db, &run->file[i], &run->file[i + 1]);
        if (code == SQLITE_OK)
            code = remove_found(db);
    }
    return code;
}

int rf_sqlite_carried_remove(sqlite3 *db, const struct rf_merging *merging)
{
    const struct rf_sqlite_runs *runs = merging->kept;
    int code = SQLITE_OK;
    if (runs == NULL)
        return SQLITE_OK;
    code = run(db, "PRAGMA temp_store=MEMORY; BEGIN");
    for (size_t i = 0; i < runs->n && code == SQLITE_OK; i++)
        code = remove_of_run(db, &runs->run[i]);
    return code == SQLITE_OK ? run(db, "COMMIT") : code;
}
