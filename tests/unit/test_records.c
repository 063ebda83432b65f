/* SPDX-License-Identifier: Apache-2.0 */
/* Write N records, read N events: every type, every combination of attributes, every time. */
#include "unit.h"

#include "base/crc32c.h"
#include "log/records.h"

/* A recording of one process with one thread; free with finish(). */
struct one {
    struct rfw *w;
    uint32_t process;
    struct rfw_stream *s;
    rf_recording *rec;
};

static struct one begin(void)
{
    struct one o = {.w = rfw_new()};
    o.process = rfw_process(o.w, 100, "app");
    o.s = rfw_stream(o.w, o.process, 0, 100, 1);
    return o;
}

/* Saves and opens it; the events of its thread. */
static const struct rf_event *read_back(struct one *o, size_t *n)
{
    o->rec = rfw_reopen(o->w, 0, 0);
    assert_int_equal(rf_n_threads(o->rec), 1);
    return rf_thread_events(o->rec, 0, n);
}

static void finish(struct one *o)
{
    rf_close(o->rec);
    rfw_free(o->w);
}

static const char *name_of(const struct one *o, const struct rf_event *event)
{
    return rf_string(o->rec, event->name, NULL);
}

static void test_empty(void **state)
{
    struct rfw *w = rfw_new();
    size_t n = 9;
    (void)state;
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_processes(rec), 0);
    assert_int_equal(rf_n_threads(rec), 0);
    assert_int_equal(rf_get_info(rec)->n_events, 0);
    assert_null(rf_thread_events(rec, 0, &n));
    assert_int_equal(n, 0);
    assert_null(rf_process_at(rec, 0));
    assert_null(rf_thread_at(rec, 0));
    assert_null(rf_domain_at(rec, 0));
    assert_null(rf_start_end_at(rec, 0));
    assert_null(rf_string(rec, RF_NO_STRING, &n));
    assert_null(rf_message_at(rec, 0));
    rf_close(rec);
    rfw_free(w);
    rf_close(NULL);
    rf_cursor_free(NULL);
}

/* Every combination of message, color, category, payload type and domain, on all three records. */
#define N_COMBINATIONS (4 * 2 * 2 * 8 * 3)

static struct rfw_attr combination(uint32_t i, uint32_t domain, uint32_t string)
{
    struct rfw_attr a = {.color = 0xff000000u + i, .category = 7 + i, .payload = 1000 + i};
    uint32_t message = i % 4;
    a.text = message == 1 ? "in line" : NULL;
    a.string = message == 2 ? string : 0;
    a.is_null_message = message == 3;
    a.has_color = i / 4 % 2;
    a.has_category = i / 8 % 2;
    a.payload_kind = i / 16 % 8;
    a.domain = i / 128 == 0 ? 0 : i / 128 == 1 ? domain : 0x123456789aULL;
    return a;
}

static void check_combination(const struct one *o, const struct rf_event *e, uint32_t i, int kind)
{
    struct rfw_attr a = combination(i, 1, 1);
    const struct rf_domain *domain = rf_domain_at(o->rec, e->domain);
    static const char *const names[] = {NULL, "in line", "registered", NULL};
    assert_int_equal(e->kind, kind);
    assert_int_equal(e->payload_type, a.payload_kind);
    assert_int_equal(e->payload, a.payload_kind == RF_PAYLOAD_NONE ? 0 : a.payload);
    assert_int_equal(e->color, a.has_color ? a.color : 0);
    assert_int_equal(e->category, a.has_category ? a.category : 0);
    assert_int_equal(e->flags, (a.has_color ? RF_EVENT_HAS_COLOR : 0) |
                                   (a.has_category ? RF_EVENT_HAS_CATEGORY : 0) |
                                   (a.string ? RF_EVENT_REGISTERED : 0));
    if (names[i % 4] == NULL)
        assert_int_equal(e->name, RF_NO_STRING);
    else
        assert_string_equal(name_of(o, e), names[i % 4]);
    assert_int_equal(domain->id, a.domain < UINT32_MAX ? a.domain : UINT32_MAX);
    assert_int_equal(domain->is_valid, i / 128 < 2);
    assert_int_equal(domain->handle, i / 128 < 2 ? 0 : a.domain);
}

