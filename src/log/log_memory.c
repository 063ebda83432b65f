/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

struct rf_log_memory {
    struct rf_log_memory *next;
    void *map; /* or NULL: the bytes follow this structure */
    size_t map_size;
    bool is_file; /* what the map holds can be read again */
};

static struct rf_log_memory *new_memory(struct rf_log *log, size_t size)
{
    struct rf_log_memory *memory =
        size <= SIZE_MAX - sizeof(*memory) ? malloc(sizeof(*memory) + size) : NULL;
    if (memory == NULL)
        return NULL;
    memory->map = NULL;
    memory->map_size = 0;
    memory->is_file = false;
    memory->next = log->memory;
    log->memory = memory;
    return memory;
}

void *rf_log_allocate(struct rf_log *log, size_t size)
{
    struct rf_log_memory *memory = new_memory(log, size);
    return memory != NULL ? memory + 1 : NULL;
}

void *rf_log_reserve(struct rf_log *log, size_t size)
{
    struct rf_log_memory *memory = new_memory(log, 0);
    void *map = memory != NULL ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                               : MAP_FAILED;
    if (map == MAP_FAILED)
        return NULL;
    memory->map = map;
    memory->map_size = size;
    return map;
}

int rf_log_map(struct rf_log *log, int fd, const char *path, const uint8_t **data, uint64_t *size,
               struct rf_err *err)
{
    struct stat st;
    *data = NULL;
    *size = 0;
    if (fstat(fd, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return rf_fail(err, RF_ERR_FORMAT, "'%s' is not a recording: it is no regular file", path);
    if (st.st_size == 0)
        return RF_OK;
    struct rf_log_memory *memory = new_memory(log, 0);
    if (memory == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return rf_fail(err, RF_ERR_IO, "cannot map '%s': %s", path, strerror(errno));
    (void)madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL);
    memory->map = map;
    memory->map_size = (size_t)st.st_size;
    memory->is_file = true;
    *data = map;
    *size = (uint64_t)st.st_size;
    return RF_OK;
}

static bool is_mapped(const struct rf_log *log, uintptr_t from, uintptr_t to)
{
    for (const struct rf_log_memory *memory = log->memory; memory != NULL; memory = memory->next) {
        const uintptr_t map = (uintptr_t)memory->map;
        if (memory->is_file && from >= map && to <= map + memory->map_size)
            return true;
    }
    return false;
}

/* Nothing is lost: a mapping that cannot be written is filled from the file again. */
static void give_back(const struct rf_log *log, const struct rf_log_read *read)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)read->from & ~(page - 1);
    const uintptr_t to = (uintptr_t)read->to & ~(page - 1);
    if (from < to && is_mapped(log, from, to))
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
}

void rf_log_was_read(const struct rf_log *log, struct rf_log_read *read, const uint8_t *data,
                     uint64_t size)
{
    const uintptr_t enough = (uintptr_t)4 << 20, near = (uintptr_t)16 << 20;
    const uintptr_t around = (uintptr_t)64 << 10; /* a page is mapped with so many before it */
    const uintptr_t from = (uintptr_t)data, to = from + size;
    const uintptr_t read_from = (uintptr_t)read->from, read_to = (uintptr_t)read->to;
    if (read->from == NULL || from > read_to + near || to + near < read_from) {
        give_back(log, read);
        *read = (struct rf_log_read){data, data + size};
        return;
    }
    read->from = from < read_from ? data : read->from;
    read->to = to > read_to ? data + size : read->to;
    if ((uintptr_t)read->to - (uintptr_t)read->from >= enough) {
        give_back(log, read);
        read->from = read->to - around;
    }
}

void rf_log_free_memory(struct rf_log *log)
{
    while (log->memory != NULL) {
        struct rf_log_memory *memory = log->memory;
        log->memory = memory->next;
        if (memory->map != NULL)
            (void)munmap(memory->map, memory->map_size);
        free(memory);
    }
}
