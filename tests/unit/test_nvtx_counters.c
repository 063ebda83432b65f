/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of NVTX: what EXT records hold is shown as counters, with the values, times and places
 * that the program gave them, whatever else a file says. */
#include <math.h>

#include "check_sample_sums.h"
#include "rf_counter_writer.h"

#define STATIC_ID ((uint64_t)1 << 24)
#define ID(n)     (((uint64_t)1 << 32) + (n))

struct test {
    struct rfw *w;
    struct rfw_stream *s;
    uint32_t process, domain;
    char *folder, path[4096];
    rf_recording *rec;
};

static int set_up(void **state)
{
    struct test *t = calloc(1, sizeof(*t));
    t->folder = rfw_make_tmpdir();
    (void)snprintf(t->path, sizeof(t->path), "%s/a.rf", t->folder);
    t->w = rfw_new();
    t->process = rfw_process(t->w, 100, "app");
    t->domain = rfw_domain(t->w, t->process, 1, 100, "engine");
    t->s = rfw_stream(t->w, t->process, 0, 100, 1);
    rfw_mark(t->s, 5, &(struct rfw_attr){.text = "mark"});
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct test *t = *state;
    rf_close(t->rec);
    rfw_free(t->w);
    rfw_remove_tree(t->folder);
    free(t->folder);
    free(t);
    return 0;
}

/* A sample: "time=value", with its flags. */
static void show_sample(FILE *out, const struct rf_counter *c, size_t i)
{
    const uint8_t flags = c->nvtx->flags != NULL ? c->nvtx->flags[i] : 0;
    (void)fprintf(out, " %lld=", (long long)c->ns[i]);
    if (flags & RF_SAMPLE_NO_VALUE)
        (void)fputs("none", out);
    else if (c->nvtx->integer == NULL || flags & RF_SAMPLE_REAL)
        (void)fprintf(out, "%.6g", c->value[i]);
    else if (c->nvtx->number == RF_COUNTER_UINT64)
        (void)fprintf(out, "%llu", (unsigned long long)c->nvtx->integer[i]);
    else
        (void)fprintf(out, "%lld", (long long)c->nvtx->integer[i]);
    if (flags & RF_SAMPLE_PLACED)
        (void)fputc('?', out);
}

/* "name:" and the samples, a line per counter. */
static char *show(const rf_recording *rec)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *c = rf_counter_at(rec, i);
        assert_non_null(c->nvtx);
        (void)fprintf(out, "%s:", rf_string(rec, c->name, NULL));
        for (size_t k = 0; k < c->n_samples; k++)
            show_sample(out, c, k);
        (void)fputc('\n', out);
    }
    (void)fclose(out);
    return text;
}

