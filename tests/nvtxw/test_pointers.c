/* SPDX-License-Identifier: Apache-2.0 */
/* What pointers in payloads point to is recorded where schemas ask for it, and nothing else is
 * read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writing.h"

#define COPIED NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY
#define POINTS NVTX_PAYLOAD_ENTRY_FLAG_POINTER

struct node {
    int64_t time;
    const char *text;         /* to be copied */
    const int32_t *number;    /* to be copied: as many as n */
    const struct inner *next; /* to be copied */
    const char *left;         /* not */
    uint32_t n;
};

struct inner {
    uint16_t id;
    const char *text; /* to be copied */
};

enum { DYNAMIC = NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC, STATIC = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC };

static uint64_t add_schema(struct writing *w, uint64_t type, uint64_t flags,
                           const nvtxPayloadSchemaEntry_t *entries, size_t n, size_t size)
{
    uint64_t id = 0;
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = UINT64_MAX,
                                       .type = type,
                                       .flags = flags,
                                       .entries = entries,
                                       .numEntries = n,
                                       .payloadStaticSize = size};
    if (w->nvtxw->schema_register(w->domain, &a, &id) != NVTXW_SUCCESS)
        fail_msg("%s", w->error());
    return id;
}

static uint64_t add_inner(struct writing *w)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT16, .name = "id"},
        {.flags = COPIED,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
         .name = "text",
         .offset = offsetof(struct inner, text)}};
    return add_schema(w, STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY, entries, 2,
                      sizeof(struct inner));
}

/* size: of an event; 0: it is left to be computed. */
static uint64_t add_node_of(struct writing *w, size_t size)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_MARK | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
         .name = "time"},
        {.flags = COPIED,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
         .name = "text",
         .offset = offsetof(struct node, text)},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32, .name = "n", .offset = offsetof(struct node, n)},
        {.flags = COPIED | POINTS | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT32,
         .name = "number",
         .arrayOrUnionDetail = 2,
         .offset = offsetof(struct node, number)},
        {.flags = COPIED | POINTS,
         .type = add_inner(w),
         .name = "next",
         .offset = offsetof(struct node, next)},
        {.flags = POINTS,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT32,
         .name = "left",
         .offset = offsetof(struct node, left)}};
    return add_schema(w, STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_MARK, entries, 6, size);
}

static uint64_t add_node(struct writing *w)
{
    return add_node_of(w, sizeof(struct node));
}

/* Ends the session; a line for each mark: its time and its payload. */
static void expect(struct writing *w, const char *expected)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    struct rf_err err;
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    if (rf_open(w->path, 0, &w->rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    FILE *out = open_memstream(&text, &size);
    const struct rf_event *events = rf_thread_events(w->rec, 0, &n);
    for (size_t i = 0; i < n; i++) {
        char payload[4096];
        assert_in_range(rf_payload_json(w->rec, &events[i], 0, payload, sizeof(payload)), 1,
                        sizeof(payload) - 1);
        (void)fprintf(out, "%lld %s\n", (long long)events[i].start_ns, payload);
    }
    (void)fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static const int32_t numbers[] = {7, -8, 9};
static const struct inner second = {2, "inner text"};

static struct node node_at(int64_t time, uint32_t n)
{
    return (struct node){.time = time,
                         .text = n > 0 ? "some text" : NULL,
                         .number = numbers,
                         .next = &second,
                         .n = n};
}

static void test_events(void **state)
{
    struct writing *w = *state;
    const uint64_t schema = add_node(w);
    char *gone = strdup("is gone when the session ends");
    struct node node = node_at(0, 3);
    assert_int_equal(writing_event(w, w->stream, schema, &node, sizeof(node)), NVTXW_SUCCESS);
    node = (struct node){.time = 10, .text = gone, .left = (const char *)(uintptr_t)0x77};
    assert_int_equal(writing_event(w, w->stream, schema, &node, sizeof(node)), NVTXW_SUCCESS);
    memset(gone, '?', strlen(gone));
    free(gone);
    expect(w, "0 {\"time\":0,\"text\":\"some text\",\"n\":3,\"number\":[7,-8,9],"
              "\"next\":{\"id\":2,\"text\":\"inner text\"},\"left\":null}\n"
              "10 {\"time\":10,\"text\":\"is gone when the session ends\",\"n\":0,\"number\":null,"
              "\"next\":null,\"left\":\"0x77\"}\n");
}

/* Pointers into another payload of the event. */
static void test_other_payload(void **state)
{
    struct writing *w = *state;
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_MARK | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
         .name = "time"},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, .name = "text", .offset = 8}};
    const uint64_t schema = add_schema(w, STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_MARK, entries, 2, 16);
    static const char text[] = "first\0second";
    const struct {
        int64_t time;
        const char *text;
    } mark = {5, text + 6};
    const nvtxPayloadData_t payloads[] = {
        {.schemaId = schema, .size = sizeof(mark), .payload = &mark},
        {.schemaId = NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, .size = sizeof(text), .payload = text}};
    assert_int_equal(w->nvtxw->event_write(w->stream, payloads, 2), NVTXW_SUCCESS);
    expect(w, "0 {\"time\":5,\"text\":\"second\"}\n");
}

