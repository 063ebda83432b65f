/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of every kind, and tables of other versions. */
#include <stdio.h>

#include "import_support.h"

#define NVTX                                                                                       \
    "CREATE TABLE NVTX_EVENTS(start, end, eventType, rangeId, category, color, text, globalTid,"   \
    " endGlobalTid, textId, domainId, uint64Value, int64Value, doubleValue, uint32Value,"          \
    " int32Value, floatValue, jsonText);"

/* pid 10, tid 10; pid 10, tid 11. */
#define T10 "0x100000a00000a"
#define T11 "0x100000a00000b"
#define P10 "0x100000a000000"

static const struct rf_event *find(const rf_recording *rec, uint32_t thread, int64_t start_ns)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++)
        if (event[i].start_ns == start_ns)
            return &event[i];
    fail_msg("no event starts at %lld", (long long)start_ns);
    return NULL;
}

static const char *name_of(const rf_recording *rec, const struct rf_event *event)
{
    const char *text = rf_string(rec, event->name, NULL);
    return text != NULL ? text : "(none)";
}

static void test_event_types(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        NVTX "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value);"
             "INSERT INTO StringIds VALUES (5, 'registered'), (9000000000, 'far');"
             "INSERT INTO NVTX_EVENTS(start, end, eventType, rangeId, category, color, text,"
             " globalTid, endGlobalTid, textId, domainId) VALUES"
             " (-50, NULL, 75, NULL, NULL, NULL, 'lib', " T10 ", NULL, NULL, 1),"
             " (-40, NULL, 33, NULL, 7, NULL, 'io', " T10 ", NULL, NULL, 1),"
             " (-30, NULL, 39, NULL, NULL, NULL, 'worker', " T11 ", NULL, NULL, 0),"
             " (10, 90, 59, NULL, 7, 4278190335, 'outer', " T10 ", NULL, NULL, 1),"
             " (20, 20, 59, NULL, NULL, 0, NULL, " T10 ", NULL, 5, 0),"
             " (30, 25, 59, NULL, NULL, NULL, 'backwards', " T10 ", NULL, NULL, 0),"
             " (40, 80, 60, 3, NULL, NULL, 'async', " T10 ", " T11 ", NULL, 0),"
             " (45, NULL, 60, 4, NULL, NULL, 'open', " T10 ", NULL, NULL, 0),"
             " (50, NULL, 34, NULL, NULL, NULL, NULL, " T10 ", NULL, 9000000000, 0),"
             " (55, 56, 70, NULL, NULL, NULL, NULL, " T11 ", NULL, 77, 0),"
             " (57, 58, 71, NULL, NULL, NULL, 'text file', " T11 ", NULL, NULL, 0),"
             " (95, NULL, 76, NULL, NULL, NULL, NULL, " T10 ", NULL, NULL, 1),"
             " (96, NULL, 12345, NULL, NULL, NULL, NULL, " T10 ", NULL, NULL, 1),"
             " (NULL, 97, 59, NULL, NULL, NULL, 'no start', " T10 ", NULL, NULL, 1)"));
    check_promises(rec);
    assert_int_equal(rf_n_threads(rec), 2);
    assert_int_equal(rf_get_info(rec)->n_ranges, 7);
    assert_int_equal(rf_get_info(rec)->n_marks, 1);
    assert_int_equal(rf_get_info(rec)->n_cut, 1);

    const struct rf_event *e = find(rec, 0, 10);
    const struct rf_domain *domain = rf_domain_at(rec, e->domain);
    assert_int_equal(e->kind, RF_EVENT_PUSH_POP);
    assert_int_equal(domain->id, 1);
    assert_string_equal(rf_string(rec, domain->name, NULL), "lib");
    assert_int_equal(e->category, 7);
    assert_string_equal(rf_string(rec, rf_category_name(rec, e->domain, 7), NULL), "io");
    assert_int_equal(e->color, 0xff0000ff);
    assert_int_equal(e->flags, RF_EVENT_HAS_COLOR | RF_EVENT_HAS_CATEGORY);

    e = find(rec, 0, 20);
    assert_string_equal(name_of(rec, e), "registered");
    assert_int_equal(e->flags, RF_EVENT_REGISTERED | RF_EVENT_HAS_COLOR);
    assert_int_equal(e->end_ns, 20);
    e = find(rec, 0, 30);
    assert_int_equal(e->end_ns, 30);
    assert_int_equal(e->flags, RF_EVENT_CLAMPED);

    e = find(rec, 0, 40);
    assert_int_equal(e->kind, RF_EVENT_START_END);
    assert_int_equal(rf_start_end_at(rec, e->link)->number, 3);
    assert_int_equal(rf_start_end_at(rec, e->link)->end_thread, 1);
    e = find(rec, 0, 45);
    assert_int_equal(e->cut, RF_CUT_CAPTURE_ENDED);
    assert_int_equal(e->end_ns, 96 - 1); /* the row of a type that is not known says nothing */
    assert_int_equal(rf_start_end_at(rec, e->link)->end_thread, 0);

    assert_string_equal(name_of(rec, find(rec, 0, 50)), "far");
    assert_int_equal(find(rec, 0, 50)->kind, RF_EVENT_MARK);
    e = find(rec, 1, 55);
    assert_int_equal(e->kind, RF_EVENT_PUSH_POP);
    assert_string_equal(name_of(rec, e), "0x4d");
    assert_int_equal(e->flags, RF_EVENT_REGISTERED | RF_EVENT_BAD_HANDLE);
    assert_int_equal(find(rec, 1, 57)->kind, RF_EVENT_START_END);
    e = find(rec, 1, -30);
    assert_int_equal(e->kind, RF_EVENT_THREAD_NAME);
    assert_int_equal(e->payload, 11);
    assert_string_equal(rf_string(rec, rf_thread_at(rec, 1)->name, NULL), "worker");
    assert_true(rf_thread_at(rec, 1)->is_named);
    assert_int_equal(find(rec, 0, -50)->kind, RF_EVENT_DOMAIN_CREATE);
    assert_int_equal(find(rec, 0, 95)->kind, RF_EVENT_DOMAIN_DESTROY);

    assert_int_equal(count_skipped(rec, "no start"), 1);
    assert_int_equal(count_skipped(rec, "type that is not known"), 1);
    assert_int_equal(count_skipped(rec, "ends before"), 1);
    assert_int_equal(count_skipped(rec, "StringIds lacks"), 1);
    rf_close(rec);
}