static void test_attributes(void **state)
{
    struct one o = begin();
    uint32_t domain = rfw_domain(o.w, o.process, 0, 7, "lib");
    uint32_t string = rfw_string(o.w, o.process, 0, 7, domain, "registered");
    int64_t ns = 100;
    size_t n;
    (void)state;
    for (uint32_t i = 0; i < N_COMBINATIONS; i++) {
        struct rfw_attr a = combination(i, domain, string);
        rfw_mark(o.s, ns++, &a);
        rfw_push(o.s, ns++, &a);
        uint64_t id = rfw_start(o.s, ns++, &a);
        rfw_pop(o.s, ns++, a.domain);
        rfw_end(o.s, ns++, id);
    }
    o.rec = rfw_reopen(o.w, 0, 0);
    assert_int_equal(rf_n_threads(o.rec), 2); /* the definitions' thread has no number: last */
    const struct rf_event *e = rf_thread_events(o.rec, 0, &n);
    assert_int_equal(n, 3 * N_COMBINATIONS);
    for (uint32_t i = 0; i < N_COMBINATIONS; i++, e += 3) {
        check_combination(&o, &e[0], i, RF_EVENT_MARK);
        check_combination(&o, &e[1], i, RF_EVENT_PUSH_POP);
        check_combination(&o, &e[2], i, RF_EVENT_START_END);
        assert_int_equal(e[1].end_ns - e[1].start_ns, 2);
        assert_int_equal(e[2].end_ns - e[2].start_ns, 2);
        assert_int_equal(rf_start_end_at(o.rec, e[2].link)->number, i + 1);
        assert_int_equal(rf_start_end_at(o.rec, e[2].link)->id, rf_range_id(0, 0, i + 1));
    }
    assert_int_equal(rf_get_info(o.rec)->n_cut, 0);
    assert_int_equal(rf_get_info(o.rec)->n_unmatched_ends, 0);
    finish(&o);
}

/* Text of every length around the limits: the record's words, the long form, whole parts. */
static void test_text_lengths(void **state)
{
    static const size_t around[] = {0,   1,     7,     8,     9,     24,    480,    487,    488,
                                    489, 65000, 65376, 65384, 65392, 65400, 131072, 1048576};
    const size_t n_lengths = sizeof(around) / sizeof(around[0]);
    struct one o = begin();
    char *text = malloc(1048576 + 1);
    size_t n;
    (void)state;
    assert_non_null(text);
    memset(text, 'm', 1048576);
    for (size_t i = 0; i < n_lengths; i++) {
        text[around[i]] = 0;
        rfw_push(o.s, 10 * (int64_t)i, &(struct rfw_attr){.text = text});
        rfw_pop(o.s, 10 * (int64_t)i + 5, 0);
        text[around[i]] = 'm';
    }
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, n_lengths);
    for (size_t i = 0; i < n_lengths; i++) {
        size_t size;
        const char *got = rf_string(o.rec, e[i].name, &size);
        assert_int_equal(size, around[i]);
        assert_memory_equal(got, text, size);
        assert_int_equal(got[size], 0);
        assert_int_equal(e[i].end_ns, 10 * (int64_t)i + 5);
    }
    free(text);
    finish(&o);
}

/* Text whose continuation is missing keeps what is there; a continuation without a beginning is
 * passed over. */
static void test_text_cut(void **state)
{
    struct one o = begin();
    char text[70000];
    size_t n, size;
    (void)state;
    memset(text, 'q', sizeof(text));
    rfw_mark(o.s, 10, &(struct rfw_attr){.text = text, .text_size = sizeof(text)});
    rfw_mark(o.s, 20, &(struct rfw_attr){.text = "after"});
    assert_int_equal(o.s->n_parts, 2);
    /* the part that the text goes on in is replaced by one without it */
    size_t skip = 8 * (rf_load64(o.s->part[1]->records.data + 8) >> 32);
    struct rfw_bytes *records = &o.s->part[1]->records;
    memmove(records->data, records->data + skip, records->size - skip);
    records->size -= skip;
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, 2);
    assert_non_null(rf_string(o.rec, e[0].name, &size));
    assert_int_equal(size, RFW_PART_ROOM - 16);
    assert_string_equal(name_of(&o, &e[1]), "after");
    finish(&o);

    o = begin();
    rfw_mark(o.s, 10, &(struct rfw_attr){.text = text, .text_size = sizeof(text)});
    rfw_mark(o.s, 20, &(struct rfw_attr){.text = "after"});
    o.s->part[0]->place = RFW_NOWHERE;
    e = read_back(&o, &n);
    assert_int_equal(n, 1);
    assert_string_equal(name_of(&o, &e[0]), "after");
    assert_int_equal(rf_get_info(o.rec)->n_lost_parts, 1);
    finish(&o);
}

