/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are wrong, by accident or by intent: an error or a counted row, never a crash, a hang
 * or memory without bounds. Run under the sanitizers this finds what reads too far. */
#include <stdio.h>

#include "import_support.h"

static void test_not_nsys(void **state)
{
    struct rf_err err;
    (void)state;
    assert_int_equal(open_error(made_file("CREATE TABLE photos(id, jpeg)"), &err), RF_ERR_FORMAT);
    assert_non_null(strstr(err.text, "is a SQLite database, but no export of nsys"));
    /* nvprof's tables have CUPTI's names too */
    assert_int_equal(open_error(made_file("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end);"
                                          "CREATE TABLE StringTable(_id_, value)"),
                                &err),
                     RF_ERR_FORMAT);
    assert_int_equal(open_error(bytes_file("SQLite format 3\0nothing follows", 31), &err),
                     RF_ERR_DAMAGED);
}

/* Only tables are read: not what a view, or a table of the same name in another guise, shows. */
static void test_views(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE ENUM_NSYS_EVENT_TYPE(id);"
        "CREATE TABLE data(start, end, eventType, globalTid);"
        "INSERT INTO data VALUES (1, 2, 59, 5);"
        "CREATE VIEW NVTX_EVENTS AS SELECT * FROM data;"
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL"
        " SELECT n + 1 FROM r) SELECT n AS start, n AS end FROM r;"
        "CREATE VIEW StringIds AS SELECT load_extension('x') AS id, 1 AS value;"
        "CREATE TRIGGER t AFTER INSERT ON data BEGIN DELETE FROM data; END;"
        "CREATE VIRTUAL TABLE OSRT_API USING fts4(start, end)"));
    size_t n;
    assert_int_equal(rf_get_info(rec)->n_events, 0);
    assert_int_equal(count_calls(rec), 0);
    (void)rf_gpu_ops(rec, &n);
    assert_int_equal(n, 0);
    rf_close(rec);
}

/* Names that would end a statement, were they not quoted. */
static void test_quotes(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, \"text\"\"; x\", text);"
        "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 5, 'no', 'yes');"
        "CREATE TABLE \"a\"\"; DROP TABLE x; --\"(v); INSERT INTO \"a\"\"; DROP TABLE x; --\""
        " VALUES (1)"));
    assert_int_equal(rf_get_info(rec)->n_events, 1);
    assert_string_equal(rf_string(rec, rf_thread_events(rec, 0, NULL)->name, NULL), "yes");
    assert_int_equal(count_skipped(rec, "not read"), 1);
    rf_close(rec);
}

static const char all_tables[] =
    "CREATE TABLE StringIds(id, value);"
    "CREATE TABLE PROCESSES(globalPid, pid, name); CREATE TABLE ThreadNames(nameId, priority,"
    " globalTid); CREATE TABLE NVTX_EVENTS(start, end, eventType, rangeId, category, color, text,"
    " globalTid, endGlobalTid, textId, domainId, uint64Value, int64Value, doubleValue,"
    " uint32Value, int32Value, floatValue, jsonTextId, jsonText, binaryData);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId,"
    " nameId, returnValue, callchainId);"
    "CREATE TABLE OSRT_API(start, end, eventClass, globalTid, correlationId, nameId, returnValue);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, greenContextId,"
    " streamId, correlationId, globalPid, demangledName, shortName, mangledName, launchType,"
    " cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,"
    " staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId,"
    " sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig, graphId);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, bytes, copyKind, srcKind, dstKind, srcDeviceId, dstDeviceId);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, value, bytes, memKind);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, syncType);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, graphId);"
    "CREATE TABLE TARGET_INFO_GPU(id, name, chipName, uuid, smCount, totalMemory);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs, utcTime, localTime, systemClockNs);"
    "CREATE TABLE META_DATA_EXPORT(name, value); CREATE TABLE TARGET_INFO_SYSTEM_ENV(name, value);";

