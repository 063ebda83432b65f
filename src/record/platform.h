/* SPDX-License-Identifier: Apache-2.0 */
/* The system below libc, for code that runs inside somebody else's process: raw system calls set no
 * errno, are no cancellation points, and cannot be replaced by a library that wraps libc. Results
 * are the kernel's: a negative errno on failure. */
#ifndef RF_RECORD_PLATFORM_H
#define RF_RECORD_PLATFORM_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define RF_LIKELY(x)   __builtin_expect(!!(x), 1)
#define RF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RF_COLD        __attribute__((cold, noinline))
#define RF_INLINE      static inline __attribute__((always_inline))

/* A function of libc by the version that every glibc has; weak, it is absent where an old glibc
 * runs a program without threads. Linked into a program it has no version. */
#if defined(RF_IS_LINKED)
#define RF_OF_OLDEST(function, x86_64)
#elif defined(__x86_64__)
#define RF_OF_OLDEST(function, x86_64) __asm__(".symver " #function "," #function "@GLIBC_" x86_64)
#else
#define RF_OF_OLDEST(function, x86_64) __asm__(".symver " #function "," #function "@GLIBC_2.17")
#endif

/* Orders memory accesses against a signal handler on this thread: the compiler only. */
#define rf_signal_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static inline long rf_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "the recorder supports x86-64 and aarch64"
#endif
}

#define RF_SYSCALL4(n, a, b, c, d)                                                                 \
    rf_syscall6((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

static inline int rf_sys_open(const char *path, int flags, int mode)
{
    return (int)RF_SYSCALL4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

static inline void rf_sys_close(int fd)
{
    (void)RF_SYSCALL4(SYS_close, fd, 0, 0, 0);
}

static inline long rf_sys_read(int fd, void *data, size_t size)
{
    return RF_SYSCALL4(SYS_read, fd, data, size, 0);
}

static inline long rf_sys_write(int fd, const void *data, size_t size)
{
    return RF_SYSCALL4(SYS_write, fd, data, size, 0);
}

static inline long rf_sys_unlink(const char *path)
{
    return RF_SYSCALL4(SYS_unlinkat, AT_FDCWD, path, 0, 0);
}

/* place: what is mapped there is replaced; NULL: anywhere. NULL on failure. */
static inline long rf_sys_mmap_status(void *place, size_t size, int protection, int flags, int fd)
{
    return rf_syscall6(SYS_mmap, (long)place, (long)size, protection,
                       flags | (place != NULL ? MAP_FIXED : 0), fd, 0);
}

static inline void *rf_sys_mmap_at(void *place, size_t size, int protection, int flags, int fd)
{
    long result = rf_sys_mmap_status(place, size, protection, flags, fd);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

static inline void *rf_sys_mmap(size_t size, int protection, int flags, int fd)
{
    return rf_sys_mmap_at(NULL, size, protection, flags, fd);
}

static inline long rf_sys_munmap(void *address, size_t size)
{
    return RF_SYSCALL4(SYS_munmap, address, size, 0, 0);
}

static inline long rf_sys_mprotect(void *address, size_t size)
{
    return RF_SYSCALL4(SYS_mprotect, address, size, PROT_READ | PROT_WRITE, 0);
}

static inline bool rf_sys_make_writable(void *address, size_t size)
{
    return rf_sys_mprotect(address, size) == 0;
}

static inline long rf_sys_madvise(void *address, size_t size, int advice)
{
    return RF_SYSCALL4(SYS_madvise, address, size, advice, 0);
}

/* Blocks signals on this thread and returns the mask to restore. Not blocked are the signals of
 * faults and of a refused system call, which would end the process, and the signal by which libc
 * makes all threads change their user. */
static inline uint64_t rf_sys_block_signals(void)
{
    enum { SETXID = 33 };
    static const int open[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SETXID};
    uint64_t mask = UINT64_MAX;
    uint64_t before = 0;
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        mask &= ~(1ULL << (open[i] - 1));
    (void)RF_SYSCALL4(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &before, sizeof(mask));
    return before;
}

static inline void rf_sys_restore_signals(uint64_t before)
{
    (void)RF_SYSCALL4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
}

static inline uint32_t rf_sys_gettid(void)
{
    return (uint32_t)RF_SYSCALL4(SYS_gettid, 0, 0, 0, 0);
}

static inline uint32_t rf_sys_getpid(void)
{
    return (uint32_t)RF_SYSCALL4(SYS_getpid, 0, 0, 0, 0);
}

/* For a loop that waits for another core. */
static inline void rf_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield");
#endif
}

static inline void rf_sys_sleep_us(long us)
{
    struct timespec ts = {us / 1000000, us % 1000000 * 1000};
    (void)RF_SYSCALL4(SYS_nanosleep, &ts, 0, 0, 0);
}

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif

#endif
