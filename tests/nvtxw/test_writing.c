/* SPDX-License-Identifier: Apache-2.0 */
/* Data with explicit times becomes a recording that has it, at those times. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "writing.h"

#define SYSTEM_MONOTONIC NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC
#define SYSTEM_REALTIME  NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME

static void range(struct writing *w, struct nvtxw_stream *stream, uint64_t schema, int64_t begin,
                  int64_t end, const char *name)
{
    const struct range r = {begin, end, writing_string(w, name)};
    assert_int_equal(writing_event(w, stream, schema, &r, sizeof(r)), NVTXW_SUCCESS);
}

static void test_kinds(void **state)
{
    struct writing *w = *state;
    const int64_t pop = 700;
    const struct mark push = {600, writing_string(w, "pushed")};
    const struct start start = {42, 50, writing_string(w, "started")};
    const int64_t end[2] = {42, 900};
    range(w, w->stream, w->push_pop, 100, 500, "outer");
    range(w, w->stream, w->push_pop, 200, 300, "inner");
    range(w, w->stream, w->push_pop, 250, 400, "crosses");
    range(w, w->stream, w->start_end, 150, 800, "free");
    assert_int_equal(writing_mark(w, 220, "mark"), NVTXW_SUCCESS);
    assert_int_equal(writing_event(w, w->stream, w->push, &push, sizeof(push)), NVTXW_SUCCESS);
    assert_int_equal(writing_event(w, w->stream, w->pop, &pop, sizeof(pop)), NVTXW_SUCCESS);
    assert_int_equal(writing_event(w, w->stream, w->start, &start, sizeof(start)), NVTXW_SUCCESS);
    assert_int_equal(writing_event(w, w->stream, w->end, end, sizeof(end)), NVTXW_SUCCESS);
    writing_expect(w, 50,
                   "main started 50-900)\nmain outer 100-500]\nmain free 150-800)\n"
                   "main inner 200-300]\nmain mark 220\nmain crosses 250-400)\n"
                   "main pushed 600-700]\n");
}

/* Streams are threads of their own, which have their scope; a batch has one too. */
static void test_streams_and_scopes(void **state)
{
    struct writing *w = *state;
    uint64_t disk = 0, part = (uint64_t)1 << 24;
    const nvtxScopeAttr_t a = {.structSize = sizeof(a), .path = "disk[0]", .parentScope = 1};
    assert_int_equal(w->nvtxw->scope_register(w->domain, &a, &disk), NVTXW_SUCCESS);
    const nvtxScopeAttr_t b = {
        .structSize = sizeof(b), .path = "part[3]", .parentScope = disk, .scopeId = part};
    assert_int_equal(w->nvtxw->scope_register(w->domain, &b, NULL), NVTXW_SUCCESS);
    struct nvtxw_stream *io =
        writing_open(w, "io", (struct nvtxw_stream_attributes){.scope = disk});
    range(w, w->stream, w->push_pop, 10, 20, "compute");
    range(w, io, w->push_pop, 12, 15, "read");
    const struct mark marks[] = {{13, writing_string(w, "one")}, {14, writing_string(w, "two")}};
    const nvtxEventBatch_t batch = {
        .eventSchemaId = w->mark, .size = sizeof(marks), .events = marks, .scope = part};
    assert_int_equal(w->nvtxw->event_batch_write(io, &batch), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->stream_close(io), NVTXW_SUCCESS);
    writing_expect(w, 10,
                   "main compute 10-20]\nio/disk[0] read 12-15)\nio/disk[0]/part[3] one 13\n"
                   "io/disk[0]/part[3] two 14\n");
}

