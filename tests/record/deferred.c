/* SPDX-License-Identifier: Apache-2.0 */
/* Events that say when and where they were: deferred ones, batches of them, and calls with such
 * payloads. Their times are of CLOCK_MONOTONIC, so that they are known to the nanosecond. What the
 * recording must show stands in cases_deferred.py. */
#include "modes.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MONOTONIC   NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC
#define UNKNOWN     NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_PROCESS_CPUTIME_ID
#define BEGIN       (NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN)
#define END         (NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END)
#define MARK        (NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_MARK)
#define MESSAGE     NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE
#define HOUR        (3600 * 1000000000LL)
#define THREAD      NVTX_SCOPE_CURRENT_SW_THREAD
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

struct range {
    int64_t begin, end;
    uint64_t scope;
    char text[16];
};

struct point {
    int64_t at;
    uint64_t id;
    char text[16];
};

static nvtxDomainHandle_t domain;
static nvtxSemanticsTime_t monotonic = {
    {sizeof monotonic, NVTX_SEMANTIC_ID_TIME_V1, NVTX_TIME_SEMANTIC_VERSION, NULL}, MONOTONIC};
static int64_t start_ns;

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t register_schema(uint64_t type, uint64_t flags,
                                const nvtxPayloadSchemaEntry_t *entries, size_t n, size_t size)
{
    nvtxPayloadSchemaAttr_t a;
    memset(&a, 0, sizeof a);
    a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    a.type = type;
    a.flags = flags;
    a.entries = entries;
    a.numEntries = n;
    a.payloadStaticSize = size;
    return nvtxPayloadSchemaRegister(domain, &a);
}

static uint64_t ranges_of(uint64_t flags)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {BEGIN, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "begin", NULL, 0, 0, &monotonic.header, NULL},
        {END, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "end", NULL, 0, 0, &monotonic.header, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, "where", NULL, 0, 0, NULL, NULL},
        {MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 16, 0, NULL, NULL}};
    return register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, flags, entries, N_OF(entries),
                           sizeof(struct range));
}

static uint64_t points_of(uint64_t flags)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "at", NULL, 0, 0,
         &monotonic.header, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_RANGE_ID, "id", NULL, 0, 0, NULL, NULL},
        {MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 16, 0, NULL, NULL}};
    return register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, flags, entries, N_OF(entries),
                           sizeof(struct point));
}

static void submit_point(uint64_t flags, int64_t at, uint64_t id, const char *text)
{
    struct point point = {.at = at, .id = id};
    (void)strncpy(point.text, text, sizeof point.text - 1);
    const nvtxPayloadData_t data = {points_of(flags), sizeof point, &point};
    nvtxEventSubmit(domain, &data, 1);
}

static void prepare(void)
{
    start_ns = now_ns();
    domain = nvtxDomainCreateA("engine");
}

static uint64_t register_counter(void)
{
    const nvtxCounterAttr_t attributes = {.structSize = sizeof attributes,
                                          .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                          .name = "queue",
                                          .semantics = &monotonic.header};
    return nvtxCounterRegister(domain, &attributes);
}

/* A sample at each of two times. */
static void submit_samples(uint64_t counter, int64_t first, int64_t second)
{
    const int64_t values[] = {1, 2}, times[] = {first, second};
    const nvtxCounterBatch_t batch = {counter, values, sizeof values, 0, times, sizeof times};
    nvtxCounterBatchSubmit(domain, &batch);
}

static void submit_range(uint64_t schema, int64_t begin, int64_t end, const char *text)
{
    struct range range = {.begin = begin, .end = end, .scope = NVTX_SCOPE_CURRENT_SW_PROCESS};
    (void)strncpy(range.text, text, sizeof range.text - 1);
    const nvtxPayloadData_t data = {schema, sizeof range, &range};
    nvtxEventSubmit(domain, &data, 1);
}

