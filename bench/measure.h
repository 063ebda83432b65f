/* SPDX-License-Identifier: Apache-2.0 */
/* What the measuring programs share: clocks, the floor, statistics of rounds, one table layout.
 *
 * A number is judged by its minimum over the rounds: what else ran on the machine only ever adds.
 * A ratio is always to something that the same program measured in the same rounds. */
#ifndef RF_BENCH_MEASURE_H
#define RF_BENCH_MEASURE_H

#include <stdint.h>

#define MEASURE_MAX_ROUNDS 101

int64_t measure_now_ns(void);

/* The processor's counter; nanoseconds of CLOCK_MONOTONIC where programs cannot read one. */
static inline uint64_t measure_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return (uint64_t)measure_now_ns();
#endif
}

/* Nanoseconds per tick, measured over 50 ms at the first call. */
double measure_ns_per_tick(void);

/* The floor, n times: what any recorder of begin and end must do. Two reads of the counter and two
 * 32-byte stores to a 64 KiB ring. */
#define MEASURE_RING_BYTES 65536
void measure_floor(int n);

/* Where measure_floor() stores. */
extern uint64_t measure_ring[MEASURE_RING_BYTES / 8];

/* Keeps the calling thread on one core, counted from 0 among those that the process may use. */
void measure_pin(int core);

/* How many cores this process may use. */
int measure_n_cores(void);

/* Sorts, and gives the value below which the given share of them (0 to 1) lies. */
double measure_quantile(double *values, int n, double share);

/* The number of rounds in an argument, 9 if there is none or it makes no sense. */
int measure_rounds(const char *argument);

/* ---- The table. Lines begin with two spaces; titles do not. ---- */

void measure_title(const char *title, const char *unit);

/* One line: minimum, median, ratio (0: none) and, if a target is given (not 0), whether the ratio,
 * or without a ratio the minimum, is at most the target. */
void measure_row(const char *what, double min, double median, double ratio, double target);

#endif
