/* SPDX-License-Identifier: Apache-2.0 */
/* N push/pop pairs with a 24-byte text in THREADS threads, as fast as they go.
 *
 *     pairs N [THREADS]
 *
 * With RF_BENCH_END=FILE in the environment, CLOCK_MONOTONIC in ns at the end of main goes to FILE:
 * spawn --end FILE reads it, to tell what comes after the program. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

static long n_pairs;

static void *annotate(void *unused)
{
    for (long i = 0; i < n_pairs; i++) {
        nvtxRangePushA("a message of 24 bytes ab");
        nvtxRangePop();
    }
    return unused;
}

int main(int argc, char **argv)
{
    static pthread_t threads[1000];
    long n = argc > 1 ? atol(argv[1]) : 1000000;
    int n_threads = argc > 2 ? atoi(argv[2]) : 1;
    if (n < 0 || n_threads < 1 || n_threads > 1000)
        return 2;
    n_pairs = n / n_threads;
    for (int i = 1; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, annotate, NULL) != 0)
            return 1;
    (void)annotate(NULL);
    for (int i = 1; i < n_threads; i++)
        (void)pthread_join(threads[i], NULL);
    const char *path = getenv("RF_BENCH_END");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        (void)fprintf(file, "%lld\n", (long long)measure_now_ns());
        (void)fclose(file);
    }
    return 0;
}
