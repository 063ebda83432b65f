/* SPDX-License-Identifier: Apache-2.0 */
/* What first events cost.
 *
 *     bench_first threads [N]    the first event of N threads that all stay alive (each needs
 *                                memory of its own), and of N that come one after another
 *     bench_first process        the first NVTX call of the process; prints us, one number */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define MAX_THREADS 10000
#define TARGET_US   60.0

static double first_us[MAX_THREADS];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *context)
{
    double *us = context;
    int64_t before = measure_now_ns();
    nvtxRangePushA("first");
    *us = (double)(measure_now_ns() - before) / 1000;
    nvtxRangePop();
    return NULL;
}

/* Waits at the gate until all threads have been measured. */
static void *run_and_stay(void *context)
{
    (void)run(context);
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
    return NULL;
}

static void report(const char *what, int n)
{
    double min = measure_quantile(first_us, n, 0);
    double median = measure_quantile(first_us, n, 0.5);
    printf("  %-44s %9.2f %9.2f %9.2f %9.2f %7.2f  %s\n", what, min, median,
           measure_quantile(first_us, n, 0.99), measure_quantile(first_us, n, 1), TARGET_US,
           median <= TARGET_US ? "holds" : "MISSED");
}

static int create(pthread_t *thread, void *(*entry)(void *), int i)
{
    pthread_attr_t attr;
    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, 65536);
    int code = pthread_create(thread, &attr, entry, &first_us[i]);
    (void)pthread_attr_destroy(&attr);
    return code;
}

/* One thread at a time takes its first event, whether the others stay or not: what is measured is
 * the event and not the wait for a core. */
static int measure_threads(int n, int must_stay)
{
    static pthread_t threads[MAX_THREADS];
    (void)pthread_mutex_lock(&gate);
    for (int i = 0; i < n; i++) {
        first_us[i] = -1;
        int code = create(&threads[i], must_stay ? run_and_stay : run, i);
        if (code != 0) {
            (void)fprintf(stderr, "bench_first: pthread_create: %s\n", strerror(code));
            return 1;
        }
        if (!must_stay)
            (void)pthread_join(threads[i], NULL);
        while (__atomic_load_n((int64_t *)(void *)&first_us[i], __ATOMIC_ACQUIRE) < 0)
            (void)sched_yield();
    }
    (void)pthread_mutex_unlock(&gate);
    for (int i = 0; must_stay && i < n; i++)
        (void)pthread_join(threads[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "process") == 0) {
        int64_t before = measure_now_ns();
        nvtxMarkA("first");
        printf("%.1f\n", (double)(measure_now_ns() - before) / 1000);
        return 0;
    }
    int n = argc > 2 ? atoi(argv[2]) : 1000;
    if (n < 1 || n > MAX_THREADS)
        n = 1000;
    nvtxMarkA("first of the process");
    printf("a thread's first event (us; the median is judged)\n");
    printf("  %-44s %9s %9s %9s %9s %7s\n", "", "min", "median", "p99", "max", "target");
    if (measure_threads(n, 0) != 0)
        return 1;
    report("threads one after another", n);
    if (measure_threads(n, 1) != 0)
        return 1;
    report("threads that all stay alive", n);
    return 0;
}
