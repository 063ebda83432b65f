/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that docs/compatibility.md and the headers state for all functions: structs with a
 * size, versions, arrays and their accessors, outputs that a function receives. */
#include <sys/mman.h>
#include <unistd.h>

#include "rangefinder/pm_sampling.h"
#include "rangefinder/summary.h"
#include "unit.h"

/* ---- A struct of an older header, behind which nothing can be read or written ---- */

struct guarded {
    unsigned char *page; /* the struct ends where it ends; the next one may not be touched */
    void *sized;
};

static struct guarded guard(const void *from, size_t size)
{
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded it;
    it.page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(it.page != MAP_FAILED);
    assert_int_equal(mprotect(it.page + page_size, page_size, PROT_NONE), 0);
    it.sized = it.page + page_size - size;
    memcpy(it.sized, from, size);
    memcpy(it.sized, &size, sizeof(size));
    return it;
}

static void release(struct guarded *it)
{
    (void)munmap(it->page, 2 * (size_t)sysconf(_SC_PAGESIZE));
}

static char *recording_file(void)
{
    char *path = strdup("/tmp/rf-public-XXXXXX");
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    rfw_push(s, 10, &(struct rfw_attr){.text = "outer"});
    rfw_push(s, 20, &(struct rfw_attr){.text = "inner"});
    rfw_pop(s, 30, 0);
    rfw_pop(s, 50, 0);
    rfw_exit(w, p, 60);
    rfw_save_packed(w, path);
    rfw_free(w);
    return path;
}

static rf_recording *open_one(void)
{
    struct rf_err err;
    rf_recording *rec;
    char *path = recording_file();
    assert_int_equal(rf_open(path, 0, &rec, &err), RF_OK);
    (void)unlink(path);
    free(path);
    return rec;
}

/* ---- Outputs that a function receives ---- */

struct received {
    char bytes[1 << 16];
    size_t size;
    int n_left; /* calls until it stops the output; < 0: never */
};

static int receive(void *context, const void *bytes, size_t size)
{
    struct received *all = context;
    if (all->n_left == 0)
        return 1;
    all->n_left -= all->n_left > 0;
    assert_true(size < sizeof(all->bytes) - all->size);
    memcpy(all->bytes + all->size, bytes, size);
    all->size += size;
    all->bytes[all->size] = '\0';
    return 0;
}

static struct received received;

static void test_report_to_a_function(void **state)
{
    rf_recording *rec = open_one();
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    struct rf_err err;
    (void)state;
    options.report = "nvtx_sum";
    options.format = "csv";
    options.write = receive;
    options.write_context = &received;
    received = (struct received){.n_left = -1};
    assert_int_equal(rf_report(rec, &options, &err), RF_OK);
    assert_non_null(strstr(received.bytes, ":outer"));
    assert_non_null(strstr(received.bytes, ":inner"));
    received = (struct received){.n_left = 0};
    assert_int_equal(rf_report(rec, &options, &err), RF_ERR_IO);
    assert_non_null(strstr(err.text, "stopped"));
    rf_close(rec);
}

/* Every report has room for the columns that say whose rows they are; the recordings may be closed
 * before the table is written. */
static void test_joined_reports(void **state)
{
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    struct rf_err err;
    (void)state;
    options.format = "csv";
    options.write = receive;
    options.write_context = &received;
    for (size_t i = 0; (options.report = rf_report_at(i, NULL)) != NULL; i++) {
        rf_joined_report *joined;
        received = (struct received){.n_left = -1};
        assert_int_equal(rf_joined_report_new(&options, &joined, &err), RF_OK);
        for (int64_t rank = -1; rank < 1; rank++) {
            rf_recording *rec = open_one();
            assert_int_equal(rf_joined_report_add(joined, rec, "a.rf", rank, &err), RF_OK);
            rf_close(rec);
        }
        assert_int_equal(rf_joined_report_add_missing(joined, "b.rf", "gone", &err), RF_OK);
        assert_int_equal(rf_joined_report_write(joined, &err), RF_OK);
        if (!rf_report_compares_inputs(options.report)) {
            assert_true(strncmp(received.bytes, "Input,Host,Rank,", 16) == 0);
            assert_non_null(strstr(received.bytes, "\nb.rf,"));
        }
        if (strcmp(options.report, "nvtx_sum") == 0) {
            assert_int_equal(rf_joined_report_n_rows(joined), 5);
            assert_non_null(strstr(received.bytes, ",None,"));
            assert_non_null(strstr(received.bytes, ":inner"));
        }
        rf_joined_report_free(joined);
    }
    options.report = "no such report";
    rf_joined_report *none;
    assert_int_equal(rf_joined_report_new(&options, &none, &err), RF_ERR_USAGE);
    assert_null(none);
}

