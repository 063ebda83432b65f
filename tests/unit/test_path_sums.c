/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of recordings that are added up as they are read, against those of all events. */
#include "check_paths.h"
#include "model/sums/path_sums.h"
#include "random_windows.h"
#include "summary/summary_data.h"
#include "unit_threads.h"

#define N_ROUNDS SANITIZED_ROUNDS(6)

static uint64_t seed;
static unsigned n_summed; /* recordings whose paths were added up from their events */

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- The same bytes ---- */

/* Steps are looked for where the events are in memory. */
static void check_searched(const rf_recording *rec, bool is_searched)
{
    rf_summary *summary = NULL;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, NULL, NULL), RF_OK);
    assert_int_equal(rf_summary_input_at(summary, 0)->n_searched, is_searched);
    assert_true(is_searched || rf_summary_input_at(summary, 0)->n_steps == 0);
    rf_summary_free(summary);
}

/* What the ranges of a thread add up to, by their paths, taken one by one. */
static void add_up_thread(const rf_recording *rec, const rf_projections *projections,
                          const struct rf_path_sums *all, uint32_t thread, struct rf_sum *sum)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (event[i].kind != RF_EVENT_PUSH_POP && event[i].kind != RF_EVENT_START_END)
            continue;
        const uint32_t path = all->path[thread][i],
                       parent = rf_range_parent(projections, thread, i);
        assert_true(path < all->sums.n);
        const struct rf_sum_key *key = &all->sums.sum[path].key;
        assert_int_equal(key->name, event[i].name);
        assert_int_equal(key->domain, event[i].domain);
        assert_int_equal(key->kind, event[i].kind);
        assert_int_equal(key->around,
                         parent != RF_NO_INDEX ? all->path[thread][parent] + 1 : (uint32_t)0);
        sum[path].n++;
        sum[path].total_ns += (uint64_t)(event[i].end_ns - event[i].start_ns);
        sum[path].self_ns += (uint64_t)rf_range_self_ns(projections, thread, i);
    }
}

/* Sums of paths against the projection, which looks at all ranges of a thread at once. Returns
 * whether there are any. */
static bool check_path_sums(const rf_recording *rec)
{
    struct rf_path_sums all;
    rf_projections *projections = NULL;
    int status = rf_path_sums_init(&all, rec, true);
    if (status == RF_OK) {
        struct rf_sum *sum = calloc(all.sums.n + 1, sizeof(*sum));
        assert_int_equal(rf_project(rec, NULL, &projections, NULL), RF_OK);
        for (uint32_t t = 0; t < rf_n_threads(rec); t++)
            add_up_thread(rec, projections, &all, t, sum);
        for (size_t i = 0; i < all.sums.n; i++) {
            assert_true(sum[i].n == all.sums.sum[i].n);
            assert_true(sum[i].total_ns == all.sums.sum[i].total_ns);
            assert_true(sum[i].self_ns == all.sums.sum[i].self_ns);
        }
        rf_projections_free(projections);
        free(sum);
    }
    rf_path_sums_release(&all);
    assert_true(status == RF_OK || status == RF_ERR_UNSUPPORTED);
    return status == RF_OK;
}

/* Returns whether the recording was added up as it was read. */
static bool check_recording(const struct rfw *w)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    rf_recording *streamed = rfw_reopen(w, 0, RF_OPEN_PATHS_ALWAYS);
    bool has_paths = rf_recording_paths(streamed) != NULL;
    n_summed += check_path_sums(whole);
    check_bytes(whole, streamed, 0);
    check_bytes(whole, streamed, 9);
    check_searched(whole, true);
    check_searched(streamed, !has_paths);
    rf_close(whole);
    rf_close(streamed);
    return has_paths;
}

/* ---- Recordings ---- */

struct kind {
    bool has_starts, has_ties, crosses, goes_back, has_losses, has_captures;
};

/* Ranges of two domains at random; open: the domains of those that are open. */
static void add_thread(struct rfw *w, uint32_t p, uint32_t slot, uint64_t domain, size_t n,
                       const struct kind *kind)
{
    static const char *const names[] = {"load", "step 1", "step 2", "a name of some words"};
    struct rfw_stream *s = rfw_stream(w, p, slot, 100 + slot, slot + 1);
    uint64_t open[8];
    size_t depth = 0;
    int64_t ns = 10;
    for (size_t i = 0; i < n; i++) {
        uint64_t what = dice(100), d = depth % 2 * domain;
        struct rfw_attr attr = {.text = names[(depth + dice(2)) % 4], .domain = d};
        ns += (int64_t)(kind->has_ties ? dice(3) : 1 + dice(dice(50) == 0 ? 30000 : 30));
        ns -= kind->goes_back && dice(2000) == 0 ? 50 : 0;
        if (what < 45 && depth < 8) {
            rfw_push(s, ns, &attr);
            open[depth++] = d;
        } else if (what < 92 && depth > 0) {
            depth--;
            rfw_pop(s, ns, kind->crosses && dice(1000) == 0 ? domain - open[depth] : open[depth]);
        } else if (what < 95) {
            rfw_mark(s, ns, &attr);
        } else if (kind->has_starts && dice(100) == 0) {
            rfw_end(s, ns + 40, rfw_start(s, ns, &attr));
        }
        if (kind->has_losses && dice(9000) == 0) {
            rfw_next_part(s, ns)->part.lost_records = 3;
            depth = 0;
        }
    }
    if (dice(2) == 0)
        rfw_thread_end(s, ns + 5, NULL);
}

