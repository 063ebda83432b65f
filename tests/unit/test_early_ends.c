/* SPDX-License-Identifier: Apache-2.0 */
/* Start/end ranges and payloads of recordings that are summed up as they are read: the same sums as
 * of all events, and most ranges are not kept. */
#include "check_paths.h"
#include "check_sums.h"
#include "random_windows.h"
#include "rf_payload_writer.h"
#include "unit_threads.h"

#define N_THREADS 4
#define N_OPEN    64
#define N_DEEP    6
#define N_ROUNDS  SANITIZED_ROUNDS(4)

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

struct kind {
    bool ends_anywhere; /* any thread ends a range */
    bool is_foreign;    /* so does another process, now and then */
    bool has_lost, has_losses, is_destroyed, has_handler;
    bool has_many_parts; /* several workers read them */
    bool has_stacks;     /* of push/pop ranges, which cross start/end ranges */
    bool has_ties;
    uint64_t twice; /* one in so many ends comes again; 0: none */
    bool by_same;   /* ... in the thread that ended it */
    bool has_captures;
};

/* Ranges of a process, of which some are open at any time. */
struct program {
    struct rfw *w;
    struct rfw_stream *thread[N_THREADS], *other;
    uint64_t open[N_OPEN], domain;
    size_t owner[N_OPEN];
    uint64_t stack[N_THREADS][N_DEEP]; /* domains */
    size_t depth[N_THREADS];
    int64_t ns;
};

static void end_range(struct program *p, size_t i, const struct kind *kind)
{
    const size_t by = kind->ends_anywhere ? dice(N_THREADS) : p->owner[i];
    struct rfw_stream *thread = kind->is_foreign && dice(500) == 0 ? p->other : p->thread[by];
    const uint64_t id = p->open[i];
    p->open[i] = 0;
    if (kind->has_lost && dice(300) == 0)
        return; /* it never ends */
    rfw_end(thread, p->ns, id);
    if (kind->twice > 0 && dice(kind->twice) == 0)
        rfw_end(kind->by_same ? thread : p->thread[dice(N_THREADS)], p->ns + (int64_t)dice(50), id);
}

static void push(struct program *p, size_t on, const char *name)
{
    const uint64_t domain = p->depth[on] % 2 * p->domain;
    p->stack[on][p->depth[on]++] = domain;
    rfw_push(p->thread[on], p->ns, &(struct rfw_attr){.text = name, .domain = domain});
}

static void take_step(struct program *p, const struct kind *kind)
{
    static const char *const names[] = {"request", "copy", "wait", "a name of some words"};
    const size_t i = dice(N_OPEN), on = dice(N_THREADS);
    const struct rfw_attr attr = {.text = names[dice(4)], .domain = dice(2) * p->domain};
    p->ns += (int64_t)dice(kind->has_ties ? 2 : 30);
    if (p->open[i] != 0) {
        end_range(p, i, kind);
    } else {
        p->open[i] = rfw_start(p->thread[on], p->ns, &attr);
        p->owner[i] = on;
    }
    if (kind->has_losses && dice(5000) == 0)
        rfw_next_part(p->thread[on], p->ns)->part.lost_records = 3;
    if (kind->has_many_parts && dice(80) == 0)
        (void)rfw_next_part(p->thread[on], p->ns);
    if (kind->has_stacks && dice(3) == 0) {
        if (p->depth[on] > 0 && dice(5) < 3)
            rfw_pop(p->thread[on], p->ns, p->stack[on][--p->depth[on]]);
        else if (p->depth[on] < N_DEEP)
            push(p, on, names[p->depth[on] % 4]);
    } else if (dice(10) == 0) {
        rfw_push(p->thread[on], p->ns, &attr);
        rfw_pop(p->thread[on], p->ns + 1, attr.domain);
    }
}

static struct rfw *random_recording(size_t n, const struct kind *kind)
{
    struct program p = {.w = rfw_new(), .ns = 100};
    const uint32_t process = rfw_process(p.w, 100, "app"), child = rfw_process(p.w, 101, "child");
    p.domain = rfw_domain(p.w, process, 1, 9, "D");
    for (uint32_t i = 0; i < N_THREADS; i++)
        p.thread[i] = rfw_stream(p.w, process, i, 100 + i, i + 1);
    p.other = rfw_stream(p.w, child, 0, 200, 1);
    rfw_mark(p.other, 50, &(struct rfw_attr){.text = "child"});
    for (size_t i = 0; i < n; i++)
        take_step(&p, kind);
    if (kind->is_destroyed)
        rfw_domain_destroy(p.w, process, p.ns / 2, 9, p.domain);
    if (kind->has_handler)
        rfw_end(rfw_stream(p.w, process, N_THREADS, 100, 1), p.ns, p.open[0]);
    if (dice(2) == 0)
        rfw_exit(p.w, process, p.ns + 100);
    if (kind->has_captures)
        add_windows(p.w, p.ns, dice);
    return p.w;
}

