/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred events of NVTX: wherever their times lie, push/pop ranges nest, and nothing is left out.
 */
#include "unit.h"

#include "rf_counter_writer.h"
#include "rf_payload_writer.h"

#define ID(n)        ((1ULL << 32) + (n))
#define N_OF(a)      ((uint32_t)(sizeof(a) / sizeof((a)[0])))
#define PUSH_POP     (2u << 3)
#define MARK         (4u << 3)
#define PUSH         (5u << 3)
#define POP          (6u << 3)
#define TIMESTAMP    (2u << 10)
#define RANGE_BEGIN  (TIMESTAMP | 1u << 12)
#define RANGE_END    (TIMESTAMP | 2u << 12)
#define INT64        17u
#define SCOPE_THREAD 22u

struct one {
    struct rfw *w;
    uint32_t process, domain;
    struct rfw_stream *s;
    rf_recording *rec;
    const struct rf_event *event;
    size_t n;
};

struct range {
    int64_t begin, end;
};

static struct one begin(void)
{
    struct one o = {.w = rfw_new()};
    o.process = rfw_process(o.w, 100, "app");
    o.domain = rfw_domain(o.w, o.process, 1, 100, "engine");
    o.s = rfw_stream(o.w, o.process, 0, 100, 1);
    return o;
}

static void read_back(struct one *o)
{
    o->rec = rfw_reopen(o->w, 0, 0);
    o->event = rf_thread_events(o->rec, 0, &o->n);
}

static void finish(struct one *o)
{
    rf_close(o->rec);
    rfw_free(o->w);
}

static void define_ranges(struct one *o, uint64_t id, uint64_t flags)
{
    const struct rfw_entry entries[] = {{RANGE_BEGIN, INT64, "begin", 0, 0},
                                        {RANGE_END, INT64, "end", 0, 8}};
    const struct rfw_schema schema = {
        .id = id, .domain = o->domain, .flags = flags, .size = sizeof(struct range)};
    rfw_define_schema(o->w, o->process, &schema, entries, N_OF(entries));
}

static void define_points(struct one *o, uint64_t id, uint64_t flags)
{
    const struct rfw_entry entry = {TIMESTAMP, INT64, "at", 0, 0};
    const struct rfw_schema schema = {.id = id, .domain = o->domain, .flags = flags, .size = 8};
    rfw_define_schema(o->w, o->process, &schema, &entry, 1);
}

static void submit(struct one *o, int64_t ns, uint64_t schema, uint64_t scope, const void *events,
                   size_t size)
{
    rfw_batch(o->s, ns, o->domain, schema, scope, 0, 0);
    rfw_array(o->s, ns, 0, events, size);
}

/* Of each two push/pop ranges of a domain one contains the other, or they have nothing in common.
 */
static void assert_nested(const struct one *o)
{
    for (size_t i = 0; i < o->n; i++) {
        const struct rf_event *a = &o->event[i];
        assert_true(i == 0 || a[-1].start_ns <= a->start_ns);
        for (size_t k = i + 1; k < o->n; k++) {
            const struct rf_event *b = &o->event[k];
            if (a->kind == RF_EVENT_PUSH_POP && b->kind == RF_EVENT_PUSH_POP &&
                a->domain == b->domain)
                assert_true(b->end_ns <= a->end_ns || b->start_ns >= a->end_ns);
        }
    }
}

static size_t count(const struct one *o, enum rf_event_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++)
        n += o->event[i].kind == kind;
    return n;
}

/* Small numbers that look random, the same in each run. */
static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return *seed >> 33;
}

static void test_ranges_nest_whatever_they_cross(void **state)
{
    enum { N = 300 };
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct one o = begin();
        struct range range[N];
        uint64_t random = seed;
        define_ranges(&o, ID(1), PUSH_POP);
        for (int i = 0; i < 20; i++)
            rfw_push(o.s, 100 + 10 * i, &(struct rfw_attr){.text = "live", .domain = o.domain});
        for (int i = 0; i < 20; i++)
            rfw_pop(o.s, 400 + 10 * i, o.domain);
        for (int i = 0; i < N; i++) {
            range[i].begin = (int64_t)(RFW_TICKS_0 + next(&random) % 900);
            range[i].end = range[i].begin + (int64_t)(next(&random) % 200) - 20;
        }
        submit(&o, 1000, ID(1), SCOPE_THREAD, range, sizeof(range));
        read_back(&o);
        assert_nested(&o);
        assert_int_equal(count(&o, RF_EVENT_PUSH_POP) + count(&o, RF_EVENT_START_END), N + 20);
        assert_true(count(&o, RF_EVENT_START_END) > 0);
        finish(&o);
    }
}

