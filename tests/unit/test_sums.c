/* SPDX-License-Identifier: Apache-2.0 */
/* What ranges add up to: as they are read, in parts and in any order the same as from all events.
 */
#include <math.h>

#include "check_sums.h"
#include "random_windows.h"
#include "rf_cuda_writer.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* The same, where parts of pushes, pops and marks alone are counted and not decoded. */
static void check_counted(const struct rfw *w)
{
    rf_recording *whole = rfw_reopen(w, 0, 0);
    rf_recording *counted = rfw_reopen(w, 0, RF_OPEN_COUNTS);
    assert_null(rf_recording_sums(counted));
    check_counts(whole, counted);
    for (uint32_t t = 0; t < rf_n_threads(counted); t++)
        assert_null(rf_thread_events(counted, t, NULL));
    rf_close(whole);
    rf_close(counted);
}

/* ---- Recordings ---- */

/* One thread at random: nested ranges of two domains, start/end ranges that end late or never,
 * marks, pops too many, parts that are missing. */
static void add_thread(struct rfw *w, uint32_t p, uint32_t slot, uint32_t domain, size_t n)
{
    static const char *const names[] = {"load 1", "load 22", "reduce",
                                        "a name of more than one word"};
    struct rfw_stream *s = rfw_stream(w, p, slot, 100 + slot, slot + 1);
    uint64_t open[64] = {0};
    int64_t ns = 10 + slot;
    for (size_t i = 0; i < n; i++) {
        uint64_t what = dice(100), d = dice(50) == 0 ? 900 + dice(4) : dice(2) * domain;
        struct rfw_attr attr = {.text = names[dice(4)], .domain = d};
        ns += (int64_t)(dice(8) == 0 ? dice(100000) : dice(30));
        if (what < 40)
            rfw_push(s, ns, &attr);
        else if (what < 82)
            rfw_pop(s, ns, d);
        else if (what < 90)
            rfw_mark(s, ns, &attr);
        else if (what < 95)
            open[dice(64)] = rfw_start(s, ns, &attr);
        else if (open[what = dice(64)] != 0)
            rfw_end(s, ns, open[what]);
        if (dice(20000) == 0)
            rfw_next_part(s, ns)->part.lost_records = 3;
    }
    if (dice(2) == 0)
        rfw_thread_end(s, ns + 5, NULL);
}

static struct rfw *random_recording(size_t n)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        uint32_t d = rfw_domain(w, p, 1, 9, "D");
        for (uint32_t slot = 0; slot < 3; slot++)
            add_thread(w, p, slot, d, n);
        if (dice(2) == 0)
            rfw_domain_destroy(w, p, 100000 + (int64_t)dice(1000000), 9, d);
        if (dice(2) == 0)
            rfw_exit(w, p, (int64_t)n * 10000);
    }
    return w;
}

/* Parts of few and of many domains, deep nests, ends too many, and
 * now and then something that is to be decoded. */
static void add_parts(struct rfw *w, uint32_t p, uint32_t slot, uint64_t domain)
{
    struct rfw_stream *s = rfw_stream(w, p, slot, 100 + slot, slot + 1);
    int64_t ns = 10;
    for (int part = 0; part < 60; part++) {
        uint64_t n_domains = dice(10) == 0 ? 9 : 1 + dice(4), most = 30 + dice(40);
        for (int i = 0; i < 50; i++) {
            uint64_t what = dice(100), d = dice(n_domains) * domain;
            struct rfw_attr attr = {.text = "work", .domain = d};
            ns += (int64_t)dice(30) - (dice(20) == 0 ? 40 : 0);
            if (what < most)
                rfw_push(s, ns, &attr);
            else if (what < 90)
                rfw_pop(s, ns, d);
            else
                rfw_mark(s, ns, &attr);
        }
        if (dice(5) == 0)
            rfw_end(s, ns, rfw_start(s, ns, &(struct rfw_attr){.text = "start"}));
        struct rfw_part *next = rfw_next_part(s, ns);
        if (dice(20) == 0)
            next->part.lost_records = 3;
    }
    if (dice(2) == 0)
        rfw_thread_end(s, ns + 5, NULL);
}

static void test_counting(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 40; round++) {
        seed = round;
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process(w, 100, "app");
        uint64_t domain = rfw_domain(w, p, 1, 9, "D");
        if (dice(2) == 0)
            (void)rfw_domain(w, p, 2, 9, "E");
        for (uint32_t slot = 0; slot < 3; slot++)
            add_parts(w, p, slot, domain);
        if (dice(4) == 0)
            rfw_domain_destroy(w, p, 1000, 9, domain);
        if (dice(2) == 0)
            rfw_exit(w, p, 100000);
        check_counted(w);
        rfw_free(w);
    }
}

