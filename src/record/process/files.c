/* SPDX-License-Identifier: Apache-2.0 */
/* Room in files that are mapped. */
#include "record/recorder.h"

#include <errno.h>
#include <sys/resource.h>

long rf_note(const char *call, long status)
{
    struct rf_recorder *r = &rf_recorder;
    if (status < 0 && r->refused_call == NULL) {
        r->refused_code = -status;
        r->refused_call = call;
    }
    return status;
}

void *rf_map(void *place, size_t size, int protection, int flags, int fd)
{
    long status = rf_sys_mmap_status(place, size, protection, flags, fd);
    if (status >= 0 || status <= -4096)
        return (void *)status;
    (void)rf_note("mmap", status);
    return NULL;
}

bool rf_file_may_grow_to(uint64_t size)
{
    struct rlimit limit = {0, 0};
    long status = RF_SYSCALL4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit);
    return status < 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

long rf_file_reserve(const char *path, uint64_t offset, uint64_t size)
{
    static const uint8_t zeros[4096];
    if (!rf_file_may_grow_to(offset + size))
        return -EFBIG;
    int fd = rf_sys_open(path, O_RDWR, 0);
    if (fd < 0)
        return rf_note("openat", fd);
    long status = RF_SYSCALL4(SYS_fallocate, fd, 0, offset, size);
    if (status == -EOPNOTSUPP || status == -ENOSYS) {
        status = 0;
        for (uint64_t at = 0; at < size && status >= 0; at += sizeof(zeros))
            status = RF_SYSCALL4(SYS_pwrite64, fd, zeros, sizeof(zeros), offset + at);
    }
    rf_sys_close(fd);
    return rf_note("fallocate", status);
}