/* Returns the most ranges that were kept of a recording of n steps. */
static uint32_t most_kept(size_t n, const struct kind *kind)
{
    uint32_t most = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        seed = round;
        struct rfw *w = random_recording(n, kind);
        const uint32_t n_kept = check_recording(w);
        most = n_kept > most ? n_kept : most;
        rfw_free(w);
    }
    return most;
}

/* A thread keeps 1024 events before it looks at them. */
#define FEW (N_THREADS * 2 * 1024u)

static void test_ended(void **state)
{
    (void)state;
    assert_true(most_kept(40000, &(struct kind){.ends_anywhere = false}) < FEW);
    assert_true(most_kept(40000, &(struct kind){.ends_anywhere = true}) < FEW);
    assert_true(most_kept(40000, &(struct kind){true, .has_lost = true}) < FEW);
    assert_true(most_kept(40000, &(struct kind){true, .has_losses = true}) < FEW);
    assert_true(most_kept(40000, &(struct kind){true, .has_lost = true, .is_destroyed = true}) <
                30000);
    assert_true(most_kept(40000, &(struct kind){.twice = 3, .by_same = true}) < FEW);
    assert_true(most_kept(40000, &(struct kind){true, .twice = 3, .by_same = true}) > 0);
    assert_true(most_kept(40000, &(struct kind){.is_foreign = true}) < FEW);
    assert_true(most_kept(40000, &(struct kind){true, .twice = 1000}) < FEW);
    (void)most_kept(500, &(struct kind){true, true, true, true, true, true, .twice = 50});
    assert_true(most_kept(40000, &(struct kind){.has_many_parts = true}) < FEW);
    (void)most_kept(40000, &(struct kind){true, .has_many_parts = true});
    (void)most_kept(40000, &(struct kind){true, .has_many_parts = true, .twice = 9000});
}

/* ---- By the names around them ---- */

/* Returns in how many of the recordings ranges were added up as they were read. */
static unsigned count_streamed(size_t n, const struct kind *kind)
{
    unsigned n_streamed = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        seed = round;
        struct rfw *w = random_recording(n, kind);
        rf_recording *whole = rfw_reopen(w, 0, 0);
        rf_recording *streamed = rfw_reopen(w, 0, RF_OPEN_PATHS_ALWAYS);
        n_streamed += rf_recording_paths(streamed) != NULL;
        check_bytes(whole, streamed, 0);
        check_bytes(whole, streamed, 9);
        rf_close(whole);
        rf_close(streamed);
        rfw_free(w);
    }
    return n_streamed;
}

static void test_paths(void **state)
{
    (void)state;
    assert_int_equal(count_streamed(12000, &(struct kind){.ends_anywhere = false}), N_ROUNDS);
    assert_int_equal(count_streamed(12000, &(struct kind){.ends_anywhere = true}), N_ROUNDS);
    assert_int_equal(count_streamed(12000, &(struct kind){true, .has_lost = true}), N_ROUNDS);
    assert_true(count_streamed(12000, &(struct kind){.has_stacks = true}) > 0);
    assert_true(count_streamed(12000, &(struct kind){true, .has_stacks = true}) > 0);
    (void)count_streamed(12000, &(struct kind){.has_stacks = true, .has_ties = true});
    (void)count_streamed(12000, &(struct kind){true, .has_stacks = true, .has_ties = true});
    (void)count_streamed(12000, &(struct kind){true, .has_losses = true, .has_stacks = true});
    (void)count_streamed(12000, &(struct kind){true, .has_many_parts = true, .has_stacks = true});
    (void)count_streamed(8000, &(struct kind){true, .twice = 900});
    assert_int_equal(count_streamed(12000, &(struct kind){.twice = 9, .by_same = true}), N_ROUNDS);
    (void)count_streamed(12000,
                         &(struct kind){true, .has_stacks = true, .twice = 9, .by_same = true});
    (void)count_streamed(20000, &(struct kind){true, true, true, true, true, true, true, true, true,
                                               5000, false, false});
    for (size_t n = 20; n < 3000; n += n)
        (void)count_streamed(n, &(struct kind){true, .has_lost = true, .has_many_parts = true,
                                               .has_stacks = true, .has_ties = n % 2 == 0});
}

