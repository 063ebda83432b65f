/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranges a call lies in, and which is the innermost one, asked while ranges come: it is what
 * a look at all ranges says, or it is said to be uncertain. */
#include "model/cuda/range_stack.h"
#include "rangefinder/rangefinder.h"
#include "unit.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

#define N_RANGES 3000
#define N_CALLS  2000

/* By number, which is the tag. */
static struct range {
    int64_t start_ns, end_ns;
} range[N_RANGES];

struct step {
    int64_t ns;
    uint32_t range; /* RF_NO_INDEX: the innermost one ends */
};

static struct call {
    int64_t start_ns, end_ns;
    uint64_t when; /* it is asked for: its place in the order */
} call[N_CALLS];

/* Of all ranges around a call the shortest, the one that starts last, the last. */
static uint32_t look_at_all(size_t n, const struct call *of)
{
    uint32_t found = RF_NO_INDEX;
    for (uint32_t i = 0; i < n; i++) {
        if (range[i].start_ns > of->start_ns || range[i].end_ns < of->end_ns)
            continue;
        const int64_t length = range[i].end_ns - range[i].start_ns;
        if (found == RF_NO_INDEX || length < range[found].end_ns - range[found].start_ns ||
            (length == range[found].end_ns - range[found].start_ns &&
             range[i].start_ns >= range[found].start_ns))
            found = i;
    }
    return found;
}

/* most_ns: how far apart steps are; with 1 many are at the same time. */
static size_t make_ranges(struct step *step, uint64_t most_ns, size_t *n_steps)
{
    uint32_t open[6];
    size_t depth = 0, n = 0;
    int64_t ns = 100;
    *n_steps = 0;
    while (n < N_RANGES || depth > 0) {
        ns += (int64_t)dice(most_ns + 1);
        if (n < N_RANGES && depth < 6 && dice(2) == 0) {
            range[n].start_ns = ns;
            step[(*n_steps)++] = (struct step){ns, (uint32_t)n};
            open[depth++] = (uint32_t)n++;
        } else if (depth > 0) {
            range[open[--depth]].end_ns = ns;
            step[(*n_steps)++] = (struct step){ns, RF_NO_INDEX};
        }
    }
    return n;
}

static int compare_when(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    return a->when < b->when ? -1 : a->when > b->when;
}

static void make_calls(size_t n, int64_t last_ns, uint64_t most_ns, uint64_t late_ns)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t start_ns = 50 + (int64_t)dice((uint64_t)last_ns);
        call[i] = (struct call){start_ns, start_ns + (int64_t)dice(2 * most_ns), 0};
        call[i].when = (uint64_t)call[i].end_ns + dice(late_ns + 1);
    }
    qsort(call, n, sizeof(*call), compare_when);
}

/* Returns whether all answers were certain: they are right then. */
static bool run(uint64_t most_ns, uint64_t late_ns, size_t max_ended)
{
    static struct step step[2 * N_RANGES];
    static uint32_t answer[N_CALLS];
    struct rf_range_pool pool;
    struct rf_range_stack s;
    size_t n_steps, next = 0;
    const size_t n = make_ranges(step, most_ns, &n_steps);
    make_calls(N_CALLS, step[n_steps - 1].ns, most_ns, late_ns);
    rf_range_pool_init(&pool, max_ended, 1024, 16);
    rf_range_stack_init(&s);
    for (size_t i = 0; i < N_CALLS; i++) {
        for (; next < n_steps && step[next].ns <= call[i].end_ns; next++)
            assert_int_equal(step[next].range == RF_NO_INDEX
                                 ? rf_range_stack_pop(&s, &pool, step[next].ns)
                                 : rf_range_stack_push(&s, &pool, step[next].ns, step[next].range),
                             RF_OK);
        const uint32_t node = rf_range_stack_find(&s, &pool, call[i].start_ns, call[i].end_ns);
        answer[i] = node != RF_NO_INDEX ? pool.node[node].tag : RF_NO_INDEX;
    }
    for (size_t i = 0; i < N_CALLS && !s.is_uncertain; i++)
        assert_int_equal(answer[i], look_at_all(n, &call[i]));
    assert_true(pool.n <= max_ended + 16 || pool.n <= 1024 + 16); /* and those that are open */
    const bool is_certain = !s.is_uncertain;
    rf_range_stack_release(&s);
    rf_range_pool_release(&pool);
    return is_certain;
}

