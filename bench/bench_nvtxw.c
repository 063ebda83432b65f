/* SPDX-License-Identifier: Apache-2.0 */
/* How many events one core writes through NVTXW:
 *
 *     bench_nvtxw BACKEND FOLDER [MILLIONS]
 *
 * prints a line for each way to write one: million events per second of CPU time while it is
 * written, and with the session's end. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "nvtxw/nvtxw_abi.h"

struct range {
    int64_t begin, end;
    nvtxStringHandle_t name;
};

struct writing {
    const struct nvtxw_interface *nvtxw;
    struct nvtxw_stream *stream;
    uint64_t schema, counter;
    nvtxStringHandle_t name;
};

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(int result)
{
    if (result != NVTXW_SUCCESS)
        exit(1);
}

static void write_events(const struct writing *w, int64_t n)
{
    struct range range = {0, 0, w->name};
    const nvtxPayloadData_t payload = {w->schema, sizeof(range), &range};
    for (int64_t i = 0; i < n; i++) {
        range.begin = 100 * i;
        range.end = 100 * i + 50;
        check(w->nvtxw->event_write(w->stream, &payload, 1));
    }
}

static void write_batches(const struct writing *w, int64_t n)
{
    enum { BATCH = 1000 };
    static struct range range[BATCH];
    const nvtxEventBatch_t batch = {
        .eventSchemaId = w->schema, .size = sizeof(range), .events = range};
    for (int64_t i = 0; i < n; i += BATCH) {
        for (int64_t k = 0; k < BATCH; k++)
            range[k] = (struct range){100 * (i + k), 100 * (i + k) + 50, w->name};
        check(w->nvtxw->event_batch_write(w->stream, &batch));
    }
}

static void write_samples(const struct writing *w, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        check(w->nvtxw->counter_write(w->stream, 100 * i, w->counter, &i, sizeof(i)));
}

static void prepare(struct writing *w, struct nvtxw_session *session)
{
    nvtxDomainHandle_t domain = NULL;
    const uint64_t time = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP;
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = time | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64},
        {.flags = time | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END, .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE}};
    const nvtxPayloadSchemaAttr_t schema = {.fieldMask = UINT64_MAX,
                                            .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                            .flags = NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP,
                                            .entries = entries,
                                            .numEntries = 3,
                                            .payloadStaticSize = sizeof(struct range)};
    const nvtxCounterAttr_t counter = {
        .structSize = sizeof(counter), .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "count"};
    const struct nvtxw_domain_attributes named = {sizeof(named), "bench"};
    check(w->nvtxw->domain_register(session, &named, &domain));
    check(w->nvtxw->schema_register(domain, &schema, &w->schema));
    check(w->nvtxw->counter_register(domain, &counter, &w->counter));
    check(w->nvtxw->string_register(domain, "work", &w->name));
    const struct nvtxw_stream_attributes stream = {
        .struct_size = sizeof(stream), .name = "stream", .domain = domain};
    check(w->nvtxw->stream_open(session, &stream, &w->stream));
}

static void measure(const struct nvtxw_interface *nvtxw, const char *folder, const char *what,
                    void (*write)(const struct writing *w, int64_t n), int64_t n)
{
    char config[4096];
    struct writing w = {.nvtxw = nvtxw};
    struct nvtxw_session *session = NULL;
    (void)snprintf(config, sizeof(config), "output=%s/%s.rf|force=true", folder, what);
    const struct nvtxw_session_attributes a = {sizeof(a), what, config};
    check(nvtxw->session_begin(&a, &session));
    prepare(&w, session);
    const double begin_s = now_s();
    write(&w, n);
    const double written_s = now_s();
    check(nvtxw->session_end(session));
    const double m = 1e-6 * (double)n;
    (void)printf("%-8s %6.1f M/s, with its end %6.1f M/s\n", what, m / (written_s - begin_s),
                 m / (now_s() - begin_s));
}

int main(int argc, char **argv)
{
    int (*get)(int32_t version, const void **out);
    const void *table = NULL;
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL)
        return 2;
    *(void **)&get = dlsym(library, "nvtxwGetInterface");
    check(get(NVTXW_VERSION, &table));
    const int64_t n = 1000000 * (argc > 3 ? strtoll(argv[3], NULL, 10) : 5);
    measure(table, argv[2], "events", write_events, n);
    measure(table, argv[2], "batches", write_batches, n);
    measure(table, argv[2], "samples", write_samples, n);
    return 0;
}
