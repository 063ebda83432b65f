/* SPDX-License-Identifier: Apache-2.0 */
/* How ranges find their ends, and what becomes of those that have none. */
#include "unit.h"

static const struct rf_event *events_of(const rf_recording *rec, uint32_t thread, size_t n_expected)
{
    size_t n;
    const struct rf_event *e = rf_thread_events(rec, thread, &n);
    assert_int_equal(n, n_expected);
    return e;
}

static void check_range(const rf_recording *rec, const struct rf_event *e, const char *name,
                        int64_t start_ns, int64_t end_ns, int cut)
{
    assert_string_equal(rf_string(rec, e->name, NULL), name);
    assert_int_equal(e->start_ns, start_ns);
    assert_int_equal(e->end_ns, end_ns);
    assert_string_equal(rf_cut_name(e->cut), rf_cut_name(cut));
}

static const struct rfw_attr *named(const char *text)
{
    static struct rfw_attr attr[8];
    static unsigned next;
    struct rfw_attr *a = &attr[next++ % 8];
    *a = (struct rfw_attr){.text = text};
    return a;
}

static void test_stacks(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    uint32_t d = rfw_domain(w, p, 1, 9, "D");
    (void)state;
    rfw_pop(s, 5, 0); /* nothing to pop */
    rfw_push(s, 10, named("a"));
    rfw_push(s, 20, &(struct rfw_attr){.text = "x", .domain = d});
    rfw_push(s, 30, named("b"));
    rfw_pop(s, 40, 0); /* b */
    rfw_pop(s, 50, 0); /* a, though x began later: stacks are per domain */
    rfw_pop(s, 60, d); /* x */
    rfw_pop(s, 70, d);
    rfw_exit(w, p, 80);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 3);
    check_range(rec, &e[0], "a", 10, 50, 0);
    check_range(rec, &e[1], "x", 20, 60, 0);
    check_range(rec, &e[2], "b", 30, 40, 0);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 2);
    assert_int_equal(rf_get_info(rec)->n_cut, 0);
    rf_close(rec);
    rfw_free(w);
}

/* Another thread's pop has no effect on this one's range; its end has. */
static void test_threads(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    (void)state;
    rfw_push(s, 10, named("a"));
    uint64_t id = rfw_start(s, 20, named("r"));
    rfw_pop(t, 30, 0);
    rfw_end(t, 40, id);
    rfw_pop(s, 50, 0);
    rfw_end(s, 60, id); /* twice: the first one counts */
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 2);
    check_range(rec, &e[0], "a", 10, 50, 0);
    check_range(rec, &e[1], "r", 20, 40, 0);
    assert_int_equal(rf_start_end_at(rec, e[1].link)->end_thread, 1);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 2);
    rf_close(rec);
    rfw_free(w);
}

/* Numbers go by start time over the threads of a process; each process counts from 1. */
static void test_numbers(void **state)
{
    struct rfw *w = rfw_new();
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        struct rfw_stream *s = rfw_stream(w, p, 3, 100, 1), *t = rfw_stream(w, p, 0, 101, 2);
        uint64_t a = rfw_start(s, 10, named("1")), b = rfw_start(s, 30, named("3"));
        uint64_t c = rfw_start(t, 20, named("2"));
        rfw_end(s, 40, c);
        rfw_end(s, 50, a);
        rfw_end(s, 60, b);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 4);
    for (uint32_t i = 0; i < 4; i++) {
        size_t n;
        const struct rf_event *e = rf_thread_events(rec, i, &n);
        for (size_t k = 0; k < n; k++) {
            const struct rf_start_end *se = rf_start_end_at(rec, e[k].link);
            assert_int_equal(se->number, atoi(rf_string(rec, e[k].name, NULL)));
            assert_int_equal(se->end_thread, i & 2);
        }
    }
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

static void test_clamped(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    (void)state;
    uint64_t id = rfw_start(s, 50, named("r"));
    rfw_end(t, 45, id);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 1);
    check_range(rec, &e[0], "r", 50, 50, 0);
    assert_int_equal(e[0].flags, RF_EVENT_CLAMPED);
    rf_close(rec);
    rfw_free(w);
}

