/* SPDX-License-Identifier: Apache-2.0 */
/* The input is what stands in an export of nsys: a byte chooses a table, then come the values of
 * one row, each with a byte for its type. The database itself is always whole, so that every byte
 * is about what the import, the reports and the scrubbing make of the values. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "rows.h"

struct table {
    const char *name, *columns;
    int n_columns;
};

static const struct table tables[] = {
    {"NVTX_EVENTS",
     "start, end, eventType, text, globalTid, endGlobalTid, textId, domainId, category, color, "
     "rangeId, uint64Value, doubleValue, jsonText",
     14},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, eventClass, globalTid, correlationId, nameId", 6},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, "
     "shortName, gridX, blockX, graphNodeId",
     12},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, "
     "dstDeviceId",
     10},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, value", 9},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     "start, end, deviceId, contextId, streamId, correlationId, globalPid, graphId", 8},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "start, end, deviceId, contextId, streamId, correlationId, globalPid, syncType", 8},
    {"StringIds", "id INTEGER PRIMARY KEY, value", 2},
    {"PROCESSES", "globalPid, pid, name", 3},
    {"ThreadNames", "nameId, priority, globalTid", 3},
    {"OSRT_API", "start, end, globalTid, nameId, correlationId", 5},
    {"TARGET_INFO_GPU", "id, name, uuid, totalMemory, smCount", 5},
    {"GPU_METRICS", "timestamp, typeId, metricId, value", 4},
    {"TARGET_INFO_GPU_METRICS", "typeId, typeName, metricId, metricName", 4},
    {"TARGET_INFO_SESSION_START_TIME", "utcEpochNs, localTime", 2},
    {"META_DATA_CAPTURE", "name, value", 2},
};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

/* Those of GPU work, with arguments, beside nvtx_sum. */
static const char *const reports[] = {
    "nvtx_sum",          "nvtx_gpu_proj_sum", "nvtx_gpu_proj_trace", "nvtx_kern_sum",
    "cuda_gpu_kern_sum", "breakdown",         "breakdown_steps",     "gpu_gaps:gap=0:nvtx-name",
    "launch_latency",    "critical:base",
};

static void make_tables(sqlite3 *db, sqlite3_stmt **insert)
{
    for (size_t i = 0; i < N_TABLES; i++) {
        char sql[512];
        (void)snprintf(sql, sizeof(sql), "CREATE TABLE %s(%s)", tables[i].name, tables[i].columns);
        if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
            abort();
        int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", tables[i].name);
        for (int k = 1; k < tables[i].n_columns; k++)
            n += snprintf(sql + n, sizeof(sql) - (size_t)n, ", ?");
        (void)snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
        if (sqlite3_prepare_v2(db, sql, -1, &insert[i], NULL) != SQLITE_OK)
            abort();
    }
}

static void make_database(sqlite3 *db, struct fuzz_input *in)
{
    sqlite3_stmt *insert[N_TABLES];
    make_tables(db, insert);
    while (in->left > 0) {
        size_t i = (size_t)fuzz_take(in, 1) % N_TABLES;
        for (int k = 1; k <= tables[i].n_columns; k++)
            fuzz_bind(insert[i], k, in);
        (void)sqlite3_step(insert[i]); /* an id that comes again is refused */
        (void)sqlite3_reset(insert[i]);
    }
    for (size_t i = 0; i < N_TABLES; i++)
        (void)sqlite3_finalize(insert[i]);
}

static void use(const rf_recording *rec)
{
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        const struct rf_report_options options = {.size = sizeof(options),
                                                  .report = reports[i],
                                                  .format = rf_report_format_at(i % 8, NULL, NULL),
                                                  .output = "/dev/null"};
        if (rf_report(rec, &options, NULL) != RF_OK)
            abort();
    }
    static const char *const formats[] = {"json", "perfetto", "jsonl"};
    for (size_t i = 0; i < 3; i++) {
        const struct rf_export_options options = {.size = sizeof(options),
                                                  .format = formats[i],
                                                  .output = "/dev/null",
                                                  .can_overwrite = 1};
        if (rf_export(rec, &options, NULL) != RF_OK)
            abort();
    }
}

/* Writes the database's bytes where the import can open them. */
static void save(sqlite3 *db)
{
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    if (bytes == NULL)
        abort();
    fuzz_write(fuzz_path(), bytes, (size_t)size);
    sqlite3_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size < 4096 ? size : 4096};
    struct rf_err err;
    char copy[96];
    sqlite3 *db = NULL;
    rf_recording *rec = NULL;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        abort();
    make_database(db, &in);
    save(db);
    (void)sqlite3_close(db);
    if (rf_open(fuzz_path(), 0, &rec, &err) != RF_OK)
        abort(); /* whatever the values: the file is whole */
    fuzz_walk(rec);
    use(rec);
    rf_close(rec);
    (void)snprintf(copy, sizeof(copy), "%s-copy", fuzz_path());
    if (rf_scrub_export(fuzz_path(), copy, 1, &err) != RF_OK)
        abort();
    (void)unlink(copy);
    return 0;
}
