/* SPDX-License-Identifier: Apache-2.0 */
/* What NVTXW does not allow is refused, with nothing written; what is next to it is taken. */
#include <stdbool.h>
#include <string.h>

#include "writing.h"

#define STATIC ((uint64_t)1 << 24)
#define INT64  NVTX_PAYLOAD_ENTRY_TYPE_INT64

/* The other domain of the session has a scope, a time domain and a schema of these ids. */
enum { OTHERS = 7 };

static void register_in_other(struct writing *w)
{
    const struct nvtxw_domain_attributes named = {sizeof(named), "other"};
    const nvtxScopeAttr_t scope = {sizeof(scope), "s", NVTX_SCOPE_ROOT, STATIC + OTHERS};
    const nvtxTimeDomainAttr_t time = {.timeDomainId = STATIC + OTHERS};
    nvtxDomainHandle_t other;
    assert_int_equal(w->nvtxw->domain_register(w->session, &named, &other), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->scope_register(other, &scope, NULL), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->time_domain_register(other, &time, NULL), NVTXW_SUCCESS);
}

/* A scope and a time domain of this id are registered in the domain "dom". */
static void register_own(struct writing *w)
{
    const nvtxScopeAttr_t scope = {sizeof(scope), "s", NVTX_SCOPE_ROOT, STATIC};
    const nvtxTimeDomainAttr_t time = {.timeDomainId = STATIC};
    assert_int_equal(w->nvtxw->scope_register(w->domain, &scope, NULL), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->time_domain_register(w->domain, &time, NULL), NVTXW_SUCCESS);
    register_in_other(w);
}

static void expect(const struct writing *w, const char *what, uint64_t id, int got, bool is_taken)
{
    const int wanted = is_taken ? NVTXW_SUCCESS : NVTXW_INVALID_ARGUMENT;
    if (got != wanted)
        fail_msg("%s %llu: %d instead of %d (%s)", what, (unsigned long long)id, got, wanted,
                 w->error());
}

static const struct {
    uint64_t id;
    bool of_stream, as_parent,
        of_clock; /* taken as the scope of a stream, ..., a clock or counter */
} scopes[] = {
    {NVTX_SCOPE_NONE, true, true, true},
    {NVTX_SCOPE_ROOT, true, true, true},
    {NVTX_SCOPE_CURRENT_HW_MACHINE, false, true, true},
    {NVTX_SCOPE_CURRENT_HW_SOCKET, false, false, true},
    {6, false, false, false},
    {NVTX_SCOPE_CURRENT_VM, false, true, true},
    {NVTX_SCOPE_CURRENT_SW_PROCESS, false, false, true},
    {NVTX_SCOPE_CURRENT_SW_THREAD, false, false, true},
    {23, false, false, false},
    {77777, false, false, false},
    {STATIC, true, true, true},
    {STATIC + 1, false, false, false},
    {STATIC + OTHERS, false, false, false},
    {UINT64_MAX, false, false, false},
};

static void test_scopes(void **state)
{
    struct writing *w = *state;
    register_own(w);
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        const uint64_t id = scopes[i].id;
        struct nvtxw_stream_attributes stream = {.struct_size = sizeof(stream),
                                                 .domain = w->domain};
        nvtxCounterAttr_t counter = {sizeof(counter), INT64, "c", NULL, id, NULL, 0};
        const nvtxScopeAttr_t scope = {sizeof(scope), "below", id, 0};
        const nvtxTimeDomainAttr_t time = {.scopeId = id};
        struct nvtxw_stream *out;
        uint64_t got;
        stream.scope = id;
        expect(w, "stream", id, w->nvtxw->stream_open(w->session, &stream, &out),
               scopes[i].of_stream);
        expect(w, "counter", id, w->nvtxw->counter_register(w->domain, &counter, &got),
               scopes[i].of_clock);
        expect(w, "parent", id, w->nvtxw->scope_register(w->domain, &scope, &got),
               scopes[i].as_parent);
        expect(w, "clock", id, w->nvtxw->time_domain_register(w->domain, &time, &got),
               scopes[i].of_clock);
    }
    writing_expect(w, 0, "");
}

static void test_time_domains(void **state)
{
    static const uint64_t taken[] = {0, 1, 10, 14, 19, 30, 32, 40, 42, 50, 56, 80, STATIC};
    static const uint64_t refused[] = {2,
                                       9,
                                       20,
                                       29,
                                       33,
                                       39,
                                       43,
                                       57,
                                       63,
                                       64,
                                       79,
                                       81,
                                       99999,
                                       STATIC + 1,
                                       STATIC + OTHERS,
                                       (uint64_t)1 << 32,
                                       UINT64_MAX};
    struct writing *w = *state;
    register_own(w);
    for (size_t i = 0; i < sizeof(taken) / sizeof(*taken) + sizeof(refused) / sizeof(*refused);
         i++) {
        const bool is_taken = i < sizeof(taken) / sizeof(*taken);
        const uint64_t id = is_taken ? taken[i] : refused[i - sizeof(taken) / sizeof(*taken)];
        const struct nvtxw_stream_attributes a = {
            .struct_size = sizeof(a), .domain = w->domain, .time_domain = id};
        struct nvtxw_stream *out;
        expect(w, "time domain", id, w->nvtxw->stream_open(w->session, &a, &out), is_taken);
    }
    writing_expect(w, 0, "");
}

