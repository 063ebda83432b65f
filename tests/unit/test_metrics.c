/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of GPU metrics: what stands in METRICS chunks is shown as counters, whatever else a file
 * says; and what the reports reckon from them. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_sample_sums.h"
#include "log/pack_capture.h"
#include "log/scrub.h"
#include "rangefinder/summary.h"
#include "rf_cuda_writer.h"
#include "stats/stats.h"

static const char *const texts[] = {"GH100",     "NVIDIA H200", "0000:3b:00.0", "A set",
                                    "sm__x.avg", "SMs",         "dram__x.avg",  "DRAM"};

static char *folder;
static char session[4096], packed[4096], other[4096];

static int set_up(void **state)
{
    (void)state;
    folder = rfw_make_tmpdir();
    (void)snprintf(session, sizeof(session), "%s/a.rfdir", folder);
    (void)snprintf(packed, sizeof(packed), "%s/a.rf", folder);
    (void)snprintf(other, sizeof(other), "%s/b", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rfw_remove_tree(folder);
    free(folder);
    return 0;
}

static rf_recording *open_file(const char *path)
{
    struct rf_err err;
    rf_recording *rec;
    if (rf_open(path, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    check_sample_sums(path, rec);
    return rec;
}

/* A process with a mark, so that the recording is not empty. */
static struct rfw *new_recording(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    rfw_mark(rfw_stream(w, p, 0, 100, 1), 10, &(struct rfw_attr){.text = "mark"});
    return w;
}

/* Samples k = first .. last of 1000 ns each, from k * 1000 on: k and k / 2. */
static void add_samples(struct rfw *w, uint32_t slot, int first, int last)
{
    for (int k = first; k <= last; k++) {
        const double row[] = {1000.0 * k, 1000.0 * (k + 1), k, k / 2.0};
        rfw_metrics_samples(w, slot, 2, row, 1);
    }
}

/* "device name set: ns value, ...", a line per counter. */
static char *show(const rf_recording *rec)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *c = rf_counter_at(rec, i);
        const char *set = rf_string(rec, c->set, NULL);
        (void)fprintf(out, "%u %s %s:", c->device, rf_string(rec, c->name, NULL),
                      set != NULL ? set : "-");
        for (size_t k = 0; k < c->n_samples; k++)
            (void)fprintf(out, " %ld=%g", (long)c->ns[k], c->value[k]);
        (void)fputc('\n', out);
    }
    (void)fclose(out);
    return text;
}

/* What is shown, and how much was left out or lost, as a sum. */
static void check(rf_recording *rec, const char *expected, uint64_t n_skipped)
{
    char *text = show(rec);
    uint64_t n = 0;
    const struct rf_skipped *skipped;
    assert_string_equal(text, expected);
    for (uint32_t i = 0; (skipped = rf_skipped_at(rec, i)) != NULL; i++)
        n += skipped->n_rows;
    assert_int_equal(n, n_skipped);
    free(text);
    rf_close(rec);
}

/* ---- The way of the bytes ---- */

static void test_read(void **state)
{
    const char *expected = "2 SMs A set: 2000=1 3000=2 4000=3\n2 DRAM A set: 2000=0.5 3000=1 "
                           "4000=1.5\n";
    struct rfw *w = new_recording();
    struct rf_err err;
    (void)state;
    rfw_metrics_source(w, 0, 2, texts, 2);
    add_samples(w, 0, 1, 3);
    rfw_save_directory(w, session);
    check(open_file(session), expected, 0);
    assert_int_equal(rf_pack_copy(session, packed, 0, NULL, &err), RF_OK);
    check(open_file(packed), expected, 0);
    assert_int_equal(rf_scrub(packed, other, 0, &err), RF_OK);
    check(open_file(other), expected, 0);
    assert_int_equal(rf_salvage(packed, other, 1, RF_PACK_AS_IS, NULL, &err), RF_OK);
    check(open_file(other), expected, 0);
    assert_int_equal(rf_pack(session, packed, 1, NULL, &err), RF_OK);
    rf_recording *rec = open_file(packed);
    assert_int_equal(rf_n_gpus(rec), 1);
    const struct rf_gpu *gpu = rf_gpu_at(rec, 0);
    assert_int_equal(gpu->id, 2);
    assert_string_equal(rf_string(rec, gpu->chip, NULL), "GH100");
    assert_string_equal(rf_string(rec, gpu->name, NULL), "NVIDIA H200");
    assert_string_equal(rf_string(rec, gpu->bus, NULL), "0000:3b:00.0");
    check(rec, expected, 0);
    rfw_free(w);
}

/* A database has the same. */
static void test_round_trip(void **state)
{
    const struct rf_export_options options = {
        .size = sizeof(options), .format = "sqlite", .output = other};
    struct rfw *w = new_recording();
    struct rf_err err;
    (void)state;
    rfw_metrics_source(w, 0, 1, texts, 2);
    rfw_metrics_source(w, 1, 0, texts, 1);
    add_samples(w, 0, 1, 3);
    rfw_metrics_samples(w, 1, 1, (double[]){1000, 3000, 7.25}, 1);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    char *before = show(rec);
    assert_int_equal(rf_export(rec, &options, &err), RF_OK);
    rf_close(rec);
    check(open_file(other), before, 0);
    free(before);
    rfw_free(w);
}

/* Wherever the file ends, what came whole before is there. */
static void test_truncated(void **state)
{
    struct rfw *w = new_recording();
    char path[4200];
    struct stat st;
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 2);
    add_samples(w, 0, 1, 4);
    rfw_save_directory(w, session);
    (void)snprintf(path, sizeof(path), "%s/metrics.log", session);
    assert_int_equal(stat(path, &st), 0);
    const size_t chunk = 64 + 64 + 32, first = (size_t)st.st_size - 4 * chunk;
    for (off_t size = st.st_size; size >= 0; size--) {
        assert_int_equal(truncate(path, size), 0);
        rf_recording *rec = open_file(session);
        size_t n_whole = (size_t)size < first ? 0 : ((size_t)size - first) / chunk;
        assert_int_equal(rf_get_info(rec)->n_samples, 2 * n_whole);
        rf_close(rec);
    }
    rfw_free(w);
}

