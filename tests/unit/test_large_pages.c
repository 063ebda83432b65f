/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is given back. */
#include "unit.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/large_pages.h"

enum { N_PROCESSES = 200, N_THREADS = 4 };

static pthread_barrier_t barrier;

static void *give_back(void *unused)
{
    (void)pthread_barrier_wait(&barrier);
    rf_give_back_freed();
    return unused;
}

static int give_back_in_threads(void)
{
    pthread_t thread[N_THREADS];
    (void)pthread_barrier_init(&barrier, NULL, N_THREADS);
    for (unsigned i = 0; i < N_THREADS; i++) {
        if (pthread_create(&thread[i], NULL, give_back, NULL) != 0)
            return 1;
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        (void)pthread_join(thread[i], NULL);
    return 0;
}

/* Of each process, threads are the first to call at once: under the address sanitizer the C
 * library's own malloc() is not set up before. */
static void test_first_calls(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_PROCESSES; i++) {
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(give_back_in_threads());
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