static void test_counters(void **state)
{
    struct writing *w = *state;
    const uint64_t whole = writing_counter(w, "whole", NVTX_PAYLOAD_ENTRY_TYPE_INT64);
    const uint64_t real = writing_counter(w, "real", NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE);
    const uint64_t small = writing_counter(w, "small", NVTX_PAYLOAD_ENTRY_TYPE_UINT16);
    const int64_t seven = 7, times[] = {1300, 1100}, every[] = {2000, 10};
    const double half = 0.5;
    const uint16_t values[] = {3, 4}, five = 5;
    assert_int_equal(w->nvtxw->counter_write(w->stream, 1000, whole, &seven, 8), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->counter_no_value_write(w->stream, 1010, whole, 1), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->counter_no_value_write(w->stream, 1020, whole, 2), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->counter_write(w->stream, 1005, real, &half, 8), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->counter_write(w->stream, 1006, small, &five, 2), NVTXW_SUCCESS);
    nvtxCounterBatch_t batch = {.counterId = small,
                                .counters = values,
                                .countersSize = sizeof(values),
                                .timestamps = times,
                                .timestampsSize = sizeof(times)};
    assert_int_equal(w->nvtxw->counter_batch_write(w->stream, &batch), NVTXW_SUCCESS);
    batch.timestamps = every;
    batch.flags = NVTX_COUNTER_BATCH_FLAG_ENDTIME_INTERVAL_PAIR;
    assert_int_equal(w->nvtxw->counter_batch_write(w->stream, &batch), NVTXW_SUCCESS);
    writing_expect(w, 1000,
                   "whole: 1000=7 1010=7 1020=none\nreal: 1005=0.5\n"
                   "small: 1006=5 1100=4 1300=3 1990=3 2000=4\n");
}

static uint64_t schema_of(struct writing *w, const nvtxPayloadSchemaEntry_t *entries, size_t n,
                          size_t size)
{
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
                                       .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                       .entries = entries,
                                       .numEntries = n,
                                       .payloadStaticSize = size};
    uint64_t id = 0;
    assert_int_equal(w->nvtxw->schema_register(w->domain, &a, &id), NVTXW_SUCCESS);
    return id;
}

/* Time 0 is the earliest one that was written, also where it stands in samples, or in events of a
 * batch whose size is left to be computed. */
static void test_times_inside(void **state)
{
    struct writing *w = *state;
    const nvtxPayloadSchemaEntry_t sample[] = {{.flags = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
                                                .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                                .name = "at"},
                                               {.flags = NVTX_PAYLOAD_ENTRY_FLAG_COUNTER,
                                                .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                                .name = "value"}};
    const nvtxPayloadSchemaEntry_t range[] = {{.flags = NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN,
                                               .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                               .name = "begin"},
                                              {.flags = NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END,
                                               .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                               .name = "end"}};
    const uint64_t counter = writing_counter(w, "inside", schema_of(w, sample, 2, 16));
    const int64_t samples[] = {3000, 7, 90000, 8}, ranges[] = {50000, 60000, 1000, 2000};
    const nvtxCounterBatch_t batch = {
        .counterId = counter, .counters = samples, .countersSize = sizeof(samples)};
    const nvtxEventBatch_t events = {
        .eventSchemaId = schema_of(w, range, 2, 0), .size = sizeof(ranges), .events = ranges};
    assert_int_equal(writing_mark(w, 40000, "late"), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->counter_batch_write(w->stream, &batch), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->event_batch_write(w->stream, &events), NVTXW_SUCCESS);
    writing_expect(w, 1000,
                   "main - 1000-2000)\nmain late 40000\nmain - 50000-60000)\n"
                   "inside.value: 3000=7 90000=8\n");
}

/* Text, arrays and what else varies is kept whole, across parts. */
static void test_long_events(void **state)
{
    struct writing *w = *state;
    enum { LONG = 200000 };
    char *text = malloc(LONG + 1);
    const nvtxPayloadSchemaEntry_t entry = {.flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE |
                                                     NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
                                            .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
                                            .name = "message"};
    const nvtxPayloadSchemaAttr_t a = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                    NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
                                       .type = NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC,
                                       .entries = &entry,
                                       .numEntries = 1};
    uint64_t message = 0;
    assert_int_equal(w->nvtxw->schema_register(w->domain, &a, &message), NVTXW_SUCCESS);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    for (int64_t i = 0; i < 5; i++) {
        const struct mark mark = {1000 + i, NULL};
        const nvtxPayloadData_t payloads[] = {
            {.schemaId = w->mark, .size = sizeof(mark), .payload = &mark},
            {.schemaId = message, .size = (size_t)(LONG - i), .payload = text}};
        assert_int_equal(w->nvtxw->event_write(w->stream, payloads, 2), NVTXW_SUCCESS);
    }
    char *expected = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&expected, &size);
    for (int i = 0; i < 5; i++)
        (void)fprintf(out, "main %.*s %d\n", LONG - i, text, 1000 + i);
    (void)fclose(out);
    writing_expect(w, 1000, expected);
    free(expected);
    free(text);
}

