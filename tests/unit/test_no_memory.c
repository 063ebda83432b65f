/* SPDX-License-Identifier: Apache-2.0 */
/* Every single allocation fails once while a recording is opened and packed: each time it is the
 * error for it, nothing is left, and nothing crashes. Linked with --wrap for the allocator. */
#include <math.h>

#include "rf_cuda_writer.h"
#include "rf_payload_writer.h"
#include "unit_threads.h"

#include "log/pack_capture.h"
#include "model/payload/payload_cells.h"
#include "rangefinder/summary.h"
#include "model/private_access.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static _Atomic long countdown = -1; /* allocations until one fails; negative: none does */

static int is_time(void)
{
    return countdown >= 0 && countdown-- == 0; /* exports write in two threads */
}

void *__wrap_malloc(size_t size)
{
    return is_time() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return is_time() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return is_time() ? NULL : __real_realloc(p, size);
}

/* Samples that are out of order, and one that is no number. */
static void add_metrics(struct rfw *w)
{
    static const char *const texts[] = {"chip", "GPU", "bus", "set", "a", "A", "b", "B"};
    const double rows[][4] = {{2000, 3000, 1, 2}, {1000, 2000, 3, 4}, {3000, 4000, 5, (double)NAN}};
    rfw_metrics_source(w, 0, 0, texts, 2);
    rfw_metrics_samples(w, 0, 2, rows[0], 3);
}

/* A recording that takes every path: merged threads, forks, categories, long texts, many domains.
 */
static struct rfw *everything(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app"), d = 0;
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *h = rfw_stream(w, p, 1, 100, 1);
    static char text[70000];
    rfw_fact(w, p, 0, RF_PROC_ENV, 0, "A=B");
    for (int i = 0; i < 12; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "d%d", i);
        d = rfw_domain(w, p, i, 100, name);
        rfw_category(w, p, i, 100, d, 1, "category");
        rfw_push(s, 100 + i, &(struct rfw_attr){.domain = d, .text = name});
        rfw_thread_name(w, p, 20, 300, 400, "nobody");
    }
    uint32_t r = rfw_string(w, p, 30, 100, d, "registered");
    uint64_t id = rfw_start(s, 200, &(struct rfw_attr){.string = r});
    rfw_end(h, 210, id);
    rfw_mark(h, 205, &(struct rfw_attr){.string = 999, .domain = 888});
    memset(text, 'x', sizeof(text) - 1);
    rfw_mark(s, 220, &(struct rfw_attr){.text = text});
    rfw_domain_destroy(w, p, 230, 100, d);
    uint32_t q = rfw_process_bare(w);
    rfw_fact(w, q, 300, RF_PROC_FORK_OF, p, NULL);
    struct rfw_stream *t = rfw_stream(w, q, 0, 200, 1);
    rfw_mark(t, 310, &(struct rfw_attr){.domain = 1});
    rfw_mark(t, 320, &(struct rfw_attr){.domain = 777});
    rfw_mark(t, 315, NULL);
    rfw_cuda_names(w, p);
    rfw_cuda_clocks(w, p);
    rfw_cuda_everything(s, 100, 1000, 1);
    rfw_cuda_everything(t, 200, 1000, 1);
    add_metrics(w);
    return w;
}

static void check_open(const char *path, unsigned flags)
{
    rf_recording *rec = NULL;
    struct rf_cursor *cursor = NULL;
    long n_failures = 0;
    int status = RF_ERR_NO_MEMORY;
    for (long i = 0; status != RF_OK; i++) {
        struct rf_err err = {0};
        countdown = i;
        status = rf_open(path, flags, &rec, &err);
        countdown = -1;
        if (status != RF_OK) {
            assert_int_equal(status, RF_ERR_NO_MEMORY);
            assert_int_equal(err.code, RF_ERR_NO_MEMORY);
            assert_non_null(strstr(err.text, "out of memory"));
            assert_null(rec);
            n_failures++;
        }
    }
    assert_true(n_failures > 50);
    for (long i = 0; i < 2; i++) {
        countdown = i;
        assert_int_equal(rf_cursor_new(rec, &cursor, NULL), RF_ERR_NO_MEMORY);
        countdown = -1;
        assert_null(cursor);
    }
    rf_close(rec);
}

/* The same of a part. */
static void check_selected(const char *path, unsigned flags,
                           const struct rf_filter_options *options)
{
    long n_failures = 0;
    int status = RF_ERR_NO_MEMORY;
    for (long i = 0; status != RF_OK; i++) {
        rf_recording *rec = NULL, *part = NULL;
        struct rf_err err = {0};
        countdown = i;
        status = rf_open_selected(path, flags, NULL, options, &rec, &err);
        if (status == RF_OK)
            status = rf_filter(rec, options, &part, &err);
        assert_true(status == (countdown >= 0 ? RF_OK : RF_ERR_NO_MEMORY));
        countdown = -1;
        assert_int_equal(err.code, status);
        n_failures += status != RF_OK;
        rf_close(part);
        rf_close(rec);
    }
    assert_true(n_failures > 50);
}

