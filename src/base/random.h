/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes of the kernel's. glibc has getrandom() since 2.25; the packages run with 2.17. */
#ifndef RF_BASE_RANDOM_H
#define RF_BASE_RANDOM_H

#include <linux/random.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* size: 256 bytes at most. flags: GRND_NONBLOCK, or 0 to wait until the kernel has gathered enough.
 * Returns false, with errno, if there are none. Any thread. */
static inline bool rf_random_bytes(void *bytes, size_t size, unsigned flags)
{
    return syscall(SYS_getrandom, bytes, size, flags) == (long)size;
}

#endif