/* So is a long name of what is defined; one of more than 16 MiB is refused. */
static void test_long_names(void **state)
{
    enum { LONG = 100000, TOO_LONG = 17 << 20 };
    struct writing *w = *state;
    char *name = malloc(TOO_LONG + 1), *expected = NULL;
    const nvtxPayloadSchemaEntry_t sample[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP, .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64},
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_COUNTER,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
         .name = "value"}};
    const int64_t values[] = {3000, 7};
    const uint64_t schema = schema_of(w, sample, 2, 16);
    nvtxCounterAttr_t refused = {.structSize = sizeof(refused), .schemaId = schema, .name = name};
    uint64_t id = 0;
    memset(name, 'x', TOO_LONG);
    name[TOO_LONG] = '\0';
    assert_int_equal(w->nvtxw->counter_register(w->domain, &refused, &id), NVTXW_INVALID_ARGUMENT);
    name[LONG] = '\0';
    const nvtxCounterBatch_t batch = {.counterId = writing_counter(w, name, schema),
                                      .counters = values,
                                      .countersSize = sizeof(values)};
    struct nvtxw_stream *stream = writing_open(w, name, (struct nvtxw_stream_attributes){0});
    const struct mark mark = {3001, NULL};
    assert_int_equal(writing_event(w, stream, w->mark, &mark, sizeof(mark)), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->counter_batch_write(w->stream, &batch), NVTXW_SUCCESS);
    assert_true(asprintf(&expected, "%s - 3001\n%s.value: 3000=7\n", name, name) > 0);
    writing_expect(w, 3000, expected);
    free(expected);
    free(name);
}

/* ---- Clocks ---- */

static uint64_t time_domain(struct writing *w, uint64_t type, int64_t resolution)
{
    uint64_t id = 0;
    const nvtxTimeDomainAttr_t a = {.timestampTypeId = type, .timerResolution = resolution};
    assert_int_equal(w->nvtxw->time_domain_register(w->domain, &a, &id), NVTXW_SUCCESS);
    return id;
}

static struct nvtxw_stream *with_clock(struct writing *w, const char *name, uint64_t clock)
{
    return writing_open(w, name, (struct nvtxw_stream_attributes){.time_domain = clock});
}

/* Everything is on CLOCK_MONOTONIC where that is known, whenever the points are written. */
static void test_clocks(void **state)
{
    struct writing *w = *state;
    const uint64_t device = time_domain(w, 0, 1000), other = time_domain(w, 0, 0);
    const uint64_t alias = time_domain(w, SYSTEM_MONOTONIC, 0);
    struct nvtxw_stream *mono = with_clock(w, "mono", SYSTEM_MONOTONIC);
    struct nvtxw_stream *slow = with_clock(w, "slow", device), *far = with_clock(w, "far", other);
    struct nvtxw_stream *same = with_clock(w, "same", alias);
    const nvtxSyncPoint_t points[] = {{0, 500}, {100, 700}};
    range(w, mono, w->push_pop, 5000000, 9000000, "mono");
    range(w, slow, w->push_pop, 3, 4, "slow");
    range(w, far, w->push_pop, 100, 150, "far");
    range(w, same, w->push_pop, 6000000, 7000000, "same");
    assert_int_equal(w->nvtxw->time_sync_point_write(slow, device, SYSTEM_MONOTONIC, 0, 4000000),
                     NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->time_sync_point_table_write(far, other, alias, points, 2),
                     NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->stream_close(w->stream), NVTXW_SUCCESS);
    writing_expect(w, 700,
                   "mono mono 5000000-9000000]\nslow slow 7000000-8000000]\nfar far 700-800]\n"
                   "same same 6000000-7000000]\n");
}

