/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a recording: the processor's counter, or CLOCK_MONOTONIC where the counter cannot
 * be trusted. Header-only, because the injected library and the command line both read it. */
#ifndef RF_LOG_TICKS_H
#define RF_LOG_TICKS_H

#include <stdint.h>
#include <time.h>

#include "log/layout.h"

static inline int64_t rf_clock_ns(clockid_t id)
{
    struct timespec ts;
    (void)clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The processor's counter, read without a fence: the instructions of an event order it enough. */
static inline uint64_t rf_ticks_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return (uint64_t)rf_clock_ns(CLOCK_MONOTONIC);
#endif
}

#if defined(__x86_64__)
#define RF_CLOCK_COUNTER RF_CLOCK_TSC
#elif defined(__aarch64__)
#define RF_CLOCK_COUNTER RF_CLOCK_CNTVCT
#else
#define RF_CLOCK_COUNTER RF_CLOCK_MONO
#endif

static inline uint64_t rf_ticks(uint32_t clock_kind)
{
    return clock_kind == RF_CLOCK_MONO ? (uint64_t)rf_clock_ns(CLOCK_MONOTONIC)
                                       : rf_ticks_counter();
}

/* Reads every clock at one moment: of five tries the one with the smallest gap between its two
 * readings of the counter; ticks is the middle of the gap. CLOCK_MONOTONIC is read next to the
 * counter. read: what reads a clock. */
static inline struct rf_clock_pair rf_clock_pair_take_by(uint32_t clock_kind,
                                                         int64_t (*read)(clockid_t id))
{
    struct rf_clock_pair best = {0, 0, 0, 0};
    uint64_t best_gap = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = rf_ticks(clock_kind);
        int64_t mono = read(CLOCK_MONOTONIC);
        uint64_t after = rf_ticks(clock_kind);
        int64_t real = read(CLOCK_REALTIME);
        int64_t boot = read(CLOCK_BOOTTIME);
        int64_t later = read(CLOCK_MONOTONIC);
        if (after - before < best_gap) {
            int64_t lag = (later - mono) / 2; /* real and boot were read about this much later */
            best_gap = after - before;
            best.ticks = before + best_gap / 2;
            best.mono_ns = mono;
            best.real_ns = real - lag;
            best.boot_ns = boot - lag;
        }
    }
    if (clock_kind == RF_CLOCK_MONO)
        best.ticks = (uint64_t)best.mono_ns; /* one clock: it runs at its own speed exactly */
    return best;
}

/* The same as programs are told the time. */
static inline struct rf_clock_pair rf_clock_pair_take(uint32_t clock_kind)
{
    return rf_clock_pair_take_by(clock_kind, rf_clock_ns);
}

#endif