static void test_while_reading(void **state)
{
    (void)state;
    for (seed = 1; seed <= 6; seed++) {
        uint64_t before = seed;
        struct rfw *w = random_recording(seed % 2 == 0 ? 60000 : 300);
        (void)check_recording(w);
        check_counted(w);
        rfw_free(w);
        seed = before;
    }
}

/* ---- Quantiles ---- */

static char report[2][65536];

static int keep(void *context, const void *bytes, size_t size)
{
    char *text = context;
    size_t used = strlen(text);
    assert_true(used + size < sizeof(report[0]));
    memcpy(text + used, bytes, size);
    text[used + size] = '\0';
    return 0;
}

static void make_report(char *text, const rf_recording *rec, int fold_numbers)
{
    const struct rf_report_options options = {.size = sizeof(options),
                                              .report = "nvtx_sum",
                                              .format = "csv:nohdr",
                                              .write = keep,
                                              .write_context = text,
                                              .quantiles = "0,10,50,99,100",
                                              .fold_numbers = fold_numbers};
    struct rf_err err;
    text[0] = '\0';
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
}

/* The field of a line of CSV whose fields have no commas. */
static double field(const char *line, int i)
{
    for (; i > 0; i--)
        line = strchr(line, ',') + 1;
    return strtod(line, NULL);
}

/* From the histogram they are at most 1/256 off. Returns how many rows there are. */
static size_t check_quantiles(int fold_numbers)
{
    enum { FIRST = 8, N = 5 };
    size_t n_rows = 0;
    seed = 3;
    struct rfw *w = random_recording(20000);
    rf_recording *rec[2] = {rfw_reopen(w, 0, 0), rfw_reopen(w, 0, RF_OPEN_SUMS_ALWAYS)};
    for (int i = 0; i < 2; i++)
        make_report(report[i], rec[i], fold_numbers);
    const char *exact = report[0], *close = report[1];
    for (; *exact != '\0'; n_rows++) {
        assert_true(*close != '\0');
        for (int i = 1; i < 3; i++) /* total and number are exact */
            assert_true(field(exact, i) == field(close, i));
        for (int i = FIRST; i < FIRST + N; i++)
            assert_true(fabs(field(exact, i) - field(close, i)) <= field(exact, i) / 256 + 1);
        exact = strchr(exact, '\n') + 1;
        close = strchr(close, '\n') + 1;
    }
    assert_true(n_rows > 5 && *close == '\0');
    assert_int_equal(strstr(report[1], "load #") != NULL, fold_numbers > 0);
    assert_int_equal(strstr(report[1], "load 22") == NULL, fold_numbers > 0);
    rf_close(rec[0]);
    rf_close(rec[1]);
    rfw_free(w);
    return n_rows;
}

static void test_quantiles(void **state)
{
    (void)state;
    assert_true(check_quantiles(1) < check_quantiles(0));
}

/* A signal handler's records stand in a second stream: its thread is put together afterwards. */
static void test_handlers(void **state)
{
    (void)state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *handler = rfw_stream(w, p, 1, 100, 1);
    for (int64_t i = 0; i < 50000; i++) {
        rfw_push(s, 10 * i + 10, &(struct rfw_attr){.text = "work"});
        if (i % 1000 == 7) {
            rfw_push(handler, 10 * i + 12, &(struct rfw_attr){.text = "handle"});
            rfw_pop(handler, 10 * i + 15, 0);
        }
        rfw_pop(s, 10 * i + 18, 0);
    }
    (void)check_recording(w);
    check_counted(w);
    rfw_free(w);
}

/* Payloads may name an event, and captures cut ranges: such events are kept until that is known. */
static void test_captures(void **state)
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
    (void)check_recording(w);
    check_counted(w);
    rfw_free(w);
    for (uint64_t round = 1; round <= 12; round++) {
        const size_t n = round % 4 == 0 ? 20000 : 600;
        seed = round;
        w = random_recording(n);
        add_windows(w, (int64_t)n * 6000, dice);
        (void)check_recording(w);
        check_counted(w);
        rfw_free(w);
    }
}

/* ---- Merging ---- */

#define N_PARTS 5

