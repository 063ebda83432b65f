/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of NVTX_EVENTS.binaryData, by the layouts of NVTX_PAYLOAD_*, as nsys writes them and as
 * nobody should. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "import_support.h"

#define T10 "0x100000a00000a"
#define T20 "0x100001400000a"

#define TABLES                                                                                     \
    "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId, jsonText,"         \
    " binaryData);"                                                                                \
    "CREATE TABLE NVTX_PAYLOAD_SCHEMAS(domainId, schemaId, name, type, flags, numEntries,"         \
    " payloadSize, alignTo);"                                                                      \
    "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, idx, flags, type, name,"         \
    " description, arrayOrUnionDetail, offset);"                                                   \
    "CREATE TABLE NVTX_PAYLOAD_ENUMS(domainId, schemaId, name, numEntries, size);"                 \
    "CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES(domainId, schemaId, idx, name, value, isFlag);"

/* Two processes registered the same; nsys writes NULL for what is 0. */
#define NCCL                                                                                       \
    "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 16777220, NULL, 1, NULL, 3, 24, NULL),"           \
    " (1, 16777220, NULL, 1, NULL, 3, 24, NULL);"                                                  \
    "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"                                               \
    " (1, 16777220, 1, NULL, 22, 'size', NULL, NULL, 8),"                                          \
    " (1, 16777220, 0, NULL, 18, 'comm', 'an id', NULL, NULL),"                                    \
    " (1, 16777220, 0, NULL, 18, 'comm', 'an id', NULL, NULL),"                                    \
    " (1, 16777220, 2, NULL, 16777300, 'op', NULL, NULL, 16),"                                     \
    " (1, 16777220, 1, NULL, 22, 'size', NULL, NULL, 8);"                                          \
    "INSERT INTO NVTX_PAYLOAD_ENUMS VALUES (1, 16777300, 'op', 2, 4);"                             \
    "INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (1, 16777300, 0, 'Sum', NULL, NULL),"            \
    " (1, 16777300, 1, 'Prod', 1, 0);"

#define HEAD                                                                                       \
    "0100000000000000"                                                                             \
    "0400000100000000"                                                                             \
    "1800000000000000"                                                                             \
    "3800000000000000"
#define PAYLOAD                                                                                    \
    "0807060504030201"                                                                             \
    "0010000000000000"                                                                             \
    "0100000000000000"
#define EXPECTED "{\"comm\":72623859790382856,\"size\":4096,\"op\":\"Prod\"}"
#define EVENT(ns, json, binary)                                                                    \
    "INSERT INTO NVTX_EVENTS VALUES (" #ns ", 100, 59, 'a', " T10 ", 1, " json ", " binary ");"

static const struct rf_event *find(const rf_recording *rec, int64_t start_ns)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (event[i].start_ns == start_ns)
                return &event[i];
    }
    fail_msg("no event starts at %lld", (long long)start_ns);
    return NULL;
}

static void check_json(const rf_recording *rec, int64_t start_ns, const char *expected)
{
    char text[1000];
    const struct rf_event *event = find(rec, start_ns);
    assert_int_equal(event->payload_type, RF_TYPE_EXTENDED);
    (void)rf_payload_json(rec, event, 0, text, sizeof(text));
    assert_string_equal(text, expected);
}

static bool is_bad(const rf_recording *rec, int64_t start_ns)
{
    return (find(rec, start_ns)->flags & RF_EVENT_BAD_PAYLOAD) != 0;
}

/* Bytes go before the text that was made of them; of a layout that is not known the text is shown,
 * or the bytes. */
static void test_decoded(void **state)
{
    (void)state;
    rf_recording *rec = open_file(
        made_file(TABLES NCCL EVENT(1, "NULL", "x'" HEAD PAYLOAD "'") EVENT(
            2, "'{\"other\":1}'",
            "x'" HEAD PAYLOAD
            "'") "INSERT INTO NVTX_EVENTS VALUES (3, NULL, 34, NULL, " T20
                 ", 1, NULL, x'" HEAD PAYLOAD "');" EVENT(
                     4, "'{}'",
                     "x'01000000000000000500000100000000010000000000000021000000000000000A'")
                      EVENT(5, "NULL",
                            "x'01000000000000000500000100000000010000000000000021000000000000000A'")
                          EVENT(6, "NULL",
                                "x'0100000000000000100000000000000004000000000000002400000000000000"
                                "2A000000'") "INSERT INTO NVTX_EVENTS VALUES (7, 9, 60, NULL, " T10
                                             ", 2, NULL, x'" HEAD PAYLOAD "');"));
    check_promises(rec);
    check_json(rec, 1, EXPECTED);
    check_json(rec, 2, EXPECTED);
    check_json(rec, 3, EXPECTED); /* of another process */
    assert_int_equal(find(rec, 4)->payload_type, RF_TYPE_JSON);
    check_json(rec, 5, "\"0a\"");
    check_json(rec, 6, "42"); /* of a predefined type */
    check_json(rec, 7, "\"080706050403020100100000000000000100000000000000\"");
    for (int64_t ns = 1; ns <= 7; ns++)
        assert_true(is_bad(rec, ns) == (ns == 5 || ns == 7));
    rf_close(rec);
}

