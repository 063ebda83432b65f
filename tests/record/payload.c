/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads, counters and events of another time (NVTX's extensions). What the recording must have
 * stands in cases_payload.py. */
#include "modes.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct transfer {
    uint64_t bytes;
    int32_t peer;
    char name[12];
};

static nvtxDomainHandle_t domain;
static uint64_t schema;

/* Only the fields that the mask names are set: the others are what Python leaves in them. */
static uint64_t register_schema(const nvtxPayloadSchemaEntry_t *entries, size_t n, uint64_t flags,
                                size_t size, uint64_t id)
{
    nvtxPayloadSchemaAttr_t a;
    memset(&a, 0xee, sizeof a);
    a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    if (flags != 0)
        a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS;
    if (id != 0)
        a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
    a.name = "a schema";
    a.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    a.entries = entries;
    a.numEntries = n;
    a.flags = flags != 0 ? flags : a.flags;
    a.payloadStaticSize = size;
    a.schemaId = id != 0 ? id : a.schemaId;
    return nvtxPayloadSchemaRegister(domain, &a);
}

static void prepare(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", "how many", 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "peer", NULL, 0, 8, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", NULL, 12, 12, NULL, NULL},
    };
    domain = nvtxDomainCreateA("payloads");
    schema = register_schema(entries, 3, 0, sizeof(struct transfer), 0);
}

static nvtxEventAttributes_t event_of(const char *message, const nvtxPayloadData_t *data, int n)
{
    nvtxEventAttributes_t e;
    memset(&e, 0, sizeof e);
    e.version = NVTX_VERSION;
    e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    e.messageType = NVTX_MESSAGE_TYPE_ASCII;
    e.message.ascii = message;
    e.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    e.reserved0 = n;
    e.payload.ullValue = (uint64_t)(uintptr_t)data;
    return e;
}

/* ---- Each function ---- */

static void make_events(void)
{
    const struct transfer t = {1000, -7, "hello"};
    const nvtxPayloadData_t one = {schema, sizeof t, &t};
    const nvtxPayloadData_t three[] = {
        {schema, sizeof t, &t},
        {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8, SIZE_MAX, "to its zero"},
        {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, 8, NULL}};
    nvtxEventAttributes_t e = event_of("core", &one, 1);
    nvtxDomainRangePushEx(domain, &e);
    nvtxRangePopPayload(domain, three, 3);
    nvtxRangePushPayload(domain, three, 3);
    nvtxRangePopPayload(domain, NULL, 0);
    nvtxMarkPayload(domain, &one, 1);
    nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, &one, 1), &one, 1);
    e.reserved0 = -1; /* mistakes of the program */
    nvtxDomainMarkEx(domain, &e);
    e.payload.ullValue = 0;
    nvtxDomainMarkEx(domain, &e);
    nvtxMarkPayload(domain, NULL, 5);
    nvtxEventSubmit(domain, &one, 1);
    const nvtxEventBatch_t batch = {schema,       sizeof t, &t, 21, NVTX_BATCH_FLAG_UNSORTED,
                                    "..flexible", 8,        2};
    nvtxEventBatchSubmit(domain, &batch);
    nvtxEventBatchSubmit(domain, NULL);
}

