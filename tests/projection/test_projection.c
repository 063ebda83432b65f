/* SPDX-License-Identifier: Apache-2.0 */
/* The projection against its definition, written down as plainly as it can be: every range against
 * every call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_recording.h"

/* ---- The definition ---- */

struct plain {
    const rf_recording *rec;
    struct rf_project_options options;
};

static int is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static int ends_elsewhere(const rf_recording *rec, uint32_t thread, const struct rf_event *event)
{
    return event->kind == RF_EVENT_START_END &&
           rf_start_end_at(rec, event->link)->end_thread != thread;
}

static int counts(const struct plain *plain, const struct rf_gpu_op *op)
{
    if (op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET)
        return !plain->options.kernels_only;
    return op->kind == RF_OP_KERNEL || op->kind == RF_OP_GRAPH;
}

static int covers(const struct plain *plain, uint32_t thread, const struct rf_event *range,
                  const struct rf_gpu_op *op)
{
    const rf_recording *rec = plain->rec;
    if (op->thread == RF_NO_INDEX || !is_range(range))
        return 0;
    if (ends_elsewhere(rec, thread, range)) {
        if (!plain->options.by_process ||
            rf_thread_at(rec, thread)->process != rf_thread_at(rec, op->thread)->process)
            return 0;
    } else if (op->thread != thread) {
        return 0;
    }
    const struct rf_call *call = &rf_thread_calls(rec, op->thread, NULL)[op->call];
    return range->start_ns <= call->start_ns && call->end_ns <= range->end_ns;
}

static struct rf_projection plain_projection(const struct plain *plain, uint32_t thread,
                                             uint32_t event)
{
    size_t n;
    struct rf_projection sum = {.thread = thread, .event = event};
    const struct rf_event *range = &rf_thread_events(plain->rec, thread, NULL)[event];
    const struct rf_gpu_op *op = rf_gpu_ops(plain->rec, &n);
    sum.by_process = ends_elsewhere(plain->rec, thread, range);
    for (size_t i = 0; i < n; i++) {
        if (!covers(plain, thread, range, &op[i]) || !counts(plain, &op[i]))
            continue;
        int is_seen = 0;
        for (size_t k = 0; k < i; k++)
            is_seen |=
                counts(plain, &op[k]) && op[k].thread == op[i].thread && op[k].call == op[i].call;
        sum.n_calls += !is_seen;
        if (sum.n_ops == 0 || op[i].start_ns < sum.start_ns)
            sum.start_ns = op[i].start_ns;
        if (sum.n_ops == 0 || op[i].end_ns > sum.end_ns)
            sum.end_ns = op[i].end_ns;
        sum.busy_ns += (uint64_t)(op[i].end_ns - op[i].start_ns);
        sum.n_ops++;
    }
    return sum;
}

/* Whether a is inside b by the order of ranges that lie over the same thing. */
static int is_inner(const struct rf_event *event, uint32_t a, uint32_t b)
{
    int64_t length_a = event[a].end_ns - event[a].start_ns;
    int64_t length_b = event[b].end_ns - event[b].start_ns;
    if (length_a != length_b)
        return length_a < length_b;
    if (event[a].start_ns != event[b].start_ns)
        return event[a].start_ns > event[b].start_ns;
    return a > b;
}

static uint32_t plain_call_owner(const struct plain *plain, uint32_t thread,
                                 const struct rf_call *call)
{
    size_t n = 0;
    uint32_t found = RF_NO_INDEX;
    const struct rf_event *event = rf_thread_events(plain->rec, thread, &n);
    for (uint32_t i = 0; i < n; i++)
        if (is_range(&event[i]) && !ends_elsewhere(plain->rec, thread, &event[i]) &&
            event[i].start_ns <= call->start_ns && call->end_ns <= event[i].end_ns &&
            (found == RF_NO_INDEX || is_inner(event, i, found)))
            found = i;
    return found;
}

static uint32_t plain_owner(const struct plain *plain, const struct rf_gpu_op *op)
{
    size_t n = 0;
    uint32_t found = RF_NO_INDEX;
    if (op->thread == RF_NO_INDEX)
        return RF_NO_INDEX;
    const struct rf_event *event = rf_thread_events(plain->rec, op->thread, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!ends_elsewhere(plain->rec, op->thread, &event[i]) &&
            covers(plain, op->thread, &event[i], op) &&
            (found == RF_NO_INDEX || is_inner(event, i, found)))
            found = i;
    return found;
}

