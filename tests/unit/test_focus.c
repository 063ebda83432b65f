/* SPDX-License-Identifier: Apache-2.0 */
/* Focused recordings: what belongs to a capture, and how it is cut. */
#include "unit.h"

struct row {
    const char *name;
    int64_t start_ns, end_ns;
    int cut;
    int is_cut_at_start;
};

static const struct rfw_attr *named(const char *text)
{
    static struct rfw_attr attr[8];
    static unsigned next;
    struct rfw_attr *a = &attr[next++ % 8];
    *a = (struct rfw_attr){.text = text};
    return a;
}

static void check_rows(const rf_recording *rec, uint32_t thread, const struct row *row,
                       size_t n_rows)
{
    size_t n;
    const struct rf_event *e = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n && i < n_rows; i++) {
        assert_string_equal(rf_string(rec, e[i].name, NULL), row[i].name);
        assert_int_equal(e[i].start_ns, row[i].start_ns);
        if (e[i].kind != RF_EVENT_MARK)
            assert_int_equal(e[i].end_ns, row[i].end_ns);
        assert_string_equal(rf_cut_name(e[i].cut), rf_cut_name(row[i].cut));
        assert_int_equal((e[i].flags & RF_EVENT_CUT_AT_START) != 0, row[i].is_cut_at_start);
    }
    assert_int_equal(n, n_rows);
}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Edges are inside; ranges that only touch an edge are, too. */
static void test_edges(void **state)
{
    static const struct row rows[] = {{"over all", 5, 50, RF_CUT_CAPTURE_ENDED, 1},
                                      {"into", 8, 15, 0, 1},
                                      {"to the edge", 9, 10, 0, 1},
                                      {"first mark", 10, 0, 0, 0},
                                      {"inside", 20, 30, 0, 0},
                                      {"out of", 40, 50, RF_CUT_CAPTURE_ENDED, 0},
                                      {"last mark", 50, 0, 0, 0},
                                      {"from the edge", 50, 50, RF_CUT_CAPTURE_ENDED, 0}};
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_focus(w, 1);
    rfw_window(w, 10, 50);
    rfw_push(s, 1, named("before"));
    rfw_pop(s, 2, 0);
    rfw_mark(s, 3, named("early mark"));
    rfw_pop(s, 4, 0); /* outside of captures: nobody's mistake */
    rfw_push(s, 5, named("over all"));
    rfw_push(s, 8, named("into"));
    rfw_push(s, 9, named("to the edge"));
    rfw_pop(s, 10, 0);
    rfw_mark(s, 10, named("first mark"));
    rfw_pop(s, 15, 0);
    rfw_push(s, 20, named("inside"));
    rfw_pop(s, 30, 0);
    rfw_push(s, 40, named("out of"));
    rfw_mark(s, 50, named("last mark"));
    rfw_push(s, 50, named("from the edge"));
    rfw_mark(s, 51, named("late mark"));
    rfw_push(s, 52, named("after"));
    rfw_pop(s, 53, 0);
    rfw_pop(s, 54, 0);
    rfw_pop(s, 60, 0);
    rfw_pop(s, 70, 0);
    rfw_pop(s, 80, 0);
    rfw_exit(w, p, 90);
    for (int as_directory = 0; as_directory < 2; as_directory++) {
        rf_recording *rec = rfw_reopen(w, as_directory, 0);
        const struct rf_info *info = rf_get_info(rec);
        check_rows(rec, 0, rows, N_OF(rows));
        assert_int_equal(info->n_unmatched_ends, 0);
        assert_int_equal(info->n_cut, 3);
        assert_int_equal(info->n_cut_at_start, 3);
        assert_int_equal(info->n_events, N_OF(rows));
        assert_int_equal(info->is_focused, 1);
        assert_int_equal(rf_n_captures(rec), 1);
        assert_int_equal(rf_capture_at(rec, 0)->begin_ns, 10);
        assert_int_equal(rf_capture_at(rec, 0)->end_ns, 50);
        assert_int_equal(rf_capture_at(rec, 0)->number, 1);
        assert_int_equal(rf_capture_at(rec, 0)->is_open, 0);
        assert_null(rf_capture_at(rec, 1));
        rf_close(rec);
    }
    rfw_free(w);
}

