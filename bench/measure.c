/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t measure_ring[MEASURE_RING_BYTES / 8] __attribute__((aligned(64)));

int64_t measure_now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

double measure_ns_per_tick(void)
{
    static double ns_per_tick;
    if (ns_per_tick != 0)
        return ns_per_tick;
    int64_t start_ns = measure_now_ns();
    uint64_t start = measure_ticks();
    while (measure_now_ns() - start_ns < 50000000)
        ;
    int64_t end_ns = measure_now_ns();
    ns_per_tick = (double)(end_ns - start_ns) / (double)(measure_ticks() - start);
    return ns_per_tick;
}

void measure_floor(int n)
{
    static uint32_t at;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++) {
            volatile uint64_t *slot = &measure_ring[at];
            slot[0] = measure_ticks();
            slot[1] = (uint64_t)i;
            slot[2] = 2;
            slot[3] = 3;
            at = (at + 4) & (MEASURE_RING_BYTES / 8 - 1);
        }
    }
}

static cpu_set_t *usable_cores(void)
{
    static cpu_set_t cores;
    static int is_known;
    if (!is_known && sched_getaffinity(0, sizeof(cores), &cores) != 0)
        CPU_SET(0, &cores);
    is_known = 1;
    return &cores;
}

int measure_n_cores(void)
{
    return CPU_COUNT(usable_cores());
}

void measure_pin(int core)
{
    cpu_set_t *cores = usable_cores();
    int left = core % CPU_COUNT(cores);
    int cpu = 0;
    while (!CPU_ISSET(cpu, cores) || left-- > 0)
        cpu++;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double measure_quantile(double *values, int n, double share)
{
    qsort(values, (size_t)n, sizeof(double), compare);
    int i = (int)((double)n * share);
    return values[i < n ? i : n - 1];
}

int measure_rounds(const char *argument)
{
    int rounds = argument != NULL ? atoi(argument) : 9;
    return rounds >= 1 && rounds <= MEASURE_MAX_ROUNDS ? rounds : 9;
}

void measure_title(const char *title, const char *unit)
{
    printf("%s (%s)\n  %-58s %9s %9s %7s %7s\n", title, unit, "", "min", "median", "ratio",
           "target");
}

void measure_row(const char *what, double min, double median, double ratio, double target)
{
    printf("  %-58s %9.2f %9.2f", what, min, median);
    if (ratio > 0)
        printf(" %7.2f", ratio);
    else
        printf(" %7s", "");
    if (target > 0)
        printf(" %7.2f  %s", target, (ratio > 0 ? ratio : min) <= target ? "holds" : "MISSED");
    printf("\n");
    (void)fflush(stdout);
}
