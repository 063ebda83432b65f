/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_merge_copy.h"

#include "export/sqlite/sqlite_merge_known.h"

/* Rows that are of the whole file, and stand once. */
static bool is_of_first(const char *table)
{
    static const char *const tables[] = {"EXPORT_META_DATA", "META_DATA_EXPORT",
                                         "TARGET_INFO_SESSION_START_TIME"};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (strcmp(table, tables[i]) == 0)
            return true;
    return false;
}

/* Numbers that are sums over the inputs, flags, and of the rest what the first input says. */
static const char copy_info[] =
    "INSERT INTO merged.RANGEFINDER_INFO SELECT name, value FROM main.RANGEFINDER_INFO WHERE true"
    " ON CONFLICT(name) DO UPDATE SET value = CASE"
    " WHEN name IN ('events', 'ranges', 'marks', 'cutRanges', 'rangesCutAtStart', 'lostEvents',"
    " 'lostBytes', 'lostDefinitions', 'lostProcesses', 'damagedBytes', 'unmatchedEnds',"
    " 'foreignEnds', 'stalls', 'stallNs') THEN value + excluded.value"
    " WHEN name IN ('isFocused', 'isLive') THEN max(value, excluded.value)"
    " WHEN name = 'isFinished' THEN min(value, excluded.value) ELSE value END";

/* One row, for the time from the first input's start to the end of the last one. */
static const char join_details[] =
    "UPDATE merged.ANALYSIS_DETAILS SET"
    " startTime = (SELECT min(startTime) FROM merged.ANALYSIS_DETAILS),"
    " stopTime = (SELECT max(stopTime) FROM merged.ANALYSIS_DETAILS);"
    "DELETE FROM merged.ANALYSIS_DETAILS WHERE rowid > 1;"
    "UPDATE merged.ANALYSIS_DETAILS SET duration = stopTime - startTime;"
    "UPDATE merged.RANGEFINDER_INFO SET value = (SELECT stopTime FROM merged.ANALYSIS_DETAILS)"
    " WHERE name = 'endNs'";

/* ---- A table ---- */

static void add_missing_columns(struct rf_sqlite *out, const char *table)
{
    sqlite3_stmt *columns =
        rf_sqlite_ask(out, sqlite3_mprintf("SELECT name, type FROM pragma_table_info(%Q, 'main')"
                                           " WHERE name NOT IN"
                                           " (SELECT name FROM pragma_table_info(%Q, 'merged'))",
                                           table, table));
    while (rf_sqlite_answer(out, columns))
        rf_sqlite_run_made(out,
                           sqlite3_mprintf("ALTER TABLE merged.\"%w\" ADD COLUMN \"%w\" %s", table,
                                           (const char *)sqlite3_column_text(columns, 0),
                                           (const char *)sqlite3_column_text(columns, 1)));
}

/* Makes the table in the whole, or the columns of it that this input is the first one to have. */
static void make_table(struct rf_sqlite *out, const char *table, const char *sql)
{
    static const char create[] = "CREATE TABLE ";
    bool is_there = rf_sqlite_ask_number(
        out, sqlite3_mprintf("SELECT count(*) FROM merged.sqlite_master WHERE name = %Q", table));
    if (is_there)
        add_missing_columns(out, table);
    else
        rf_sqlite_run_made(out, sqlite3_mprintf("CREATE TABLE merged.%s", sql + strlen(create)));
}

/* Rows keep their order, and are counted on from those that are there. Ids of our own tables that
 * begin with 0 are the rows' numbers. */
static void count_used(struct rf_sqlite *out, const char *table)
{
    static const char *const from_0[] = {"RANGEFINDER_PROCESSES", "RANGEFINDER_THREADS",
                                         "RANGEFINDER_NVTX_COUNTERS"};
    int64_t first = 1;
    for (size_t i = 0; i < sizeof(from_0) / sizeof(from_0[0]); i++)
        first -= strcmp(table, from_0[i]) == 0;
    rf_sqlite_run_made(out,
                       sqlite3_mprintf("INSERT INTO temp.used SELECT %Q,"
                                       " coalesce(max(rowid) + 1 - %lld, 0) FROM merged.\"%w\"",
                                       table, (long long)first, table));
}

static char *finish_text(struct rf_sqlite *out, sqlite3_str *text)
{
    char *finished = sqlite3_str_finish(text);
    if (finished == NULL)
        rf_sqlite_fail_memory(out);
    return finished;
}

/* Adds a column to the list of names. Returns its value in the whole, for sqlite3_free(). */
static char *add_column(struct rf_sqlite *out, const char *table, const char *column,
                        const struct rf_merge_offsets *offsets, sqlite3_str *names, bool has_others)
{
    char *value = rf_merge_value(table, column, offsets);
    if (value == NULL)
        rf_sqlite_fail_memory(out);
    sqlite3_str_appendf(names, "%s\"%w\"", has_others ? ", " : "", column);
    return value;
}

