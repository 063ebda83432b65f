/* SPDX-License-Identifier: Apache-2.0 */
#include "log/clock_reading.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "log/ticks.h"

/* Readings of one clock by two ways differ by less, unless somebody fakes one of them. */
#define SAME_NS 1000000

/* Past any library that stands before the C library's function. */
static int64_t kernel_ns(clockid_t id)
{
    struct timespec ts = {0, 0};
    (void)syscall(SYS_clock_gettime, id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static bool is_faked(int64_t told_ns, int64_t before_ns, int64_t after_ns)
{
    return told_ns < before_ns - SAME_NS || told_ns > after_ns + SAME_NS;
}

static struct rf_clock_quality ask_kernel(void)
{
    struct timex timex = {.modes = 0};
    struct rf_clock_quality quality = {0, 0, RF_CLOCK_TAKEN};
    if (adjtimex(&timex) < 0 || timex.maxerror < 0 || timex.esterror < 0) {
        quality.status |= RF_CLOCK_NOT_ASKED;
        return quality;
    }
    quality.max_error_us = timex.maxerror < UINT32_MAX ? (uint32_t)timex.maxerror : UINT32_MAX;
    quality.est_error_us = timex.esterror < UINT16_MAX ? (uint16_t)timex.esterror : UINT16_MAX;
    quality.status |= (uint16_t)((unsigned)timex.status & RF_CLOCK_KERNEL_BITS);
    return quality;
}

struct rf_clock_reading rf_clock_reading_take(uint32_t clock_kind)
{
    struct rf_clock_reading reading;
    const int64_t mono_ns = kernel_ns(CLOCK_MONOTONIC), real_ns = kernel_ns(CLOCK_REALTIME);
    reading.pair = rf_clock_pair_take(clock_kind);
    const int64_t mono_end_ns = kernel_ns(CLOCK_MONOTONIC), real_end_ns = kernel_ns(CLOCK_REALTIME);
    reading.quality = ask_kernel();
    if (is_faked(reading.pair.real_ns, real_ns, real_end_ns))
        reading.quality.status |= RF_CLOCK_FAKED_REAL;
    if (!is_faked(reading.pair.mono_ns, mono_ns, mono_end_ns))
        return reading;
    reading.quality.status |= RF_CLOCK_FAKED_MONO;
    if (clock_kind != RF_CLOCK_MONO) { /* else the events have the faked clock, too */
        const int64_t told_ns = reading.pair.real_ns;
        reading.pair = rf_clock_pair_take_by(clock_kind, kernel_ns);
        reading.pair.real_ns = told_ns;
    }
    return reading;
}

void rf_control_read_clocks(struct rf_control *control, uint32_t i)
{
    const struct rf_clock_reading reading = rf_clock_reading_take(control->clock_kind);
    control->clock[i] = reading.pair;
    if (i < RF_N_QUALITIES)
        control->quality[i] = reading.quality;
}

uint64_t rf_time_namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/time", &st) == 0 ? st.st_ino : 0;
}