static void test_in_order(void **state)
{
    (void)state;
    for (seed = 1; seed < 20; seed += 2)
        (void)run(1000000, 0, 1 << 16);
    seed = 1;
    assert_true(run(1000000, 0, 1 << 16));
}

/* Calls come late: up to the ranges that are held, but no further. */
static void test_late(void **state)
{
    (void)state;
    unsigned n_certain = 0, n_too_late = 0;
    for (uint64_t round = 1; round <= 20; round++) {
        seed = round;
        n_certain += run(1000000, 100000000, 1 << 16); /* about 200 ranges */
        seed = round;
        n_too_late += !run(1000000, 1000000000, 100);
    }
    assert_true(n_certain > 10);
    assert_int_equal(n_too_late, 20);
}

/* Ranges and calls of the same times, without durations, one behind the other. */
static void test_ties(void **state)
{
    (void)state;
    unsigned n_certain = 0;
    for (uint64_t round = 1; round <= 60; round++) {
        seed = round;
        n_certain += run(1 + round * round * round, 0, 1 << 16);
    }
    assert_true(n_certain > 0 && n_certain < 60);
}

/* Times that go back. */
static void test_backwards(void **state)
{
    static const int64_t steps[][4] = {{10, 5, 0, 0}, /* a range begins before the one around it */
                                       {10, -9, 0, 0},
                                       {10, -20, 15, 0},
                                       {10, 20, -30, -29}};
    (void)state;
    for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
        struct rf_range_pool pool;
        struct rf_range_stack s;
        rf_range_pool_init(&pool, 64, 64, 1);
        rf_range_stack_init(&s);
        assert_int_equal(rf_range_stack_pop(&s, &pool, 1), RF_OK); /* nothing is open */
        for (size_t i = 0; i < 4 && steps[k][i] != 0; i++)
            assert_int_equal(steps[k][i] > 0
                                 ? rf_range_stack_push(&s, &pool, steps[k][i], (uint32_t)i)
                                 : rf_range_stack_pop(&s, &pool, -steps[k][i]),
                             RF_OK);
        assert_true(s.is_uncertain);
        rf_range_stack_release(&s);
        rf_range_pool_release(&pool);
    }
}

/* ---- Ranges that cross ---- */

static uint64_t n_nodes; /* added less let go of */

static int note_added(void *context, uint32_t node)
{
    (void)context, (void)node;
    n_nodes++;
    return RF_OK;
}

static void note_gone(void *context, uint32_t node)
{
    (void)context, (void)node;
    n_nodes--;
}

/* Ranges of which any open one may end, and not the last. deep: how many are open at most. */
static size_t make_crossing(struct step *step, uint64_t most_ns, size_t deep, size_t *n_steps)
{
    const size_t n_ranges = 300;
    uint32_t open[64];
    size_t depth = 0, n = 0;
    int64_t ns = 100;
    *n_steps = 0;
    while (n < n_ranges || depth > 0) {
        ns += 1 + (int64_t)dice(most_ns);
        if (n < n_ranges && depth < deep && dice(2) == 0) {
            range[n].start_ns = ns;
            range[n].end_ns = INT64_MAX;
            step[(*n_steps)++] = (struct step){ns, (uint32_t)n};
            open[depth++] = (uint32_t)n++;
        } else if (depth > 0) {
            const size_t i = dice(3) == 0 ? dice(depth) : depth - 1;
            range[open[i]].end_ns = ns;
            step[(*n_steps)++] = (struct step){ns, RF_NO_INDEX - 1 - open[i]};
            for (size_t k = i; k + 1 < depth; k++)
                open[k] = open[k + 1];
            depth--;
        }
    }
    return n;
}