static void test_export_to_a_function(void **state)
{
    static const char *const formats[] = {"json", "perfetto", "jsonl", "csv", "text"};
    rf_recording *rec = open_one();
    struct rf_export_options options = RF_EXPORT_OPTIONS_INIT;
    struct rf_err err;
    (void)state;
    options.write = receive;
    options.write_context = &received;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        options.format = formats[i];
        received = (struct received){.n_left = -1};
        assert_int_equal(rf_export(rec, &options, &err), RF_OK);
        assert_non_null(memmem(received.bytes, received.size, "inner", 5));
        received = (struct received){.n_left = 0};
        assert_int_equal(rf_export(rec, &options, &err), RF_ERR_IO);
    }
    options.format = "sqlite";
    assert_int_equal(rf_export(rec, &options, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "sqlite needs a file"));
    rf_close(rec);
}

/* ---- Structs with a size ---- */

/* Options of a header that had no `write`: rf_export() reads none behind them. */
static void test_older_options(void **state)
{
    rf_recording *rec = open_one();
    struct rf_export_options options = RF_EXPORT_OPTIONS_INIT;
    struct rf_err err;
    char path[] = "/tmp/rf-public-XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    options.format = "text";
    options.output = path;
    options.can_overwrite = 1;
    struct guarded old = guard(&options, offsetof(struct rf_export_options, progress));
    assert_int_equal(rf_export(rec, old.sized, &err), RF_OK);
    release(&old);
    old = guard(&options, offsetof(struct rf_export_options, output)); /* it names no output */
    assert_int_equal(rf_export(rec, old.sized, &err), RF_ERR_USAGE);
    release(&old);
    (void)close(fd);
    (void)unlink(path);
    rf_close(rec);
}

static void test_older_options_of_all(void **state)
{
    rf_recording *rec = open_one(), *part;
    rf_projections *projections;
    struct rf_filter_options filter = RF_FILTER_OPTIONS_INIT;
    struct rf_report_options report = RF_REPORT_OPTIONS_INIT;
    struct rf_project_options project = RF_PROJECT_OPTIONS_INIT;
    (void)state;
    struct guarded old = guard(&filter, sizeof(size_t));
    assert_int_equal(rf_filter(rec, old.sized, &part, NULL), RF_OK);
    assert_int_equal(rf_get_info(part)->n_ranges, 2);
    rf_close(part);
    release(&old);
    old = guard(&project, sizeof(size_t));
    assert_int_equal(rf_project(rec, old.sized, &projections, NULL), RF_OK);
    rf_projections_free(projections);
    release(&old);
    report.report = "no_such";
    old = guard(&report, offsetof(struct rf_report_options, format));
    assert_int_equal(rf_report(rec, old.sized, NULL), RF_ERR_USAGE);
    release(&old);
    rf_close(rec);
}

/* A newer header has members that this library does not know: 0 means as before. */
static void test_newer_options(void **state)
{
    rf_recording *rec = open_one(), *part;
    struct {
        struct rf_filter_options known;
        const char *unknown;
    } options = {RF_FILTER_OPTIONS_INIT, NULL};
    struct rf_err err;
    (void)state;
    options.known.size = sizeof(options);
    assert_int_equal(rf_filter(rec, &options.known, &part, &err), RF_OK);
    rf_close(part);
    options.unknown = "set";
    assert_int_equal(rf_filter(rec, &options.known, &part, &err), RF_ERR_UNSUPPORTED);
    assert_null(part);
    assert_non_null(strstr(err.text, rf_version()));
    rf_close(rec);
}

static void test_size_that_is_not_set(void **state)
{
    rf_recording *rec = open_one(), *part;
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    struct rf_err err;
    const size_t wrong[] = {0, 1, sizeof(size_t) - 1, SIZE_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        options.size = wrong[i];
        assert_int_equal(rf_filter(rec, &options, &part, &err), RF_ERR_USAGE);
        assert_non_null(strstr(err.text, "rf_filter_options"));
    }
    rf_close(rec);
}

