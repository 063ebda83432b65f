/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of deferred events with pointers. What is pointed to lies where memory ends, and is
 * overwritten before the program goes on. What the recording must show stands in cases_batch.py. */
#include "modes.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#define COPIED      NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY
#define POINTER     NVTX_PAYLOAD_ENTRY_FLAG_POINTER
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define NODE        ((1 << 24) + 1)

struct node {
    int64_t id;
    const char *text;         /* to be copied */
    const int32_t *number;    /* to be copied: as many as n */
    const struct node *next;  /* to be copied */
    const int32_t *elsewhere; /* not */
    uint32_t n;
};

static nvtxDomainHandle_t domain;

enum { PAGE_BYTES = 4096 };

static void *before_nothing(const void *bytes, size_t size)
{
    uint8_t *pages =
        mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_NONE) != 0)
        exit(1);
    return memcpy(pages + PAGE_BYTES - size, bytes, size);
}

static uint64_t register_schema(uint64_t type, const nvtxPayloadSchemaEntry_t *entries, size_t n,
                                size_t size, uint64_t id)
{
    nvtxPayloadSchemaAttr_t a;
    memset(&a, 0, sizeof a);
    a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    if (size != 0)
        a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    if (id != 0)
        a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
    a.type = type;
    a.flags = NVTX_PAYLOAD_SCHEMA_FLAG_MARK;
    a.entries = entries;
    a.numEntries = n;
    a.payloadStaticSize = size;
    a.schemaId = id;
    return nvtxPayloadSchemaRegister(domain, &a);
}

static void register_node(size_t size)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "id", NULL, 0, 0, NULL, NULL},
        {COPIED | POINTER, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 0,
         offsetof(struct node, text), NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "n", NULL, 0, offsetof(struct node, n), NULL, NULL},
        {COPIED | POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
         NVTX_PAYLOAD_ENTRY_TYPE_INT32, "number", NULL, 2, offsetof(struct node, number), NULL,
         NULL},
        {COPIED | POINTER, NODE, "next", NULL, 0, offsetof(struct node, next), NULL, NULL},
        {POINTER, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "elsewhere", NULL, 0,
         offsetof(struct node, elsewhere), NULL, NULL}};
    domain = nvtxDomainCreateA(size != 0 ? "said" : "computed");
    (void)register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, entries, N_OF(entries), size, NODE);
}

static void submit(uint64_t schema, void *events, size_t size, const char *flex, size_t flex_size,
                   size_t flex_offset)
{
    nvtxEventBatch_t batch;
    memset(&batch, 0, sizeof batch);
    batch.eventSchemaId = schema;
    batch.events = events;
    batch.size = size;
    batch.flexData = flex;
    batch.flexDataSize = flex_size;
    batch.flexDataOffset = flex_offset;
    nvtxEventBatchSubmit(domain, &batch);
    memset(events, 0x77, size);
}

/* Events with pointers, before, between and behind others; the last one points to itself. */
static void submit_nodes(size_t size)
{
    static const int32_t numbers[] = {7, -8, 9};
    const struct node second = {2, before_nothing("inner", 6), NULL, NULL, NULL, 0};
    char *const text = before_nothing("outer", 6);
    int32_t *const number = before_nothing(numbers, sizeof numbers);
    struct node *const next = before_nothing(&second, sizeof second);
    const struct node nodes[] = {{0, NULL, NULL, NULL, NULL, 0}, {1, text, number, next, NULL, 3},
                                 {3, text, NULL, NULL, NULL, 0}, {4, NULL, NULL, NULL, numbers, 0},
                                 {5, NULL, NULL, NULL, NULL, 0}, {6, NULL, number, NULL, NULL, 1},
                                 {7, NULL, NULL, NULL, NULL, 0}};
    struct node *const events = before_nothing(nodes, sizeof nodes);
    register_node(size);
    events[6].number = (const int32_t *)(const void *)&events[6].id;
    events[6].n = 2;
    submit(NODE, events, sizeof nodes, NULL, 0, 0);
    memset(text, 0x77, 6);
    memset(number, 0x77, sizeof numbers);
    memset(next, 0x77, sizeof second);
}

/* Events of a dynamic schema, with a pointer beside what the batch has for all of them; what is
 * behind the last whole one is not read. */
static void submit_dynamic(void)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "id", NULL, 0, 0, NULL, NULL},
        {POINTER | COPIED | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
         NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "far", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
         NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "near", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "n", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "own", NULL, 3,
         0, NULL, NULL}};
    domain = nvtxDomainCreateA("dynamic");
    const uint64_t schema =
        register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, entries, N_OF(entries), 0, 0);
    const char *const flex = before_nothing("..one\0two", 10);
    const uint64_t far = (uint64_t)(uintptr_t)before_nothing("far away", 9);
    const uint64_t in_flex = (uint64_t)(uintptr_t)(flex + 2);
    const uint64_t words[] = {11, 0,       2, 2, 21, 22, /* no pointer */
                              12, far,     6, 0,         /* one */
                              13, in_flex, 6, 1, 23};
    submit(schema, before_nothing(words, sizeof words), sizeof words, flex, 8, 2);
}

