/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the extensions, as C99 and as C++, with the macros that write schemas. Two
 * runs: "heard" under the tool ext_tool.c, whose results are checked; "silent" without a tool or
 * disabled.
 */
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtPayloadHelper.h>
#include <nvtx3/nvToolsExtSemanticsCorrelation.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include "check.h"
#include <string.h>

#define NONE    NVTX_NULLPTR
#define DYNAMIC NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START

static int is_heard;

/* The result with the tool, and without. */
#define EXPECT(call, heard, silent) CHECK((call) == (is_heard ? (heard) : (silent)))

typedef struct sample {
    int32_t number;
    double value;
    char text[8];
    const char *more;
    uint16_t lengths[2];
} sample;

NVTX_DEFINE_SCHEMA_FOR_STRUCT(
    sample, "sample", static const, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY, 0x1000005,
    NVTX_PAYLOAD_ENTRIES((number, TYPE_INT32), (value, TYPE_DOUBLE, "value"),
                         (text, TYPE_CSTRING, "text", "of eight", 8),
                         (more, TYPE_CSTRING_UTF8, "more", NONE, 0, DEEP_COPY),
                         (lengths, TYPE_UINT16, "lengths", NONE, 2, ARRAY_FIXED_SIZE, NONE)))

NVTX_DEFINE_STRUCT_WITH_SCHEMA(
    packet, "packet", static, NVTX_PAYLOAD_SCHEMA_FLAG_NONE,
    NVTX_PAYLOAD_ENTRIES((uint8_t, kind, TYPE_UINT8), (int64_t, bytes, TYPE_INT64, "bytes"),
                         (float, share, TYPE_FLOAT, "share", "of all"),
                         (char, (name, 5), TYPE_CSTRING, "name", NONE, 5),
                         (uint32_t, (list, 3), TYPE_UINT32, "list", NONE, 3, ARRAY_FIXED_SIZE)))

NVTX_DEFINE_STRUCT(pair, (int, first), (float, second[2]))

#ifdef RF_NVTX_IMPLEMENTATION
/* As many entries as there may be; NVIDIA's macros take 15. */
NVTX_DEFINE_STRUCT_WITH_SCHEMA(
    sixteen, NVTX_PAYLOAD_ENTRIES((int, a, TYPE_INT), (int, b, TYPE_INT), (int, c, TYPE_INT),
                                  (int, d, TYPE_INT), (int, e, TYPE_INT), (int, f, TYPE_INT),
                                  (int, g, TYPE_INT), (int, h, TYPE_INT), (int, i, TYPE_INT),
                                  (int, j, TYPE_INT), (int, k, TYPE_INT), (int, l, TYPE_INT),
                                  (int, m, TYPE_INT), (int, n, TYPE_INT), (int, o, TYPE_INT),
                                  (char, last, TYPE_CHAR, "last")))

static void check_sixteen(void)
{
    CHECK(sixteenAttr.numEntries == 16 && sixteenAttr.payloadStaticSize == 64);
    CHECK(sixteenSchema[15].offset == 60 && !strcmp(sixteenSchema[15].name, "last"));
}
#else
static void check_sixteen(void)
{
}
#endif

static nvtxDomainHandle_t domain;

static void set_header(nvtxSemanticsHeader_t *header, size_t size, int id, int version,
                       const nvtxSemanticsHeader_t *next)
{
    header->structSize = NVTX_STATIC_CAST(uint32_t, size);
    header->semanticId = NVTX_STATIC_CAST(uint16_t, id);
    header->version = NVTX_STATIC_CAST(uint16_t, version);
    header->next = next;
}