static void make_samples(void)
{
    const nvtxSemanticsCounter_t counter = {
        {sizeof counter, NVTX_SEMANTIC_ID_COUNTERS_V1, NVTX_COUNTER_SEMANTIC_VERSION, NULL},
        NVTX_COUNTER_FLAG_LIMITS,
        "MB",
        3,
        4,
        NVTX_COUNTER_LIMIT_I64,
        {-5},
        {100}};
    const nvtxSemanticsTime_t time = {
        {sizeof time, NVTX_SEMANTIC_ID_TIME_V1, NVTX_TIME_SEMANTIC_VERSION, &counter.header}, 1};
    const nvtxCounterAttr_t a = {
        sizeof a, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "used", "of memory", 22, &time.header, 0};
    const nvtxScopeAttr_t s = {sizeof s, "GPU/engine", NVTX_SCOPE_ROOT, (1 << 24) + 9};
    uint64_t id = nvtxCounterRegister(domain, &a);
    printf("counter %" PRIx64 " scope %" PRIx64 "\n", id, nvtxScopeRegister(domain, &s));
    const int64_t values[] = {5, 6, 7}, times[] = {1, 2, 3};
    nvtxCounterSampleInt64(domain, id, -9);
    nvtxCounterSampleFloat64(domain, id, 1.5);
    nvtxCounterSampleNoValue(domain, id, NVTX_COUNTER_SAMPLE_UNAVAILABLE);
    nvtxCounterSample(domain, id, values, 8);
    const nvtxCounterBatch_t batch = {id, values, sizeof values, 2, times, sizeof times};
    nvtxCounterBatchSubmit(domain, &batch);
    nvtxCounterBatchSubmit(domain, NULL);
}

/* Returns ids of what was refused. */
static void make_mistakes(void)
{
    static const nvtxPayloadSchemaEntry_t entry = {0};
    static const nvtxPayloadEnum_t values[] = {{"one", 1, 0}, {NULL, 2, 1}};
    nvtxPayloadEnumAttr_t e;
    nvtxPayloadSchemaAttr_t a;
    memset(&a, 0xee, sizeof a);
    a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE;
    a.type = 1;
    uint64_t sum = nvtxPayloadSchemaRegister(domain, &a) + nvtxPayloadSchemaRegister(domain, NULL);
    a.fieldMask |=
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    a.entries = &entry;
    a.numEntries = SIZE_MAX / 2;
    sum += nvtxPayloadSchemaRegister(domain, &a);
    a.entries = NULL;
    a.numEntries = 1;
    sum += nvtxPayloadSchemaRegister(domain, &a);
    sum += nvtxPayloadEnumRegister(domain, NULL) + nvtxScopeRegister(domain, NULL) +
           nvtxCounterRegister(domain, NULL);
    memset(&e, 0xee, sizeof e);
    e.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                  NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
    e.entries = values;
    e.numEntries = 2;
    e.sizeOfEnum = 4;
    e.schemaId = (1 << 24) + 5;
    printf("refused %" PRIu64 " enum %" PRIx64 "\n", sum, nvtxPayloadEnumRegister(domain, &e));
}

static int run_all(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    errno = 1234;
    int64_t before = nvtxTimestampGet();
    make_events();
    make_samples();
    make_mistakes();
    int64_t after = nvtxTimestampGet();
    printf("schema %" PRIx64 " enabled %d%d errno %d\n", schema, nvtxDomainIsEnabled(domain),
           nvtxDomainIsEnabled(NULL), errno);
    printf("time %d\n", before != 0 && before < after);
    return 0;
}

/* ---- Sizes ---- */

/* sizes N...: a mark for each size, and a pop behind each. */
static int run_sizes(int argc, char **argv)
{
    prepare();
    for (int i = 0; i < argc; i++) {
        size_t size = strtoul(argv[i], NULL, 10);
        uint8_t *bytes = malloc(size + 1);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)(k * 7 + size);
        const nvtxPayloadData_t data[] = {{NVTX_TYPE_PAYLOAD_SCHEMA_RAW, size, bytes},
                                          {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, 3, "end"}};
        nvtxEventAttributes_t e = event_of(argv[i], data, 2);
        nvtxDomainRangePushEx(domain, &e);
        nvtxDomainRangePop(domain);
        free(bytes);
    }
    return 0;
}