static void test_payloads(void **state)
{
    (void)state;
    double real;
    float single;
    rf_recording *rec = open_file(
        made_file(NVTX "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, uint64Value,"
                       " int64Value, doubleValue, uint32Value, int32Value, floatValue, jsonText)"
                       " VALUES (1, 2, 59, " T10 ", -1, NULL, NULL, NULL, NULL, NULL, NULL),"
                       " (2, 2, 59, " T10 ", NULL, -5, NULL, NULL, NULL, NULL, NULL),"
                       " (3, 3, 59, " T10 ", NULL, NULL, 1.5, NULL, NULL, NULL, NULL),"
                       " (4, 4, 59, " T10 ", NULL, NULL, NULL, 4294967295, NULL, NULL, NULL),"
                       " (5, 5, 59, " T10 ", NULL, NULL, NULL, NULL, -7, NULL, NULL),"
                       " (6, 6, 59, " T10 ", NULL, NULL, NULL, NULL, NULL, 1.10000002384186, NULL),"
                       " (7, 7, 59, " T10 ", -1, NULL, NULL, NULL, NULL, NULL, '{}')"));
    assert_int_equal(find(rec, 0, 1)->payload_type, RF_TYPE_UINT64);
    assert_true(find(rec, 0, 1)->payload == UINT64_MAX);
    assert_int_equal(find(rec, 0, 2)->payload_type, RF_TYPE_INT64);
    assert_true((int64_t)find(rec, 0, 2)->payload == -5);
    assert_int_equal(find(rec, 0, 3)->payload_type, RF_TYPE_DOUBLE);
    memcpy(&real, &find(rec, 0, 3)->payload, sizeof(real));
    assert_true(real == 1.5);
    assert_int_equal(find(rec, 0, 4)->payload_type, RF_TYPE_UINT32);
    assert_true(find(rec, 0, 4)->payload == UINT32_MAX);
    assert_int_equal(find(rec, 0, 5)->payload_type, RF_TYPE_INT32);
    assert_true((int32_t)find(rec, 0, 5)->payload == -7);
    assert_int_equal(find(rec, 0, 6)->payload_type, RF_TYPE_FLOAT);
    memcpy(&single, &find(rec, 0, 6)->payload, sizeof(single));
    assert_true(single == 1.1f);
    assert_int_equal(find(rec, 0, 7)->payload_type, RF_TYPE_JSON);
    assert_string_equal(rf_string(rec, (uint32_t)find(rec, 0, 7)->payload, NULL), "{}");
    assert_int_equal(count_skipped(rec, "stands as JSON"), 1);
    rf_close(rec);
}