/* Of captures, too. */
static void test_captures(void **state)
{
    const struct kind kinds[] = {
        {.has_captures = true},
        {true, .has_captures = true},
        {true, .has_lost = true, .has_captures = true},
        {true, .has_losses = true, .has_captures = true},
        {true, .has_lost = true, .is_destroyed = true, .has_captures = true},
        {.twice = 3, .by_same = true, .has_captures = true},
        {true, .twice = 3, .by_same = true, .has_captures = true},
        {true, .twice = 50, .has_captures = true},
        {.is_foreign = true, .has_captures = true},
        {true, .has_handler = true, .has_captures = true},
        {true, .has_many_parts = true, .has_captures = true},
        {true, .has_ties = true, .has_captures = true},
        {true, .has_stacks = true, .has_captures = true},
        {true, .has_stacks = true, .has_ties = true, .has_captures = true},
        {true, true, true, true, true, true, true, true, true, 5000, false, true},
    };
    unsigned n_streamed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        for (size_t n = 20; n < 20000; n *= 9) {
            const uint32_t n_kept = most_kept(n, &kinds[i]);
            assert_true(i > 1 || n_kept < FEW);
            n_streamed += count_streamed(n, &kinds[i]);
        }
    assert_true(n_streamed > 15 * N_ROUNDS);
}

/* A thread that only ended ranges is listed where a capture has one of those ends. Second ends are
 * mistakes in a capture. */
static void test_ender(void **state)
{
    (void)state;
    for (int64_t begin_ns = 5; begin_ns < 50000; begin_ns += 40000) {
        struct rfw *w = rfw_new();
        const uint32_t process = rfw_process(w, 100, "app");
        struct rfw_stream *thread = rfw_stream(w, process, 0, 100, 1);
        struct rfw_stream *ender = rfw_stream(w, process, 1, 101, 2);
        rfw_focus(w, 1);
        rfw_window(w, begin_ns, 300000);
        for (int64_t i = 1; i < 6000; i++) {
            const uint64_t id = rfw_start(thread, 20 * i, &(struct rfw_attr){.text = "request"});
            rfw_end(i < 2000 ? ender : thread, 20 * i + 5, id);
            if (i % 3 == 0)
                rfw_end(i < 2000 ? ender : thread, 20 * i + 6, id);
            if (i % 1000 == 0) {
                (void)rfw_next_part(thread, 20 * i + 7);
                (void)rfw_next_part(ender, 20 * i + 7);
            }
        }
        const uint32_t n_kept = check_recording(w);
        assert_true(n_kept < FEW);
        rfw_free(w);
    }
}

/* A start/end range that is open over more ranges than may wait for one. Returns whether they were
 * added up as they were read. */
static bool is_streamed(bool ends_elsewhere, bool crosses)
{
    const struct rfw_attr run = {.text = "run"}, step = {.text = "step"}, work = {.text = "work"};
    struct rfw *w = rfw_new();
    const uint32_t process = rfw_process(w, 100, "app");
    struct rfw_stream *thread = rfw_stream(w, process, 0, 100, 1);
    struct rfw_stream *other = rfw_stream(w, process, 1, 101, 2);
    int64_t ns = 100;
    rfw_push(thread, ns, &step);
    const uint64_t id = rfw_start(thread, ++ns, &run);
    for (long i = 0; i < 600000; i++) {
        if (i % 2000 == 0)
            (void)rfw_next_part(thread, ns);
        rfw_push(thread, ++ns, &step);
        rfw_push(thread, ++ns, &work);
        rfw_pop(thread, ++ns, 0);
        rfw_pop(thread, ++ns, 0);
    }
    if (crosses)
        rfw_pop(thread, ++ns, 0);
    rfw_end(ends_elsewhere ? other : thread, ++ns, id);
    rfw_push(thread, ++ns, &work);
    rfw_pop(thread, ++ns, 0);
    rf_recording *whole = rfw_reopen(w, 0, 0), *streamed = rfw_reopen(w, 0, RF_OPEN_PATHS_ALWAYS);
    const bool is_streamed = rf_recording_paths(streamed) != NULL;
    check_bytes(whole, streamed, 0);
    rf_close(whole);
    rf_close(streamed);
    rfw_free(w);
    return is_streamed;
}

static void test_open_for_long(void **state)
{
    (void)state;
    assert_true(is_streamed(false, false));
    assert_false(is_streamed(true, false)); /* nothing lay in it */
    assert_false(is_streamed(false, true));
}

