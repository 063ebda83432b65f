/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is forked while another thread samples. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pm_test.h"

static struct rf_pm_error err;

static void *enable(void *collector)
{
    struct rf_pm_error own;
    return rf_pm_collector_enable(collector, &own) == RF_PM_OK ? NULL : collector;
}

/* CUPTI takes its time to begin, with our lock held: the child does not wait for that thread, which
 * it does not have. */
static void test_fork_while_enabling(void **state)
{
    const struct rf_pm_library_info *library;
    rf_pm_collector *c;
    pthread_t thread;
    void *failed;
    int status;
    (void)state;
    cupti->initialize_ms = 500;
    assert_status(RF_PM_OK, rf_pm_collector_new(0, &c, &err));
    assert_int_equal(pthread_create(&thread, NULL, enable, c), 0);
    while (cupti->initializes == 0)
        (void)usleep(1000);
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(20);
        _exit(rf_pm_library(&library, &err) == RF_PM_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    rf_pm_collector_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {PM_TEST(test_fork_while_enabling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
