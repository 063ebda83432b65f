/* SPDX-License-Identifier: Apache-2.0 */
/* What a range costs a thread when others record as well.
 *
 *     bench_threads [ROUNDS]
 *
 * Each round: bursts by one thread alone, by two threads on two cores at the same moments, and by
 * 64 threads that share the cores. A burst is judged by the time that its thread ran (the thread's
 * CPU clock), since 64 threads wait for a core most of the time. Threads that write to one cache
 * line would show here: on two cores the line moves to and fro at every event, which costs tens of
 * nanoseconds. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "measure.h"

#define BURST       500
#define N_BURSTS    40
#define MAX_THREADS 64

static const char text24[] = "a message of 24 bytes ab";
static pthread_barrier_t barrier;

struct worker {
    pthread_t thread;
    int core; /* -1: any */
    double best;
};

static int64_t thread_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void burst(void)
{
    for (int i = 0; i < BURST; i++) {
        nvtxRangePushA(text24);
        nvtxRangePop();
    }
}

/* All threads begin each burst together, so that they run at the same moments. */
static void *work(void *context)
{
    struct worker *worker = context;
    if (worker->core >= 0)
        measure_pin(worker->core);
    burst();
    worker->best = 1e9;
    for (int i = 0; i < N_BURSTS; i++) {
        struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
        (void)pthread_barrier_wait(&barrier);
        int64_t before = thread_ns();
        burst();
        double ns = (double)(thread_ns() - before) / BURST;
        if (ns < worker->best)
            worker->best = ns;
    }
    return NULL;
}

/* The best burst of the thread whose best burst is the worst. */
static double run(int n_threads)
{
    static struct worker workers[MAX_THREADS];
    (void)pthread_barrier_init(&barrier, NULL, (unsigned)n_threads);
    for (int i = 0; i < n_threads; i++) {
        workers[i].core = n_threads <= measure_n_cores() ? i : -1;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            perror("bench_threads: pthread_create");
            return 0;
        }
    }
    double worst = 0;
    for (int i = 0; i < n_threads; i++) {
        (void)pthread_join(workers[i].thread, NULL);
        if (workers[i].best > worst)
            worst = workers[i].best;
    }
    (void)pthread_barrier_destroy(&barrier);
    return worst;
}

int main(int argc, char **argv)
{
    static const int n_threads[] = {1, 2, 64};
    static double results[3][MEASURE_MAX_ROUNDS];
    int rounds = measure_rounds(argc > 1 ? argv[1] : NULL);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 3; i++)
            results[i][round] = run(n_threads[i]);
    measure_title("threads, bursts", "CPU ns per range of the slowest thread; ratio to 1 thread");
    double one = measure_quantile(results[0], rounds, 0);
    for (int i = 0; i < 3; i++) {
        char what[64];
        double min = measure_quantile(results[i], rounds, 0);
        (void)snprintf(what, sizeof(what), "push/pop, 24 B text, %d thread%s", n_threads[i],
                       i > 0 ? "s" : "");
        measure_row(what, min, measure_quantile(results[i], rounds, 0.5), min / one,
                    i == 0 ? 0 : 1.1);
    }
    if (measure_n_cores() < 2)
        printf("  (one core only: nothing ran at the same time)\n");
    return 0;
}
