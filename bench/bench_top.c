/* SPDX-License-Identifier: Apache-2.0 */
/* bench_top RATE SECONDS [THREADS]: so many ranges per second, a thousand at a time, beside
 * threads that are in a range and do nothing. Prints the processor time per range in nanoseconds.
 */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "measure.h"

static int64_t processor_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void *be_idle(void *barrier)
{
    nvtxRangePushA("idle");
    (void)pthread_barrier_wait(barrier);
    (void)pthread_barrier_wait(barrier);
    nvtxRangePop();
    return NULL;
}

int main(int argc, char **argv)
{
    const long rate = argc > 1 ? atol(argv[1]) : 1000000, n_threads = argc > 3 ? atol(argv[3]) : 0;
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    pthread_barrier_t barrier;
    pthread_attr_t small;
    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 65536);
    (void)pthread_barrier_init(&barrier, NULL, (unsigned)n_threads + 1);
    for (long i = 0; i < n_threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, be_idle, &barrier) != 0)
            return 1;
    }
    (void)pthread_barrier_wait(&barrier);
    const int64_t begin = measure_now_ns(), end = begin + (int64_t)(seconds * 1e9);
    const long burst = rate > 1000000 ? rate / 1000 : 1000;
    int64_t spent = 0, n = 0;
    while (measure_now_ns() < end) {
        const int64_t before = processor_ns();
        for (long i = 0; i < burst; i++) {
            nvtxRangePushA("twenty-four bytes, text.");
            nvtxRangePop();
        }
        spent += processor_ns() - before;
        n += burst;
        const int64_t due = begin + n * 1000000000 / rate, left = due - measure_now_ns();
        const struct timespec pause = {0, left > 0 && left < 1000000000 ? left : 0};
        if (left > 0)
            (void)nanosleep(&pause, NULL);
    }
    printf("%.2f\n", (double)spent / (double)n);
    (void)pthread_barrier_wait(&barrier);
    return 0;
}