static bool covers(const struct range *a, const struct call *of)
{
    return a->start_ns <= of->start_ns && a->end_ns >= of->end_ns;
}

/* The shortest range around a range. */
static uint32_t look_for_parent(size_t n, uint32_t i)
{
    uint32_t found = RF_NO_INDEX;
    const struct call of = {range[i].start_ns, range[i].end_ns, 0};
    for (uint32_t k = 0; k < n; k++)
        if (k != i && covers(&range[k], &of) &&
            (found == RF_NO_INDEX ||
             range[k].end_ns - range[k].start_ns <= range[found].end_ns - range[found].start_ns))
            found = k;
    return found;
}

/* What ranges in others are, as soon as they end; and how calls were answered. */
static struct {
    uint32_t node[N_RANGES]; /* by range; the first one */
    uint32_t parent[N_RANGES], innermost[N_CALLS], of_call[N_CALLS];
    bool has_parent[N_RANGES];
} said;

static uint32_t tag_of(const struct rf_range_pool *pool, uint32_t node)
{
    return node != RF_NO_INDEX ? pool->node[node].tag : RF_NO_INDEX;
}

/* All ranges around a call are in the list, and no others. */
static void check_list(const struct rf_range_pool *pool, size_t n, uint32_t node,
                       const struct call *of)
{
    uint32_t i = (uint32_t)n;
    for (; node != RF_NO_INDEX; node = pool->node[node].around) {
        for (i--; !covers(&range[i], of); i--)
            ;
        assert_int_equal(pool->node[node].tag, i);
    }
    while (i-- > 0)
        assert_false(covers(&range[i], of));
}

static void take_step(struct rf_range_stack *s, struct rf_range_pool *pool, const struct step *step)
{
    if (step->range < N_RANGES) {
        assert_int_equal(rf_range_stack_push(s, pool, step->ns, step->range), RF_OK);
        said.node[step->range] = s->open;
        rf_range_pool_use(pool, s->open);
        n_nodes++;
        return;
    }
    const uint32_t i = RF_NO_INDEX - 1 - step->range;
    assert_int_equal(rf_range_stack_take(s, pool, said.node[i], step->ns), RF_OK);
}

/* soon: answers are asked for when a range has ended, and not when all have. Returns whether all
 * was certain. */
static bool run_crossing(uint64_t most_ns, size_t deep, bool soon)
{
    static struct step step[2 * N_RANGES];
    struct rf_range_pool pool;
    struct rf_range_stack s;
    const size_t n_calls = 300;
    size_t n_steps, next = 0;
    const size_t n = make_crossing(step, most_ns, deep, &n_steps);
    n_nodes = 0;
    make_calls(n_calls, step[n_steps - 1].ns, most_ns, 0);
    rf_range_pool_init(&pool, 1 << 16, 1 << 16, 16);
    rf_range_pool_listen(&pool, &(struct rf_range_listener){note_added, NULL, note_gone, NULL});
    rf_range_stack_init(&s);
    for (size_t i = 0; i <= n_calls; i++) {
        const int64_t until_ns = i < n_calls ? call[i].end_ns : INT64_MAX;
        for (; next < n_steps && step[next].ns <= until_ns; next++)
            take_step(&s, &pool, &step[next]);
        if (i == n_calls)
            break;
        said.of_call[i] = rf_range_stack_find(&s, &pool, call[i].start_ns, call[i].end_ns);
        rf_range_pool_use(&pool, said.of_call[i]);
        check_list(&pool, n, said.of_call[i], &call[i]);
        if (soon)
            said.innermost[i] = tag_of(&pool, rf_range_innermost(&pool, said.of_call[i]));
        for (uint32_t k = 0; soon && k < n; k++)
            if (range[k].end_ns <= until_ns && (i == 0 || range[k].end_ns > call[i - 1].end_ns))
                said.parent[k] = tag_of(&pool, rf_range_parent_of(&pool, said.node[k]));
            else if (range[k].end_ns > call[n_calls - 1].end_ns)
                said.parent[k] = look_for_parent(n, k);
    }
    for (size_t i = 0; i < n_calls; i++) {
        if (!soon)
            said.innermost[i] = tag_of(&pool, rf_range_innermost(&pool, said.of_call[i]));
        assert_true(s.is_uncertain || said.innermost[i] == look_at_all(n, &call[i]));
        rf_range_pool_drop(&pool, said.of_call[i]);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!soon)
            said.parent[k] = tag_of(&pool, rf_range_parent_of(&pool, said.node[k]));
        assert_true(s.is_uncertain || said.parent[k] == look_for_parent(n, k));
        rf_range_pool_drop(&pool, said.node[k]);
    }
    rf_range_stack_end(&s, &pool);
    assert_int_equal(n_nodes, 0); /* nothing is held any more */
    const bool is_certain = !s.is_uncertain;
    rf_range_stack_release(&s);
    rf_range_pool_release(&pool);
    return is_certain;
}