static void load(struct test *t)
{
    struct rf_err err;
    rfw_save_packed(t->w, t->path);
    if (rf_open(t->path, 0, &t->rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    check_sample_sums(t->path, t->rec);
}

/* What is shown, and how many samples or records notes speak of. */
static void check(struct test *t, const char *expected, uint64_t n_skipped)
{
    const struct rf_skipped *skipped;
    uint64_t n = 0;
    load(t);
    char *text = show(t->rec);
    for (uint32_t i = 0; (skipped = rf_skipped_at(t->rec, i)) != NULL; i++)
        n += skipped->n_rows;
    assert_string_equal(text, expected);
    assert_int_equal(n, n_skipped);
    free(text);
}

static void define(struct test *t, uint64_t id, const char *name, uint64_t schema)
{
    rfw_nvtx_counter(
        t->w, t->process, 2,
        &(struct rfw_nvtx_counter){.domain = t->domain, .id = id, .schema = schema, .name = name});
}

static void batch(struct test *t, int64_t ns, uint64_t id, uint64_t flags, const void *samples,
                  size_t size, const void *times, size_t times_size)
{
    rfw_ext(t->s, ns, t->domain, RF_EXT_BATCH, id, flags);
    rfw_array(t->s, ns, 0, samples, size);
    if (times != NULL)
        rfw_array(t->s, ns, 1, times, times_size);
}

/* ---- Values ---- */

static void test_values(void **state)
{
    struct test *t = *state;
    define(t, ID(1), "queue", RFW_NVTX_INT64);
    define(t, STATIC_ID, "load", RFW_NVTX_DOUBLE);
    rfw_int64(t->s, 10, t->domain, ID(1), INT64_MAX);
    rfw_float64(t->s, 20, t->domain, STATIC_ID, 0.5);
    rfw_int64(t->s, 30, t->domain, ID(1), -9007199254740993);
    rfw_float64(t->s, 40, t->domain, STATIC_ID, INFINITY);
    rfw_float64(t->s, 50, t->domain, ID(1), 1.5);
    check(t,
          "queue: 10=9223372036854775807 30=-9007199254740993 50=1.5\n"
          "load: 20=0.5 40=inf\n",
          0);
    assert_int_equal(rf_get_info(t->rec)->n_samples, 5);
    const struct rf_counter *c = rf_counter_at(t->rec, 0);
    const struct rf_domain *domain = rf_domain_at(t->rec, c->nvtx->domain);
    assert_int_equal(c->process, 0);
    assert_int_equal(c->nvtx->thread, RF_NO_INDEX);
    assert_string_equal(rf_string(t->rec, domain->name, NULL), "engine");
}

static void test_no_value(void **state)
{
    struct test *t = *state;
    define(t, ID(1), "a", RFW_NVTX_INT64);
    rfw_ext(t->s, 10, t->domain, RF_EXT_NO_VALUE, ID(1), 1); /* unchanged, from nothing */
    rfw_int64(t->s, 20, t->domain, ID(1), 7);
    rfw_ext(t->s, 30, t->domain, RF_EXT_NO_VALUE, ID(1), 1);
    rfw_ext(t->s, 40, t->domain, RF_EXT_NO_VALUE, ID(1), 0);
    rfw_ext(t->s, 50, t->domain, RF_EXT_NO_VALUE, ID(1), 2);
    rfw_ext(t->s, 60, t->domain, RF_EXT_NO_VALUE, ID(1), 1);
    rfw_ext(t->s, 70, t->domain, RF_EXT_NO_VALUE, ID(1), 255);
    check(t, "a: 10=none 20=7 30=7 40=0 50=none 60=0 70=none\n", 0);
    assert_true(isnan(rf_counter_at(t->rec, 0)->value[0]));
}

static void sample(struct test *t, int64_t ns, uint64_t id, const void *bytes, size_t size)
{
    rfw_ext(t->s, ns, t->domain, RF_EXT_SAMPLE, id, 0);
    rfw_array(t->s, ns, 0, bytes, size);
}

static void test_types(void **state)
{
    struct test *t = *state;
    define(t, ID(1), "i16", RFW_NVTX_INT16);
    define(t, ID(2), "u64", RFW_NVTX_UINT64);
    define(t, ID(3), "half", RFW_NVTX_FLOAT16);
    define(t, ID(4), "bf16", RFW_NVTX_BF16);
    define(t, ID(5), "float", RFW_NVTX_FLOAT32);
    sample(t, 10, ID(1), &(int16_t){-5}, 2);
    sample(t, 10, ID(2), &(uint64_t){UINT64_MAX}, 8);
    sample(t, 10, ID(3), &(uint16_t){0xc500}, 2);
    sample(t, 20, ID(3), &(uint16_t){0x0001}, 2);
    sample(t, 30, ID(3), &(uint16_t){0xfc00}, 2);
    sample(t, 10, ID(4), &(uint16_t){0x4049}, 2);
    sample(t, 10, ID(5), &(float){-0.25f}, 4);
    check(t,
          "i16: 10=-5\nu64: 10=18446744073709551615\nhalf: 10=-5 20=5.96046e-08 30=-inf\n"
          "bf16: 10=3.14062\nfloat: 10=-0.25\n",
          0);
}

/* ---- Groups ---- */

static const struct rfw_nvtx_entry in_memory[] = {
    {.type = RFW_NVTX_UINT32, .name = "used", .description = "in use"},
    {.type = RFW_NVTX_FLOAT32, .name = "share", .offset = 4},
    {.type = RFW_NVTX_INT64, .flags = RFW_NVTX_TIMESTAMP, .name = "at", .offset = 8}};

struct in_memory {
    uint32_t used;
    float share;
    int64_t at;
};

static void test_group(void **state)
{
    struct test *t = *state;
    const struct in_memory one = {7, 0.5f, 0};
    rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID, 16, in_memory, 3);
    define(t, ID(1), "memory", STATIC_ID);
    sample(t, 10, ID(1), &one, sizeof(one));
    rfw_ext(t->s, 20, t->domain, RF_EXT_NO_VALUE, ID(1), 1);
    check(t, "memory.used: 10=7 20=7\nmemory.share: 10=0.5 20=0.5\n", 0);
    assert_string_equal(rf_string(t->rec, rf_counter_at(t->rec, 0)->nvtx->description, NULL),
                        "in use");
}

/* Entries that are marked as counters are the only ones; arrays and structs are more of them. */
static void test_marked_entries(void **state)
{
    struct test *t = *state;
    const struct rfw_nvtx_entry inner[] = {
        {.type = RFW_NVTX_INT16, .name = "x", .flags = RFW_NVTX_COUNTER},
        {.type = RFW_NVTX_INT16, .name = "y"}};
    const struct rfw_nvtx_entry outer[] = {
        {.type = RFW_NVTX_INT64, .name = "plain"},
        {.type = RFW_NVTX_INT16, .name = "n", .flags = RFW_NVTX_COUNTER | 1 << 4, .detail = 2},
        {.type = STATIC_ID, .name = "in"}};
    const int16_t values[] = {9, 9, 9, 9, 1, 2, 3, 9};
    rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID, 4, inner, 2);
    rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID + 1, 16, outer, 3);
    define(t, ID(1), "g", STATIC_ID + 1);
    sample(t, 10, ID(1), values, sizeof(values));
    check(t, "g.n[0]: 10=1\ng.n[1]: 10=2\ng.in.x: 10=3\n", 0);
}

