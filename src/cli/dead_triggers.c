/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/dead_triggers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/capture.h"
#include "log/liveness.h"

#define EVERY_NS 100000000LL

/* The beginning of a process's pool, mapped; NULL: it is not there, or no pool of this session. */
static struct rf_pool_header *map_header(const struct rf_control *control, const char *dir,
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
    (void)munmap(map, RF_POOL_HEADER_SIZE);
    return NULL;
}

/* A process that called exec lives on under the same number; its next image has a pool too. */
static int has_ended(const struct rf_pool_header *header, const struct rf_pool_header *next)
{
    if (next != NULL && next->pid == header->pid && next->start_time == header->start_time &&
        next->pid_ns == header->pid_ns)
        return 1;
    return rf_process_liveness(header->pid, header->start_time, header->pid_ns) ==
           RF_LIVENESS_ENDED;
}

void dead_triggers_close(struct dead_triggers *dead, struct rf_control *control, const char *dir)
{
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (rf_capture_n_open(rf_capture_word(control)) == 0 || now < dead->next_ns)
        return;
    dead->next_ns = now + EVERY_NS;
    uint32_t n = __atomic_load_n(&control->n_processes, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        struct rf_pool_header *header = map_header(control, dir, i);
        if (header == NULL)
            continue;
        uint32_t n_open = __atomic_load_n(&header->n_open_triggers, __ATOMIC_ACQUIRE);
        int is_dead = n_open > 0 && has_ended(header, NULL);
        for (uint32_t k = i + 1; n_open > 0 && k < n && !is_dead; k++) {
            struct rf_pool_header *next = map_header(control, dir, k);
            is_dead = next != NULL && has_ended(header, next);
            if (next != NULL)
                (void)munmap(next, RF_POOL_HEADER_SIZE);
        }
        if (is_dead && __atomic_exchange_n(&header->n_open_triggers, 0, __ATOMIC_ACQ_REL) > 0)
            for (; n_open > 0; n_open--)
                (void)rf_capture_end(control, true, 0, 0);
        (void)munmap(header, RF_POOL_HEADER_SIZE);
    }
}