/* small N: one payload of each size below N, in each form that an event may have. */
static int run_small(int argc, char **argv)
{
    prepare();
    uint8_t bytes[1000];
    size_t n = argc > 0 ? strtoul(argv[0], NULL, 10) : 0;
    nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
    for (size_t size = 0; size < n && size <= sizeof bytes; size++) {
        /* at the end, so that a checker sees what is read behind it */
        uint8_t *at = bytes + sizeof bytes - size;
        const nvtxPayloadData_t data = {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, size, at};
        nvtxEventAttributes_t e = event_of("text", &data, 1);
        memset(bytes, 0xff, sizeof bytes);
        for (size_t k = 0; k < size; k++)
            at[k] = (uint8_t)(k * 7 + size);
        nvtxDomainMarkEx(domain, &e);
        e.category = 5;
        nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &e));
        e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        e.message.registered = registered;
        nvtxDomainRangePushEx(domain, &e);
        nvtxDomainRangePop(domain);
        nvtxDomainMarkEx(domain, &e);
        nvtxRangePushPayload(domain, &data, 1);
        nvtxDomainRangePop(domain);
        nvtxDomainRangeEnd(domain, nvtxRangeStartPayload(domain, &data, 1));
        nvtxMarkPayload(NULL, &data, 1);
    }
    return 0;
}

/* ---- Pointers ---- */

struct node {
    const char *name;
    int32_t n_values;
    const int32_t *values; /* n_values of them */
    const struct node *next;
};

#define NODE_SCHEMA ((1 << 24) + 1)

static void mark_node(const struct node *node)
{
    const nvtxPayloadData_t data = {NODE_SCHEMA, sizeof *node, node};
    nvtxMarkPayload(domain, &data, 1);
}

static void mark_list(void)
{
    const int32_t values[] = {1, 2, 3};
    static const struct node third = {NULL, 0, NULL, NULL}; /* static: its padding is zeros, too */
    const struct node second = {"second", 3, values, &third};
    const struct node first = {"first", 1, values + 1, &second};
    mark_node(&first);
}

/* Each points to the other; no length is right. */
static void mark_mistakes(void)
{
    static int32_t many[30000];
    struct node a = {"a", -5, many, NULL}, b = {"b", 0, many, &a};
    a.next = &b;
    mark_node(&a);
    a.next = &a;
    mark_node(&a);
    a = (struct node){"large", 30000, many, NULL};
    mark_node(&a);
    const nvtxPayloadData_t small = {NODE_SCHEMA, 20, &a}; /* values begin behind its end */
    nvtxMarkPayload(domain, &small, 1);
}

/* A pointer into another payload of the event; the length stands in a third one. */
static void mark_other_payload(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {NVTX_PAYLOAD_ENTRY_FLAG_POINTER, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "in", NULL, 0, 0, NULL,
         NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY |
             NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX,
         NVTX_PAYLOAD_ENTRY_TYPE_INT16, "out", NULL, 2, 0, NULL, NULL},
    };
    static const int32_t blob[2] = {8, 9};
    static const int16_t outside[] = {1, 2, 3, 4, 5, 6};
    static const uint32_t lengths[] = {2, 3};
    const void *const pointers[] = {&blob[1], outside};
    uint64_t id = register_schema(entries, 2, 0, sizeof pointers, 0);
    const nvtxPayloadData_t data[] = {{id, sizeof pointers, pointers},
                                      {NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, sizeof blob, blob},
                                      {NVTX_PAYLOAD_ENTRY_TYPE_UINT32, sizeof lengths, lengths}};
    nvtxMarkPayload(domain, data, 3);
    printf("%" PRIuPTR " %" PRIuPTR "\n", (uintptr_t)blob, (uintptr_t)outside);
}

/* ---- Unions and offsets; nothing is read behind what was declared ---- */

enum { PAGE_BYTES = 4096 };

/* Two pages, the second of which cannot be read; returns where `size` bytes end with the first. */
static void *before_nothing(size_t size)
{
    uint8_t *pages =
        mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE) != 0)
        exit(1);
    return pages + PAGE_BYTES - size;
}

static void *copy_before_nothing(const void *bytes, size_t size)
{
    return memcpy(before_nothing(size), bytes, size);
}

#define DEEP    (NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY)
#define INNER   ((1 << 24) + 21)
#define UNION   ((1 << 24) + 22)
#define CHOICE  ((1 << 24) + 23)
#define OUTER   ((1 << 24) + 24)
#define OFFSETS ((1 << 24) + 25)