/* A recording of one clock that nobody relates to another one is on that clock. */
static void test_own_clock(void **state)
{
    struct writing *w = *state;
    const uint64_t device = time_domain(w, 0, 1000000);
    struct nvtxw_stream *s = with_clock(w, "device", device);
    range(w, s, w->push_pop, 5, 9, "work");
    writing_expect(w, 5000, "device work 5000-9000]\n");
}

static void test_conversion(void **state)
{
    struct writing *w = *state;
    const uint64_t device = time_domain(w, 0, 0);
    struct nvtxw_stream *s = with_clock(w, "device", device);
    assert_int_equal(w->nvtxw->timestamp_conversion_factor_write(s, device, 0, 2.5, 100, 10000),
                     NVTXW_SUCCESS);
    range(w, s, w->push_pop, 100, 104, "work");
    assert_int_equal(writing_mark(w, 10005, "mark"), NVTXW_SUCCESS);
    writing_expect(w, 10000, "main mark 10005\ndevice work 10000-10010]\n");
}

/* CLOCK_REALTIME and CLOCK_MONOTONIC go together as on this machine. */
static void test_time_of_day(void **state)
{
    struct writing *w = *state;
    struct timespec real;
    (void)clock_gettime(CLOCK_REALTIME, &real);
    const int64_t now = real.tv_sec * 1000000000 + real.tv_nsec;
    struct nvtxw_stream *s = with_clock(w, "wall", SYSTEM_REALTIME);
    range(w, s, w->push_pop, now, now + 1000000000, "second");
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->epoch_utc_ns, now);
}

/* A clock that nothing is known of: the events are there, and it is said. */
static void test_unknown_clock(void **state)
{
    struct writing *w = *state;
    const uint64_t device = time_domain(w, 0, 0);
    struct nvtxw_stream *s = with_clock(w, "device", device);
    range(w, s, w->push_pop, 77, 78, "somewhere");
    assert_int_equal(writing_mark(w, 500, "known"), NVTXW_SUCCESS);
    writing_expect(w, 500, "main known 500\ndevice somewhere 500-500]?\n");
}

/* ---- What is wrong ---- */