/* A batch of ranges, which another one of the calls crosses. */
static void submit_ranges(void)
{
    const nvtxScopeAttr_t attributes = {sizeof attributes, "gpu/engine", NVTX_SCOPE_ROOT, 0};
    const uint64_t engine = nvtxScopeRegister(domain, &attributes);
    const int64_t before = now_ns();
    nvtxEventAttributes_t live = {.version = NVTX_VERSION,
                                  .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                  .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                  .message = {.ascii = "live"}};
    nvtxDomainRangePushEx(domain, &live);
    const int64_t inside = now_ns();
    while (now_ns() <= inside + 100) {
    }
    nvtxDomainRangePop(domain);
    const int64_t after = now_ns();
    const struct range ranges[] = {
        {inside, after + 9, THREAD, "crossing"},  {before, after + 10, THREAD, "outer"},
        {inside + 1, inside + 3, THREAD, "late"}, {inside, inside + 2, THREAD, "early"},
        {before, after, engine, "on the engine"}, {before, after, 0, "of the batch"},
        {after, before, engine, "inverse"},
    };
    const nvtxEventBatch_t batch = {ranges_of(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP),
                                    sizeof ranges,
                                    ranges,
                                    NVTX_SCOPE_CURRENT_SW_PROCESS,
                                    NVTX_BATCH_FLAG_UNSORTED,
                                    NULL,
                                    0,
                                    0};
    nvtxEventBatchSubmit(domain, &batch);
}

/* A batch whose events vary in size and have their messages elsewhere. */
static void submit_flexible(void)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {MARK, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "at", NULL, 0, 0, &monotonic.header, NULL},
        {MESSAGE | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
             NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
         NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "n", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "values", NULL,
         2, 0, NULL, NULL}};
    const uint64_t schema = register_schema(
        NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, NVTX_PAYLOAD_SCHEMA_FLAG_MARK, entries, N_OF(entries), 0);
    const uint64_t at = (uint64_t)now_ns();
    const uint64_t events[] = {at, 2, 2, 10, 11, at - 5, 8, 0, at + 5, 2, 1, 7};
    const nvtxEventBatch_t batch = {schema, sizeof events,     events, NVTX_SCOPE_NONE,
                                    6,      "..first\0second", 13,     2};
    nvtxEventBatchSubmit(domain, &batch);
}

static int run_events(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    submit_ranges();
    submit_flexible();
    const int64_t at = now_ns();
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_END, at + 9, 7, "");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_POP, at + 3, 0, "");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_POP, at + 2, 0, "");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSH, at + 1, 0, "inner push");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSH, at, 0, "outer push");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START, at + 1, 7, "start");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START, at + 2, 8, "no end");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_END, at, 9, "");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, at, 0, "mark");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, at - HOUR / 2, 0, "early mark");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, at + HOUR / 2, 0, "late mark");
    return 0;
}

/* Times that are far outside of the recording, in all that may have some. */
static int run_far(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    const uint64_t counter = register_counter();
    const uint64_t ranges = ranges_of(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND);
    const int64_t at = now_ns();
    struct point point = {.at = at - 2 * HOUR, .text = "called"};
    const nvtxPayloadData_t data = {points_of(0), sizeof point, &point};
    nvtxMarkPayload(domain, &data, 1);
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, INT64_MIN, 0, "too early");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, INT64_MAX, 0, "too late");
    submit_range(ranges, at, INT64_MAX, "no end");
    submit_range(ranges, INT64_MIN, at, "no begin");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START, at, 7, "start");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_END, INT64_MAX, 7, "start");
    submit_samples(counter, INT64_MIN, at);
    return 0;
}

/* Times of a clock that cannot be read, and a schema that nobody registered. */
static int run_unknown(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    monotonic.timeDomainId = UNKNOWN;
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, 5, 0, "placed");
    const nvtxEventBatch_t batch = {1 << 25, 8, &start_ns, 0, 0, NULL, 0, 0};
    nvtxEventBatchSubmit(domain, &batch);
    nvtxEventSubmit(domain, NULL, 0);
    return 0;
}

static int64_t read_milliseconds(void *data)
{
    return (now_ns() - *(const int64_t *)data) / 1000000;
}

static uint64_t register_clock(int64_t resolution)
{
    const nvtxTimeDomainAttr_t a = {.timerResolution = resolution};
    return nvtxTimeDomainRegister(domain, &a);
}

/* Clocks of the program's own: related by points, by a slope and another clock, and read by the
 * recorder. */
