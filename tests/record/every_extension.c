/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the extensions, with every structure of the semantics: built with these headers
 * and with NVIDIA's, its recordings are the same. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtMemCudaRt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtPayloadHelper.h>
#include <nvtx3/nvToolsExtSemanticsCorrelation.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof(array)[0])

enum direction { READ = 1, WRITE = 2, SYNC = 4 };

struct request {
    uint64_t bytes;
    int32_t direction;
    float share[2];
    const char *path;
};

NVTX_DEFINE_STRUCT_WITH_SCHEMA(point, "point", static,
                               NVTX_PAYLOAD_ENTRIES((int32_t, x, TYPE_INT32, "x"),
                                                    (double, y, TYPE_DOUBLE, "y", "upwards")))

static nvtxDomainHandle_t domain;
static uint64_t request_id, array_id, union_id, point_id, scope_id, clock_id;

/* ---- Schemas ---- */

static nvtxSemanticsHeader_t header_of(size_t size, int id, int version,
                                       const nvtxSemanticsHeader_t *next)
{
    const nvtxSemanticsHeader_t header = {(uint32_t)size, (uint16_t)id, (uint16_t)version, next};
    return header;
}

static uint64_t register_enum(void)
{
    static const nvtxPayloadEnum_t values[] = {
        {"read", READ, 1}, {"write", WRITE, 1}, {"sync", SYNC, 1}};
    nvtxPayloadEnumAttr_t names;
    memset(&names, 0, sizeof names);
    names.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                      NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
    names.name = "direction";
    names.entries = values;
    names.numEntries = N(values);
    names.sizeOfEnum = 4;
    return nvtxPayloadEnumRegister(domain, &names);
}

static uint64_t register_schema(const char *name, uint64_t type, uint64_t flags, size_t size,
                                const nvtxPayloadSchemaEntry_t *entries, size_t n)
{
    nvtxPayloadSchemaAttr_t schema;
    memset(&schema, 0, sizeof schema);
    schema.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.name = name;
    schema.type = type;
    schema.flags = flags;
    schema.payloadStaticSize = size;
    schema.entries = entries;
    schema.numEntries = n;
    return nvtxPayloadSchemaRegister(domain, &schema);
}

/* Of a scope and of a correlation domain. */
static const nvtxSemanticsHeader_t *semantics_of_entries(void)
{
    static nvtxSemanticsScope_t scope;
    static nvtxSemanticsCorrelation_t correlation;
    scope.header =
        header_of(sizeof scope, NVTX_SEMANTIC_ID_SCOPE_V1, NVTX_SCOPE_SEMANTIC_VERSION, NULL);
    scope.scopeId = NVTX_SCOPE_CURRENT_SW_THREAD;
    correlation.header = header_of(sizeof correlation, NVTX_SEMANTIC_ID_CORRELATION_V1,
                                   NVTX_CORRELATION_SEMANTIC_VERSION, &scope.header);
    correlation.correlationDomainUuid[15] = 0xab;
    correlation.displayName = "requests";
    correlation.role = NVTX_CORRELATION_ROLE_NONE;
    return &correlation.header;
}

static void register_request(void)
{
    nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", "how many", 0, 0, NULL, NULL},
        {0, 0, "direction", NULL, 0, offsetof(struct request, direction), NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "share", NULL, 2,
         offsetof(struct request, share), NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "path", NULL, 0,
         offsetof(struct request, path), NULL, NULL},
    };
    entries[0].semantics = semantics_of_entries();
    entries[1].type = register_enum();
    request_id =
        register_schema("request", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                        NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY, sizeof(struct request), entries, 4);
}

static void register_schemas(void)
{
    static const nvtxPayloadSchemaEntry_t array[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "n", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "values", NULL,
         0, 0, NULL, NULL}};
    static const nvtxPayloadSchemaEntry_t either[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR, "which", NULL, 4, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "number", NULL, 0, 4, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "text", NULL, 4, 4,
         NULL, NULL}};
    register_request();
    array_id = register_schema("array", NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, 0, 0, array, 2);
    union_id = register_schema("either", NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR, 0,
                               8, either, 3);
    point_id = NVTX_PAYLOAD_SCHEMA_REGISTER(domain, point);
}

/* ---- Events ---- */