/* Rows in no order come out in order; what encloses comes first. */
static void test_order(void **state)
{
    (void)state;
    static const int64_t starts[] = {5, 5, 5, 10, 30};
    static const int64_t ends[] = {100, 50, 5, 20, 40};
    rf_recording *rec = open_file(
        made_file(NVTX "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid) VALUES"
                       " (30, 40, 59, " T10 "), (5, 50, 59, " T10 "), (5, 5, 59, " T10 "),"
                       " (10, 20, 59, " T10 "), (5, 100, 59, " T10 ");"
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, nameId,"
                       " correlationId);"
                       "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start, end, globalTid, 1,"
                       " end FROM NVTX_EVENTS;"
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, globalPid, deviceId,"
                       " contextId, streamId, correlationId);"
                       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 1000, end + 1000,"
                       " " P10 ", 0, 1, end % 3, end FROM NVTX_EVENTS"));
    size_t n;
    check_promises(rec);
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    const struct rf_call *call = rf_thread_calls(rec, 0, NULL);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(event[i].start_ns, starts[i]);
        assert_int_equal(event[i].end_ns, ends[i]);
        assert_int_equal(call[i].start_ns, starts[i]);
        assert_int_equal(call[i].end_ns, ends[i]);
        const struct rf_gpu_op *op = &rf_gpu_ops(rec, NULL)[call[i].first_op];
        assert_int_equal(op->start_ns, starts[i] + 1000);
        assert_int_equal(op->correlation, ends[i]);
        assert_int_equal(op->next_op, RF_NO_INDEX);
    }
    assert_int_equal(rf_n_gpu_tracks(rec), 2);
    rf_close(rec);
}

/* Correlation ids count per process, and may lie far apart. */
static void test_correlation(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE StringIds(id, value);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid,"
        " correlationId, returnValue);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
        " (1, 2, 0, 0x100000a00000a, 7, 0), (1, 2, 1, 0x100000b00000b, 7, 2),"
        " (3, 4, 0, 0x100000a00000a, 4000000000, 0), (5, 6, 0, 0x100000a00000a, 7, 0);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET_V2(start, end, globalPid, correlationId, bytes,"
        " value, memKind);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET_V2 VALUES"
        " (11, 12, 0x100000a000000, 7, 64, 255, 2), (12, 13, 0x100000b000000, 7, 65, 0, 2),"
        " (14, 15, 0x100000a000000, 4000000000, 66, 0, 2), (16, 17, 0x100000c000000, 7, 67, 0, "
        "2)"));
    size_t n;
    check_promises(rec);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    assert_int_equal(n, 4);
    assert_int_equal(op[0].kind, RF_OP_MEMSET);
    assert_int_equal(rf_transfer_at(rec, op[0].detail)->bytes, 64);
    assert_int_equal(rf_transfer_at(rec, op[0].detail)->value, 255);
    assert_int_equal(op[0].thread, 0);
    assert_int_equal(op[0].call, 0);
    assert_int_equal(op[1].thread, 0);
    assert_int_equal(op[1].call, 1);
    assert_int_equal(op[2].thread, 1);
    assert_int_equal(op[2].call, 0);
    assert_int_equal(op[3].thread, RF_NO_INDEX); /* its process made no call */
    assert_int_equal(rf_thread_calls(rec, 1, NULL)->kind, RF_CALL_CUDA_DRIVER);
    assert_int_equal(rf_thread_calls(rec, 1, NULL)->result, 2);
    assert_int_equal(count_skipped(rec, "another call"), 1);
    rf_close(rec);
}