/* What is no payload, or not whole. */
static void test_bytes(void **state)
{
    static const char *const bytes[] = {
        "x''",
        "'text'",
        "x'00'",
        "5",
        "1.5",
        "x'" HEAD "'", /* its bytes are missing */
        "x'0100000000000000040000010000000000000000000000FF3800000000000000'", /* larger than all */
        "x'01000000000000000400000100000000FFFFFFFFFFFFFFFF1F00000000000000'", /* wraps */
        "x'01000000000000000400000100000000180000000000000039000000000000"
        "00" PAYLOAD "'",
    };
    char sql[8000];
    (void)state;
    size_t used = (size_t)snprintf(sql, sizeof(sql), "%s", TABLES NCCL);
    size_t n = sizeof(bytes) / sizeof(bytes[0]);
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(sql + used, sizeof(sql) - used,
                                 "INSERT INTO NVTX_EVENTS VALUES (%zu, 100, 59, 'a', " T10
                                 ", 1, NULL, %s), (%zu, 100, 59, 'b', " T10 ", 1, '{}', %s);",
                                 2 * i, bytes[i], 2 * i + 1, bytes[i]);
    rf_recording *rec = open_file(made_file(sql));
    check_promises(rec);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(find(rec, (int64_t)(2 * i))->payload_type, RF_TYPE_BINARY);
        assert_true(is_bad(rec, (int64_t)(2 * i)));
        assert_int_equal(find(rec, (int64_t)(2 * i + 1))->payload_type, RF_TYPE_JSON);
        assert_false(is_bad(rec, (int64_t)(2 * i + 1)));
    }
    assert_int_equal(count_skipped(rec, "cannot be decoded"), n);
    assert_int_equal(count_skipped(rec, "stands as JSON"), n);
    rf_close(rec);
}

/* A list of payloads behind the first one: all of them, or none. */
static void test_list(void **state)
{
    static const char item[] = "0100000000000000"
                               "1000000000000000"
                               "0400000000000000"
                               "0400000000000000"
                               "0000000000000000"
                               "2B000000";
    static const char end[] = "0101000000000000"
                              "1000000000000000"
                              "0400000000000000"
                              "0400000000000000"
                              "0000000000000000"
                              "2C000000";
    static const char wrong[] = "0300000000000000"
                                "1000000000000000"
                                "0400000000000000"
                                "0400000000000000"
                                "0000000000000000"
                                "2C000000";
    char sql[8000];
    (void)state;
    (void)snprintf(sql, sizeof(sql),
                   TABLES NCCL EVENT(1, "'{}'", "x'" HEAD PAYLOAD "%s%s'")
                       EVENT(2, "NULL", "x'" HEAD PAYLOAD "%s%.80s'")
                           EVENT(3, "NULL", "x'" HEAD PAYLOAD "%s%s'")
                               EVENT(4, "NULL", "x'" HEAD PAYLOAD "%s'"),
                   end, item, item, item, item, wrong, end);
    rf_recording *rec = open_file(made_file(sql));
    check_promises(rec);
    check_json(rec, 1, "[43,44]");
    check_json(rec, 2, EXPECTED);
    check_json(rec, 3, EXPECTED);
    check_json(rec, 4, "44");
    for (int64_t ns = 1; ns <= 4; ns++)
        assert_true(is_bad(rec, ns) == (ns == 2 || ns == 3));
    rf_close(rec);
}

/* Schemas that are not whole, that contain themselves, and values that no program can have given.
 */