/* Each event of a batch has what it points to; events without have none of others. */
static void check_batch(struct writing *w, uint64_t schema)
{
    struct node nodes[4] = {node_at(0, 1), {.time = 1}, {.time = 2}, node_at(3, 2)};
    nodes[3].next = NULL;
    nodes[2].number = (const int32_t *)(const void *)&nodes[2].time; /* into the event itself */
    nodes[2].n = 1;
    const nvtxEventBatch_t batch = {
        .eventSchemaId = schema, .size = sizeof(nodes), .events = nodes};
    assert_int_equal(w->nvtxw->event_batch_write(w->stream, &batch), NVTXW_SUCCESS);
    expect(w, "0 {\"time\":0,\"text\":\"some text\",\"n\":1,\"number\":[7],"
              "\"next\":{\"id\":2,\"text\":\"inner text\"},\"left\":null}\n"
              "1 {\"time\":1,\"text\":null,\"n\":0,\"number\":null,\"next\":null,\"left\":null}\n"
              "2 {\"time\":2,\"text\":null,\"n\":1,\"number\":[2],\"next\":null,\"left\":null}\n"
              "3 {\"time\":3,\"text\":\"some text\",\"n\":2,\"number\":[7,-8],\"next\":null,"
              "\"left\":null}\n");
}

static void test_batch(void **state)
{
    check_batch(*state, add_node(*state));
}

static void test_batch_of_unsaid_size(void **state)
{
    check_batch(*state, add_node_of(*state, 0));
}

/* Events of a dynamic schema, with a pointer beside what a batch has for all of them. */
static void test_dynamic_batch(void **state)
{
    struct writing *w = *state;
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_MARK | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
         .name = "time"},
        {.flags = POINTS | COPIED | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
         .name = "far"},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                  NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
         .name = "near"},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64, .name = "n"},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
         .name = "own",
         .arrayOrUnionDetail = 3}};
    const uint64_t schema = add_schema(w, DYNAMIC, NVTX_PAYLOAD_SCHEMA_FLAG_MARK, entries, 5, 0);
    static const char flex[] = "..one\0two";
    const char *far = "far away";
    const uint64_t words[] = {1,  0,
                              2,  2,
                              11, 12, /* no pointer */
                              2,  (uint64_t)(uintptr_t)far,
                              6,  0, /* one */
                              3,  (uint64_t)(uintptr_t)(flex + 2),
                              6,  1,
                              13}; /* into flex */
    const nvtxEventBatch_t batch = {.eventSchemaId = schema,
                                    .size = sizeof(words),
                                    .events = words,
                                    .flexData = flex,
                                    .flexDataSize = sizeof(flex) - 2,
                                    .flexDataOffset = 2};
    assert_int_equal(w->nvtxw->event_batch_write(w->stream, &batch), NVTXW_SUCCESS);
    expect(w, "0 {\"time\":1,\"far\":null,\"near\":\"one\",\"n\":2,\"own\":[11,12]}\n"
              "1 {\"time\":2,\"far\":\"far away\",\"near\":\"two\",\"n\":0,\"own\":[]}\n"
              "2 {\"time\":3,\"far\":\"one\",\"near\":\"two\",\"n\":1,\"own\":[13]}\n");
}

/* More than a recording takes is counted. */
static void test_too_much(void **state)
{
    struct writing *w = *state;
    const uint64_t schema = add_node(w);
    enum { MANY = 100000 };
    int32_t *many = calloc(MANY, sizeof(*many));
    assert_non_null(many);
    const struct node node = {.number = many, .n = MANY};
    assert_int_equal(writing_event(w, w->stream, schema, &node, sizeof(node)), NVTXW_SUCCESS);
    free(many);
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->n_lost_records, 1);
    assert_int_equal(rf_get_info(w->rec)->lost_bytes, MANY * sizeof(*many) - 65536);
}

/* An enum in a payload has a size, and is no schema of events. */
static void test_enums(void **state)
{
    struct writing *w = *state;
    static const nvtxPayloadEnum_t values[] = {{.name = "low", .value = 1}};
    const nvtxPayloadEnumAttr_t e = {.fieldMask = UINT64_MAX,
                                     .entries = values,
                                     .numEntries = 1,
                                     .sizeOfEnum = 1,
                                     .schemaId = (uint64_t)1 << 24};
    uint64_t id = 0;
    assert_int_equal(w->nvtxw->enum_register(w->domain, &e, &id), NVTXW_SUCCESS);
    assert_int_equal(id, (uint64_t)1 << 24);
    assert_int_equal(writing_event(w, w->stream, id, values, 1), NVTXW_INVALID_ARGUMENT);
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_MARK | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
         .name = "time"},
        {.type = id, .name = "level"},
        {.flags = POINTS | COPIED, .type = id, .name = "other"}};
    const uint64_t schema = add_schema(w, STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_MARK, entries, 3, 24);
    static const uint8_t one = 1;
    const struct {
        int64_t time;
        uint8_t level;
        const uint8_t *other;
    } mark = {0, 1, &one};
    assert_int_equal(writing_event(w, w->stream, schema, &mark, sizeof(mark)), NVTXW_SUCCESS);
    expect(w, "0 {\"time\":0,\"level\":\"low\",\"other\":\"low\"}\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_set_up, writing_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_events),        TEST(test_other_payload),
        TEST(test_batch),         TEST(test_batch_of_unsaid_size),
        TEST(test_dynamic_batch), TEST(test_too_much),
        TEST(test_enums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
