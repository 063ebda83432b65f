/* SPDX-License-Identifier: Apache-2.0 */
/* How long the program ever waits in one push or pop.
 *
 *     bench_stalls [SECONDS]
 *
 * Bursts of 500 ranges with pauses of 200 us, every call timed by itself. A call can be long
 * because the recorder kept the thread (it slept, or it worked long) or because the kernel gave
 * the core to somebody else. The thread's count of involuntary context switches tells these apart;
 * what a hypervisor takes away cannot be told, so run it without a tool as well, for comparison. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "measure.h"

#define BURST      500
#define N_BUCKETS  4000 /* logarithmic: 100 per power of two ticks, to 2^40 */
#define PER_OCTAVE 100
#define LONG_US    500.0

static const char text24[] = "a message of 24 bytes ab";
static long histogram[N_BUCKETS];

struct counts {
    long n_calls;
    long n_long;      /* over LONG_US */
    long n_preempted; /* of these: the kernel ran somebody else meanwhile */
    uint64_t max;
    uint64_t max_ours; /* of the calls that were not preempted */
    long n_switches;   /* involuntary, so far */
};

static int bucket(uint64_t ticks)
{
    if (ticks < 1)
        return 0;
    int octave = 63 - __builtin_clzll(ticks);
    uint64_t rest = ticks - (1ULL << octave);
    int i = octave * PER_OCTAVE + (int)(rest * PER_OCTAVE >> octave);
    return i < N_BUCKETS ? i : N_BUCKETS - 1;
}

static double bucket_ticks(int i)
{
    double base = (double)(1ULL << (i / PER_OCTAVE));
    return base + base * (i % PER_OCTAVE + 0.5) / PER_OCTAVE;
}

static double percentile(long n, double share)
{
    long left = (long)((double)n * share);
    for (int i = 0; i < N_BUCKETS; i++) {
        if (left < histogram[i])
            return bucket_ticks(i);
        left -= histogram[i];
    }
    return 0;
}

static long involuntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/* The switches are counted after long calls and between bursts only: reading them is slow. */
static void count(struct counts *counts, uint64_t ticks, uint64_t suspicious)
{
    histogram[bucket(ticks)]++;
    counts->n_calls++;
    if (ticks > counts->max)
        counts->max = ticks;
    if (ticks <= suspicious) {
        if (ticks > counts->max_ours)
            counts->max_ours = ticks;
        return;
    }
    long n = involuntary_switches();
    int is_preempted = n != counts->n_switches;
    int is_long = (double)ticks * measure_ns_per_tick() > LONG_US * 1000;
    counts->n_switches = n;
    counts->n_long += is_long;
    counts->n_preempted += is_long && is_preempted;
    if (!is_preempted && ticks > counts->max_ours)
        counts->max_ours = ticks;
}

static void burst(struct counts *counts, uint64_t suspicious)
{
    uint64_t before = measure_ticks();
    for (int i = 0; i < BURST; i++) {
        nvtxRangePushA(text24);
        uint64_t middle = measure_ticks();
        count(counts, middle - before, suspicious);
        before = measure_ticks();
        nvtxRangePop();
        uint64_t after = measure_ticks();
        count(counts, after - before, suspicious);
        before = measure_ticks();
    }
}

int main(int argc, char **argv)
{
    struct counts counts = {0};
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    double ns = measure_ns_per_tick();
    uint64_t suspicious = (uint64_t)(20000 / ns);
    measure_pin(measure_n_cores() - 1);
    nvtxMarkA("first");
    int64_t end = measure_now_ns() + (int64_t)(seconds * 1e9);
    while (measure_now_ns() < end) {
        struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
        counts.n_switches = involuntary_switches();
        burst(&counts, suspicious);
    }
    printf("  %-14s %9s %9s %9s %9s %9s\n", "", "p50", "p99", "p99.99", "max", "max*");
    printf("  %-14s %9.3f %9.3f %9.3f %9.1f %9.1f\n", "us per call",
           percentile(counts.n_calls, 0.5) * ns / 1000,
           percentile(counts.n_calls, 0.99) * ns / 1000,
           percentile(counts.n_calls, 0.9999) * ns / 1000, (double)counts.max * ns / 1000,
           (double)counts.max_ours * ns / 1000);
    printf("  %ld calls; over %.0f us: %ld, of which %ld while the kernel ran another thread\n",
           counts.n_calls, LONG_US, counts.n_long, counts.n_preempted);
    printf("  max*, the longest call that was not preempted: target %.0f us  %s\n", LONG_US,
           (double)counts.max_ours * ns <= LONG_US * 1000 ? "holds" : "MISSED");
    return 0;
}