/* Schemas by macros, in a function too. */
static void run_macros(void)
{
    nvtxDomainHandle_t d = domain;
    NVTX_DEFINE_STRUCT_WITH_SCHEMA_AND_REGISTER(d, inner, "inner", static,
                                                NVTX_PAYLOAD_ENTRIES((int, a, TYPE_INT)))
    NVTX_DEFINE_STRUCT_WITH_SCHEMA(plain, NVTX_PAYLOAD_ENTRIES((int, a, TYPE_INT, "a")))
    NVTX_DEFINE_STRUCT_WITH_SCHEMA(
        named, "named",
        NVTX_PAYLOAD_ENTRIES((inner, in, NVTX_PAYLOAD_NESTED(inner_schemaId), "in")))
    NVTX_DEFINE_SCHEMA_FOR_STRUCT_AND_REGISTER(d, pair, "pair", ,
                                               NVTX_PAYLOAD_SCHEMA_FLAG_REFERENCED,
                                               NVTX_PAYLOAD_ENTRIES((first, TYPE_INT)))

    EXPECT(inner_schemaId, DYNAMIC + 1, 0);
    EXPECT(pair_schemaId, DYNAMIC + 1, 0);
    EXPECT(NVTX_PAYLOAD_SCHEMA_REGISTER(d, sample), 0x1000005, 0);
    EXPECT(NVTX_PAYLOAD_SCHEMA_REGISTER(d, packet), DYNAMIC + 1, 0);
    EXPECT(NVTX_PAYLOAD_SCHEMA_REGISTER(d, plain), DYNAMIC + 1, 0);
    EXPECT(NVTX_PAYLOAD_SCHEMA_REGISTER(d, named), DYNAMIC + 1, 0);
    CHECK(sizeof(packet) == 40 && sizeof(pair) == 12 && sizeof(named) == sizeof(int));
    CHECK(packetAttr.numEntries == 5 && sampleAttr.numEntries == 5);
    CHECK(packetSchema[5].type == 0);
}

static void run_schemas(void)
{
    nvtxPayloadSchemaEntry_t entries[2];
    nvtxPayloadSchemaAttr_t schema;
    nvtxPayloadEnum_t values[2];
    nvtxPayloadEnumAttr_t names;
    nvtxSemanticsScope_t scope;
    nvtxSemanticsCorrelation_t correlation;

    memset(entries, 0, sizeof entries);
    memset(values, 0, sizeof values);
    memset(&schema, 0xee, sizeof schema); /* what the mask leaves out is not read */
    memset(&names, 0, sizeof names);
    memset(&correlation, 0, sizeof correlation);
    set_header(&scope.header, sizeof scope, NVTX_SEMANTIC_ID_SCOPE_V1, NVTX_SCOPE_SEMANTIC_VERSION,
               NONE);
    scope.scopeId = NVTX_SCOPE_CURRENT_SW_THREAD;
    set_header(&correlation.header, sizeof correlation, NVTX_SEMANTIC_ID_CORRELATION_V1,
               NVTX_CORRELATION_SEMANTIC_VERSION, &scope.header);
    correlation.correlationDomainUuid[15] = 0xab;
    correlation.displayName = "requests";
    correlation.role = NVTX_CORRELATION_ROLE_NONE;
    entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
    entries[0].semantics = &correlation.header;
    entries[1].flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16;
    entries[1].name = "data";
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC;
    schema.entries = entries;
    schema.numEntries = 2;
    EXPECT(nvtxPayloadSchemaRegister(domain, &schema), DYNAMIC + 1, 0);
    schema.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT;
    schema.packAlign = 2;
    EXPECT(nvtxPayloadSchemaRegister(NONE, &schema), DYNAMIC + 1, 0);

    values[0].name = "read";
    values[0].value = 1;
    values[0].isFlag = 1;
    values[1].name = "all";
    values[1].value = UINT64_MAX;
    names.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                      NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE |
                      NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME;
    names.name = "access";
    names.entries = values;
    names.numEntries = 2;
    names.sizeOfEnum = 4;
    EXPECT(nvtxPayloadEnumRegister(domain, &names), DYNAMIC + 2, 0);
}

static void run_events(void)
{
    const char bytes[] = "\1\2\3";
    nvtxPayloadData_t two[2];

    two[0].schemaId = NVTX_TYPE_PAYLOAD_SCHEMA_RAW;
    two[0].size = 3;
    two[0].payload = bytes;
    two[1].schemaId = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    two[1].size = SIZE_MAX;
    two[1].payload = "to the zero";
    nvtxMarkPayload(domain, two, 2);
    EXPECT(nvtxRangePushPayload(domain, two, 1), 21, NVTX_NO_PUSH_POP_TRACKING);
    EXPECT(nvtxRangePopPayload(domain, two + 1, 1), 22, NVTX_NO_PUSH_POP_TRACKING);
    EXPECT(nvtxRangeStartPayload(NONE, two, 2), 0x1234567800000023u, 0u);
    nvtxRangeEndPayload(domain, 0x1234567800000023u, two, 0);
    EXPECT(nvtxDomainIsEnabled(domain), 24, 0);
    nvtxEventSubmit(domain, two, 2);
}