static void test_loss(void **state)
{
    static const char *const formats[] = {"sqlite", "json", "jsonl", "csv", "text", "perfetto"};
    struct rf_err err;
    size_t n;
    struct rfw *w = new_recording();
    const struct rf_metrics_head lost = {.kind = RF_METRICS_LOST,
                                         .n = 40,
                                         .start_ns = RFW_REAL_NS_0 + 2000,
                                         .end_ns = RFW_REAL_NS_0 + 6000};
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 1);
    rfw_metrics_samples(w, 0, 1, (double[]){1000, 2000, 1}, 1);
    (void)rfw_metrics(w, 0, 6000, &lost, NULL, 0);
    rfw_metrics_samples(w, 0, 1, (double[]){6000, 7000, 6}, 1);
    rf_recording *rec = rfw_reopen(w, 1, 0);
    assert_string_equal(rf_skipped_at(rec, 0)->table, "GPU metrics");
    assert_non_null(strstr(rf_skipped_at(rec, 0)->reason, "buffer was full"));
    const struct rf_extra *extra = rf_extras(rec, &n);
    assert_int_equal(n, 1);
    assert_int_equal(extra->kind, RF_EXTRA_DIAGNOSTIC);
    assert_int_equal(extra->start_ns, 2000);
    assert_non_null(strstr(rf_string(rec, extra->name, NULL), "about 40 samples are missing"));
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        const struct rf_export_options options = {
            .size = sizeof(options), .format = formats[i], .output = other, .can_overwrite = 1};
        if (rf_export(rec, &options, &err) != RF_OK)
            fail_msg("%s: %s", formats[i], err.text);
    }
    check(rec, "0 SMs A set: 2000=1 7000=6\n", 40);
    rfw_free(w);
}

/* ---- Captures ---- */