static uint32_t plain_parent(const struct plain *plain, uint32_t thread, uint32_t range)
{
    size_t n;
    uint32_t found = RF_NO_INDEX;
    const struct rf_event *event = rf_thread_events(plain->rec, thread, &n);
    if (!is_range(&event[range]) || ends_elsewhere(plain->rec, thread, &event[range]))
        return RF_NO_INDEX;
    for (uint32_t i = 0; i < n; i++) {
        int is_same =
            event[i].start_ns == event[range].start_ns && event[i].end_ns == event[range].end_ns;
        if (i != range && is_range(&event[i]) && !ends_elsewhere(plain->rec, thread, &event[i]) &&
            event[i].start_ns <= event[range].start_ns && event[range].end_ns <= event[i].end_ns &&
            (!is_same || i < range) && (found == RF_NO_INDEX || is_inner(event, i, found)))
            found = i;
    }
    return found;
}

/* The time from the begin of one of n children to its end, without what others of them cover. */
static int64_t time_of_all(const struct rf_event *event, const uint32_t *child, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) { /* of each child the part behind all that stand before it */
        int64_t from = event[child[i]].start_ns;
        for (size_t k = 0; k < i; k++)
            if (event[child[k]].end_ns > from)
                from = event[child[k]].end_ns;
        sum += event[child[i]].end_ns > from ? event[child[i]].end_ns - from : 0;
    }
    return sum;
}

static void check_nesting_of(const struct plain *plain, const rf_projections *got, uint32_t thread,
                             uint32_t range)
{
    size_t n = 0, n_children = 0;
    uint32_t child[256], depth = 0, is = RF_NO_INDEX;
    const struct rf_event *event = rf_thread_events(plain->rec, thread, &n);
    for (uint32_t i = 0; i < n; i++)
        if (is_range(&event[i]) && plain_parent(plain, thread, i) == range)
            child[n_children++] = i;
    for (size_t i = 0; i < n_children; i++) {
        is = rf_range_next_child(got, thread, range, is);
        assert_int_equal(is, child[i]);
    }
    assert_int_equal(rf_range_next_child(got, thread, range, is), RF_NO_INDEX);
    for (uint32_t i = range; (i = plain_parent(plain, thread, i)) != RF_NO_INDEX;)
        depth++;
    assert_int_equal(rf_range_depth(got, thread, range), depth);
    if (!is_range(&event[range])) {
        assert_int_equal(rf_range_self_ns(got, thread, range), RF_NO_TIME);
        return;
    }
    assert_int_equal(rf_range_self_ns(got, thread, range),
                     event[range].end_ns - event[range].start_ns -
                         time_of_all(event, child, n_children));
}

static void check_nesting(const struct plain *plain, const rf_projections *got)
{
    for (uint32_t t = 0; t < rf_n_threads(plain->rec); t++) {
        size_t n_events, n_calls;
        (void)rf_thread_events(plain->rec, t, &n_events);
        const struct rf_call *call = rf_thread_calls(plain->rec, t, &n_calls);
        for (uint32_t i = 0; i < n_events; i++)
            check_nesting_of(plain, got, t, i);
        for (uint32_t i = 0; i < n_calls; i++)
            assert_int_equal(rf_call_owner(got, t, i), plain_call_owner(plain, t, &call[i]));
        assert_int_equal(rf_call_owner(got, t, (uint32_t)n_calls), RF_NO_INDEX);
    }
}

static void check_thread(const struct plain *plain, const rf_projections *got, uint32_t thread,
                         size_t *n_projections)
{
    size_t n = 0;
    size_t n_all;
    (void)rf_thread_events(plain->rec, thread, &n);
    const struct rf_projection *all = rf_projections_all(got, &n_all);
    for (uint32_t i = 0; i < n; i++) {
        struct rf_projection want = plain_projection(plain, thread, i);
        const struct rf_projection *is = rf_projection_of(got, thread, i);
        assert_int_equal(rf_range_parent(got, thread, i), plain_parent(plain, thread, i));
        if (want.n_ops == 0) {
            assert_null(is);
            continue;
        }
        assert_non_null(is);
        assert_true(*n_projections < n_all && is == &all[(*n_projections)++]);
        assert_true(is->start_ns == want.start_ns && is->end_ns == want.end_ns);
        assert_int_equal(is->n_ops, want.n_ops);
        assert_int_equal(is->n_calls, want.n_calls);
        assert_int_equal(is->busy_ns, want.busy_ns);
        assert_int_equal(is->by_process, want.by_process);
        assert_int_equal(is->thread, thread);
        assert_int_equal(is->event, i);
    }
}