static void test_bogus_ids(void **state)
{
    static const uint64_t bogus[] = {
        0, 1, 0x1234, UINT64_MAX, (1ULL << 40) | 7, 1ULL << 40, (9ULL << 40) | 1};
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    uint64_t id = rfw_start(s, 10, named("r"));
    for (size_t i = 0; i < sizeof(bogus) / 8; i++)
        rfw_end(s, 20, bogus[i]);
    rfw_end(s, 30, id);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    check_range(rec, events_of(rec, 0, 1), "r", 10, 30, 0);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, sizeof(bogus) / 8);
    assert_int_equal(rf_get_info(rec)->n_foreign_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Cuts ---- */

static void test_cut_thread_ended(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_push(s, 10, named("outer"));
    rfw_push(s, 20, named("inner"));
    uint64_t id = rfw_start(s, 25, named("lives on"));
    rfw_thread_end(s, 30, "worker");
    rfw_thread(s, 40, 101, 2, "next"); /* the slot's next thread */
    rfw_push(s, 50, named("second"));
    rfw_end(s, 55, id);
    rfw_thread(s, 60, 102, 3, "third"); /* the one before it ended unseen */
    rfw_pop(s, 70, 0);
    rfw_exit(w, p, 100);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 3);
    const struct rf_event *e = events_of(rec, 0, 3);
    check_range(rec, &e[0], "outer", 10, 30, RF_CUT_THREAD_ENDED);
    check_range(rec, &e[1], "inner", 20, 30, RF_CUT_THREAD_ENDED);
    check_range(rec, &e[2], "lives on", 25, 55, 0);
    check_range(rec, events_of(rec, 1, 1), "second", 50, 60, RF_CUT_THREAD_ENDED);
    assert_int_equal(rf_thread_at(rec, 0)->end_ns, 30);
    assert_int_equal(rf_thread_at(rec, 1)->end_ns, RF_NO_TIME);
    assert_string_equal(rf_string(rec, rf_thread_at(rec, 0)->name, NULL), "worker");
    assert_string_equal(rf_string(rec, rf_thread_at(rec, 1)->name, NULL), "next");
    assert_int_equal(rf_get_info(rec)->n_cut, 3);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 1);
    rf_close(rec);
    rfw_free(w);
}

static void test_cut_process_ended(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_push(s, 10, named("push"));
    (void)rfw_start(s, 20, named("start"));
    rfw_mark(s, 30, NULL);
    rfw_exit(w, p, 90);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 3);
    check_range(rec, &e[0], "push", 10, 90, RF_CUT_PROCESS_ENDED);
    check_range(rec, &e[1], "start", 20, 90, RF_CUT_PROCESS_ENDED);
    assert_int_equal(rf_start_end_at(rec, e[1].link)->end_thread, 0);
    assert_int_equal(rf_process_at(rec, 0)->exit_ns, 90);
    rf_close(rec);
    rfw_free(w);
}

/* The root's end was seen by the command line; another process ends with its last record. */
static void test_cut_killed(void **state)
{
    struct rfw *w = rfw_new();
    (void)state;
    w->control.root_end = RF_ROOT_SIGNALED;
    w->control.root_status = 9;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100 + i, 1), *t = rfw_stream(w, p, 1, 200, 2);
        rfw_push(s, 10, named("push"));
        (void)rfw_start(s, 20, named("start"));
        rfw_mark(t, 700, NULL);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 2);
    check_range(rec, &e[0], "push", 10, 10000000000, RF_CUT_KILLED);
    check_range(rec, &e[1], "start", 20, 10000000000, RF_CUT_KILLED);
    e = events_of(rec, 2, 2);
    check_range(rec, &e[0], "push", 10, 700, RF_CUT_KILLED);
    check_range(rec, &e[1], "start", 20, 700, RF_CUT_KILLED);
    assert_int_equal(rf_get_info(rec)->root_signal, 9);
    assert_int_equal(rf_get_info(rec)->end_ns, 10000000000);
    rf_close(rec);
    rfw_free(w);
}