static void make_events(void)
{
    static const struct request made = {1000, READ | SYNC, {0.5F, 0.25F}, "/tmp/file"};
    static const struct {
        uint32_t n;
        int16_t values[3];
    } array = {3, {1, -2, 3}};
    static const int32_t either[] = {2, 0x64636261};
    static const point at = {-1, 2.5};
    const nvtxPayloadData_t data[] = {
        {request_id, sizeof made, &made},
        {array_id, sizeof array, &array},
        {union_id, sizeof either, either},
        {point_id, sizeof at, &at},
        {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, 3, "\1\2\3"},
        {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, SIZE_MAX, "to the zero"},
    };
    nvtxEventAttributes_t event;
    nvtxMarkPayload(domain, data, N(data));
    printf("%d ", nvtxRangePushPayload(domain, data, 1));
    printf("%d ", nvtxRangePopPayload(domain, data + 1, 2));
    nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, data + 3, 1), data + 4, 2);
    memset(&event, 0, sizeof event);
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = "with attributes";
    nvtxPayloadRangePush(domain, &event, request_id, &made, sizeof made);
    nvtxPayloadMark(domain, &event, point_id, &at, sizeof at);
    nvtxDomainRangePop(domain);
    printf("%d\n", nvtxDomainIsEnabled(domain));
}

/* ---- Scopes and clocks ---- */

static int64_t read_clock(void)
{
    return 7;
}

static int64_t read_clock_of(void *data)
{
    return *(const int64_t *)data;
}

static void register_clocks(void)
{
    static int64_t now = 78;
    static const nvtxSyncPoint_t points[] = {{1, 2}, {3, 4}};
    nvtxScopeAttr_t scope;
    nvtxTimeDomainAttr_t clock;
    memset(&scope, 0, sizeof scope);
    scope.structSize = sizeof scope;
    scope.path = "disk[0]";
    scope.parentScope = NVTX_SCOPE_CURRENT_HW_MACHINE;
    scope_id = nvtxScopeRegister(domain, &scope);
    memset(&clock, 0, sizeof clock);
    clock.scopeId = scope_id;
    clock.timestampTypeId = NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC;
    clock.timerFlags = NVTX_TIMER_FLAG_CLOCK_STEADY;
    clock.timerResolution = 1000000000;
    clock.timerStart = NVTX_TIMER_START_SYSTEM_BOOT;
    clock_id = nvtxTimeDomainRegister(domain, &clock);
    nvtxTimerSource(domain, clock_id, NVTX_TIMER_SOURCE_SAFE_CALL_AFTER_PROCESS_TEARDOWN,
                    read_clock);
    nvtxTimerSourceWithData(domain, clock_id, NVTX_TIMER_SOURCE_UNSAFE_CALL_AFTER_PROCESS_TEARDOWN,
                            read_clock_of, &now);
    nvtxTimeSyncPoint(domain, clock_id, NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED, 1, nvtxTimestampGet());
    nvtxTimeSyncPointTable(domain, clock_id, NVTX_TIMESTAMP_TYPE_CPU_TSC, points, 2);
    nvtxTimestampConversionFactor(domain, clock_id, NVTX_TIMESTAMP_TYPE_CPU_TSC, 0.5, 3, -4);
}

/* ---- Counters ---- */

static uint64_t register_counter(const char *name, uint64_t schema, uint64_t scope,
                                 const nvtxSemanticsHeader_t *semantics)
{
    nvtxCounterAttr_t counter;
    memset(&counter, 0, sizeof counter);
    counter.structSize = sizeof counter;
    counter.schemaId = schema;
    counter.name = name;
    counter.description = "what is counted";
    counter.scopeId = scope;
    counter.semantics = semantics;
    return nvtxCounterRegister(domain, &counter);
}

static void submit(uint64_t id)
{
    static const int64_t values[] = {5, 6, 7};
    const int64_t times[] = {nvtxTimestampGet(), nvtxTimestampGet(), nvtxTimestampGet()};
    nvtxCounterBatch_t batch;
    memset(&batch, 0, sizeof batch);
    batch.counterId = id;
    batch.counters = values;
    batch.countersSize = sizeof values;
    batch.flags = NVTX_BATCH_FLAG_TIME_SORTED;
    batch.timestamps = times;
    batch.timestampsSize = sizeof times;
    nvtxCounterBatchSubmit(domain, &batch);
}