/* ---- Batches ---- */

static void test_batch(void **state)
{
    struct test *t = *state;
    const int64_t values[] = {1, 2, 3}, zero = (int64_t)RFW_TICKS_0;
    const int64_t times[] = {zero + 300, zero + 100, zero + 200}, pair[] = {zero + 1000, 10};
    define(t, ID(1), "a", RFW_NVTX_INT64);
    batch(t, 50, ID(1), 6, values, sizeof(values), times, sizeof(times));
    batch(t, 60, ID(1), (uint64_t)1 << 32, values, sizeof(values), pair, sizeof(pair));
    batch(t, 70, ID(1), (uint64_t)2 << 32, values, 16, pair, sizeof(pair));
    check(t, "a: 100=2 200=3 300=1 990=1 1000=1 1000=2 1010=2 1020=3\n", 0);
}

static void test_clocks(void **state)
{
    struct test *t = *state;
    const int64_t values[] = {1}, real = RFW_REAL_NS_0 + 400, mono = (int64_t)RFW_TICKS_0 + 500;
    const uint64_t clocks[] = {12, 14, 80};
    const char *const names[] = {"real", "mono", "gpu"};
    for (int i = 0; i < 3; i++)
        rfw_nvtx_counter(t->w, t->process, 2,
                         &(struct rfw_nvtx_counter){.domain = t->domain,
                                                    .id = ID(i),
                                                    .schema = RFW_NVTX_INT64,
                                                    .name = names[i],
                                                    .clock = clocks[i]});
    batch(t, 50, ID(0), 0, values, 8, &real, 8);
    batch(t, 50, ID(1), 0, values, 8, &mono, 8);
    batch(t, 50, ID(2), 0, values, 8, &mono, 8);
    check(t, "real: 400=1\nmono: 500=1\ngpu: 50=1?\n", 1);
}

static void test_times_in_samples(void **state)
{
    struct test *t = *state;
    const int64_t zero = (int64_t)RFW_TICKS_0;
    const struct in_memory samples[] = {{1, 0.5f, zero + 30}, {2, 0.25f, zero + 20}};
    rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID, 16, in_memory, 3);
    define(t, ID(1), "memory", STATIC_ID);
    batch(t, 90, ID(1), 0, samples, sizeof(samples), NULL, 0);
    check(t, "memory.used: 20=2 30=1\nmemory.share: 20=0.25 30=0.5\n", 0);
}

/* A batch that takes several parts. */
static void test_long_batch(void **state)
{
    enum { N = 20000 };
    struct test *t = *state;
    int64_t *values = calloc(N, sizeof(*values)), *times = calloc(N, sizeof(*times));
    for (int i = 0; i < N; i++) {
        values[i] = i;
        times[i] = (int64_t)RFW_TICKS_0 + 100 + i;
    }
    define(t, ID(1), "a", RFW_NVTX_INT64);
    batch(t, 50, ID(1), 0, values, N * sizeof(*values), times, N * sizeof(*times));
    rfw_int64(t->s, 60, t->domain, ID(1), -1);
    load(t);
    const struct rf_counter *c = rf_counter_at(t->rec, 0);
    assert_int_equal(c->n_samples, N + 1);
    assert_int_equal(c->nvtx->integer[0], -1);
    for (int i = 0; i < N; i++) {
        assert_int_equal(c->ns[i + 1], 100 + i);
        assert_int_equal(c->nvtx->integer[i + 1], i);
    }
    free(values);
    free(times);
}

/* ---- What is wrong ---- */