static void test_layouts(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        TABLES
        "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 16777220, NULL, 1, NULL, 2, 24, NULL),"
        " (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), ('x', 'x', 7, 'x', 'x', 'x', 'x', 'x'),"
        " (-1, -1, x'00ff', -1, -1, -1, -1, -1), (1, 16777221, 's', 1, -1, 1e300, -1, -1),"
        " (1, 16777222, 's', 1, NULL, NULL, NULL, NULL), (1, 16777223, 's', 1, 0, 1, 8, 0),"
        " (1, 16777224, 's', 4294967297, 0, 1, 8, 0);"
        "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 16777220, 0, 0, 18, 'a', NULL, 0, 0),"
        " (1, 16777220, 2, 0, 18, 'c', NULL, 0, 8),"
        " (1, 16777220, 9223372036854775807, 0, 18, 'd', NULL, 0, 8),"
        " (1, 16777220, -1, 0, 18, 'd', NULL, 0, 8), (NULL, NULL, NULL, 'x', 'x', 5, 5, 'x', 'x'),"
        " (1, 16777222, 0, 0, 16777222, 'self', NULL, 0, 0),"
        " (1, 16777223, 0, -1, -1, 'self', NULL, -1, -1), (1, 16777224, 0, 0, 18, 'a', '', 0, 0),"
        " (7, 16777299, 0, 0, 18, 'a', '', 0, 0);"
        "INSERT INTO NVTX_PAYLOAD_ENUMS VALUES (1, 16777225, 'e', -1, -1), (1, 16777226, 'e', 3, "
        "3);"
        "INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (1, 16777225, 5, 'x', 'y', 'z');" EVENT(
            1, "NULL",
            "x'" HEAD PAYLOAD
            "'") "INSERT INTO NVTX_EVENTS SELECT start + 1, end, eventType, text, globalTid, "
                 "domainId, NULL,"
                 " CAST(x'0100000000000000060000010000000008000000000000002800000000000000"
                 "0102030405060708' AS BLOB) FROM NVTX_EVENTS;"
                 "INSERT INTO NVTX_EVENTS SELECT start + 2, end, eventType, text, globalTid, "
                 "domainId, NULL,"
                 " CAST(x'0100000000000000070000010000000008000000000000002800000000000000"
                 "0102030405060708' AS BLOB) FROM NVTX_EVENTS;"));
    check_promises(rec);
    for (int64_t ns = 1; ns <= 4; ns++)
        assert_true(is_bad(rec, ns));
    check_json(rec, 1, "\"080706050403020100100000000000000100000000000000\"");
    rf_close(rec);
}

/* The rows of a database that says whose layouts are: of its own process each, and nothing more. */
static void test_own_layouts(void **state)
{
    (void)state;
    size_t n;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId, jsonText,"
        " binaryData);"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMAS(domainId, schemaId, type, numEntries, globalPid);"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, idx, type, name, globalPid);"
        "CREATE TABLE RANGEFINDER_NVTX_TYPE_SIZES(globalPid, type, size, alignment);"
        "CREATE TABLE RANGEFINDER_NVTX_STRINGS(globalPid, handle, text);"
        "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (0, 4294967296, 1, 1, 0x100000a000000),"
        " (0, 4294967296, 1, 1, 0x1000014000000), (5, 4294967297, 1, 1, 0x1000014000000),"
        " (5, 4294967297, 1, 1, 0x10000ff000000);"
        "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (0, 4294967296, 0, 7, 'l',"
        " 0x100000a000000), (0, 4294967296, 0, 80, 's', 0x1000014000000);"
        "INSERT INTO RANGEFINDER_NVTX_TYPE_SIZES VALUES (0x100000a000000, 7, 4, 4),"
        " (0x100000a000000, -1, 4, 4), (NULL, 5, 65536, 4), ('x', 'x', 'x', 'x');"
        "INSERT INTO RANGEFINDER_NVTX_STRINGS VALUES (0x1000014000000, '0x2a', 'registered'),"
        " (0x1000014000000, '0x', 'x'), (1, '0x11112222333344445', 'x'), (NULL, NULL, NULL),"
        " (1, 'ab', 'x'), (1, 42, 'x'), (1, '0x1g', 'x'), (1, '0x1', NULL);"
        "INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 'a', " T10 ", 0, NULL,"
        " x'0000000000000000000000000100000004000000000000002400000000000000FEFFFFFF'),"
        " (2, 9, 59, 'a', " T20 ", 0, NULL,"
        " x'00000000000000000000000001000000080000000000000028000000000000002A00000000000000');"));
    check_promises(rec);
    check_json(rec, 1, "{\"l\":-2}");
    check_json(rec, 2, "{\"s\":\"registered\"}");
    (void)rf_extras(rec, &n);
    assert_int_equal(n, 0);
    assert_int_equal(count_skipped(rec, "has no events"), 2);
    assert_int_equal(count_skipped(rec, "no handle"), 6);
    assert_int_equal(count_skipped(rec, "no possible size"), 2);
    rf_close(rec);
}

