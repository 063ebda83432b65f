/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of further tables, and what was sampled. */
#include "import_support.h"

#define P10 "0x100000a000000"
#define T10 "0x100000a00000a"

#define CALLS                                                                                      \
    "CREATE TABLE NVTX_EVENTS(start, end, eventType);"                                             \
    "CREATE TABLE StringIds(id, value); INSERT INTO StringIds VALUES (1, 'cudaMalloc'),"           \
    " (2, 'cudaEventRecord'), (3, 'Command Buffer Full');"                                         \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId, nameId);"      \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, " T10 ", 1, 1),"                    \
    " (200, 210, " T10 ", 2, 2);"

static const struct rf_extra *find_kind(const rf_recording *rec, int kind, size_t nth)
{
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (extra[i].kind == kind && nth-- == 0)
            return &extra[i];
    return NULL;
}

static int64_t value_of(const rf_recording *rec, const struct rf_extra *extra, const char *name)
{
    int64_t value;
    for (unsigned i = 0; rf_extra_value_name(extra->kind, i) != NULL; i++)
        if (strcmp(rf_extra_value_name(extra->kind, i), name) == 0)
            return rf_extra_value(rec, extra, i, &value) == RF_VALUE_NONE ? -1 : value;
    fail_msg("no value is called %s", name);
    return -1;
}

static const struct rf_counter *find_counter(const rf_recording *rec, const char *name)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const char *found = rf_string(rec, rf_counter_at(rec, i)->name, NULL);
        if (found != NULL && strcmp(found, name) == 0)
            return rf_counter_at(rec, i);
    }
    return NULL;
}

static void check_sample(const struct rf_counter *counter, size_t i, int64_t ns, double value)
{
    assert_true(i < counter->n_samples);
    assert_int_equal(counter->ns[i], ns);
    assert_true(counter->value[i] == value);
}

/* An event has no time of its own: it is that of the call which recorded it. */
static void test_cuda_events(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        CALLS "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId, contextId, streamId,"
              " correlationId, globalPid, eventId, eventSyncId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, " P10 ", 44, 5),"
              " (0, 1, 7, 99, " P10 ", 45, NULL);"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, globalPid,"
              " correlationId, syncType, eventId, eventSyncId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (205, 300, " P10
              ", 2, 1, 44, 5), (400, 410, " P10 ", 0, 4, NULL, NULL);"));
    check_promises(rec);
    const struct rf_extra *event = find_kind(rec, RF_EXTRA_CUDA_EVENT, 1);
    assert_int_equal(event->start_ns, 200);
    assert_int_equal(event->thread, 0);
    assert_int_equal(event->stream, 7);
    assert_int_equal(value_of(rec, event, "eventId"), 44);
    assert_int_equal(value_of(rec, event, "eventSyncId"), 5);
    event = find_kind(rec, RF_EXTRA_CUDA_EVENT, 0); /* nobody knows the call */
    assert_int_equal(event->start_ns, RF_NO_TIME);
    assert_int_equal(event->thread, RF_NO_INDEX);
    assert_int_equal(value_of(rec, event, "eventSyncId"), -1);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    assert_int_equal(rf_wait_at(rec, op[0].detail)->event, 44);
    assert_int_equal(rf_wait_at(rec, op[0].detail)->event_sync, 5);
    assert_null(rf_wait_at(rec, op[1].detail));
    rf_close(rec);
}

/* Releases take back what their address had; one that was never seen changes nothing. */
static void test_memory(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        CALLS "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address,"
              " bytes, memKind, memoryOperationType, correlationId);"
              "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
              " (105, " P10 ", 0, 4096, 512, 2, 0, 1), (90, " P10 ", 0, 7, 512, 2, 1, NULL),"
              " (120, " P10 ", 0, 8192, 1000, 2, 0, 0), (120, " P10 ", 1, 1, 3, 1, 0, 0),"
              " (150, " P10 ", 0, 4096, 0, 2, 1, 0), (160, " P10 ", 0, 4096, 0, 2, 1, 0),"
              " (170, " P10 ", 0, 8192, 30, 2, 0, 0), (NULL, " P10 ", 0, 1, 1, 2, 0, 0)"));
    check_promises(rec);
    assert_int_equal(find_kind(rec, RF_EXTRA_MEMORY, 1)->thread, 0);
    assert_int_equal(value_of(rec, find_kind(rec, RF_EXTRA_MEMORY, 1), "bytes"), 512);
    assert_int_equal(count_skipped(rec, "no start"), 1);
    assert_int_equal(rf_n_counters(rec), 2);
    const struct rf_counter *counter = find_counter(rec, "Device memory in use [bytes]");
    assert_int_equal(counter->is_derived, 1);
    assert_int_equal(counter->process, 0);
    assert_int_equal(counter->n_samples, 5);
    check_sample(counter, 0, 105, 0); /* what it was up to then */
    check_sample(counter, 1, 120, 512);
    check_sample(counter, 2, 150, 1512);
    check_sample(counter, 3, 170, 1000);
    check_sample(counter, 4, 210, 30);
    counter = find_counter(rec, "Pinned memory in use [bytes]");
    assert_int_equal(counter->device, 1);
    check_sample(counter, 1, 210, 3);
    rf_close(rec);
}