/* Two processes of the same times, of three threads each, two of which have the same times too. */
static struct rfw *random_recording(size_t n, const struct kind *kind)
{
    struct rfw *w = rfw_new();
    const uint64_t first = seed;
    for (uint32_t i = 0; i < 2; i++) {
        seed = first;
        uint32_t p = rfw_process(w, 200 - i, "app");
        uint64_t d = rfw_domain(w, p, 1, 9, "D");
        for (uint32_t slot = 0; slot < 3; slot++) {
            uint64_t before = seed;
            add_thread(w, p, slot, d, n, kind);
            if (slot == 1)
                seed = before;
        }
        if (dice(2) == 0)
            rfw_exit(w, p, (int64_t)n * 10000);
    }
    if (kind->has_captures)
        add_windows(w, (int64_t)n * (kind->has_ties ? 1 : 200), dice);
    return w;
}

static unsigned count_streamed(const struct kind *kind)
{
    unsigned n = 0;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        seed = round;
        struct rfw *w = random_recording(round % 2 == 0 ? 12000 : 200, kind);
        n += check_recording(w);
        rfw_free(w);
    }
    return n;
}

static void test_nested(void **state)
{
    (void)state;
    n_summed = 0;
    assert_int_equal(count_streamed(&(struct kind){.has_starts = false}), N_ROUNDS);
    assert_int_equal(count_streamed(&(struct kind){.has_losses = true}), N_ROUNDS);
    assert_int_equal(n_summed, 2 * N_ROUNDS);
}

/* Some of them cannot be added up in a stream, and are read again. */
static void test_read_again(void **state)
{
    (void)state;
    n_summed = 0;
    (void)count_streamed(&(struct kind){.has_starts = true});
    assert_int_equal(count_streamed(&(struct kind){.crosses = true}), N_ROUNDS);
    const unsigned n = count_streamed(&(struct kind){.goes_back = true});
    assert_true(n < N_ROUNDS || IS_SANITIZED); /* the few rounds under one can be */
    (void)count_streamed(&(struct kind){.has_ties = true});
    (void)count_streamed(&(struct kind){true, true, true, true, true, false});
    assert_int_equal(n_summed, 5 * N_ROUNDS); /* once they are read, all can be */
}

/* A signal handler's records stand in a second stream. */
static void test_handlers(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *handler = rfw_stream(w, p, 1, 100, 1);
    for (int64_t i = 0; i < 20000; i++) {
        rfw_push(s, 10 * i + 10, &(struct rfw_attr){.text = "work"});
        if (i % 1000 == 7) {
            rfw_push(handler, 10 * i + 12, &(struct rfw_attr){.text = "handle"});
            rfw_pop(handler, 10 * i + 15, 0);
        }
        rfw_pop(s, 10 * i + 18, 0);
    }
    assert_false(check_recording(w));
    rfw_free(w);
}