/* The same pid with the same start time under a higher number: what it became by exec. */
static void test_cut_exec(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), other = rfw_process(w, 101, "other");
    uint32_t q = rfw_process_bare(w);
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, other, 0, 101, 1);
    struct rfw_stream *u = rfw_stream(w, q, 0, 100, 1);
    (void)state;
    rfw_push(s, 10, named("before"));
    rfw_fact(w, q, 500, RF_PROC_PID, 100, NULL);
    rfw_fact(w, q, 500, RF_PROC_START_TIME, 1100, NULL);
    rfw_fact(w, q, 500, RF_PROC_PID_NS, 4026531836u, NULL);
    rfw_push(u, 600, named("after"));
    rfw_exit(w, q, 700);
    rfw_push(t, 20, named("other"));
    rf_recording *rec = rfw_reopen(w, 0, 0);
    check_range(rec, events_of(rec, 0, 1), "before", 10, 500, RF_CUT_EXEC);
    check_range(rec, events_of(rec, 1, 1), "other", 20, 20, RF_CUT_KILLED);
    check_range(rec, events_of(rec, 2, 1), "after", 600, 700, RF_CUT_PROCESS_ENDED);
    rf_close(rec);
    rfw_free(w);
}

static void test_cut_capture_ended(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_focus(w, 0);
    rfw_window(w, 5, 50);
    rfw_window(w, 100, RFW_OPEN);
    rfw_push(s, 10, named("first"));
    (void)rfw_start(s, 20, named("second"));
    rfw_push(s, 120, named("third"));
    rfw_exit(w, p, 200);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 3);
    check_range(rec, &e[0], "first", 10, 50, RF_CUT_CAPTURE_ENDED);
    check_range(rec, &e[1], "second", 20, 50, RF_CUT_CAPTURE_ENDED);
    check_range(rec, &e[2], "third", 120, 200, RF_CUT_PROCESS_ENDED);
    rf_close(rec);
    rfw_free(w);
}

/* Started ranges of a destroyed domain end there; later ends say nothing; pushes go on; a domain
 * of the same name that is created again is the same domain. */
static void test_cut_domain_destroyed(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    uint32_t d = rfw_domain(w, p, 1, 100, "D"), e2 = rfw_domain(w, p, 2, 100, "E");
    (void)state;
    rfw_push(s, 10, &(struct rfw_attr){.text = "push", .domain = d});
    uint64_t a = rfw_start(s, 20, &(struct rfw_attr){.text = "a", .domain = d});
    (void)rfw_start(s, 21, &(struct rfw_attr){.text = "b", .domain = d});
    uint64_t c = rfw_start(s, 22, &(struct rfw_attr){.text = "c", .domain = e2});
    uint64_t early = rfw_start(s, 23, &(struct rfw_attr){.text = "early", .domain = d});
    rfw_end(s, 30, early);
    rfw_domain_destroy(w, p, 40, 100, d);
    rfw_end(s, 50, a);
    rfw_end(s, 60, c);
    rfw_pop(s, 70, d); /* says nothing, as the end of a */
    uint32_t again = rfw_domain(w, p, 80, 100, "D");
    uint64_t f = rfw_start(s, 90, &(struct rfw_attr){.text = "new", .domain = again});
    rfw_end(s, 95, f);
    rfw_exit(w, p, 100);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 10);
    assert_int_equal(e[0].kind, RF_EVENT_DOMAIN_CREATE);
    assert_int_equal(e[1].kind, RF_EVENT_DOMAIN_CREATE);
    check_range(rec, &e[2], "push", 10, 40, RF_CUT_DOMAIN_DESTROYED);
    check_range(rec, &e[3], "a", 20, 40, RF_CUT_DOMAIN_DESTROYED);
    check_range(rec, &e[4], "b", 21, 40, RF_CUT_DOMAIN_DESTROYED);
    check_range(rec, &e[5], "c", 22, 60, 0);
    check_range(rec, &e[6], "early", 23, 30, 0);
    assert_int_equal(e[7].kind, RF_EVENT_DOMAIN_DESTROY);
    assert_int_equal(e[7].start_ns, 40);
    assert_int_equal(e[8].kind, RF_EVENT_DOMAIN_CREATE);
    check_range(rec, &e[9], "new", 90, 95, 0);
    assert_int_not_equal(e[9].domain, e[3].domain);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