static void test_crossing(void **state)
{
    (void)state;
    unsigned n_soon = 0;
    for (uint64_t round = 1; round <= 30; round++) {
        seed = round;
        assert_true(run_crossing(1000000, 2 + round, false));
        seed = round;
        n_soon += run_crossing(1000000, 2 + round, true);
        seed = round;
        (void)run_crossing(3, 2 + round, round % 2 == 0);
    }
    assert_true(n_soon < 30);
}

/* What was said of ranges that are open comes true, or not. */
static void test_assumed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        struct rf_range_pool pool;
        struct rf_range_stack s;
        uint32_t node[3];
        rf_range_pool_init(&pool, 64, 64, 1);
        rf_range_stack_init(&s);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(rf_range_stack_push(&s, &pool, 100 + 10 * (int64_t)i, i), RF_OK);
            node[i] = s.open;
            rf_range_pool_use(&pool, node[i]);
        }
        if (kind == 0) /* the last one is taken to end first */
            assert_int_equal(rf_range_innermost(&pool, s.open), node[2]);
        if (kind == 1)
            assert_int_equal(rf_range_parent_of(&pool, node[2]), node[1]);
        assert_int_equal(rf_range_stack_take(&s, &pool, node[1], 200), RF_OK);
        assert_int_equal(s.is_uncertain, kind == 1);
        if (kind == 2) /* 10..200 is 90 long, 120..: 80 by now */
            assert_int_equal(rf_range_innermost(&pool, node[2]), node[2]);
        assert_int_equal(rf_range_stack_take(&s, &pool, node[2], kind < 4 ? 209 : 210), RF_OK);
        assert_int_equal(s.is_uncertain, kind == 1);
        assert_int_equal(rf_range_stack_pop(&s, &pool, 300), RF_OK);
        for (uint32_t i = 0; i < 3; i++)
            rf_range_pool_drop(&pool, node[i]);
        rf_range_stack_end(&s, &pool);
        rf_range_stack_release(&s);
        rf_range_pool_release(&pool);
    }
}

/* One that was said to be shorter than one that ended is not. */
static void test_assumed_wrong(void **state)
{
    struct rf_range_pool pool;
    struct rf_range_stack s;
    (void)state;
    rf_range_pool_init(&pool, 64, 64, 1);
    rf_range_stack_init(&s);
    assert_int_equal(rf_range_stack_push(&s, &pool, 100, 0), RF_OK);
    const uint32_t first = s.open;
    assert_int_equal(rf_range_stack_push(&s, &pool, 120, 1), RF_OK);
    const uint32_t second = s.open;
    assert_int_equal(rf_range_innermost(&pool, second), second);
    assert_int_equal(rf_range_stack_take(&s, &pool, first, 200), RF_OK);
    assert_false(s.is_uncertain);
    assert_int_equal(rf_range_stack_take(&s, &pool, second, 221), RF_OK);
    assert_true(s.is_uncertain);
    rf_range_stack_end(&s, &pool);
    rf_range_stack_release(&s);
    rf_range_pool_release(&pool);
}

