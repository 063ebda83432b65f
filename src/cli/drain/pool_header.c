/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/pool_header.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct rf_pool_header *pool_header_map(const struct rf_control *control, const char *dir,
                                       uint32_t process)
{
    char path[PATH_MAX + 32];
    (void)snprintf(path, sizeof(path), "%s/p%06" PRIu32 ".pool", dir, process);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map = MAP_FAILED;
    if (fd >= 0 && lseek(fd, 0, SEEK_END) >= (off_t)RF_POOL_HEADER_SIZE)
        map = mmap(NULL, RF_POOL_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (map == MAP_FAILED)
        return NULL;
    struct rf_pool_header *header = map;
    if (memcmp(header->magic, RF_POOL_MAGIC, 8) == 0 &&
        memcmp(header->session_id, control->session_id, 16) == 0)
        return header;
    pool_header_unmap(header);
    return NULL;
}

void pool_header_unmap(struct rf_pool_header *header)
{
    if (header != NULL)
        (void)munmap(header, RF_POOL_HEADER_SIZE);
}

bool pool_header_is_same_process(const struct rf_pool_header *a, const struct rf_pool_header *b)
{
    return a->pid == b->pid && a->start_time == b->start_time && a->pid_ns == b->pid_ns;
}