static void test_bytes_are_kept(void **state)
{
    struct one o = begin();
    size_t n;
    (void)state;
    rfw_mark(o.s, 1, &(struct rfw_attr){.text = "\xff\xfe\xc3 not UTF-8"});
    rfw_mark(o.s, 2, &(struct rfw_attr){.text = "tab\tnewline\nquote\""});
    rfw_mark(o.s, 3, &(struct rfw_attr){.text = "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80"});
    rfw_mark(o.s, 4, &(struct rfw_attr){.text = ""});
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, 4);
    assert_string_equal(name_of(&o, &e[0]), "\xff\xfe\xc3 not UTF-8");
    assert_string_equal(name_of(&o, &e[1]), "tab\tnewline\nquote\"");
    assert_string_equal(name_of(&o, &e[2]), "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80");
    assert_string_equal(name_of(&o, &e[3]), "");
    finish(&o);
}

static void test_sync_and_unknown(void **state)
{
    struct one o = begin();
    uint32_t domain = rfw_domain(o.w, o.process, 0, 100, "locks");
    uint32_t lock = rfw_sync_create(o.w, o.process, 5, 100, domain, "mutex");
    const uint64_t unknown[] = {31 | 3 << 5 | (RFW_TICKS_0 + 15) << 11, 1, 2};
    size_t n;
    (void)state;
    rfw_mark(o.s, 10, NULL);
    rfw_raw(o.s, unknown, 3);
    rfw_sync(o.s, 20, lock, RF_SYNC_ACQUIRE_START);
    rfw_sync(o.s, 30, lock, RF_SYNC_RELEASING);
    rfw_sync(o.s, 40, 0x1234, RF_SYNC_ACQUIRE_FAILED);
    rfw_sync_destroy(o.w, o.process, 50, 100, lock);
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, 7);
    assert_int_equal(e[1].kind, RF_EVENT_SYNC_CREATE);
    assert_string_equal(name_of(&o, &e[1]), "mutex");
    assert_int_equal(e[1].sync_index, lock);
    assert_int_equal(e[2].kind, RF_EVENT_MARK);
    assert_int_equal(e[2].name, RF_NO_STRING);
    assert_int_equal(e[3].kind, RF_EVENT_SYNC);
    assert_int_equal(e[3].sync_operation, RF_SYNC_OPERATION_ACQUIRE_START);
    assert_int_equal(e[3].sync_index, lock);
    assert_int_equal(rf_domain_at(o.rec, e[3].domain)->id, 1);
    assert_int_equal(e[4].sync_operation, RF_SYNC_OPERATION_RELEASING);
    assert_int_equal(e[5].sync_index, 0x1234);
    assert_int_equal(e[5].handle, 0x1234);
    assert_int_equal(rf_domain_at(o.rec, e[5].domain)->id, 0);
    assert_int_equal(e[6].kind, RF_EVENT_SYNC_DESTROY);
    assert_int_equal(e[6].handle, lock);
    finish(&o);
}

/* ---- Times ---- */

static void test_complete_ticks(void **state)
{
    const uint64_t wrap = 1ULL << 53, mask = wrap - 1;
    (void)state;
    assert_int_equal(rf_complete_ticks(100, 200), 200);
    assert_int_equal(rf_complete_ticks(100, 100), 100);
    assert_int_equal(rf_complete_ticks(3 * wrap + 5, 6), 3 * wrap + 6);
    assert_int_equal(rf_complete_ticks(4 * wrap - 1, 3), 4 * wrap + 3);
    /* a little earlier is earlier, also across the wrap */
    assert_int_equal(rf_complete_ticks(3 * wrap + 500, 400), 3 * wrap + 400);
    assert_int_equal(rf_complete_ticks(3 * wrap + 5, mask), 3 * wrap - 1);
    assert_int_equal(rf_complete_ticks(wrap + (1ULL << 51), 0), wrap);
    /* more than 2^51 earlier is the future */
    assert_int_equal(rf_complete_ticks(wrap + (1ULL << 51) + 1, 0), 2 * wrap);
}

/* A counter that passes a multiple of 2^53 in the middle of a part. */
static void test_ticks_wrap(void **state)
{
    struct one o = begin();
    const uint64_t start = (7ULL << 53) - 50;
    size_t n;
    (void)state;
    o.w->control.clock_kind = RF_CLOCK_TSC;
    for (int i = 0; i < 2; i++)
        o.w->control.clock[i].ticks = start + (uint64_t)i * 10000000000ULL;
    o.w->process[0]->defs.size = 0; /* their clock is another one */
    o.s->ticks_offset = start - RFW_TICKS_0;
    for (int64_t i = 0; i < 100; i++) {
        rfw_push(o.s, 2 * i, NULL);
        rfw_pop(o.s, 2 * i + 1, 0);
    }
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, 100);
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(e[i].start_ns, 2 * i);
        assert_int_equal(e[i].end_ns, 2 * i + 1);
    }
    finish(&o);
}