static const nvtxPayloadSchemaEntry_t inner_entries[] = {
    {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "n", NULL, 0, 0, NULL, NULL},
    {DEEP | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, NVTX_PAYLOAD_ENTRY_TYPE_BYTE, "bytes", NULL,
     0, 8, NULL, NULL},
};
static const nvtxPayloadSchemaEntry_t union_entries[] = {
    {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "number", NULL, 0, 0, NULL, NULL},
    {DEEP, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 0, 0, NULL, NULL},
    {DEEP, INNER, "inner", NULL, 0, 0, NULL, NULL},
};
static const nvtxPayloadSchemaEntry_t choice_entries[] = {
    {0, NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR, "which", NULL, 0, 0, NULL, NULL},
    {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "number", NULL, 0, 8, NULL, NULL},
    {DEEP | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "list",
     NULL, 0, 8, NULL, NULL},
};
static const nvtxPayloadSchemaEntry_t outer_entries[] = {
    {0, NVTX_PAYLOAD_ENTRY_TYPE_INT8, "which", NULL, 0, 0, NULL, NULL},
    {0, UNION, "value", NULL, 0, 0, NULL, NULL},
    {0, CHOICE, "choice", NULL, 0, 0, NULL, NULL},
    {DEEP, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "last", NULL, 5, 0, NULL, NULL},
};
static const nvtxPayloadSchemaEntry_t offset_entries[] = {
    {NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE, INNER, "base", NULL, 0, 0, NULL, NULL},
    {NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE, INNER, "here", NULL, 0, 0, NULL, NULL},
};

struct inner {
    uint32_t n;
    const void *bytes;
};

struct outer {
    int8_t which;
    union {
        int64_t number;
        const char *text;
        const struct inner *inner;
    } value;
    struct {
        uint32_t which;
        union {
            int64_t number;
            const int32_t *list;
        } value;
    } choice;
    const char *last;
};

/* Members that are not valid have addresses of nothing. */
static void mark_outer(int8_t which, const void *value, uint32_t choice, const void *list)
{
    struct outer o = {.which = which, .last = copy_before_nothing("last5", 5)};
    o.value.text = value;
    o.choice.which = choice;
    o.choice.value.list = list;
    const nvtxPayloadData_t data = {OUTER, sizeof o, copy_before_nothing(&o, sizeof o)};
    nvtxMarkPayload(domain, &data, 1);
}

static void mark_unions(void)
{
    const void *const nothing = before_nothing(0);
    const struct inner inner = {3, copy_before_nothing("abc", 3)};
    const int32_t list[] = {7, 8, 0};
    mark_outer(0, nothing, 1, nothing);
    mark_outer(1, copy_before_nothing("text", 5), 1, nothing);
    mark_outer(2, copy_before_nothing(&inner, sizeof inner), 1, nothing);
    mark_outer(-1, nothing, 0, nothing);
    mark_outer(3, nothing, 77, nothing);
    mark_outer(0, nothing, 2, copy_before_nothing(list, sizeof list));
}

/* Offsets to a struct with a pointer: inside, at the end and far behind it; and a payload that ends
 * in the middle of an entry. */
static void mark_offsets(void)
{
    struct {
        uint64_t base, here;
        struct inner inner;
    } o = {16, 0, {2, copy_before_nothing("xy", 2)}};
    const uint64_t offsets[][2] = {
        {16, 0}, {24, 8}, {32, 17}, {UINT64_MAX, UINT64_MAX - 15}, {0, 0}};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        o.base = offsets[i][0];
        o.here = offsets[i][1];
        size_t size = i == 4 ? 28 : sizeof o;
        const nvtxPayloadData_t data = {OFFSETS, size, copy_before_nothing(&o, size)};
        if (i == 4)
            ((uint64_t *)(uintptr_t)data.payload)[0] = 16;
        nvtxMarkPayload(domain, &data, 1);
    }
}