/* Where records are missing, open ranges cannot be told from ended ones. */
static void test_cut_lost(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_push(s, 10, named("open"));
    (void)rfw_start(s, 20, named("started"));
    rfw_mark(s, 30, named("last"));
    struct rfw_part *part = rfw_next_part(s, 100);
    part->part.lost_records = 5;
    part->part.lost_bytes = 160;
    rfw_pop(s, 110, 0);
    rfw_push(s, 120, named("after"));
    rfw_pop(s, 130, 0);
    uint64_t id = rfw_start(s, 140, named("late"));
    rfw_end(s, 150, id);
    rfw_exit(w, p, 200);
    w->control.lost_records = 6;
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 5);
    check_range(rec, &e[0], "open", 10, 30, RF_CUT_LOST);
    check_range(rec, &e[1], "started", 20, 200, RF_CUT_LOST);
    check_range(rec, &e[3], "after", 120, 130, 0);
    check_range(rec, &e[4], "late", 140, 150, 0);
    assert_int_equal(rf_get_info(rec)->n_lost_records, 6);
    assert_int_equal(rf_get_info(rec)->lost_bytes, 160);
    assert_int_equal(rf_process_at(rec, 0)->n_lost_records, 5);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 1);
    rf_close(rec);
    rfw_free(w);
}

static void test_lost_part(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_push(s, 10, named("open"));
    uint64_t first = rfw_start(s, 15, named("first"));
    rfw_next_part(s, 20)->place = RFW_NOWHERE;
    uint64_t lost = rfw_start(s, 25, named("lost"));
    rfw_next_part(s, 30);
    uint64_t third = rfw_start(s, 35, named("third"));
    rfw_end(s, 40, lost);
    rfw_end(s, 41, third);
    rfw_end(s, 42, first);
    rfw_exit(w, p, 50);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 3);
    check_range(rec, &e[0], "open", 10, 15, RF_CUT_LOST);
    check_range(rec, &e[1], "first", 15, 42, 0);
    check_range(rec, &e[2], "third", 35, 41, 0); /* ids count what was lost */
    assert_int_equal(rf_start_end_at(rec, e[2].link)->id, third);
    assert_int_equal(rf_get_info(rec)->n_lost_parts, 1);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 1);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Order ---- */

/* Of a thread with two streams: what one lost before its slot went to another thread, or at its
 * end, may have been the pop. */
static void test_lost_of_several(void **state)
{
    (void)state;
    for (uint32_t other = 100; other <= 101; other++) {
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process(w, 100, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *nested = rfw_stream(w, p, 1, 100, 1);
        rfw_push(s, 10, named("open"));
        rfw_mark(nested, 15, named("in a handler"));
        struct rfw_part *part = rfw_next_part(s, 20);
        part->part.lost_records = 5;
        part->part.tid = other;
        part->part.serial = other - 99;
        rfw_exit(w, p, 40);
        rf_recording *rec = rfw_reopen(w, 0, 0);
        check_range(rec, events_of(rec, 0, 2), "open", 10, 15, RF_CUT_LOST);
        rf_close(rec);
        rfw_free(w);
    }
}

static void test_ties(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    /* pushes that begin and end together stay as they nest */
    rfw_push(s, 10, named("outer"));
    rfw_push(s, 10, named("inner"));
    rfw_pop(s, 20, 0);
    rfw_pop(s, 20, 0);
    /* a start/end range that encloses a push of the same start goes first, and the other way */
    uint64_t small = rfw_start(s, 30, named("small"));
    rfw_push(s, 30, named("middle"));
    uint64_t large = rfw_start(s, 30, named("large"));
    rfw_mark(s, 30, named("mark"));
    rfw_end(s, 35, small);
    rfw_pop(s, 40, 0);
    rfw_end(s, 50, large);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 6);
    static const char *const order[] = {"outer", "inner", "large", "middle", "small", "mark"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(rf_string(rec, e[i].name, NULL), order[i]);
    assert_int_equal(rf_start_end_at(rec, e[2].link)->id, large);
    rf_close(rec);
    rfw_free(w);
}

/* A signal handler's stream: its records belong between those of the thread's own. */
static void test_nested_streams(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *h = rfw_stream(w, p, 5, 100, 1);
    struct rfw_stream *t = rfw_stream(w, p, 1, 101, 2);
    (void)state;
    rfw_push(s, 10, named("a"));
    rfw_push(h, 20, named("handler"));
    uint64_t id = rfw_start(h, 22, named("from handler"));
    rfw_push(t, 5, named("other"));
    rfw_pop(t, 95, 0);
    rfw_pop(h, 30, 0);
    rfw_push(s, 40, named("b"));
    rfw_pop(h, 45, 0); /* the handler pops what the thread pushed */
    rfw_end(s, 50, id);
    uint64_t id2 = rfw_start(s, 55, named("own"));
    rfw_mark(h, 60, named("mark"));
    rfw_pop(s, 70, 0); /* a */
    rfw_end(h, 80, id2);
    rfw_thread_end(s, 90, "main");
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 2);
    const struct rf_event *e = events_of(rec, 0, 6);
    check_range(rec, &e[0], "a", 10, 70, 0);
    check_range(rec, &e[1], "handler", 20, 30, 0);
    check_range(rec, &e[2], "from handler", 22, 50, 0);
    check_range(rec, &e[3], "b", 40, 45, 0);
    check_range(rec, &e[4], "own", 55, 80, 0);
    assert_int_equal(e[5].kind, RF_EVENT_MARK);
    assert_int_equal(rf_start_end_at(rec, e[2].link)->id, id);
    assert_int_equal(rf_start_end_at(rec, e[4].link)->id, id2);
    assert_int_equal(rf_start_end_at(rec, e[2].link)->number, 1);
    check_range(rec, events_of(rec, 1, 1), "other", 5, 95, 0);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

/* Both slots go to another thread, which has two streams too. */
static void test_nested_recycled(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *h = rfw_stream(w, p, 5, 100, 1);
    (void)state;
    rfw_push(s, 10, named("a"));
    rfw_mark(h, 20, named("h"));
    rfw_thread_end(s, 30, "one");
    rfw_thread(s, 40, 101, 2, "two");
    rfw_push(s, 50, named("c"));
    rfw_thread(h, 60, 101, 2, "two");
    rfw_push(h, 65, named("d"));
    rfw_pop(h, 70, 0);
    rfw_next_part(s, 75);
    rfw_mark(s, 76, named("e"));
    rfw_thread(s, 80, 102, 3, "three");
    rfw_mark(s, 90, named("f"));
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 3);
    check_range(rec, events_of(rec, 0, 2), "a", 10, 30, RF_CUT_THREAD_ENDED);
    const struct rf_event *e = events_of(rec, 1, 3);
    check_range(rec, &e[0], "c", 50, 80, RF_CUT_THREAD_ENDED);
    check_range(rec, &e[1], "d", 65, 70, 0);
    assert_string_equal(rf_string(rec, e[2].name, NULL), "e");
    assert_int_equal(events_of(rec, 2, 1)[0].start_ns, 90);
    rf_close(rec);
    rfw_free(w);
}