/* What cannot be decided while streams are decoded: all is read again. */
static void test_read_again(void **state)
{
    (void)state;
    assert_true(most_kept(30000, &(struct kind){false, .twice = 3}) > FEW);
    assert_true(most_kept(30000, &(struct kind){.has_many_parts = true, .twice = 100}) > FEW);
    (void)most_kept(30000, &(struct kind){true, .twice = 20000});
    assert_true(most_kept(30000, &(struct kind){true, .is_foreign = true}) < FEW);
    (void)most_kept(30000, &(struct kind){true, .is_foreign = true, .twice = 900});
    (void)most_kept(30000, &(struct kind){true, .has_handler = true});
    (void)most_kept(30000, &(struct kind){true, true, true, true, true, true, .twice = 3000});
}

/* Numbers that a stream repeats, or that are no numbers of ranges. */
static void test_forged_numbers(void **state)
{
    static const uint64_t numbers[] = {5, (uint64_t)1 << 40, UINT64_MAX, 0};
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct rfw *w = rfw_new();
        struct rfw_stream *s = rfw_stream(w, rfw_process(w, 100, "app"), 0, 100, 1);
        for (int64_t k = 0; k < 9000; k++) {
            if (k % 500 == 0)
                (void)rfw_next_part(s, 10 * k + 9);
            rfw_end(s, 10 * k + 14, rfw_start(s, 10 * k + 10, &(struct rfw_attr){.text = "range"}));
            if (k == 4000)
                rfw_counter(s, 10 * k + 15, numbers[i]);
        }
        (void)check_recording(w);
        rfw_free(w);
    }
}

/* ---- Payloads ---- */

enum { PLAIN = 1 << 24, NAMES, TIMES };

static void define_schemas(struct rfw *w, uint32_t p, uint32_t d)
{
    const struct rfw_entry plain[] = {{0, 17, "size", 0, 0}, {0, 17, "peer", 0, 8}};
    const struct rfw_entry names[] = {{1 << 10 | 2 << 4 | 1 << 2, 76, "text", 0, 0}};
    const struct rfw_entry times[] = {{2 << 10, 17, "at", 0, 0}};
    rfw_define_schema(w, p, &(struct rfw_schema){.id = PLAIN, .domain = d, .size = 16}, plain, 2);
    rfw_define_schema(w, p, &(struct rfw_schema){.id = NAMES, .domain = d, .size = 8, .type = 2},
                      names, 1);
    rfw_define_schema(w, p, &(struct rfw_schema){.id = TIMES, .domain = d, .size = 8}, times, 1);
}

/* Ranges with payloads of these schemas in their begins and ends; which: by chance. */
static uint64_t count_kept(const uint64_t *schemas, size_t n_schemas)
{
    const uint64_t bytes[2] = {0x6162636465666768, 7};
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app"), d = rfw_domain(w, p, 1, 9, "D");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    define_schemas(w, p, d);
    seed = 7;
    for (int64_t i = 0; i < 20000; i++) {
        const struct rfw_attr attr = {.text = "work", .domain = d};
        const uint64_t schema = schemas[dice(n_schemas)];
        const bool is_start = dice(2) == 0, at_end = dice(3) == 0;
        uint64_t id = 0;
        if (i % 400 == 0)
            (void)rfw_next_part(s, 10 * i + 9);
        if (is_start)
            id = rfw_start(s, 10 * i + 10, &attr);
        else
            rfw_push(s, 10 * i + 10, &attr);
        if (!at_end)
            rfw_payload(s, schema, bytes, sizeof(bytes), sizeof(bytes), 0);
        if (is_start)
            rfw_end(s, 10 * i + 14, id);
        else
            rfw_pop(s, 10 * i + 14, d);
        if (at_end)
            rfw_payload(s, schema, bytes, sizeof(bytes), sizeof(bytes), 0);
    }
    const uint64_t n_kept = check_recording(w);
    rfw_free(w);
    return n_kept;
}

static void test_payloads(void **state)
{
    const uint64_t all[] = {PLAIN, 17, 9999999999, NAMES, TIMES};
    (void)state;
    assert_true(count_kept(all, 3) < FEW); /* numbers, and of a schema that is not known */
    assert_true(count_kept(&all[3], 1) > FEW);
    assert_true(count_kept(&all[4], 1) > FEW);
    assert_true(count_kept(all, 5) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ended),         UNIT_ONE_THREAD(test_paths),
        cmocka_unit_test(test_open_for_long), UNIT_ONE_THREAD(test_read_again),
        UNIT_ONE_THREAD(test_forged_numbers), UNIT_ONE_THREAD(test_payloads),
        UNIT_ONE_THREAD(test_captures),       UNIT_ONE_THREAD(test_ender)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