static void register_of_type(uint64_t type, const nvtxPayloadSchemaEntry_t *entries, size_t n,
                             size_t size, uint64_t id)
{
    nvtxPayloadSchemaAttr_t a = {0};
    a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
    a.type = type;
    a.entries = entries;
    a.numEntries = n;
    a.payloadStaticSize = size;
    a.schemaId = id;
    (void)nvtxPayloadSchemaRegister(domain, &a);
}

static int run_unions(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    register_of_type(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, inner_entries, 2, sizeof(struct inner),
                     INNER);
    register_of_type(NVTX_PAYLOAD_SCHEMA_TYPE_UNION, union_entries, 3, 0, UNION);
    register_of_type(NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR, choice_entries, 3, 0,
                     CHOICE);
    register_of_type(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, outer_entries, 4, 0, OUTER);
    register_of_type(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, offset_entries, 2, 32, OFFSETS);
    mark_unions();
    mark_offsets();
    return 0;
}

static int run_pointers(int argc, char **argv)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", NULL, 0, 0,
         NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "n_values", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY |
             NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
         NVTX_PAYLOAD_ENTRY_TYPE_INT32, "values", NULL, 1, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY, NODE_SCHEMA, "next",
         NULL, 0, 0, NULL, NULL},
    };
    (void)argc, (void)argv;
    prepare();
    (void)register_schema(entries, 4, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY, sizeof(struct node),
                          NODE_SCHEMA);
    mark_list();
    mark_mistakes();
    mark_other_payload();
    return 0;
}

/* ---- Captures ---- */

/* Ranges that end, or stay open, before a capture; the range of the capture; and after it. */
static int run_focus(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    nvtxStringHandle_t trigger = nvtxDomainRegisterStringA(domain, "trigger");
    static uint8_t large[100000];
    for (int i = 0; i < 3; i++) {
        struct transfer t = {(uint64_t)i, i, "t"};
        const nvtxPayloadData_t data = {schema, sizeof t, &t};
        const nvtxPayloadData_t most = {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, sizeof large, large};
        nvtxEventAttributes_t e = event_of("before", &data, 1);
        nvtxRangePushPayload(domain, i == 1 ? &most : &data, 1);
        for (int k = 0; k < 1000; k++) {
            nvtxDomainRangePushEx(domain, &e);
            nvtxRangePopPayload(domain, &data, 1);
        }
        nvtxDomainRangePushEx(domain, &e); /* stays open */
        nvtxMarkPayload(domain, &data, 1);
        nvtxCounterSampleInt64(domain, 77, -1);
        e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        e.message.registered = trigger;
        nvtxDomainRangePushEx(domain, &e);
        nvtxCounterSampleInt64(domain, 77, i);
        nvtxMarkPayload(domain, &data, 1);
        nvtxRangePopPayload(domain, &data, 1);
        nvtxDomainRangePop(domain);
        nvtxDomainRangePop(domain);
    }
    return 0;
}

/* ---- Domains that are left out ---- */

static int run_domains(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    const nvtxPayloadData_t data = {NVTX_PAYLOAD_ENTRY_TYPE_INT64, 8, "12345678"};
    const nvtxCounterAttr_t a = {sizeof a, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "used", NULL, 0, NULL, 0};
    nvtxDomainHandle_t all[] = {domain, nvtxDomainCreateA("other"), NULL};
    for (int i = 0; i < 3; i++) {
        uint64_t counter = nvtxCounterRegister(all[i], &a);
        nvtxMarkPayload(all[i], &data, 1);
        nvtxRangePushPayload(all[i], &data, 1);
        nvtxRangePopPayload(all[i], &data, 1);
        nvtxRangeEndPayload(all[i], nvtxRangeStartPayload(all[i], &data, 1), &data, 1);
        nvtxCounterSampleInt64(all[i], counter, i);
        nvtxEventSubmit(all[i], &data, 1);
        printf("%d %d\n", nvtxDomainIsEnabled(all[i]), counter != 0);
    }
    return 0;
}

/* ---- What is not recorded ---- */