#define METRICS                                                                                    \
    "CREATE TABLE NVTX_EVENTS(start, end, eventType);"                                             \
    "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId, sourceId, typeName, metricId, metricName);"      \
    "CREATE TABLE GPU_METRICS(rawTimestamp, timestamp, typeId, metricId, value);"

/* Rows stand by time in the file, and by counter in the model; the low byte says which GPU. */
static void test_metrics(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        METRICS "INSERT INTO TARGET_INFO_GPU_METRICS VALUES"
                " (0x1000000002f01, 9, 'General', 11, 'SMs Active'),"
                " (0x1000000002f00, 9, 'General', 11, 'SMs Active'),"
                " (0x1000000002f00, 9, 'General', 8, 'GR Active'),"
                " (0x1000000002f00, 9, 'General', 8, 'again'), (NULL, 9, 'General', 8, 'x');"
                "INSERT INTO GPU_METRICS VALUES (1, 20, 0x1000000002f00, 8, 3),"
                " (1, 20, 0x1000000002f01, 11, 4), (1, 10, 0x1000000002f00, 8, 99),"
                " (1, 10, 0x1000000002f00, 11, 50), (1, NULL, 0x1000000002f00, 8, 1),"
                " (1, 30, 0x1000000002f00, 8, NULL), (1, 30, 0x1000000002f00, 8, 'text'),"
                " (1, 40, 5, 6, 2.5)"));
    check_promises(rec);
    assert_int_equal(rf_n_counters(rec), 4);
    const struct rf_counter *counter = rf_counter_at(rec, 0);
    assert_string_equal(rf_string(rec, counter->name, NULL), "GR Active");
    assert_string_equal(rf_string(rec, counter->set, NULL), "General");
    assert_int_equal(counter->device, 0);
    assert_int_equal(counter->process, RF_NO_INDEX);
    assert_int_equal(counter->n_samples, 2);
    check_sample(counter, 0, 10, 99);
    check_sample(counter, 1, 20, 3);
    assert_string_equal(rf_string(rec, rf_counter_at(rec, 1)->name, NULL), "SMs Active");
    assert_int_equal(rf_counter_at(rec, 2)->device, 1);
    assert_string_equal(rf_string(rec, rf_counter_at(rec, 3)->name, NULL), "metric 6");
    check_sample(rf_counter_at(rec, 3), 0, 40, 2.5);
    assert_int_equal(count_skipped(rec, "second time"), 1);
    assert_int_equal(count_skipped(rec, "no typeId"), 1);
    assert_int_equal(count_skipped(rec, "no timestamp"), 1);
    assert_int_equal(count_skipped(rec, "no value"), 2);
    assert_int_equal(count_skipped(rec, "no name"), 1);
    rf_close(rec);
}

/* The column is an integer whatever the field is. */
static void test_metric_fields(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        METRICS "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 0, 's', 1, 'unsigned'),"
                " (1, 0, 's', 2, 'float'), (1, 0, 's', 3, 'double'), (1, 0, 's', 4, 'odd');"
                "CREATE TABLE GENERIC_EVENT_TYPE_FIELDS(typeId, fieldIdx, size, type);"
                "INSERT INTO GENERIC_EVENT_TYPE_FIELDS VALUES (1, 1, 4, 1), (1, 2, 4, 2),"
                " (1, 3, 8, 3), (1, 4, 99, 77), (1, 5, 4, 1), (NULL, NULL, NULL, NULL);"
                "INSERT INTO GPU_METRICS VALUES (0, 1, 1, 1, -1), (0, 1, 1, 2, 0x3fc00000),"
                " (0, 1, 1, 3, 0x4004000000000000), (0, 1, 1, 4, -3),"
                " (0, 2, 1, 3, 0x7ff8000000000000)"));
    check_promises(rec);
    check_sample(find_counter(rec, "unsigned"), 0, 1, 4294967295.0);
    check_sample(find_counter(rec, "float"), 0, 1, 1.5);
    check_sample(find_counter(rec, "double"), 0, 1, 2.5);
    check_sample(find_counter(rec, "odd"), 0, 1, -3);
    assert_int_equal(find_counter(rec, "double")->n_samples, 1);
    assert_int_equal(count_skipped(rec, "no number"), 1);
    rf_close(rec);
}