/* Ranges of several threads are held in one place: the one that comes last makes room by its own.
 */
static void test_threads(void **state)
{
    enum { THREADS = 9, TURNS = 5000 };
    struct rf_range_stack s[THREADS];
    struct rf_range_pool pool;
    (void)state;
    rf_range_pool_init(&pool, 300, 256, 50);
    for (size_t t = 0; t < THREADS; t++)
        rf_range_stack_init(&s[t]);
    for (int64_t i = 1; i <= TURNS; i++)
        for (size_t t = 0; t < THREADS; t++) {
            assert_int_equal(rf_range_stack_push(&s[t], &pool, 10 * i, (uint32_t)t), RF_OK);
            assert_int_equal(rf_range_stack_pop(&s[t], &pool, 10 * i + 5), RF_OK);
            const uint32_t node = rf_range_stack_find(&s[t], &pool, 10 * i + 1, 10 * i + 4);
            assert_true(node != RF_NO_INDEX && pool.node[node].tag == t);
            assert_false(s[t].is_uncertain);
        }
    assert_true(pool.n_ended <= 50 * THREADS && pool.n <= 50 * THREADS + THREADS);
    for (size_t t = 0; t < THREADS; t++) /* each has its share */
        assert_true(s[t].end - s[t].begin >= 30);
    for (size_t t = 0; t < THREADS; t++)
        rf_range_stack_release(&s[t]);
    rf_range_pool_release(&pool);
}

/* Calls come later and later: more ranges are held, up to a limit. Returns how late one was when it
 * was uncertain. */
static size_t run_late(size_t max_ended, size_t step)
{
    struct rf_range_pool pool;
    struct rf_range_stack s;
    size_t late = 0;
    rf_range_pool_init(&pool, max_ended, 64, 1);
    rf_range_stack_init(&s);
    for (size_t i = 1; !s.is_uncertain; i++) {
        assert_int_equal(rf_range_stack_push(&s, &pool, 10 * (int64_t)i, (uint32_t)i), RF_OK);
        assert_int_equal(rf_range_stack_pop(&s, &pool, 10 * (int64_t)i + 5), RF_OK);
        late += i % step == 0;
        if (i <= late)
            continue;
        const int64_t ns = 10 * (int64_t)(i - late);
        const uint32_t node = rf_range_stack_find(&s, &pool, ns + 1, ns + 4);
        assert_true(s.is_uncertain || (node != RF_NO_INDEX && pool.node[node].tag == i - late));
    }
    assert_true(pool.max_ended <= pool.most_ended && pool.n_ended <= pool.max_ended);
    rf_range_stack_end(&s, &pool);
    rf_range_stack_release(&s);
    rf_range_pool_release(&pool);
    return late;
}

static void test_later(void **state)
{
    (void)state;
    assert_in_range(run_late(64, 3), 500, 512);  /* eight times as many as at first */
    assert_in_range(run_late(100, 3), 500, 800); /* of one thread a power of two */
}

/* Ranges of which the first one that is open ends first, n of them at a time, each with a call that
 * is held while 30 more come. */
