/* SPDX-License-Identifier: Apache-2.0 */
/* A signal that ends a process leaves none of its temporary files and folders: not even one that
 * comes between making them and noting them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "base/output.h"
#include "base/pending.h"

/* As the linker's --wrap names them. */
int __real_mkostemp(char *template, int flags);
char *__real_mkdtemp(char *template);
int __wrap_mkostemp(char *template, int flags);
char *__wrap_mkdtemp(char *template);

static volatile sig_atomic_t n_signals;

int __wrap_mkostemp(char *template, int flags)
{
    const int fd = __real_mkostemp(template, flags);
    (void)raise(SIGTERM);
    return fd;
}

char *__wrap_mkdtemp(char *template)
{
    char *made = __real_mkdtemp(template);
    (void)raise(SIGTERM);
    return made;
}

static void remove_all(int number)
{
    (void)number;
    n_signals++;
    rf_pending_remove();
}

static int set_up(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = remove_all};
    n_signals = 0;
    return sigaction(SIGTERM, &action, NULL);
}

static void test_file(void **state)
{
    struct rf_output out;
    struct rf_err err;
    char path[] = "/tmp/rf-pending-XXXXXX", output[sizeof(path) + 8];
    (void)state;
    assert_non_null(__real_mkdtemp(path));
    (void)snprintf(output, sizeof(output), "%s/out", path);
    assert_int_equal(rf_output_open(&out, output, false, &err), RF_OK);
    assert_int_equal(n_signals, 1);
    assert_int_equal(rmdir(path), 0); /* it is empty */
    rf_output_abandon(&out);
}

static void test_folder(void **state)
{
    char path[] = "/tmp/rf-pending-XXXXXX";
    struct stat st;
    (void)state;
    assert_ptr_equal(rf_pending_make_folder(path), path);
    assert_int_equal(n_signals, 1);
    assert_int_equal(stat(path, &st), -1);
    rf_pending_drop(path);
}

static void test_errors(void **state)
{
    char file[] = "/nowhere/rf-pending-XXXXXX", folder[] = "/nowhere/rf-pending-XXXXXX";
    (void)state;
    assert_int_equal(rf_pending_make_file(file), -1);
    assert_int_equal(errno, ENOENT);
    assert_null(rf_pending_make_folder(folder));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(n_signals, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_file, set_up),
        cmocka_unit_test_setup(test_folder, set_up),
        cmocka_unit_test_setup(test_errors, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