/* Integers are exact, those that SQLite does not hold as text. */
static void check_limits(const rf_recording *rec)
{
    const struct rf_nvtx_counter *nvtx = NULL;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_counter_at(rec, i)->nvtx->has_limits == 3)
            nvtx = rf_counter_at(rec, i)->nvtx;
    assert_non_null(nvtx);
    assert_int_equal(nvtx->min.number, RF_COUNTER_INT64);
    assert_true(nvtx->min.integer == -9007199254740993 && nvtx->min.value == -9007199254740992.0);
    assert_int_equal(nvtx->max.number, RF_COUNTER_UINT64);
    assert_true((uint64_t)nvtx->max.integer == UINT64_MAX);
}

/* Counters of our own databases, with values that these never have. */
static void test_own_counters(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId);"
        "INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 'a', " T10 ", 0);"
        "CREATE TABLE RANGEFINDER_NVTX_COUNTERS(counterId, globalPid, globalTid, domainId, name,"
        " unit, number, valueType, interpolation, minimum, maximum, scaleNumerator,"
        " scaleDenominator, factor);"
        "INSERT INTO RANGEFINDER_NVTX_COUNTERS VALUES"
        " (7, 0x100000a000000, " T10 ", 3, 'c', 'B', 'uint64', 'delta', 'linear', NULL, 2.5, 3, 4,"
        " 0.5), (7, 0, 0, 0, 'again', 0, 0, 0, 0, 0, 0, 0, 0, 0), (NULL, 0, 0, 0, 'no id', 0, 0, 0,"
        " 0, 0, 0, 0, 0, 0), (-1, 0x1000014000000, " T10 ", -1, NULL, x'00', 'word', 'word', 5,"
        " 'x', 'x', 0, -1, 9e999), (8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
        " NULL, NULL, NULL), (9, 0x100000a000000, " T10 ", 3, 'limits', 'B', 'uint64', 'delta',"
        " 'linear', -9007199254740993, '18446744073709551615', 3, 4, 0.5);"
        "CREATE TABLE RANGEFINDER_NVTX_COUNTER_SAMPLES(counterId, timestamp, value, flags);"
        "INSERT INTO RANGEFINDER_NVTX_COUNTER_SAMPLES VALUES (7, 20, 5, NULL),"
        " (7, 10, '18446744073709551615', 'placed'), (7, 30, NULL, 'no_value'), (7, 40, 1.5, 4),"
        " (7, 50, NULL, NULL), (7, 1, '18446744073709551616', 0), (7, 1, 'x', 0), (7, 1, '', 0),"
        " (7, NULL, 1, 0), (7, 4611686018427387904, 1, 0), (10, 1, 1, 0), (NULL, 1, 1, 0),"
        " (-1, 5, x'3132', x'ff');"));
    check_promises(rec);
    assert_int_equal(rf_n_counters(rec), 4);
    const struct rf_counter *counter = NULL;
    for (uint32_t i = 0; i < 4; i++)
        if (rf_counter_at(rec, i)->n_samples == 5)
            counter = rf_counter_at(rec, i);
    assert_non_null(counter);
    check_limits(rec);
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    assert_int_equal(nvtx->number, RF_COUNTER_UINT64);
    assert_int_equal(nvtx->value_type, RF_COUNTER_DELTA);
    assert_int_equal(nvtx->interpolation, RF_COUNTER_LINEAR);
    assert_int_equal(nvtx->has_limits, 2);
    assert_true(nvtx->max.value == 2.5 && nvtx->factor == 0.5);
    assert_int_equal(nvtx->scale_denominator, 4);
    assert_int_equal(counter->ns[0], 10);
    assert_true((uint64_t)nvtx->integer[0] == UINT64_MAX && nvtx->flags[0] == RF_SAMPLE_PLACED);
    assert_true(nvtx->integer[1] == 5 && nvtx->flags[1] == 0);
    assert_int_equal(nvtx->flags[2], RF_SAMPLE_NO_VALUE);
    assert_true(counter->value[3] == 1.5 && nvtx->flags[3] == RF_SAMPLE_REAL);
    assert_true(isnan(counter->value[4]) && nvtx->flags[4] == RF_SAMPLE_REAL);
    assert_int_equal(count_skipped(rec, "that of another counter"), 2);
    assert_int_equal(count_skipped(rec, "of no counter"), 4);
    assert_int_equal(count_skipped(rec, "value that is no number"), 3);
    assert_int_equal(count_skipped(rec, "word that is not known"), 3);
    assert_int_equal(rf_get_info(rec)->n_samples, 6);
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoded),     cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_list),        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_own_layouts), cmocka_unit_test(test_own_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