static bool run_in_flight(size_t n, size_t n_ranges, size_t max_ended)
{
    enum { CALLS = 30 };
    struct rf_range_pool pool;
    struct rf_range_stack s;
    uint32_t first[1024], held[CALLS];
    size_t most = 0;
    rf_range_pool_init(&pool, max_ended, 1024, 16);
    rf_range_stack_init(&s);
    for (size_t i = 0; i < n_ranges && !s.is_uncertain; i++) {
        const int64_t ns = 100 + 10 * (int64_t)i;
        if (i >= n)
            assert_int_equal(rf_range_stack_take(&s, &pool, first[i % n], ns), RF_OK);
        assert_int_equal(rf_range_stack_push(&s, &pool, ns + 3, (uint32_t)i), RF_OK);
        first[i % n] = s.open;
        if (i >= CALLS)
            rf_range_pool_drop(&pool, held[i % CALLS]);
        held[i % CALLS] = rf_range_stack_find(&s, &pool, ns + 4, ns + 5);
        assert_int_equal(pool.node[held[i % CALLS]].tag, i);
        rf_range_pool_use(&pool, held[i % CALLS]);
        most = pool.n_used > most ? pool.n_used : most;
    }
    assert_true(most <= pool.max_used + n && pool.n <= pool.max_used + 2 * n);
    for (size_t i = 0; i < CALLS; i++)
        rf_range_pool_drop(&pool, held[i]);
    rf_range_stack_end(&s, &pool);
    assert_int_equal(pool.n_used, 0);
    const bool is_certain = !s.is_uncertain;
    rf_range_stack_release(&s);
    rf_range_pool_release(&pool);
    return is_certain;
}

/* Memory grows with neither their number nor that of all ranges: those that ended are let go of, or
 * it is uncertain. */
static void test_in_flight(void **state)
{
    (void)state;
    assert_true(run_in_flight(60, 20000, 2000));
    assert_true(run_in_flight(2, 20000, 200));
    assert_false(run_in_flight(600, 20000, 2000));
}

/* Ranges that end together, whichever of them was said to do so first, in ranges that go on and
 * around such: a call before that lies in them, one behind it does not. */
static void test_leaving(void **state)
{
    enum { TURNS = 20, DEEP = 4 };
    unsigned n_crossed = 0;
    (void)state;
    for (uint64_t round = 1; round <= 50; round++) {
        struct rf_range_pool pool;
        struct rf_range_stack s;
        uint32_t node[TURNS * DEEP], n = 0;
        int64_t ns = 100;
        seed = round;
        rf_range_pool_init(&pool, 1000, 1024, 16);
        rf_range_stack_init(&s);
        for (int turn = 0; turn < TURNS; turn++) {
            const struct call before = {ns + 100, ns + 110, 0}, behind = {ns + 210, ns + 220, 0};
            for (uint64_t k = dice(DEEP) + 1; k > 0; k--, n++) {
                range[n] = (struct range){ns += 10, INT64_MAX};
                assert_int_equal(rf_range_stack_push(&s, &pool, ns, n), RF_OK);
                node[n] = s.open;
            }
            const uint32_t held = rf_range_stack_find(&s, &pool, before.start_ns, before.end_ns);
            rf_range_pool_use(&pool, held);
            for (uint32_t i = 0; i < n; i++)
                if (range[i].end_ns == INT64_MAX && dice(3) != 0) {
                    range[i].end_ns = behind.start_ns - 10;
                    rf_range_stack_leave(&s, &pool, node[i]);
                }
            assert_int_equal(rf_range_stack_find(&s, &pool, before.start_ns, before.end_ns), held);
            assert_int_equal(rf_range_stack_take_leaving(&s, &pool, behind.start_ns - 10), RF_OK);
            check_list(&pool, n, held, &before);
            check_list(&pool, n, rf_range_stack_find(&s, &pool, before.start_ns, before.end_ns),
                       &before);
            check_list(&pool, n, rf_range_stack_find(&s, &pool, behind.start_ns, behind.end_ns),
                       &behind);
            rf_range_pool_drop(&pool, held);
            ns = behind.end_ns;
        }
        assert_false(s.is_uncertain);
        n_crossed += s.has_crossed;
        rf_range_stack_end(&s, &pool);
        assert_int_equal(pool.n_used, 0);
        rf_range_stack_release(&s);
        rf_range_pool_release(&pool);
    }
    assert_true(n_crossed > 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),      cmocka_unit_test(test_late),
        cmocka_unit_test(test_ties),          cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_later),
        cmocka_unit_test(test_crossing),      cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_assumed_wrong), cmocka_unit_test(test_in_flight),
        cmocka_unit_test(test_leaving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