static int run_clocks(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    const int64_t half = 500000000;
    const uint64_t points = register_clock(0), slope = register_clock(0);
    const uint64_t source = register_clock(1000);
    const nvtxSyncPoint_t table[] = {{0, start_ns}, {1000, start_ns + 2 * half}};
    nvtxTimeSyncPointTable(domain, points, MONOTONIC, table, 2);
    nvtxTimeSyncPointTable(domain, points, MONOTONIC, NULL, 2);
    nvtxTimestampConversionFactor(domain, slope, points, 0.5, 100, 500);
    nvtxTimerSourceWithData(domain, source, NVTX_TIMER_SOURCE_UNSAFE_CALL_AFTER_PROCESS_TEARDOWN,
                            read_milliseconds, &start_ns);
    nvtxTimerSource(domain, source, 0, NULL);
    monotonic.timeDomainId = points;
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, 500, 0, "by points");
    submit_samples(register_counter(), 100, 200);
    monotonic.timeDomainId = slope;
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, 102, 0, "by slope");
    monotonic.timeDomainId = source;
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, 250, 0, "by source");
    return 0;
}

/* Calls whose payloads say when and where they were. */
static int run_calls(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    struct point point = {start_ns, 0, "mark"};
    struct range range = {start_ns + 1, start_ns + 2, NVTX_SCOPE_CURRENT_SW_PROCESS, "range"};
    const nvtxPayloadData_t a = {points_of(0), sizeof point, &point};
    const nvtxPayloadData_t b = {ranges_of(0), sizeof range, &range};
    nvtxMarkPayload(domain, &a, 1);
    nvtxRangePushPayload(domain, &b, 1);
    nvtxRangePopPayload(domain, NULL, 0);
    const nvtxRangeId_t id = nvtxRangeStartPayload(domain, &a, 1);
    point.at = start_ns + 7;
    nvtxRangeEndPayload(domain, id, &a, 1);
    return 0;
}

/* cudaProfilerStart or cudaProfilerStop, where the command line has put them before the program. */
static void call_profiler(const char *name)
{
    int (*function)(void) = NULL;
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    if (function != NULL)
        (void)function();
}

/* Events and samples of times in and around a capture, submitted in and around it. */
static int run_captured(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    const uint64_t counter = register_counter();
    const uint64_t ranges = ranges_of(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND);
    const int64_t before = now_ns();
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, before, 0, "before, early");
    submit_samples(counter, before, before + 1);
    call_profiler("cudaProfilerStart");
    nvtxRangePushA("step");
    const int64_t inside = now_ns();
    struct point point = {before, 0, "called"};
    const nvtxPayloadData_t data = {points_of(0), sizeof point, &point};
    nvtxMarkPayload(domain, &data, 1);
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, before, 0, "before");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, inside, 0, "inside");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START, inside, 1, "never ended");
    submit_range(ranges, before, inside, "overlapping");
    submit_range(ranges, before - 1, before, "past");
    submit_range(ranges, inside, inside + HOUR, "future");
    submit_samples(counter, before, inside);
    const struct point placed = {inside, 0, "placed"};
    const nvtxEventBatch_t batch = {points_of(NVTX_PAYLOAD_SCHEMA_FLAG_MARK),
                                    sizeof placed,
                                    &placed,
                                    NVTX_SCOPE_CURRENT_OS,
                                    0,
                                    NULL,
                                    0,
                                    0};
    nvtxEventBatchSubmit(domain, &batch);
    nvtxRangePop();
    call_profiler("cudaProfilerStop");
    submit_point(NVTX_PAYLOAD_SCHEMA_FLAG_MARK, inside, 0, "inside, late");
    submit_samples(counter, inside, inside + 1);
    return 0;
}

/* A call whose category is its own, with a range as payload. */
static nvtxEventAttributes_t with_category(const nvtxPayloadData_t *data)
{
    nvtxEventAttributes_t a = {.version = NVTX_VERSION,
                               .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                               .category = 3,
                               .payloadType = NVTX_PAYLOAD_TYPE_EXT,
                               .reserved0 = 1};
    a.payload.ullValue = (uint64_t)(uintptr_t)data;
    return a;
}