static int register_schema(struct writing *w, uint64_t type, uint64_t chosen, uint64_t *out)
{
    const nvtxPayloadSchemaEntry_t entry = {.flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER, .type = type};
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
                                       .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                       .entries = &entry,
                                       .numEntries = 1,
                                       .schemaId = chosen};
    return w->nvtxw->schema_register(w->domain, &a, out);
}

static void test_types(void **state)
{
    struct writing *w = *state;
    const struct {
        uint64_t type;
        bool of_entry, of_counter;
    } types[] = {{0, false, false},
                 {INT64, true, true},
                 {28, false, false},
                 {NVTX_PAYLOAD_ENTRY_TYPE_BF16, true, true},
                 {500, false, false},
                 {999, false, false},
                 {1022, false, false},
                 {w->mark, true, true},
                 {STATIC, false, false},
                 {STATIC + 12345, false, false},
                 {w->mark + 1000, false, false}};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        const nvtxCounterAttr_t counter = {
            .structSize = sizeof(counter), .schemaId = types[i].type, .name = "c"};
        uint64_t id;
        expect(w, "entry", types[i].type, register_schema(w, types[i].type, 0, &id),
               types[i].of_entry);
        expect(w, "counter", types[i].type, w->nvtxw->counter_register(w->domain, &counter, &id),
               types[i].of_counter);
    }
    expect(w, "itself", STATIC + 1, register_schema(w, STATIC + 1, STATIC + 1, NULL), true);
    writing_expect(w, 0, "");
}

/* Without an id that is chosen the caller has to take the one that it gets. */
static void test_ids_without_a_place(void **state)
{
    struct writing *w = *state;
    for (uint64_t chosen = 0; chosen <= STATIC; chosen += STATIC) {
        const bool is_chosen = chosen != 0;
        const nvtxScopeAttr_t scope = {sizeof(scope), "s", NVTX_SCOPE_ROOT, chosen};
        const nvtxTimeDomainAttr_t time = {.timeDomainId = chosen};
        const nvtxCounterAttr_t counter = {
            .structSize = sizeof(counter), .schemaId = INT64, .name = "c", .counterId = chosen};
        expect(w, "scope", chosen, w->nvtxw->scope_register(w->domain, &scope, NULL), is_chosen);
        expect(w, "clock", chosen, w->nvtxw->time_domain_register(w->domain, &time, NULL),
               is_chosen);
        expect(w, "counter", chosen, w->nvtxw->counter_register(w->domain, &counter, NULL),
               is_chosen);
        expect(w, "schema", chosen, register_schema(w, INT64, chosen, NULL), is_chosen);
    }
    writing_expect(w, 0, "");
}

static void test_payloads(void **state)
{
    struct writing *w = *state;
    const struct mark mark = {5, NULL};
    const struct {
        uint64_t schema;
        const void *bytes;
        size_t size;
        bool is_taken;
    } payloads[] = {
        {w->mark, &mark, sizeof(mark), true},
        {w->mark, &mark, SIZE_MAX, true},
        {w->mark, NULL, sizeof(mark), false},
        {w->mark, &mark, 0, false},
        {w->mark, &mark, 15, false},
        {INT64, &mark, 8, true},
        {INT64, &mark, 16, true}, /* two of them */
        {INT64, &mark, 3, false},
        {INT64, &mark, 0, false},
        {INT64, NULL, 8, false},
        {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", 4, true},
        {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", SIZE_MAX, true},
        {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "", 0, true},
        {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "text", 3, false},
        {NVTX_TYPE_PAYLOAD_SCHEMA_RAW, "raw", 3, true},
        {0, &mark, 16, false},
        {500, &mark, 16, false},
        {STATIC, &mark, 16, false},
    };
    for (size_t i = 0; i < sizeof(payloads) / sizeof(*payloads); i++) {
        const nvtxPayloadData_t both[] = {
            {.schemaId = w->mark, .size = sizeof(mark), .payload = &mark},
            {payloads[i].schema, payloads[i].size, payloads[i].bytes}};
        expect(w, "payload", i, w->nvtxw->event_write(w->stream, both, 2), payloads[i].is_taken);
    }
    assert_int_equal(w->nvtxw->stream_close(w->stream), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->n_marks, 8); /* taken */
}

/* The scope of a batch may be one of the machine that writes. */
static void test_scope_of_a_batch(void **state)
{
    struct writing *w = *state;
    const struct mark mark = {5, writing_string(w, "mark")};
    register_own(w);
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        const nvtxEventBatch_t batch = {
            .eventSchemaId = w->mark, .size = sizeof(mark), .events = &mark, .scope = scopes[i].id};
        expect(w, "batch", scopes[i].id, w->nvtxw->event_batch_write(w->stream, &batch),
               scopes[i].of_clock);
    }
}

static void test_long_output(void **state)
{
    struct writing *w = *state;
    char config[6000] = "output=";
    struct nvtxw_session *out = NULL;
    const struct nvtxw_session_attributes a = {sizeof(a), "long", config};
    memset(config + strlen(config), 'q', 5000);
    assert_int_equal(w->nvtxw->session_begin(&a, &out), NVTXW_INVALID_ARGUMENT);
    assert_non_null(strstr(w->error(), "too long"));
    assert_null(out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_set_up, writing_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_scopes),     TEST(test_time_domains),     TEST(test_types),
        TEST(test_payloads),   TEST(test_scope_of_a_batch), TEST(test_ids_without_a_place),
        TEST(test_long_output)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