static void check_all_selected(const char *path)
{
    const struct rf_filter_options filters[] = {
        {.size = sizeof(filters[0]), .names = "/d1*/", .processes = "app", .time = "1ns/"},
        {.size = sizeof(filters[0]), .nvtx = "d1", .kernels = "*"},
        {.size = sizeof(filters[0]), .threads = "100"},
        {.size = sizeof(filters[0]), .names = "*", .group_by = "payload"}};
    const unsigned flags[] = {RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS, RF_OPEN_PATHS_ALWAYS,
                              RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS | RF_OPEN_NO_WORK,
                              RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS};
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        for (size_t k = 0; k < 4; k++)
            check_selected(path, flags[k], &filters[i]);
}

/* A recording is summed up, merged, written and read again. */
static void check_summary(const char *path, const char *output, unsigned flags)
{
    rf_recording *rec = NULL;
    long n_failures = 0;
    int status = RF_ERR_NO_MEMORY;
    assert_int_equal(rf_open(path, flags, &rec, NULL), RF_OK);
    for (long i = 0; status != RF_OK; i++) {
        struct rf_summary_options options = RF_SUMMARY_OPTIONS_INIT;
        rf_summary *summary = NULL, *read = NULL;
        struct rf_err err = {0};
        options.max_tallies = 2;
        options.max_kb = 1;
        countdown = i;
        status = rf_summary_new(&summary, &err);
        if (status == RF_OK)
            status = rf_summary_add(summary, rec, &options, &err);
        if (status == RF_OK)
            status = rf_summary_write(summary, output, 1, &err);
        if (status == RF_OK)
            status = rf_summary_new(&read, &err);
        if (status == RF_OK)
            status = rf_summary_read(read, output, &err);
        countdown = -1;
        if (status != RF_OK && status != RF_ERR_NO_MEMORY)
            fail_msg("allocation %ld: %s", i, err.text);
        n_failures += status != RF_OK;
        rf_summary_free(summary);
        rf_summary_free(read);
    }
    assert_true(n_failures > 50);
    rf_close(rec);
}

