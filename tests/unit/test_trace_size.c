/* SPDX-License-Identifier: Apache-2.0 */
/* The least size of a trace: no trace is smaller, whatever the recording has. */
#include "cli/view/trace_size.h"

#include <glob.h>
#include <unistd.h>

#include "unit.h"

static int count(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return 0;
}

static uint64_t size_of(const rf_recording *rec, const char *format)
{
    struct rf_export_options how = RF_EXPORT_OPTIONS_INIT;
    uint64_t size = 0;
    struct rf_err err = {.text = ""};
    how.format = format;
    how.write = count;
    how.write_context = &size;
    how.no_flows = how.no_figures = 1;
    if (rf_export(rec, &how, &err) != RF_OK)
        fail_msg("%s", err.text);
    return size;
}

static void no_trace_is_smaller(void **state)
{
    glob_t files;
    size_t n_large = 0;
    (void)state;
    assert_int_equal(glob(GOLDEN "/*.rf", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        rf_recording *rec;
        if (rf_open(files.gl_pathv[i], RF_OPEN_NO_DETAILS, &rec, NULL) != RF_OK)
            continue;
        uint64_t least = trace_size_at_least(rec);
        assert_true(least <= size_of(rec, "perfetto"));
        assert_true(least <= size_of(rec, "fxt"));
        n_large += least > 200;
        rf_close(rec);
    }
    assert_true(n_large > 0);
    globfree(&files);
}

static void it_grows_with_the_events(void **state)
{
    enum { N = 5000 };
    char path[] = "/tmp/rf-trace-size-XXXXXX";
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rf_recording *rec;
    (void)state;
    for (uint64_t i = 1; i <= N; i++) {
        rfw_push(s, 10 * i, &(struct rfw_attr){.text = "w"});
        rfw_pop(s, 10 * i + 1, 0);
    }
    rfw_exit(w, p, 10 * N + 20);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    rfw_save_packed(w, path);
    rfw_free(w);
    assert_int_equal(rf_open(path, 0, &rec, NULL), RF_OK);
    assert_int_equal(unlink(path), 0);
    assert_in_range(trace_size_at_least(rec), N * 10, size_of(rec, "perfetto"));
    assert_in_range(trace_size_at_least(rec), N * 10, size_of(rec, "fxt"));
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_trace_is_smaller),
        cmocka_unit_test(it_grows_with_the_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
