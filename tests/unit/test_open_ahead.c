/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that are opened on another thread: what comes of it is what opening them now gives,
 * and nothing is left open. */
#include "cli/open_ahead.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "unit.h"

#define RECORDING GOLDEN "/v1.8.rf"

/* ---- What is opened, and where ---- */

static int n_opened, n_here; /* in all, and in the thread of the tests */
static int first_status;     /* of the next one: it is not opened */
static pthread_t here;

int __real_rf_open_selected(const char *path, unsigned flags, const struct rf_alignment *alignment,
                            const struct rf_filter_options *options, rf_recording **out,
                            struct rf_err *err);
int __wrap_rf_open_selected(const char *path, unsigned flags, const struct rf_alignment *alignment,
                            const struct rf_filter_options *options, rf_recording **out,
                            struct rf_err *err);

int __wrap_rf_open_selected(const char *path, unsigned flags, const struct rf_alignment *alignment,
                            const struct rf_filter_options *options, rf_recording **out,
                            struct rf_err *err)
{
    const int status = first_status;
    first_status = RF_OK;
    n_opened++;
    n_here += pthread_equal(pthread_self(), here) != 0;
    *out = NULL;
    return status != RF_OK ? status
                           : __real_rf_open_selected(path, flags, alignment, options, out, err);
}

static int n_processors;

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cores);

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cores)
{
    (void)pid;
    memset(cores, 0, size);
    for (int i = 0; i < n_processors; i++)
        CPU_SET(i, cores);
    return 0;
}

static int begin_test(void **state)
{
    (void)state;
    n_opened = n_here = 0;
    first_status = RF_OK;
    n_processors = 2;
    here = pthread_self();
    return 0;
}

/* ---- Files ---- */

static char folder[] = "/tmp/open-ahead-XXXXXX";

/* Makes a file that begins with text; *path is valid until the next one is made. */
static const char *make_file(const char *name, const char *text, off_t size)
{
    static char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(ftruncate(fileno(file), size), 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* ---- Tests ---- */

static void test_taken(void **state)
{
    const struct cli_opening of = {.path = RECORDING};
    struct cli_open_ahead ahead = {.rec = NULL};
    rf_recording *rec;
    struct rf_err err;
    (void)state;
    cli_open_ahead_begin(&ahead, &of);
    assert_int_equal(cli_open_ahead_take(&ahead, &of, &rec, &err), RF_OK);
    assert_int_equal(n_opened, 1);
    assert_int_equal(n_here, 0);
    assert_string_equal(rf_get_info(rec)->path, RECORDING);
    cli_open_ahead_release(&ahead);
    assert_true(rf_get_info(rec)->n_events > 0);
    rf_close(rec);
    assert_int_equal(cli_open_ahead_take(&ahead, &of, &rec, &err), RF_OK);
    assert_int_equal(n_here, 1);
    rf_close(rec);
    assert_int_equal(cli_open_ahead_take(NULL, &of, &rec, &err), RF_OK);
    assert_int_equal(n_here, 2);
    rf_close(rec);
}

/* The caller's alignment and options need not stay. */
static void begin_stretched(struct cli_open_ahead *ahead)
{
    struct rf_alignment alignment = RF_ALIGNMENT_INIT;
    struct rf_filter_options options = RF_FILTER_OPTIONS_INIT;
    const struct cli_opening of = {.path = RECORDING, .alignment = &alignment, .options = &options};
    alignment.drift = 0.001;
    cli_open_ahead_begin(ahead, &of);
    memset(&alignment, 0xff, sizeof(alignment));
    memset(&options, 0xff, sizeof(options));
}

static void test_copies(void **state)
{
    const struct cli_opening plain = {.path = RECORDING};
    struct cli_open_ahead ahead = {.rec = NULL};
    rf_recording *rec, *stretched;
    struct rf_err err;
    (void)state;
    begin_stretched(&ahead);
    assert_int_equal(cli_open_ahead_take(&ahead, &plain, &stretched, &err), RF_OK);
    assert_int_equal(cli_open_ahead_take(NULL, &plain, &rec, &err), RF_OK);
    assert_true(rf_get_info(stretched)->end_ns > rf_get_info(rec)->end_ns);
    rf_close(stretched);
    rf_close(rec);
}

static void test_failure(void **state)
{
    const struct cli_opening of = {.path = make_file("wrong.rf", "RFLOG\r\n\x1a", 300)};
    struct cli_open_ahead ahead = {.rec = NULL};
    rf_recording *rec;
    struct rf_err now, err;
    (void)state;
    const int expected = cli_open_ahead_take(NULL, &of, &rec, &now);
    assert_int_not_equal(expected, RF_OK);
    cli_open_ahead_begin(&ahead, &of);
    assert_int_equal(cli_open_ahead_take(&ahead, &of, &rec, &err), expected);
    assert_null(rec);
    assert_string_equal(err.text, now.text);
    assert_int_equal(n_opened, 2);
    assert_int_equal(n_here, 1);
    cli_open_ahead_release(&ahead);
}

/* When the one before it is closed there is more. */
static void test_no_memory(void **state)
{
    const struct cli_opening of = {.path = RECORDING};
    struct cli_open_ahead ahead = {.rec = NULL};
    rf_recording *rec;
    struct rf_err err;
    (void)state;
    first_status = RF_ERR_NO_MEMORY;
    cli_open_ahead_begin(&ahead, &of);
    assert_int_equal(cli_open_ahead_take(&ahead, &of, &rec, &err), RF_OK);
    assert_int_equal(n_opened, 2);
    assert_int_equal(n_here, 1);
    rf_close(rec);
}

static void test_not_taken(void **state)
{
    const struct cli_opening of = {.path = RECORDING};
    struct cli_open_ahead ahead = {.rec = NULL};
    (void)state;
    cli_open_ahead_release(&ahead);
    cli_open_ahead_begin(&ahead, &of);
    cli_open_ahead_begin(&ahead, &of); /* closes the first one */
    cli_open_ahead_release(&ahead);
    cli_open_ahead_release(&ahead);
    assert_int_equal(n_opened, 2);
    assert_int_equal(n_here, 0);
}

static void expect_not_begun(const char *path)
{
    const struct cli_opening of = {.path = path};
    struct cli_open_ahead ahead = {.rec = NULL};
    cli_open_ahead_begin(&ahead, &of);
    assert_int_equal(ahead.thread.n, 0);
    cli_open_ahead_release(&ahead);
    assert_int_equal(n_opened, 0);
}

static void test_not_begun(void **state)
{
    (void)state;
    expect_not_begun(GOLDEN);
    expect_not_begun(GOLDEN "/missing.rf");
    expect_not_begun(make_file("large.rf", "RFLOG\r\n\x1a", ((off_t)512 << 20) + 1));
    expect_not_begun(make_file("report.nsys-rep", "", 100));
    expect_not_begun(make_file("report.qdrep", "", 100));
    n_processors = 1;
    expect_not_begun(RECORDING);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"wrong.rf", "large.rf", "report.nsys-rep", "report.qdrep"};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_taken, begin_test),
        cmocka_unit_test_setup(test_copies, begin_test),
        cmocka_unit_test_setup(test_failure, begin_test),
        cmocka_unit_test_setup(test_no_memory, begin_test),
        cmocka_unit_test_setup(test_not_taken, begin_test),
        cmocka_unit_test_setup(test_not_begun, begin_test),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
