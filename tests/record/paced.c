/* SPDX-License-Identifier: Apache-2.0 */
/* paced THREADS RATE FILE: each of the threads pushes and pops RATE ranges per second, numbered
 * from 0 by their payloads, in slices of a millisecond, until the file is there. Now and then one
 * is a started range, which the next thread ends. Prints how many ranges each thread began. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 64
#define CROSSING     1000 /* one range in so many is ended by another thread */

static int n_threads;
static long rate;
static int is_over; /* atomic */
static nvtxRangeId_t crossing[MOST_THREADS];
static uint64_t n_ranges[MOST_THREADS];

static int64_t now_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    const struct timespec time = {ns / 1000000000, ns % 1000000000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void make_range(int thread, uint64_t number)
{
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = "unit",
                                        .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
                                        .payload.ullValue = number};
    if (number % CROSSING != 0) {
        (void)nvtxRangePushEx(&attributes);
        (void)nvtxRangePop();
        return;
    }
    nvtxRangeEnd(__atomic_exchange_n(&crossing[(thread + 1) % n_threads],
                                     nvtxRangeStartEx(&attributes), __ATOMIC_RELAXED));
}

static void *run(void *context)
{
    const int thread = (int)(intptr_t)context;
    int64_t next = now_ns();
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        for (long i = 0; i < rate / 1000; i++)
            make_range(thread, n_ranges[thread]++);
        next += 1000000;
        if (next < now_ns() - 100000000) /* what a busy machine took is not made up for */
            next = now_ns();
        sleep_until(next);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST_THREADS];
    if (argc < 4)
        return 2;
    n_threads = atoi(argv[1]);
    rate = atol(argv[2]);
    if (n_threads < 1 || n_threads > MOST_THREADS)
        return 2;
    for (int i = 0; i < n_threads; i++)
        if (pthread_create(&thread[i], NULL, run, (void *)(intptr_t)i) != 0)
            return 1;
    while (access(argv[3], F_OK) != 0)
        sleep_until(now_ns() + 10000000);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < n_threads; i++) {
        (void)pthread_join(thread[i], NULL);
        printf("%llu\n", (unsigned long long)n_ranges[i]);
    }
    return 0;
}