static int run_all(int argc, char **argv)
{
    (void)argc, (void)argv;
    domain = nvtxDomainCreateA("all");
    nvtxRangePushA("step");
    submit_nodes(sizeof(struct node));
    submit_nodes(0);
    submit_dynamic();
    nvtxRangePop();
    return 0;
}

/* More than is copied: of one pointer, of flexData, of a batch that is cut in an event. */
static int run_too_much(int argc, char **argv)
{
    enum { MANY = 100000, FLEX = 1 << 20, EVENTS = 20 };
    (void)argc, (void)argv;
    static int32_t many[MANY];
    static char flex[FLEX];
    struct node nodes[EVENTS + 1];
    register_node(sizeof(struct node));
    memset(nodes, 0, sizeof nodes);
    nodes[0].number = many;
    nodes[0].n = MANY;
    submit(NODE, nodes, sizeof nodes[0], NULL, 0, 0);
    memset(nodes, 0, sizeof nodes);
    for (int i = 0; i < EVENTS; i++) {
        nodes[i].id = 100 + i;
        nodes[i].text = "copied";
    }
    submit(NODE, nodes, EVENTS * sizeof nodes[0], flex, sizeof flex, 0);
    memset(nodes, 0, sizeof nodes);
    nodes[0].id = 200;
    nodes[0].text = "whole";
    nodes[1].text = "cut";
    submit(NODE, nodes, sizeof nodes[0] + 24, NULL, 0, 0);
    return 0;
}

/* Events of one size, with an array that no zero ends: no byte of any event is one. */
static int run_many(int argc, char **argv)
{
    enum { MANY = 150000 };
    struct event {
        uint64_t id;
        const void *elsewhere; /* not to be read */
        uint8_t bytes[24];
    };
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "id", NULL, 0, 0, NULL, NULL},
        {POINTER, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "elsewhere", NULL, 0,
         offsetof(struct event, elsewhere), NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "bytes",
         NULL, 0, offsetof(struct event, bytes), NULL, NULL}};
    (void)argc, (void)argv;
    domain = nvtxDomainCreateA("many");
    const uint64_t schema = register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, entries, N_OF(entries),
                                            sizeof(struct event), 0);
    struct event *events = malloc(MANY * sizeof *events);
    if (events == NULL)
        return 1;
    memset(events, 1, MANY * sizeof *events);
    for (uint64_t i = 0; i < MANY; i++)
        for (unsigned k = 0; k < 4; k++) /* six bits of it in each byte, and one that is set */
            events[i].id += (i >> (6 * k) & 63) << (8 * k + 1);
    submit(schema, events, MANY * sizeof *events, NULL, 0, 0);
    free(events);
    return 0;
}

/* An event whose only pointer that leads to something lies beyond the entries that are looked at.
 */
static int run_beyond(int argc, char **argv)
{
    enum { MANY = 70000 };
    static struct {
        int64_t id;
        const int32_t *pointers[MANY];
    } event;
    static const int32_t number = 7;
    (void)argc, (void)argv;
    const nvtxPayloadSchemaEntry_t pointer[] = {
        {COPIED | POINTER, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "pointer", NULL, 0, 0, NULL, NULL}};
    domain = nvtxDomainCreateA("beyond");
    const uint64_t inner = register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, pointer, N_OF(pointer),
                                           sizeof event.pointers[0], 0);
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "id", NULL, 0, 0, NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, inner, "pointers", NULL, MANY, sizeof event.id,
         NULL, NULL}};
    const uint64_t schema =
        register_schema(NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, entries, N_OF(entries), sizeof event, 0);
    event.id = 5;
    event.pointers[MANY - 1] = &number;
    submit(schema, &event, sizeof event, NULL, 0, 0);
    return 0;
}

/* ---- A handler that interrupts a batch and submits one itself ---- */

enum { MOST_HANDLED = 200, MOST_BATCHES = 50000 };

static const int64_t handlers = (int64_t)1 << 40; /* its first id */
static int n_handled;                             /* atomic */

static void submit_two(int64_t id, const char *text)
{
    const int32_t number = (int32_t)id;
    struct node nodes[2];
    memset(nodes, 0, sizeof nodes);
    nodes[0].id = nodes[1].id = id;
    nodes[0].text = text;
    nodes[1].number = &number;
    nodes[1].n = 1;
    submit(NODE, nodes, sizeof nodes, NULL, 0, 0);
}

static void handle(int signal)
{
    (void)signal;
    if (n_handled < MOST_HANDLED)
        submit_two(handlers + n_handled++, "handler");
}

/* Until the handler has interrupted often, or, where timers are coarse, at least once. */
static int run_signals(int argc, char **argv)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    int n = 0;
    (void)argc, (void)argv;
    register_node(sizeof(struct node));
    (void)signal(SIGALRM, handle);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    for (int handled = 0; handled < MOST_HANDLED && (n < MOST_BATCHES || handled == 0);
         handled = __atomic_load_n(&n_handled, __ATOMIC_RELAXED))
        submit_two(n++, "main");
    (void)setitimer(ITIMER_REAL, &never, NULL);
    printf("%d %d\n", n, n_handled);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {{"all", run_all},         {"too-much", run_too_much},
                                        {"many", run_many},       {"beyond", run_beyond},
                                        {"signals", run_signals}, {NULL, NULL}};
    return modes_run(modes, argc, argv);
}