static void test_captures(void **state)
{
    struct rfw *w = new_recording();
    struct rf_err err;
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 1);
    for (int k = 1; k < 30; k++) {
        const double row[] = {1e7 * k, 1e7 * (k + 1), k};
        rfw_metrics_samples(w, 0, 1, row, 1);
    }
    rfw_focus(w, 1);
    rfw_window(w, 25000000, 45000000);
    rfw_window(w, 200000000, 205000000);
    rfw_save_directory(w, session);
    check(open_file(session),
          "0 SMs A set: 30000000=2 40000000=3 50000000=4 200000000=19 210000000=20\n", 0);
    assert_int_equal(rf_pack_capture(NULL, session, packed, 0, 0, NULL, &err), RF_OK);
    check(open_file(packed), "0 SMs A set: 30000000=2 40000000=3 50000000=4\n", 0);
    assert_int_equal(rf_pack_capture(NULL, session, packed, 1, 1, NULL, &err), RF_OK);
    check(open_file(packed), "0 SMs A set: 200000000=19 210000000=20\n", 0);
    rfw_free(w);
}

/* ---- What no sampler writes ---- */

static void test_no_description(void **state)
{
    struct rfw *w = new_recording();
    (void)state;
    add_samples(w, 0, 1, 3);
    check(rfw_reopen(w, 0, 0), "", 3);
    rfw_free(w);
}

static void test_sizes(void **state)
{
    static const uint64_t n_samples[] = {2, UINT64_MAX, UINT64_MAX / 24, (uint64_t)1 << 60};
    static const uint32_t n_metrics[] = {0, 2, UINT32_MAX, 0x80000000u};
    struct rfw *w = new_recording();
    const double one[] = {0, 0, 5};
    struct rf_metrics_head head = {.kind = RF_METRICS_SAMPLES, .n_metrics = 1};
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 1);
    rfw_metrics_samples(w, 0, 1, (double[]){1000, 2000, 1}, 1);
    for (size_t i = 0; i < 4; i++) {
        head.n = n_samples[i];
        (void)rfw_metrics(w, 0, 3000, &head, one, sizeof(one));
    }
    head.n = 1;
    for (size_t i = 0; i < 4; i++) {
        head.n_metrics = n_metrics[i];
        (void)rfw_metrics(w, 0, 3000, &head, one, sizeof(one));
    }
    head.kind = 77; /* of a later version */
    (void)rfw_metrics(w, 0, 3000, &head, one, sizeof(one));
    check(rfw_reopen(w, 0, 0), "0 SMs A set: 2000=1\n", 8);
    rfw_free(w);
}

static void test_descriptions(void **state)
{
    static const uint32_t n_metrics[] = {0, 5000, UINT32_MAX};
    struct rf_metrics_head head = {.kind = RF_METRICS_DESCRIPTION, .n = 4};
    struct rfw *w = new_recording();
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        head.n_metrics = n_metrics[i];
        (void)rfw_metrics(w, i, 0, &head, "\0\0\0\0", 4);
    }
    head.n_metrics = 1;
    head.n = 64; /* more than there is */
    (void)rfw_metrics(w, 3, 0, &head, "a\0b\0", 4);
    head.n = 7; /* no zero at its end, no names */
    (void)rfw_metrics(w, 4, 0, &head, "a\0b\0\0s\0x", 8);
    rfw_metrics_samples(w, 4, 1, (double[]){1000, 2000, 1}, 1);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_counters(rec), 1);
    assert_int_equal(rf_counter_at(rec, 0)->name, RF_NO_STRING);
    rf_close(rec);
    rfw_free(w);
}

static void test_values(void **state)
{
    const double rows[][3] = {{1000, 2000, 1},   {2000, 3000, NAN},    {3000, 4000, INFINITY},
                              {9000, 10000, 9},  {4000, 5000, 4},      {7000, 6000, 7},
                              {-3e18, 11000, 7}, {11000, 12000, -0.5}, {12000, 13000, 1e300}};
    struct rfw *w = new_recording();
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 1);
    rfw_metrics_samples(w, 0, 1, rows[0], sizeof(rows) / sizeof(rows[0]));
    check(rfw_reopen(w, 0, 0), "0 SMs A set: 2000=1 5000=4 10000=9 12000=-0.5 13000=1e+300\n", 4);
    rfw_free(w);
}

