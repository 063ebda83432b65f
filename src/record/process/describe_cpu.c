/* SPDX-License-Identifier: Apache-2.0 */
#include "record/process/describe_cpu.h"

#include <string.h>

#include "record/recorder.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define FIRST_EXTENDED 0x80000000u
#define FIRST_OF_NAME  0x80000002u /* three leaves of 16 bytes */
#define N_LEAVES       3

static size_t ask_processor(char text[16 * N_LEAVES])
{
    if ((unsigned)__get_cpuid_max(FIRST_EXTENDED, NULL) < FIRST_OF_NAME + N_LEAVES - 1)
        return 0;
    for (unsigned i = 0; i < N_LEAVES; i++) {
        unsigned words[4];
        __cpuid(FIRST_OF_NAME + i, words[0], words[1], words[2], words[3]);
        memcpy(text + 16 * i, words, sizeof(words));
    }
    return strnlen(text, 16 * N_LEAVES);
}

#define TEXT_SIZE (16 * N_LEAVES)

#else

/* The number of the model: the name is nowhere. */
#define TEXT_SIZE 64

static size_t ask_processor(char text[TEXT_SIZE])
{
    int fd = rf_sys_open("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", O_RDONLY, 0);
    if (fd < 0)
        return 0;
    long n = rf_sys_read(fd, text, TEXT_SIZE);
    rf_sys_close(fd);
    return n > 0 ? (size_t)n : 0;
}

#endif

static int is_space(char c)
{
    return c == ' ' || c == '\n';
}

size_t rf_cpu_name(char *name, size_t size)
{
    char text[TEXT_SIZE];
    size_t end = rf_recorder.has_filter ? 0 : ask_processor(text), at = 0;
    while (end > 0 && is_space(text[end - 1]))
        end--;
    while (at < end && is_space(text[at]))
        at++;
    const size_t n = end - at < size ? end - at : size;
    memcpy(name, text + at, n);
    return n;
}

uint32_t rf_n_cpus(void)
{
    uint64_t mask[128]; /* 8192 of them */
    uint32_t n = 0;
    if (rf_recorder.has_filter)
        return 0;
    long size = RF_SYSCALL4(SYS_sched_getaffinity, 0, sizeof(mask), mask, 0);
    for (long i = 0; i < size / (long)sizeof(mask[0]); i++)
        n += (uint32_t)__builtin_popcountll(mask[i]);
    return n;
}