/* A module of 20 functions attaches; returns how many were stored. */
static int attach(NvtxExtInitializeInjectionFunc_t initialize, uint16_t number, uint16_t size,
                  intptr_t *slots)
{
    nvtxExtModuleSegment_t segment = {0, 20, slots};
    nvtxExtModuleInfo_t module = {3, size, number, 0x0102, 1, &segment, NULL, NULL};
    int n = 0;
    memset(slots, 0, 20 * sizeof *slots);
    (void)initialize(&module);
    for (int i = 0; i < 20; i++)
        n += slots[i] != 0;
    return n;
}

static int run_ignored(int argc, char **argv)
{
    (void)argc, (void)argv;
    intptr_t slots[20];
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    void *symbol = library != NULL ? dlsym(library, "InitializeInjectionNvtxExtension") : NULL;
    NvtxExtInitializeInjectionFunc_t initialize;
    if (symbol == NULL)
        return 1;
    memcpy(&initialize, &symbol, sizeof initialize);
    prepare();
    printf("%" PRIu64 "\n", nvtxTimeDomainRegister(domain, NULL));
    printf("%d %d %d\n", initialize(NULL),
           attach(initialize, 99, sizeof(nvtxExtModuleInfo_t), slots),
           attach(initialize, NVTX_EXT_COUNTERS_MODULEID, 8, slots));
    printf("%d\n", attach(initialize, 1, sizeof(nvtxExtModuleInfo_t), slots));
    return 0;
}

/* ---- Parts that nobody empties ---- */

/* An event of each kind with a number: its payload or array has many of it. */
static void annotate_number(uint64_t number)
{
    uint64_t values[1000];
    const size_t size = 8 * (number % 100 == 7 ? 1000 : number % 50);
    const nvtxPayloadData_t data[] = {{NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 8, &number},
                                      {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, size, values}};
    for (size_t i = 0; i < size / 8; i++)
        values[i] = number;
    nvtxMarkPayload(domain, data, 2);
    nvtxCounterSampleInt64(domain, 1, (int64_t)number);
    nvtxCounterSample(domain, number, values, size);
}

static void *annotate_numbers(void *first)
{
    uint64_t number = *(uint64_t *)first;
    for (int i = 0; i < 5000; i++)
        annotate_number(number + (uint64_t)i);
    return NULL;
}

/* Two threads, while the command line, which is this program's parent, is stopped. */
static int run_full(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t threads[2];
    uint64_t first[2] = {0, 1000000};
    prepare();
    if (kill(getppid(), SIGSTOP) != 0)
        return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, annotate_numbers, &first[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_join(threads[i], NULL) != 0)
            return 1;
    return kill(getppid(), SIGCONT) != 0;
}

/* ---- A forked child ---- */

static int run_fork(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    const nvtxPayloadData_t data = {schema, sizeof(struct transfer), "a payload of 24 bytes !"};
    nvtxMarkPayload(domain, &data, 1);
    if (fork() == 0) {
        nvtxMarkPayload(domain, &data, 1);
        nvtxCounterSampleInt64(domain, 1, 2);
        _exit(0);
    }
    (void)wait(NULL);
    nvtxCounterSampleInt64(domain, 1, 3);
    return 0;
}

/* ---- Payloads that are written until the process is killed ---- */

static int run_killed(int argc, char **argv)
{
    (void)argc, (void)argv;
    prepare();
    uint64_t values[40];
    const nvtxPayloadData_t data = {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, sizeof values, values};
    for (uint64_t i = 0; i < UINT64_MAX; i++) {
        if (i == 1000) {
            printf("ready\n");
            (void)fflush(stdout);
        }
        for (int k = 0; k < 40; k++)
            values[k] = i;
        nvtxMarkPayload(domain, &data, 1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"all", run_all},           {"sizes", run_sizes},     {"focus", run_focus},
        {"domains", run_domains},   {"fork", run_fork},       {"killed", run_killed},
        {"pointers", run_pointers}, {"ignored", run_ignored}, {"small", run_small},
        {"full", run_full},         {"unions", run_unions},   {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
