/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_merge.h"

#include "base/error.h"
#include "export/sqlite/sqlite_merge_carried.h"
#include "export/sqlite/sqlite_merge_copy.h"
#include "export/sqlite/sqlite_merge_known.h"
#include "export/sqlite/sqlite_merge_runs.h"

#define MAX_MACHINES 0x7fff /* in a globalPid */

static const char schema[] =
    "PRAGMA merged.journal_mode=OFF; PRAGMA merged.synchronous=OFF; PRAGMA merged.cache_size=-8000;"
    "CREATE TABLE IF NOT EXISTS merged.StringIds(id INTEGER NOT NULL PRIMARY KEY,"
    " value TEXT NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS merged.RANGEFINDER_STRINGS ON StringIds(value);"
    "CREATE TABLE IF NOT EXISTS merged.RANGEFINDER_INPUTS(inputId INTEGER NOT NULL PRIMARY KEY,"
    " file TEXT NOT NULL, rank INTEGER, host TEXT, clockOffsetNs INTEGER NOT NULL,"
    " clockMethod TEXT NOT NULL, clockUncertaintyNs INTEGER, firstMachine INTEGER NOT NULL,"
    " lastMachine INTEGER NOT NULL, correlationOffset INTEGER NOT NULL,"
    " lastCorrelationId INTEGER NOT NULL, deviceOffset INTEGER NOT NULL,"
    " lastDeviceId INTEGER NOT NULL);";

static int64_t ask_inputs(struct rf_sqlite *out, const char *value)
{
    return rf_sqlite_ask_number(out,
                                sqlite3_mprintf("SELECT %s FROM merged.RANGEFINDER_INPUTS", value));
}

void rf_sqlite_merge_begin(struct rf_sqlite *out, const char *path)
{
    rf_sqlite_run_made(out, sqlite3_mprintf("ATTACH %Q AS merged", path));
    rf_sqlite_run(out, schema);
    out->n_machines = ask_inputs(out, "max(lastMachine)");
    out->find_string =
        rf_sqlite_ask(out, sqlite3_mprintf("SELECT id FROM merged.StringIds WHERE value = ?"));
    out->add_string =
        rf_sqlite_ask(out, sqlite3_mprintf("INSERT INTO merged.StringIds(value) VALUES(?)"));
    if (out->status == RF_OK && out->n_machines >= MAX_MACHINES)
        out->status =
            rf_fail(out->job->err, RF_ERR_UNSUPPORTED,
                    "a database cannot hold more processes of one number than %d", MAX_MACHINES);
}

/* ---- An input ---- */

/* What is added to ids that stand in 32 bits: nothing where a sum would not. */
static int64_t offset_of(int64_t n_used, int64_t last)
{
    return n_used > 0 && last >= 0 && n_used + last < UINT32_MAX ? n_used : 0;
}

/* The largest value of a column in the tables of the input whose names begin with prefix. */
static int64_t find_last(struct rf_sqlite *out, const char *prefix, const char *column)
{
    int64_t last = -1;
    sqlite3_stmt *tables = rf_sqlite_ask(
        out, sqlite3_mprintf("SELECT t.name FROM main.sqlite_master t, pragma_table_info(t.name,"
                             " 'main') c WHERE t.type = 'table' AND t.name GLOB '%s*' AND"
                             " c.name = %Q",
                             prefix, column));
    while (rf_sqlite_answer(out, tables)) {
        int64_t value = rf_sqlite_ask_number(
            out, sqlite3_mprintf("SELECT coalesce(max(%s), -1) FROM main.\"%w\" WHERE %s < %lld",
                                 column, (const char *)sqlite3_column_text(tables, 0), column,
                                 (long long)UINT32_MAX));
        last = value > last ? value : last;
    }
    return last;
}

static int64_t find_last_device(struct rf_sqlite *out)
{
    static const char *const columns[][2] = {
        {"TARGET_INFO_GPU", "id"},         {"TARGET_INFO_GPU", "cuDevice"},
        {"TARGET_INFO_CUDA_", "cudaId"},   {"TARGET_INFO_CUDA_", "gpuId"},
        {"TARGET_INFO_CUDA_", "deviceId"}, {"CUDA_", "deviceId"},
    };
    int64_t last = -1;
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        int64_t value = find_last(out, columns[i][0], columns[i][1]);
        last = value > last ? value : last;
    }
    return last;
}

