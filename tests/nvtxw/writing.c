/* SPDX-License-Identifier: Apache-2.0 */
#include "writing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/payload/payload_sets.h"
#include "rf_writer.h"

#define ROLE(role) ((uint64_t)(NVTX_PAYLOAD_ENTRY_FLAG_##role))
#define NAME                                                                                       \
    {                                                                                              \
        .flags = ROLE(EVENT_MESSAGE),                                                              \
        .type = NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, .name = "message"           \
    }

static nvtxPayloadSchemaEntry_t time_entry(uint64_t role)
{
    return (nvtxPayloadSchemaEntry_t){
        .flags = role | ROLE(TIMESTAMP), .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "time"};
}

static uint64_t schema(struct writing *w, uint64_t flags, const nvtxPayloadSchemaEntry_t *entries,
                       size_t n, size_t size)
{
    uint64_t id = 0;
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
                                       .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                       .flags = flags,
                                       .entries = entries,
                                       .numEntries = n,
                                       .payloadStaticSize = size};
    assert_int_equal(w->nvtxw->schema_register(w->domain, &a, &id), NVTXW_SUCCESS);
    return id;
}

static void register_schemas(struct writing *w)
{
    const nvtxPayloadSchemaEntry_t name = NAME;
    const nvtxPayloadSchemaEntry_t id = {.type = NVTX_PAYLOAD_ENTRY_TYPE_RANGE_ID, .name = "id"};
    const nvtxPayloadSchemaEntry_t mark[] = {time_entry(ROLE(MARK)), name};
    const nvtxPayloadSchemaEntry_t range[] = {time_entry(ROLE(RANGE_BEGIN)),
                                              time_entry(ROLE(RANGE_END)), name};
    const nvtxPayloadSchemaEntry_t push[] = {time_entry(ROLE(RANGE_BEGIN)), name};
    const nvtxPayloadSchemaEntry_t pop[] = {time_entry(ROLE(RANGE_END))};
    const nvtxPayloadSchemaEntry_t start[] = {id, time_entry(ROLE(RANGE_BEGIN)), name};
    const nvtxPayloadSchemaEntry_t end[] = {id, time_entry(ROLE(RANGE_END))};
    w->mark = schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_MARK, mark, 2, sizeof(struct mark));
    w->push_pop = schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP, range, 3, sizeof(struct range));
    w->start_end =
        schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND, range, 3, sizeof(struct range));
    w->push = schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSH, push, 2, sizeof(struct mark));
    w->pop = schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_POP, pop, 1, 8);
    w->start = schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START, start, 3, sizeof(struct start));
    w->end = schema(w, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_END, end, 2, 16);
}

struct nvtxw_stream *writing_open(struct writing *w, const char *name,
                                  struct nvtxw_stream_attributes a)
{
    struct nvtxw_stream *stream = NULL;
    a.struct_size = sizeof(a);
    a.name = name;
    if (a.domain == NULL)
        a.domain = w->domain;
    if (w->nvtxw->stream_open(w->session, &a, &stream) != NVTXW_SUCCESS)
        fail_msg("%s", w->error());
    return stream;
}

static void load(struct writing *w)
{
    int32_t (*get)(int32_t version, const void **out);
    const void *table = NULL;
    void *library = dlopen(RF_NVTXW, RTLD_NOW);
    assert_non_null(library);
    *(void **)&get = dlsym(library, "nvtxwGetInterface");
    *(void **)&w->error = dlsym(library, "rangefinder_nvtxw_error");
    *(void **)&w->finalize = dlsym(library, "nvtxwFinalize");
    assert_int_equal(get(NVTXW_VERSION, &table), NVTXW_SUCCESS);
    w->nvtxw = table;
}

int writing_set_up(void **state)
{
    struct writing *w = calloc(1, sizeof(*w));
    char config[5000];
    load(w);
    w->folder = rfw_make_tmpdir();
    (void)snprintf(w->path, sizeof(w->path), "%s/a.rf", w->folder);
    (void)snprintf(config, sizeof(config), "#output=no\n other = 1 |output = %s \noutput=later",
                   w->path);
    const struct nvtxw_session_attributes a = {sizeof(a), "a test", config};
    const struct nvtxw_domain_attributes domain = {sizeof(domain), "dom"};
    if (w->nvtxw->session_begin(&a, &w->session) != NVTXW_SUCCESS)
        fail_msg("%s", w->error());
    assert_int_equal(w->nvtxw->domain_register(w->session, &domain, &w->domain), NVTXW_SUCCESS);
    register_schemas(w);
    w->stream = writing_open(w, "main", (struct nvtxw_stream_attributes){.scope = 0});
    *state = w;
    return 0;
}