static void make_samples(void)
{
    static const point at = {5, 6.5};
    nvtxSemanticsTime_t time;
    nvtxSemanticsCounter_t meaning;
    time.header =
        header_of(sizeof time, NVTX_SEMANTIC_ID_TIME_V1, NVTX_TIME_SEMANTIC_VERSION, NULL);
    time.timeDomainId = NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED;
    memset(&meaning, 0, sizeof meaning);
    meaning.header = header_of(sizeof meaning, NVTX_SEMANTIC_ID_COUNTERS_V1,
                               NVTX_COUNTER_SEMANTIC_VERSION, &time.header);
    meaning.flags = NVTX_COUNTER_FLAG_VALUETYPE_DELTA | NVTX_COUNTER_FLAG_INTERPOLATION_LINEAR |
                    NVTX_COUNTER_FLAG_LIMITS;
    meaning.unit = "bytes";
    meaning.unitScaleNumerator = 1024;
    meaning.unitScaleDenominator = 3;
    meaning.limitType = NVTX_COUNTER_LIMIT_I64;
    meaning.min.i64 = -5;
    meaning.max.i64 = INT64_MAX;
    const uint64_t number =
        register_counter("number", NVTX_PAYLOAD_ENTRY_TYPE_INT64, scope_id, &meaning.header);
    const uint64_t real = register_counter("real", NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, 0, &time.header);
    const uint64_t group = register_counter("group", point_id, NVTX_SCOPE_CURRENT_SW_THREAD, NULL);
    nvtxCounterSampleInt64(domain, number, INT64_MIN);
    nvtxCounterSampleFloat64(domain, real, -0.1);
    nvtxCounterSample(domain, group, &at, sizeof at);
    for (uint8_t reason = 0; reason < 3; reason++)
        nvtxCounterSampleNoValue(domain, number, reason);
    submit(number);
}

/* ---- Events of another time ---- */

static void submit_events(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         NVTX_PAYLOAD_ENTRY_TYPE_INT64, "begin", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         NVTX_PAYLOAD_ENTRY_TYPE_INT64, "end", NULL, 0, 8, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE | NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE,
         NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "name", NULL, 8, 16, NULL, NULL}};
    struct {
        int64_t begin, end;
        char name[8];
    } events[2] = {{nvtxTimestampGet(), nvtxTimestampGet(), "first"},
                   {nvtxTimestampGet(), nvtxTimestampGet(), "second"}};
    const uint64_t id =
        register_schema("later", NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                        NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP, sizeof events[0], entries, 3);
    const nvtxPayloadData_t data = {id, sizeof events[0], events};
    nvtxEventBatch_t batch;
    memset(&batch, 0, sizeof batch);
    batch.eventSchemaId = id;
    batch.size = sizeof events;
    batch.events = events;
    batch.scope = scope_id;
    batch.flags = NVTX_BATCH_FLAG_TIME_SORTED_PARTIALLY;
    nvtxEventSubmit(domain, &data, 1);
    nvtxEventBatchSubmit(domain, &batch);
}

/* ---- Memory, which need not exist: it is not looked at ---- */

static const void *memory_at(uintptr_t address)
{
    return (const void *)address;
}

static nvtxMemHeapHandle_t register_heap(void)
{
    const nvtxMemVirtualRangeDesc_t range = {65536, memory_at(0x100000)};
    nvtxMemHeapDesc_t heap;
    memset(&heap, 0, sizeof heap);
    heap.extCompatID = NVTX_EXT_COMPATID_MEM;
    heap.structSize = sizeof heap;
    heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof range;
    heap.typeSpecificDesc = &range;
    heap.category = 7;
    heap.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    heap.message.unicode = L"pool";
    return nvtxMemHeapRegister(domain, &heap);
}

static void register_regions(nvtxMemHeapHandle_t heap, const nvtxMemVirtualRangeDesc_t *ranges,
                             size_t n, nvtxMemRegionHandle_t *handles)
{
    nvtxMemRegionsRegisterBatch_t batch;
    memset(&batch, 0, sizeof batch);
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.heap = heap;
    batch.regionCount = n;
    batch.regionDescElementSize = sizeof *ranges;
    batch.regionDescElements = ranges;
    batch.regionHandleElementsOut = handles;
    nvtxMemRegionsRegister(domain, &batch);
}