static void run_attributes(void)
{
    const char bytes[] = "\4\5";
    nvtxEventAttributes_t event;
    nvtxPayloadData_t data[2];

    memset(&event, 0, sizeof event);
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    memset(data, 0, sizeof data);
    NVTX_PAYLOAD_EVTATTR_SET_DATA(event, data, 0x1000005, bytes, 2)
    CHECK(data[0].schemaId == 0x1000005 && data[0].size == 2 && data[0].payload == bytes);
    CHECK(event.payloadType == NVTX_PAYLOAD_TYPE_EXT && event.reserved0 == 1);
    CHECK(event.payload.ullValue == NVTX_POINTER_AS_PAYLOAD_ULLVALUE(data));
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE(event, data)
    CHECK(event.payloadType == NVTX_PAYLOAD_TYPE_EXT && event.reserved0 == 2);
    CHECK(event.payload.ullValue == NVTX_POINTER_AS_PAYLOAD_ULLVALUE(data));
#ifdef NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N /* not in NVIDIA's before NVTX 3.6 */
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(event, data + 1, 1)
    CHECK(event.payload.ullValue == NVTX_POINTER_AS_PAYLOAD_ULLVALUE(data + 1));
#endif
    {
        NVTX_PAYLOAD_EVTATTR_SET(&event, 0x1000005, bytes, 2)
        CHECK(event.payloadType == NVTX_PAYLOAD_TYPE_EXT && event.reserved0 == 1);
    }
    nvtxPayloadRangePush(domain, &event, 0x1000005, bytes, 2);
    nvtxPayloadMark(domain, &event, 0x1000006, bytes, 1);
}

static int64_t read_clock(void)
{
    return -77;
}

static int64_t read_clock_of(void *data)
{
    return *NVTX_STATIC_CAST(int64_t *, data);
}

static void run_times(void)
{
    nvtxSyncPoint_t points[2];
    nvtxTimeDomainAttr_t clock;
    nvtxScopeAttr_t scope;
    int64_t now = 78;

    memset(&clock, 0, sizeof clock);
    memset(&scope, 0, sizeof scope);
    EXPECT(nvtxTimestampGet(), INT64_MIN + 25, 0);
    clock.scopeId = NVTX_SCOPE_CURRENT_HW_MACHINE;
    clock.timestampTypeId = NVTX_TIMESTAMP_TYPE_CPU_TSC;
    clock.timerFlags = NVTX_TIMER_FLAG_CLOCK_STEADY;
    clock.timerResolution = -1;
    clock.timerStart = NVTX_TIMER_START_UNIX_EPOCH;
    EXPECT(nvtxTimeDomainRegister(domain, &clock), NVTX_TIME_DOMAIN_ID_DYNAMIC_START + 3, 0);
    nvtxTimerSource(domain, 5, NVTX_TIMER_SOURCE_UNSAFE_CALL_AFTER_PROCESS_TEARDOWN, read_clock);
    nvtxTimerSourceWithData(domain, 6, NVTX_TIMER_SOURCE_SAFE_CALL_AFTER_PROCESS_TEARDOWN,
                            read_clock_of, &now);
    scope.structSize = sizeof scope;
    scope.path = "GPU[CUDAID:0]";
    scope.parentScope = NVTX_SCOPE_ROOT;
    scope.scopeId = NVTX_SCOPE_ID_STATIC_START;
    EXPECT(nvtxScopeRegister(domain, &scope), NVTX_SCOPE_ID_DYNAMIC_START + 4, 0);
    nvtxTimeSyncPoint(domain, NVTX_TIMESTAMP_TYPE_CPU_TSC, 9, -1, INT64_MAX);
    points[0].src = 1;
    points[0].dst = 2;
    points[1].src = INT64_MIN;
    points[1].dst = 4;
    nvtxTimeSyncPointTable(domain, 8, 9, points, 2);
    nvtxTimestampConversionFactor(domain, 8, 9, 0.25, 100, -200);
}