/* Of the machines that the input adds: those of processes that no earlier file of its run has. */
static int64_t find_last_machine(struct rf_sqlite *out)
{
    const bool has_known = rf_sqlite_run_is_known(out);
    int64_t last = rf_sqlite_ask_number(
        out, sqlite3_mprintf("SELECT max(globalPid >> 48) FROM main.PROCESSES%s",
                             rf_sqlite_known_condition(out, "PROCESSES")));
    int64_t least = has_known ? out->n_machines : out->n_machines + 1;
    return last > least ? last : least;
}

/* What is added to the numbers of start/end ranges: they go on in a later file of a run. */
static int64_t find_range_offset(struct rf_sqlite *out)
{
    if (!rf_sqlite_run_is_known(out))
        return 0;
    int64_t last = rf_sqlite_ask_number(
        out, sqlite3_mprintf("SELECT coalesce(max(rangeId), -1) FROM main.NVTX_EVENTS"));
    int64_t used =
        rf_sqlite_ask_number(out, sqlite3_mprintf("SELECT max(rangeId) FROM merged.NVTX_EVENTS"));
    return offset_of(used, last);
}

static void find_offsets(struct rf_sqlite *out, struct rf_merge_offsets *offsets, int64_t last_call,
                         int64_t last_device)
{
    *offsets = (struct rf_merge_offsets){
        .machine = out->n_machines,
        .correlation = offset_of(ask_inputs(out, "max(lastCorrelationId)"), last_call),
        .device = offset_of(ask_inputs(out, "max(lastDeviceId) + 1"), last_device),
        .range = find_range_offset(out),
        .has_known = rf_sqlite_run_is_known(out),
        .shift_ns = rf_merging_last(out->job->merging)->shift_ns};
    rf_sqlite_run_offsets(out, offsets, last_call, last_device);
}

static void write_input(struct rf_sqlite *out, const struct rf_merge_offsets *offsets,
                        int64_t last_call, int64_t last_device)
{
    const struct rf_merged_input *input = rf_merging_last(out->job->merging);
    struct rf_sqlite_table table = {.name = "merged.RANGEFINDER_INPUTS"};
    int64_t rank = input->rank >= 0 ? input->rank : rf_get_info(out->rec)->rank;
    RF_SQLITE_INSERT(
        out, &table, rf_sqlite_int((int64_t)out->job->merging->n), rf_sqlite_text(input->path),
        rank >= 0 ? rf_sqlite_int(rank) : rf_sqlite_null(),
        input->host[0] != '\0' ? rf_sqlite_text(input->host) : rf_sqlite_null(),
        rf_sqlite_int(input->shift_ns), rf_sqlite_text(rf_align_method_name(input->method)),
        input->uncertainty_ns >= 0 ? rf_sqlite_int(input->uncertainty_ns) : rf_sqlite_null(),
        rf_sqlite_int(out->n_machines + 1), rf_sqlite_int(find_last_machine(out)),
        rf_sqlite_int(offsets->correlation), rf_sqlite_int(offsets->correlation + last_call),
        rf_sqlite_int(offsets->device), rf_sqlite_int(offsets->device + last_device));
}

void rf_sqlite_merge_copy(struct rf_sqlite *out)
{
    struct rf_merge_offsets offsets;
    const int64_t last_call = find_last(out, "", "correlationId"),
                  last_device = find_last_device(out);
    find_offsets(out, &offsets, last_call, last_device);
    write_input(out, &offsets, last_call, last_device);
    if (out->status == RF_OK)
        rf_sqlite_copy_tables(out, &offsets);
    rf_sqlite_run_add(out, &offsets, last_device);
}

/* ---- The end ---- */

int rf_sqlite_merge_end(const struct rf_merging *merging, const char *path, struct rf_err *err)
{
    sqlite3 *db = NULL;
    int status = RF_OK;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                     "DROP INDEX IF EXISTS RANGEFINDER_STRINGS",
                     NULL, NULL, NULL) != SQLITE_OK ||
        rf_sqlite_carried_remove(db, merging) != SQLITE_OK)
        status = rf_fail(err, RF_ERR_IO, "cannot write '%s': %s", path, sqlite3_errmsg(db));
    (void)sqlite3_close(db);
    return status;
}