/* A chunk that is there twice counts once; two samplers of one GPU have their own counters. */
static void test_twice(void **state)
{
    struct rfw *w = new_recording();
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 1);
    rfw_metrics_samples(w, 0, 1, (double[]){1000, 2000, 1}, 1);
    w->metrics_seq[0]--;
    rfw_metrics_samples(w, 0, 1, (double[]){1000, 2000, 1}, 1);
    rfw_metrics_source(w, 1, 0, texts, 1);
    rfw_metrics_samples(w, 1, 1, (double[]){1000, 2000, 5}, 1);
    rfw_metrics_source(w, 0, 0, texts, 1); /* a second description */
    check(rfw_reopen(w, 0, 0), "0 SMs A set: 2000=1\n0 SMs A set: 2000=5\n", 1);
    rfw_free(w);
}

/* ---- Reports ---- */

/* With no more than a report needs. */
static rf_recording *reopen_for(const struct rfw *w, const char *report)
{
    return rfw_reopen(w, 0, rf_report_open_flags(report));
}

static void fill(const rf_recording *rec, const char *name, struct rf_table *table)
{
    struct rf_err err;
    memset(table, 0, sizeof(*table));
    if (rf_report_compute(rec, name, table, &err) != RF_OK)
        fail_msg("%s", err.text);
}

static void check_sum(const struct rf_cell *row, double min, double mean, double median, double p95,
                      double max)
{
    const double expected[] = {min, mean, median, p95, max};
    for (int i = 0; i < 5; i++)
        assert_true(fabs(row[3 + i].real - expected[i]) < 1e-9);
}

static void test_sum(void **state)
{
    struct rfw *w = new_recording();
    struct rf_table table;
    (void)state;
    rfw_metrics_source(w, 0, 3, texts, 2);
    for (int k = 40; k >= 1; k--) { /* 1 .. 40, and four numbers ten times each */
        const double row[] = {1000.0 * k, 1000.0 * (k + 1), k, k % 4};
        rfw_metrics_samples(w, 0, 2, row, 1);
    }
    rf_recording *rec = reopen_for(w, "gpu_metrics_sum");
    fill(rec, "gpu_metrics_sum", &table);
    assert_int_equal(table.n_rows, 2);
    assert_int_equal(table.cells[0].count, 3);
    assert_int_equal(table.cells[2].count, 40);
    check_sum(table.cells, 1, 20.5, 20.5, 38, 40);
    check_sum(table.cells + table.n_columns, 0, 1.5, 1.5, 3, 3);
    rf_table_release(&table);
    rf_close(rec);
    rfw_free(w);
}

/* The CSV of a table goes here, cut to fit. */
struct csv {
    char text[4096];
    size_t n;
};

static int add_csv(void *context, const void *bytes, size_t size)
{
    struct csv *csv = context;
    const size_t room = sizeof(csv->text) - 1 - csv->n;
    memcpy(csv->text + csv->n, bytes, size < room ? size : room);
    csv->n += size < room ? size : room;
    return 0;
}

/* What a summary of a recording says of a metric, behind its name. */
static void check_in_summary(const rf_recording *rec, const char *metric, const char *expected)
{
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    struct csv csv = {.n = 0};
    rf_joined_report *joined;
    rf_summary *summary;
    options.report = "gpu_metrics_sum";
    options.format = "csv";
    options.write = add_csv;
    options.write_context = &csv;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    assert_int_equal(rf_summary_add(summary, rec, NULL, NULL), RF_OK);
    assert_int_equal(rf_joined_report_new(&options, &joined, NULL), RF_OK);
    assert_int_equal(rf_joined_report_add_summary(joined, summary, 0, NULL), RF_OK);
    assert_int_equal(rf_joined_report_write(joined, NULL), RF_OK);
    const char *row = strstr(csv.text, metric);
    assert_non_null(row);
    row += strlen(metric);
    assert_memory_equal(row, expected, strlen(expected));
    rf_joined_report_free(joined);
    rf_summary_free(summary);
}

