/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that samples of GPU metrics become: which counters share them, and where they are. */
#include <math.h>

#include "log/reader.h"
#include "rf_writer.h"
#include "unit.h"

static const char *const texts[] = {"GH100",     "NVIDIA H200", "0000:3b:00.0", "A set",
                                    "sm__x.avg", "SMs",         "dram__x.avg",  "DRAM"};

/* A process with a mark, so that the recording is not empty. */
static struct rfw *new_recording(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    rfw_mark(rfw_stream(w, p, 0, 100, 1), 10, &(struct rfw_attr){.text = "mark"});
    return w;
}

/* " ns=value" of each sample. */
static void check_counter(const rf_recording *rec, uint32_t i, const char *expected)
{
    const struct rf_counter *counter = rf_counter_at(rec, i);
    char text[1024] = "";
    size_t size = 0;
    assert_non_null(counter);
    assert_int_equal(counter->ns == NULL, counter->n_samples == 0);
    assert_int_equal(counter->value == NULL, counter->n_samples == 0);
    for (size_t k = 0; k < counter->n_samples && size < sizeof(text); k++)
        size += (size_t)snprintf(text + size, sizeof(text) - size, " %ld=%g", (long)counter->ns[k],
                                 counter->value[k]);
    assert_string_equal(text, expected);
}

#define N_METRICS 3

/* Rows that come by time but for every tenth, in chunks of which one has more rows than are taken
 * at once; the second metric is now and then no number. */
static struct rfw *new_columns(int n_rows)
{
    static const char *const names[] = {"GH100", "GPU", "bus", "set", "a", "A", "b", "B", "c", "C"};
    struct rfw *w = new_recording();
    double *row = calloc((size_t)n_rows, (2 + N_METRICS) * sizeof(*row));
    assert_non_null(row);
    rfw_metrics_source(w, 0, 0, names, N_METRICS);
    for (int i = 0; i < n_rows; i++) {
        const int k = i % 10 == 0 ? (i + 25) % n_rows : i;
        const double values[] = {100.0 * k, 100.0 * k + 50, i, i % 7 == 3 ? NAN : i + 0.5, -i};
        memcpy(row + (2 + N_METRICS) * (size_t)i, values, sizeof(values));
    }
    rfw_metrics_samples(w, 0, N_METRICS, row, 5);
    rfw_metrics_samples(w, 0, N_METRICS, row + (2 + N_METRICS) * 5, (size_t)n_rows - 5);
    free(row);
    return w;
}

/* Sorted, and each value still beside the time of its row; those at one time as they came. */
static void check_columns(const rf_recording *rec, int n_rows)
{
    const struct rf_counter *a = rf_counter_at(rec, 0), *b = rf_counter_at(rec, 1);
    const struct rf_counter *c = rf_counter_at(rec, 2);
    size_t at = 0;
    assert_int_equal(a->n_samples, n_rows);
    for (size_t i = 0; i < a->n_samples; i++) {
        const int k = (int)a->value[i];
        assert_int_equal(a->ns[i], 100 * (k % 10 == 0 ? (k + 25) % n_rows : k) + 50);
        assert_true(i == 0 || a->ns[i - 1] < a->ns[i] ||
                    (a->ns[i - 1] == a->ns[i] && a->value[i - 1] < a->value[i]));
        assert_true(c->value[i] == -a->value[i]);
        if (k % 7 == 3)
            continue;
        assert_true(at < b->n_samples && b->ns[at] == a->ns[i] && b->value[at] == k + 0.5);
        at++;
    }
    assert_int_equal(at, b->n_samples);
    assert_int_equal(rf_get_info(rec)->n_samples, 2 * (size_t)n_rows + at);
}

static void test_columns(void **state)
{
    (void)state;
    for (int n_rows = 30; n_rows < 1000; n_rows = 3 * n_rows + 1) {
        struct rfw *w = new_columns(n_rows);
        rf_recording *rec = rfw_reopen(w, 0, 0);
        check_columns(rec, n_rows);
        assert_ptr_equal(rf_counter_at(rec, 0)->ns, rf_counter_at(rec, 2)->ns);
        assert_ptr_not_equal(rf_counter_at(rec, 0)->ns, rf_counter_at(rec, 1)->ns);
        rf_close(rec);
        rfw_free(w);
    }
}

/* A sampler whose metrics are never numbers has counters without samples. */
static void test_no_numbers(void **state)
{
    struct rfw *w = new_recording();
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 2);
    rfw_metrics_samples(w, 0, 2, (double[]){1000, 2000, NAN, 3}, 1);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_null(rf_counter_at(rec, 0)->ns);
    assert_null(rf_counter_at(rec, 0)->value);
    check_counter(rec, 0, "");
    check_counter(rec, 1, " 2000=3");
    rf_close(rec);
    rfw_free(w);
}