/* What a caller allocated by an older header is not written behind. */
static void test_older_outputs(void **state)
{
    rf_recording *rec = open_one();
    rf_projections *projections;
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    struct rf_trace_view view = RF_TRACE_VIEW_INIT;
    struct rf_pm_device device = RF_PM_DEVICE_INIT;
    struct rf_pm_collector_state now = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_collector *collector;
    (void)state;
    assert_int_equal(rf_project(rec, NULL, &projections, NULL), RF_OK);
    struct guarded old = guard(&coverage, offsetof(struct rf_coverage, covered_ns));
    assert_int_equal(rf_projection_coverage(projections, old.sized), RF_OK);
    release(&old);
    coverage.size = 0;
    assert_int_equal(rf_projection_coverage(projections, &coverage), RF_ERR_USAGE);
    old = guard(&view, offsetof(struct rf_trace_view, thread));
    assert_int_equal(rf_find_view(rec, "inner", 0, old.sized, NULL), RF_OK);
    assert_int_equal(((struct rf_trace_view *)old.sized)->n_found, 1);
    release(&old);
    view.size = 1;
    assert_int_equal(rf_find_view(rec, "inner", 0, &view, NULL), RF_ERR_USAGE);
    old = guard(&device, offsetof(struct rf_pm_device, uuid));
    (void)rf_pm_device_describe(0, old.sized, NULL);
    release(&old);
    device.size = 3;
    assert_int_equal(rf_pm_device_describe(0, &device, NULL), RF_PM_ERR_ARGUMENT);
    assert_int_equal(rf_pm_collector_new(7, &collector, NULL), RF_PM_OK);
    old = guard(&now, offsetof(struct rf_pm_collector_state, is_enabled));
    assert_int_equal(rf_pm_collector_get_state(collector, old.sized), RF_PM_OK);
    assert_int_equal(((struct rf_pm_collector_state *)old.sized)->device, 7);
    release(&old);
    rf_pm_collector_free(collector);
    rf_projections_free(projections);
    rf_close(rec);
}

/* What a newer header has more is 0. */
static void test_newer_output(void **state)
{
    struct {
        struct rf_coverage known;
        uint64_t unknown;
    } coverage = {RF_COVERAGE_INIT, 7};
    (void)state;
    coverage.known.size = sizeof(coverage);
    assert_int_equal(rf_projection_coverage(NULL, &coverage.known), RF_OK);
    assert_int_equal(coverage.unknown, 0);
    assert_int_equal(coverage.known.size, sizeof(coverage));
}

/* ---- Versions ---- */

static void test_versions(void **state)
{
    char text[32];
    (void)state;
    (void)snprintf(text, sizeof(text), "%d.%d.%d", RF_VERSION_MAJOR, RF_VERSION_MINOR,
                   RF_VERSION_PATCH);
    assert_string_equal(rf_version(), text);
    assert_int_equal(rf_version_number(), RF_VERSION_NUMBER);
    assert_int_equal(rf_is_compatible(RF_VERSION_NUMBER), 1);
    assert_int_equal(rf_is_compatible(RF_VERSION_NUMBER + 1), 0);
    assert_int_equal(rf_is_compatible(RF_VERSION_MAJOR * 10000), 1);
    assert_int_equal(rf_is_compatible(RF_VERSION_NUMBER + 10000), 0);
    assert_int_equal(rf_is_compatible(-1), 0);
}

/* ---- Arrays and their accessors ---- */

static void test_accessors(void **state)
{
    rf_recording *rec = open_one();
    size_t n;
    (void)state;
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    assert_true(n >= 2);
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(rf_thread_event_at(rec, 0, i), &event[i]);
    assert_null(rf_thread_event_at(rec, 0, n));
    assert_null(rf_thread_event_at(rec, 1, 0));
    assert_null(rf_thread_call_at(rec, 0, 0));
    assert_null(rf_gpu_op_at(rec, 0));
    assert_null(rf_extra_at(rec, 0));
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_to_a_function),
        cmocka_unit_test(test_joined_reports),
        cmocka_unit_test(test_export_to_a_function),
        cmocka_unit_test(test_older_options),
        cmocka_unit_test(test_older_options_of_all),
        cmocka_unit_test(test_newer_options),
        cmocka_unit_test(test_size_that_is_not_set),
        cmocka_unit_test(test_older_outputs),
        cmocka_unit_test(test_newer_output),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_accessors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