/* More names than it is worth to keep sums of: the events take less. */
static void test_many_names(void **state)
{
    (void)state;
    n_summed = 0;
    for (int64_t n = 131072; n <= 131072 + 2048; n += 2048) {
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process(w, 100, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
        for (int64_t i = 0; i < n; i++) {
            char name[32];
            (void)snprintf(name, sizeof(name), "request %d", (int)i);
            rfw_push(s, 10 * i + 10, &(struct rfw_attr){.text = name});
            rfw_pop(s, 10 * i + 18, 0);
        }
        assert_int_equal(check_recording(w), n == 131072);
        rfw_free(w);
    }
    assert_int_equal(n_summed, 0);
}

/* A capture, with ranges before and behind it. */
static void test_capture(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_focus(w, 1);
    rfw_window(w, 100000, 300000);
    for (int64_t i = 0; i < 50000; i++) {
        rfw_push(s, 10 * i + 10, &(struct rfw_attr){.text = "work"});
        rfw_pop(s, 10 * i + 18, 0);
    }
    assert_true(check_recording(w));
    rfw_free(w);
}

/* Many captures, and ranges that are open where they begin and end. */
static void test_captures(void **state)
{
    unsigned n = 0;
    (void)state;
    n_summed = 0;
    for (int i = 0; i < 4; i++) {
        n += count_streamed(&(struct kind){.has_captures = true});
        n += count_streamed(&(struct kind){.has_losses = true, .has_captures = true});
        (void)count_streamed(&(struct kind){.has_starts = true, .has_captures = true});
        (void)count_streamed(&(struct kind){.crosses = true, .has_captures = true});
        (void)count_streamed(&(struct kind){.goes_back = true, .has_captures = true});
        (void)count_streamed(&(struct kind){.has_ties = true, .has_captures = true});
        (void)count_streamed(&(struct kind){true, true, true, true, true, true});
    }
    assert_true(n > 6 * N_ROUNDS);
}

/* Ranges that were open when their domain was destroyed. */
static void test_destroyed_domains(void **state)
{
    (void)state;
    for (seed = 1; seed <= SANITIZED_ROUNDS(4); seed++) {
        uint64_t before = seed;
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process(w, 100, "app");
        uint64_t d = rfw_domain(w, p, 1, 9, "D");
        add_thread(w, p, 0, d, 20000, &(struct kind){.has_losses = true});
        rfw_domain_destroy(w, p, 1000 + (int64_t)dice(1000000), 9, d);
        (void)check_recording(w);
        rfw_free(w);
        seed = before;
    }
}

/* Two workers, which number names and paths differently. Long texts make many parts. */
static void test_workers(void **state)
{
    enum { STREAMS = 12, OUTER = 750, INNER = 6, TEXT = 4000 };
    static char text[TEXT + 1];
    struct rfw *w = rfw_new();
    (void)state;
    memset(text, 'x', TEXT);
    seed = 5;
    for (uint32_t i = 0; i < STREAMS; i++) {
        uint32_t p = i % (STREAMS / 2) == 0 ? rfw_process(w, 100 - i, "app") : i / (STREAMS / 2);
        struct rfw_stream *s = rfw_stream(w, p, i % (STREAMS / 2), 200 + i, i % (STREAMS / 2) + 1);
        for (int64_t k = 0; k < OUTER; k++) {
            text[0] = (char)('a' + dice(1 + i));
            rfw_push(s, 100 * k + 1, &(struct rfw_attr){.text = text});
            for (int64_t inner = 0; inner < INNER; inner++) {
                char name[2] = {(char)('a' + dice(1 + i)), '\0'};
                rfw_push(s, 100 * k + 10 * inner + 2, &(struct rfw_attr){.text = name});
                rfw_pop(s, 100 * k + 10 * inner + 3 + (int64_t)dice(7), 0);
            }
            rfw_pop(s, 100 * k + 90, 0);
        }
    }
    size_t n_parts = 0;
    for (size_t p = 0; p < w->n_processes; p++)
        for (size_t i = 0; i < w->process[p]->n_streams; i++)
            n_parts += w->process[p]->stream[i]->n_parts;
    assert_true(n_parts > 512);
    assert_true(check_recording(w));
    rfw_free(w);
}

/* ---- Collectives ---- */

static void check_collectives(const struct rfw *w, unsigned flags, uint64_t n_searched, size_t n)
{
    rf_recording *rec = rfw_reopen(w, 0, flags);
    rf_summary *summary = NULL;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, NULL, NULL), RF_OK);
    assert_int_equal(rf_searched_of(&summary->collectives.searched, 0).n_searched, n_searched);
    assert_int_equal(summary->collectives.n, n);
    rf_summary_free(summary);
    rf_close(rec);
}

/* They are looked for among events. Where there are none of them it is known whether there may be
 * collectives: by the names of domains. */
static void test_collectives(void **state)
{
    static const char *const names[] = {"NCCL", "NCCLX"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process(w, 100, "app");
        uint64_t d = rfw_domain(w, p, 1, 9, names[i]);
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
        for (int64_t k = 0; k < 5; k++) {
            rfw_push(s, 10 * k + 10, &(struct rfw_attr){.text = "ncclAllReduce", .domain = d});
            rfw_pop(s, 10 * k + 14, d);
        }
        check_collectives(w, 0, 1, i == 0 ? 5 : 0);
        check_collectives(w, RF_OPEN_PATHS_ALWAYS, i == 0 ? 0 : 1, 0);
        rfw_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_ONE_THREAD(test_nested),      UNIT_ONE_THREAD(test_read_again),
        UNIT_ONE_THREAD(test_handlers),    UNIT_ONE_THREAD(test_many_names),
        UNIT_ONE_THREAD(test_capture),     UNIT_ONE_THREAD(test_captures),
        cmocka_unit_test(test_workers),    UNIT_ONE_THREAD(test_destroyed_domains),
        UNIT_ONE_THREAD(test_collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