static void check_coverage(const struct plain *plain, const rf_projections *got)
{
    size_t n_ops;
    const struct rf_gpu_op *op = rf_gpu_ops(plain->rec, &n_ops);
    struct rf_coverage want = RF_COVERAGE_INIT;
    struct rf_coverage is = RF_COVERAGE_INIT;
    for (size_t i = 0; i < n_ops; i++) {
        int is_covered = 0;
        for (uint32_t t = 0; t < rf_n_threads(plain->rec); t++) {
            size_t n = 0;
            const struct rf_event *event = rf_thread_events(plain->rec, t, &n);
            for (size_t k = 0; k < n; k++)
                is_covered |= covers(plain, t, &event[k], &op[i]);
        }
        if (!counts(plain, &op[i]))
            continue;
        uint64_t duration = (uint64_t)(op[i].end_ns - op[i].start_ns);
        want.n_ops++;
        want.busy_ns += duration;
        want.n_covered += is_covered;
        want.covered_ns += is_covered ? duration : 0;
    }
    rf_projection_coverage(got, &is);
    assert_memory_equal(&is, &want, sizeof(want));
}

static void check_all(const rf_recording *rec)
{
    for (int choice = 0; choice < 4; choice++) {
        struct plain plain = {
            rec,
            {.size = sizeof(plain.options), .by_process = choice & 1, .kernels_only = choice >> 1}};
        rf_projections *got;
        size_t n = 0;
        size_t n_all;
        assert_int_equal(rf_project(rec, &plain.options, &got, NULL), RF_OK);
        for (uint32_t t = 0; t < rf_n_threads(rec); t++)
            check_thread(&plain, got, t, &n);
        (void)rf_projections_all(got, &n_all);
        assert_int_equal(n, n_all);
        const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(rf_projection_owner(got, i), plain_owner(&plain, &op[i]));
        check_coverage(&plain, got);
        if (choice < 2)
            check_nesting(&plain, got);
        rf_projections_free(got);
    }
}

/* ---- Random recordings ---- */

static uint64_t random_state;

static int64_t below(int64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int64_t)(random_state >> 11) % n;
}

struct span {
    int64_t start_ns, end_ns;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int by_start_and_end(const void *a, const void *b)
{
    int order = by_start(a, b);
    const struct span *x = a;
    const struct span *y = b;
    return order != 0 ? order : x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

enum { MAX_SPANS = 40 };

/* What one may find on a thread: anything; and what nests. */
static int make_spans(struct span *span, int is_nested, int64_t length)
{
    int n = (int)below(MAX_SPANS);
    for (int i = 0; i < n; i++) {
        int64_t low = 0;
        int64_t high = length;
        while (is_nested && below(3) > 0 && high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            if (below(2) == 0)
                low = middle + 1;
            else
                high = middle - below(2);
        }
        if (!is_nested) {
            low = below(length);
            high = low + below(below(2) == 0 ? length : length / 4 + 1);
        }
        span[i] = (struct span){low - 5, high - 5};
    }
    qsort(span, (size_t)n, sizeof(*span), is_nested ? by_start_and_end : by_start);
    return n;
}

static void add_random_ranges(rf_recording *rec, uint32_t thread, uint32_t n_threads,
                              int64_t length)
{
    struct span span[MAX_SPANS];
    int n = make_spans(span, below(2) == 0, length);
    for (int i = 0; i < n; i++) {
        if (below(6) == 0)
            (void)built_mark(rec, thread, span[i].start_ns, "mark");
        if (below(4) != 0)
            (void)built_range(rec, thread, span[i].start_ns, span[i].end_ns, 0, "range");
        else
            (void)built_start_end(rec, thread, span[i].start_ns, span[i].end_ns,
                                  below(2) == 0 ? thread : (uint32_t)below(n_threads), "range");
    }
}

static void add_random_work(rf_recording *rec, uint32_t thread, int64_t length)
{
    struct span span[MAX_SPANS];
    int n = make_spans(span, below(2) == 0, length);
    for (int i = 0; i < n; i++) {
        uint32_t call = built_call(rec, thread, span[i].start_ns, span[i].end_ns);
        for (int64_t k = below(4); k > 0; k--) {
            int64_t start = below(1000) - 20;
            (void)built_op(rec, 1 + (int)below(5), start, start + below(100),
                           below(10) == 0 ? RF_NO_INDEX : thread, call, NULL);
        }
    }
}

static void test_like_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        random_state = seed * 0x9e3779b97f4a7c15u;
        rf_recording *rec = built_new();
        int64_t length = below(3) == 0 ? 8 : below(2) == 0 ? 40 : 100000;
        uint32_t n_threads = 1 + (uint32_t)below(4);
        (void)built_process(rec, 200);
        for (uint32_t t = 0; t < n_threads; t++)
            (void)built_thread(rec, (uint32_t)below(2), 1 + t);
        for (uint32_t t = 0; t < n_threads; t++) {
            add_random_ranges(rec, t, n_threads, length);
            add_random_work(rec, t, length);
        }
        check_all(rec);
        built_free(rec);
    }
}