/* A range counts by its first and its last window. */
static void test_several_windows(void **state)
{
    static const struct row rows[] = {{"all", 5, 250, 0, 1},
                                      {"one and two", 20, 110, 0, 0},
                                      {"one to gap", 30, 50, RF_CUT_CAPTURE_ENDED, 0},
                                      {"gap to three", 60, 200, 0, 1},
                                      {"three", 230, 240, 0, 0},
                                      {"open", 245, 300, RF_CUT_PROCESS_ENDED, 0}};
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    uint64_t id[6];
    (void)state;
    rfw_focus(w, 1);
    rfw_window(w, 10, 50);
    rfw_window(w, 100, 150);
    rfw_window(w, 200, RFW_OPEN);
    id[0] = rfw_start(s, 5, named("all"));
    id[1] = rfw_start(s, 20, named("one and two"));
    id[2] = rfw_start(s, 30, named("one to gap"));
    id[3] = rfw_start(s, 60, named("gap to three"));
    id[4] = rfw_start(s, 70, named("gap"));
    rfw_end(t, 80, id[4]);
    rfw_end(t, 90, id[2]);
    rfw_end(t, 110, id[1]);
    rfw_end(t, 200, id[3]);
    id[5] = rfw_start(s, 230, named("three"));
    rfw_end(t, 240, id[5]);
    rfw_end(t, 241, id[5]);                /* in a capture: a mistake */
    rfw_end(t, 170, rf_range_id(p, 9, 9)); /* outside: perhaps none */
    (void)rfw_start(s, 245, named("open"));
    rfw_end(t, 250, id[0]);
    rfw_exit(w, p, 300);
    rf_recording *rec = rfw_reopen(w, 1, 0);
    size_t n;
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    check_rows(rec, 0, rows, N_OF(rows) - 1 + (n == N_OF(rows)));
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(rf_start_end_at(rec, e[i].link)->number, i + 1);
    assert_int_equal(rf_start_end_at(rec, e[0].link)->end_thread, 1);
    assert_int_equal(rf_start_end_at(rec, e[2].link)->end_thread, 0); /* cut: its own */
    assert_int_equal(rf_n_captures(rec), 3);
    assert_int_equal(rf_capture_at(rec, 2)->is_open, 1);
    assert_int_equal(rf_capture_at(rec, 2)->end_ns, rf_get_info(rec)->end_ns);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 1);
    rf_close(rec);
    rfw_free(w);
}

/* Without keep-open nothing is known between captures: what is open ends with its capture. */
static void test_nothing_kept(void **state)
{
    static const struct row rows[] = {{"a", 20, 50, RF_CUT_CAPTURE_ENDED, 0},
                                      {"b", 30, 50, RF_CUT_CAPTURE_ENDED, 0},
                                      {"crosses", 40, 110, 0, 0},
                                      {"c", 120, 130, 0, 0},
                                      {"d", 140, 150, RF_CUT_CAPTURE_ENDED, 0}};
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_focus(w, 0);
    rfw_window(w, 10, 50);
    rfw_window(w, 100, 150);
    rfw_window(w, 200, 250);
    rfw_pop(s, 15, 0); /* of a push before */
    rfw_push(s, 20, named("a"));
    (void)rfw_start(s, 30, named("b"));
    uint64_t id = rfw_start(s, 40, named("crosses"));
    rfw_pop(s, 105, 0); /* of a push between: not a's */
    rfw_end(s, 110, id);
    rfw_end(s, 111, rf_range_id(p, 7, 1));
    rfw_push(s, 120, named("c"));
    rfw_pop(s, 130, 0);
    rfw_push(s, 140, named("d"));
    rfw_exit(w, p, 300);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    check_rows(rec, 0, rows, N_OF(rows));
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

/* Before the first capture there are names, and nothing else. */
static void test_no_window(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    size_t n;
    (void)state;
    rfw_focus(w, 1);
    rfw_category(w, p, 5, 100, 0, 1, "cat");
    rfw_thread_name(w, p, 6, 100, 102, "worker");
    rfw_push(s, 10, named("a"));
    rfw_mark(t, 20, named("m"));
    rfw_pop(s, 30, 0);
    rfw_pop(s, 40, 0);
    rf_recording *rec = rfw_reopen(w, 1, 0);
    assert_int_equal(rf_n_captures(rec), 0);
    assert_int_equal(rf_get_info(rec)->is_focused, 1);
    assert_int_equal(rf_n_threads(rec), 2); /* the one that named, and the one that was named */
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 2);
    assert_int_equal(e[0].kind, RF_EVENT_CATEGORY);
    assert_int_equal(e[1].kind, RF_EVENT_THREAD_NAME);
    assert_null(rf_thread_events(rec, 1, &n));
    assert_int_equal(rf_thread_at(rec, 1)->tid, 102);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    rf_close(rec);
    rfw_free(w);
}