static void test_ranges_without_a_thread_are_on_no_stack(void **state)
{
    struct one o = begin();
    const struct range range = {(int64_t)RFW_TICKS_0 + 5, (int64_t)RFW_TICKS_0 + 7};
    (void)state;
    define_ranges(&o, ID(1), PUSH_POP);
    submit(&o, 10, ID(1), 0, &range, sizeof(range));
    submit(&o, 11, ID(1), SCOPE_THREAD, &range, sizeof(range));
    read_back(&o);
    assert_int_equal(count(&o, RF_EVENT_START_END), 1);
    assert_int_equal(count(&o, RF_EVENT_PUSH_POP), 1);
    finish(&o);
}

static void test_times_at_the_edges(void **state)
{
    static const int64_t times[] = {INT64_MIN, INT64_MAX, 0, -1, 1};
    struct one o = begin();
    struct range range[25];
    (void)state;
    define_ranges(&o, ID(1), PUSH_POP);
    define_points(&o, ID(2), MARK);
    for (int i = 0; i < 25; i++)
        range[i] = (struct range){times[i / 5], times[i % 5]};
    submit(&o, 10, ID(1), SCOPE_THREAD, range, sizeof(range));
    submit(&o, 11, ID(2), 0, times, sizeof(times));
    read_back(&o);
    assert_nested(&o);
    assert_int_equal(count(&o, RF_EVENT_PUSH_POP) + count(&o, RF_EVENT_START_END), 25);
    assert_int_equal(count(&o, RF_EVENT_MARK), 5);
    for (size_t i = 0; i < o.n; i++)
        assert_true(o.event[i].end_ns == RF_NO_TIME || o.event[i].end_ns >= o.event[i].start_ns);
    finish(&o);
}

static void test_begins_and_ends_of_their_own(void **state)
{
    struct one o = begin();
    const int64_t pushes[] = {RFW_TICKS_0 + 11, RFW_TICKS_0 + 12, RFW_TICKS_0 + 30};
    const int64_t pops[] = {RFW_TICKS_0 + 19, RFW_TICKS_0 + 15, RFW_TICKS_0 + 10};
    (void)state;
    define_points(&o, ID(1), PUSH);
    define_points(&o, ID(2), POP);
    submit(&o, 50, ID(2), SCOPE_THREAD, pops, sizeof(pops));
    submit(&o, 51, ID(1), SCOPE_THREAD, pushes, sizeof(pushes));
    read_back(&o);
    assert_int_equal(o.n, 3 + 1); /* and the creation of the domain */
    const struct rf_event *e = o.event;
    while (e->kind != RF_EVENT_PUSH_POP)
        e++;
    assert_int_equal(e[0].end_ns - e[0].start_ns, 8);
    assert_int_equal(e[1].end_ns - e[1].start_ns, 3);
    assert_int_not_equal(e[2].cut, RF_CUT_NONE);
    assert_int_equal(rf_get_info(o.rec)->n_unmatched_ends, 1);
    finish(&o);
}

static void test_batches_that_are_not_whole(void **state)
{
    struct one o = begin();
    const struct range range[2] = {{(int64_t)RFW_TICKS_0 + 1, (int64_t)RFW_TICKS_0 + 2}};
    (void)state;
    define_ranges(&o, ID(1), PUSH_POP);
    submit(&o, 10, ID(1), SCOPE_THREAD, range, sizeof(range[0]) + 3);
    submit(&o, 11, ID(1), SCOPE_THREAD, range, 0);
    submit(&o, 12, ID(9), SCOPE_THREAD, range, sizeof(range));
    rfw_batch(o.s, 13, o.domain, ID(1), 0, 0, 0);
    read_back(&o);
    assert_int_equal(count(&o, RF_EVENT_PUSH_POP), 1);
    assert_int_equal(count(&o, RF_EVENT_START_END), 0);
    finish(&o);
}

/* Arrays that end in the last of many events, whose next entry says where it stands: of such events
 * as many are found as can be with a time that grows with the bytes. */
static void test_batches_with_a_far_zero(void **state)
{
    enum { EVENTS = 400 };
    const struct rfw_entry entries[] = {{2u << 4, 18, "array", 0, 0}, {0, 18, "n", 0, 8}};
    uint64_t events[EVENTS][2];
    struct one o = begin();
    (void)state;
    for (size_t i = 0; i < EVENTS; i++)
        events[i][0] = events[i][1] = i + 1 < EVENTS;
    rfw_define_schema(
        o.w, o.process,
        &(struct rfw_schema){.id = ID(1), .domain = o.domain, .type = 2, .flags = MARK}, entries,
        2);
    submit(&o, 10, ID(1), 0, events, sizeof(events));
    read_back(&o);
    assert_in_range(count(&o, RF_EVENT_MARK), 10, 20);
    finish(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_nest_whatever_they_cross),
        cmocka_unit_test(test_ranges_without_a_thread_are_on_no_stack),
        cmocka_unit_test(test_times_at_the_edges),
        cmocka_unit_test(test_begins_and_ends_of_their_own),
        cmocka_unit_test(test_batches_that_are_not_whole),
        cmocka_unit_test(test_batches_with_a_far_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