/* A clock whose label says MHz has values in Hz, as nsys's; what never was so many is in MHz. */
static void test_clock(void **state)
{
    static const char *const labels[] = {"GH100", "NVIDIA H200", "0000:3b:00.0",
                                         "A set", "gpc",         "GPC Clock Frequency [MHz]",
                                         "b",     "Clock [MHz]"};
    struct rfw *w = new_recording();
    struct rf_table table;
    (void)state;
    rfw_metrics_source(w, 0, 3, labels, 2);
    for (int k = 1; k <= 20; k++) {
        const double row[] = {1000.0 * k, 1000.0 * (k + 1), 1e6 * k, k};
        rfw_metrics_samples(w, 0, 2, row, 1);
    }
    rf_recording *rec = reopen_for(w, "gpu_metrics_sum");
    fill(rec, "gpu_metrics_sum", &table);
    assert_int_equal(table.n_rows, 2);
    check_sum(table.cells, 1, 10.5, 10.5, 19, 20);
    check_sum(table.cells + table.n_columns, 1, 10.5, 10.5, 19, 20);
    assert_true(rf_counter_at(rec, 0)->value[0] > 999999);
    check_in_summary(rec, "GPC Clock Frequency [MHz]", ",20,1.0,10.5,None,None,20.0");
    check_in_summary(rec, ",Clock [MHz]", ",20,1.0,10.5,None,None,20.0");
    rf_table_release(&table);
    rf_close(rec);
    rfw_free(w);
}

/* The row of a range and a metric. */
static const struct rf_cell *find_row(const struct rf_table *table, const char *range,
                                      const char *metric)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct rf_cell *row = table->cells + i * table->n_columns;
        if (row[0].size == strlen(range) && memcmp(row[0].text, range, row[0].size) == 0 &&
            row[3].size == strlen(metric) && memcmp(row[3].text, metric, row[3].size) == 0)
            return row;
    }
    fail_msg("no row of %s, %s", range, metric);
    return NULL;
}

static void check_row(const struct rf_table *table, const char *range, double mean, uint64_t gpu_ns,
                      uint64_t n)
{
    const struct rf_cell *row = find_row(table, range, "SMs");
    assert_true(fabs(row[4].real - mean) < 1e-9);
    assert_int_equal(row[5].count, gpu_ns);
    assert_int_equal(row[6].count, n);
    assert_true(fabs(find_row(table, range, "DRAM")[4].real - mean / 2) < 1e-9);
}

/* Two ranges, one in the other, and one that comes twice: half of a sample, and three halves. */
static struct rfw *new_ranges(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_push(s, 1000, &(struct rfw_attr){.text = "outer"});
    rfw_push(s, 1100, &(struct rfw_attr){.text = "inner"});
    rfw_cuda_call(s, 100, 1200, 1300, 1, RFW_LAUNCH);
    rfw_cuda_kernel(s, 2000, 3000, 1, 7, RFW_KERNEL_ADD);
    rfw_pop(s, 1400, 0);
    rfw_cuda_call(s, 100, 1500, 1600, 2, RFW_LAUNCH);
    rfw_cuda_kernel(s, 6000, 7000, 2, 7, RFW_KERNEL_ADD);
    rfw_pop(s, 1700, 0);
    for (uint32_t i = 0; i < 2; i++) {
        rfw_push(s, 1800 + 100 * i, &(struct rfw_attr){.text = "twice"});
        rfw_cuda_call(s, 100, 1810 + 100 * i, 1820 + 100 * i, 3 + i, RFW_LAUNCH);
        rfw_cuda_kernel(s, i == 0 ? 8500 : 10000, i == 0 ? 9000 : 11500, 3 + i, 7, RFW_KERNEL_ADD);
        rfw_pop(s, 1850 + 100 * i, 0);
    }
    return w;
}

static void test_ranges(void **state)
{
    struct rfw *w = new_ranges();
    struct rf_table table;
    (void)state;
    rfw_metrics_source(w, 0, 5, texts, 2); /* the GPU that the program calls 0, by its bus */
    add_samples(w, 0, 0, 12);
    rf_recording *rec = reopen_for(w, "nvtx_gpu_metrics_sum");
    fill(rec, "nvtx_gpu_metrics_sum", &table);
    assert_int_equal(table.n_rows, 6);
    check_row(&table, ":inner", 2, 1000, 1);
    check_row(&table, ":outer", (2 + 3 + 4 + 5 + 6) / 5.0, 5000, 1);
    check_row(&table, ":twice", (8 * 500 + 10 * 1000 + 11 * 500) / 2000.0, 2000, 2);
    rf_table_release(&table);
    rf_close(rec);
    rfw_free(w);
}