static void test_refused(void **state)
{
    struct writing *w = *state;
    const struct nvtxw_interface *n = w->nvtxw;
    const struct range r = {1, 2, NULL};
    const int64_t value = 1;
    const uint64_t counter = writing_counter(w, "c", NVTX_PAYLOAD_ENTRY_TYPE_INT64);
    struct nvtxw_stream *out = NULL;
    const nvtxEventBatch_t lies = {.eventSchemaId = w->push_pop, .size = 25, .events = &r};
    const nvtxEventBatch_t nothing = {.eventSchemaId = w->push_pop, .size = 24};
    const nvtxCounterBatch_t odd = {.counterId = counter,
                                    .counters = &value,
                                    .countersSize = 8,
                                    .timestamps = &value,
                                    .timestampsSize = 7};
    struct nvtxw_stream_attributes a = {sizeof(a), "main", NULL, 0, 0, 0, 0, 0, 0};
    assert_int_equal(writing_event(w, w->stream, w->push_pop, &r, 23), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(writing_event(w, w->stream, 1234567890, &r, 24), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->event_batch_write(w->stream, &lies), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->event_batch_write(w->stream, &nothing), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->counter_batch_write(w->stream, &odd), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->counter_write(w->stream, 1, counter, &value, 4), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->counter_write(w->stream, 1, 99, &value, 8), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->counter_no_value_write(w->stream, 1, counter, 3), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->timestamp_conversion_factor_write(w->stream, 0, 14, NAN, 0, 0),
                     NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->time_sync_point_write(w->stream, 1 << 25, 14, 0, 0),
                     NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->stream_open(w->session, &a, &out), NVTXW_INVALID_ARGUMENT); /* its name */
    a.name = "b";
    a.time_domain = 1 << 25;
    assert_int_equal(n->stream_open(w->session, &a, &out), NVTXW_INVALID_ARGUMENT);
    a.time_domain = 0;
    a.ordering = 9;
    assert_int_equal(n->stream_open(w->session, &a, &out), NVTXW_INVALID_ARGUMENT);
    assert_null(out);
    assert_true(strlen(w->error()) > 0);
    assert_int_equal(n->event_write(w->stream, NULL, 1), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(n->session_begin(NULL, NULL), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(writing_mark(w, 5, "still works"), NVTXW_SUCCESS);
    writing_expect(w, 5, "main still works 5\n");
}

/* A text in one file of memory that is mapped again and again. */
static void test_huge_string(void **state)
{
    enum { STEP = 2 << 20 };
    static const size_t most = (size_t)256 << 20;
    struct writing *w = *state;
    const int fd = memfd_create("text", 0);
    char *text = mmap(NULL, most + STEP, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    nvtxStringHandle_t handle = NULL;
    assert_true(fd >= 0 && text != MAP_FAILED && ftruncate(fd, STEP) == 0);
    for (size_t at = 0; at < most; at += STEP)
        assert_ptr_equal(
            mmap(text + at, STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0),
            text + at);
    assert_int_equal(mprotect(text + most, STEP, PROT_READ | PROT_WRITE), 0);
    memset(text, 'x', STEP);
    text[most] = 'x'; /* one more than may be */
    assert_int_equal(w->nvtxw->string_register(w->domain, text, &handle), NVTXW_INVALID_ARGUMENT);
    assert_string_equal(w->error(), "a name has more than 256 MiB");
    assert_null(handle);
    (void)munmap(text, most + STEP);
    (void)close(fd);
}

static void test_too_late(void **state)
{
    struct writing *w = *state;
    const struct mark mark = {5, NULL};
    struct nvtxw_session *session = w->session;
    uint64_t id;
    const nvtxScopeAttr_t scope = {.structSize = sizeof(scope), .path = "x", .parentScope = 1};
    assert_int_equal(w->nvtxw->stream_close(w->stream), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->stream_close(w->stream), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(writing_event(w, w->stream, w->mark, &mark, sizeof(mark)),
                     NVTXW_INVALID_ARGUMENT);
    writing_expect(w, 0, "");
    assert_int_equal(w->nvtxw->session_end(session), NVTXW_INVALID_ARGUMENT);
    assert_int_equal(w->nvtxw->scope_register(w->domain, &scope, &id), NVTXW_INVALID_ARGUMENT);
}

/* Streams that nothing was written to, or nothing more than a part: those after them lose nothing.
 */
static void test_empty_streams(void **state)
{
    struct writing *w = *state;
    const struct mark mark = {5, writing_string(w, "m")};
    for (int i = 0; i < 4; i++) {
        struct nvtxw_stream *s = writing_open(w, "s", (struct nvtxw_stream_attributes){0});
        if (i % 2 != 0)
            assert_int_equal(writing_event(w, s, w->mark, &mark, sizeof(mark)), NVTXW_SUCCESS);
        assert_int_equal(w->nvtxw->stream_close(s), NVTXW_SUCCESS);
    }
    writing_expect(w, 5, "s m 5\ns m 5\n");
    assert_int_equal(rf_get_info(w->rec)->n_lost_records, 0);
    assert_int_equal(rf_get_info(w->rec)->n_lost_about, 0);
}

static void test_order(void **state)
{
    struct writing *w = *state;
    const struct mark marks[] = {{50, writing_string(w, "a")},
                                 {45, writing_string(w, "b")},
                                 {30, writing_string(w, "c")},
                                 {60, writing_string(w, "d")}};
    struct nvtxw_stream *s = writing_open(
        w, "ordered",
        (struct nvtxw_stream_attributes){
            .ordering = NVTXW_ORDERING_STRICT, .skid = NVTXW_SKID_TIME_NS, .skid_amount = 5});
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(writing_event(w, s, w->mark, &marks[i], sizeof(marks[i])), NVTXW_SUCCESS);
    writing_expect(w, 30, "ordered c 30\nordered b 45\nordered a 50\nordered d 60\n");
    assert_string_equal(rf_message_at(w->rec, 0),
                        "1 events of the stream 'ordered' are not in the order that it promised");
}

/* A strict order, and a skid, are of one clock, and in its unit. */
static void test_order_of_clocks(void **state)
{
    struct writing *w = *state;
    const nvtxTimeDomainAttr_t us = {.timerResolution = 1000000};
    const nvtxSemanticsTime_t real = {{sizeof(real), NVTX_SEMANTIC_ID_TIME_V1, 1, NULL},
                                      SYSTEM_REALTIME};
    const nvtxPayloadSchemaEntry_t entry = {.flags = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
                                            .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                            .semantics = &real.header};
    const uint64_t of_real = schema_of(w, &entry, 1, 8);
    uint64_t ticks = 0;
    assert_int_equal(w->nvtxw->time_domain_register(w->domain, &us, &ticks), NVTXW_SUCCESS);
    struct nvtxw_stream *two = writing_open(
        w, "two", (struct nvtxw_stream_attributes){.time_domain = SYSTEM_MONOTONIC, .ordering = 1});
    struct nvtxw_stream *coarse =
        writing_open(w, "coarse",
                     (struct nvtxw_stream_attributes){.time_domain = ticks,
                                                      .ordering = NVTXW_ORDERING_STRICT,
                                                      .skid = NVTXW_SKID_TIME_NS,
                                                      .skid_amount = 1500}); /* two ticks */
    struct nvtxw_stream *unknown =
        writing_open(w, "unknown",
                     (struct nvtxw_stream_attributes){.time_domain = NVTX_TIMESTAMP_TYPE_CPU_TSC,
                                                      .ordering = NVTXW_ORDERING_STRICT,
                                                      .skid = NVTXW_SKID_TIME_NS,
                                                      .skid_amount = 1});
    for (int64_t i = 0; i < 3; i++) {
        const struct mark mark = {1000 + i, NULL};
        const int64_t at = 1700000000000000000 + i;
        assert_int_equal(writing_event(w, two, w->mark, &mark, sizeof(mark)), NVTXW_SUCCESS);
        assert_int_equal(writing_event(w, two, of_real, &at, sizeof(at)), NVTXW_SUCCESS);
    }
    const int64_t times[] = {1000, 998, 997, 2000};
    for (size_t i = 0; i < 4; i++) {
        const struct mark mark = {times[i], NULL};
        assert_int_equal(writing_event(w, coarse, w->mark, &mark, sizeof(mark)), NVTXW_SUCCESS);
        assert_int_equal(writing_event(w, unknown, w->mark, &mark, sizeof(mark)), NVTXW_SUCCESS);
    }
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_string_equal(rf_message_at(w->rec, 0),
                        "1 events of the stream 'coarse' are not in the order that it promised");
    assert_null(rf_message_at(w->rec, 1));
}

/* Times count wherever a structure has them: in one that is nested, in each element of an array,
 * and whatever their size is. */
static void test_times_in_structures(void **state)
{
    struct writing *w = *state;
    const uint64_t stamp = NVTX_PAYLOAD_ENTRY_FLAG_MARK | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP;
    const nvtxPayloadSchemaEntry_t small = {.flags = stamp, .type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32};
    const nvtxPayloadSchemaEntry_t inner[] = {
        {.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT8},
        {.flags = stamp, .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "t"}};
    const uint64_t in = schema_of(w, inner, 2, 0);
    const nvtxPayloadSchemaEntry_t outer[] = {{.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32},
                                              {.type = in, .name = "in"}};
    const nvtxPayloadSchemaEntry_t array[] = {{.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32},
                                              {.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
                                               .type = schema_of(w, outer, 2, 0),
                                               .arrayOrUnionDetail = 6}};
    const struct {
        uint32_t unused;
        struct {
            uint32_t unused;
            struct {
                uint8_t unused;
                int64_t t;
            } in;
        } outer[6];
    } event = {.outer = {{.in.t = 5000},
                         {.in.t = 6000},
                         {.in.t = 7000},
                         {.in.t = 8000},
                         {.in.t = 9000},
                         {.in.t = 4000}}};
    const uint32_t least = 3000;
    assert_int_equal(writing_event(w, w->stream, schema_of(w, array, 2, 0), &event, sizeof(event)),
                     NVTXW_SUCCESS);
    assert_int_equal(writing_event(w, w->stream, schema_of(w, &small, 1, 4), &least, 4),
                     NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->epoch_mono_ns, 3000);
    assert_int_equal(rf_get_info(w->rec)->end_ns, 6000);
}

/* Times as far as they can be are not used, which is counted, and do no harm to the others. */
static void test_far(void **state)
{
    struct writing *w = *state;
    assert_int_equal(writing_mark(w, -1000, "before"), NVTXW_SUCCESS);
    assert_int_equal(writing_mark(w, INT64_MAX, "last"), NVTXW_SUCCESS);
    assert_int_equal(writing_mark(w, 5, "five"), NVTXW_SUCCESS);
    assert_int_equal(writing_mark(w, INT64_MIN, "first"), NVTXW_SUCCESS);
    assert_int_equal(writing_mark(w, -1, "-1"), NVTXW_SUCCESS);
    assert_int_equal(writing_mark(w, 0, "0"), NVTXW_SUCCESS);
    writing_expect(w, -1000,
                   "main before -1000\nmain last -1000?\nmain first -1000?\nmain -1 -1\n"
                   "main 0 0\nmain five 5\n");
    assert_int_equal(rf_get_info(w->rec)->end_ns, 1005);
}

/* ---- Files ---- */

static void test_names(void **state)
{
    struct writing *w = *state;
    struct nvtxw_session *again = NULL;
    char config[5000], other[5000];
    struct stat st;
    writing_expect(w, 0, "");
    (void)snprintf(config, sizeof(config), "output=%s", w->path);
    struct nvtxw_session_attributes a = {sizeof(a), "x", config};
    assert_int_equal(w->nvtxw->session_begin(&a, &again), NVTXW_FAILED);
    assert_non_null(strstr(w->error(), "exists already"));
    (void)snprintf(config, sizeof(config), "output=%s|force=true", w->path);
    assert_int_equal(w->nvtxw->session_begin(&a, &again), NVTXW_SUCCESS);
    assert_int_equal(w->nvtxw->session_end(again), NVTXW_SUCCESS);
    assert_int_equal(chdir(w->folder), 0);
    a.config = NULL;
    a.name = "../a/b";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(w->nvtxw->session_begin(&a, &again), NVTXW_SUCCESS);
        assert_int_equal(w->nvtxw->session_end(again), NVTXW_SUCCESS);
    }
    (void)snprintf(other, sizeof(other), "%s/_._a_b-2.rf", w->folder);
    assert_int_equal(stat(other, &st), 0);
    (void)snprintf(config, sizeof(config), "output=%s/no/folder.rf", w->folder);
    a.config = config;
    assert_int_equal(w->nvtxw->session_begin(&a, &again), NVTXW_FAILED);
    assert_int_equal(chdir("/"), 0);
}

/* A process that ends without ending its session leaves a directory, which has everything. */
static void test_never_ended(void **state)
{
    struct writing *w = *state;
    char path[5000], config[5000];
    const pid_t child = fork();
    if (child == 0) {
        struct nvtxw_session *session = NULL;
        (void)snprintf(config, sizeof(config), "output=%s/left.rf", w->folder);
        const struct nvtxw_session_attributes a = {sizeof(a), "left", config};
        const struct mark mark = {5, NULL};
        /* the parent's session is not the child's */
        if (writing_event(w, w->stream, w->mark, &mark, sizeof(mark)) != NVTXW_INVALID_ARGUMENT ||
            w->nvtxw->session_end(w->session) != NVTXW_INVALID_ARGUMENT)
            _exit(2);
        if (w->nvtxw->session_begin(&a, &session) != NVTXW_SUCCESS)
            _exit(3);
        w->session = session;
        const struct nvtxw_domain_attributes domain = {sizeof(domain), NULL};
        const struct nvtxw_stream_attributes stream = {.struct_size = sizeof(stream), .name = "s"};
        const nvtxCounterAttr_t c = {
            .structSize = sizeof(c), .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "count"};
        uint64_t counter = 0;
        if (w->nvtxw->domain_register(session, &domain, &w->domain) != NVTXW_SUCCESS ||
            w->nvtxw->stream_open(session, &stream, &w->stream) != NVTXW_SUCCESS ||
            w->nvtxw->counter_register(w->domain, &c, &counter) != NVTXW_SUCCESS)
            _exit(4);
        for (int64_t i = 0; i < 100000; i++)
            if (w->nvtxw->counter_write(w->stream, i, counter, &i, 8) != NVTXW_SUCCESS)
                _exit(5);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    (void)snprintf(path, sizeof(path), "%s/left.rfdir", w->folder);
    assert_int_equal(rf_open(path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_n_counters(w->rec), 1);
    assert_int_equal(rf_counter_at(w->rec, 0)->n_samples, 100000);
}

/* ---- Threads ---- */

struct worker {
    struct writing *w;
    struct nvtxw_stream *stream;
    uint64_t counter;
    int number, result;
};

enum { WORKERS = 8, PER_WORKER = 20000 };

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct writing *w = worker->w;
    for (int64_t i = 0; i < PER_WORKER && worker->result == NVTXW_SUCCESS; i++) {
        const struct mark mark = {worker->number * PER_WORKER + i, NULL};
        worker->result = writing_event(w, worker->stream, w->mark, &mark, sizeof(mark));
        if (i % 1000 == 0) {
            nvtxStringHandle_t string;
            worker->result |= w->nvtxw->string_register(w->domain, "text", &string);
            worker->result |= w->nvtxw->counter_write(w->stream, i, worker->counter, &i, 8);
        }
    }
    return NULL;
}

/* Half of the threads share a stream. */
static void test_threads(void **state)
{
    struct writing *w = *state;
    struct worker worker[WORKERS];
    pthread_t thread[WORKERS];
    const uint64_t counter = writing_counter(w, "shared", NVTX_PAYLOAD_ENTRY_TYPE_INT64);
    for (int i = 0; i < WORKERS; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "s%d", i);
        worker[i] = (struct worker){
            w, i % 2 == 0 ? w->stream : writing_open(w, name, (struct nvtxw_stream_attributes){0}),
            counter, i, NVTXW_SUCCESS};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(worker[i].result, NVTXW_SUCCESS);
    }
    assert_int_equal(w->nvtxw->session_end(w->session), NVTXW_SUCCESS);
    w->session = NULL;
    assert_int_equal(rf_open(w->path, 0, &w->rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(w->rec)->n_marks, WORKERS * PER_WORKER);
    assert_int_equal(rf_counter_at(w->rec, 0)->n_samples, WORKERS * PER_WORKER / 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_set_up, writing_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_kinds),         TEST(test_streams_and_scopes), TEST(test_counters),
        TEST(test_long_events),   TEST(test_long_names),         TEST(test_times_inside),
        TEST(test_clocks),        TEST(test_own_clock),          TEST(test_conversion),
        TEST(test_time_of_day),   TEST(test_unknown_clock),      TEST(test_refused),
        TEST(test_huge_string),   TEST(test_too_late),           TEST(test_order),
        TEST(test_far),           TEST(test_order_of_clocks),    TEST(test_times_in_structures),
        TEST(test_names),         TEST(test_never_ended),        TEST(test_threads),
        TEST(test_empty_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