/* Before there was a table for them, metrics stood as JSON beside other events. */
static void test_generic_metrics(void **state)
{
    (void)state;
    static const char sql[] =
        "CREATE TABLE NVTX_EVENTS(start, end, eventType);"
        "CREATE TABLE GENERIC_EVENT_SOURCES(sourceId, data);"
        "INSERT INTO GENERIC_EVENT_SOURCES VALUES (5, '{\"Name\":\"GpuMetrics\"}'), (6, '{}'),"
        " (NULL, NULL);"
        "CREATE TABLE GENERIC_EVENT_TYPES(typeId, sourceId, data);"
        "INSERT INTO GENERIC_EVENT_TYPES VALUES (0x101, 5, NULL), (0x200, 6, NULL), (NULL, 5, 1);"
        "CREATE TABLE GENERIC_EVENTS(rawTimestamp, typeId, data);"
        "INSERT INTO GENERIC_EVENTS VALUES"
        " (20, 0x101, '{\"SM Active\":\"35\", \"GR Active\" : 1.5, \"odd\": \"x\"}'),"
        " (10, 0x101, '{\"SM Active\":\"34\"}'), (30, 0x200, '{\"SM Active\":1}'),"
        " (NULL, 0x101, '{}'), (40, 0x101, '{}'), (50, 0x101, '{\"SM Active\"'),"
        " (60, 0x101, '{\"a\":{\"b\":1}}'), (70, 0x101, '{\"GR Active\":7,'), (80, 0x101, NULL),"
        " (90, 0x101, '{\"x\\'), (95, 0x101, '{\"x\":}'), (99, 0x101, '')";
    rf_recording *rec = open_file(made_file(sql));
    check_promises(rec);
    assert_int_equal(rf_n_counters(rec), 2);
    const struct rf_counter *counter = find_counter(rec, "SM Active");
    assert_int_equal(counter->device, 1);
    assert_int_equal(counter->n_samples, 2);
    check_sample(counter, 0, 10, 34);
    check_sample(counter, 1, 20, 35);
    check_sample(find_counter(rec, "GR Active"), 0, 20, 1.5);
    check_sample(find_counter(rec, "GR Active"), 1, 70, 7);
    assert_int_equal(count_skipped(rec, "no GPU metric"), 1);
    assert_int_equal(count_skipped(rec, "cannot be read"), 7);
    assert_int_equal(count_skipped(rec, "no timestamp"), 1);
    rf_close(rec);
}

/* The table of graphs once was that of their nodes. */
static void test_graphs(void **state)
{
    (void)state;
    rf_recording *rec = open_file(
        made_file(CALLS "CREATE TABLE CUDA_GRAPH_EVENTS(start, end, globalTid, nameId,"
                        " graphNodeId, originalGraphNodeId);"
                        "INSERT INTO CUDA_GRAPH_EVENTS VALUES (5, 6, " T10 ", 1, 77, NULL)"));
    check_promises(rec);
    assert_null(find_kind(rec, RF_EXTRA_GRAPH, 0));
    assert_int_equal(value_of(rec, find_kind(rec, RF_EXTRA_GRAPH_NODE, 0), "graphNodeId"), 77);
    rf_close(rec);
    rec = open_file(made_file(
        CALLS "CREATE TABLE CUDA_GRAPH_EVENTS(start, end, globalTid, nameId, graphId, graphExecId);"
              "INSERT INTO CUDA_GRAPH_EVENTS VALUES (5, 6, " T10 ", 1, 3, NULL);"
              "CREATE TABLE CUDA_GRAPH_NODE_EVENTS(start, end, globalTid, nameId, graphNodeId);"
              "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (7, 6, " T10 ", 1, 78)"));
    check_promises(rec);
    assert_int_equal(value_of(rec, find_kind(rec, RF_EXTRA_GRAPH, 0), "graphId"), 3);
    assert_int_equal(value_of(rec, find_kind(rec, RF_EXTRA_GRAPH, 0), "graphExecId"), -1);
    assert_int_equal(find_kind(rec, RF_EXTRA_GRAPH_NODE, 0)->end_ns, 7);
    assert_int_equal(count_skipped(rec, "ends before"), 1);
    rf_close(rec);
}

