/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the process has, in KiB, after N threads have annotated.
 *
 *     bench_memory live N          N threads, all alive at the moment of measuring
 *     bench_memory one-by-one N    N threads, one after another; the peak
 *     bench_memory pairs N         N ranges by one thread; the peak
 *
 * Prints one number; memory.sh subtracts that of the same run without a tool. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_RANGES 5000 /* per live thread: several buffers full */

static pthread_barrier_t barrier;

static long status_kib(const char *key)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && kib < 0 && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            kib = atol(line + strlen(key));
    if (file != NULL)
        (void)fclose(file);
    return kib;
}

static void annotate(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxRangePushA("a message of 24 bytes ab");
        nvtxRangePop();
    }
}

static void *live(void *unused)
{
    annotate(N_RANGES);
    (void)pthread_barrier_wait(&barrier);
    (void)pthread_barrier_wait(&barrier);
    return unused;
}

static void *brief(void *unused)
{
    annotate(10);
    return unused;
}

static int start(pthread_t *thread, void *(*run)(void *))
{
    pthread_attr_t attr;
    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, 65536);
    int code = pthread_create(thread, &attr, run, NULL);
    (void)pthread_attr_destroy(&attr);
    if (code != 0)
        (void)fprintf(stderr, "bench_memory: pthread_create: %s\n", strerror(code));
    return code;
}

static long run_live(int n)
{
    pthread_t *threads = calloc((size_t)n, sizeof(*threads));
    (void)pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
    for (int i = 0; i < n; i++)
        if (threads == NULL || start(&threads[i], live) != 0)
            exit(1);
    (void)pthread_barrier_wait(&barrier);
    long kib = status_kib("VmRSS:");
    (void)pthread_barrier_wait(&barrier);
    for (int i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    free(threads);
    return kib;
}

static long run_one_by_one(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_t thread;
        if (start(&thread, brief) != 0)
            exit(1);
        (void)pthread_join(thread, NULL);
    }
    return status_kib("VmHWM:");
}

static long run_pairs(int n)
{
    annotate(n);
    return status_kib("VmHWM:");
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 2 && n > 0 && strcmp(argv[1], "live") == 0)
        printf("%ld\n", run_live(n));
    else if (argc > 2 && n > 0 && strcmp(argv[1], "one-by-one") == 0)
        printf("%ld\n", run_one_by_one(n));
    else if (argc > 2 && n > 0 && strcmp(argv[1], "pairs") == 0)
        printf("%ld\n", run_pairs(n));
    else
        return 2;
    return 0;
}
