/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a program of NVTXW: each byte chooses a function, and the bytes behind it are its
 * arguments. What was written is opened, if the session could be ended. Pointers are good, and
 * pointers in payloads are followed for one schema alone; sizes, ids, flags, times and the order of
 * calls are anything. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvtxw/nvtxw_abi.h"

int nvtxwGetInterface(int32_t version, const void **out);
void nvtxwFinalize(void);

enum { MOST_STREAMS = 4, MOST_CALLS = 500, ENTRIES = 4 };

struct state {
    const struct nvtxw_interface *nvtxw;
    const uint8_t *at, *end;
    struct nvtxw_session *session;
    nvtxDomainHandle_t domain[2];
    struct nvtxw_stream *stream[MOST_STREAMS];
    uint64_t id[8]; /* that were given out, or chosen */
};

static uint64_t number(struct state *s, size_t size)
{
    uint64_t value = 0;
    size = size < (size_t)(s->end - s->at) ? size : (size_t)(s->end - s->at);
    memcpy(&value, s->at, size);
    s->at += size;
    return value;
}

static uint64_t byte(struct state *s)
{
    return number(s, 1);
}

/* A small number, one that was given out, or any. */
static uint64_t id(struct state *s)
{
    const uint64_t how = byte(s);
    return how < 128 ? how : how < 240 ? s->id[how & 7] : number(s, 8);
}

static nvtxDomainHandle_t domain(struct state *s)
{
    return s->domain[byte(s) & 1];
}

static struct nvtxw_stream *stream(struct state *s)
{
    return s->stream[byte(s) % MOST_STREAMS];
}

/* As many bytes as the input still has, at most. */
static size_t size_of_rest(struct state *s, size_t most)
{
    const size_t rest = (size_t)(s->end - s->at);
    return most < rest ? most : rest;
}

static void add_schema(struct state *s)
{
    nvtxPayloadSchemaEntry_t entry[ENTRIES];
    nvtxSemanticsTime_t time[ENTRIES];
    const size_t n = 1 + byte(s) % ENTRIES;
    memset(entry, 0, sizeof(entry));
    memset(time, 0, sizeof(time));
    for (size_t i = 0; i < n; i++) {
        entry[i].flags = number(s, 2) & ~(uint64_t)NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;
        entry[i].type = id(s);
        entry[i].name = "entry";
        entry[i].arrayOrUnionDetail = byte(s);
        entry[i].offset = byte(s);
        time[i].header.structSize = sizeof(time[i]);
        time[i].header.semanticId = NVTX_SEMANTIC_ID_TIME_V1;
        time[i].timeDomainId = id(s);
        entry[i].semantics = byte(s) & 1 ? &time[i].header : NULL;
    }
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = UINT64_MAX,
                                       .type = byte(s) & 3,
                                       .flags =
                                           byte(s) & ~(uint64_t)NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY,
                                       .entries = entry,
                                       .numEntries = n,
                                       .payloadStaticSize = byte(s),
                                       .packAlign = byte(s) & 15,
                                       .schemaId = byte(s) & 1 ? id(s) : 0};
    (void)s->nvtxw->schema_register(domain(s), &a, &s->id[byte(s) & 7]);
}

static void add_others(struct state *s)
{
    const nvtxScopeAttr_t scope = {sizeof(scope), "scope[0]", id(s), id(s)};
    const nvtxCounterAttr_t counter = {
        .structSize = sizeof(counter), .schemaId = id(s), .name = "counter", .scopeId = id(s)};
    const nvtxTimeDomainAttr_t time = {
        .scopeId = id(s), .timestampTypeId = id(s), .timerResolution = (int64_t)number(s, 4)};
    nvtxStringHandle_t string;
    (void)s->nvtxw->scope_register(domain(s), &scope, &s->id[byte(s) & 7]);
    (void)s->nvtxw->counter_register(domain(s), &counter, &s->id[byte(s) & 7]);
    (void)s->nvtxw->time_domain_register(domain(s), &time, &s->id[byte(s) & 7]);
    (void)s->nvtxw->string_register(domain(s), "string", &string);
    (void)s->nvtxw->category_register(domain(s), (uint32_t)byte(s), "category");
}