/* Every value of a wrong type, and names that resolve to nothing. */
/* The rank that nsys saw MPI give to a process, where it is one. */
static void test_mpi_ranks(void **state)
{
    (void)state;
    rf_recording *rec = open_file(
        made_file(CALLS "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
                        " (300, 310, 0x100000b00000b, 3, 1), (400, 410, 0x100000c00000c, 4, 1);"
                        "CREATE TABLE MPI_RANKS(globalTid, rank);"
                        "INSERT INTO MPI_RANKS VALUES (" T10 ", 3), (" T10 ", 4),"
                        " (0x100000b00000b, -1);"));
    assert_int_equal(rf_n_processes(rec), 3);
    assert_int_equal(rf_process_at(rec, 0)->rank, 3);
    assert_int_equal(rf_process_at(rec, 0)->world_size, -1);
    assert_int_equal(rf_process_at(rec, 1)->rank, -1);
    assert_int_equal(rf_process_at(rec, 2)->rank, -1);
    assert_int_equal(rf_get_info(rec)->rank, 3);
    rf_close(rec);
}

static void test_odd_rows(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        CALLS "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD(start, end, globalTid, nameId,"
              " overheadType);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (1, 2, " T10 ", 3, 8),"
              " (3, NULL, NULL, 42, 'x'), ('x', 'x', 'x', 'x', 'x');"
              "CREATE TABLE DIAGNOSTIC_EVENT(timestamp, severity, text, globalPid);"
              "INSERT INTO DIAGNOSTIC_EVENT VALUES (-5, 2, x'ff00', NULL), (6, NULL, NULL, -1);"
              "CREATE TABLE NVTX_PAYLOAD_SCHEMAS(domainId, schemaId, name);"
              "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 16777218, 'schema'), (NULL, NULL, 7);"
              "CREATE VIEW PROFILER_OVERHEAD AS SELECT 1 AS start;"));
    check_promises(rec);
    const struct rf_extra *overhead = find_kind(rec, RF_EXTRA_OVERHEAD, 0);
    assert_string_equal(rf_string(rec, overhead->name, NULL), "Command Buffer Full");
    assert_int_equal(value_of(rec, overhead, "overheadType"), 8);
    assert_string_equal(rf_string(rec, find_kind(rec, RF_EXTRA_OVERHEAD, 1)->name, NULL), "0x2a");
    assert_int_equal(find_kind(rec, RF_EXTRA_OVERHEAD, 1)->process, RF_NO_INDEX);
    assert_null(find_kind(rec, RF_EXTRA_OVERHEAD, 2));
    assert_int_equal(find_kind(rec, RF_EXTRA_DIAGNOSTIC, 0)->start_ns, -5);
    assert_int_equal(find_kind(rec, RF_EXTRA_PAYLOAD_SCHEMA, 0)->start_ns, RF_NO_TIME);
    assert_null(find_kind(rec, RF_EXTRA_PROFILER, 0));
    rf_close(rec);
}

static rf_recording *filtered(const rf_recording *rec, const struct rf_filter_options *options)
{
    rf_recording *part;
    struct rf_err err;
    if (rf_filter(rec, options, &part, &err) != RF_OK)
        fail_msg("%s", err.text);
    check_promises(part);
    return part;
}