/* Names given after the last capture are not shown, those before are; threads with nothing in a
 * capture are left out. */
static void test_names(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    struct rfw_stream *u = rfw_stream(w, p, 2, 102, 3);
    (void)state;
    rfw_focus(w, 1);
    rfw_window(w, 50, 100);
    rfw_category(w, p, 5, 100, 0, 1, "cat");
    uint32_t d = rfw_domain(w, p, 7, 100, "D");
    rfw_category(w, p, 105, 100, 0, 1, "other");
    rfw_category(w, p, 106, 100, d, 2, "late");
    (void)rfw_domain(w, p, 107, 100, "E");
    rfw_domain_destroy(w, p, 110, 100, d);
    rfw_mark(t, 20, named("m"));
    rfw_thread_end(t, 30, "gone");
    rfw_mark(u, 60, named("in"));
    uint64_t id = rfw_start(u, 70, &(struct rfw_attr){.text = "r", .domain = d});
    rfw_mark(s, 120, named("n"));
    rfw_end(s, 130, id);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    size_t n;
    assert_int_equal(rf_n_threads(rec), 2);
    assert_int_equal(rf_thread_at(rec, 0)->tid, 100);
    (void)rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 2); /* category, domain */
    check_rows(rec, 1,
               (const struct row[]){{"in", 60, 0, 0, 0}, {"r", 70, 100, RF_CUT_CAPTURE_ENDED, 0}},
               2);
    assert_int_equal(rf_n_domains(rec), 2);
    assert_string_equal(rf_string(rec, rf_category_name(rec, 0, 1), NULL), "cat");
    rf_close(rec);
    rfw_free(w);
}

/* A thread that only ends a range is listed, since the range points to it. */
static void test_end_thread(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 3), *t = rfw_stream(w, p, 1, 101, 2);
    struct rfw_stream *u = rfw_stream(w, p, 2, 102, 1);
    (void)state;
    rfw_focus(w, 1);
    rfw_window(w, 50, 100);
    rfw_mark(u, 10, named("early"));
    uint64_t id = rfw_start(s, 60, named("r"));
    rfw_end(t, 70, id);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_threads(rec), 2);
    assert_int_equal(rf_thread_at(rec, 0)->tid, 101);
    size_t n;
    const struct rf_event *e = rf_thread_events(rec, 1, &n);
    assert_int_equal(n, 1);
    assert_int_equal(rf_start_end_at(rec, e[0].link)->end_thread, 0);
    assert_int_equal(e[0].end_ns, 70);
    rf_close(rec);
    rfw_free(w);
}

/* COUNTER says how many ranges were begun; VOID is nothing. */
static void test_counter_and_void(void **state)
{
    static const struct row rows[] = {
        {"a", 20, 40, 0, 0}, {"b", 30, 50, 0, 0}, {"c", 35, 60, 0, 0}};
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_counter(s, 10, 7);
    uint64_t a = rfw_start(s, 20, named("a"));
    assert_int_equal(a, rf_range_id(p, 0, 8));
    rfw_void(s, 25, 1);
    rfw_void(s, 26, 5);
    rfw_counter(s, 30, 1000);
    uint64_t b = rfw_start(s, 30, named("b"));
    rfw_next_part(s, 32);
    uint64_t c = rfw_start(s, 35, named("c"));
    assert_int_equal(c, rf_range_id(p, 0, 1002));
    rfw_end(s, 40, a);
    rfw_end(s, 50, b);
    rfw_end(s, 60, c);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    check_rows(rec, 0, rows, N_OF(rows));
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 0);
    assert_int_equal(rf_get_info(rec)->is_focused, 0);
    assert_int_equal(rf_n_captures(rec), 0);
    rf_close(rec);
    rfw_free(w);
}

