/* SPDX-License-Identifier: Apache-2.0 */
/* What ring.sh records.
 *
 * - bench_ring pairs: prints the least time of a push/pop pair in bursts, ns
 * - bench_ring paced RATE S: RATE pairs per second for S seconds; prints the 99.99th percentile of
 *   a pair and the longest one, us, of the milliseconds in which the kernel did not preempt it
 * - bench_ring fill MIB READY END: writes so much, makes the file READY, waits for the file END
 * - bench_ring hang END: a range "request" that is open until the file END is there */
#include <nvtx3/nvToolsExt.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

#define BURST      500
#define N_BURSTS   400
#define PAIR_BYTES 48 /* of records, with the text */
#define MAX_CALLS  20000000

static const char text24[] = "a message of 24 bytes ab";

static void pause_us(long us)
{
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    (void)nanosleep(&pause, NULL);
}

static void wait_for(const char *path)
{
    while (access(path, F_OK) != 0)
        pause_us(1000);
}

static void pairs(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxRangePushA(text24);
        nvtxRangePop();
    }
}

static void measure_pairs(void)
{
    double least = 1e9;
    pairs(BURST);
    for (int i = 0; i < N_BURSTS; i++) {
        pause_us(500);
        uint64_t before = measure_ticks();
        pairs(BURST);
        double ns = (double)(measure_ticks() - before) * measure_ns_per_tick() / BURST;
        least = ns < least ? ns : least;
    }
    printf("%.2f\n", least);
}

static long n_preemptions(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static int compare(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

/* Times n pairs, in us. Returns how many count: none where another process had the core. */
static long time_burst(float *us, long n, double ns_per_tick)
{
    const long before_burst = n_preemptions();
    for (long i = 0; i < n; i++) {
        uint64_t before = measure_ticks();
        nvtxRangePushA(text24);
        nvtxRangePop();
        us[i] = (float)((double)(measure_ticks() - before) * ns_per_tick / 1000);
    }
    return n_preemptions() == before_burst ? n : 0;
}

/* A millisecond's pairs at once, then a pause. */
static void measure_paced(long rate, double seconds)
{
    float *us = calloc(MAX_CALLS, sizeof(*us));
    const double ns_per_tick = measure_ns_per_tick();
    const int64_t end = measure_now_ns() + (int64_t)(seconds * 1e9);
    int64_t next = measure_now_ns();
    const long burst = rate / 1000;
    long n = 0;
    while (us != NULL && n + burst <= MAX_CALLS && measure_now_ns() < end) {
        n += time_burst(us + n, burst, ns_per_tick);
        next += 1000000;
        if (next > measure_now_ns())
            pause_us((next - measure_now_ns()) / 1000);
    }
    if (n > 0)
        qsort(us, (size_t)n, sizeof(*us), compare);
    printf("%.1f %.1f\n", n > 0 ? us[n - 1 - n / 10000] : 0, n > 0 ? us[n - 1] : 0);
    free(us);
}

static void fill(long mib, const char *ready, const char *end)
{
    for (long i = 0; i < mib * 16; i++) {
        pairs(65536 / PAIR_BYTES);
        pause_us(50);
    }
    (void)close(open(ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    wait_for(end);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "pairs") == 0) {
        measure_pairs();
    } else if (strcmp(mode, "paced") == 0 && argc > 3) {
        measure_paced(atol(argv[2]), atof(argv[3]));
    } else if (strcmp(mode, "fill") == 0 && argc > 4) {
        fill(atol(argv[2]), argv[3], argv[4]);
    } else if (strcmp(mode, "hang") == 0 && argc > 2) {
        nvtxRangePushA("request");
        wait_for(argv[2]);
        nvtxRangePop();
    } else {
        fprintf(stderr,
                "usage: bench_ring pairs | paced RATE SECONDS | fill MIB READY END | hang END\n");
        return 2;
    }
    return 0;
}