static void copy_rows(struct rf_sqlite *out, const char *table,
                      const struct rf_merge_offsets *offsets)
{
    sqlite3_str *names = sqlite3_str_new(out->db), *values = sqlite3_str_new(out->db);
    bool has_key = false;
    sqlite3_stmt *columns = rf_sqlite_ask(
        out, sqlite3_mprintf("SELECT name, pk FROM pragma_table_info(%Q, 'main')", table));
    for (int i = 0; rf_sqlite_answer(out, columns); i++) {
        const char *column = (const char *)sqlite3_column_text(columns, 0);
        char *value = add_column(out, table, column, offsets, names, i > 0);
        sqlite3_str_appendf(values, "%s%s", i > 0 ? ", " : "", value);
        sqlite3_free(value);
        has_key |= sqlite3_column_int(columns, 1) != 0;
    }
    if (!has_key) {
        sqlite3_str_appendall(names, ", rowid");
        sqlite3_str_appendf(values, ", rowid + (SELECT n FROM temp.used WHERE name = %Q)", table);
    }
    char *name_text = finish_text(out, names), *value_text = finish_text(out, values);
    rf_sqlite_run_made(
        out, sqlite3_mprintf("INSERT %sINTO merged.\"%w\"(%s) SELECT %s FROM main.\"%w\"%s",
                             rf_merge_begins_with(table, "ENUM_") ? "OR IGNORE " : "", table,
                             name_text, value_text, table, rf_sqlite_known_condition(out, table)));
    sqlite3_free(name_text);
    sqlite3_free(value_text);
}

/* The rows that are not in the whole. An index finds them; it is there for that alone. */
static void copy_new_rows(struct rf_sqlite *out, const char *table,
                          const struct rf_merge_offsets *offsets)
{
    sqlite3_str *names = sqlite3_str_new(out->db), *values = sqlite3_str_new(out->db),
                *alike = sqlite3_str_new(out->db);
    sqlite3_stmt *columns = rf_sqlite_ask(
        out, sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q, 'main')", table));
    for (int i = 0; rf_sqlite_answer(out, columns); i++) {
        const char *column = (const char *)sqlite3_column_text(columns, 0);
        char *value = add_column(out, table, column, offsets, names, i > 0);
        sqlite3_str_appendf(values, "%s%s AS \"%w\"", i > 0 ? ", " : "", value, column);
        sqlite3_str_appendf(alike, "%sw.\"%w\" IS v.\"%w\"", i > 0 ? " AND " : "", column, column);
        sqlite3_free(value);
    }
    char *name_text = finish_text(out, names), *value_text = finish_text(out, values),
         *alike_text = finish_text(out, alike);
    rf_sqlite_run_made(out, sqlite3_mprintf("CREATE INDEX merged.RANGEFINDER_KNOWN ON \"%w\"(%s)",
                                            table, name_text));
    rf_sqlite_run_made(
        out, sqlite3_mprintf("INSERT INTO merged.\"%w\"(%s) SELECT %s FROM (SELECT %s FROM"
                             " main.\"%w\") v WHERE NOT EXISTS (SELECT 1 FROM merged.\"%w\" w"
                             " WHERE %s)",
                             table, name_text, name_text, value_text, table, table, alike_text));
    rf_sqlite_run(out, "DROP INDEX merged.RANGEFINDER_KNOWN");
    sqlite3_free(name_text);
    sqlite3_free(value_text);
    sqlite3_free(alike_text);
}

/* ---- All of them ---- */

static const char tables_of_input[] =
    "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND name <> 'StringIds' AND"
    " name NOT LIKE 'sqlite|_%' ESCAPE '|' ORDER BY rowid";

/* Reading the list of tables while tables are made would begin anew with each. */
static void list_tables(struct rf_sqlite *out)
{
    rf_sqlite_run(out, "CREATE TEMP TABLE used(name TEXT PRIMARY KEY, n INTEGER)");
    sqlite3_stmt *tables = rf_sqlite_ask(out, sqlite3_mprintf("%s", tables_of_input));
    while (rf_sqlite_answer(out, tables)) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        make_table(out, table, (const char *)sqlite3_column_text(tables, 1));
        if (strcmp(table, "RANGEFINDER_INFO") != 0) /* it has no row numbers */
            count_used(out, table);
    }
}

/* The table whose name comes after another one; NULL: there is none. A question that goes on would
 * keep indexes from being removed. */
static char *next_table(struct rf_sqlite *out, const char *after)
{
    char *name = NULL;
    sqlite3_stmt *tables = rf_sqlite_ask(
        out,
        sqlite3_mprintf("SELECT name FROM temp.used WHERE name > %Q ORDER BY name LIMIT 1", after));
    while (rf_sqlite_answer(out, tables))
        name = sqlite3_mprintf("%s", (const char *)sqlite3_column_text(tables, 0));
    return name;
}

void rf_sqlite_copy_tables(struct rf_sqlite *out, const struct rf_merge_offsets *offsets)
{
    bool is_first = out->job->merging->n == 1;
    list_tables(out);
    rf_sqlite_known_find(out);
    rf_sqlite_known_forget_names(out);
    for (char *table = next_table(out, ""); table != NULL;) {
        if (rf_sqlite_known_may_have(out, table))
            copy_new_rows(out, table, offsets);
        else if (is_first || !is_of_first(table))
            copy_rows(out, table, offsets);
        char *next = next_table(out, table);
        sqlite3_free(table);
        table = next;
    }
    rf_sqlite_run(out, copy_info);
    rf_sqlite_known_join(out, offsets->shift_ns);
    rf_sqlite_run(out, join_details);
}