static void test_no_samples(void **state)
{
    struct rfw *w = new_columns(100);
    (void)state;
    rf_recording *all = rfw_reopen(w, 0, 0), *rec = rfw_reopen(w, 0, RF_OPEN_NO_SAMPLES);
    assert_int_equal(rf_n_counters(rec), N_METRICS);
    assert_int_equal(rf_get_info(rec)->n_samples, rf_get_info(all)->n_samples);
    assert_int_equal(rf_skipped_at(rec, 0)->n_rows, rf_skipped_at(all, 0)->n_rows);
    for (uint32_t i = 0; i < N_METRICS; i++) {
        assert_int_equal(rf_counter_at(rec, i)->n_samples, 0);
        assert_null(rf_counter_at(rec, i)->ns);
    }
    rf_close(all);
    rf_close(rec);
    rfw_free(w);
}

/* How much of a mapping is in memory, in KiB. */
static unsigned long resident(const void *map)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    unsigned long from, to, rss = 0;
    int is_here = 0;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            is_here = (uintptr_t)map >= from && (uintptr_t)map < to;
        else if (is_here && sscanf(line, "Rss: %lu", &rss) == 1)
            break;
    }
    (void)fclose(file);
    return rss;
}

/* Pages that were given back are there again when they are read again. */
static void test_pages(void **state)
{
    enum { N = 4096, N_CHUNKS = 128 };
    struct rfw *w = new_recording();
    struct rf_log log;
    struct rfw_bytes file;
    struct rf_err err;
    char *folder = rfw_make_tmpdir(), path[4096];
    double *row = calloc(N, 4 * sizeof(*row));
    (void)state;
    assert_non_null(row);
    rfw_metrics_source(w, 0, 0, texts, 2);
    for (int i = 0; i < N_CHUNKS; i++) {
        for (size_t k = 0; k < N; k++) {
            const double values[] = {1e3 * (double)(N * (size_t)i + k), 1e3 + row[4 * k], i, 7};
            memcpy(row + 4 * k, values, sizeof(values));
        }
        rfw_metrics_samples(w, 0, 2, row, N);
    }
    free(row);
    (void)snprintf(path, sizeof(path), "%s/a.rf", folder);
    rfw_save_packed(w, path);
    assert_int_equal(rf_log_open(&log, path, 0, &err), RF_OK);
    assert_int_equal(log.n_metrics, 1 + N_CHUNKS);
    const uint8_t *first = log.metrics[0].data, *last = log.metrics[N_CHUNKS].data;
    assert_true(last - first > 15 << 20);
    assert_true(resident(first) < 8 << 10);
    rfw_read_file(path, &file);
    const uint8_t *in_file = memmem(file.data, file.size, first, 4096);
    assert_non_null(in_file);
    assert_memory_equal(in_file, first, last - first);
    free(file.data);
    rf_log_close(&log);
    rfw_remove_tree(folder);
    free(folder);
    rfw_free(w);
}

/* ---- Filters ---- */

static rf_recording *filtered(const rf_recording *rec, const char *time, const char *nvtx)
{
    const struct rf_filter_options options = {.size = sizeof(options), .time = time, .nvtx = nvtx};
    struct rf_err err;
    rf_recording *part;
    if (rf_filter(rec, &options, &part, &err) != RF_OK)
        fail_msg("%s", err.text);
    return part;
}

static void check_filtered(const rf_recording *rec, const char *time, const char *nvtx,
                           const char *expected)
{
    rf_recording *part = filtered(rec, time, nvtx);
    check_counter(part, 0, expected);
    rf_close(part);
}

/* One stretch of time has the source's own columns, and several have copies. */
static void test_filtered(void **state)
{
    struct rfw *w = rfw_new();
    struct rfw_stream *s = rfw_stream(w, rfw_process(w, 100, "app"), 0, 100, 1);
    (void)state;
    for (int i = 0; i < 2; i++) {
        rfw_push(s, 2000 + 4000 * (uint64_t)i, &(struct rfw_attr){.text = "two"});
        rfw_pop(s, 4000 + 4000 * (uint64_t)i, 0);
    }
    rfw_metrics_source(w, 0, 0, texts, 2);
    for (int k = 0; k <= 9; k++) {
        const double row[] = {1000.0 * k, 1000.0 * (k + 1), k, k / 2.0};
        rfw_metrics_samples(w, 0, 2, row, 1);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0), *part = filtered(rec, NULL, "two");
    check_counter(part, 0, " 2000=1 3000=2 4000=3 6000=5 7000=6 8000=7");
    check_counter(part, 1, " 2000=0.5 3000=1 4000=1.5 6000=2.5 7000=3 8000=3.5");
    assert_int_equal(rf_get_info(part)->n_samples, 12);
    rf_close(part);
    part = filtered(rec, "3500ns/5us", NULL);
    assert_ptr_equal(rf_counter_at(part, 1)->value, rf_counter_at(rec, 1)->value + 3);
    assert_int_equal(rf_get_info(part)->n_samples, 4);
    check_counter(part, 0, " 4000=3 5000=4");
    check_counter(part, 1, " 4000=1.5 5000=2");
    rf_close(part);
    check_filtered(rec, "30us/", NULL, "");
    check_filtered(rec, "3us/", "two/1", " 6000=5 7000=6 8000=7");
    check_filtered(rec, "4500ns/5500ns", "two", "");
    rf_close(rec);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),    cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_no_samples), cmocka_unit_test(test_pages),
        cmocka_unit_test(test_filtered),
    };
    return cmocka_run_group_tests_name("unit.metrics_columns", tests, NULL, NULL);
}
