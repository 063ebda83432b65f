/* SPDX-License-Identifier: Apache-2.0 */
/* Work that takes its time by the clock, with noise. */
#ifndef RF_TESTS_PLANTED_NOISE_H
#define RF_TESTS_PLANTED_NOISE_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t planted_seed;

/* 0 to 1. */
static inline double planted_uniform(void)
{
    planted_seed = planted_seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(planted_seed >> 11) / (double)(1ULL << 53);
}

static inline int64_t planted_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void planted_spin(int64_t ns)
{
    for (const int64_t end = planted_ns(CLOCK_MONOTONIC) + ns; planted_ns(CLOCK_MONOTONIC) < end;)
        ;
}

/* So many, with noise of about 3 %. */
static inline int64_t planted_some(int64_t n)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += planted_uniform();
    return (int64_t)((double)n * (1 + 0.03 * (sum - 6)));
}

#endif