static void open_stream(struct state *s)
{
    char name[2] = {(char)byte(s), '\0'};
    const struct nvtxw_stream_attributes a = {.struct_size = sizeof(a),
                                              .name = name,
                                              .domain = domain(s),
                                              .scope = id(s),
                                              .time_domain = id(s),
                                              .ordering = (int16_t)(byte(s) & 3),
                                              .skid_amount = (int64_t)byte(s)};
    struct nvtxw_stream *opened;
    if (s->nvtxw->stream_open(s->session, &a, &opened) == NVTXW_SUCCESS)
        s->stream[byte(s) % MOST_STREAMS] = opened;
}

static void write_event(struct state *s)
{
    nvtxPayloadData_t payload[2];
    size_t n = 1 + (byte(s) & 1);
    for (size_t i = 0; i < n; i++) {
        payload[i].schemaId = id(s);
        payload[i].size = size_of_rest(s, byte(s));
        payload[i].payload = s->at;
    }
    (void)s->nvtxw->event_write(stream(s), payload, n);
}

static void write_batch(struct state *s)
{
    const uint64_t schema = id(s), scope = id(s), flags = number(s, 8);
    const size_t wanted[] = {number(s, 2), byte(s), byte(s)}; /* nothing is read behind these */
    const size_t offset = size_of_rest(s, wanted[1]), flex = size_of_rest(s, wanted[2]);
    const nvtxEventBatch_t batch = {.eventSchemaId = schema,
                                    .size = size_of_rest(s, wanted[0]),
                                    .events = s->at,
                                    .scope = scope,
                                    .flags = flags,
                                    .flexData = flags & 1 ? s->at : NULL,
                                    .flexDataSize = flex > offset ? flex - offset : 0,
                                    .flexDataOffset = offset};
    (void)s->nvtxw->event_batch_write(stream(s), &batch);
}

static void write_samples(struct state *s)
{
    static int64_t times[32];
    const uint64_t counter = id(s), flags = (uint64_t)number(s, 2) << 24;
    for (size_t i = 0; i < 32; i++)
        times[i] = (int64_t)number(s, byte(s) & 8 ? 8 : 1);
    const size_t times_size = byte(s), wanted = byte(s), single = byte(s) & 15;
    const nvtxCounterBatch_t batch = {.counterId = counter,
                                      .counters = s->at,
                                      .countersSize = size_of_rest(s, wanted),
                                      .flags = flags,
                                      .timestamps = times,
                                      .timestampsSize = times_size};
    (void)s->nvtxw->counter_batch_write(stream(s), &batch);
    const size_t size = size_of_rest(s, single);
    const uint8_t *value = s->at;
    (void)s->nvtxw->counter_write(stream(s), times[0], counter, value, size);
    (void)s->nvtxw->counter_no_value_write(stream(s), times[1], counter, (uint8_t)byte(s));
}

/* ---- Pointers ---- */

enum { MOST_NODES = 8 };

struct node {
    int64_t time;
    const struct node *next;
    const char *text;
    const uint8_t *bytes;
    uint64_t n; /* of bytes */
};

/* Its entry `next` leads to the schema itself, which has the id that it asks for. */
static uint64_t add_node_schema(struct state *s, nvtxDomainHandle_t in, uint64_t wanted)
{
    const uint64_t pointer = NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;
    const nvtxPayloadSchemaEntry_t entry[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP, .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64},
        {.flags = pointer, .type = wanted, .name = "next", .offset = offsetof(struct node, next)},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
         .offset = offsetof(struct node, text)},
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64, .offset = offsetof(struct node, n)},
        {.flags = pointer | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_UINT8,
         .arrayOrUnionDetail = 3,
         .offset = offsetof(struct node, bytes)}};
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = UINT64_MAX,
                                       .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                       .entries = entry,
                                       .numEntries = 5,
                                       .payloadStaticSize = sizeof(struct node),
                                       .schemaId = wanted};
    uint64_t id = 0;
    return s->nvtxw->schema_register(in, &a, &id) == NVTXW_SUCCESS ? id : 0;
}