/* A record that was interrupted carries an earlier time than what stands before it. */
static void test_backwards(void **state)
{
    struct one o = begin();
    size_t n;
    (void)state;
    rfw_mark(o.s, 50, &(struct rfw_attr){.text = "b"});
    rfw_mark(o.s, 40, &(struct rfw_attr){.text = "a"});
    rfw_mark(o.s, 60, &(struct rfw_attr){.text = "c"});
    rfw_push(o.s, 70, NULL);
    rfw_pop(o.s, 65, 0);
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, 4);
    assert_string_equal(name_of(&o, &e[0]), "a");
    assert_string_equal(name_of(&o, &e[1]), "b");
    assert_string_equal(name_of(&o, &e[2]), "c");
    assert_int_equal(e[0].start_ns, 40);
    assert_int_equal(e[3].start_ns, 70);
    assert_int_equal(e[3].end_ns, 70);
    assert_int_equal(e[3].flags, RF_EVENT_CLAMPED);
    finish(&o);
}

static void test_many_parts(void **state)
{
    struct one o = begin();
    const int64_t n_ranges = 40000;
    size_t n;
    (void)state;
    for (int64_t i = 0; i < n_ranges; i++) {
        rfw_push(o.s, 3 * i, &(struct rfw_attr){.text = i % 2 ? "odd" : "even"});
        rfw_pop(o.s, 3 * i + 1 + i % 2, 0);
    }
    assert_true(o.s->n_parts > 10);
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, n_ranges);
    for (int64_t i = 0; i < n_ranges; i++) {
        assert_int_equal(e[i].start_ns, 3 * i);
        assert_int_equal(e[i].end_ns, 3 * i + 1 + i % 2);
        assert_string_equal(name_of(&o, &e[i]), i % 2 ? "odd" : "even");
    }
    finish(&o);
}

/* A length that leads out of the part, or nowhere, ends the part; the rest counts as damaged. */
static void test_bad_lengths(void **state)
{
    static const uint64_t bad[][2] = {
        {RF_REC_MARK | 63ull << 5, 0}, /* more words than there are */
        {RF_REC_MARK, 1ull << 32},     /* a long record without room for its length */
        {RF_REC_MARK, 0},              /* no length at all */
        {RF_REC_MARK, 0xffffffffull << 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct one o = begin();
        size_t n;
        rfw_mark(o.s, 10, NULL);
        rfw_raw(o.s, bad[i], 2);
        const struct rf_event *e = read_back(&o, &n);
        assert_int_equal(n, 1);
        assert_int_equal(e[0].start_ns, 10);
        assert_int_equal(rf_get_info(o.rec)->n_damaged_bytes, 16);
        finish(&o);
    }
}

/* Records that are shorter than their attributes say. */
static void test_short_records(void **state)
{
    const uint64_t all = RF_ATTR_DOMAIN_ESCAPE | 2u << 24 | RF_ATTR_COLOR | RF_ATTR_CATEGORY |
                         7u << 28 | 0xffffffffull << 32;
    const uint64_t words[] = {RF_REC_MARK | 2 << 5 | (RFW_TICKS_0 + 20) << 11,
                              all,
                              RF_REC_MARK | 1 << 5 | (RFW_TICKS_0 + 30) << 11,
                              RF_REC_END | 1 << 5 | (RFW_TICKS_0 + 40) << 11,
                              RF_REC_POP_DOMAIN | 1 << 5 | (RFW_TICKS_0 + 50) << 11,
                              RF_REC_SYNC | 2 << 5 | (RFW_TICKS_0 + 60) << 11,
                              1,
                              RF_REC_THREAD | 1 << 5 | (RFW_TICKS_0 + 70) << 11,
                              RF_REC_THREAD_END | 2 << 5 | (RFW_TICKS_0 + 80) << 11,
                              1};
    struct one o = begin();
    size_t n;
    (void)state;
    rfw_mark(o.s, 10, NULL);
    rfw_raw(o.s, words, sizeof(words) / 8);
    const struct rf_event *e = read_back(&o, &n);
    assert_int_equal(n, 3);
    assert_int_equal(e[1].flags, RF_EVENT_HAS_COLOR | RF_EVENT_HAS_CATEGORY | RF_EVENT_REGISTERED |
                                     RF_EVENT_BAD_HANDLE);
    assert_string_equal(name_of(&o, &e[1]), "0x0");
    assert_int_equal(rf_get_info(o.rec)->n_unmatched_ends, 1); /* the pop */
    finish(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_text_lengths),   cmocka_unit_test(test_text_cut),
        cmocka_unit_test(test_bytes_are_kept), cmocka_unit_test(test_sync_and_unknown),
        cmocka_unit_test(test_complete_ticks), cmocka_unit_test(test_ticks_wrap),
        cmocka_unit_test(test_backwards),      cmocka_unit_test(test_many_parts),
        cmocka_unit_test(test_bad_lengths),    cmocka_unit_test(test_short_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