/* Many domains at once, beyond what is searched one by one. */
/* One thread with two numbers is listed once where the second has nothing; once where neither has.
 */
static void test_listed_once(void **state)
{
    (void)state;
    for (int n_marks = 0; n_marks <= 1; n_marks++) {
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process(w, 100, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
        if (n_marks > 0)
            rfw_mark(s, 10, named("a"));
        (void)rfw_next_part(s, 20);
        (void)rfw_next_part(rfw_stream(w, p, 1, 100, 2), 20);
        (void)rfw_next_part(rfw_stream(w, p, 2, 101, 3), 20);
        rfw_exit(w, p, 40);
        rf_recording *rec = rfw_reopen(w, 0, 0);
        assert_int_equal(rf_n_threads(rec), 2);
        assert_int_equal(rf_thread_at(rec, 0)->tid, 100);
        assert_int_equal(rf_thread_at(rec, 0)->n_events, n_marks);
        assert_int_equal(rf_thread_at(rec, 1)->tid, 101);
        rf_close(rec);
        rfw_free(w);
    }
}

static void test_many_domains(void **state)
{
    enum { N = 50 };
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), d[N];
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    char name[16];
    (void)state;
    for (int i = 0; i < N; i++) {
        (void)snprintf(name, sizeof(name), "d%d", i);
        d[i] = rfw_domain(w, p, 1, 9, name);
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++)
            rfw_push(s, 10 + round * N + i, &(struct rfw_attr){.text = "r", .domain = d[i]});
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++)
            rfw_pop(s, 1000 + round * N + i, d[i]);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, 2 * N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(e[i].end_ns, 1000 + N + i);
        assert_int_equal(e[N + i].end_ns, 1000 + i);
        assert_int_equal(rf_domain_at(rec, e[i].domain)->id, i + 1);
    }
    rf_close(rec);
    rfw_free(w);
}