/* A part that says that it is the first has nothing missing before it. */
static void test_first_part(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_push(s, 10, named("a"));
    struct rfw_part *part = rfw_next_part(s, 20);
    rfw_pop(s, 30, 0);
    part->chunk.seq = 40;
    for (uint32_t is_first = 0; is_first < 2; is_first++) {
        part->part.is_first = is_first;
        rf_recording *rec = rfw_reopen(w, 0, 0);
        const struct row row = {"a", 10, is_first ? 30 : 10, is_first ? 0 : RF_CUT_LOST, 0};
        check_rows(rec, 0, &row, 1);
        assert_int_equal(rf_get_info(rec)->n_lost_parts, is_first ? 0 : 38);
        assert_int_equal(rf_get_info(rec)->n_unmatched_ends, !is_first);
        rf_close(rec);
    }
    rfw_free(w);
}

/* More captures than the control page has room for: the last ones are there. */
static void test_ring(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_focus(w, 1);
    for (int64_t i = 0; i < 300; i++) {
        rfw_window(w, 100 * i + 10, 100 * i + 50);
        rfw_mark(s, 100 * i + 5, named("out"));
        rfw_mark(s, 100 * i + 20, named("in"));
    }
    rf_recording *rec = rfw_reopen(w, 1, 0);
    assert_int_equal(rf_n_captures(rec), 256);
    assert_int_equal(rf_capture_at(rec, 0)->number, 45);
    assert_int_equal(rf_capture_at(rec, 0)->begin_ns, 4410);
    assert_int_equal(rf_capture_at(rec, 255)->number, 300);
    assert_int_equal(rf_get_info(rec)->n_marks, 256);
    rf_close(rec);
    /* capture 301 is being begun: its place is no longer that of 45 */
    w->control.capture.word = 601ULL << RF_CAPTURE_PHASE_SHIFT;
    w->control.window[300 % RF_MAX_WINDOWS] = (struct rf_capture_window){RFW_TICKS_0 + 40000, 0};
    rec = rfw_reopen(w, 1, 0);
    assert_int_equal(rf_n_captures(rec), 255);
    assert_int_equal(rf_capture_at(rec, 0)->number, 46);
    rf_close(rec);
    rfw_free(w);
}

/* Windows that no recorder writes. */
static void test_absurd_windows(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_focus(w, 1);
    rfw_window(w, 80, 20); /* backwards */
    rfw_window(w, 50, 60); /* before an earlier one */
    rfw_window(w, 10, 55); /* overlaps */
    rfw_window(w, 200, RFW_OPEN);
    rfw_window(w, 300, RFW_OPEN);
    w->control.n_windows = UINT32_MAX;
    for (int64_t i = 0; i < 40; i++)
        rfw_mark(s, 10 * i, named("m"));
    rf_recording *rec = rfw_reopen(w, 1, 0);
    for (uint32_t i = 1; i < rf_n_captures(rec); i++)
        assert_true(rf_capture_at(rec, i - 1)->end_ns <= rf_capture_at(rec, i)->begin_ns);
    rf_close(rec);
    w->control.n_windows = 5;
    w->control.capture.word = 0;
    rec = rfw_reopen(w, 1, 0);
    assert_int_equal(rf_n_captures(rec), 3);
    assert_int_equal(rf_get_info(rec)->n_marks, 6 + 20);
    rf_close(rec);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges),
                                       cmocka_unit_test(test_several_windows),
                                       cmocka_unit_test(test_nothing_kept),
                                       cmocka_unit_test(test_no_window),
                                       cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_end_thread),
                                       cmocka_unit_test(test_counter_and_void),
                                       cmocka_unit_test(test_first_part),
                                       cmocka_unit_test(test_ring),
                                       cmocka_unit_test(test_absurd_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