static void run_batches(void)
{
    const char flex[] = "xxab";
    const uint16_t events[2] = {0x102, 0x304};
    const int64_t times[2] = {5, -6};
    nvtxEventBatch_t batch;
    nvtxCounterBatch_t samples;

    memset(&batch, 0, sizeof batch);
    batch.eventSchemaId = DYNAMIC + 1;
    batch.size = sizeof events;
    batch.events = events;
    batch.scope = NVTX_SCOPE_CURRENT_SW_PROCESS;
    batch.flags = NVTX_BATCH_FLAG_UNSORTED;
    batch.flexData = flex;
    batch.flexDataSize = 2;
    batch.flexDataOffset = 2;
    nvtxEventBatchSubmit(domain, &batch);
    memset(&samples, 0, sizeof samples);
    samples.counterId = NVTX_COUNTER_ID_DYNAMIC_START + 5;
    samples.counters = events;
    samples.countersSize = sizeof events;
    samples.flags =
        NVTX_COUNTER_BATCH_FLAG_ENDTIME_INTERVAL_PAIR | NVTX_BATCH_FLAG_TIME_SORTED_PARTIALLY;
    samples.timestamps = times;
    samples.timestampsSize = sizeof times;
    nvtxCounterBatchSubmit(domain, &samples);
}

static void run_counters(void)
{
    const char group[] = "\7\10\11";
    nvtxSemanticsTime_t time;
    nvtxSemanticsCounter_t bytes;
    nvtxCounterAttr_t counter;

    memset(&bytes, 0, sizeof bytes);
    memset(&counter, 0, sizeof counter);
    set_header(&time.header, sizeof time, NVTX_SEMANTIC_ID_TIME_V1, NVTX_TIME_SEMANTIC_VERSION,
               NONE);
    time.timeDomainId = NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED;
    set_header(&bytes.header, sizeof bytes, NVTX_SEMANTIC_ID_COUNTERS_V1,
               NVTX_COUNTER_SEMANTIC_VERSION, &time.header);
    bytes.flags = NVTX_COUNTER_FLAG_VALUETYPE_DELTA | NVTX_COUNTER_FLAG_INTERPOLATION_LINEAR |
                  NVTX_COUNTER_FLAG_LIMITS | NVTX_COUNTER_FLAG_NORMALIZE;
    bytes.unit = "bytes";
    bytes.unitScaleNumerator = 1024;
    bytes.unitScaleDenominator = 3;
    bytes.limitType = NVTX_COUNTER_LIMIT_F64;
    bytes.min.f64 = -1.5;
    bytes.max.f64 = 2.5;
    counter.structSize = sizeof counter;
    counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    counter.name = "memory";
    counter.description = "in use";
    counter.scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS;
    counter.semantics = &bytes.header;
    EXPECT(nvtxCounterRegister(domain, &counter), NVTX_COUNTER_ID_DYNAMIC_START + 5, 0);
    counter.counterId = NVTX_COUNTER_ID_STATIC_START + 1;
    EXPECT(nvtxCounterRegister(NONE, &counter), NVTX_COUNTER_ID_STATIC_START + 1u, 0u);
    nvtxCounterSampleInt64(domain, 1, INT64_MIN);
    nvtxCounterSampleFloat64(domain, 2, -0.1);
    nvtxCounterSample(domain, 3, group, 3);
    nvtxCounterSampleNoValue(domain, 4, NVTX_COUNTER_SAMPLE_UNAVAILABLE);
}

int main(int argc, char **argv)
{
    is_heard = argc > 1 && strcmp(argv[1], "heard") == 0;
    domain = NVTX_REINTERPRET_CAST(nvtxDomainHandle_t, is_heard ? NVTX_STATIC_CAST(uintptr_t, 0x77)
                                                                : NVTX_STATIC_CAST(uintptr_t, 0));
    check_sixteen();
    run_macros();
    run_schemas();
    run_events();
    run_attributes();
    run_times();
    run_batches();
    run_counters();
    return 0;
}
