/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: CLOCK_MONOTONIC is later by the nanoseconds that the file RF_JUMP holds, for all
 * processes that map it: months pass in a moment. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t *volatile jump;

__attribute__((constructor)) static void map_file(void)
{
    const char *path = getenv("RF_JUMP");
    int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *map = fd >= 0 ? mmap(NULL, sizeof(*jump), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        (void)close(fd);
    if (map != MAP_FAILED)
        jump = map;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *time)
{
    long status = syscall(SYS_clock_gettime, id, time);
    if (status == 0 && id == CLOCK_MONOTONIC && jump != NULL) {
        int64_t ns = time->tv_nsec + __atomic_load_n(jump, __ATOMIC_RELAXED);
        time->tv_sec += ns / 1000000000;
        time->tv_nsec = ns % 1000000000;
    }
    return (int)status;
}