static void test_filters(void **state)
{
    (void)state;
    size_t n;
    rf_recording *rec = open_file(made_file(
        METRICS "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 0, 's', 1, 'a'), (1, 0, 's', 1,"
                " 'b'); INSERT INTO GPU_METRICS VALUES (0, 10, 0, 1, 1), (0, 20, 0, 1, 2),"
                " (0, 10, 1, 1, 3), (0, 30, 1, 1, 4);"
                "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address,"
                " bytes, memKind, memoryOperationType);"
                "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (10, " P10 ", 0, 1, 2, 2, 0),"
                " (20, " P10 ", 1, 2, 2, 2, 0)"));
    rf_recording *part =
        filtered(rec, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                  .time = "15ns/25ns"});
    assert_int_equal(rf_get_info(part)->n_samples, 3);
    (void)rf_extras(part, &n);
    assert_int_equal(n, 1);
    rf_close(part);
    part = filtered(
        rec, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .gpus = "1"});
    assert_int_equal(rf_n_counters(part), 2);
    assert_non_null(find_counter(part, "b"));
    assert_int_equal(find_counter(part, "b")->n_samples, 2);
    (void)rf_extras(part, &n);
    assert_int_equal(n, 1);
    rf_close(part);
    part = filtered(rec, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                     .activities = "gpu-metrics"});
    assert_int_equal(rf_n_counters(part), 2);
    assert_null(rf_extras(part, NULL));
    rf_close(part);
    part = filtered(rec, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                     .activities = "memory"});
    assert_int_equal(rf_n_counters(part), 2);
    assert_int_equal(rf_counter_at(part, 0)->is_derived, 1);
    rf_close(part);
    part = filtered(rec, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options),
                                                     .activities = "nvtx"});
    assert_int_equal(rf_n_counters(part), 0);
    rf_close(part);
    rf_close(rec);
}

/* Counters without their samples, which are counted all the same. */
static void test_no_samples(void **state)
{
    (void)state;
    rf_recording *rec;
    struct rf_err err;
    const char *file =
        made_file(METRICS "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 0, 's', 1, 'a');"
                          "INSERT INTO GPU_METRICS VALUES (0, 10, 0, 1, 1), (0, 20, 0, 1, 2)");
    if (rf_open(file, RF_OPEN_NO_SAMPLES, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rf_n_counters(rec), 1);
    assert_int_equal(rf_counter_at(rec, 0)->n_samples, 0);
    assert_null(rf_counter_at(rec, 0)->ns);
    assert_int_equal(rf_get_info(rec)->n_samples, 2);
    check_promises(rec);
    rf_close(rec);
}

static uint32_t device_at(const rf_recording *rec, int64_t start_ns)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (op[i].start_ns == start_ns)
            return rf_gpu_track_at(rec, op[i].track)->device;
    return RF_NO_INDEX;
}

/* Waits are on the device of their context, whatever their rows say; a context whose device is not
 * known, or of which two are, leaves them where they are. */
static void test_devices_of_contexts(void **state)
{
    (void)state;
    rf_recording *rec = open_file(made_file(
        CALLS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,"
              " globalPid);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 1, 7, " P10 "),"
              " (3, 4, 1, 2, 7, " P10 "), (5, 6, 0, 5, 7, " P10 "), (7, 8, 1, 5, 7, " P10 "),"
              " (8, 9, 1, NULL, 7, " P10 ");"
              "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO(hwId, vmId, processId, deviceId,"
              " contextId, nullStreamId);"
              "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (0, 1, 10, 3, 9, 7),"
              " (0, 1, 11, 2, 7, 7);"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId,"
              " streamId, globalPid);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (10, 20, 0, 1, 7, " P10 "),"
              " (20, 30, 0, 2, 7, " P10 "), (30, 40, 0, 5, 7, " P10 "), (40, 50, 0, 9, 7, " P10 "),"
              " (50, 60, 0, 7, 7, " P10 "), (60, 70, 0, NULL, 7, " P10 "),"
              " (70, 80, 2, 2, 7, " P10 ");"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId, contextId, streamId,"
              " correlationId, globalPid, eventId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 2, 7, 2, " P10 ", 44)"));
    static const uint32_t expected[] = {0, 1, 0, 3, 0, 0, 2};
    check_promises(rec);
    for (int i = 0; i < 7; i++)
        assert_int_equal(device_at(rec, 10 + 10 * i), expected[i]);
    assert_int_equal(find_kind(rec, RF_EXTRA_CUDA_EVENT, 0)->device, 1);
    rf_recording *part = filtered(
        rec, &(struct rf_filter_options){.size = sizeof(struct rf_filter_options), .gpus = "1"});
    assert_int_equal(device_at(part, 20), 1);
    assert_int_equal(device_at(part, 10), RF_NO_INDEX);
    assert_int_equal(device_at(part, 70), RF_NO_INDEX);
    rf_close(part);
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuda_events),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_metric_fields),
        cmocka_unit_test(test_generic_metrics),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_mpi_ranks),
        cmocka_unit_test(test_odd_rows),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_no_samples),
        cmocka_unit_test(test_devices_of_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
