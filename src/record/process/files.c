/* SPDX-License-Identifier: Apache-2.0 */
#include "record/process/files.h"

#include <errno.h>
#include <sys/resource.h>

#include "record/process/ask_command_line.h"

long rf_note_refused(const char *call, long status)
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
    (void)rf_note_refused("mmap", status);
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
        return rf_note_refused("openat", fd);
    long status = RF_SYSCALL4(SYS_fallocate, fd, 0, offset, size);
    if (status == -EOPNOTSUPP || status == -ENOSYS) {
        status = 0;
        for (uint64_t at = 0; at < size && status >= 0; at += sizeof(zeros))
            status = RF_SYSCALL4(SYS_pwrite64, fd, zeros, sizeof(zeros), offset + at);
    }
    rf_sys_close(fd);
    return rf_note_refused("fallocate", status);
}

/* Reserves without opening the file, if it is large enough: faults in each page and reports a
 * failure instead of raising SIGBUS. Linux 5.14. */
static long populate(enum rf_ask_file file, void *place, uint64_t offset, uint64_t size)
{
    const struct rf_recorder *r = &rf_recorder;
    uint64_t file_size = file == RF_ASK_DEFS ? r->defs_file_size : r->pool_size;
    return offset + size <= file_size ? rf_sys_madvise(place, size, MADV_POPULATE_WRITE) : -EINVAL;
}

bool rf_file_reserve_mapped(enum rf_ask_file file, void *place, uint64_t offset, uint64_t size)
{
    const struct rf_recorder *r = &rf_recorder;
    if (populate(file, place, offset, size) == 0)
        return true;
    const char *path = file == RF_ASK_DEFS ? r->defs_path : r->pool_path;
    struct rf_ask ask = {.kind = RF_ASK_ROOM,
                         .process = r->process,
                         .file = (uint32_t)file,
                         .offset = offset,
                         .size = size};
    int fds[RF_ASK_MAX_FDS];
    long status = r->was_handed_files ? -EACCES : rf_file_reserve(path, offset, size);
    bool is_unreachable = status == -EACCES || status == -EPERM || status == -ENOENT;
    return status >= 0 || (is_unreachable && rf_ask_command_line(&ask, fds) >= 0);
}