/* Copies, waits and graphs; calls of the operating system take part in no correlation. */
static void test_work(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        "CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES (1, 'read');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, " T10 ", 1), (3, 9, " T10 ", 2);"
        "CREATE TABLE OSRT_API(start, end, globalTid, nameId, correlationId, returnValue);"
        "INSERT INTO OSRT_API VALUES (0, 1, " T10 ", 1, 1, -1);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, globalPid, correlationId,"
        " bytes, copyKind, srcKind, dstKind, srcDeviceId, dstDeviceId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5, 6, 0, " P10 ", 1, 1024, 10, 2, 3, 0, 3);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId, globalPid,"
        " correlationId, graphId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (7, 8, 0, " P10 ", 1, 44);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, globalPid,"
        " correlationId, syncType, streamId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (3, 9, 0, " P10 ", 2, 3, -1);"
        "CREATE TABLE COMPOSITE_EVENTS(id, start); INSERT INTO COMPOSITE_EVENTS VALUES (1, 1),"
        " (2, 2)"));
    size_t n;
    check_promises(rec);
    const struct rf_call *call = rf_thread_calls(rec, 0, &n);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    assert_int_equal(n, 3);
    assert_int_equal(call[0].kind, RF_CALL_OS);
    assert_int_equal(call[0].correlation, 0);
    assert_int_equal(call[0].result, -1);
    assert_string_equal(rf_string(rec, call[0].name, NULL), "read");
    assert_int_equal(call[0].first_op, RF_NO_INDEX);
    assert_int_equal(op[call[1].first_op].kind, RF_OP_MEMCPY);
    assert_int_equal(op[op[call[1].first_op].next_op].kind, RF_OP_GRAPH);
    assert_int_equal(op[op[call[1].first_op].next_op].graph, 44);
    const struct rf_transfer *copy = rf_transfer_at(rec, op[call[1].first_op].detail);
    assert_int_equal(copy->bytes, 1024);
    assert_int_equal(copy->copy_kind, 10);
    assert_int_equal(copy->source_memory, 2);
    assert_int_equal(copy->target_memory, 3);
    assert_int_equal(copy->peer_device, 3);
    assert_int_equal(call[2].first_op, RF_NO_INDEX); /* a wait is no work */
    assert_int_equal(op[2].kind, RF_OP_SYNC);
    assert_int_equal(op[2].sync_type, 3);
    assert_int_equal(op[2].call, 2);
    assert_int_equal(rf_gpu_track_at(rec, op[2].track)->stream, UINT32_MAX);
    assert_int_equal(count_skipped(rec, "passed over"), 2);
    rf_close(rec);
}

/* Names stand in other tables than what they name. */
static void test_names(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        NVTX
        "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid) VALUES"
        " (1, 2, 59, " T10 "), (1, 2, 59, " T11 ");"
        "CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES (1, 'os'), (2, 'own');"
        "CREATE TABLE PROCESSES(globalPid, pid, name);"
        "INSERT INTO PROCESSES VALUES (" P10 ", 20000010, 'app'), (99999999999, 1, 'other');"
        "CREATE TABLE ThreadNames(nameId, priority, globalTid); INSERT INTO ThreadNames VALUES"
        " (1, 20, " T10 "), (1, 20, " T11 "), (2, 0, " T11 "), (1, 20, " T11 ");"
        "CREATE TABLE TARGET_INFO_GPU(id, name, chipName, uuid, smCount, totalMemory,"
        " computeMajor, computeMinor); INSERT INTO TARGET_INFO_GPU VALUES"
        " (0, 'NVIDIA H200', 'GH100', 'ab', 132, 150754820096, 9, 0);"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs, utcTime, localTime);"
        "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000005,"
        " '2023-11-14T22:13:20', '2023-11-15T03:43:20')"));
    check_promises(rec);
    assert_int_equal(rf_n_processes(rec), 1);
    assert_int_equal(rf_process_at(rec, 0)->pid, 20000010);
    assert_string_equal(rf_string(rec, rf_process_at(rec, 0)->name, NULL), "app");
    assert_string_equal(rf_string(rec, rf_thread_at(rec, 0)->name, NULL), "os");
    assert_false(rf_thread_at(rec, 0)->is_named);
    assert_string_equal(rf_string(rec, rf_thread_at(rec, 1)->name, NULL), "own");
    assert_true(rf_thread_at(rec, 1)->is_named);
    assert_int_equal(rf_n_gpus(rec), 1);
    assert_string_equal(rf_string(rec, rf_gpu_at(rec, 0)->name, NULL), "NVIDIA H200");
    assert_int_equal(rf_gpu_at(rec, 0)->memory_bytes, 150754820096);
    assert_int_equal(rf_gpu_at(rec, 0)->n_multiprocessors, 132);
    assert_int_equal(rf_get_info(rec)->epoch_utc_ns, 1700000000000000005);
    assert_int_equal(rf_get_info(rec)->utc_offset_s, 19800);
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_types), cmocka_unit_test(test_payloads),
        cmocka_unit_test(test_order),       cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_work),        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