static void test_bad(void **state)
{
    struct test *t = *state;
    const int64_t values[] = {1, 2}, times[] = {(int64_t)RFW_TICKS_0 + 200};
    define(t, ID(1), "a", RFW_NVTX_INT64);
    define(t, ID(2), "b", STATIC_ID + 5); /* a schema that does not exist */
    rfw_int64(t->s, 10, t->domain, ID(9), 1);
    batch(t, 20, ID(1), 0, values, 12, times, 8);          /* one and a half */
    batch(t, 30, ID(1), 0, values, 16, times, 8);          /* two, and one time */
    batch(t, 40, ID(2), 0, values, 16, times, 8);          /* of what? */
    rfw_ext(t->s, 50, t->domain, RF_EXT_SAMPLE, ID(1), 0); /* no bytes */
    rfw_int64(t->s, 60, t->domain, ID(2), 6);              /* says itself what it is */
    check(t, "a: 30=2? 200=1 200=1\nb: 60=6\n", 5);
}

/* Schemas that hold each other as often as possible. */
static void test_nested_schemas(void **state)
{
    enum { N = 64 };
    struct test *t = *state;
    struct rfw_nvtx_entry entries[N];
    uint8_t bytes[64] = {0};
    for (uint64_t level = 0; level < 12; level++) {
        for (int i = 0; i < N; i++)
            entries[i] = (struct rfw_nvtx_entry){.flags = 1 << 4,
                                                 .type = STATIC_ID + (level + 1) % 12,
                                                 .detail = UINT64_MAX / 2,
                                                 .name = "e"};
        rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID + level, sizeof(bytes), entries,
                        N);
    }
    define(t, ID(1), "a", STATIC_ID);
    sample(t, 10, ID(1), bytes, sizeof(bytes));
    check(t, "", 1);
}

/* ---- Places ---- */

static void test_scopes(void **state)
{
    struct test *t = *state;
    struct rfw_stream *other = rfw_stream(t->w, t->process, 1, 101, 2);
    const struct rfw_nvtx_counter of_thread = {.domain = t->domain,
                                               .id = ID(1),
                                               .schema = RFW_NVTX_INT64,
                                               .name = "mine",
                                               .scope = RFW_NVTX_THREAD};
    const struct rfw_nvtx_counter of_disk = {
        .domain = t->domain, .id = ID(2), .schema = RFW_NVTX_INT64, .name = "io", .scope = ID(8)};
    rfw_nvtx_scope(t->w, t->process, 2, t->domain, ID(7), 1, "host");
    rfw_nvtx_scope(t->w, t->process, 2, t->domain, ID(8), ID(7), "/disk[0]");
    rfw_nvtx_counter(t->w, t->process, 2, &of_thread);
    rfw_nvtx_counter(t->w, t->process, 2, &of_disk);
    rfw_int64(t->s, 10, t->domain, ID(1), 1);
    rfw_int64(other, 20, t->domain, ID(1), 2);
    rfw_int64(other, 30, t->domain, ID(2), 3);
    rfw_int64(t->s, 40, t->domain, ID(2), 4);
    check(t, "mine: 10=1\nmine: 20=2\nio: 30=3 40=4\n", 0);
    for (uint32_t i = 0; i < 2; i++) {
        const struct rf_nvtx_counter *nvtx = rf_counter_at(t->rec, i)->nvtx;
        assert_int_equal(rf_thread_at(t->rec, nvtx->thread)->tid, 100 + i);
        assert_string_equal(rf_string(t->rec, nvtx->scope, NULL), "thread");
    }
    assert_string_equal(rf_string(t->rec, rf_counter_at(t->rec, 2)->nvtx->scope, NULL),
                        "host/disk[0]");
}