/* Clocks in ranges: whole samples and parts of them. */
static void test_clock_in_ranges(void **state)
{
    static const char *const labels[] = {
        "GH100", "NVIDIA H200", "0000:3b:00.0", "A set", "gpc", "Clock [MHz]", "b", "Percent"};
    struct rfw *w = new_ranges();
    struct rf_table table;
    (void)state;
    rfw_metrics_source(w, 0, 5, labels, 2);
    for (int k = 0; k <= 12; k++) {
        const double row[] = {1000.0 * k, 1000.0 * (k + 1), 1e8 * k, k};
        rfw_metrics_samples(w, 0, 2, row, 1);
    }
    rf_recording *rec = reopen_for(w, "nvtx_gpu_metrics_sum");
    fill(rec, "nvtx_gpu_metrics_sum", &table);
    assert_true(fabs(find_row(&table, ":inner", "Clock [MHz]")[4].real - 200) < 1e-6);
    assert_true(fabs(find_row(&table, ":inner", "Percent")[4].real - 2) < 1e-9);
    assert_true(fabs(find_row(&table, ":twice", "Clock [MHz]")[4].real -
                     100 * (8 * 500 + 10 * 1000 + 11 * 500) / 2000.0) < 1e-6);
    rf_table_release(&table);
    rf_close(rec);
    rfw_free(w);
}

/* Where samples are missing, one stands for twice the usual time; nothing sampled, no row. */
static void test_gap(void **state)
{
    struct rfw *w = new_ranges();
    struct rf_table table;
    (void)state;
    rfw_metrics_source(w, 0, 0, texts, 2);
    add_samples(w, 0, 0, 2);
    add_samples(w, 0, 6, 7);
    rf_recording *rec = reopen_for(w, "nvtx_gpu_metrics_sum");
    fill(rec, "nvtx_gpu_metrics_sum", &table);
    assert_int_equal(table.n_rows, 4);
    check_row(&table, ":inner", 2, 1000, 1);
    check_row(&table, ":outer", (2 * 1000 + 6 * 2000) / 3000.0, 5000, 1);
    rf_table_release(&table);
    rf_close(rec);
    rfw_free(w);
}

/* Other reports do without samples. */
static void test_needs(void **state)
{
    struct rfw *w = new_ranges();
    struct rf_table with, without;
    (void)state;
    rfw_metrics_source(w, 0, 5, texts, 2);
    add_samples(w, 0, 0, 12);
    assert_int_equal(rf_report_open_flags("no such report"), 0);
    assert_int_equal(rf_report_open_flags("gpu_metrics_sum"), 0);
    assert_int_equal(rf_report_open_flags("nvtx_gpu_metrics_sum"), 0);
    rf_recording *all = rfw_reopen(w, 0, 0), *rec = reopen_for(w, "nvtx_gpu_proj_sum");
    assert_int_equal(rf_counter_at(rec, 0)->n_samples, 0);
    fill(all, "nvtx_gpu_proj_sum", &with);
    fill(rec, "nvtx_gpu_proj_sum", &without);
    assert_int_equal(with.n_rows, 3);
    assert_int_equal(without.n_rows, 3);
    rf_table_release(&with);
    rf_table_release(&without);
    rf_close(all);
    rf_close(rec);
    rfw_free(w);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_read),      TEST(test_round_trip),
        TEST(test_truncated), TEST(test_loss),
        TEST(test_captures),  TEST(test_no_description),
        TEST(test_sizes),     TEST(test_descriptions),
        TEST(test_values),    TEST(test_twice),
        TEST(test_sum),       TEST(test_clock),
        TEST(test_ranges),    TEST(test_gap),
        TEST(test_needs),     TEST(test_clock_in_ranges),
    };
    return cmocka_run_group_tests_name("unit.metrics", tests, NULL, NULL);
}
