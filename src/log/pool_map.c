/* SPDX-License-Identifier: Apache-2.0 */
#include "log/pool_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool rf_pool_map(struct rf_pool_map *pool, const char *session_dir, uint32_t process,
                 size_t size_needed, int protection)
{
    char path[PATH_MAX + 32];
    struct stat st;
    void *map = MAP_FAILED;
    if (pool->bytes != NULL && pool->size >= size_needed)
        return true;
    (void)snprintf(path, sizeof(path), "%s/p%06" PRIu32 ".pool", session_dir, process);
    int fd = open(path, (protection & PROT_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= RF_POOL_SLOTS_END &&
        (size_t)st.st_size >= size_needed)
        map = mmap(NULL, (size_t)st.st_size, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (map == MAP_FAILED)
        return false;
    rf_pool_unmap(pool);
    *pool = (struct rf_pool_map){map, (size_t)st.st_size};
    return true;
}

void rf_pool_unmap(struct rf_pool_map *pool)
{
    if (pool->bytes != NULL)
        (void)munmap(pool->bytes, pool->size);
    *pool = (struct rf_pool_map){NULL, 0};
}

bool rf_pool_is_sound(const struct rf_pool_header *header, const struct rf_control *control)
{
    return memcmp(header->magic, RF_POOL_MAGIC, sizeof(header->magic)) == 0 &&
           header->version == RF_FORMAT_MAJOR &&
           memcmp(header->session_id, control->session_id, sizeof(header->session_id)) == 0 &&
           __atomic_load_n(&header->n_slots, __ATOMIC_RELAXED) <= RF_MAX_SLOTS;
}