static void name_regions(nvtxMemRegionHandle_t handle, const void *pointer)
{
    nvtxMemRegionNameDesc_t names[2];
    nvtxMemRegionsNameBatch_t batch;
    memset(names, 0, sizeof names);
    names[0].regionRefType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
    names[0].nameType = NVTX_MESSAGE_TYPE_ASCII;
    names[0].region.handle = handle;
    names[0].name.ascii = "weights";
    names[0].category = 8;
    names[1].regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    names[1].nameType = NVTX_MESSAGE_TYPE_REGISTERED;
    names[1].region.pointer = pointer;
    names[1].name.registered = nvtxDomainRegisterStringA(domain, "activations");
    memset(&batch, 0, sizeof batch);
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionCount = 2;
    batch.regionElementSize = sizeof names[0];
    batch.regionElements = names;
    nvtxMemRegionsName(domain, &batch);
}

static void resize_region(const nvtxMemVirtualRangeDesc_t *range)
{
    nvtxMemRegionsResizeBatch_t batch;
    memset(&batch, 0, sizeof batch);
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.regionDescCount = 1;
    batch.regionDescElementSize = sizeof *range;
    batch.regionDescElements = range;
    nvtxMemRegionsResize(domain, &batch);
}

static void unregister_regions(uint32_t type, const nvtxMemRegionRef_t *refs, size_t n)
{
    nvtxMemRegionsUnregisterBatch_t batch;
    memset(&batch, 0, sizeof batch);
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.refType = type;
    batch.refCount = n;
    batch.refElementSize = sizeof *refs;
    batch.refElements = refs;
    nvtxMemRegionsUnregister(domain, &batch);
}

static void use_permissions(void)
{
    nvtxMemPermissionsAssignRegionDesc_t region;
    nvtxMemPermissionsAssignBatch_t regions;
    nvtxMemMarkInitializedBatch_t marked;
    const nvtxMemPermissionsHandle_t own =
        nvtxMemPermissionsCreate(domain, NVTX_MEM_PERMISSIONS_CREATE_FLAGS_NONE);
    memset(&region, 0, sizeof region);
    memset(&regions, 0, sizeof regions);
    memset(&marked, 0, sizeof marked);
    regions.extCompatID = NVTX_EXT_COMPATID_MEM;
    regions.structSize = sizeof regions;
    regions.permissions = own;
    regions.regionCount = 1;
    regions.regionElementSize = sizeof region;
    regions.regionElements = &region;
    nvtxMemPermissionsAssign(domain, &regions);
    nvtxMemPermissionsBind(domain, own, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD,
                           NVTX_MEM_PERMISSIONS_BIND_FLAGS_NONE);
    nvtxMemPermissionsUnbind(domain, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD);
    nvtxMemPermissionsReset(domain, own);
    nvtxMemPermissionsDestroy(domain, own);
    nvtxMemCudaSetPeerAccess(domain, nvtxMemCudaGetDeviceWidePermissions(domain, 0),
                             NVTX_MEM_CUDA_PEER_ALL_DEVICES,
                             NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
    nvtxMemCudaSetPeerAccess(domain, nvtxMemCudaGetProcessWidePermissions(domain), 1,
                             NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE);
    marked.extCompatID = NVTX_EXT_COMPATID_MEM;
    marked.structSize = sizeof marked;
    nvtxMemCudaMarkInitialized(domain, NULL, 0, &marked);
}

static void use_memory(void)
{
    const nvtxMemVirtualRangeDesc_t ranges[] = {
        {1000, memory_at(0x100000)}, {2000, memory_at(0x101000)}, {3000, memory_at(0x102000)}};
    const nvtxMemVirtualRangeDesc_t larger = {2500, memory_at(0x101000)};
    nvtxMemRegionHandle_t handles[3] = {NULL, NULL, NULL};
    nvtxMemRegionRef_t refs[2];
    const nvtxMemHeapHandle_t heap = register_heap();
    register_regions(heap, ranges, 3, handles);
    register_regions(NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE, ranges + 2, 1, NULL);
    name_regions(handles[0], ranges[1].ptr);
    resize_region(&larger);
    refs[0].handle = handles[0];
    unregister_regions(NVTX_MEM_REGION_REF_TYPE_HANDLE, refs, 1);
    refs[0].pointer = ranges[1].ptr;
    refs[1].pointer = ranges[1].ptr; /* it is gone by then */
    unregister_regions(NVTX_MEM_REGION_REF_TYPE_POINTER, refs, 2);
    use_permissions();
    nvtxMemHeapReset(domain, heap);
    register_regions(heap, ranges, 1, NULL);
    nvtxMemHeapUnregister(domain, heap);
}

int main(void)
{
    domain = nvtxDomainCreateA("extensions");
    register_schemas();
    make_events();
    register_clocks();
    make_samples();
    submit_events();
    use_memory();
    return 0;
}