/* Nodes lead to each other, or to themselves. */
static void write_pointers(struct state *s)
{
    struct node node[MOST_NODES];
    const size_t n = 1 + byte(s) % MOST_NODES;
    const uint64_t schema = add_node_schema(s, domain(s), ((uint64_t)1 << 24) + 1 + byte(s));
    memset(node, 0, sizeof(node));
    for (size_t i = 0; i < n; i++) {
        const uint64_t to = byte(s);
        node[i].time = (int64_t)byte(s);
        node[i].next = to < MOST_NODES ? &node[to] : NULL;
        node[i].text = byte(s) & 1 ? "text" : NULL;
        node[i].n = size_of_rest(s, byte(s));
        node[i].bytes = s->at;
    }
    const nvtxPayloadData_t payload = {
        .schemaId = schema, .size = sizeof(node[0]), .payload = node};
    const nvtxEventBatch_t batch = {
        .eventSchemaId = schema, .size = n * sizeof(node[0]), .events = node};
    (void)s->nvtxw->event_write(stream(s), &payload, 1);
    (void)s->nvtxw->event_batch_write(stream(s), &batch);
}

static void write_clocks(struct state *s)
{
    const uint64_t from = id(s), to = id(s), bits = number(s, 8);
    const nvtxSyncPoint_t points[] = {{(int64_t)number(s, 8), (int64_t)number(s, 8)},
                                      {(int64_t)byte(s), (int64_t)byte(s)}};
    double slope;
    memcpy(&slope, &bits, sizeof(slope));
    (void)s->nvtxw->time_sync_point_table_write(stream(s), from, to, points, 1 + (byte(s) & 1));
    (void)s->nvtxw->timestamp_conversion_factor_write(stream(s), from, to, slope, points[1].src,
                                                      points[1].dst);
}

static void run(struct state *s)
{
    for (int i = 0; i < MOST_CALLS && s->at < s->end; i++) {
        switch (byte(s) % 9) {
        case 0:
            add_schema(s);
            break;
        case 1:
            add_others(s);
            break;
        case 2:
            open_stream(s);
            break;
        case 3:
            (void)s->nvtxw->stream_close(stream(s));
            break;
        case 4:
            write_event(s);
            break;
        case 5:
            write_batch(s);
            break;
        case 6:
            write_samples(s);
            break;
        case 7:
            write_clocks(s);
            break;
        default:
            (void)s->nvtxw->domain_register(s->session, NULL, &s->domain[0]);
            if (byte(s) & 1)
                write_pointers(s);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/fuzz_nvtxw-XXXXXX";
    static int has_folder;
    char path[64], config[128];
    struct state s = {.at = data, .end = data + size};
    const struct nvtxw_domain_attributes named = {sizeof(named), "named"};
    const void *table = NULL;
    if (!has_folder && mkdtemp(folder) == NULL)
        abort();
    has_folder = 1;
    (void)snprintf(path, sizeof(path), "%s/a.rf", folder);
    (void)snprintf(config, sizeof(config), "output=%s|force=true", path);
    const struct nvtxw_session_attributes a = {sizeof(a), "fuzz", config};
    if (nvtxwGetInterface(NVTXW_VERSION, &table) != NVTXW_SUCCESS)
        abort();
    s.nvtxw = table;
    if (s.nvtxw->session_begin(&a, &s.session) != NVTXW_SUCCESS ||
        s.nvtxw->domain_register(s.session, NULL, &s.domain[0]) != NVTXW_SUCCESS ||
        s.nvtxw->domain_register(s.session, &named, &s.domain[1]) != NVTXW_SUCCESS)
        abort();
    run(&s);
    if (s.nvtxw->session_end(s.session) != NVTXW_SUCCESS)
        abort();
    fuzz_open(path);
    nvtxwFinalize();
    (void)unlink(path);
    (void)rmdir(folder);
    has_folder = 0;
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    return 0;
}
