/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/dead_triggers.h"

#include <stdbool.h>

#include "cli/drain/pool_header.h"
#include "session/session_dir.h"
#include "log/capture.h"
#include "log/liveness.h"

#define EVERY_NS 100000000LL

/* After exec a process keeps its number; its next image has a pool of its own. */
static bool has_ended(const struct rf_pool_header *header, const struct rf_pool_header *next)
{
    if (next != NULL && pool_header_is_same_process(header, next))
        return true;
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
    if (n > SESSION_MAX_PROCESSES)
        return;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_pool_header *header = pool_header_map(control, dir, i);
        if (header == NULL)
            continue;
        uint32_t n_open = __atomic_load_n(&header->n_open_triggers, __ATOMIC_ACQUIRE);
        bool is_dead = n_open > 0 && has_ended(header, NULL);
        for (uint32_t k = i + 1; n_open > 0 && k < n && !is_dead; k++) {
            struct rf_pool_header *next = pool_header_map(control, dir, k);
            is_dead = next != NULL && has_ended(header, next);
            pool_header_unmap(next);
        }
        if (is_dead && __atomic_exchange_n(&header->n_open_triggers, 0, __ATOMIC_ACQ_REL) > 0)
            for (; n_open > 0; n_open--)
                (void)rf_capture_end(control, true, 0, 0);
        pool_header_unmap(header);
    }
}