/* ---- Cases ---- */

/* One thread; a call from 10 to 20 with a kernel from 100 to 150. */
static rf_recording *one_call(void)
{
    rf_recording *rec = built_new();
    (void)built_thread(rec, 0, 1);
    (void)built_call(rec, 0, 10, 20);
    (void)built_op(rec, RF_OP_KERNEL, 100, 150, 0, 0, "kernel");
    return rec;
}

static rf_projections *project(const rf_recording *rec)
{
    rf_projections *got;
    struct rf_err err;
    assert_int_equal(rf_project(rec, NULL, &got, &err), RF_OK);
    return got;
}

static void test_the_call_lies_wholly_inside(void **state)
{
    static const struct {
        int64_t start_ns, end_ns;
        int covers;
    } cases[] = {{10, 20, 1}, {9, 21, 1}, {11, 20, 0}, {10, 19, 0}, {0, 10, 0}, {20, 30, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rf_recording *rec = one_call();
        (void)built_range(rec, 0, cases[i].start_ns, cases[i].end_ns, 0, "range");
        rf_projections *got = project(rec);
        assert_int_equal(rf_projection_of(got, 0, 0) != NULL, cases[i].covers);
        assert_int_equal(rf_projection_owner(got, 0), cases[i].covers ? 0 : RF_NO_INDEX);
        rf_projections_free(got);
        built_free(rec);
    }
}

/* Neither vanishes, and there is no circle. */
static void test_two_equal_ranges(void **state)
{
    rf_recording *rec = one_call();
    (void)state;
    (void)built_range(rec, 0, 5, 25, 0, "first");
    (void)built_range(rec, 0, 5, 25, 0, "second");
    rf_projections *got = project(rec);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(rf_projection_of(got, 0, i)->n_ops, 1);
    assert_int_equal(rf_range_parent(got, 0, 0), RF_NO_INDEX);
    assert_int_equal(rf_range_parent(got, 0, 1), 0);
    assert_int_equal(rf_projection_owner(got, 0), 1);
    rf_projections_free(got);
    built_free(rec);
}

/* Where one range ends and the next begins, a call without length lies in both. */
static void test_an_empty_call_where_ranges_touch(void **state)
{
    rf_recording *rec = built_new();
    (void)state;
    (void)built_thread(rec, 0, 1);
    (void)built_range(rec, 0, 0, 10, 0, "before");
    (void)built_range(rec, 0, 10, 30, 0, "after");
    (void)built_call(rec, 0, 10, 10);
    (void)built_op(rec, RF_OP_KERNEL, 100, 150, 0, 0, "kernel");
    rf_projections *got = project(rec);
    assert_non_null(rf_projection_of(got, 0, 0));
    assert_non_null(rf_projection_of(got, 0, 1));
    assert_int_equal(rf_projection_owner(got, 0), 0);
    rf_projections_free(got);
    built_free(rec);
}

/* A range that ended on another thread encloses nothing; by process it covers other threads. */
static void test_ended_on_another_thread(void **state)
{
    rf_recording *rec = one_call();
    rf_projections *got;
    struct rf_project_options options = {.size = sizeof(options), .by_process = 1};
    (void)state;
    (void)built_thread(rec, 0, 2);
    (void)built_start_end(rec, 1, 0, 30, 0, "wide");
    (void)built_range(rec, 1, 1, 2, 0, "inside it");
    got = project(rec);
    assert_null(rf_projection_of(got, 1, 0));
    assert_int_equal(rf_range_parent(got, 1, 1), RF_NO_INDEX);
    rf_projections_free(got);
    assert_int_equal(rf_project(rec, &options, &got, NULL), RF_OK);
    const struct rf_projection *wide = rf_projection_of(got, 1, 0);
    assert_non_null(wide);
    assert_true(wide->start_ns == 100 && wide->end_ns == 150 && wide->by_process);
    assert_int_equal(rf_projection_owner(got, 0), RF_NO_INDEX);
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    rf_projection_coverage(got, &coverage);
    assert_int_equal(coverage.n_covered, 1);
    assert_int_equal(coverage.covered_ns, 50);
    rf_projections_free(got);
    built_free(rec);
}

/* A launch of a graph: one call, many kernels. */
static void test_a_graph(void **state)
{
    rf_recording *rec = one_call();
    (void)state;
    (void)built_op(rec, RF_OP_KERNEL, 160, 170, 0, 0, "kernel");
    (void)built_op(rec, RF_OP_MEMCPY, 90, 95, 0, 0, NULL);
    (void)built_range(rec, 0, 5, 25, 0, "range");
    rf_projections *got = project(rec);
    const struct rf_projection *range = rf_projection_of(got, 0, 0);
    assert_true(range->start_ns == 90 && range->end_ns == 170);
    assert_int_equal(range->n_calls, 1);
    assert_int_equal(range->n_ops, 3);
    assert_int_equal(range->busy_ns, 65);
    rf_projections_free(got);
    built_free(rec);
}

/* The durations of a's children sum up to more than a: they cross. */
static void test_children_that_cross(void **state)
{
    rf_recording *rec = built_new();
    (void)state;
    (void)built_thread(rec, 0, 1);
    (void)built_range(rec, 0, 0, 100, 0, "a");
    (void)built_range(rec, 0, 10, 80, 0, "of one domain");
    (void)built_range(rec, 0, 20, 90, 0, "of another");
    (void)built_range(rec, 0, 95, 120, 0, "crosses a");
    rf_projections *got = project(rec);
    assert_int_equal(rf_range_self_ns(got, 0, 0), 20);
    assert_int_equal(rf_range_self_ns(got, 0, 1), 70);
    assert_int_equal(rf_range_self_ns(got, 0, 3), 25);
    assert_int_equal(rf_range_depth(got, 0, 2), 1);
    assert_int_equal(rf_range_depth(got, 0, 3), 0);
    assert_int_equal(rf_range_next_child(got, 0, 0, RF_NO_INDEX), 1);
    assert_int_equal(rf_range_next_child(got, 0, 0, 1), 2);
    assert_int_equal(rf_range_next_child(got, 0, 0, 2), RF_NO_INDEX);
    assert_int_equal(rf_range_self_ns(got, 0, 4), RF_NO_TIME);
    rf_projections_free(got);
    built_free(rec);
}

static void test_nothing(void **state)
{
    size_t n = 1;
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    rf_recording *rec = built_new();
    rf_projections *got = project(rec);
    (void)state;
    assert_null(rf_projections_all(got, &n));
    assert_int_equal(n, 0);
    assert_null(rf_projection_of(got, 0, 0));
    assert_int_equal(rf_projection_owner(got, 0), RF_NO_INDEX);
    assert_int_equal(rf_range_parent(got, 7, 0), RF_NO_INDEX);
    rf_projection_coverage(got, &coverage);
    assert_int_equal(coverage.n_ops, 0);
    rf_projections_free(got);
    rf_projections_free(NULL);
    built_free(rec);
}

/* A hundred thousand ranges inside one another, and calls that each leave half of them: what grows
 * with ranges times calls does not end. */
static void test_deep(void **state)
{
    enum { DEPTH = 100000 };
    rf_recording *rec = built_new();
    (void)state;
    (void)built_thread(rec, 0, 1);
    for (int64_t i = 0; i < DEPTH; i++)
        (void)built_range(rec, 0, i, 10 * DEPTH - i, 0, "range");
    for (int64_t i = 0; i < DEPTH; i++) {
        uint32_t call = built_call(rec, 0, DEPTH + i, 9 * DEPTH + DEPTH / 2);
        (void)built_op(rec, RF_OP_KERNEL, i, i + 1, 0, call, NULL);
    }
    for (int is_crossing = 0; is_crossing < 2; is_crossing++) {
        if (is_crossing)
            (void)built_range(rec, 0, DEPTH, 20 * DEPTH, 0, "crossing");
        rf_projections *got = project(rec);
        assert_int_equal(rf_projection_of(got, 0, 0)->n_ops, DEPTH);
        assert_int_equal(rf_projection_of(got, 0, DEPTH / 2)->n_ops, DEPTH);
        assert_null(rf_projection_of(got, 0, DEPTH / 2 + 1));
        assert_int_equal(rf_projection_owner(got, 5), DEPTH / 2);
        assert_int_equal(rf_range_parent(got, 0, DEPTH - 1), DEPTH - 2);
        rf_projections_free(got);
    }
    built_free(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_the_definition),
        cmocka_unit_test(test_the_call_lies_wholly_inside),
        cmocka_unit_test(test_two_equal_ranges),
        cmocka_unit_test(test_an_empty_call_where_ranges_touch),
        cmocka_unit_test(test_ended_on_another_thread),
        cmocka_unit_test(test_a_graph),
        cmocka_unit_test(test_children_that_cross),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests_name("projection.projection", tests, NULL, NULL);
}