static void test_every_allocation(void **state)
{
    struct rfw *w = everything();
    char *dir = rfw_make_tmpdir(), path[4096], output[4096];
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    check_open(path, 0);
    check_open(path, RF_OPEN_SUMS_ALWAYS);
    check_open(path, RF_OPEN_COUNTS | RF_OPEN_WORK_COUNTS);
    check_open(path, RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS);
    check_open(path, RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS);
    check_open(path, RF_OPEN_PATHS_ALWAYS);
    check_open(path, RF_OPEN_PATHS_ALWAYS | RF_OPEN_RANGE_WORK);
    (void)snprintf(output, sizeof(output), "%s/a.rfsum", dir);
    check_summary(path, output, 0);
    check_summary(path, output, RF_OPEN_PATHS_ALWAYS | RF_OPEN_RANGE_WORK);
    check_open(path, RF_OPEN_GRID_IDS_APART);
    check_all_selected(path);
    (void)snprintf(path, sizeof(path), "%s/a.rfdir", dir);
    w->process[0]->stream[0]->part[0]->place = RFW_IN_POOL;
    rfw_save_directory(w, path);
    check_open(path, 0);
    (void)snprintf(output, sizeof(output), "%s/b.rf", dir);
    int status = RF_ERR_NO_MEMORY;
    for (long i = 0; status != RF_OK; i++) {
        countdown = i;
        status = rf_pack(path, output, 0, NULL, NULL);
        countdown = -1;
        assert_true(status == RF_OK || status == RF_ERR_NO_MEMORY);
    }
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

/* The work of ranges that their payloads select, some of which are cut, with ranges read again and
 * in memory. */
static void test_selected_ranges(void **state)
{
    static const char *const payloads[] = {"payload", "size=4"};
    static const struct rfw_entry entries[] = {{0, 17, "size", 0, 0}};
    const struct rf_filter_options options = {.size = sizeof(options),
                                              .names = "/r[0-9]/",
                                              .without_cut = 1,
                                              .payloads = payloads,
                                              .n_payloads = 2};
    const uint64_t size = 4;
    (void)state;
    for (int is_merged = 0; is_merged < 2; is_merged++) {
        struct rfw *w = rfw_new();
        char *dir = rfw_make_tmpdir(), path[4096], name[] = "r0";
        const uint32_t p = rfw_process(w, 100, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *cuda = rfw_stream(w, p, 1, 200, 2);
        rfw_cuda_names(w, p);
        rfw_cuda_clocks(w, p);
        rfw_define_schema(w, p, &(struct rfw_schema){.id = 1ULL << 32, .size = 8}, entries, 1);
        for (uint32_t i = 0; i < 8; i++) {
            const int64_t ns = 1000 + 1000 * (int64_t)i;
            name[1] = (char)('0' + i);
            if (i % 3 == 0)
                rfw_start(s, ns, &(struct rfw_attr){.text = name});
            else
                rfw_push(s, ns, &(struct rfw_attr){.text = name});
            rfw_payload(s, 1ULL << 32, &size, 8, 8, 0);
            rfw_cuda_call(cuda, 100, ns + 100, ns + 200, i + 1, RFW_LAUNCH);
            rfw_cuda_kernel(cuda, ns + 300, ns + 400, i + 1, 7, RFW_KERNEL_ADD);
            if (i % 3 == 1)
                rfw_pop(s, ns + 500, 0);
        }
        if (is_merged)
            rfw_mark(rfw_stream(w, p, 2, 100, 1), 1500, NULL);
        (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
        rfw_save_packed(w, path);
        check_selected(path, RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS, &options);
        check_selected(path, RF_OPEN_RANGE_WORK | RF_OPEN_PATHS_ALWAYS, &options);
        rfw_remove_tree(dir);
        free(dir);
        rfw_free(w);
    }
}

/* A focused session, and one of its captures as a file. */
static void test_capture(void **state)
{
    struct rfw *w = everything();
    char *dir = rfw_make_tmpdir(), path[4096], output[4096];
    struct rfw_stream *s = w->process[0]->stream[0];
    long n_failures = 0;
    int status = RF_ERR_NO_MEMORY;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a.rfdir", dir);
    (void)snprintf(output, sizeof(output), "%s/b.rf", dir);
    for (int i = 0; i < 40; i++)
        (void)rfw_start(s, 400 + i, NULL);
    rfw_end(w->process[0]->stream[1], 300, rf_range_id(0, 0, 20)); /* read before its START */
    rfw_mark(s, 5500000, NULL);
    rfw_focus(w, 1);
    rfw_window(w, 5000000, 6000000);
    rfw_save_directory(w, path);
    check_open(path, 0);
    for (long i = 0; status != RF_OK; i++) {
        struct rf_err err = {0};
        countdown = i;
        status = rf_pack_capture(NULL, path, output, 0, 0, NULL, &err);
        countdown = -1;
        assert_true(status == RF_OK || status == RF_ERR_NO_MEMORY);
        assert_true(status == RF_OK || strstr(err.text, "out of memory") != NULL);
        n_failures += status != RF_OK;
    }
    assert_true(n_failures > 20);
    check_open(output, 0);
    w->control.n_windows = 0;
    rfw_window(w, 900, 4000); /* with calls and GPU work */
    rfw_save_packed(w, output);
    check_open(output, RF_OPEN_SUMS_ALWAYS);
    check_open(output, RF_OPEN_COUNTS | RF_OPEN_WORK_COUNTS);
    check_open(output, RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

/* Captures with calls and work in ranges that are open where they begin and end, which are added up
 * as they are read. */
static void test_captured_work(void **state)
{
    struct rfw *w = rfw_new();
    char *dir = rfw_make_tmpdir(), path[4096];
    const uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
    struct rfw_stream *cuda = rfw_stream(w, p, 2, 102, 3);
    (void)state;
    rfw_cuda_names(w, p);
    rfw_cuda_clocks(w, p);
    rfw_focus(w, 1);
    rfw_window(w, 1000, 2000);
    rfw_window(w, 3000, 4000);
    rfw_push(s, 500, &(struct rfw_attr){.text = "all"});
    const uint64_t id = rfw_start(s, 600, &(struct rfw_attr){.text = "request"});
    const uint64_t other = rfw_start(s, 1100, &(struct rfw_attr){.text = "other"});
    rfw_end(t, 2500, other);
    rfw_end(s, 2600, id);
    rfw_push(s, 3100, &(struct rfw_attr){.text = "step"});
    rfw_pop(s, 4500, 0);
    rfw_pop(s, 4600, 0);
    for (uint32_t i = 1; i < 40; i++) {
        rfw_cuda_call(cuda, 100, 800 + 100 * (int64_t)i, 860 + 100 * (int64_t)i, i, RFW_LAUNCH);
        rfw_cuda_kernel(cuda, 870 + 100 * (int64_t)i, 890 + 100 * (int64_t)i, i, 7, RFW_KERNEL_ADD);
    }
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    check_open(path, RF_OPEN_PATHS_ALWAYS);
    check_open(path, RF_OPEN_PATHS_ALWAYS | RF_OPEN_RANGE_WORK);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

/* A payload of fixed layout, one that is not, and an array. */
static struct rfw *payloads(void)
{
    static const struct rfw_entry fixed[] = {{0, 16, "a", 0, 0}, {1u << 4, 16, "list", 2, 0}};
    static const struct rfw_entry other[] = {{0, 16, "n", 0, 0}, {3u << 4, 16, "a", 0, 0}};
    const uint32_t value[] = {1, 2, 3};
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_define_schema(w, p, &(struct rfw_schema){.id = 1ULL << 32, .name = "s"}, fixed, 2);
    rfw_define_schema(w, p, &(struct rfw_schema){.id = 2ULL << 32, .name = "t", .type = 2}, other,
                      2);
    rfw_mark(s, 10, NULL);
    rfw_payload(s, 1ULL << 32, value, 12, 12, 0);
    rfw_mark(s, 20, NULL);
    rfw_payload(s, 2ULL << 32, value, 8, 8, 0);
    return w;
}

/* Reads everything, a column at a time and an event at a time. */
static int read_columns(const rf_recording *rec)
{
    rf_payload_columns *columns;
    rf_payload_cells *cells = NULL;
    struct rf_value value;
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    int status = rf_payload_columns_new(rec, 0, &columns, NULL);
    if (status == RF_OK)
        status = rf_payload_cells_new(columns, &cells, NULL);
    for (size_t e = 0; e < n && status == RF_OK; e++) {
        for (uint32_t i = 0; rf_payload_column_at(columns, i) != NULL && status == RF_OK; i++)
            status = rf_payload_cell(cells, &event[e], i, &value);
        if (status == RF_OK && rf_payload_cells_of(cells, &event[e]) == NULL)
            status = RF_ERR_NO_MEMORY;
    }
    rf_payload_cells_free(cells);
    rf_payload_columns_free(columns);
    return status;
}

static void test_columns(void **state)
{
    struct rfw *w = payloads();
    rf_recording *rec = rfw_reopen(w, 0, 0);
    int status = RF_ERR_NO_MEMORY;
    long i = 0;
    (void)state;
    for (; status != RF_OK; i++) {
        countdown = i;
        status = read_columns(rec);
        countdown = -1;
        assert_true(status == RF_OK || status == RF_ERR_NO_MEMORY);
    }
    assert_true(i > 15);
    rf_close(rec);
    rfw_free(w);
}

/* ---- Exports ---- */

/* What was written: its size and a checksum. */
struct written {
    size_t n;
    uint64_t sum;
};

static int add_bytes(void *context, const void *bytes, size_t size)
{
    struct written *written = context;
    for (size_t i = 0; i < size; i++)
        written->sum = written->sum * 31 + ((const uint8_t *)bytes)[i];
    written->n += size;
    return 0;
}

static int export_as(const rf_recording *rec, const char *format, long failing,
                     struct written *written)
{
    struct rf_err err = {0};
    struct rf_export_options options = RF_EXPORT_OPTIONS_INIT;
    *written = (struct written){0};
    options.format = format;
    options.write = add_bytes;
    options.write_context = written;
    countdown = failing;
    int status = rf_export(rec, &options, &err);
    countdown = -1;
    assert_int_equal(status, err.code);
    return status;
}

/* An export that lacks memory says so, or does without and writes the same. */
static void test_exports(void **state)
{
    static const char *const formats[] = {"json", "perfetto", "fxt",    "jsonl",
                                          "csv",  "text",     "folded", "speedscope"};
    struct rfw *w = everything();
    char *dir = rfw_make_tmpdir(), path[4096];
    rf_recording *rec = NULL;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    assert_int_equal(rf_open(path, 0, &rec, NULL), RF_OK);
    for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++) {
        struct written whole, part;
        long n_failures = 0, n_others = 0;
        assert_int_equal(export_as(rec, formats[k], -1, &whole), RF_OK);
        assert_true(whole.n > 0);
        for (long i = 0; n_others < 50; i++) {
            int status = export_as(rec, formats[k], i, &part);
            if (status == RF_OK) {
                assert_int_equal(part.n, whole.n);
                assert_int_equal(part.sum, whole.sum);
                n_others++;
            } else {
                assert_int_equal(status, RF_ERR_NO_MEMORY);
                n_failures++;
                n_others = 0;
            }
        }
        assert_true(n_failures > 0);
    }
    rf_close(rec);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_ONE_THREAD(test_every_allocation), UNIT_ONE_THREAD(test_selected_ranges),
        UNIT_ONE_THREAD(test_capture),          UNIT_ONE_THREAD(test_captured_work),
        cmocka_unit_test(test_exports),         UNIT_ONE_THREAD(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