static const struct table {
    const char *name;
    int n_columns;
} tables[] = {{"StringIds", 2},
              {"PROCESSES", 3},
              {"ThreadNames", 3},
              {"NVTX_EVENTS", 20},
              {"CUPTI_ACTIVITY_KIND_RUNTIME", 8},
              {"OSRT_API", 7},
              {"CUPTI_ACTIVITY_KIND_KERNEL", 29},
              {"CUPTI_ACTIVITY_KIND_MEMCPY", 13},
              {"CUPTI_ACTIVITY_KIND_MEMSET", 10},
              {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 8},
              {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 8},
              {"TARGET_INFO_GPU", 6},
              {"TARGET_INFO_SESSION_START_TIME", 4},
              {"META_DATA_EXPORT", 2},
              {"TARGET_INFO_SYSTEM_ENV", 2}};

static uint32_t next_random(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

/* Values that nobody expects where they stand. */
static const char *const odd_values[] = {"NULL",
                                         "0",
                                         "1",
                                         "-1",
                                         "59",
                                         "60",
                                         "33",
                                         "39",
                                         "75",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "4294967295",
                                         "4294967296",
                                         "1e300",
                                         "-1e300",
                                         "0.5",
                                         "'text'",
                                         "''",
                                         "x''",
                                         "x'00ff'",
                                         "zeroblob(3000)",
                                         "'59'",
                                         "281475144482826",
                                         "281475144482816",
                                         "3",
                                         "34"};

/* All tables, n rows each of odd values; kind < 0: one of them at random for each value. */
static char *odd_rows(int n, int kind, uint32_t *random)
{
    size_t room = 1 << 20, at = sizeof(all_tables) - 1;
    char *sql = malloc(room);
    assert_non_null(sql);
    memcpy(sql, all_tables, sizeof(all_tables));
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        for (int row = 0; row < n; row++) {
            at += (size_t)snprintf(sql + at, room - at, "INSERT INTO %s VALUES (", tables[t].name);
            for (int i = 0; i < tables[t].n_columns; i++) {
                size_t k = kind >= 0
                               ? (size_t)kind
                               : next_random(random) % (sizeof(odd_values) / sizeof(odd_values[0]));
                at +=
                    (size_t)snprintf(sql + at, room - at, "%s%s", i > 0 ? ", " : "", odd_values[k]);
            }
            at += (size_t)snprintf(sql + at, room - at, ");");
        }
    }
    return sql;
}

static void test_odd_values(void **state)
{
    uint32_t random = 12345;
    (void)state;
    for (int i = -40; i < (int)(sizeof(odd_values) / sizeof(odd_values[0])); i++) {
        char *sql = odd_rows(20, i, &random);
        rf_recording *rec = open_file(made_file(sql));
        check_promises(rec);
        rf_close(rec);
        free(sql);
    }
}

static void test_nothing_there(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(all_tables));
    check_promises(rec);
    assert_int_equal(rf_get_info(rec)->n_events, 0);
    assert_int_equal(rf_n_processes(rec), 0);
    assert_null(rf_skipped_at(rec, 0));
    rf_close(rec);
    rec = open_file(made_file("CREATE TABLE NVTX_EVENTS(x); INSERT INTO NVTX_EVENTS VALUES (1)"));
    assert_int_equal(rf_get_info(rec)->n_events, 0);
    assert_int_equal(count_skipped(rec, "type that is not known"), 1);
    rf_close(rec);
}

static void test_long_text(void **state)
{
    (void)state;
    size_t size;
    rf_recording *rec = open_file(
        made_file("CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, text);"
                  "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 5, printf('%.*c', 20000000, 'x')),"
                  " (2, 3, 59, 5, CAST(x'610062' AS TEXT)), (3, 4, 59, 5, zeroblob(5))"));
    const struct rf_event *event = rf_thread_events(rec, 0, NULL);
    (void)rf_string(rec, event[0].name, &size);
    assert_int_equal(size, 16 << 20);
    assert_int_equal(count_skipped(rec, "16 MiB"), 1);
    assert_memory_equal(rf_string(rec, event[1].name, &size), "a\0b", 3);
    assert_int_equal(size, 3);
    (void)rf_string(rec, event[2].name, &size);
    assert_int_equal(size, 5);
    rf_close(rec);
}

/* Many threads and a deep nest of ranges. */
static void test_many(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid);"
        "INSERT INTO NVTX_EVENTS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r"
        " WHERE n < 100000) SELECT n, 1000000 - n, 59, 1 << 24 FROM r;"
        "INSERT INTO NVTX_EVENTS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r"
        " WHERE n < 100000) SELECT n, n + 1, 59, (n % 1000 + 2) * (1 << 24) + n FROM r"));
    check_promises(rec);
    assert_int_equal(rf_get_info(rec)->n_events, 200000);
    assert_int_equal(rf_n_threads(rec), 100001);
    assert_int_equal(rf_n_processes(rec), 1001);
    rf_close(rec);
}

