/* SPDX-License-Identifier: Apache-2.0 */
/* Which range a call lies in, asked while ranges come: it is what a look at all ranges says, or it
 * is said to be uncertain. */
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

static void make_calls(int64_t last_ns, uint64_t most_ns, uint64_t late_ns)
{
    for (size_t i = 0; i < N_CALLS; i++) {
        const int64_t start_ns = 50 + (int64_t)dice((uint64_t)last_ns);
        call[i] = (struct call){start_ns, start_ns + (int64_t)dice(2 * most_ns), 0};
        call[i].when = (uint64_t)call[i].end_ns + dice(late_ns + 1);
    }
    qsort(call, N_CALLS, sizeof(*call), compare_when);
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
    make_calls(step[n_steps - 1].ns, most_ns, late_ns);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order), cmocka_unit_test(test_late),
        cmocka_unit_test(test_ties),     cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