/* Requests that overlap, jobs that nest, and a mark, all on one disk, in the domain that is set. */
static void use_disk(int64_t at)
{
    const nvtxScopeAttr_t attributes = {sizeof attributes, "disk[0]", NVTX_SCOPE_CURRENT_SW_PROCESS,
                                        0};
    const uint64_t disk = nvtxScopeRegister(domain, &attributes), ranges = ranges_of(0);
    const struct range requests[] = {{at, at + 10, disk, "request 1"},
                                     {at + 5, at + 20, disk, "request 2"},
                                     {at + 6, at + 8, disk, "request 3"},
                                     {at + 10, at + 12, disk, "request 4"}};
    for (size_t i = 0; i < N_OF(requests); i++) {
        const nvtxPayloadData_t data = {ranges, sizeof requests[i], &requests[i]};
        nvtxEventSubmit(domain, &data, 1);
    }
    const struct range job = {at, at + 9, disk, "job"}, step = {at + 1, at + 4, disk, "step"},
                       done = {at + 3, at + 3, disk, "done"};
    const nvtxPayloadData_t outer = {ranges, sizeof job, &job},
                            inner = {ranges, sizeof step, &step},
                            mark = {ranges, sizeof done, &done};
    const nvtxEventAttributes_t a = with_category(&inner);
    nvtxRangePushPayload(domain, &outer, 1);
    nvtxDomainRangePushEx(domain, &a);
    nvtxMarkPayload(domain, &mark, 1);
    nvtxRangePopPayload(domain, NULL, 0);
    nvtxRangePopPayload(domain, NULL, 0);
}

static void *use_disk_too(void *at)
{
    use_disk(*(int64_t *)at + 2);
    return NULL;
}

/* Events of two threads and two domains in one place. */
static int run_places(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    int64_t at = now_ns();
    use_disk(at);
    if (pthread_create(&thread, NULL, use_disk_too, &at) == 0)
        (void)pthread_join(thread, NULL);
    prepare();
    use_disk(at);
    return 0;
}

struct reading {
    int64_t at;
    int32_t depth;
    uint32_t cells[2];
    float load;
    struct {
        uint16_t used, plain;
    } memory;
};

/* Counters in a mark, in a deferred event, and in what ends a range. */
static int run_counters(int argc, char **argv)
{
    (void)argc, (void)argv;
    const uint64_t counter = NVTX_PAYLOAD_ENTRY_FLAG_COUNTER,
                   array = counter | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
    prepare();
    const nvtxPayloadSchemaEntry_t inner[] = {
        {counter, NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "used", "in use", 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "plain", NULL, 0, 0, NULL, NULL}};
    const uint64_t memory =
        register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, inner, N_OF(inner), 4);
    const nvtxPayloadSchemaEntry_t entries[] = {
        {NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "at", NULL, 0, 0,
         &monotonic.header, NULL},
        {counter, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "depth", NULL, 0, 0, NULL, NULL},
        {array, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "cells", NULL, 2, 0, NULL, NULL},
        {counter, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "load", NULL, 0, 0, NULL, NULL},
        {0, memory, "memory", NULL, 0, 0, NULL, NULL}};
    const int64_t at = now_ns();
    struct reading reading = {at, -3, {1, 2}, 0.5f, {7, 9}};
    const nvtxPayloadData_t data = {
        register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, 0, entries, N_OF(entries), sizeof reading),
        sizeof reading, &reading};
    nvtxMarkPayload(domain, &data, 1);
    reading.at = at + 20, reading.depth = 4;
    nvtxEventSubmit(domain, &data, 1);
    struct point point = {.at = at + 5, .text = "range"};
    const nvtxPayloadData_t begin = {points_of(0), sizeof point, &point};
    nvtxRangePushPayload(domain, &begin, 1);
    reading.at = at + 10, reading.depth = 5;
    nvtxRangePopPayload(domain, &data, 1);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"events", run_events}, {"unknown", run_unknown},   {"clocks", run_clocks},
        {"calls", run_calls},   {"far", run_far},           {"captured", run_captured},
        {"places", run_places}, {"counters", run_counters}, {NULL, NULL}};
    return modes_run(modes, argc, argv);
}