/* In a group only those entries are split by thread whose scope is the thread. */
static void test_scopes_of_entries(void **state)
{
    struct test *t = *state;
    struct rfw_stream *other = rfw_stream(t->w, t->process, 1, 101, 2);
    const struct rfw_nvtx_entry entries[] = {
        {.type = RFW_NVTX_INT16, .name = "all"},
        {.type = RFW_NVTX_INT16, .name = "mine", .scope = RFW_NVTX_THREAD}};
    const struct rfw_nvtx_entry others[] = {{.type = RFW_NVTX_INT16, .name = "all", .scope = 21},
                                            {.type = RFW_NVTX_INT16, .name = "mine"}};
    rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID, 4, entries, 2);
    rfw_nvtx_schema(t->w, t->process, 2, t->domain, STATIC_ID + 1, 4, others, 2);
    define(t, ID(1), "g", STATIC_ID);
    rfw_nvtx_counter(t->w, t->process, 2,
                     &(struct rfw_nvtx_counter){.domain = t->domain,
                                                .id = ID(2),
                                                .schema = STATIC_ID + 1,
                                                .name = "h",
                                                .scope = RFW_NVTX_THREAD});
    for (int16_t i = 0; i < 4; i++)
        for (uint64_t id = ID(1); id <= ID(2); id++) {
            struct rfw_stream *s = i % 2 == 0 ? t->s : other;
            const int16_t values[] = {i, (int16_t)(10 * i)};
            rfw_ext(s, 10 + i, t->domain, RF_EXT_SAMPLE, id, 0);
            rfw_array(s, 10 + i, 0, values, sizeof(values));
        }
    check(t,
          "g.mine: 10=0 12=20\ng.mine: 11=10 13=30\ng.all: 10=0 11=1 12=2 13=3\n"
          "h.mine: 10=0 12=20\nh.mine: 11=10 13=30\nh.all: 10=0 11=1 12=2 13=3\n",
          0);
    for (uint32_t i = 0; i < 6; i++) {
        const struct rf_nvtx_counter *nvtx = rf_counter_at(t->rec, i)->nvtx;
        if (i % 3 == 2)
            assert_int_equal(nvtx->thread, RF_NO_INDEX);
        else
            assert_int_equal(rf_thread_at(t->rec, nvtx->thread)->tid, 100 + i % 3);
    }
}

/* A forked process knows its parent's counters; its samples are of a counter of its own. */
static void test_fork(void **state)
{
    struct test *t = *state;
    define(t, ID(1), "a", RFW_NVTX_INT64);
    uint32_t child = rfw_process(t->w, 200, "app");
    rfw_fact(t->w, child, 5, RF_PROC_FORK_OF, t->process, NULL);
    rfw_int64(t->s, 10, t->domain, ID(1), 1);
    rfw_int64(rfw_stream(t->w, child, 0, 200, 1), 20, t->domain, ID(1), 2);
    check(t, "a: 10=1\na: 20=2\n", 0);
    assert_int_equal(rf_counter_at(t->rec, 0)->process, 0);
    assert_int_equal(rf_counter_at(t->rec, 1)->process, 1);
    assert_int_equal(rf_domain_at(t->rec, rf_counter_at(t->rec, 1)->nvtx->domain)->process, 1);
}

static void test_focus(void **state)
{
    struct test *t = *state;
    const int64_t values[] = {7, 8}, zero = (int64_t)RFW_TICKS_0,
                  times[] = {zero + 150, zero + 300};
    rfw_focus(t->w, 1);
    rfw_window(t->w, 100, 200);
    define(t, ID(1), "a", RFW_NVTX_INT64);
    rfw_int64(t->s, 50, t->domain, ID(1), 1);
    rfw_int64(t->s, 120, t->domain, ID(1), 2);
    batch(t, 130, ID(1), 0, values, 16, times, 16);
    rfw_int64(t->s, 250, t->domain, ID(1), 3);
    check(t, "a: 120=2 150=7\n", 1); /* of the batch, outside of the capture */
}

static void test_semantics(void **state)
{
    struct test *t = *state;
    rfw_nvtx_counter(t->w, t->process, 2,
                     &(struct rfw_nvtx_counter){.domain = t->domain,
                                                .id = ID(1),
                                                .schema = RFW_NVTX_INT16,
                                                .name = "a",
                                                .description = "what it is",
                                                .unit = "MB",
                                                .flags = 2 | 4 | 8 | 2 << 4 | 4 << 8,
                                                .numerator = 3,
                                                .denominator = 2,
                                                .min = (uint64_t)-4,
                                                .max = 9,
                                                .limit_type = 1});
    sample(t, 10, ID(1), &(int16_t){1}, 2);
    load(t);
    const struct rf_nvtx_counter *nvtx = rf_counter_at(t->rec, 0)->nvtx;
    assert_string_equal(rf_string(t->rec, nvtx->description, NULL), "what it is");
    assert_string_equal(rf_string(t->rec, nvtx->unit, NULL), "MB");
    assert_int_equal(nvtx->value_type, RF_COUNTER_DELTA);
    assert_int_equal(nvtx->interpolation, RF_COUNTER_LINEAR);
    assert_int_equal(nvtx->has_limits, 3);
    assert_true(nvtx->min.value == -4 && nvtx->max.value == 9);
    assert_true(nvtx->min.integer == -4 && nvtx->max.integer == 9);
    assert_true(fabs(nvtx->factor - 1.5 / 32767) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_types, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_marked_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_batch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_times_in_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_batch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nested_schemas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scopes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scopes_of_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_focus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_semantics, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