static void test_cursor(void **state)
{
    enum { THREADS = 7, EVENTS = 50 };
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rf_cursor *cursor;
    struct rf_event_at at, last = {NULL, 0};
    size_t n = 0;
    (void)state;
    for (uint32_t t = 0; t < THREADS; t++) {
        struct rfw_stream *s = rfw_stream(w, p, t, 100 + t, t + 1);
        for (int64_t i = 0; i < EVENTS; i++)
            rfw_mark(s, 10 * i + (i % 3 == 0 ? 0 : (int64_t)(t * 7 % 10)), NULL);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_cursor_new(rec, &cursor, NULL), 0);
    while (rf_cursor_next(cursor, &at)) {
        if (last.event != NULL) {
            assert_true(last.event->start_ns <= at.event->start_ns);
            if (last.event->start_ns == at.event->start_ns)
                assert_true(last.thread <= at.thread);
        }
        last = at;
        n++;
    }
    assert_int_equal(n, THREADS * EVENTS);
    assert_int_equal(rf_cursor_next(cursor, &at), 0);
    rf_cursor_free(cursor);
    rf_close(rec);
    rfw_free(w);
}

static void say_parent(struct rfw_stream *s, int64_t ns, size_t n_words, uint64_t id,
                       uint64_t parent)
{
    const uint64_t words[] = {(RFW_TICKS_0 + (uint64_t)ns) << RF_WORD_TICK_SHIFT |
                                  n_words << RF_WORD_TYPE_BITS | RF_REC_PARENT,
                              id, parent};
    rfw_raw(s, words, n_words);
}

/* The range that the program named as the parent of an event: its start; 0: none; -1: nothing said.
 */
static int64_t parent_start(const rf_recording *rec, const struct rf_event *e, size_t n, size_t i)
{
    uint32_t parent = rf_start_end_at(rec, e[i].link)->parent;
    for (size_t k = 0; k < n; k++)
        if (parent == e[k].link + 1)
            return k == i ? 0 : e[k].start_ns;
    assert_int_equal(parent, 0);
    return -1;
}

/* What is part of what, as the program says: on any thread, the last one holds; nonsense says
 * nothing. */
static void test_parents(void **state)
{
    enum { N = 6 };
    uint64_t id[N];
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), q = rfw_process(w, 200, "other");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    struct rfw_stream *u = rfw_stream(w, q, 0, 200, 1);
    (void)state;
    for (int i = 0; i < N; i++)
        id[i] = rfw_start(s, 10 * (i + 1), named("r"));
    uint64_t foreign = rfw_start(u, 15, named("foreign"));
    say_parent(s, 61, 3, id[0], 0);
    say_parent(t, 62, 3, id[1], id[0]);
    say_parent(s, 63, 3, id[2], id[0]);
    say_parent(s, 64, 3, id[2], id[1]);
    say_parent(s, 65, 3, id[3], id[3]);
    say_parent(s, 66, 3, id[4], foreign);
    say_parent(s, 67, 3, foreign, id[0]);
    say_parent(s, 68, 3, 0, id[0]);
    say_parent(s, 69, 3, UINT64_MAX, UINT64_MAX);
    say_parent(s, 70, 2, id[5], 0);
    say_parent(s, 71, 1, 0, 0);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_event *e = events_of(rec, 0, N);
    const int64_t wanted[N] = {0, 10, 20, 0, -1, -1};
    for (size_t i = 0; i < N; i++)
        assert_int_equal(parent_start(rec, e, N, i), wanted[i]);
    for (uint32_t i = 1; i < rf_n_threads(rec); i++) {
        size_t n;
        const struct rf_event *other = rf_thread_events(rec, i, &n);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(parent_start(rec, other, n, k), -1);
    }
    rf_close(rec);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parents),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_clamped),
        cmocka_unit_test(test_bogus_ids),
        cmocka_unit_test(test_cut_thread_ended),
        cmocka_unit_test(test_cut_process_ended),
        cmocka_unit_test(test_cut_killed),
        cmocka_unit_test(test_cut_exec),
        cmocka_unit_test(test_cut_capture_ended),
        cmocka_unit_test(test_cut_domain_destroyed),
        cmocka_unit_test(test_cut_lost),
        cmocka_unit_test(test_lost_part),
        cmocka_unit_test(test_lost_of_several),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_nested_streams),
        cmocka_unit_test(test_nested_recycled),
        cmocka_unit_test(test_listed_once),
        cmocka_unit_test(test_many_domains),
        cmocka_unit_test(test_cursor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
