/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_merge_columns.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/fields/fields.h"

enum rule {
    AS_IT_IS, /* texts, numbers, ids of one process, and what is written with the whole's ids */
    TIME,
    CORRELATION,
    RANGE,
    DEVICE,
    MACHINE,      /* a globalVid, and ids that begin with one */
    GPU_MACHINE,  /* vmId of a GPU */
    METRICS_TYPE, /* a globalVid, and a GPU */
    PROCESS_ROW,  /* rows of our tables */
    THREAD_ROW,
    COUNTER_ROW,
    CAPTURE_ROW,
    EVENT_ROW, /* of the table that a table of our own stands beside */
};

/* The first one that fits counts. */
static const struct {
    const char *prefix; /* of the table's name */
    const char *column;
    enum rule rule;
} rules[] = {
    {"", "start", TIME},
    {"", "end", TIME},
    {"", "timestamp", TIME},
    {"", "rawTimestamp", TIME},
    {"ANALYSIS_DETAILS", "startTime", TIME},
    {"ANALYSIS_DETAILS", "stopTime", TIME},
    {"RANGEFINDER_PROCESSES", "exit", TIME},
    {"", "correlationId", CORRELATION},
    {"NVTX_EVENTS", "rangeId", RANGE},
    {"RANGEFINDER_NVTX_PARENTS", "parentRangeId", RANGE},
    {"CUPTI_ACTIVITY_KIND_", "deviceId", DEVICE},
    {"CUPTI_ACTIVITY_KIND_", "srcDeviceId", DEVICE},
    {"CUPTI_ACTIVITY_KIND_", "dstDeviceId", DEVICE},
    {"CUDA_", "deviceId", DEVICE},
    {"OPENACC_", "cuDeviceId", DEVICE},
    {"TARGET_INFO_CUDA_", "deviceId", DEVICE},
    {"TARGET_INFO_CUDA_", "gpuId", DEVICE},
    {"TARGET_INFO_CUDA_", "cudaId", DEVICE},
    {"TARGET_INFO_NVTX_CUDA_", "deviceId", DEVICE},
    {"TARGET_INFO_GPU", "id", DEVICE},
    {"TARGET_INFO_GPU", "cuDevice", DEVICE},
    {"TARGET_INFO_GPU", "vmId", GPU_MACHINE},
    {"", "globalVid", MACHINE},
    {"", "sourceId", MACHINE},
    {"", "typeId", METRICS_TYPE},
    {"RANGEFINDER_", "processId", PROCESS_ROW},
    {"RANGEFINDER_PROCESSES", "forkedFrom", PROCESS_ROW},
    {"RANGEFINDER_", "threadId", THREAD_ROW},
    {"RANGEFINDER_", "counterId", COUNTER_ROW},
    {"RANGEFINDER_CAPTURES", "number", CAPTURE_ROW},
    {"RANGEFINDER_", "eventId", EVENT_ROW},
};

static enum rule rule_of(const char *table, const char *column)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].column, column) == 0 &&
            strncmp(rules[i].prefix, table, strlen(rules[i].prefix)) == 0)
            return rules[i].rule;
    return AS_IT_IS;
}

/* Forged times stop at the ends of what 64 bits hold. */
static char *time_value(const char *column, int64_t shift_ns)
{
    int64_t least = shift_ns < 0 ? INT64_MIN + 1 - shift_ns : INT64_MIN + 1;
    int64_t most = shift_ns > 0 ? INT64_MAX - shift_ns : INT64_MAX;
    return sqlite3_mprintf("min(max(\"%w\", %lld), %lld) + %lld", column, (long long)least,
                           (long long)most, (long long)shift_ns);
}

static char *row_value(const char *column, const char *table)
{
    return sqlite3_mprintf("\"%w\" + (SELECT n FROM temp.used WHERE name = %Q)", column, table);
}

/* Of rows that the whole may have from an earlier file of the run. known: the table that says which
 * one, its column and "whole". */
static char *known_value(const char *column, const char *table, const char *known,
                         const struct rf_merge_offsets *offsets)
{
    if (!offsets->has_known)
        return row_value(column, table);
    return sqlite3_mprintf("coalesce((SELECT whole FROM temp.%s WHERE rowid = \"%w\"), \"%w\" +"
                           " (SELECT n FROM temp.used WHERE name = %Q))",
                           known, column, column, table);
}

/* The table that a table of our own stands beside. */
static const char *table_beside(const char *own_table)
{
    for (unsigned kind = 1; kind < rf_op_fields.n_kinds; kind++) {
        const struct rf_row_kind *row = rf_row_kind(&rf_op_fields, kind);
        if (row->own_table != NULL && strcmp(row->own_table, own_table) == 0)
            return row->table;
    }
    return "NVTX_EVENTS";
}

static char *event_row_value(const char *table, const char *column)
{
    if (strcmp(table, "RANGEFINDER_TIME_NOTES") != 0)
        return row_value(column, table_beside(table));
    return sqlite3_mprintf("\"%w\" + (SELECT n FROM temp.used WHERE name = tableName)", column);
}

/* Unknown devices stand as numbers that no sum is made of. */
static char *device_value(const char *column, int64_t offset)
{
    return sqlite3_mprintf("CASE WHEN \"%w\" BETWEEN 0 AND %lld THEN \"%w\" + %lld ELSE \"%w\" END",
                           column, (long long)(UINT32_MAX - 1 - offset), column, (long long)offset,
                           column);
}

char *rf_merge_value(const char *table, const char *column, const struct rf_merge_offsets *offsets)
{
    const long long machine = (long long)offsets->machine << 48;
    switch (rule_of(table, column)) {
    case TIME:
        return time_value(column, offsets->shift_ns);
    case CORRELATION:
        return sqlite3_mprintf("CASE WHEN \"%w\" <> 0 THEN \"%w\" + %lld ELSE \"%w\" END", column,
                               column, (long long)offsets->correlation, column);
    case RANGE:
        return sqlite3_mprintf("\"%w\" + %lld", column, (long long)offsets->range);
    case DEVICE:
        return device_value(column, offsets->device);
    case MACHINE:
        return sqlite3_mprintf("\"%w\" + %lld", column, machine);
    case GPU_MACHINE:
        return sqlite3_mprintf("(\"%w\" + %lld) & 255", column, (long long)offsets->machine);
    case METRICS_TYPE:
        return sqlite3_mprintf("\"%w\" + %lld", column, machine + (long long)offsets->device);
    case PROCESS_ROW:
        return known_value(column, "RANGEFINDER_PROCESSES", "known", offsets);
    case THREAD_ROW:
        return known_value(column, "RANGEFINDER_THREADS", "known_threads", offsets);
    case COUNTER_ROW:
        return known_value(column, "RANGEFINDER_NVTX_COUNTERS", "known_counters", offsets);
    case CAPTURE_ROW:
        return row_value(column, "RANGEFINDER_CAPTURES");
    case EVENT_ROW:
        return event_row_value(table, column);
    default:
        return sqlite3_mprintf("\"%w\"", column);
    }
}
