/* SPDX-License-Identifier: Apache-2.0 */
/* What SQLite takes to step through the rows of an export of nsys and to hand over the values that
 * an import reads: the floor of everything that reads such files with it.
 *
 * usage: bench_steps FILE.sqlite */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

static const char *const queries[] = {
    "SELECT start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid,"
    " shortName, demangledName, mangledName, launchType, cacheConfig, registersPerThread, gridX,"
    " gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,"
    " localMemoryPerThread, localMemoryTotal, sharedMemoryExecuted, graphNodeId,"
    " sharedMemoryLimitConfig FROM CUPTI_ACTIVITY_KIND_KERNEL",
    "SELECT start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid,"
    " bytes, graphNodeId, copyKind, srcKind, dstKind, srcDeviceId, dstDeviceId, srcContextId,"
    " dstContextId, migrationCause, virtualAddress FROM CUPTI_ACTIVITY_KIND_MEMCPY",
    "SELECT start, end, globalTid, nameId, returnValue, eventClass, correlationId"
    " FROM CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT start, end, eventType, rangeId, category, color, text, globalTid, endGlobalTid, textId,"
    " domainId, uint64Value, int64Value, doubleValue, uint32Value, int32Value, floatValue, "
    "jsonText,"
    " jsonTextId, binaryData FROM NVTX_EVENTS",
};

/* A sum over everything, kept where the compiler has to believe that somebody looks at it. */
static uint64_t add_row(sqlite3_stmt *stmt, int n_columns)
{
    uint64_t sum = 0;
    for (int i = 0; i < n_columns; i++) {
        int type = sqlite3_column_type(stmt, i);
        if (type == SQLITE_INTEGER)
            sum += (uint64_t)sqlite3_column_int64(stmt, i);
        else if (type == SQLITE_TEXT)
            sum += sqlite3_column_text(stmt, i)[0];
    }
    return sum;
}

static int step_through(sqlite3 *db, const char *query, uint64_t *sum)
{
    sqlite3_stmt *stmt = NULL;
    int step = sqlite3_prepare_v2(db, query, -1, &stmt, NULL);
    int n_columns = sqlite3_column_count(stmt);
    if (step == SQLITE_OK)
        while ((step = sqlite3_step(stmt)) == SQLITE_ROW)
            *sum += add_row(stmt, n_columns);
    (void)sqlite3_finalize(stmt);
    return step == SQLITE_DONE;
}

static volatile uint64_t kept;

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    uint64_t sum = 0;
    if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                                     NULL) != SQLITE_OK) {
        fprintf(stderr, "usage: bench_steps FILE.sqlite\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
        if (!step_through(db, queries[i], &sum)) {
            fprintf(stderr, "bench_steps: %s\n", sqlite3_errmsg(db));
            return 1;
        }
    kept = sum;
    return sqlite3_close(db) != SQLITE_OK;
}