static void add_random(struct rf_sums *whole, struct rf_sums part[N_PARTS])
{
    for (int i = 0; i < 20000; i++) {
        struct rf_sum_key key = {(uint32_t)dice(2), (uint32_t)dice(3), RF_EVENT_PUSH_POP, 0};
        struct rf_sum_place place = {dice(1ULL << (1 + dice(30))) << dice(32),
                                     (int64_t)dice(1000),
                                     {(uint32_t)dice(2), (uint32_t)dice(4), 1}};
        assert_true(rf_sums_add(whole, &key, &place));
        assert_true(rf_sums_add(&part[dice(N_PARTS)], &key, &place));
    }
}

static void merge_all(struct rf_sums *to, const struct rf_sums *from)
{
    for (size_t i = 0; i < from->n; i++)
        assert_true(rf_sums_merge(to, &from->sum[i].key, &from->sum[i]));
}

static void check_equal(const struct rf_sums *a, const struct rf_sums *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0, k; i < a->n; i++) {
        for (k = 0; k < b->n && memcmp(&a->sum[i].key, &b->sum[k].key, sizeof(a->sum[i].key)) != 0;)
            k++;
        assert_true(k < b->n);
        check_sum(&a->sum[i], &b->sum[k]);
    }
}

/* In any order and grouping, to the bit. */
static void test_merging(void **state)
{
    (void)state;
    seed = 42;
    for (int round = 0; round < 10; round++) {
        struct rf_sums whole = {.sum = NULL}, part[N_PARTS] = {{.sum = NULL}};
        struct rf_sums forwards = {.sum = NULL}, left = {.sum = NULL}, grouped = {.sum = NULL};
        add_random(&whole, part);
        for (int i = 0; i < N_PARTS; i++)
            merge_all(&forwards, &part[i]);
        merge_all(&left, &part[3]);
        merge_all(&left, &part[1]);
        for (int i = 4; i >= 0; i -= 2)
            merge_all(&grouped, &part[i]);
        merge_all(&grouped, &left);
        check_equal(&whole, &forwards);
        check_equal(&whole, &grouped);
        rf_sums_release(&whole);
        rf_sums_release(&forwards);
        rf_sums_release(&left);
        rf_sums_release(&grouped);
        for (int i = 0; i < N_PARTS; i++)
            rf_sums_release(&part[i]);
    }
}

/* ---- Quantiles ---- */

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Every rank, within 0.4 % of the exact duration; also the extremes of 64 bits. */
static void test_ranks(void **state)
{
    enum { N = 3000 };
    static uint64_t value[N];
    (void)state;
    seed = 7;
    for (unsigned width = 1; width <= 64; width += 7) {
        struct rf_sums sums = {.sum = NULL};
        struct rf_sum_key key = {0, 0, RF_EVENT_PUSH_POP, 0};
        for (int i = 0; i < N; i++) {
            uint64_t random = dice(1u << 31) << 33 ^ dice(1u << 31) << 16 ^ dice(1u << 31);
            struct rf_sum_place place = {.duration_ns = i == 0 ? 0 : random >> (64 - width)};
            value[i] = i == 1 && width == 64 ? (place.duration_ns = UINT64_MAX) : place.duration_ns;
            assert_true(rf_sums_add(&sums, &key, &place));
        }
        qsort(value, N, sizeof(value[0]), compare);
        for (int i = 0; i < N; i++) {
            double exact = (double)value[i], found = (double)rf_sum_rank(&sums.sum[0], (uint64_t)i);
            assert_true(found >= exact * (1 - 1.0 / 256) && found <= exact * (1 + 1.0 / 256));
        }
        assert_true(sums.sum[0].min.duration_ns == value[0] &&
                    sums.sum[0].max.duration_ns == value[N - 1]);
        rf_sums_release(&sums);
    }
}

/* Sums of ranges do without calls and GPU work: these are not read. */
static void test_cuda(void **state)
{
    struct rfw *w = rfw_new();
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    size_t n = 0;
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    for (uint32_t i = 1; i <= 9000; i++) {
        const int64_t ns = 1000 * (int64_t)i;
        if (i % 400 == 0)
            (void)rfw_next_part(s, ns - 1);
        rfw_push(s, ns, &(struct rfw_attr){.text = "step"});
        rfw_cuda_call(s, 100, ns + 100, ns + 200, i, RFW_LAUNCH);
        rfw_cuda_kernel(s, ns + 300, ns + 600, i, 13, RFW_KERNEL_ADD);
        rfw_pop(s, ns + 700, 0);
    }
    (void)check_recording(w);
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_SUMS_ALWAYS);
    assert_null(rf_gpu_ops(summed, &n));
    assert_null(rf_thread_calls(summed, 0, &n));
    rf_close(summed);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_while_reading), cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_handlers),      cmocka_unit_test(test_captures),
        cmocka_unit_test(test_merging),       cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_counting),      cmocka_unit_test(test_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