int writing_tear_down(void **state)
{
    struct writing *w = *state;
    if (w->session != NULL)
        (void)w->nvtxw->session_end(w->session);
    rf_close(w->rec);
    w->finalize();
    rfw_remove_tree(w->folder);
    free(w->folder);
    free(w);
    return 0;
}

nvtxStringHandle_t writing_string(struct writing *w, const char *text)
{
    nvtxStringHandle_t handle = NULL;
    assert_int_equal(w->nvtxw->string_register(w->domain, text, &handle), NVTXW_SUCCESS);
    return handle;
}

int writing_event(struct writing *w, struct nvtxw_stream *stream, uint64_t id, const void *bytes,
                  size_t size)
{
    const nvtxPayloadData_t payload = {.schemaId = id, .size = size, .payload = bytes};
    return w->nvtxw->event_write(stream, &payload, 1);
}

int writing_mark(struct writing *w, int64_t time, const char *name)
{
    const struct mark mark = {time, writing_string(w, name)};
    return writing_event(w, w->stream, w->mark, &mark, sizeof(mark));
}

uint64_t writing_counter(struct writing *w, const char *name, uint64_t id)
{
    uint64_t counter = 0;
    const nvtxCounterAttr_t a = {.structSize = sizeof(a), .schemaId = id, .name = name};
    assert_int_equal(w->nvtxw->counter_register(w->domain, &a, &counter), NVTXW_SUCCESS);
    return counter;
}

/* ---- What was read ---- */

static void show_event(FILE *out, const rf_recording *rec, uint32_t thread,
                       const struct rf_event *event, int64_t zero)
{
    const struct rf_payload_set *set = rf_payload_set_of(rec, event);
    const char *scope = set != NULL ? rf_string(rec, set->scope, NULL) : NULL,
               *name = rf_string(rec, event->name, NULL);
    const char *where = rf_string(rec, rf_thread_at(rec, thread)->name, NULL);
    (void)fprintf(out, "%s%s%s %s %lld", where, scope != NULL ? "/" : "",
                  scope != NULL ? scope : "", name != NULL ? name : "-",
                  (long long)(event->start_ns + zero));
    if (event->kind != RF_EVENT_MARK)
        (void)fprintf(out, "-%lld%c", (long long)(event->end_ns + zero),
                      event->kind == RF_EVENT_PUSH_POP ? ']' : ')');
    if (set != NULL && set->is_placed)
        (void)fputc('?', out);
    (void)fputc('\n', out);
}

static void show_counter(FILE *out, const rf_recording *rec, const struct rf_counter *c,
                         int64_t zero)
{
    (void)fprintf(out, "%s:", rf_string(rec, c->name, NULL));
    for (size_t i = 0; i < c->n_samples; i++) {
        const uint8_t flags = c->nvtx->flags != NULL ? c->nvtx->flags[i] : 0;
        (void)fprintf(out, " %lld=", (long long)(c->ns[i] + zero));
        if (flags & RF_SAMPLE_NO_VALUE)
            (void)fputs("none", out);
        else
            (void)fprintf(out, "%.6g", c->value[i]);
        if (flags & RF_SAMPLE_PLACED)
            (void)fputc('?', out);
    }
    (void)fputc('\n', out);
}

void writing_expect(struct writing *w, int64_t zero, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    struct rf_err err;
    if (w->nvtxw->session_end(w->session) != NVTXW_SUCCESS)
        fail_msg("%s", w->error());
    w->session = NULL;
    if (rf_open(w->path, 0, &w->rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    FILE *out = open_memstream(&text, &size);
    for (uint32_t t = 0; t < rf_n_threads(w->rec); t++) {
        size_t n = 0;
        const struct rf_event *events = rf_thread_events(w->rec, t, &n);
        for (size_t i = 0; i < n; i++)
            show_event(out, w->rec, t, &events[i], zero);
    }
    for (uint32_t i = 0; i < rf_n_counters(w->rec); i++)
        show_counter(out, w->rec, rf_counter_at(w->rec, i), zero);
    (void)fclose(out);
    assert_string_equal(text, expected);
    free(text);
}