static void open_any(const void *bytes, size_t size)
{
    struct rf_err err;
    for (unsigned flags = 0; flags <= RF_OPEN_SALVAGE; flags++) {
        rf_recording *rec = NULL;
        int status = rf_open(bytes_file(bytes, size), flags, &rec, &err);
        assert_true((status == RF_OK) == (rec != NULL));
        if (rec != NULL)
            check_promises(rec);
        rf_close(rec);
    }
}

static void test_truncated(void **state)
{
    size_t size;
    struct rf_err err;
    (void)state;
    uint8_t *bytes = read_bytes(data_file("defects/d12_graph"), &size);
    for (size_t n = 16; n < size; n += 1021)
        open_any(bytes, n);
    assert_int_equal(open_error(bytes_file(bytes, 6000), &err), RF_ERR_DAMAGED);
    assert_non_null(strstr(err.text, "SQLite says"));
    free(bytes);
}

/* Bits that flip, in the pages' headers above all. */
static void test_bit_flips(void **state)
{
    static const char *const names[] = {"defects/d12_graph", "defects/d09_start_end",
                                        "a_1proc_text"};
    uint32_t random = 2463534242u;
    (void)state;
    for (size_t f = 0; f < sizeof(names) / sizeof(names[0]); f++) {
        size_t size;
        uint8_t *bytes = read_bytes(data_file(names[f]), &size);
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        for (int round = 0; round < (f < 2 ? 150 : 20); round++) {
            memcpy(copy, bytes, size);
            for (uint32_t n = next_random(&random) % 8 + 1; n > 0; n--) {
                size_t page = next_random(&random) % (size / 4096);
                size_t at = next_random(&random) % (next_random(&random) % 2 == 0 ? 100 : 4096);
                copy[page * 4096 + at] ^= (uint8_t)(1u << next_random(&random) % 8);
            }
            memcpy(copy, bytes, 16);
            open_any(copy, size);
        }
        free(copy);
        free(bytes);
    }
}

/* ---- Pages that lie ---- */

#define EVENTS "CREATE TABLE NVTX_EVENTS(start, end, eventType, globalTid, text);"

static uint8_t *find_root(uint8_t *bytes, uint8_t type)
{
    assert_int_equal(bytes[4096], type); /* the first table begins on the second page */
    return bytes + 4096;
}

/* A page that is its own child. */
static void test_circle(void **state)
{
    size_t size;
    struct rf_err err;
    (void)state;
    uint8_t *bytes = read_bytes(
        made_file(EVENTS "INSERT INTO NVTX_EVENTS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL"
                         " SELECT n + 1 FROM r WHERE n < 5000) SELECT n, n, 59, 5, 'x' FROM r"),
        &size);
    memcpy(find_root(bytes, 5) + 8, (const uint8_t[]){0, 0, 0, 2}, 4);
    assert_int_equal(open_error(bytes_file(bytes, size), &err), RF_ERR_DAMAGED);
    free(bytes);
}

/* One long row that a page names hundreds of times. */
static void test_same_row(void **state)
{
    size_t size;
    struct rf_err err;
    (void)state;
    uint8_t *bytes = read_bytes(made_file(EVENTS "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 5,"
                                                 " printf('%.*c', 1000000, 'x'))"),
                                &size);
    uint8_t *root = find_root(bytes, 13);
    root[3] = 500 >> 8;
    root[4] = 500 & 0xff;
    for (int i = 1; i < 500; i++)
        memcpy(root + 8 + 2 * i, root + 8, 2);
    assert_int_equal(open_error(bytes_file(bytes, size), &err), RF_ERR_DAMAGED);
    assert_non_null(strstr(err.text, "it holds more than its size can"));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_nsys),      cmocka_unit_test(test_views),
        cmocka_unit_test(test_quotes),        cmocka_unit_test(test_odd_values),
        cmocka_unit_test(test_nothing_there), cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_bit_flips),     cmocka_unit_test(test_circle),
        cmocka_unit_test(test_same_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
